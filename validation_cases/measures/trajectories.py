"""What cases read in the trajectory of an initial value problem.

An expression is text in the names of the problem. It is read at samples and between them, on polynomials through
samples of one smooth part: none reaches across an event. An instant is a number as text, or an event: name and number,
counted from 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from veridyn.problem.generated import over
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change
from veridyn.references.parameters import ParameterError
from veridyn.solver.contract.errors import MissingHistory, SolverFailure
from veridyn.solver.contract.responses import Trajectory
from veridyn.solver.postprocessing.interpolation import resampled
from veridyn.validation_cases.judgement.case import (
    Floats,
    Observation,
)
from veridyn.validation_cases.measures.curves import top

Instant = str | tuple[str, int]

MOST_OUTPUTS = 2_000_000  # of a problem; a default has some thousand
SAMPLES = 6  # of one smooth part, for a value between them
RESOLVED = 1e-4  # of the span: intervals between events that a limit is read from are longer
HALVINGS = 60  # of the interval between two samples, for a root


def evenly(end: float, intervals: float, *, start: float = 0.0) -> Floats:
    """Return instants (s) from a start to an end, evenly spread, with so many intervals, rounded up.

    Raises `ParameterError` if there are more than `MOST_OUTPUTS`: fast motions over a long time fill the memory.
    """
    if not intervals <= MOST_OUTPUTS:
        raise ParameterError(
            f"these parameters ask for {intervals:.3g} output instants, at most {MOST_OUTPUTS} are: "
            "shorten the motion or make it slower"
        )
    return np.linspace(start, end, math.ceil(intervals) + 1)


@dataclass(frozen=True, eq=False)
class SmoothPart:
    """A smooth part of a trajectory: instants (k,) and values (k,) of an expression, from one event up to the next."""

    times: Floats
    values: Floats

    def at(self, time: float) -> float:
        """Return the value at an instant (s): a sample, or the polynomial through the nearest ones (Neville).

        It raises `SolverFailure` where there are none.
        """
        exact = np.flatnonzero(self.times == time)
        if exact.size:
            return float(self.values[exact[0]])
        nearest = np.sort(np.argsort(np.abs(self.times - time))[:SAMPLES])
        if nearest.size < 2:
            raise SolverFailure(f"there is no sample between two events about t = {time:g} s")
        times, column = self.times[nearest], self.values[nearest]
        for k in range(1, times.size):
            left, right = times[:-k], times[k:]
            column = ((time - left) * column[1:] - (time - right) * column[:-1]) / (right - left)
        return float(column[0])

    def on(self, times: Floats) -> Floats:
        """Return the values (k,) at instants (k,) on cubics; a single sample stands for all of them."""
        return resampled(self.times, self.values, times) if self.times.size > 1 else np.full(times.size, self.values[0])

    def roots(self, direction: int) -> Iterator[float]:
        """Yield the instants (s) at which the values pass zero: falling (-1), rising (1) or either way (0)."""
        sides = np.sign(self.values)
        for i in np.flatnonzero((sides[1:] != sides[:-1]) & (sides[:-1] != 0)):
            if direction in (0, -sides[i]):
                yield self._root(float(self.times[i]), float(self.times[i + 1]), float(sides[i]))

    def _root(self, begin: float, end: float, side: float) -> float:
        for _ in range(HALVINGS):
            middle = 0.5 * (begin + end)
            if not begin < middle < end:
                break
            begin, end = (middle, end) if self.at(middle) * side > 0 else (begin, middle)
        return end

    def between(self, begin: float, end: float) -> SmoothPart:
        """Return the part within a window, its ends included."""
        begin, end = max(begin, float(self.times[0])), min(end, float(self.times[-1]))
        inner = (self.times > begin) & (self.times < end)
        times = np.array([begin, *self.times[inner], end])
        return SmoothPart(times, np.array([self.at(begin), *self.values[inner], self.at(end)]))


def parts(o: Observation, expression: Any) -> Iterator[SmoothPart]:
    """Yield the smooth parts of an expression; their ends are the instants of all events that are reported."""
    r, edges = o.response, o.response.instants
    read = over(o.problem, (o.problem.expression(expression),))
    for begin, end in zip([-math.inf, *edges], [*edges, math.inf], strict=True):
        inside = (r.time >= begin) & (r.time < end)
        if not inside.any():
            continue
        times, states = r.time[inside], r.states[inside]
        before = _before(o, end)
        if before is not None:
            times, states = np.append(times, end), np.vstack((states, before))
        yield SmoothPart(times, read(times, states)[:, 0])


def on_grid(problem: InitialValueProblem, response: Trajectory, grid: Floats) -> Floats:
    """Return the unknowns (k, n) at increasing instants (k,) s: on cubics that reach across no event."""
    result = np.empty((grid.size, problem.size))
    for i, name in enumerate(problem.unknowns):
        for part in parts(Observation({}, problem, response), name):
            inside = grid >= part.times[0]  # the last part that begins before an instant holds it
            result[inside, i] = part.on(grid[inside])
    return result


def _before(o: Observation, instant: float) -> Floats | None:
    """Return the state just before an event, if it is reported or nothing jumps there."""
    r = o.response
    for name, result in r.events.items():
        place = np.flatnonzero(result == instant)
        if place.size and name in r.before:
            return np.asarray(r.before[name][place[0]])
        if place.size and not any(change.reset for change in _changes(o.problem, name)):
            return np.asarray(r.states[np.flatnonzero(r.time == instant)[0]])
    return None


def _changes(problem: InitialValueProblem, event: str) -> list[Change]:
    return [change for mode in problem.modes for change in mode.events if change.name == event]


# ---- readings


def instants(o: Observation, event: str) -> Floats:
    """Return the instants (k,) of the events of a name; of a marker also from the samples.

    Raises
    ------
    MissingHistory
        If the solver does not report what changes the motion.
    """
    if event in o.response.events:
        return np.asarray(o.response.events[event])
    changes = _changes(o.problem, event)
    if not all(change.is_marker for change in changes):
        raise MissingHistory(f"the solver reports no instants of {event}")
    guard, direction = changes[0].guard, changes[0].direction
    return np.array([root for part in parts(o, guard) for root in part.roots(direction)], dtype=float)


def event_instant(o: Observation, event: str, number: int = 1) -> float:
    """Return the instant of an event (s), counted from 1; raises `SolverFailure` if there are fewer."""
    result = instants(o, event)
    if result.size < number:
        raise SolverFailure(f"{result.size} instants of {event}, not {number}")
    return float(result[number - 1])


def event_count(o: Observation, event: str, until: Instant) -> float:
    """Return how often an event happens up to an instant."""
    return float(np.count_nonzero(instants(o, event) <= instant(o, until)))


def event_limit(o: Observation, event: str) -> float:
    """Return the instant (s) at which events accumulate, from the last three that the span resolves (Aitken).

    It raises `SolverFailure` if they do not accumulate.
    """
    result = instants(o, event)
    apart = np.diff(result)
    coarse = np.flatnonzero(apart > RESOLVED * (o.problem.end - o.problem.start))
    if coarse.size < 2 or coarse[-1] + 2 >= result.size:
        raise SolverFailure(f"the instants of {event} do not accumulate")
    last, ratio = coarse[-1], apart[coarse[-1]] / apart[coarse[-1] - 1]
    return float(result[last + 1] + apart[last] * ratio / (1.0 - ratio))


def instant(o: Observation, at: Instant) -> float:
    """Return an instant (s)."""
    return event_instant(o, *at) if isinstance(at, tuple) else float(o.problem.number(at))


def value_at(o: Observation, expression: Any, at: Instant, before: bool = False) -> float:
    """Return an expression at an instant; at an event just after it, or just ``before``.

    It raises `MissingHistory` if the solver reports no states before events: the part that begins there has that after.
    """
    time = instant(o, at)
    result = [part for part in parts(o, expression) if part.times[0] <= time <= part.times[-1]]
    if before and not any(part.times[0] < time for part in result):
        raise MissingHistory(f"the solver reports no states before t = {time:.9g} s")
    if not result:  # between the last sample before an event and the event
        result = [part for part in parts(o, expression) if part.times[0] <= time]
    return result[0 if before else -1].at(time)


def values_after(o: Observation, event: str, expression: Any) -> Floats:
    """Return an expression (k,) just after every event of a name."""
    places = np.searchsorted(o.response.time, instants(o, event))
    read = over(o.problem, (o.problem.expression(expression),))
    return read(o.response.time[places], o.response.states[places])[:, 0]


def largest(o: Observation, expression: Any, after: Instant | None = None, until: Instant | None = None) -> float:
    """Return the largest value of an expression between two instants."""
    begin = o.problem.start if after is None else instant(o, after)
    end = o.problem.end if until is None else instant(o, until)
    inside = [part.between(begin, end) for part in parts(o, expression) if _meets(part, begin, end)]
    return max(top(part.times, part.values) for part in inside)


def _meets(part: SmoothPart, begin: float, end: float) -> bool:
    return bool(part.times.size > 1 and max(begin, part.times[0]) < min(end, part.times[-1]))


def smallest(o: Observation, expression: Any, after: Instant | None = None, until: Instant | None = None) -> float:
    """Return the smallest value of an expression between two instants."""
    return -largest(o, -o.problem.expression(expression), after, until)
