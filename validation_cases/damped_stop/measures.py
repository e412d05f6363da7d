"""Damped stop: what is measured in a response."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import CapabilityError, SolverFailure
from veridyn.solver.interpolation import crossings, lagrange
from veridyn.validation_cases.case import Observation

Floats = NDArray[np.float64]

STOP = "stop"


def passages(o: Observation, side: int) -> list[float]:
    """Return the instants (s) at which the mass passes the place of the stop, towards it (1) or away (-1)."""
    return [t for t, direction in crossings(o.response.time, o.response.displacement[:, 0]) if direction == side]


def _passage(o: Observation, side: int, number: int) -> float:
    found = passages(o, side)
    if len(found) < number:
        raise SolverFailure(f"the response shows {len(found)} passages, {number} are needed")
    return found[number - 1]


def touch(o: Observation, number: int) -> float:
    """Instant of a touch, counted from 1 (s)."""
    return _passage(o, 1, number)


def opening(o: Observation, number: int) -> float:
    """Instant at which the mass leaves the place of the stop after a contact, counted from 1 (s)."""
    return _passage(o, -1, number)


def rebound(o: Observation, number: int) -> float:
    """Return the largest distance from the stop after a contact, between the samples (m)."""
    flying = o.response.time > opening(o, number)
    if len(passages(o, 1)) > number:
        flying &= o.response.time < touch(o, number + 1)
    return _top(o.response.time[flying], -o.response.displacement[flying, 0])


def restitution(o: Observation) -> float:
    """Return the last rebound over the one before."""
    return rebound(o, 5) / rebound(o, 4)


def force(o: Observation) -> Floats:
    """Return the reported force of the stop (m,) in N.

    Raises
    ------
    CapabilityError
        If the solver reports none, which it may leave out.
    """
    reported = o.response.elements.get(STOP, {}).get("normal_force")
    if reported is None:
        raise CapabilityError(f"the solver reports no normal_force of stop {STOP!r}")
    return reported


def peak_force(o: Observation, number: int) -> float:
    """Return the largest force of a contact, between the samples (N)."""
    time = o.response.time
    touching = (time >= touch(o, number)) & (time <= opening(o, number))
    return _top(time[touching], force(o)[touching])


def force_duration(o: Observation) -> float:
    """Return how long the stop pushes in the first contact (s): the cubic through its last four forces ends there.

    Raises
    ------
    SolverFailure
        If no force falls to zero.
    """
    from scipy.optimize import brentq  # late: listing cases must not wait for it

    pushes, time = force(o), o.response.time
    last = int(np.argmax(pushes[1:] <= 0.0))  # zero too if it never ends, or never begins
    w = slice(max(last - 3, 0), last + 1)
    end = 2 * time[last] - time[last - 1]
    if last == 0 or lagrange(time[w], pushes[w], end) > 0:
        raise SolverFailure("the response shows no force that falls to zero")
    return float(brentq(lambda t: lagrange(time[w], pushes[w], t), time[last], end, xtol=1e-15) - time[0])


def largest_pull(o: Observation) -> float:
    """Return the largest reported force with which the stop pulls (N)."""
    return float(max(0.0, -force(o).min()))


def _top(time: Floats, history: Floats) -> float:
    """Return the largest value, on the parabola through three samples if it lies between them."""
    i = int(np.argmax(history))
    if not 0 < i < history.size - 1:
        return float(history[i])
    near = slice(i - 1, i + 2)
    a, b, c = np.polyfit(time[near] - time[i], history[near], 2)
    return float(c - b**2 / (4 * a)) if a else float(history[i])


def reader(read: str, number: int) -> partial[float]:
    """Return the measurement of that name for one contact."""
    return partial(
        {"touch": touch, "opening": opening, "rebound": rebound, "peak_force": peak_force}[read], number=number
    )
