"""SDLD31: what is measured in a response."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.postprocessing.interpolation import turning_points, value_at
from veridyn.validation_cases.core.case import Observation

Floats = NDArray[np.float64]

SMOOTH = 8  # samples that a value is read from: nothing has a kink, and methods of order 5 are to be seen
AROUND = 4  # samples on each side of a peak
NEARLY = 0.99  # of the highest sample: a lower one may belong to a higher peak, which lies between samples


def value(o: Observation, part: str, time: float) -> float:
    """Displacement (m) or velocity (m/s) at an instant, between the samples."""
    history = o.response.displacement if part == "x" else o.response.velocity
    return value_at(o.response.time, history[:, 0], time, samples=SMOOTH)


def reader(part: str, time: str) -> partial[float]:
    """Return the measurement of a displacement or velocity."""
    return partial(value, part=part, time=float(time))


def peak(o: Observation) -> float:
    """Largest magnitude of the displacement up to T (m), between the samples."""
    return _peak(o)[0]


def peak_time(o: Observation) -> float:
    """Instant of the largest magnitude of the displacement up to T (s)."""
    return _peak(o)[1]


def _peak(o: Observation) -> tuple[float, float]:
    t, x = o.response.time, np.abs(o.response.displacement[:, 0])
    return max(_refined(t, x, top) for top in _tops(np.where(t <= o["T"], x, 0.0)))


def _tops(x: Floats) -> list[int]:
    """Return the samples that are higher than their neighbours and nearly as high as the highest."""
    highest = int(np.argmax(x))
    inner = x[1:-1]
    tops = 1 + np.flatnonzero((inner >= x[:-2]) & (inner > x[2:]) & (inner >= NEARLY * x[highest]))
    return sorted({highest, *map(int, tops)})


def _refined(t: Floats, x: Floats, top: int) -> tuple[float, float]:
    """Return height and instant of the highest turning point about a sample."""
    near = slice(max(top - AROUND, 0), top + AROUND + 1)
    turning, heights = turning_points(t[near], x[near])
    best = int(np.argmax(np.abs(heights)))
    return float(abs(heights[best])), float(turning[best])
