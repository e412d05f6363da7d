"""What cases read in the trajectory of an initial value problem: events, states at instants and between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import MissingHistory, SolverFailure
from veridyn.validation_cases.core.case import Observation

Floats = NDArray[np.float64]

SAMPLES = 6  # of one smooth part, for a value between them
RESOLVED = 1e-4  # of the span: intervals between events that a limit is read from are longer


def instants(o: Observation, event: str) -> Floats:
    """Return the instants (k,) of the events of a name.

    Raises
    ------
    MissingHistory
        If the solver does not report them.
    """
    if event not in o.response.events:
        raise MissingHistory(f"the solver reports no instants of {event}")
    return np.asarray(o.response.events[event])


def event_instant(o: Observation, event: str, number: int) -> float:
    """Return the instant of an event (s), counted from 1."""
    found = instants(o, event)
    if found.size < number:
        raise SolverFailure(f"{found.size} instants of {event}, not {number}")
    return float(found[number - 1])


def event_count(o: Observation, event: str, until: float) -> float:
    """Return how often an event happens up to an instant (s)."""
    return float(np.count_nonzero(instants(o, event) <= until))


def event_limit(o: Observation, event: str) -> float:
    """Return the instant (s) at which events accumulate, from the last three that the span resolves (Aitken)."""
    found = instants(o, event)
    apart = np.diff(found)
    coarse = np.flatnonzero(apart > RESOLVED * (o.problem.end - o.problem.start))
    if coarse.size < 2 or coarse[-1] + 2 >= found.size:
        raise SolverFailure(f"the instants of {event} do not accumulate")
    last, ratio = coarse[-1], apart[coarse[-1]] / apart[coarse[-1] - 1]
    return float(found[last + 1] + apart[last] * ratio / (1.0 - ratio))


def state_at(o: Observation, name: str, time: float) -> float:
    """Return an unknown at an instant (s): a sample, or a polynomial through samples of the same smooth part."""
    r, column = o.response, o.problem.unknowns.index(name)
    times, values = _smooth_part(o, column, time)
    exact = np.flatnonzero(times == time)
    if exact.size:
        return float(values[exact[0]])
    nearest = np.sort(np.argsort(np.abs(times - time))[:SAMPLES])
    if nearest.size < 2:
        raise SolverFailure(f"one sample between events about t = {time:g} s, of {r.time.size}")
    return _through(times[nearest], values[nearest], time)


def state_after(o: Observation, event: str, number: int, name: str) -> float:
    """Return an unknown just after an event, counted from 1."""
    event_instant(o, event, number)
    return float(states_after(o, event, name)[number - 1])


def states_after(o: Observation, event: str, name: str) -> Floats:
    """Return an unknown (k,) just after every event of a name."""
    places = np.searchsorted(o.response.time, instants(o, event))
    return np.asarray(o.response.states[places, o.problem.unknowns.index(name)])


def state_before(o: Observation, event: str, number: int, name: str) -> float:
    """Return an unknown just before an event, counted from 1."""
    at = event_instant(o, event, number)
    if event in o.response.before:
        return float(o.response.before[event][number - 1, o.problem.unknowns.index(name)])
    raise MissingHistory(f"the solver reports no states before {event} at t = {at:.9g} s")


def _smooth_part(o: Observation, column: int, time: float) -> tuple[Floats, Floats]:
    """Return instants and values of an unknown from the last event before an instant to the first one after it."""
    r = o.response
    edges = np.unique(np.concatenate([np.empty(0), *r.events.values()]))
    begin = edges[edges <= time].max(initial=-np.inf)
    end = edges[edges > time].min(initial=np.inf)
    inside = (r.time >= begin) & (r.time < end)
    times, values = r.time[inside], r.states[inside, column]
    for name, found in r.events.items():
        if name in r.before and end in found:
            before = r.before[name][int(np.flatnonzero(found == end)[0]), column]
            return np.append(times, end), np.append(values, before)
    return times, values


def _through(times: Floats, values: Floats, at: float) -> float:
    """Return the polynomial through samples at an instant (Neville)."""
    column = values.copy()
    for k in range(1, times.size):
        left, right = times[:-k], times[k:]
        column = ((at - left) * column[1:] - (at - right) * column[:-1]) / (right - left)
    return float(column[0])
