import pytest

from veridyn.reports.tally import (
    anchors,
    by_layer,
    common_settings,
    flag,
    headline,
    own_settings,
    subject,
    tally,
    worst_first,
)


def test_counts_worst_margin_and_flags(typed):
    total = tally(typed.results)
    counts = {"error": 1, "harness error": 0, "fail": 3, "expected failure": 1, "not applicable": 1, "pass": 7}
    assert total.counts == counts
    assert (total.total, total.judged, total.trouble) == (13, 10, 4)
    assert total.worst == 0.333
    assert (total.fragile, total.loose) == (1, 1)


def test_counts_of_layers(typed):
    total = tally(typed.results)
    assert list(total.layers) == ["criterion", "convergence", "claim", "invariance", "baseline"]
    assert total.layers["convergence"] == {
        "error": 0,
        "harness error": 0,
        "fail": 1,
        "expected failure": 0,
        "not applicable": 0,
        "pass": 1,
    }
    assert total.of_layers("pass") == "4 criteria, 1 convergence, 1 claim, 1 baseline"
    assert total.of_layers("harness error") == ""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"margin": 1.99}, "fragile"),
        ({"margin": 2.0}, ""),
        ({"margin": 1000.0}, ""),
        ({"margin": 1001.0}, "loose"),
        *(({"margin": 1e9, "layer": layer}, "") for layer in ("convergence", "claim", "invariance", "baseline")),
        ({"margin": None}, ""),
        ({"margin": 0.5, "verdict": "fail"}, ""),
    ],
)
def test_flag(make_record, changes, expected):
    assert flag(make_record(**changes)) == expected


@pytest.mark.parametrize(
    ("verdicts", "verdict", "sentence"),
    [
        ([], "not applicable", "Nothing was checked"),
        (["pass"], "pass", "The only check passed: 1 criterion"),
        (["pass", "pass"], "pass", "All 2 checks passed: 2 criteria"),
        (["pass", "pass", "expected failure"], "pass", "All 2 checks passed: 2 criteria; 1 expected failure"),
        (["not applicable"] * 2, "not applicable", "No check could be judged: 2 not applicable"),
        (["expected failure"], "expected failure", "No check could be judged: 1 expected failure"),
        (["pass", "fail"], "fail", "1 check failed, of 2 judged: 1 criterion"),
        (["pass", "error"], "error", "1 check ended in an error, of 2 judged: 1 criterion"),
        (
            ["fail", "fail", "error"],
            "error",
            "2 checks failed and 1 check ended in an error, of 3 judged: 3 criteria",
        ),
        (["harness error"], "harness error", "1 check ended in a harness error, of 1 judged: 1 criterion"),
    ],
)
def test_verdict_and_headline(make_record, verdicts, verdict, sentence):
    total = tally(make_record(verdict=name) for name in verdicts)
    assert total.verdict == verdict
    assert headline(total) == sentence


def test_a_headline_counts_what_was_compared_with_what(make_record):
    layers = ["criterion"] * 2 + ["convergence"] * 2 + ["claim", "invariance"]
    records = [*(make_record(layer=layer) for layer in layers), make_record(layer="claim", verdict="not applicable")]
    assert headline(tally(records)) == (
        "All 6 checks passed: 2 criteria, 2 convergence, 1 claim, 1 invariance; 1 not applicable"
    )


def test_words_leave_out_zeros(make_record):
    assert tally([make_record(), make_record(verdict="fail")]).words == "1 fail, 1 pass"
    assert tally([]).words == "no checks"


def test_layers_and_verdicts_in_order(typed):
    assert list(by_layer(typed.results)) == ["criterion", "convergence", "claim", "invariance", "baseline"]
    assert [record.verdict for record in worst_first(typed.results)][:5] == [
        "error",
        "fail",
        "fail",
        "fail",
        "expected failure",
    ]


def test_subject(make_record):
    assert subject(make_record()) == "veridyn · euler"
    assert subject(make_record(scheme="")) == "veridyn"
    assert subject(make_record(run=2), runs=2) == "veridyn · euler · run 2"


def test_common_settings(make_record):
    records = [make_record(settings={"a": 1, "b": 2}), make_record(settings={"a": 1, "b": 3})]
    assert common_settings(records) == {"a": 1}
    assert common_settings([]) == {}


def test_anchors_are_unique_and_clean():
    assert anchors(["a b", "a-b", "<>", "é"], "x-") == ["x-a-b", "x-a-b--2", "x-unnamed", "x-unnamed--2"]


def test_a_scheme_that_is_stated_as_a_setting_is_kept_and_that_of_the_subject_is_not():
    assert own_settings({"scheme": "newmark", "step": 1e-3}, "newmark") == {"step": 1e-3}
    assert own_settings({"scheme": "verlet"}, "") == {"scheme": "verlet"}
