"""The start with the two slips of the program of 2020, kept for parity."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.kernels import devogelaere_adaptive as kernel
from veridyn.solver.integrators.kernels.devogelaere import NOW, points

from .conftest import entry


@pytest.mark.parametrize("slipped", [True, False])
def test_other_tries_look_back_to_a_generalised_force_or_to_an_acceleration(slipped):
    omega, masses = np.array([2.0, 3.0]), np.array([1.0, 4.0])
    modes = Modes(omega=omega, damping=np.zeros(2), masses=masses, shapes=np.eye(2))
    q, loads = np.array([0.5, -0.2]), np.array([3.0, 8.0])
    rest = {"initial_displacement": q, "initial_velocity": np.zeros(2), "end": 1.0}
    system = system_arrays(MechanicalProblem(name="two modes", modes=modes, **rest), modes)
    points_now, before = points(q, np.zeros(2)), kernel.past(q)
    acceleration = loads / masses - omega**2 * q
    points_now.g[NOW, :] = acceleration
    entry(kernel.start)(0.01, slipped, system, points_now, before)
    assert before.g == pytest.approx(loads if slipped else acceleration, rel=1e-14)
