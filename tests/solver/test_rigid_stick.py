"""Set-valued friction on a spring of stick holds whatever its limit can brake, and no more, at every step."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.solver.elements import Friction, Load
from veridyn.solver.modal import SOLVER
from veridyn.solver.refining import level
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import constant

KINETIC = 0.4  # N, the static limit is 1 N
STEPS = (4e-3, 2e-3, 1e-3)


def thrown(build, push, law="set-valued", **spring):
    """Return a mass that slides against a push: it comes to rest at t = 1/(push + KINETIC), or turns back."""
    shoe = Friction("shoe", ([1.0],), 1.0, 1.0, KINETIC, law, **spring)
    loads = (Load([-1.0], constant(push)),)
    return build.mass(initial_velocity=[1.0], end=2.0, frictions=(shoe,), loads=loads)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("push", "rests"), [(0.85, True), (0.9, True), (0.97, True), (1.03, False), (1.2, False)])
def test_a_slip_ends_in_stick_where_the_static_limit_holds_the_push(scheme, step, push, rests, build):
    """Spring and damper ask for 1.13 times the push and more until they have settled, whatever the stiffness."""
    problem = thrown(build, push)
    settings = {"scheme": scheme, **level(problem, step), **SCHEMES[scheme].constant_step}
    response = SOLVER.solve(problem, settings)
    shoe, late = response.elements["shoe"], response.time > 1 / (push + KINETIC) + 50 * step
    assert np.abs(shoe["force"]).max() <= 1 + 1e-12
    assert set(shoe["stuck"]) <= {0.0, 1.0}
    assert bool(shoe["stuck"][late].all()) == rests
    assert bool((np.abs(response.velocity[late]) < 1e-2).all()) == rests


def test_the_regularised_law_lets_go_as_soon_as_spring_and_damper_ask_for_more(build):
    """That is Code_Aster's law, which a problem may ask for by name."""
    settings = level(thrown(build, 0.97), 1e-3)
    stiffness = settings.pop("tangential_stiffness")
    problem = thrown(build, 0.97, "regularised", stiffness=stiffness, damping=2 * stiffness**0.5)
    response = SOLVER.solve(problem, {"scheme": "symplectic_euler", **settings})
    assert response.velocity[-1, 0] < -0.1
