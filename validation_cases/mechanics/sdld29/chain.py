"""SDLD29: the chain as a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references.damped_chain import LOADED, MASSES
from veridyn.solver.problem.elements import Load
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import TimeFunction, pulse
from veridyn.validation_cases.core.case import Values
from veridyn.validation_cases.mechanics.sdld29.published import TABLE_22, TIMES_29

Floats = NDArray[np.float64]

END = 1.5  # s
OUTPUTS = 1536  # intervals of the requested output: 1/1024 s


def links(constants: list[float]) -> Floats:
    """Matrix (8, 8) of nine springs or dashpots in a row between two walls."""
    matrix: NDArray[Any] = np.zeros((MASSES + 2, MASSES + 2))
    for i, constant in enumerate(constants):
        matrix[i : i + 2, i : i + 2] += constant * np.array([[1.0, -1.0], [-1.0, 1.0]])
    inner: Floats = matrix[1:-1, 1:-1]
    return inner


def direction() -> Floats:
    """Direction (8,) of the force."""
    return np.asarray(np.eye(MASSES)[LOADED - 1])


def outputs(end: float) -> Floats:
    """Return the instants (s) of the requested output: a grid, and the instants that are measured."""
    measured = np.array([float(time) for time in (*TIMES_29, *TABLE_22)])
    return np.unique(np.concatenate((np.linspace(0.0, end, OUTPUTS + 1), measured[measured < end])))


def loaded_by(function: TimeFunction, values: Values, end: float = END) -> MechanicalProblem:
    """Return the chain at rest under a force of this course on mass 4."""
    m, k, c, left, right = (float(values[name]) for name in ("m", "k", "c", "c_left", "c_right"))
    return MechanicalProblem(
        name="sdld29",
        mass=m * np.eye(MASSES),
        stiffness=links([k] * (MASSES + 1)),
        damping=links([left, *[c] * (MASSES - 1), right]),
        initial_displacement=np.zeros(MASSES),
        initial_velocity=np.zeros(MASSES),
        end=end,
        output_times=outputs(end),
        loads=(Load(direction(), function),),
    )


def problem(values: Values) -> MechanicalProblem:
    """Return the chain under a force that begins at once and ends after its duration."""
    return loaded_by(pulse(float(values["F"]), 0.0, float(values["duration"])), values)
