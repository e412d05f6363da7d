"""Local interpolation of histories: convergent instants and values between samples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def _window(time: Floats, t: float, count: int = 4) -> slice:
    """Return the samples around t (fewer if the history is shorter)."""
    right = int(np.searchsorted(time, t))
    first = min(max(right - count // 2, 0), max(time.size - count, 0))
    return slice(first, first + min(count, time.size))


def lagrange(nodes: Floats, values: Floats, t: float) -> float:
    """Evaluate the polynomial through a few nodes (Lagrange form)."""
    places = nodes.tolist()  # of a few numbers arrays cost ten times as much
    weights = [math.prod([(t - other) / (own - other) for other in places if other != own]) for own in places]
    return float(np.array(weights) @ values)


def value_at(time: Floats, history: Floats, t: float, samples: int = 4) -> float:
    """Return the history at t by the polynomial through the samples around it; exact on samples.

    Displacement alone is used: some schemes keep their velocity half a step away. Four samples suit motions with
    kinks, six a smooth one.
    """
    near = int(np.argmin(np.abs(time - t)))
    spacing = time[min(near + 1, time.size - 1)] - time[max(near - 1, 0)]
    if abs(time[near] - t) <= 1e-9 * spacing:
        return float(history[near])
    w = _window(time, t, samples)
    return lagrange(time[w], history[w], t)


def turning_points(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    """Return instants and values (k,) where a smooth curve turns, by a spline of degree 7: eight samples at least."""
    from scipy.interpolate import PPoly, make_interp_spline  # late: listing cases must not wait for it

    spline = make_interp_spline(times, values, k=7)
    turning = PPoly.from_spline(spline.derivative()).roots(extrapolate=False)
    return turning, spline(turning)


def crossings(time: Floats, history: Floats) -> list[tuple[float, int]]:
    """Return (instant, direction ±1) of every sign change, located on the local cubic.

    A history that starts at zero crosses at its first instant, towards the side of its second sample.
    """
    from scipy.optimize import brentq  # late: listing cases must not wait for it

    side = np.where(history > 0, 1, -1)
    found: list[tuple[float, int]] = []
    if history[0] == 0:
        found.append((float(time[0]), int(side[1])))
        side[0] = side[1]
    for i in np.flatnonzero(side[1:] != side[:-1]):
        w = _window(time, 0.5 * (time[i] + time[i + 1]))
        nodes, values = time[w], history[w]
        if history[i + 1] == 0:
            root = time[i + 1]
        elif history[i] == 0:
            root = time[i]
        else:
            root = brentq(lambda t, n=nodes, v=values: lagrange(n, v, t), time[i], time[i + 1], xtol=1e-15)
        found.append((float(root), int(side[i + 1])))
    return found
