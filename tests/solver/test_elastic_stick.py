"""The overshoot of the spring and damper that stand for rigid stick, as docs/schemes.md states it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load
from veridyn.problem.time_functions import constant
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.refining import level

KINETIC = 0.4  # N, the static limit is 1 N
HELD = 1 - (1 + KINETIC) / (1 + math.e**2)  # N, the largest push that does not overshoot the limit: 0.83


def thrown(build, push):
    """Return a mass that slides against a push: it comes to rest at t = 1/(push + KINETIC)."""
    shoe = Friction("shoe", ([1.0],), 1.0, 1.0, KINETIC)
    return build.mass(initial_velocity=[1.0], end=2.0, frictions=(shoe,), loads=(Load([-1.0], constant(push)),))


@pytest.mark.parametrize("step", [4e-3, 1e-3])
@pytest.mark.parametrize("scheme", ["symplectic_euler", "devogelaere"])
@pytest.mark.parametrize("push", [HELD - 0.03, HELD + 0.03])
def test_a_slip_ends_in_stick_up_to_an_overshoot_that_no_step_makes_smaller(scheme, step, push, build):
    problem = thrown(build, push)
    response = SOLVER.solve(problem, {"scheme": scheme, **level(problem, step)})
    late = response.time > 1.5
    rests = bool((np.abs(response.velocity[late]) < 1e-2).all())
    assert rests == (push < HELD)


def test_the_exact_solver_holds_whatever_friction_can_hold(build):
    response = EXACT.solve(thrown(build, HELD + 0.03), {})
    assert response.velocity[-1, 0] == 0.0
