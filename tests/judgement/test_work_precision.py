"""Work-precision over refinement levels: what is measured on a level, where it ends, what a failure costs."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.references.certified import classification
from veridyn.results import check
from veridyn.run.document import document
from veridyn.run.execution import measure
from veridyn.run.plan import Access, Task
from veridyn.run.running import is_wanted
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.errors import MissingHistory, SolverFailure, StepError
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.integrators.modal import SOLVER
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.runner import Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request
from veridyn.validation_cases.judgement.tolerances import cited, exactly
from veridyn.validation_cases.judgement.work_precision import Limits, compared, repeated, variants, work_precision

ONCE = Limits(budget=0.0)
HERE = Access(in_process=True)
STEPS = (0.1, 0.05, 0.025, 0.0125)


def square(step):
    return 0.3 * step**2


@pytest.fixture
def points(make_statement):
    """Return the points of a solver on a statement."""

    def measured(solver, statement=None, limits=ONCE, **asked):
        return list(work_precision(LocalGate(solver), Request(**asked), statement or make_statement(), limits))

    return measured


def test_levels_are_measured_from_coarse_to_fine(points, stated):
    found = points(stated(square))
    assert [point.settings for point in found] == [{"step": step} for step in STEPS]
    assert [point.error for point in found] == pytest.approx([square(step) for step in STEPS])
    for point in found:
        assert (point.case, point.variant, point.solver, point.version) == ("made-up", "only", "right", "1")
        assert (point.passed, point.checks, point.repeats, point.detail) == (0, 1, 1, "")
        assert (point.quantity, point.digits) == ("end", pytest.approx(-np.log10(point.error)))
        assert min(point.first_call, point.wall_time) > 0


def test_without_levels_the_default_is_the_only_one(points, make_right):
    assert [point.settings for point in points(make_right())] == [{}]
    assert [point.settings for point in points(make_right(), settings={"step": 1e-4})] == [{"step": 1e-4}]


def test_levels_that_cannot_be_used_leave_the_default(points, stated):
    (point,) = points(stated(square, refinement=lambda problem: [{"step": 1.0}]))
    assert (point.settings, point.error) == ({}, pytest.approx(square(STEPS[-1])))


def test_every_scheme_has_its_levels(points, stated):
    solver = stated(square, schemes=("one", "two"), claims=lambda scheme: {"order": 2})
    solver.refinement = lambda problem, scheme: [{"step": step / len(scheme)} for step in STEPS[:3]]
    assert [point.scheme for point in points(solver)] == ["one"] * 3 + ["two"] * 3


def test_the_error_is_the_worst_over_the_scales(points, stated, make_statement, make_quantity):
    absolute = cited("a test", 1e-3, kind="absolute")
    quantities = (
        make_quantity(criterion=absolute),
        make_quantity(name="wide", scale=lambda _: 100.0, criterion=absolute),
        make_quantity(name="twice", measure=lambda seen: 1 + 2 * (seen.response.displacement[-1, 0] - 1)),
    )
    found = points(stated(square), make_statement(*quantities))
    assert {point.quantity for point in found} == {"twice"}
    assert [point.error for point in found] == pytest.approx([2 * square(step) for step in STEPS])
    assert [(point.passed, point.checks) for point in found] == [(0, 3), (2, 3), (2, 3), (2, 3)]


def failing_at(stated, step, answer):
    class Failing(stated):
        def solve(self, problem, settings):
            return answer(problem) if settings.get("step") == step else super().solve(problem, settings)

    return Failing(square)


def raising(error):
    def answer(problem):
        raise error

    return answer


def nan(problem):
    t = np.linspace(0.0, 1.0, 11)
    return {"time": t, "displacement": np.full(t.shape, np.nan), "velocity": t}


FAILURES = [
    (raising(SolverFailure("diverged at 1 s")), "diverged at 1 s"),
    (raising(ZeroDivisionError("mine")), "right raised ZeroDivisionError: mine"),
    (raising(SystemExit(0)), "right raised SystemExit: 0"),
    (raising(ValueError("no such step")), "no such step"),
    (nan, "NaN or infinity"),
]


@pytest.mark.parametrize(("answer", "detail"), FAILURES)
def test_a_level_that_fails_is_a_point_without_values_and_finer_ones_go_on(points, stated, answer, detail):
    found = points(failing_at(stated, 0.05, answer))
    assert [point.error is None for point in found] == [False, True, False, False]
    assert detail in found[1].detail
    assert (found[1].wall_time, found[1].digits, found[1].checks) == (None, None, 0)


def test_a_step_that_is_refused_is_no_point(points, stated):
    found = points(failing_at(stated, 0.1, raising(StepError("too long"))))
    assert [point.settings["step"] for point in found] == list(STEPS[1:])


def test_a_solve_that_is_too_slow_is_the_last_and_is_not_repeated(points, stated):
    (point,) = points(stated(square), limits=Limits(slow=0.0))
    assert point.detail == "so slow that finer settings were not tried"
    assert (point.repeats, point.checks) == (0, 1)
    assert min(point.error, point.wall_time) > 0


def test_the_finest_level_has_nothing_finer_to_be_left_out(points, make_right):
    (point,) = points(make_right(), limits=Limits(slow=0.0))
    assert (point.repeats, point.detail) == (0, "")


def measure_raising(error):
    def found(seen):
        raise error

    return found


def test_what_cannot_be_measured_has_a_time_and_no_error(points, stated, make_statement, make_quantity):
    lost = make_quantity(name="lost", measure=measure_raising(SolverFailure("no impact")))
    point = points(stated(square), make_statement(lost))[0]
    assert (point.error, point.digits, point.quantity, point.detail) == (None, None, "lost", "no impact")
    assert point.wall_time > 0


def test_a_missing_history_is_not_compared(points, stated, make_statement, make_quantity):
    missing = make_quantity(name="missing", measure=measure_raising(MissingHistory("no force")))
    assert {(p.quantity, p.checks) for p in points(stated(square), make_statement(make_quantity(), missing))} == {
        ("end", 1)
    }
    assert {p.detail for p in points(stated(square), make_statement(missing))} == {
        "nothing that is compared is reported"
    }


def test_what_the_solver_does_not_offer_is_said_once(points, stated):
    (point,) = points(stated(square, capabilities=frozenset()))
    assert point.detail == "not applicable: the solver does not offer mechanical"
    (point,) = points(failing_at(stated, 0.1, raising(NotImplementedError("stops"))))
    assert point.detail == "not applicable: right says: stops"


def test_a_solver_that_fails_only_when_asked_again(make_statement, right):
    right.solve = lambda problem, settings: raising(RuntimeError("once is enough"))(problem)
    with pytest.raises(SolverFailure, match="solve 2: right raised RuntimeError: once is enough"):
        repeated(LocalGate(right), Run(make_statement(), {}), ONCE)


def test_solves_are_repeated_within_the_budget(make_statement, right):
    run = Run(make_statement(), {})
    assert len(repeated(LocalGate(right), run, Limits(budget=0.0))) == 1
    assert len(repeated(LocalGate(right), run, Limits(budget=1e9, most=7))) == 7


def test_numbers_with_a_scale_that_tend_to_the_truth_are_compared(points, stated, make_statement, make_quantity):
    others = (
        make_quantity(name="counted", criterion=exactly("counted")),
        make_quantity(name="word", truth=classification("slip", "by hand"), criterion=exactly("a word")),
        make_quantity(name="zero", truth=0.0, criterion=cited("a test", 1.0, kind="absolute")),
        make_quantity(name="sampled", converges=False),
    )
    assert [q.name for q in compared(make_statement(make_quantity(), *others))] == ["end"]
    assert points(stated(square), make_statement(*others)) == []


def test_variants_of_the_diagrams(make_statement):
    assert variants(make_statement(benchmark_variant="only").case) == ("only",)
    assert variants(make_statement(benchmark_variant="only", work_precision=("a", "b")).case) == ("a", "b")
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
    first = Request(schemes=SOLVER.schemes[:1])
    found = list(measure(HERE, Task("veridyn", "sdnd101", "2-shocks", request=first), Limits(slow=0.0)))
    assert {(point.variant, point.scheme) for point in found} == {("2-shocks", SOLVER.schemes[0])}
    assert check(document([], [], [], ["veridyn"], [], found)).work_precision == tuple(found)


def test_a_parameter_set_of_the_user_is_the_variant():
    task = Task("veridyn", "sdnd101", "", {"v0": "2"}, Request(settings={"step": 1e-4}, schemes=SOLVER.schemes[:1]))
    (point, *_) = measure(HERE, task, Limits(slow=0.0))
    assert (point.variant, point.settings["step"]) == ("v0=2", pytest.approx(8e-4))


def test_digits_of_the_test_set_for_initial_value_problems():
    """scd = -log10 max |e/y|, mescd = -log10 max |e/(atol/rtol + |y|)|; both by hand from the answers."""
    statement = Statement(load_case("elastoplastic"), load_case("elastoplastic").variant("blow"))
    request = Request(schemes=("DOP853",))
    point = next(work_precision(LocalGate(SCIPY), request, statement, ONCE))
    assert point.settings["atol"] / point.settings["rtol"] == pytest.approx(0.01)
    found = Runner(LocalGate(SCIPY), request).measured(Run(statement, point.settings, "DOP853"))
    truths = {quantity.name: float(statement.truth(quantity)) for quantity in compared(statement)}
    errors = {name: abs(found[name] - truth) for name, truth in truths.items()}
    assert point.scd == pytest.approx(-np.log10(max(errors[name] / abs(truth) for name, truth in truths.items())))
    assert point.mescd == pytest.approx(-np.log10(max(errors[n] / (0.01 + abs(truth)) for n, truth in truths.items())))
    assert point.scd < point.mescd
    assert 0 < point.uncertainty < 1e-25
