import pytest

from veridyn.reports.tally import (
    anchors,
    by_kind,
    common_settings,
    flag,
    headline,
    subject,
    tally,
    worst_first,
)


def test_counts_worst_margin_and_flags(doc):
    total = tally(doc["results"])
    counts = {"error": 1, "fail": 2, "expected failure": 1, "not applicable": 1, "pass": 6}
    assert total.counts == counts
    assert (total.total, total.judged, total.trouble) == (11, 8, 3)
    assert total.worst == 0.333
    assert (total.fragile, total.asleep) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"margin": 1.99}, "fragile"),
        ({"margin": 2.0}, ""),
        ({"margin": 1000.0}, ""),
        ({"margin": 1001.0}, "asleep"),
        ({"margin": 1e9, "kind": "frozen"}, ""),
        ({"margin": None}, ""),
        ({"margin": 0.5, "verdict": "fail"}, ""),
    ],
)
def test_flag(make_result, changes, expected):
    assert flag(make_result(**changes)) == expected


@pytest.mark.parametrize(
    ("verdicts", "verdict", "sentence"),
    [
        ([], "not applicable", "Nothing was checked"),
        (["pass"], "pass", "The only check passed"),
        (["pass", "pass"], "pass", "All 2 checks passed"),
        (["pass", "pass", "expected failure"], "pass", "All 2 checks passed; 1 expected failure"),
        (["not applicable"] * 2, "not applicable", "No check could be judged: 2 not applicable"),
        (["expected failure"], "expected failure", "No check could be judged: 1 expected failure"),
        (["pass", "fail"], "fail", "1 check failed, of 2"),
        (["pass", "error"], "error", "1 check ended in an error, of 2"),
        (["fail", "fail", "error"], "error", "2 checks failed and 1 check ended in an error, of 3"),
    ],
)
def test_verdict_and_headline(make_result, verdicts, verdict, sentence):
    total = tally(make_result(verdict=name) for name in verdicts)
    assert total.verdict == verdict
    assert headline(total) == sentence


def test_words_leave_out_zeros(make_result):
    assert tally([make_result(), make_result(verdict="fail")]).words == "1 fail, 1 pass"
    assert tally([]).words == "no checks"


def test_kinds_and_verdicts_in_order(doc):
    assert list(by_kind(doc["results"])) == ["truth", "events", "balance", "order", "parity", "frozen"]
    assert [record["verdict"] for record in worst_first(doc["results"])][:4] == [
        "error",
        "fail",
        "fail",
        "expected failure",
    ]


def test_subject(make_result):
    assert subject(make_result()) == "veridyn · euler"
    assert subject(make_result(scheme="")) == "veridyn"
    assert subject(make_result(run=2), runs=2) == "veridyn · euler · run 2"


def test_common_settings(make_result):
    records = [make_result(settings={"a": 1, "b": 2}), make_result(settings={"a": 1, "b": 3})]
    assert common_settings(records) == {"a": 1}
    assert common_settings([]) == {}


def test_anchors_are_unique_and_clean():
    assert anchors(["a b", "a-b", "<>", "é"], "x-") == ["x-a-b", "x-a-b--2", "x-unnamed", "x-unnamed--2"]
