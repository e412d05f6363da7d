"""Impacts of a stop: as samples see them (POST_DYNA_MODA_T, OPTION='IMPACT') and as they converge."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.postprocessing.interpolation import crossings

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Impact:
    """One (global) impact: instants in s, force in N, impulse in N s, velocity in m/s (negative: approach)."""

    start: float
    end: float
    peak_time: float
    peak_force: float
    impulse: float
    velocity: float
    elementary: int = 1

    @property
    def duration(self) -> float:
        """Duration of the contact (s)."""
        return self.end - self.start


@dataclass(frozen=True)
class Statistics:
    """Statistics of the impacts of a record (GLOBAL and PROBA tables)."""

    count: int
    absolute_peak: float
    mean_peak: float
    deviation_peak: float
    bin_edges: tuple[float, ...]
    probabilities: tuple[float, ...]


def sampled_impacts(
    time: Floats, force: Floats, velocity: Floats, *, threshold: float = 0.0, rest: float = 0.0
) -> list[Impact]:
    """Return the impacts as samples see them.

    A sample is in contact if its force exceeds the threshold; an impact closes at the first sample out of
    contact that is followed by no contact during ``rest`` seconds. Impulse: trapezoidal weights. An impact
    still open at the end is not counted. Source: Code_Aster R5.06.03 and U4.84.02.
    """
    inside = np.abs(force) > threshold
    look_ahead = round(rest / (time[3] - time[2])) if time.size > 3 else 0
    weights = np.empty_like(time)
    weights[1:-1] = 0.5 * (time[2:] - time[:-2])
    weights[0], weights[-1] = 0.5 * (time[1] - time[0]), 0.5 * (time[-1] - time[-2])
    impacts = []
    for first, last in _groups(inside, look_ahead):
        touching = np.arange(first, last)[inside[first:last]]
        top = touching[force[touching] == force[touching].max()][-1]
        returns = int(np.count_nonzero(inside[first:last] & ~inside[first + 1 : last + 1]))
        impacts.append(
            Impact(
                start=float(time[first]),
                end=float(time[last]),
                peak_time=float(time[top]),
                peak_force=float(force[top]),
                impulse=float(force[touching] @ weights[touching]),
                velocity=float(velocity[first]),
                elementary=returns,
            )
        )
    return impacts


def _groups(inside: NDArray[np.bool_], look_ahead: int) -> list[tuple[int, int]]:
    """Return (first sample in, first sample out) of every closed global impact."""
    starts = np.flatnonzero(inside & ~np.concatenate(([False], inside[:-1])))
    ends = np.flatnonzero(~inside & np.concatenate(([False], inside[:-1])))
    groups: list[tuple[int, int]] = []
    opened: int | None = None
    for first, out in zip(starts, ends, strict=False):
        opened = int(first) if opened is None else opened
        if not inside[out : out + 1 + look_ahead].any():
            groups.append((opened, int(out)))
            opened = None
    return groups


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
    peak = turning[np.argmax(spline(turning))] if turning.size else 0.5 * (start + end)
    return Impact(
        start=start,
        end=end,
        peak_time=float(peak),
        peak_force=float(spline(peak)),
        impulse=float(spline.integrate(start, end)),
        velocity=float(-spline(start, 1) / stiffness),
    )


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
    peak = turning[np.argmax(spline(turning))] if turning.size else 0.5 * (time[0] + time[-1])
    return Impact(
        start=float(time[0]),
        end=float(time[-1]),
        peak_time=float(peak),
        peak_force=float(spline(peak)),
        impulse=float(spline.integrate(time[0], time[-1])),
        velocity=velocity,
    )


def statistics(impacts: list[Impact], force: Floats, *, bins: int = 10) -> Statistics:
    """Return count, extreme, mean and population deviation of the peak forces and their histogram.

    ``absolute_peak`` looks at the whole force history, impacts still open included.

    Raises
    ------
    ValueError
        If there is no impact.
    """
    if not impacts:
        raise ValueError("no impact in the record; statistics need at least one")
    peaks = np.array([impact.peak_force for impact in impacts])
    counts, edges = np.histogram(peaks, bins=bins, range=(float(peaks.min()), float(peaks.max())))
    return Statistics(
        count=len(impacts),
        absolute_peak=float(np.abs(force).max()),
        mean_peak=float(peaks.mean()),
        deviation_peak=float(peaks.std()),
        bin_edges=tuple(edges.tolist()),
        probabilities=tuple((counts / peaks.size).tolist()),
    )
