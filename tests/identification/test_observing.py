"""Claims and refinement that are seen where nobody states them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from veridyn.identification.observing import observe_claims
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import Claims, ObservedClaims
from veridyn.solver.exact.solver import SOLVER as EXACT
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


@pytest.mark.parametrize(("tableau", "order"), [("heun", 2.0), ("rk4", 4.0), ("dormand-prince", 5.0)])
def test_a_silent_initial_value_solver_is_seen_through(tableau: str, order: float) -> None:
    assert seen(RungeKutta(tableau, tableau)) == {"": ObservedClaims(Claims(order=order), "step")}


def test_a_clock_that_is_wrong_hides_no_order() -> None:
    """Where the time is no part of the rates a wrong node does not show: the cases with one will tell."""
    wrong = RungeKutta("late clock", "rk4", late=True)
    assert seen(wrong) == {"": ObservedClaims(Claims(order=4.0), "step")}


def test_steps_that_are_the_output_are_no_setting() -> None:
    assert seen(RungeKutta("on grid", "rk4", on_grid=True)) == {}


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
