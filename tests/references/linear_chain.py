"""A linear chain with loads, as methods and solvers get it, and how far two answers lie apart."""

from __future__ import annotations

import numpy as np

from veridyn.problem.elements import Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.methods.discrete import LinearProblem
from veridyn.solver.integrators.modal import SOLVER

M = np.array([[2.0, 0.3, 0.0], [0.3, 1.5, 0.2], [0.0, 0.2, 1.0]])
K = np.array([[300.0, -120.0, 0.0], [-120.0, 250.0, -80.0], [0.0, -80.0, 90.0]])
RAYLEIGH = 0.4 * M + 0.002 * K
COUPLED = np.array([[1.0, -0.5, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])
STEP, COUNT, START = 0.01, 400, 0.25
LOADS = (Load([1.0, 0.0, 2.0], Harmonic(3.0, 5.0, 0.4)), Load([0.0, 1.0, -1.0], Harmonic(2.0, 9.0, 1.1)))

ROUNDING = 1e-12  # of 400 steps in double precision, relative to the largest value; measured: below 2e-13


def force(t):
    return sum(load.direction * load.function(t) for load in LOADS)


def linear(damping=RAYLEIGH):
    return LinearProblem(M, damping, K, force, np.array([0.02, -0.01, 0.03]), np.array([0.1, 0.3, -0.2]), START)


def difference(one, other):
    """Return the largest difference of displacements and of velocities, relative to the largest value."""
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip(one, other, strict=True))


def solved(damping, scheme, options):
    p = linear(damping)
    problem = MechanicalProblem(
        name="three masses",
        mass=p.mass,
        damping=p.damping,
        stiffness=p.stiffness,
        loads=LOADS,
        initial_displacement=p.displacement,
        initial_velocity=p.velocity,
        start=START,
        end=START + COUNT * STEP,
    )
    response = SOLVER.solve(problem, {"scheme": scheme, "step": STEP, "check_step": False, **options})
    return response.displacement, response.velocity
