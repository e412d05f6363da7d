"""heyoka: Taylor series of high order with terminal events, compiled from symbolic equations.

The equations of every mode have the same form, so their coefficients are parameters: one compilation serves all
modes of a problem, and all problems of its shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import heyoka
import numpy as np

from veridyn.problem.devices import NonlinearDamper
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.answer import EventControls, EventDrivenLibrary
from veridyn.solver.event_driven.forcing import Forcing
from veridyn.solver.event_driven.legs import AffineLeg, Arrival, Leg, until

TIGHTEST = 2.0**-52  # heyoka's own default: machine precision
OUTPUTS_AT_ONCE = 1000  # an event leaves the rest of a grid unused
LARGE = 8  # degrees of freedom from which compact code compiles in bearable time


@dataclass(frozen=True)
class TaylorControls(EventControls):
    """heyoka has one tolerance, relative to the whole state."""

    rtol: float = number(TIGHTEST, "tolerance")


@dataclass(frozen=True)
class IntegratorShape:
    """What a compiled integrator depends on: counts, no numbers.

    ``waves`` are the channels of the harmonic functions, ``polynomials`` channel and number of coefficients.
    """

    size: int
    guards: int
    channels: int
    waves: tuple[int, ...]
    polynomials: tuple[tuple[int, int], ...]

    @classmethod
    def from_forcing(cls, forcing: Forcing, size: int, guards: int) -> IntegratorShape:
        """Return the shape of a problem with so many degrees of freedom and guards."""
        polynomials = tuple((p.channel, len(p.coefficients)) for p in forcing.polynomials)
        return cls(size, guards, forcing.channels, tuple(w.channel for w in forcing.waves), polynomials)


class _Parameters:
    """Hands out heyoka's runtime parameters in order."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> Any:
        self.count += 1
        return heyoka.par[self.count - 1]

    def sum(self, terms: list[Any]) -> Any:
        """Return a parameter plus every term times a parameter of its own."""
        return heyoka.sum([self.next(), *(self.next() * term for term in terms)])


def _drive(shape: IntegratorShape, parameters: _Parameters) -> list[Any]:
    """Return the channels as expressions of time."""
    u = [heyoka.expression(0.0) for _ in range(shape.channels)]
    for channel in shape.waves:
        amplitude, omega, phase = (parameters.next() for _ in range(3))
        u[channel] += amplitude * heyoka.sin(omega * heyoka.time + phase)
    for channel, width in shape.polynomials:
        tau, total = heyoka.time - parameters.next(), heyoka.expression(0.0)
        for _ in range(width):
            total = total * tau + parameters.next()
        u[channel] += total
    return u


@cache
def compiled(shape: IntegratorShape, tolerance: float) -> Any:
    """Return heyoka's integrator for a shape; the first call compiles it."""
    n = shape.size
    names = [f"x{i}" for i in range(n)] + [f"v{i}" for i in range(n)]
    state = [heyoka.expression(name) for name in names]
    parameters = _Parameters()
    known = state + _drive(shape, parameters)
    accelerations = [parameters.sum(known) for _ in range(n)]
    events = [
        # no cooldown: heyoka's own guess has overlooked the end of a slip; the driver disarms what starts at zero
        heyoka.t_event(parameters.sum(known), direction=heyoka.event_direction.negative, cooldown=0.0)
        for _ in range(shape.guards)
    ]
    return heyoka.taylor_adaptive(
        list(zip(state, state[n:] + accelerations, strict=True)),
        [0.0] * (2 * n),
        t_events=events,
        pars=[0.0] * parameters.count,
        tol=tolerance,
        compact_mode=n > LARGE,
    )


def _drive_numbers(forcing: Forcing) -> list[float]:
    waves = [number for w in forcing.waves for number in (w.amplitude, w.omega, w.phase)]
    pieces = [number for p in forcing.polynomials for number in (p.origin, *reversed(p.coefficients))]
    return waves + pieces


