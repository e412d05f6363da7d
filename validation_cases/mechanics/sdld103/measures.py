"""SDLD103: what is measured in a response."""

from __future__ import annotations

from functools import partial

import numpy as np

from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.solver.problem.basis import driven_displacement
from veridyn.validation_cases.core.case import Observation

NODES = ("NO2", "NO3", "NO4")
SMOOTH = 8  # samples that a value is read from: nothing has a kink, and methods of order 5 are to be seen


def relative(o: Observation, node: str, time: float) -> float:
    """Displacement of a node relative to the static shape of the supports (m)."""
    return value_at(o.response.time, o.response.displacement[:, NODES.index(node)], time, samples=SMOOTH)


def absolute(o: Observation, node: str, time: float) -> float:
    """Absolute displacement of a node (m)."""
    driven = driven_displacement(o.problem, np.array([time]))[0, NODES.index(node)]
    return relative(o, node, time) + float(driven)


def reader(part: str, node: str, time: str) -> partial[float]:
    """Return the measurement of one displacement."""
    return partial(relative if part == "relative" else absolute, node=node, time=float(time))
