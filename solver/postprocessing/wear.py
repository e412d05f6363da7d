"""Sliding distance and phases of a friction, from which wear follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridyn.solver.postprocessing.interpolation import Floats, value_at

SLIDING = 1e-6  # m/s: without an adherence flag, slower motion counts as stick
ROUNDING = 1e-15  # of the largest velocity: where a slip turns, what is so small has no sign


@dataclass(frozen=True)
class SlidingPhase:
    """A phase of motion: start and end in s, direction of sliding +1 or -1, or 0 for stick."""

    start: float
    end: float
    direction: int


def sliding_distance(
    time: Floats, position: Floats, stuck: Floats | None, start: float, end: float, *, located: bool = False
) -> float:
    """Return the distance slid (m) between two instants (s) from the history of the sliding coordinate.

    Sum of ``|Δx|`` over the intervals whose left end is not stuck; the window ends are interpolated and the
    turning points located on parabolas, so that the result converges with order 2. ``located``: the turning points
    are samples, since the solver reports its events.
    """
    inner = (time > start) & (time < end)
    t = np.concatenate(([start], time[inner], [end]))
    x = np.concatenate(([value_at(time, position, start)], position[inner], [value_at(time, position, end)]))
    free = np.ones(t.size - 1, dtype=bool)
    if stuck is not None:
        before = max(int(np.searchsorted(time, start, side="right")) - 1, 0)
        free = np.concatenate(([stuck[before]], stuck[inner])) == 0
    steps = np.diff(x)
    if located:
        return float(np.sum(np.abs(steps)[free]))
    turning = (steps[1:] * steps[:-1] < 0) & free[1:] & free[:-1]
    return float(np.sum(np.abs(steps)[free]) + np.sum(_overshoot(t, x)[turning]))


def _overshoot(t: Floats, x: Floats) -> Floats:
    """Return twice the distance between each inner sample and the vertex of the parabola through its neighbours."""
    left, right = np.diff(x)[:-1] / np.diff(t)[:-1], np.diff(x)[1:] / np.diff(t)[1:]
    curvature = (right - left) / (t[2:] - t[:-2])
    slope = (left * np.diff(t)[1:] + right * np.diff(t)[:-1]) / (t[2:] - t[:-2])
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.abs(slope**2 / (4 * curvature))
    return 2 * np.where(np.isfinite(height), height, 0.0)


def phases(
    time: Floats, velocity: Floats, stuck: Floats | None, *, shortest_stick: float, fewest_samples: int = 1
) -> list[SlidingPhase]:
    """Return the sequence of slip and stick phases.

    Stick shorter than ``shortest_stick`` (s), which a penalised law shows at every reversal, is no phase: the
    reversal then lies in its middle. Nor is stick seen at fewer than ``fewest_samples``: one sample does not tell how
    long it lasts. Without adherence flags stick means less than 1e-6 m/s. A slip may begin with velocity zero, but for
    rounding; its direction is that of the next sample.
    """
    still = np.abs(velocity) <= SLIDING if stuck is None else stuck != 0
    rests = np.abs(velocity) <= ROUNDING * np.abs(velocity).max(initial=0.0)
    direction = np.where(still | rests, 0, np.sign(velocity)).astype(int)
    for i in np.flatnonzero(~still[:-1] & (direction[:-1] == 0))[::-1]:
        direction[i] = direction[i + 1]
    edges = np.flatnonzero(np.diff(direction)) + 1
    starts = np.concatenate(([0], edges))
    runs = [
        SlidingPhase(float(time[a]), float(time[min(b, time.size - 1)]), int(direction[a]))
        for a, b in zip(starts, np.concatenate((edges, [time.size])), strict=True)
    ]
    counts = np.diff(np.concatenate(([0], edges, [time.size])))
    told = [run.end - run.start >= shortest_stick and n >= fewest_samples for run, n in zip(runs, counts, strict=True)]
    return _merge(_without_sticks(runs, told))


def _without_sticks(runs: list[SlidingPhase], told: list[bool]) -> list[SlidingPhase]:
    """Return the runs without inner sticks that are not told from reversals."""
    kept: list[SlidingPhase] = []
    for i, run in enumerate(runs):
        inner = 0 < i < len(runs) - 1
        if run.direction == 0 and inner and not told[i]:
            middle = 0.5 * (run.start + run.end)
            previous, following = kept[-1], runs[i + 1]
            kept[-1] = SlidingPhase(previous.start, middle, previous.direction)
            runs[i + 1] = SlidingPhase(middle, following.end, following.direction)
        else:
            kept.append(run)
    return kept


def _merge(runs: list[SlidingPhase]) -> list[SlidingPhase]:
    merged: list[SlidingPhase] = []
    for run in runs:
        if merged and merged[-1].direction == run.direction:
            merged[-1] = SlidingPhase(merged[-1].start, run.end, run.direction)
        else:
            merged.append(run)
    return merged