@dataclass(frozen=True)
class HeyokaIntegrator:
    """Integrator of legs by heyoka; ``guards`` is the largest number of guards that any mechanical mode has."""

    guards: int
    controls: TaylorControls
    sees_dips: bool = True

    def integrate(self, leg: Leg) -> Arrival:
        """Integrate a leg: first up to the arming of each guard that is not armed, then on; see `legs.Integrator`."""
        ta, numbers = self._prepared(leg)
        events = len(ta.t_events) if ta.with_events else 0
        ta.time = leg.start
        ta.state[:] = leg.state
        halts = {*leg.armed.tolist(), *leg.outputs[OUTPUTS_AT_ONCE::OUTPUTS_AT_ONCE].tolist()}
        stages = [*sorted(t for t in halts if leg.start < t < leg.end), leg.end]
        largest = min(self.controls.max_step, leg.largest_step)
        steps, outputs, parts, fired = 0, leg.outputs, [np.empty((0, leg.state.size))], None
        for end in stages:
            ta.pars[:] = numbers(float(ta.time))
            if events:  # heyoka refuses where there are none
                ta.reset_cooldowns()
            fired, taken, part = _propagate(ta, end, until(outputs, end), largest, events)
            steps += taken
            outputs = outputs[len(part) :]
            parts.append(part)
            if fired is not None:
                break
        return Arrival(float(ta.time), np.array(ta.state), fired, np.vstack(parts), {"steps": steps})

    def _prepared(self, leg: Leg) -> tuple[Any, Callable[[float], Floats]]:
        """Return the compiled integrator of a leg, and its parameters from an instant on (s)."""
        tolerance = max(self.controls.rtol, TIGHTEST)
        if isinstance(leg, AffineLeg):
            affine: AffineLeg = leg
            shape = IntegratorShape.from_forcing(affine.forcing, affine.state.size // 2, self.guards)
            return compiled(shape, tolerance), lambda now: self._numbers(affine, now)
        from veridyn.solver.adapters import heyoka_modes  # late: it takes SymPy

        return heyoka_modes.prepared(leg, tolerance)

    def _numbers(self, leg: AffineLeg, now: float) -> Floats:
        """Return the parameters of a mode; a guard that is not armed is the constant one."""
        n = leg.state.size // 2
        guards = np.zeros((self.guards, 1 + 2 * n + leg.forcing.channels))
        guards[:, 0] = 1.0
        armed = leg.armed[: leg.guards] <= now
        guards[: leg.guards][armed] = leg.flow.guards.rows[armed]
        drive = np.array(_drive_numbers(leg.forcing), dtype=float)
        return np.concatenate((drive, leg.flow.rate.rows[n:].ravel(), guards.ravel()))


def _propagate(ta: Any, end: float, outputs: Floats, largest: float, events: int) -> tuple[int | None, int, Floats]:
    """Return the event that ended a stage (None: its end), the steps, and the states at the outputs reached."""
    now = float(ta.time)
    grid = np.concatenate(([now], outputs[(outputs > now) & (outputs < end)], [end]))
    outcome, _, _, steps, _, states = ta.propagate_grid(grid, max_delta_t=largest)
    index, hit = int(outcome), -events <= int(outcome) < 0
    if outcome != heyoka.taylor_outcome.time_limit and not hit:
        raise SolverFailure(f"heyoka gave up at t = {ta.time:.9g} s: {outcome}")
    times = grid[: len(states)]
    if hit:  # an output at the very instant of the event may lie behind the last step
        times, states = np.append(times, ta.time), np.vstack((states, ta.state))
    reached = until(outputs, float(ta.time))
    return (-index - 1 if hit else None), steps, np.array(states[np.searchsorted(times, reached)])


def _taylor(controls: TaylorControls, problem: Problem) -> HeyokaIntegrator:
    if not isinstance(problem, MechanicalProblem):
        return HeyokaIntegrator(0, controls)
    bends = sum(len(device.breaks) for device in problem.devices if isinstance(device, NonlinearDamper))
    most = 4 if "absolute-frame" in problem.needs else 2  # of one element
    return HeyokaIntegrator(most * (len(problem.stops) + len(problem.frictions) + bends), controls)


SOLVER = EventDrivenLibrary(
    name="heyoka",
    distribution="heyoka",
    schemes=("Taylor",),
    integrator=_taylor,
    controls=TaylorControls,
    refinement=(*({"rtol": 10.0**-k} for k in (4, 7, 10, 13)), {"rtol": TIGHTEST}),
)
