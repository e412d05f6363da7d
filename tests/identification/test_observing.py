"""Claims and refinement that are seen where nobody states them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from veridyn.identification.observing import observe_claims
from veridyn.problem.generated import functions
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.results import Layer, Record, Verdict
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.output_grid import OUTPUT_INTERVAL
from veridyn.solver.contract.statements import Claims, ObservedClaims
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks, describe_observed
from veridyn.validation_cases.judgement.judge import OBSERVED, judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request

from .initial_value_solvers import RungeKutta


class Trapezoidal:
    """The trapezoidal rule on linear problems, silent about itself; ``late`` makes dampers and loads cost an order."""

    name, version = "trapezoidal", "1"
    capabilities = frozenset({"mechanical", "multi-dof", "damping", "damping:coupled", "loads"})
    default_step = 0.01

    def __init__(self, late: float = 0.0, digits: int | None = None, **attributes: object) -> None:
        self.late, self.digits = late, digits
        vars(self).update({"settings": {"step": "step (s)"}} | attributes)

    def solve(self, problem: MechanicalProblem, settings: Any) -> dict[str, Any]:
        n = problem.size
        steps = max(1, round((problem.end - problem.start) / settings.get("step", self.default_step)))
        time, h = np.linspace(problem.start, problem.end, steps + 1, retstep=True)
        inverse = np.linalg.inv(problem.mass)
        a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ problem.stiffness, -inverse @ problem.damping]])
        left, right = np.eye(2 * n) - h / 2 * a, np.eye(2 * n) + h / 2 * a
        states = [np.concatenate([problem.initial_displacement, problem.initial_velocity])]
        for t in time[1:]:
            push = sum(
                (load.direction * load.function(t - h / 2 - self.late * h) for load in problem.loads), np.zeros(n)
            )
            states.append(np.linalg.solve(left, right @ states[-1] + h * np.concatenate([np.zeros(n), inverse @ push])))
        answer = np.array(states)
        if self.digits:
            answer = np.array([[float(f"{x:.{self.digits}g}") for x in row] for row in answer])
        return {"time": time, "displacement": answer[:, :n], "velocity": answer[:, n:]}


def seen(solver: object, request: Request | None = None) -> dict[str, ObservedClaims]:
    return dict(observe_claims(LocalGate(solver), request or Request()).observed)


def test_a_silent_solver_is_seen_through() -> None:
    assert seen(Trapezoidal()) == {"": ObservedClaims(Claims(order=2.0), "step")}
    assert seen(Trapezoidal(settings={"dt": "step (s)", "tol": "of the equations"})) == {}, "dt is not obeyed"


@pytest.mark.parametrize(
    "attributes",
    [
        {"claims": {"order": 2}, "refinement": "step"},
        {"claims": {"digits": 6}},
        {"settings": {}},
        {"capabilities": frozenset()},
    ],
    ids=["states all", "exact", "no settings", "no problems"],
)
def test_nothing_is_looked_for_where_it_is_stated_or_cannot_be(attributes: dict[str, object]) -> None:
    assert seen(Trapezoidal(**attributes)) == {}


def test_a_claim_without_refinement_gets_the_setting_that_acts() -> None:
    (found,) = seen(Trapezoidal(claims={"order": 2})).values()
    assert found.refinement == "step"
    assert seen(Trapezoidal(claims={"order": 2}), Request(refinement="step")) == {}


def test_digits_that_are_printed_leave_no_order_too_high() -> None:
    """Six digits end the fall of errors: what is left may show an order, but none above the true one."""
    for found in seen(Trapezoidal(digits=6)).values():
        assert (found.claims.order or 0.0) <= 2.0


def test_the_exact_solver_is_not_asked() -> None:
    assert seen(EXACT) == {}


class Exponential:
    """Exact on free vibrations, and silent; ``heavier``: relative change of all masses; ``rounded``: of its answers."""

    name, version = "exponential", "1"
    capabilities = frozenset({"mechanical", "multi-dof", "damping", "damping:coupled"})

    def __init__(self, heavier: float = 0.0, rounded: float = 0.0) -> None:
        self.heavier, self.rounded, self.settings = heavier, rounded, {}

    def solve(self, problem: MechanicalProblem, settings: Any) -> dict[str, Any]:
        n, inverse = problem.size, np.linalg.inv(problem.mass * (1 + self.heavier))
        a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ problem.stiffness, -inverse @ problem.damping]])
        start = np.concatenate([problem.initial_displacement, problem.initial_velocity])
        time = np.linspace(problem.start, problem.end, 2001) if problem.output_times is None else problem.output_times
        states = np.array([expm(a * (t - problem.start)) @ start for t in time])
        states = states * (1 + self.rounded * np.cos(1e6 * time))[:, None]
        return {"time": time, "displacement": states[:, :n], "velocity": states[:, n:]}


def judge_digits(solver: object) -> list[Record]:
    """Return what the digits that were seen come to in free vibrations."""
    gate, case = LocalGate(solver), load_case("integrator_fingerprints")
    runner = Runner(gate, observe_claims(gate, Request()))
    free = [variant for variant in case.variants if variant.name == "half"]
    return [judge(check, runner) for check in checks(case, runner.subject, free) if check.layer is Layer.CLAIM]


def test_digits_are_asked_where_a_restart_changes_nothing() -> None:
    """Model and arithmetic are told apart: a wrong mass is solved to rounding, too, and so it is held to digits."""
    wrong = 1e-6
    for solver in (Exponential(), Exponential(heavier=wrong)):
        assert seen(solver) == {"": ObservedClaims(Claims(digits=8.0))}
    right = judge_digits(Exponential())
    assert {record.verdict for record in right} == {Verdict.PASS}
    assert OBSERVED in right[0].reason
    assert Verdict.FAIL in {record.verdict for record in judge_digits(Exponential(heavier=wrong))}


def test_no_digits_are_asked_where_a_restart_changes_the_answer() -> None:
    assert seen(Exponential(rounded=1e-12)) == {}
    assert seen(Trapezoidal(settings={})) == {}, "a step of its own, which nobody sets"


def test_a_note_says_that_digits_are_asked() -> None:
    gate = LocalGate(Exponential())
    subject = Runner(gate, observe_claims(gate, Request())).subject
    assert "exponential: judged by what" in describe_observed(subject, "")
    assert "8 digits are asked" in describe_observed(subject, "")


@pytest.mark.parametrize(("tableau", "order"), [("heun", 2.0), ("rk4", 4.0), ("dormand-prince", 5.0)])
def test_a_silent_initial_value_solver_is_seen_through(tableau: str, order: float) -> None:
    assert seen(RungeKutta(tableau, tableau)) == {"": ObservedClaims(Claims(order=order), "step")}


def test_a_clock_that_is_wrong_hides_no_order() -> None:
    """Where the time is no part of the rates a wrong node does not show: the cases with one will tell."""
    wrong = RungeKutta("late clock", "rk4", late=True)
    assert seen(wrong) == {"": ObservedClaims(Claims(order=4.0), "step")}


class OnGrid(Trapezoidal):
    """Steps from one output instant to the next; ``explicit``: dampers push as they do at the start of a step."""

    def __init__(self, *, explicit: bool = False) -> None:
        super().__init__(settings={})
        self.explicit = explicit

    def solve(self, problem: MechanicalProblem, settings: Any) -> dict[str, Any]:
        assert settings == {}, "no solver gets what stands for its output grid"
        time = np.linspace(problem.start, problem.end, 201) if problem.output_times is None else problem.output_times
        m, c, k = problem.mass, problem.damping, problem.stiffness
        x, v = problem.initial_displacement, problem.initial_velocity
        rows = [(x, v)]
        for t, h in zip(time[1:], np.diff(time), strict=True):
            push = sum((load.direction * load.function(t - h / 2) for load in problem.loads), np.zeros(problem.size))
            share = 0.0 if self.explicit else h / 2
            left = m + share * c + h * h / 4 * k
            new = np.linalg.solve(left, (m - (h - share) * c - h * h / 4 * k) @ v + h * (push - k @ x))
            x, v = x + h / 2 * (v + new), new
            rows.append((x, v))
        x, v = np.array(rows).transpose(1, 0, 2)
        return {"time": time, "displacement": x, "velocity": v}


def judge_levels(solver: object, name: str, quantity: str, setting: str = OUTPUT_INTERVAL) -> dict[Layer, Record]:
    """Return what was judged of a quantity of the first variant on levels of a setting, by layer."""
    gate, case = LocalGate(solver), load_case(name)
    runner = Runner(gate, replace(observe_claims(gate, Request()), quantities=(quantity, "slope")))
    wanted = (Layer.CONVERGENCE, Layer.CLAIM)
    made = [check for check in checks(case, runner.subject, case.variants[:1]) if check.layer in wanted]
    records = [judge(check, runner) for check in made]
    assert {row.setting for record in records for row in record.levels} == {setting}
    return {record.layer: record for record in records}


def test_the_output_grid_is_refined_where_it_is_the_step() -> None:
    assert seen(RungeKutta("on grid", "rk4", on_grid=True)) == {"": ObservedClaims(Claims(order=4.0), OUTPUT_INTERVAL)}
    assert seen(OnGrid()) == seen(OnGrid(explicit=True)) == {"": ObservedClaims(Claims(order=2.0), OUTPUT_INTERVAL)}
    right = judge_levels(OnGrid(), "sdld29", "x4@0.09")
    assert {record.verdict for record in right.values()} == {Verdict.PASS}
    wrong = judge_levels(OnGrid(explicit=True), "sdld29", "x4@0.09")
    assert wrong[Layer.CONVERGENCE].verdict is Verdict.PASS, "it converges, with order 1"
    assert wrong[Layer.CLAIM].verdict is Verdict.FAIL
    assert OBSERVED in wrong[Layer.CLAIM].reason


@pytest.mark.parametrize(("late", "verdict"), [(0.0, Verdict.PASS), (-0.25, Verdict.FAIL)])
def test_the_output_grid_refines_initial_value_problems(late: float, verdict: Verdict) -> None:
    """Heun's method, and with a stage at another instant: only where the time is explicit an order is lost."""
    solver = RungeKutta("heun", "heun", {("c", 1): late} if late else {}, on_grid=True)
    judged = judge_levels(solver, "ueda", "x@1")
    assert judged[Layer.CONVERGENCE].verdict is Verdict.PASS
    assert judged[Layer.CLAIM].verdict is verdict


