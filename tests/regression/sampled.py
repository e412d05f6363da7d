"""Impacts and wear as Code_Aster's POST_DYNA_MODA_T reads them: of samples, not between them.

Windows follow from the mean step, durations are multiples of the step, blocks share no sample. Wear power is Archard's
``N |v|``: normal force times sliding speed, without the friction coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.postprocessing.impacts import Impact

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SampledImpact(Impact):
    """A global impact, made of elementary ones."""

    elementary: int = 1


def sampled_impacts(
    time: Floats, force: Floats, velocity: Floats, *, threshold: float = 0.0, rest: float = 0.0
) -> list[SampledImpact]:
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
            SampledImpact(
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


def sampled_wear_power(
    time: Floats,
    normal_force: Floats,
    sliding_velocity: Floats,
    stuck: Floats,
    *,
    start: float,
    end: float,
    blocks: int = 1,
    irregular: bool = False,
) -> float:
    """Return the wear power (W) as Code_Aster samples it.

    Consecutive blocks that share no sample; in each the trapezoid of ``|N v|`` over the intervals whose left
    end is not stuck, over the duration of the block; mean of the blocks. ``irregular``: the window is found
    by comparing times (adaptive schemes) instead of dividing by the mean step.

    Raises
    ------
    ValueError
        If the window holds fewer than two samples per block.
    """
    first, last = _irregular_window(time, start, end) if irregular else _regular_window(time, start, end)
    per_block = (last - first + 1) // blocks
    if per_block < 2:
        raise ValueError(f"[{start}, {end}] s holds {last - first + 1} samples, too few for {blocks} blocks")
    power = np.abs(normal_force * sliding_velocity)
    means = []
    for b in range(blocks):
        block = slice(first + b * per_block, first + (b + 1) * per_block)
        t, p, free = time[block], power[block], stuck[block][:-1] == 0
        energy = np.sum((0.5 * (p[1:] + p[:-1]) * np.diff(t))[free])
        means.append(energy / (t[-1] - t[0]))
    return float(np.mean(means))


def _regular_window(time: Floats, start: float, end: float) -> tuple[int, int]:
    n = time.size
    # Code_Aster takes the mean step over all intervals but the last two, and truncates
    step = (time[n - 3] - time[0]) / (n - 3)
    return max(int((start - time[0]) / step), 0), min(int((end - time[0]) / step) + 1, n) - 1


def _irregular_window(time: Floats, start: float, end: float) -> tuple[int, int]:
    last = time.size - 1 if end >= time[-1] else int(np.argmax(time >= end))
    return int(np.searchsorted(time, start)), last
