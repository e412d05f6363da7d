"""Ladders of settings: what is measured on a rung, where a climb ends, what a failure costs."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from veridyn.comparing import is_wanted, measure
from veridyn.document import document
from veridyn.reports import check_document
from veridyn.solver.errors import SolverFailure
from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.tolerances import cited, exactly
from veridyn.validation_cases.work_precision import (
    STEP_FACTORS,
    Limits,
    climb,
    compared,
    relative_error,
    repeated,
    rungs,
    variants,
    work_precision,
    worst,
)
from veridyn.verification import Task

CASE = load_case("sdnd101")
VARIANT = CASE.variant("2-shocks")
ONCE = Limits(budget=0.0)


class Climber:
    """Solves the release against a stop with our own solver; the ladder says with what step."""

    name, version, capabilities = "climber", "3", SOLVER.capabilities
    ladder = ({"step": 5e-4}, {"step": 2.5e-4}, {"step": 1.25e-4})

    def solve(self, problem, settings):
        chosen = {"step": 5e-4} | settings
        return SOLVER.solve(problem, {"scheme": "symplectic_euler"} | chosen)


def climbed(solver, case=CASE, variant=VARIANT, limits=ONCE, settings=None):
    return list(work_precision(solver, Subject.of(solver, settings), case, variant, limits))


def test_a_ladder_is_climbed_from_coarse_to_fine():
    points = climbed(Climber())
    assert [point.settings for point in points] == [*Climber.ladder]
    errors = [point.error for point in points]
    assert errors == sorted(errors, reverse=True)
    for point in points:
        assert (point.case, point.variant, point.solver, point.version) == ("sdnd101", "2-shocks", "climber", "3")
        assert (point.passed, point.checks, point.repeats, point.detail) == (7, 7, 1, "")
        assert point.digits == pytest.approx(-np.log10(point.error))
        assert point.counters["steps"] > 0
        assert min(point.first_call, point.wall_time) > 0


def test_without_a_ladder_the_settings_of_the_user_are_the_only_rung():
    solver = Climber()
    solver.ladder = ()
    assert [point.settings for point in climbed(solver)] == [{}]
    assert [point.settings for point in climbed(solver, settings={"step": 1e-4})] == [{"step": 1e-4}]


def test_a_rung_wins_over_the_user_and_leaves_the_rest():
    points = climbed(Climber(), settings={"step": 1e-3, "archive_every": 1})
    assert [point.settings for point in points] == [rung | {"archive_every": 1} for rung in Climber.ladder]


def test_our_own_schemes_climb_in_multiples_of_the_step_of_the_case():
    points = climbed(SOLVER)
    step = CASE.settings(CASE.values(VARIANT.changes), "devogelaere")["step"]
    for scheme in SOLVER.schemes:
        mine = [point for point in points if point.scheme == scheme]
        assert [point.settings["step"] / step for point in mine] == pytest.approx(list(STEP_FACTORS))


def test_a_step_that_the_rule_forbids_is_no_rung():
    case = load_case("sdnd104")
    variant, subject = case.variant("a0=15"), Subject("veridyn", ("devogelaere",), own=True)
    assert rungs(subject, case, variant)[0] == {"step": 4e-4}
    (first,) = climb(SOLVER, subject, case, variant, Limits(slow=0.0))
    assert first.settings["step"] == 2e-4
    assert first.error > 0


def test_the_finest_rung_has_nothing_finer_to_be_left_out():
    solver = Climber()
    solver.ladder = ()
    (point,) = climbed(solver, limits=Limits(slow=0.0))
    assert (point.repeats, point.detail) == (0, "")


def test_a_solve_that_is_too_slow_ends_the_climb_and_is_not_repeated():
    (point,) = climbed(Climber(), limits=Limits(slow=0.0))
    assert point.detail == "so slow that finer settings were not tried"
    assert (point.repeats, point.passed) == (0, 7)
    assert point.error > 0
    assert point.wall_time > 0


def failing_at(step, answer):
    """Return a climber that does something else on one rung."""

    class Failing(Climber):
        def solve(self, problem, settings):
            return answer(problem) if settings.get("step") == step else super().solve(problem, settings)

    return Failing()


def raising(error):
    def answer(problem):
        raise error

    return answer


def nan(problem):
    t = problem.output_times
    return {"time": t, "displacement": np.full(t.shape, np.nan), "velocity": t}


FAILURES = [
    (raising(SolverFailure("diverged at 1 s")), "diverged at 1 s"),
    (raising(ZeroDivisionError("mine")), "climber raised ZeroDivisionError: mine"),
    (raising(SystemExit(0)), "climber raised SystemExit: 0"),
    (raising(ValueError("no such step")), "no such step"),
    (nan, "NaN or infinity"),
]


@pytest.mark.parametrize(("answer", "detail"), FAILURES)
def test_a_rung_that_fails_is_a_point_without_values_and_the_climb_goes_on(answer, detail):
    points = climbed(failing_at(2.5e-4, answer))
    assert [point.error is None for point in points] == [False, True, False]
    failed = points[1]
    assert detail in failed.detail
    assert (failed.wall_time, failed.digits, failed.checks) == (None, None, 0)


def test_what_cannot_be_measured_has_a_time_and_no_error():
    def still(problem):
        t = np.linspace(0.0, problem.end, 5000)
        return {"time": t, "displacement": -t, "velocity": -np.ones_like(t)}

    point = climbed(failing_at(5e-4, still))[0]
    assert (point.error, point.digits, point.passed, point.checks) == (None, None, 0, 7)
    assert point.wall_time > 0
    assert point.quantity
    assert point.detail


def test_what_the_solver_does_not_offer_is_said_once():
    solver = Climber()
    solver.capabilities = frozenset({"mechanical"})
    (point,) = climbed(solver)
    assert point.detail == "not applicable: the solver does not offer contact"
    (point,) = climbed(failing_at(5e-4, raising(NotImplementedError("stops"))))
    assert point.detail == "not applicable: climber says: stops"


def test_a_solver_that_fails_only_when_asked_again(make_run, right):
    right.solve = lambda problem, settings: raising(RuntimeError("once is enough"))(problem)
    with pytest.raises(SolverFailure, match="solve 2 raised RuntimeError: once is enough"):
        repeated(right, make_run(), ONCE)


def test_solves_are_repeated_within_the_budget(make_run, right):
    assert len(repeated(right, make_run(), Limits(budget=0.0))) == 1
    assert len(repeated(right, make_run(), Limits(budget=1e9, most=7))) == 7


@pytest.fixture
def record(make_check, bench):
    """Return a judged check of a quantity with a given value and truth."""

    def make(name, value, truth, tolerance):
        check = make_check(quantity=name, measure=lambda _: value, reference=lambda: truth, tolerance=lambda: tolerance)
        return judge(check, bench)

    return make


def test_the_error_is_the_worst_relative_one_of_the_quantities(record):
    relative, absolute = cited("a test", 1.0), cited("a test", 1.0, kind="absolute")
    records = [
        record("a", 1.001, 1.0, relative),
        record("b", 202.0, 200.0, absolute),
        record("c", -3.003, -3.0, absolute),
    ]
    assert [relative_error(r) for r in records] == pytest.approx([1e-3, 1e-2, 1e-3])
    found = worst(records)
    assert (found["quantity"], found["error"], found["digits"]) == ("b", pytest.approx(1e-2), pytest.approx(2.0))


def test_one_quantity_without_a_number_leaves_no_error(record):
    relative = cited("a test", 1.0)
    found = worst([record("a", 1.0, 1.0, relative), record("b", float("nan"), 1.0, relative)])
    assert found == {"quantity": "b", "detail": "b is nan"}


def test_counters_that_are_no_numbers_are_dropped():
    class Counting(Climber):
        ladder = ()

        def solve(self, problem, settings):
            found = vars(super().solve(problem, settings))
            return found | {"counters": {"steps": 3, "words": "many", "odd": float("nan"), "yes": True}}

    (point,) = climbed(Counting())
    assert point.counters == {"steps": 3}


def test_quantities_that_count():
    def names(case, variant):
        case = load_case(case)
        return compared(case, case.variant(variant))

    assert names("sdnd101", "2-shocks") == {quantity.name for quantity in CASE.quantities}
    assert {"wear_power", "wear_energy"} <= names("sdnd104", "a0=1.5")
    assert "regime" not in names("sdnd104", "a0=1.5")
    assert "absolute_NO3@0.01" not in names("sdld103", "A")
    assert "relative_NO3@1.0" in names("sdld103", "A")


def test_where_nothing_counts_nothing_is_measured():
    sticks = load_case("sdnd104")
    assert climbed(Climber(), sticks, sticks.variant("a0=0.99")) == []
    words = replace(CASE.quantities[0], tolerance=lambda *_: exactly("a word"))
    assert climbed(SimpleNamespace(name="none"), replace(CASE, quantities=(words,))) == []


def test_variants_of_the_diagrams():
    assert variants(CASE) == ("2-shocks",)
    assert variants(load_case("sdnd104")) == ("a0=15", "a0=1.5", "a0=1.01")


@pytest.mark.parametrize(
    ("asked", "solvers", "kept", "wanted"),
    [
        (None, ["a", "b"], True, True),
        (None, ["a", "b"], False, False),
        (None, ["a", "a"], True, False),
        (True, ["a"], True, True),
        (True, ["a"], False, False),
        (False, ["a", "b"], True, False),
    ],
)
def test_when_diagrams_are_measured(asked, solvers, kept, wanted):
    assert is_wanted(asked, solvers, kept=kept) is wanted


def test_points_of_a_run_fit_into_the_document():
    points = list(measure(Task("veridyn", "sdnd101", "2-shocks"), Limits(slow=0.0)))
    assert {point["variant"] for point in points} == {"2-shocks"}
    assert {point["scheme"] for point in points} == set(SOLVER.schemes)
    found = check_document(document([], [], [], ["veridyn"], [], points))
    assert found["work_precision"] == points


def test_a_parameter_set_of_the_user_is_the_variant():
    (point, *_) = measure(Task("veridyn", "sdnd101", "", {"v0": "2"}, {"step": 1e-4}), Limits(slow=0.0))
    assert point["variant"] == "v0=2"
    assert point["settings"]["step"] == 4e-4
