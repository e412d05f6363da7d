"""SciPy's `solve_ivp` with terminal events."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.answer import (
    TOLERANCES,
    EventDrivenLibrary,
    ToleranceControls,
    levels,
)
from veridyn.solver.event_driven.legs import Arrival, Floats, Leg, until

IMPLICIT = ("Radau", "LSODA", "BDF")
DIGITS = {  # of the tolerances of a scheme's levels, where they are not those of all
    "RK23": (3, 4, 5, 6),  # its steps are twenty times shorter for every four digits
    "LSODA": (5, 7, 9, 11),  # errors of many steps add up to ten times more than those of the others
}


@dataclass(frozen=True)
class SolveIvp:
    """Integrator of legs by one method of `scipy.integrate.solve_ivp`."""

    method: str
    controls: ToleranceControls
    sees_dips: bool = False

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg with dense output; see `legs.Integrator`."""
        from scipy.integrate import solve_ivp  # late: listing solvers must not wait for it

        jacobian = {"jac": leg.jacobian} if self.method in IMPLICIT else {}
        result = solve_ivp(
            leg.rate,
            (leg.start, leg.end),
            leg.state,
            method=self.method,
            events=[_event(leg, i) for i in range(leg.functions)],
            dense_output=True,
            rtol=self.controls.rtol,
            atol=self.controls.atol,
            max_step=min(leg.largest_step, self.controls.max_step),
            **jacobian,
        )
        if result.status < 0:
            raise SolverFailure(f"solve_ivp ({self.method}) gave up at t = {result.t[-1]:.9g} s: {result.message}")
        fired = next((i for i, times in enumerate(result.t_events or ()) if times.size), None)
        outputs = until(leg.outputs, result.t[-1])
        states = result.sol(outputs).T if outputs.size else np.empty((0, leg.state.size))
        counters = {"steps": result.t.size - 1, "evaluations": int(result.nfev)}
        return Arrival(float(result.t[-1]), result.y[:, -1], fired, states, counters)


def _event(leg: Leg, index: int) -> Callable[[float, Floats], float]:
    def watched(t: float, y: Floats) -> float:
        # solve_ivp takes zero at both ends of a step for a crossing; what is exactly zero has not fallen yet
        return leg.watched(index, t, y) or math.ulp(0.0)

    watched.terminal = True  # type: ignore[attr-defined]
    watched.direction = -1.0  # type: ignore[attr-defined]
    return watched


SOLVER = EventDrivenLibrary(
    name="scipy",
    distribution="scipy",
    schemes=("LSODA", "RK45", "DOP853", "Radau", "BDF", "RK23"),
    integrator=lambda controls, _problem: SolveIvp(controls.scheme, controls),
    refinement=lambda _problem, scheme: levels(DIGITS.get(scheme, TOLERANCES)),
    defaults=lambda _problem, scheme: levels(DIGITS.get(scheme, TOLERANCES))[-1],
)
