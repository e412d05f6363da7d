"""The output grid in the place of a step: it refines a solver that steps from one output instant to the next."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import Problem
from veridyn.problem.time_scales import longest_interval, shortest_period
from veridyn.solver.contract.statements import STEPS_PER_PERIOD, Refinement, Settings, as_float

OUTPUT_INTERVAL = "output interval"
"""What stands in settings in the place of a step (s); no solver gets it: the problem has more output instants."""

PARTS = (1, 2, 4, 8)  # of each interval between output instants, from coarse to fine
WHOLE = 1e-9  # by how much a number of parts may exceed a whole one


def list_output_levels(problem: Problem) -> Refinement:
    """Return refinement levels of the output grid of a problem: its longest interval, cut into parts.

    A problem without output instants gets those of so many steps a period.
    """
    if problem.output_times is None:
        period = shortest_period(problem)
        sizes = [period / count for count in STEPS_PER_PERIOD]
    else:
        sizes = [longest_interval(problem) / count for count in PARTS]
    return Refinement(OUTPUT_INTERVAL, tuple({OUTPUT_INTERVAL: size} for size in sizes))


def refine_outputs(problem: Problem, settings: Settings) -> tuple[Problem, Settings]:
    """Return a problem whose output instants are as close as settings say, and the other settings.

    All intervals are cut into as many parts: the ratio of two steps then is that of two levels wherever they lie. All
    instants that were asked for remain.
    """
    if OUTPUT_INTERVAL not in settings:
        return problem, settings
    size = as_float(settings[OUTPUT_INTERVAL])
    others = {name: value for name, value in settings.items() if name != OUTPUT_INTERVAL}
    if problem.output_times is None:
        count = _count(problem.end - problem.start, size)
        return replace(problem, output_times=np.linspace(problem.start, problem.end, count + 1)), others
    return replace(problem, output_times=_cut(problem.output_times, _count(longest_interval(problem), size))), others


def _count(span: float, size: float) -> int:
    return max(1, math.ceil(span / size - WHOLE))


def _cut(times: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return instants with each interval cut into ``count`` parts; the instants themselves keep every bit."""
    shares = np.arange(count) / count
    within = times[:-1, None] + np.diff(times)[:, None] * shares
    return np.append(within.ravel(), times[-1])
