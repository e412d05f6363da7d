"""SDLD31 as Code_Aster models it."""

from dataclasses import replace

import numpy as np

from veridyn.problem.time_functions import sample


def tabulated(values, problem, table, end):
    """Return the problem with its load as a table of points so far apart (s), up to an end (s)."""
    (load,) = problem.loads
    times = np.arange(round(end / table) + 1) * table
    load = replace(load, function=sample(load.function, times.tolist()))
    return replace(problem, loads=(load,), end=end, output_times=None)
