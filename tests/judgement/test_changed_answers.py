"""Answers that change where a problem is put otherwise: words, what cannot be measured any more, what never could."""

import pytest

from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.judgement.tolerances import exactly


@pytest.fixture
def late(make_right):
    """A solver that is one off where the clock begins late."""

    class Late(make_right):
        def solve(self, problem, settings):
            found = super().solve(problem, settings)
            return found | {"displacement": found["displacement"] + (problem.start > 0)}

    return Late()


def end(seen):
    return float(seen.response.displacement[-1, 0])


@pytest.fixture
def later(judged, make_statement, make_quantity, late):
    """Judge what a measure finds where the clock begins later."""

    def judge_it(measure, **changes):
        statement = make_statement(make_quantity(measure=measure, **changes))
        return judged(late, statement, layers=("invariance",))["only-invariance:later_origin"]

    return judge_it


def test_a_number_that_changes_by_more_than_twice_its_criterion_fails(later):
    record = later(end)
    assert record.verdict == "fail"
    assert record.levels[0].change == pytest.approx(1)
    assert record.value == pytest.approx(1 / 2e-6)


def test_a_word_that_changes_fails(later):
    record = later(lambda seen: "high" if end(seen) > 1.5 else "low", truth="low", criterion=exactly("a word"))
    assert record.verdict == "fail"
    assert (record.levels[0].before, record.levels[0].after) == ("low", "high")
    assert record.value == 1e300


def test_a_word_that_stays_passes(later):
    record = later(lambda seen: "somewhere", truth="somewhere", criterion=exactly("a word"))
    assert (record.verdict, record.value) == ("pass", 0)


def test_a_number_that_must_be_equal_may_not_change(later):
    record = later(lambda seen: int(end(seen) > 1.5), truth=0, criterion=exactly("a count"))
    assert record.verdict == "fail"
    assert record.reason == "of what is admissible: a count"


def failing(error, fails):
    def measure(seen):
        if fails(end(seen)):
            raise error
        return end(seen)

    return measure


def test_what_cannot_be_measured_any_more_fails(later):
    record = later(failing(SolverFailure("no impact"), lambda x: x > 1.5))
    assert record.verdict == "fail"
    assert record.detail.endswith("But then: no impact")


@pytest.mark.parametrize("fails", [lambda x: x > 1.5, lambda x: x < 1.5])
def test_a_measure_that_breaks_before_or_after_is_a_fault_of_the_harness(later, fails):
    assert later(failing(ZeroDivisionError("0"), fails)).verdict == "harness error"


def test_what_could_not_be_measured_before_is_not_compared(later):
    assert later(failing(SolverFailure("no impact"), lambda x: x < 1.5)).verdict == "not applicable"


def test_what_depends_on_all_samples_is_not_judged_on_half_of_them(judged, stated, make_statement, make_quantity):
    """A measure that needs more samples than every second one leaves."""

    def measure(seen):
        if seen.response.time.size < 10:
            raise SolverFailure("too few samples")
        return end(seen)

    statement = make_statement(make_quantity(measure=measure))
    record = judged(stated(lambda step: step**2), statement, layers=("convergence",))["only-convergence:end"]
    assert record.verdict == "not applicable"
    assert "too far apart" in record.detail


def test_other_settings_of_a_level_have_units_that_nobody_states(judged, stated):
    solver = stated(lambda step: 0.0)
    solver.refinement = tuple({"step": step, "width": 3.0} for step in (0.1, 0.05, 0.025))
    record = judged(solver, layers=("invariance",))["only-invariance:other_units"]
    assert (record.verdict, record.detail) == ("not applicable", "nobody states the unit of the setting width")
