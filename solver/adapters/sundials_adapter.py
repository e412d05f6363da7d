"""SUNDIALS CVODE with root finding, through scikit-sundae."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from sksundae.cvode import CVODE

from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.answer import EventDrivenLibrary, ToleranceControls
from veridyn.solver.event_driven.legs import Arrival, Floats, Leg, until

MOST_STEPS = 1_000_000  # between two output instants; CVODE's own 500 are too few for tight tolerances
ROOT_RETURN = 2  # CV_ROOT_RETURN
NEAR = 1e-12  # of a leg
RTOL_LIMIT = 1e-14  # below it CVODE reports that too much accuracy was asked for


@dataclass(frozen=True)
class Cvode:
    """Integrator of legs by CVODE: BDF or Adams."""

    method: str
    controls: ToleranceControls
    sees_dips: bool = False

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg to its outputs; see `legs.Integrator`."""
        # an output that rounding sets off from an end of the leg is too near for a step
        near = NEAR * (leg.end - leg.start) + 4 * math.ulp(leg.end)
        inner = leg.outputs[(leg.outputs > leg.start + near) & (leg.outputs < leg.end - near)]
        # with two instants only CVODE would return every step of its own
        instants = np.concatenate(([leg.start], inner if inner.size else [0.5 * (leg.start + leg.end)], [leg.end]))
        result = self._solver(leg).solve(instants, leg.state)
        if result.status < 0 or not result.success:
            raise SolverFailure(f"CVODE ({self.method}) gave up at t = {result.t[-1]:.9g} s: {result.message}")
        hit = result.status == ROOT_RETURN
        fired = int(np.flatnonzero(result.i_events[-1])[0]) if hit else None
        time, state = float(result.t[-1]), np.array(result.y[-1])
        return Arrival(time, state, fired, _at_outputs(leg, result.t, result.y), {"evaluations": int(result.nfev)})

    def _solver(self, leg: Leg) -> CVODE:
        def rate(t: float, y: Floats, yp: Floats) -> None:
            yp[:] = leg.rate(t, y)

        def watched(t: float, y: Floats, events: Floats) -> None:
            for i in range(leg.functions):
                events[i] = leg.watched(i, t, y)

        def jacobian(t: float, y: Floats, yp: Floats, jacobian: Floats) -> None:  # noqa: ARG001 - CVODE's signature
            jacobian[:] = leg.jacobian(t, y)

        watched.terminal = [True] * leg.functions  # type: ignore[attr-defined]
        watched.direction = [-1] * leg.functions  # type: ignore[attr-defined]
        largest = min(leg.largest_step, self.controls.max_step)
        roots = {"eventsfn": watched, "num_events": leg.functions} if leg.functions else {}
        return CVODE(
            rate,
            method=self.method,
            rtol=max(self.controls.rtol, RTOL_LIMIT),
            atol=self.controls.atol,
            max_step=0.0 if math.isinf(largest) else largest,
            max_num_steps=MOST_STEPS,
            jacfn=jacobian,
            **roots,
        )


def _at_outputs(leg: Leg, times: Floats, states: Floats) -> Floats:
    """Return the states at the outputs of the leg among those that CVODE returned."""
    reached = until(leg.outputs, times[-1])
    after = np.clip(np.searchsorted(times, reached), 1, times.size - 1)
    nearest = np.where(reached - times[after - 1] < times[after] - reached, after - 1, after)
    return np.array(states[nearest]).reshape(reached.size, leg.state.size)


SOLVER = EventDrivenLibrary(
    name="sundials",
    distribution="scikit-sundae",  # brings its SUNDIALS
    schemes=("BDF", "Adams"),
    integrator=lambda controls, _problem: Cvode(controls.scheme, controls),
)
