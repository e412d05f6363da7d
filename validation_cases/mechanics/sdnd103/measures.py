"""SDND103: what is measured in a response."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.core.case import Observation

TIMES = ("2", "6", "10", "14", "18")  # s, where the chosen motion turns at the default parameters
SPRING = "softening"


def displacement(o: Observation, time: float) -> float:
    """Displacement relative to the support (m)."""
    return value_at(o.response.time, o.response.displacement[:, 0], time)


def velocity(o: Observation, time: float) -> float:
    """Velocity relative to the support (m/s), as the solver states it."""
    return value_at(o.response.time, o.response.velocity[:, 0], time)


def accelerations(o: Observation) -> NDArray[np.float64]:
    """Accelerations (m,) in m/s² from the equation of motion, with the force that the spring reports."""
    forces = element_history(o.response, SPRING, of="device") + o["k0"] * o.response.displacement[:, 0]
    return np.asarray(-forces / o["m"] - o.problem.supports[0].acceleration(o.response.time))


def acceleration(o: Observation, time: float) -> float:
    """Acceleration relative to the support (m/s²)."""
    return value_at(o.response.time, accelerations(o), time)


READERS = {"displacement": displacement, "velocity": velocity, "acceleration": acceleration}
