"""Impacts of a stop, located between samples or at the events that a solver reports."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.postprocessing.interpolation import crossings

Floats = NDArray[np.float64]


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
    from scipy.interpolate import CubicSpline  # late: listing cases must not wait for it

    # a node closer to the root than a thousandth of a step would spoil the spline
    margin = 1e-3 * float(np.diff(time[:2])[0])
    first = int(np.searchsorted(time, start + margin, side="right"))
    inner = slice(first, max(first, int(np.searchsorted(time, end - margin))))
    nodes = np.concatenate(([start], time[inner], [end]))
    spline = CubicSpline(nodes, np.concatenate(([0.0], -stiffness * gap[inner], [0.0])))
    turning = spline.derivative().roots(extrapolate=False)
    return _impact(spline, turning, start, end, -spline(start, 1) / stiffness)


def _impact(spline: Any, turning: Floats, start: float, end: float, velocity: float) -> Impact:
    """Return what a spline of the force says, which turns at some instants."""
    peak = turning[np.argmax(spline(turning))] if turning.size else 0.5 * (start + end)
    return Impact(start, end, float(peak), float(spline(peak)), float(spline.integrate(start, end)), float(velocity))


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
    from scipy.interpolate import PPoly, make_interp_spline  # late: listing cases must not wait for it

    spline = make_interp_spline(time, force, k=min(7, time.size - 1))
    turning = PPoly.from_spline(spline.derivative()).roots(extrapolate=False)
    return _impact(spline, turning, float(time[0]), float(time[-1]), velocity)
