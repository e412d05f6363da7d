"""What a problem has that a defect can damage."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.basis import modal_basis
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.time_functions import Harmonic, TimeFunction

Feature = Callable[[MechanicalProblem], bool]


def driving(problem: MechanicalProblem) -> tuple[TimeFunction, ...]:
    """Return the time functions of the loads and of the accelerations of the supports."""
    return (*(load.function for load in problem.loads), *(support.acceleration for support in problem.supports))


def off_diagonal(matrix: NDArray[np.float64] | None) -> bool:
    """Tell whether a matrix couples coordinates."""
    return matrix is not None and bool(np.any(matrix - np.diag(np.diag(matrix))))


def initial_force(problem: MechanicalProblem) -> bool:
    """Tell whether a load, a support or the stiffness accelerates the structure at the start."""
    at_rest = not np.any(problem.initial_displacement)
    return not at_rest or any(abs(float(function(problem.start))) > 0 for function in driving(problem))


def _uneven(vector: NDArray[np.float64]) -> bool:
    return bool(np.ptp(vector) > 0)


FEATURES: dict[str, Feature] = {
    "matrices": lambda p: p.mass is not None,
    "several coordinates": lambda p: p.size > 1,
    "coupled coordinates": lambda p: off_diagonal(p.stiffness) or off_diagonal(p.mass),
    "mass other than one": lambda p: p.mass is not None and not np.array_equal(p.mass, np.eye(p.size)),
    "damping": lambda p: "damping" in p.needs,
    "drive": lambda p: bool(driving(p)),
    "harmonic drive": lambda p: any(isinstance(t, Harmonic) for f in driving(p) for t in f.terms()),
    "initial velocity": lambda p: bool(np.any(p.initial_velocity)),
    "initial force": initial_force,
    "support motion": lambda p: bool(p.supports),
    "several supports": lambda p: len(p.supports) > 1,
    "bent static mode": lambda p: any(_uneven(s.influence) for s in p.supports),
    "lopsided static mode": lambda p: any(np.any(s.influence != s.influence[::-1]) for s in p.supports),
    "relative frame": lambda p: any(element.frame == "relative" for element in p.elements),
    "lopsided shapes": lambda p: bool(np.ptp(modal_basis(p).shapes - modal_basis(p).shapes.T)),
    "absolute frame": lambda p: "absolute-frame" in p.needs,
    "contact": lambda p: bool(p.stops),
    "plane stop": lambda p: any(stop.geometry == "plane" for stop in p.stops),
    "gap": lambda p: any(stop.gap != 0 for stop in p.stops),
    "damped contact": lambda p: any(stop.damping for stop in p.stops),
    "friction": lambda p: bool(p.frictions),
    "friction under constant force": lambda p: any(not isinstance(f.normal, str) for f in p.frictions),
    "friction other than one": lambda p: any(f.static != 1 or f.kinetic != 1 for f in p.frictions),
    "static above kinetic": lambda p: any(f.static > f.kinetic for f in p.frictions),
}
