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
        {"capabilities": frozenset({"initial-value"})},
    ],
    ids=["states all", "exact", "no settings", "no mechanical problems"],
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