@dataclass(frozen=True)
class Adaptive:
    """SciPy's integrator with a tolerance alone as setting; ``absolute``: over it, or a number of its own."""

    absolute: float = 1e-3
    is_fixed: bool = False
    name, version, settings = "adaptive", "1", {"rtol": "relative tolerance"}
    capabilities = frozenset({"initial-value"})

    def solve(self, problem: Any, settings: Any) -> dict[str, Any]:
        rtol, rate = max(settings.get("rtol", 1e-6), 3e-14), functions(problem).rhs
        atol = self.absolute if self.is_fixed else self.absolute * rtol
        span, start = (problem.start, problem.end), problem.initial_state
        done = solve_ivp(rate, span, start, "RK45", problem.output_times, rtol=rtol, atol=atol)
        return {"time": done.t, "states": done.y.T}


def test_a_tolerance_that_errors_follow_is_adopted() -> None:
    assert seen(Adaptive()) == {"": ObservedClaims(Claims(tolerance="rtol"), "rtol")}
    assert seen(Adaptive(1e-7, is_fixed=True)) == {}, "an absolute tolerance ends the fall of errors"
    judged = judge_levels(Adaptive(), "ueda", "x@1", "rtol")
    assert {record.verdict for record in judged.values()} == {Verdict.PASS}
    assert judged[Layer.CLAIM].quantity == "slope"


