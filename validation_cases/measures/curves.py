"""Numbers of a curve between its samples: slope, largest value, return to a level, root ahead of the samples."""

import math

import numpy as np
from numpy.polynomial import Polynomial

from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.interpolation import crossings
from veridyn.validation_cases.judgement.case import Floats

BESIDE = 3  # samples on either side of a largest one, through which a polynomial goes
TOO_NEAR = 1e-3  # of the distance of samples: such neighbours would spoil a polynomial
STEPS = 20  # of Newton's method


def slope_at(time: Floats, history: Floats, t: float) -> float:
    """Return the slope at an instant, on the polynomial through three samples on either side."""
    i = int(np.clip(np.searchsorted(time, t), 3, time.size - 3))
    return float(Polynomial.fit(time[i - 3 : i + 3] - t, history[i - 3 : i + 3], 5).deriv()(0.0))


def largest(time: Floats, history: Floats) -> tuple[float, float]:
    """Return instant and value of the largest value, on the parabola through three samples.

    Raises
    ------
    SolverFailure
        If it is the first or the last one.
    """
    i = int(np.argmax(history))
    if not 0 < i < history.size - 1:
        raise SolverFailure("the motion does not turn")
    c, b, a = np.polynomial.polynomial.polyfit(time[i - 1 : i + 2] - time[i], history[i - 1 : i + 2], 2)
    return float(time[i] - b / (2 * a)), float(c - b**2 / (4 * a))


def top(time: Floats, history: Floats) -> float:
    """Return the largest value on the polynomial through three samples on either side; an end is a largest value, too.

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
    curve = Polynomial.fit(time[w][apart], history[w][apart], int(apart.sum()) - 1)
    turns = curve.deriv().roots()
    near = turns.real[(turns.imag == 0) & (turns.real > time[i - 1]) & (turns.real < time[i + 1])]
    return float(max(history[i], *curve(near))) if near.size else float(history[i])


def falls_to(time: Floats, history: Floats, level: float) -> float:
    """Return the instant at which a history is back at a level after its largest value.

    Raises
    ------
    SolverFailure
        If it does not come back.
    """
    turned = int(np.argmax(history))
    result = [t for t, side in crossings(time[turned:], history[turned:] - level) if side < 0]
    if not result:
        raise SolverFailure(f"the motion does not come back to {level:.6g} m")
    return result[0]


def root_ahead(time: Floats, history: Floats, samples: int) -> float | None:
    """Return where a history first exceeds zero, from samples before alone: those after it may feel an event.

    None if it does not.

    Raises
    ------
    SolverFailure
        If there are too few samples before, or if they lead to no root there.
    """
    if not (history > 0).any():
        return None
    after = int(np.argmax(history > 0))
    if after < samples:
        raise SolverFailure(f"the response shows {after} samples before the event, {samples} are needed")
    t = time[after - samples : after] - time[after - 1]
    p = Polynomial.fit(t, history[after - samples : after], samples - 1)
    lapse = 0.0
    with np.errstate(all="ignore"):  # samples that lead to no root are refused below
        for _ in range(STEPS):
            lapse -= p(lapse) / p.deriv()(lapse)
    if not 1e-6 * t[-2] <= lapse <= 2 * (time[after] - time[after - 1]):
        raise SolverFailure("the samples before the event do not lead to it")
    return float(time[after - 1] + lapse)
