"""Impacts of a stop, located between samples or at the events that a solver reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from veridyn.solver.postprocessing.interpolation import Floats, crossings, slopes


@dataclass(frozen=True)
class Impact:
    """One impact: instants in s, force in N, impulse in N s, velocity in m/s (negative: approach)."""

    start: float
    end: float
    peak_time: float
    peak_force: float
    impulse: float
    velocity: float

    @property
    def duration(self) -> float:
        """Duration of the contact (s)."""
        return self.end - self.start


def interpolated_impacts(time: Floats, gap: Floats, stiffness: float) -> list[Impact]:
    """Return the impacts on an undamped elastic stop from the gap history, located between the samples.

    Contact instants are roots of the gap on local cubics; force, impulse and velocity come from a cubic
    spline of the penetration with its ends at those roots. Converges with the order of the displacement.
    A contact still open at the end is not counted.
    """
    impacts = []
    opened: float | None = None
    if gap[0] < 0:
        opened = float(time[0])
    for instant, side in crossings(time, gap):
        if side < 0:
            opened = instant
        elif opened is not None and instant > opened:  # a mere touch of zero is no impact
            impacts.append(_closed_impact(time, gap, stiffness, opened, instant))
            opened = None
    return impacts


def _closed_impact(time: Floats, gap: Floats, stiffness: float, start: float, end: float) -> Impact:
    # a node closer to the root than a thousandth of a step would spoil the spline
    margin = 1e-3 * float(np.diff(time[:2])[0])
    first = int(np.searchsorted(time, start + margin, side="right"))
    inner = slice(first, max(first, int(np.searchsorted(time, end - margin))))
    nodes = np.concatenate(([start], time[inner], [end]))
    force = np.concatenate(([0.0], -stiffness * gap[inner], [0.0]))
    rates, h = slopes(nodes, force), np.diff(nodes)
    impulse = h @ (force[1:] + force[:-1]) / 2 - h**2 @ np.diff(rates) / 12
    peak_force, peak_time = _peak(nodes, force, rates)
    return Impact(start, end, peak_time, peak_force, float(impulse), float(-rates[0] / stiffness))


def _peak(nodes: Floats, force: Floats, rates: Floats) -> tuple[float, float]:
    """Return the largest force of a cubic spline and its instant, beside the largest node; without one the middle."""
    i = int(np.argmax(force))
    result = [(float(force[i]), float(nodes[i] if i else 0.5 * (nodes[0] + nodes[-1])))]
    for j in range(max(i - 1, 0), min(i + 1, nodes.size - 1)):
        h, rise = float(nodes[j + 1] - nodes[j]), float(force[j + 1] - force[j])
        rate, last = float(rates[j]), float(rates[j + 1])
        c, d = (3 * rise / h - 2 * rate - last) / h, (rate + last - 2 * rise / h) / h**2
        root = math.sqrt(max(c * c - 3 * d * rate, 0.0)) - c
        u = rate / root if root else -1.0
        if 0 <= u <= h:
            result.append((float(force[j]) + u * (rate + u * (c + u * d)), float(nodes[j]) + u))
    return max(result)


def _turns_beside(curve: Any, nodes: Floats, i: int) -> Floats:
    """Return where a piecewise polynomial turns between the neighbours of a node; to find all turns costs much."""
    from scipy.interpolate import PPoly  # late: listing cases must not wait for it

    first = np.searchsorted(curve.x, nodes[max(i - 1, 0)], side="right") - 1
    last = np.searchsorted(curve.x, nodes[min(i + 1, nodes.size - 1)])
    near = PPoly(curve.c[:, first:last], curve.x[first : last + 1])
    return np.asarray(near.derivative().roots(extrapolate=False))


def located_impacts(time: Floats, gap: Floats, rate: Floats, events: Floats, stiffness: float) -> list[Impact]:
    """Return the impacts on an undamped elastic stop between the events that a solver reports.

    Between two events the penetration is smooth, so that a spline of degree 7 through its samples reads what the
    solver computed; the velocity is the ``rate`` of the gap (m,) at the event itself. A contact still open at the
    end is not counted.
    """
    edges = np.searchsorted(time, np.union1d(time[:1], events))  # the contact may begin at the start
    return [
        _between(time[a : b + 1], -stiffness * gap[a : b + 1], float(rate[a]))
        for a, b in pairwise(edges.tolist())
        if b > a + 1 and gap[a + 1 : b].max() < 0
    ]


def _between(time: Floats, force: Floats, velocity: float) -> Impact:
    """Return what a spline of the force says of one contact; its largest value lies beside the largest sample."""
    from scipy.interpolate import PPoly, make_interp_spline  # late: listing cases must not wait for it

    curve = PPoly.from_spline(make_interp_spline(time, force, k=min(7, time.size - 1)))
    turning = _turns_beside(curve, time, int(np.argmax(force)))
    start, end = time[0], time[-1]
    peak = turning[np.argmax(curve(turning))] if turning.size else 0.5 * (start + end)
    result = (start, end, peak, curve(peak), curve.integrate(start, end), velocity)
    return Impact(*map(float, result))
