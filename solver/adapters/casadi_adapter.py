"""CasADi's own integrators, with events located on the dense output of a step.

CasADi goes on after an event: a transition freezes the motion there, and two more states keep event and instant.
CVODES of CasADi is left out: it gives up after an event ("CV_ILL_INPUT", CasADi 3.8.2).
"""

from __future__ import annotations

import contextlib
import io
import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi
import numpy as np

from veridyn.problem.expressions import CONSTANTS, FUNCTIONS, Expr
from veridyn.problem.generated import Names, translated
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.event_driven.answer import MODES, EventDrivenLibrary, ToleranceControls
from veridyn.solver.event_driven.legs import Arrival, Floats, Leg, until
from veridyn.solver.event_driven.modes import ModeLeg

MOST_STEPS = 1_000_000  # between two outputs; CasADi's own 10000 are too few for tight tolerances
HAPPENED = 0.5  # place of an event, from 1; before one, linear algebra of rosenbrock leaves 1e-38 where 0 was
NEAR = 1e-12  # of a leg: an output so near to an end of it is no step away
LIBRARY = {name: getattr(casadi, name) for name in FUNCTIONS} | dict.fromkeys(CONSTANTS, math.pi)


@lru_cache(maxsize=256)
def _compiled(names: Names, rates: tuple[Expr, ...], guards: tuple[Expr, ...]) -> Any:
    """Return the function of ``(t, y, p)``: rates, then what can fire: guards and minus the rates of the guards."""
    t, y = casadi.SX.sym("t"), casadi.SX.sym("y", len(names.unknowns))
    p = casadi.SX.sym("p", len(names.parameters))
    right, falls = (casadi.vertcat(*translated(names, part, [LIBRARY])(t, y, p)) for part in (rates, guards))
    along = casadi.jtimes(falls, casadi.vertcat(t, y), casadi.vertcat(1, right)) if guards else falls
    return casadi.Function("mode", [t, y, p], [right, casadi.vertcat(falls, -along)])


def _model(leg: ModeLeg, armed: list[int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the equations of a leg with what is looked at, and the option that freezes the motion at an event."""
    mode, numbers = _compiled(*leg.expressions), leg.equations.plain.problem.parameter_numbers
    t, y, kept = casadi.SX.sym("t"), casadi.SX.sym("y", leg.state.size), casadi.SX.sym("kept", 2)
    rates, watched = mode(t, y, casadi.DM(numbers))
    moves, state = kept[0] < HAPPENED, casadi.vertcat(y, kept)
    equations = {"t": t, "x": state, "ode": casadi.vertcat(casadi.if_else(moves, rates, 0), 0, 0)}
    if not armed:
        return equations, {}
    index, nothing = casadi.SX.sym("index"), casadi.SX(0, 1)
    after = [casadi.vertcat(y, index + 1, t), nothing]
    freeze = casadi.Function("freeze", [index, t, state, nothing, nothing, nothing], after)
    signed = (casadi.DM(np.tile(leg.signs, 2)) * watched)[armed]
    return equations | {"zero": casadi.if_else(moves, signed, 1)}, {"transition": freeze}


@dataclass(frozen=True)
class Casadi:
    """Integrator of legs by an integrator of CasADi."""

    method: str
    controls: ToleranceControls
    sees_dips: bool = False

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg stage by stage; raises what `ModeLeg.expressions` raises; see `legs.Integrator`."""
        assert isinstance(leg, ModeLeg)
        now, state, fired, outputs, parts = leg.start, leg.state, None, leg.outputs, [np.empty((0, leg.state.size))]
        counters = Counter(steps=0, evaluations=0)
        for end in leg.stages:
            armed = [i for i in range(leg.functions) if leg.armed[i] <= now]
            integrator, instants = self._integrator(leg, armed, now, end, until(outputs, end))
            result = _solved(integrator, state, self.method, now)
            place, happened = result[-1, -2:]
            fired = armed[round(place) - 1] if place > HAPPENED else None
            now, state = (end if fired is None else float(happened)), result[-1, :-2]
            reached = until(outputs, now)
            parts.append(result[np.searchsorted(instants, reached).clip(max=len(result) - 1), :-2])
            outputs = outputs[len(reached) :]
            counters.update({"steps": integrator.stats()["n_steps"], "evaluations": integrator.stats()["n_rhs"]})
            if fired is not None:
                break
        return Arrival(now, state, fired, np.vstack(parts), counters)

    def _integrator(self, leg: ModeLeg, armed: list[int], now: float, end: float, outputs: Floats) -> Any:
        """Return CasADi's integrator of a stage of a leg, and its output instants: one near the end is the end."""
        equations, transition = _model(leg, armed)
        near = NEAR * (end - now) + 4 * math.ulp(end)
        instants = np.append(outputs[(outputs > now + near) & (outputs < end - near)], end)
        largest = min(leg.largest_step, self.controls.max_step)
        options = {
            "reltol": self.controls.rtol,
            "abstol": self.controls.atol,
            "max_num_steps": MOST_STEPS,
            **({} if math.isinf(largest) else {"max_step_size": largest}),
            **transition,
        }
        with contextlib.redirect_stderr(io.StringIO()):  # "Event support is experimental", at every event
            return casadi.integrator("leg", self.method, equations, now, instants.tolist(), options), instants


def _solved(integrator: Any, state: Floats, method: str, now: float) -> Floats:
    """Return the states (m, n + 2) at the output instants."""
    try:
        return np.array(integrator(x0=[*state, 0.0, 0.0])["xf"]).T
    except RuntimeError as error:
        last = str(error).strip().splitlines()[-1]
        raise SolverFailure(f"CasADi ({method}) gave up after t = {now:.9g} s: {last}") from None


SOLVER = EventDrivenLibrary(
    name="casadi",
    distribution="casadi",
    schemes=("erk", "rosenbrock"),
    integrator=lambda controls, _problem: Casadi(controls.scheme, controls),
    capabilities=MODES | {FORWARD},
)
