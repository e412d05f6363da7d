"""A plain solve of an initial value problem with events, by SciPy: for what the judgement computes itself.

It is no reference and judges nothing: it shows what a wrong derivative would be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from veridyn.problem.generated import Functions, accumulated, functions
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Trajectory, output_instants

TOLERANCES = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}
NEAR = 1e-7  # of the span: events that follow so soon have accumulated
MOST_EVENTS = 1000


@dataclass
class _Track:
    """What was followed so far."""

    times: list[float] = field(default_factory=list)
    states: list[Floats] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    events: dict[str, list[float]] = field(default_factory=dict)
    before: dict[str, list[Floats]] = field(default_factory=dict)

    def add(self, time: float, state: Floats, mode: str) -> None:
        if self.times and self.times[-1] == time:  # an event at an output, or two events at once: the last one holds
            self.states[-1], self.modes[-1] = state, mode
            return
        self.times.append(time)
        self.states.append(state)
        self.modes.append(mode)

    def finish(self) -> Trajectory:
        events = {name: np.array(instants) for name, instants in self.events.items()}
        before = {name: np.array(states) for name, states in self.before.items()}
        return Trajectory(np.array(self.times), np.array(self.states), events, before, tuple(self.modes))


def follow(problem: InitialValueProblem) -> Trajectory:
    """Return the motion of a problem, with its events and modes; raises `SolverFailure` if it does not end."""
    from scipy.integrate import solve_ivp  # late: listing checks must not wait for it

    outputs = output_instants(problem)
    track, mode, t, y = _Track(), problem.mode, problem.start, problem.initial_state
    track.add(t, y, mode)
    while t < problem.end:
        of = functions(problem, mode)
        watched = [_watch(of, place) for place in range(len(of.mode.events))]
        leg = solve_ivp(of.rhs, (t, problem.end), y, events=watched or None, dense_output=True, **TOLERANCES)
        if leg.status < 0:
            raise SolverFailure(f"{problem.name}: {leg.message}")
        last = float(leg.t[-1])
        for time in outputs[(outputs > t) & (outputs < last)]:
            track.add(float(time), leg.sol(time), mode)
        fired = next((i for i, instants in enumerate(leg.t_events or ()) if len(instants)), None)
        t, y = last, leg.y[:, -1]
        if fired is None:
            track.add(t, y, mode)
            break
        mode, y = _change(problem, of, fired, t, y, track)
        if of.mode.events[fired].terminal or sum(map(len, track.events.values())) > MOST_EVENTS:
            break
    return track.finish()


def _watch(of: Functions, place: int) -> Callable[[float, Floats], float]:
    """Return a guard as SciPy watches it; one that is exactly zero where a leg begins has not passed zero yet."""
    direction = of.mode.events[place].direction

    def guard(t: float, y: Floats) -> float:
        return float(of.guards(t, y)[place]) or -direction * np.finfo(float).tiny

    guard.terminal = True  # type: ignore[attr-defined]
    guard.direction = direction  # type: ignore[attr-defined]
    return guard


def _change(
    problem: InitialValueProblem, of: Functions, fired: int, t: float, y: Floats, track: _Track
) -> tuple[str, Floats]:
    """Return mode and state after an event, and write it down."""
    change = of.mode.events[fired]
    instants = track.events.setdefault(change.name, [])
    limit = problem.accumulation
    soon = bool(instants) and t - instants[-1] < NEAR * (problem.end - problem.start)
    instants.append(t)
    track.before.setdefault(change.name, []).append(y)
    if limit is not None and limit.event == change.name and soon:
        mode, y = limit.mode, accumulated(problem, t, y)
    else:
        mode, y = change.mode or of.mode.name, of.reset(change.name, t, y)
    track.add(t, y, mode)
    return mode, y