class Both(Adaptive):
    """The same with a fixed absolute tolerance by default, which is a setting, too."""

    settings: ClassVar[dict[str, str]] = {"rtol": "relative tolerance", "atol": "absolute tolerance"}

    def solve(self, problem: Any, settings: Any) -> dict[str, Any]:
        return Adaptive(settings.get("atol", 1e-7), is_fixed=True).solve(problem, settings)


def test_an_absolute_tolerance_is_refined_with_the_relative_one() -> None:
    assert seen(Both()) == {"": ObservedClaims(Claims(tolerance="rtol"), "rtol", "atol")}
    gate = LocalGate(Both())
    subject = Runner(gate, observe_claims(gate, Request(settings={"rtol": 1e-8}))).subject
    finest = subject.refinement(gate, load_case("ueda").problem({}), "").levels[-1]
    assert finest == {"rtol": pytest.approx(1e-8), "atol": pytest.approx(1e-14)}, "levels that a user moves keep both"
    judged = judge_levels(Both(), "ueda", "x@1", "rtol")
    assert {record.verdict for record in judged.values()} == {Verdict.PASS}


class FoxGoodwin(Trapezoidal):
    """Newmark with beta = 1/12: of order 4 in free vibrations without damping, and of order 2."""

    beta = 1.0 / 12.0

    def solve(self, problem: MechanicalProblem, settings: Any) -> dict[str, Any]:
        steps = max(1, round((problem.end - problem.start) / settings.get("step", self.default_step)))
        time, h = np.linspace(problem.start, problem.end, steps + 1, retstep=True)
        m, c, k, b = problem.mass, problem.damping, problem.stiffness, self.beta

        def push(t: float) -> Any:
            return sum((load.direction * load.function(t) for load in problem.loads), np.zeros(problem.size))

        x, v = problem.initial_displacement, problem.initial_velocity
        a = np.linalg.solve(m, push(time[0]) - c @ v - k @ x)
        rows = [(x, v)]
        for t in time[1:]:
            x, v = x + h * v + h * h * (0.5 - b) * a, v + h / 2 * a
            a = np.linalg.solve(m + h / 2 * c + b * h * h * k, push(t) - c @ v - k @ x)
            x, v = x + b * h * h * a, v + h / 2 * a
            rows.append((x, v))
        return {
            "time": time,
            "displacement": np.array([r[0] for r in rows]),
            "velocity": np.array([r[1] for r in rows]),
        }


def test_an_order_by_accident_of_free_vibrations_is_not_claimed() -> None:
    assert seen(FoxGoodwin()) == {"": ObservedClaims(Claims(order=2.0), "step")}
