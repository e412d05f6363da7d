"""What a list of expected failures does to one record, and how its lines are read."""

from __future__ import annotations

import pytest
from msgspec import structs

from veridyn.results import ExpectedFailure, Layer, Record, Verdict
from veridyn.validation_cases.judgement.expected import ExpectationError, Expectations, read_expectations

RECORD = Record(
    case="sdnd101",
    variant="a",
    solver="x",
    scheme="euler",
    layer=Layer.CRITERION,
    quantity="force",
    verdict=Verdict.FAIL,
    id="a-force-euler",
)


def listed(*lines):
    numbered = enumerate(lines, start=1)
    return Expectations(tuple(ExpectedFailure(pattern=p, reason=r, place=f"list line {i}") for i, (p, r) in numbered))


@pytest.mark.parametrize(
    ("pattern", "covers"),
    [
        ("sdnd101/a-force-euler", True),
        ("x/sdnd101/a-force-euler", True),
        ("sdnd101/a-*", True),
        ("sdnd10?/*-euler", True),
        ("sdnd101/a-force", False),
        ("y/sdnd101/a-force-euler", False),
        ("sdnd101/A-force-euler", False),
    ],
)
def test_a_line_covers_what_it_names(pattern, covers):
    assert ExpectedFailure(pattern=pattern, reason="known").covers("sdnd101", "a-force-euler", "x") is covers


def test_the_first_line_that_covers_gives_the_reason():
    both = listed(("sdnd104/*", "other"), ("sdnd101/*", "first"), ("sdnd101/a-*", "second"))
    assert both.settle(RECORD).detail == "first"
    assert both.find("sdnd102", "a", "x") is None


@pytest.mark.parametrize("verdict", ["fail", "error"])
def test_a_failure_becomes_expected_and_keeps_what_was_said(verdict):
    settled = listed(("sdnd101/*", "known")).settle(structs.replace(RECORD, verdict=Verdict(verdict), detail="boom"))
    assert (settled.verdict, settled.detail) == ("expected failure", "known (boom)")


def test_what_passes_although_listed_fails():
    settled = listed(("sdnd101/*", "known")).settle(structs.replace(RECORD, verdict=Verdict.PASS))
    assert (settled.verdict, settled.detail) == ("fail", "unexpectedly passes, remove list line 1: known")


@pytest.mark.parametrize(
    ("record", "lines"),
    [
        (structs.replace(RECORD, verdict=Verdict.NOT_APPLICABLE), (("sdnd101/*", "known"),)),
        (RECORD, (("sdnd104/*", "known"),)),
    ],
)
def test_what_is_not_applicable_or_not_listed_stays(record, lines):
    assert listed(*lines).settle(record) is record


def test_a_line_that_covers_nothing_is_refused_with_the_nearest_name():
    names = [("sdnd101", "a-force-euler", "x"), ("sdnd104", "b-power", "x")]
    listed(("sdnd101/*", "known"), ("x/sdnd104/*", "known")).refuse_unknown(iter(names))
    with pytest.raises(ExpectationError, match=r"sdnd101/a-forse-euler.*line 1.*sdnd101/a-force-eu"):
        listed(("sdnd101/a-forse-euler", "known")).refuse_unknown(iter(names))
    with pytest.raises(ExpectationError, match=r"zzz.*line 1.*yyy.*line 2"):
        listed(("zzz", "known"), ("yyy", "known")).refuse_unknown(iter(names))


def test_checks_are_asked_for_until_each_line_covers_one():
    names = iter([("sdnd101", "a", "x"), ("sdnd104", "b", "x"), ("sdnd105", "c", "x")])
    listed(("sdnd104/*", "known"), ("sdnd101/a", "known")).refuse_unknown(names)
    assert next(names) == ("sdnd105", "c", "x")


def read(tmp_path, text):
    file = tmp_path / "list.txt"
    file.write_bytes(text)
    return [(e.pattern, e.reason, e.place) for e in read_expectations(file).entries]


def test_lines_are_read_with_their_place(tmp_path):
    text = "\ufeff# why\n\n  sdnd101/balance:x-a : it drifts: always \n #\nb: c\n".encode()
    assert read(tmp_path, text) == [
        ("sdnd101/balance:x-a", "it drifts: always", "list.txt line 3"),
        ("b", "c", "list.txt line 5"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"# a\nsdnd101/x", "line 2: 'sdnd101/x' has no reason"), (b"x:y", "no reason"), (b"\xff\xfe\x01", "UTF-8")],
)
def test_a_line_without_a_reason_is_refused(tmp_path, text, message):
    with pytest.raises(ExpectationError, match=message):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ExpectationError, match=r"none\.txt"):
        read_expectations(tmp_path / "none.txt")
