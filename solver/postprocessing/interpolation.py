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


def value_at(
    time: Floats, history: Floats, t: float, samples: int = 4, cuts: Floats | None = None, *, jumps: bool = False
) -> float:
    """Return the history at t by the polynomial through the samples around it; exact on samples.

    Displacement alone is used: some schemes keep their velocity half a step away. Four samples suit motions with
    kinks, six a smooth one. The polynomial reaches over no cut, an instant among the samples at which the history has
    a kink or ``jumps``: then its sample there is the value that begins, and the leg before does without.
    """
    near = int(np.argmin(np.abs(time - t)))
    spacing = time[min(near + 1, time.size - 1)] - time[max(near - 1, 0)]
    if abs(time[near] - t) <= 1e-9 * spacing:
        return float(history[near])
    before = int(np.searchsorted(time, t, side="right")) - 1
    edges = [0, *np.searchsorted(time, [] if cuts is None else cuts).tolist(), time.size]
    begins = max(edge for edge in edges if edge <= before)
    ends = min(edge for edge in edges if edge > before)
    leg = slice(begins, ends if jumps else ends + 1)
    w = _window(time[leg], t, samples)
    return lagrange(time[leg][w], history[leg][w], t)


TOO_NEAR = 1e-3  # of the distance of samples: such neighbours would spoil a cubic


def resampled(time: Floats, history: Floats, times: Floats, cuts: Floats | None = None) -> Floats:
    """Return a history (m, …) at other instants (k,), on the cubic through the four samples around each.

    No cubic reaches over a cut, an instant among the samples at which an acceleration may jump; where fewer than four
    samples lie between two cuts, or two of them nearly meet, the history is a straight line from sample to sample.
    """
    last = time.size - 1
    before = np.clip(np.searchsorted(time, times, side="right") - 1, 0, last - 1)
    edges = np.unique([0, last, *np.searchsorted(time, [] if cuts is None else cuts).clip(0, last)])
    leg = np.searchsorted(edges, before, side="right")
    first = np.clip(before - 1, edges[leg - 1], np.maximum(edges[leg] - 3, edges[leg - 1]))
    places = np.minimum(first[:, None] + np.arange(4), last)
    apart = np.diff(time[places], axis=1)
    cubic = (edges[leg] - edges[leg - 1] >= 3) & (apart.min(axis=1) > TOO_NEAR * apart.max(axis=1))
    share = (times - time[before]) / (time[before + 1] - time[before])
    weights = np.zeros((times.size, 4))
    rows, at = np.arange(times.size), before - first
    weights[rows, np.minimum(at, 3)], weights[rows, np.minimum(at + 1, 3)] = 1 - share, share
    weights[cubic] = _cubic_weights(time[places[cubic]], times[cubic])
    return np.asarray(np.einsum("ka,ka...->k...", weights, history[places]))


def _cubic_weights(nodes: Floats, times: Floats) -> Floats:
    """Return the weights (k, 4) of the values at four nodes (k, 4) in the cubic through them at an instant each."""
    weights = np.ones_like(nodes)
    for own in range(4):
        for other in range(4):
            if own != other:
                weights[:, own] *= (times - nodes[:, other]) / (nodes[:, own] - nodes[:, other])
    return weights


def turning_points(times: ArrayLike, values: ArrayLike) -> tuple[Floats, Floats]:
    """Return instants and values (k,) where a smooth curve turns, by a spline of degree 7: eight samples at least."""
    from scipy.interpolate import PPoly, make_interp_spline  # late: listing cases must not wait for it

    spline = make_interp_spline(times, values, k=7)
    turning = PPoly.from_spline(spline.derivative()).roots(extrapolate=False)
    return turning, spline(turning)


NEAR, EPS, HALVINGS = 1e-15, float(np.finfo(float).eps), 100  # s, and of an instant: where the search of a root ends


def _root(nodes: list[float], values: list[float], i: int) -> float:
    """Return where the polynomial through a few nodes vanishes between the i-th and the next; their signs differ.

    Newton's form, and false position that halves the value at an end which stays (Illinois; Dowell and Jarratt 1971).
    """
    a, b, of_a, of_b = nodes[i], nodes[i + 1], values[i], values[i + 1]
    c = values.copy()  # divided differences
    for k in range(1, len(c)):
        for j in range(len(c) - 1, k - 1, -1):
            c[j] = (c[j] - c[j - 1]) / (nodes[j] - nodes[j - k])
    for _ in range(HALVINGS):
        if not of_b:
            break
        t, of_t = b - of_b * (b - a) / (of_b - of_a), 0.0
        for node, difference in zip(reversed(nodes), reversed(c), strict=True):
            of_t = of_t * (t - node) + difference
        a, of_a = (b, of_b) if (of_t > 0) != (of_b > 0) else (a, of_a / 2)
        step, b, of_b = t - b, t, of_t
        if abs(step) <= NEAR + 4 * EPS * abs(b):
            break
    return b


def slopes(nodes: Floats, values: Floats) -> Floats:
    """Return the slopes (m,) at the nodes of a cubic spline whose third derivative jumps nowhere beside the ends.

    (Not-a-knot; de Boor 1978, chapter IV.) Through two or three nodes it is a line or a parabola.
    """
    if nodes.size < 4:
        return np.asarray(np.gradient(values, nodes, edge_order=2 if nodes.size == 3 else 1))
    h = np.diff(nodes)
    d = np.diff(values) / h
    first, last = h[0] + h[1], h[-1] + h[-2]
    right = np.empty_like(nodes)
    right[0] = ((h[0] + 2 * first) * h[1] * d[0] + h[0] ** 2 * d[1]) / first
    right[1:-1] = 3 * (h[1:] * d[:-1] + h[:-1] * d[1:])
    right[-1] = ((h[-1] + 2 * last) * h[-2] * d[-1] + h[-1] ** 2 * d[-2]) / last
    middle = np.concatenate(([h[1]], 2 * (h[1:] + h[:-1]), [h[-2]]))
    return _tridiagonal(
        [*h[1:].tolist(), float(last)], middle.tolist(), [float(first), *h[:-1].tolist()], right.tolist()
    )


def _tridiagonal(below: list[float], middle: list[float], above: list[float], right: list[float]) -> Floats:
    """Solve linear equations that couple neighbours; lists, since most contacts have few samples."""
    for i, low in enumerate(below):
        share = low / middle[i]
        middle[i + 1] -= share * above[i]
        right[i + 1] -= share * right[i]
    right[-1] /= middle[-1]
    for i in reversed(range(len(below))):
        right[i] = (right[i] - above[i] * right[i + 1]) / middle[i]
    return np.array(right)


def crossings(time: Floats, history: Floats) -> list[tuple[float, int]]:
    """Return (instant, direction ±1) of every sign change, located on the local cubic.

    A history that starts at zero crosses at its first instant, towards the side of its second sample.
    """
    side = np.where(history > 0, 1, -1)
    result: list[tuple[float, int]] = []
    if history[0] == 0:
        result.append((float(time[0]), int(side[1])))
        side[0] = side[1]
    for i in np.flatnonzero(side[1:] != side[:-1]):
        w = _window(time, 0.5 * (time[i] + time[i + 1]))
        nodes, values = time[w], history[w]
        if history[i + 1] == 0:
            root = time[i + 1]
        elif history[i] == 0:
            root = time[i]
        else:
            root = _root(nodes.tolist(), values.tolist(), int(i) - w.start)
        result.append((float(root), int(side[i + 1])))
    return result
