"""SDLD29 as Code_Aster's test files run it."""

from dataclasses import replace

from veridyn.problem.time_functions import pulse


def loaded(values, problem, end, longer=0.0):
    """Return the chain up to an instant (s), under a force that stands longer than its duration (s)."""
    (load,) = problem.loads
    force = pulse(float(values["F"]), 0.0, float(values["duration"]) + longer)
    return replace(problem, loads=(replace(load, function=force),), end=end, output_times=None)
