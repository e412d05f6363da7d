"""The map of one step of an oscillator, read from the answers to unit states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import MechanicalProblem

OneStep: TypeAlias = Callable[[MechanicalProblem], tuple[float, float]]


def measure_map(step: OneStep, *, frequency: float, damping: float = 0.0) -> NDArray[np.float64]:
    """Return the matrix (2, 2) that takes displacement and velocity at 0 to those at 1 s.

    ``step`` takes one step of 1 s and returns displacement and velocity at its end; the oscillator has the angular
    frequency ``frequency`` in rad/s, a unit mass and the ratio ``damping`` of critical damping.
    """
    columns = [step(_build_oscillator(frequency, damping, x, v)) for x, v in ((1.0, 0.0), (0.0, 1.0))]
    return np.array(columns).T


def find_spectral_radius(matrix: NDArray[np.float64]) -> float:
    """Return the largest modulus of the eigenvalues: above 1 the step is unstable."""
    return float(np.max(np.abs(np.linalg.eigvals(matrix))))


def _build_oscillator(frequency: float, damping: float, x: float, v: float) -> MechanicalProblem:
    return MechanicalProblem(
        name="oscillator",
        end=1.0,
        output_times=np.array([0.0, 1.0]),
        mass=np.array([[1.0]]),
        damping=np.array([[2.0 * damping * frequency]]),
        stiffness=np.array([[frequency**2]]),
        initial_displacement=np.array([x]),
        initial_velocity=np.array([v]),
    )
