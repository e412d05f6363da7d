"""Damped stop: what is measured in a response."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import crossings, lagrange
from veridyn.validation_cases.core.case import Observation, Values, once

Floats = NDArray[np.float64]

STOP = "stop"
BESIDE = 3  # samples on either side of a largest one, through which a polynomial goes
LAST = 6  # samples from which the end of the force is extrapolated
TOO_NEAR = 1e-3  # of the distance of samples: such neighbours would spoil a polynomial
NAMES = ("m", "k", "kc", "cc", "v0")


def given(values: Values) -> dict[str, Any]:
    """Return the parameters that the reference knows."""
    return {name: values[name] for name in NAMES}


def contact_frequency(values: Values) -> float:
    """Circular frequency of undamped contact (rad/s)."""
    m, k, kc = (float(values[name]) for name in ("m", "k", "kc"))
    return math.sqrt((k + kc) / m)


@once
def _crossings(o: Observation) -> list[tuple[float, int]]:
    return crossings(o.response.time, o.response.displacement[:, 0])


def passages(o: Observation, side: int) -> list[float]:
    """Return the instants (s) at which the mass passes the place of the stop, towards it (1) or away (-1)."""
    return [t for t, direction in _crossings(o) if direction == side]


def _passage(o: Observation, side: int, number: int) -> float:
    found = passages(o, side)
    if len(found) < number:
        raise SolverFailure(f"the response shows {len(found)} passages, {number} are needed")
    return found[number - 1]


def contacts(o: Observation) -> float:
    """Count the contacts."""
    return float(len(passages(o, 1)))


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
    """Return the last rebound over the one before.

    Raises
    ------
    SolverFailure
        If contacts are missing, or the mass does not rebound.
    """
    before = rebound(o, 4)
    if before <= 0:
        raise SolverFailure("the mass does not rebound from contact 4")
    return rebound(o, 5) / before


def force(o: Observation) -> Floats:
    """Return the reported force of the stop (m,) in N; raises `MissingHistory` if there is none."""
    return element_history(o.response, STOP, "normal_force", of="stop")


def peak_force(o: Observation, number: int) -> float:
    """Return the largest force of a contact, between the samples (N)."""
    time, push = o.response.time, force(o)
    touching = (time >= touch(o, number)) & (time <= opening(o, number)) & (push > 0)
    return _top(time[touching], push[touching])


def force_duration(o: Observation) -> float:
    """Return how long the stop pushes in the first contact (s): the polynomial through its last forces ends there.

    Raises
    ------
    SolverFailure
        If no force falls to zero.
    """
    from scipy.optimize import brentq  # late: listing cases must not wait for it

    pushes, time = force(o), o.response.time
    last = int(np.argmax(pushes[1:] <= 0.0))  # zero too if it never ends, or never begins
    w = slice(max(last - LAST + 1, 0), last + 1)
    end = 2 * time[last] - time[last - 1]
    if last == 0 or lagrange(time[w], pushes[w], end) > 0:
        raise SolverFailure("the response shows no force that falls to zero")
    return float(brentq(lambda t: lagrange(time[w], pushes[w], t), time[last], end, xtol=1e-15) - time[0])


def largest_pull(o: Observation) -> float:
    """Return the largest reported force with which the stop pulls (N)."""
    return float(max(0.0, -force(o).min()))


def _top(time: Floats, history: Floats) -> float:
    """Return the largest value, on the polynomial through samples on either side if it lies between them.

    Raises
    ------
    SolverFailure
        If there is no sample.
    """
    if not history.size:
        raise SolverFailure("there is no sample between two passages of the stop")
    i = int(np.argmax(history))
    w = slice(max(i - BESIDE, 0), i + BESIDE + 1)
    spread = np.diff(time[w], append=math.inf)
    apart = spread > TOO_NEAR * float(np.median(spread))  # an event may lie beside a sample
    if not 0 < i < history.size - 1 or not apart[min(i, BESIDE)]:
        return float(history[i])
    curve = np.polynomial.Polynomial.fit(time[w][apart], history[w][apart], int(apart.sum()) - 1)
    turns = curve.deriv().roots()
    near = turns.real[(turns.imag == 0) & (turns.real > time[i - 1]) & (turns.real < time[i + 1])]
    return float(max(history[i], *curve(near))) if near.size else float(history[i])
