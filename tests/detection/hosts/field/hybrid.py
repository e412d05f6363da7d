"""Solvers of hybrid initial value problems that go from step to step and look for events inside each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK45
from scipy.optimize import minimize_scalar

from veridyn.problem.generated import functions

Floats = np.ndarray[Any, np.dtype[np.float64]]
Rate = Callable[[float, Floats], Floats]

BISECTIONS = 60
LAST_BITS = 4  # of an instant: events that are nearer to each other happen at once
SOON = 1e-6  # of a step
CLOSELY = np.linspace(0.0, 1.0, 17)
AT_ENDS = np.array([0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Step:
    """A step with its dense output: the state at t is ``state + size * slope((t - start) / size)``."""

    start: float
    end: float
    size: float
    state: Floats
    slope: Callable[[float], Floats]

    def at(self, t: float) -> Floats:
        """Return the state (n,) at an instant."""
        return self.state + self.size * self.slope((t - self.start) / self.size)


# ---- steps


def adaptive(method: Any, rate: Rate, t: float, y: Floats, end: float, settings: Mapping[str, Any]) -> Iterator[Step]:
    """Yield the steps of a method of SciPy under its error control."""
    stepper = method(rate, t, y, end, rtol=settings["rtol"], atol=settings["atol"])
    while stepper.status == "running":
        message = stepper.step()
        if message:
            raise ArithmeticError(message)
        yield _step(stepper)


def _step(stepper: Any) -> Step:
    start, size, dense = stepper.t_old, stepper.t - stepper.t_old, stepper.dense_output()
    return Step(start, stepper.t, size, dense.y_old, lambda share: (dense(start + share * size) - dense.y_old) / size)


def regular(rate: Rate, t: float, y: Floats, end: float, settings: Mapping[str, Any]) -> Iterator[Step]:
    """Yield steps of one size of the classical method of order 4, on the grid that begins at zero."""
    size = settings["step"]
    while t < end:
        after = min(end, (math.floor(t / size + 1e-9) + 1) * size)
        yield Step(t, after, after - t, y, lambda share, t=t, y=y, h=after - t: _slope(rate, t, y, h, share))
        t, y = after, y + (after - t) * _slope(rate, t, y, after - t, 1.0)


def _slope(rate: Rate, t: float, y: Floats, step: float, share: float) -> Floats:
    """Return the way from y over a share of a step, divided by the step."""
    h = share * step
    k1 = rate(t, y)
    k2 = rate(t + h / 2, y + h / 2 * k1)
    k3 = rate(t + h / 2, y + h / 2 * k2)
    k4 = rate(t + h, y + h * k3)
    return share / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


# ---- events


def cut(step: Step, t: float) -> Step:
    """Return the part of a step up to an instant, with the dense output of the whole."""
    return replace(step, end=t)


def cut_as_a_whole(step: Step, t: float) -> Step:
    """Return the part of a step up to an instant, as if the slopes of the whole step were those of this part."""
    return replace(step, end=t, size=t - step.start)


def root(guard: Callable[[float], float], early: float, late: float, end: float, bisections: int = BISECTIONS) -> float:
    """Return the instant after which a guard is negative that is not at the early instant."""
    for _ in range(bisections):
        middle = (early + late) / 2
        early, late = (middle, late) if guard(middle) >= 0 else (early, middle)
    return late


def end_of_step(guard: Callable[[float], float], early: float, late: float, end: float) -> float:
    """Return the end of the step."""
    return end


Hits = list[tuple[float, int]]  # instants (s) and numbers of events


def at_the_earliest(hits: Hits) -> Hits:
    """Return the events at the first instant, in the order of the list."""
    first = min(hits)[0]
    return [(first, index) for t, index in hits if t <= first + LAST_BITS * math.ulp(first)]


def sides(direction: int) -> tuple[int, ...]:
    """Return the signs with which a guard is watched for a fall."""
    return (-direction,) if direction else (1, -1)


@dataclass
class Log:
    """What is answered."""

    outputs: Floats
    rows: list[tuple[float, Floats, str]]
    events: dict[str, list[float]] = field(default_factory=dict)
    before: dict[str, list[Floats]] = field(default_factory=dict)
    steps: int = 0

    def write(self, step: Step, mode: str) -> None:
        """Write the states at the outputs of a step that are not written yet."""
        ahead = self.outputs[(self.outputs > self.rows[-1][0]) & (self.outputs <= step.end)]
        self.rows += [(float(t), step.at(t), mode) for t in ahead]

    def note(self, name: str, t: float, before: Floats, after: Floats, mode: str) -> None:
        """Note an event, and write what begins there."""
        self.events.setdefault(name, []).append(t)
        self.before.setdefault(name, []).append(before)
        if self.rows[-1][0] == t:
            self.rows.pop()
        self.rows.append((t, after, mode))

    def answer(self) -> Mapping[str, Any]:
        """Return the answer by name."""
        times, states, modes = zip(*self.rows, strict=True)
        return {
            "time": np.array(times),
            "states": np.array(states),
            "modes": modes,
            "events": {name: np.array(at) for name, at in self.events.items()},
            "before": {name: np.array(at) for name, at in self.before.items()},
            "counters": {"steps": self.steps},
        }


@dataclass(frozen=True)
class Hybrid:
    """A solver that looks for events in every step at some shares of it, and for dips of guards between them.

    ``choose`` picks those events of a step that happen, ``sides`` the signs with which a guard of a direction is
    watched, ``seen`` the states that guards read. No guard is looked at for ``blind`` of a step after an event, nor for
    ``asleep`` seconds after a start.
    """

    name: str
    steps: Callable[..., Iterator[Step]]
    settings: Mapping[str, str]
    default: Mapping[str, Any]
    refinement: Any
    claims: Mapping[str, Any] = field(default_factory=dict)
    shares: Floats = field(default_factory=lambda: CLOSELY)
    dips: bool = True
    locate: Callable[..., float] = root
    cut: Callable[[Step, float], Step] = cut
    choose: Callable[[Hits], Hits] = at_the_earliest
    sides: Callable[[int], tuple[int, ...]] = sides
    seen: Callable[[Floats], Floats] = np.asarray
    blind: float = 0.0
    asleep: float = 0.0
    version = "1.0"
    capabilities = frozenset({"initial-value", "hybrid"})

    def defaults(self, problem: Any) -> Mapping[str, Any]:
        """Return settings by default; a step is a share of the span."""
        span = problem.end - problem.start
        return {name: value * span if name == "step" else value for name, value in self.default.items()}

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return states at the outputs and at the events."""
        settings = {**self.defaults(problem), **settings}
        times = np.linspace(problem.start, problem.end, 2001) if problem.output_times is None else problem.output_times
        t, y, mode = problem.start, problem.initial_state, problem.mode
        log = Log(times, [(t, y, mode)])
        looks = t + self.asleep
        while t < problem.end:
            t, y, mode, looks = self.advance(problem, settings, log, t, y, mode, looks)
        return log.answer()

    def advance(
        self, problem: Any, settings: Mapping[str, Any], log: Log, t: float, y: Floats, mode: str, looks: float
    ) -> tuple[float, Floats, str, float]:
        """Integrate until something changes; return instant, state, mode, and from when on guards are looked at.

        The instant is the end of the problem if nothing changes.
        """
        parts = functions(problem, mode)
        for step in self.steps(parts.rhs, t, y, problem.end, settings):
            log.steps += 1
            while hits := self.events(parts, step, max(t, looks)):
                t = hits[0][0]
                changes = [parts.mode.events[index] for _, index in hits]
                happens = any(not change.is_marker for change in changes)
                log.write(self.cut(step, t) if happens else replace(step, end=t), mode)
                y = step.at(t)
                for change in changes:
                    before = y
                    if not change.is_marker:
                        y, mode = parts.reset(change.name, t, before), change.mode or mode
                    log.note(change.name, t, before, y, mode)
                    if change.terminal:
                        return problem.end, y, mode, t
                if happens:
                    return t, y, mode, t + self.blind * (step.end - step.start)
            log.write(step, mode)
            t, y = step.end, step.at(step.end)
        return problem.end, y, mode, t

    def events(self, parts: Any, step: Step, begin: float) -> Hits:
        """Return instant and numbers of what happens first in a step after ``begin``; empty if nothing does."""
        if not parts.mode.events or begin >= step.end:
            return []
        times = begin + self.shares * (step.end - begin)
        rows = parts.guards_over(times, np.array([self.seen(step.at(t)) for t in times]))
        hits: Hits = []
        for index, change in enumerate(parts.mode.events):
            for sign in self.sides(change.direction):

                def guard(t: float, index: int = index, sign: int = sign) -> float:
                    return float(sign * parts.guards(t, self.seen(step.at(t)))[index])

                values = sign * rows[:, index]
                if values[0] == 0:  # which way it goes from here
                    values[0] = guard(begin + SOON * (step.end - begin))
                at, values = self.with_dips(guard, times, values)
                falls = np.flatnonzero((values[:-1] >= 0) & (values[1:] < 0))
                hits += [(self.locate(guard, at[i], at[i + 1], step.end), index) for i in falls[:1]]
        return self.choose(hits) if hits else []

    def with_dips(self, guard: Callable[[float], float], times: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Return the samples of a guard, and its negative minima between samples that are positive."""
        lowest = np.flatnonzero((values[1:-1] > 0) & (values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])) + 1
        for i in lowest[::-1] if self.dips else ():
            dip = minimize_scalar(guard, bounds=(times[i - 1], times[i + 1]), method="bounded", options={"xatol": 1e-9})
            if dip.fun < 0:
                at = i + (dip.x > times[i])
                times, values = np.insert(times, at, dip.x), np.insert(values, at, dip.fun)
        return times, values


ADAPTIVE = Hybrid(
    name="adaptive",
    steps=partial(adaptive, RK45),
    settings={"rtol": "relative tolerance; default 1e-9", "atol": "absolute tolerance; default 1e-11"},
    default={"rtol": 1e-9, "atol": 1e-11},
    refinement=[{"rtol": 10.0**-k, "atol": 10.0 ** -(k + 2)} for k in (5, 7, 9, 11)],
    claims={"tolerance": "rtol"},
)
LOCATING = replace(ADAPTIVE, name="locating", steps=partial(adaptive, DOP853))
COMMUNICATING = Hybrid(
    name="communicating",
    steps=regular,
    settings={"step": "communication step (s); default 1/4000 of the span"},
    default={"step": 1 / 4000},
    shares=np.linspace(0.0, 1.0, 5),
    refinement=lambda problem: [{"step": (problem.end - problem.start) / n} for n in (500, 1000, 2000, 4000)],
)
