"""A baseline: what is kept of a run, and what was lost since."""

from __future__ import annotations

import json

import pytest

from veridyn.outputs import open_file
from veridyn.problem.errors import SolverInputError
from veridyn.results import convert_record, unstructure_row
from veridyn.run.baseline import (
    COST_GROWTH,
    DIGITS_KEPT,
    DIGITS_LOST,
    compared,
    entries,
    is_baseline,
    read_baseline,
    write_baseline,
)


def save(file, records, command):
    with open_file(file, is_baseline) as place:
        return write_baseline(place, records, command)


@pytest.fixture
def records(judged, stated):
    """Criterion and convergence of a solver with an error of 1e-7 and 100 steps."""

    def made(error=1e-7, steps=100, **changes):
        def solve(solver, problem, settings):
            return super(type(solver), solver).solve(problem, settings) | {"counters": {"steps": steps}}

        counting = type("Counting", (stated,), {"solve": solve})
        found = judged(counting(lambda h: error * (1 + h)), layers=("criterion", "convergence", "invariance"))
        return [convert_record(unstructure_row(record) | changes) for record in found.values()]

    return made


@pytest.fixture
def baseline(records, tmp_path):
    """Keep records as a baseline and read it again."""

    def made(*given, **changes):
        file = tmp_path / "baseline.json"
        save(file, given or records(**changes), ["veridyn", "baseline", "save"])
        return read_baseline(file)

    return made


def test_what_passes_with_digits_or_cost_is_kept(records):
    kept = list(entries(records()))
    assert [entry.id for entry in kept] == ["only-end"]
    assert kept[0].digits == pytest.approx(7.0, abs=0.01)
    assert kept[0].counters == {"steps": 100.0}
    assert list(entries(records(verdict="fail"))) == []
    assert list(entries(records(digits=None, counters={}))) == []


def test_a_baseline_is_read_as_it_was_written(records, baseline):
    found = baseline()
    assert list(found.values()) == list(entries(records()))
    assert list(found) == [("right", "made-up", "only-end")]


def test_the_same_again_loses_nothing(records, baseline):
    found = list(compared(records(), baseline()))
    assert [(r.id, r.verdict, r.error) for r in found] == [
        ("baseline:digits:only-end", "pass", 0.0),
        ("baseline:steps:only-end", "pass", 0.0),
    ]
    assert {r.layer for r in found} == {"baseline"}


@pytest.mark.parametrize(("factor", "verdict"), [(0.01, "pass"), (3.0, "pass"), (3.3, "fail"), (9.9, "fail")])
def test_half_a_digit_may_be_lost(records, baseline, factor, verdict):
    found, *_ = compared(records(error=1e-7 * factor), baseline())
    assert (found.quantity, found.verdict, found.tolerance) == ("digits:end", verdict, DIGITS_LOST)


def test_an_answer_without_a_digit_has_lost_all(records, baseline):
    before = baseline()
    found, *_ = compared(records(digits=None, verdict="fail"), before)
    assert (found.value, found.verdict, found.error) == (0.0, "fail", pytest.approx(7.0, abs=0.01))


@pytest.mark.parametrize(
    ("before", "now", "verdict"), [(15.0, 12.1, "pass"), (15.0, 11.6, "pass"), (15.0, 11.4, "fail")]
)
def test_beyond_twelve_digits_is_rounding(records, baseline, before, now, verdict):
    kept = baseline(*records(digits=before))
    found, *_ = compared(records(digits=now), kept)
    assert found.verdict == verdict


def test_the_numbers_of_the_page():
    kept, lost = DIGITS_KEPT, DIGITS_LOST
    assert (kept, lost) == (12.0, 0.5)


@pytest.mark.parametrize(("steps", "verdict"), [(50, "pass"), (110, "pass"), (111, "fail")])
def test_a_tenth_more_steps_are_admissible(records, baseline, steps, verdict):
    *_, found = compared(records(steps=steps), baseline())
    assert (found.quantity, found.verdict) == ("steps:end", verdict)
    assert pytest.approx(1.1) == COST_GROWTH


def test_a_counter_that_vanished_is_not_compared(records, baseline):
    assert [r.quantity for r in compared(records(counters={}), baseline())] == ["digits:end"]


def test_a_baseline_of_another_solver_is_refused(records, baseline):
    before = baseline()
    with pytest.raises(SolverInputError, match="holds none of these checks: was it saved for another solver"):
        list(compared(records(solver="other"), before))


def test_without_anything_to_keep_none_is_written(records, tmp_path):
    with pytest.raises(SolverInputError, match="there is nothing to keep"):
        write_baseline(tmp_path / "none.json", records(verdict="fail"), [])
    assert not (tmp_path / "none.json").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no baseline; `veridyn baseline save"),
        ("[]", "is no baseline"),
        ("[" * 100_000, "is no baseline"),
        ('{"schema_version": "2.0"}', "is no baseline"),
        ('{"baseline": "9.0", "entries": []}', "of format '9.0', not 1.0; save it again"),
        ('{"baseline": "1.0", "entries": [{}]}', "is no baseline"),
        (
            '{"baseline": "1.0", "entries": [{"solver": "a", "case": "b", "id": "c", "digits": NaN, "counters": {}}]}',
            "is no",
        ),
        (
            '{"baseline": "1.0", "entries": [{"solver": "a", "case": "b", "id": "c", "digits": -1, "counters": {}}]}',
            "is no",
        ),
    ],
)
def test_what_is_no_baseline_is_refused_in_one_line(tmp_path, text, message):
    file = tmp_path / "baseline.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SolverInputError, match=message) as refused:
        read_baseline(file)
    assert "\n" not in str(refused.value)


def test_a_baseline_says_how_it_was_made(records, tmp_path):
    file = tmp_path / "baseline.json"
    assert save(file, records(), ["veridyn", "baseline", "save", "x"]) == 1
    content = json.loads(file.read_text(encoding="utf-8"))
    assert "baseline save x" in json.dumps(content["environment"])
