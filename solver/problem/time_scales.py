"""Time scales of a problem, for whoever has to choose a step without knowing the solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.problem.basis import in_modal_coordinates, undamped_modes
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.scalars import to_float
from veridyn.solver.problem.time_functions import Harmonic, TimeFunction

Floats = NDArray[np.float64]


def shortest_period(problem: MechanicalProblem) -> float:
    """Return the shortest period (s) of the structure with all stops closed and all devices stiff, or of a drive.

    A problem without any has its time span.
    """
    matrices = in_modal_coordinates(problem) if problem.modes is not None else problem
    assert matrices.mass is not None
    assert matrices.stiffness is not None
    stiffened = matrices.stiffness + sum(
        (k * np.outer(d, d) for k, d in _springs(matrices)), start=np.zeros((matrices.size, matrices.size))
    )
    fastest = float(np.sqrt(max(undamped_modes(stiffened, matrices.mass)[0][-1], 0.0)))
    driven = max((wave for function in problem.drives for wave in _frequencies(function)), default=0.0)
    highest = max(fastest, driven)
    return 2 * np.pi / highest if highest > 0 else problem.end - problem.start


def _springs(problem: MechanicalProblem) -> list[tuple[float, Floats]]:
    stops = [(stop.stiffness, direction) for stop in problem.stops for direction in stop.directions]
    return stops + [(device.stiffness, device.direction) for device in problem.devices]


def _frequencies(function: TimeFunction) -> list[float]:
    return [abs(to_float(term.omega)) for term in function.terms() if isinstance(term, Harmonic)]
