"""Two equal masses that strike each other move as one of them before a wall, by symmetry, with every scheme."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.problem.elements import Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FAMILIES

STEP = 2e-4  # s
GAP = 5e-4  # m


def shaken(signs):
    """Return masses of 25 kg on supports that shake in resonance, each its way; 0.2 s, three contacts."""
    n = len(signs)
    influences = np.diag(signs)
    return MechanicalProblem(
        name="shaken",
        mass=25 * np.eye(n),
        stiffness=98696 * np.eye(n),
        damping=2 * 0.07 * np.sqrt(98696 * 25) * np.eye(n),
        initial_displacement=np.zeros(n),
        initial_velocity=np.zeros(n),
        end=0.2,
        supports=tuple(
            SupportMotion.from_acceleration(f"support {i}", influences[i], Harmonic(1.0, "20*pi")) for i in range(n)
        ),
        stops=(Stop("stop", np.array(signs), gap=n * GAP, stiffness=5.76e7 / n, frame="absolute"),),
    )


@pytest.mark.parametrize("scheme", FAMILIES)
def test_two_masses_move_as_one_before_a_wall(scheme):
    settings = {"scheme": scheme, "step": STEP, **SCHEMES[scheme].constant_step}
    one, two = (SOLVER.solve(shaken(signs), settings) for signs in ([1.0], [1.0, -1.0]))
    assert (one.elements["stop"]["normal_force"] > 0).any()
    assert two.displacement[:, 0] == pytest.approx(one.displacement[:, 0], abs=1e-12 * GAP)
    assert two.displacement.sum(axis=1) == pytest.approx(0.0, abs=1e-12 * GAP)
