"""SDND102 as Code_Aster's tests model it."""

from dataclasses import replace

import numpy as np

from veridyn.problem.basis import driven_displacement
from veridyn.problem.elements import SupportMotion
from veridyn.problem.time_functions import sample

TABLE = 1e-4  # s between the points of the accelerogram


def tabulated(values, problem):
    """Return a problem whose supports move by tables, as Code_Aster reads them: lines between points."""
    times = (TABLE * np.arange(round(problem.end / TABLE) + 1)).tolist()
    supports = (
        SupportMotion(s.name, s.influence, *(sample(f, times) for f in (s.acceleration, s.velocity, s.displacement)))
        for s in problem.supports
    )
    return replace(problem, supports=tuple(supports))


def archived(quantity, o):
    """Return what the stop sees of the first displacement, by lines between what is archived."""
    time = float(quantity.partition("@")[2])
    x = float(np.interp(time, o.response.time, o.response.displacement[:, 0]))
    if o.problem.stops[0].frame != "absolute":
        return x
    return x + float(driven_displacement(o.problem, np.array([time]))[0, 0])
