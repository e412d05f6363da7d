"""The automatic damper of stick: critical for the stuck mode, whatever the normalisation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.stick_damping import automatic_damping, automatically_damped, code_aster_damping, critical_damping

K_T = 4e5  # N/m, Code_Aster's test sdnd100a: 1 kg on 1e4 N/m, sliding at 45 degrees to the axes


def slider(amplitude, ratio=0.0):
    """Return the mode of SDND100, whose shape has this component along both axes."""
    mass = 2 * amplitude**2
    return Modes(omega=[100.0], damping=[ratio], masses=[mass], shapes=[[amplitude], [amplitude]])


def rubbing(modes, **changes):
    shoe = Friction("shoe", ([1.0, 0.0], [0.0, 1.0]), 10.0, 0.1, 0.1, "regularised", K_T, **changes)
    still = {"initial_displacement": [0.0, 0.0], "initial_velocity": [0.0, 0.0]}
    return MechanicalProblem(name="slider", end=1.0, modes=modes, frictions=(shoe,), **still)


@pytest.mark.parametrize(
    ("amplitude", "damper"), [(1.0, 2 * math.sqrt(840_000)), (math.sqrt(0.5), 2 * math.sqrt(410_000))]
)
def test_code_aster_follows_the_normalisation(amplitude, damper):
    """A generalised mass of 2 kg (largest component 1) gives 1833.03 N s/m, one of 1 kg 1280.6."""
    assert code_aster_damping(slider(amplitude), K_T) == pytest.approx(damper, rel=1e-12)
    assert damper == pytest.approx(1833.03 if amplitude == 1 else 1280.6, rel=2e-5)


PUBLISHED = [-4.595211164321e-4, 3.1805444492132e-4, -1.76654286173e-4, 3.5503836106667e-5]  # m, test sdnd100a


@pytest.mark.parametrize(("amplitude", "reproduced"), [(1.0, 4), (math.sqrt(0.5), 1)])
def test_published_digits_of_sdnd100_need_the_larger_damper(amplitude, reproduced, march):
    """Turning points of the slider, read linearly at multiples of π/100 s; the first comes before any stick."""
    modes = slider(amplitude)
    start = {"initial_displacement": [0.85e-3 * math.sqrt(0.5)] * 2}
    problem = replace(rubbing(modes, damping=code_aster_damping(modes, K_T)), end=0.3, **start)
    response = march(problem, "symplectic_euler", 5e-4)
    turning = np.interp(np.pi / 100 * np.arange(1, 5), response.time, response.displacement[:, 0])
    assert np.sum(np.isclose(turning, PUBLISHED, rtol=1e-12, atol=0)) == reproduced


@pytest.mark.parametrize("amplitude", [1.0, math.sqrt(0.5), 30.0])
def test_automatic_damper_does_not(amplitude):
    problem = rubbing(slider(amplitude))
    assert automatic_damping(problem, problem.frictions[0]) == pytest.approx(2 * math.sqrt(410_000), rel=1e-12)


def test_code_aster_takes_the_mode_of_largest_generalised_mass():
    modes = Modes(omega=[1.0, 10.0], damping=[0.1, 0.2], masses=[1.0, 4.0], shapes=np.eye(2))
    expected = critical_damping(mass=4.0, stiffness=400.0, ratio=0.2, tangential_stiffness=50.0)
    assert expected == pytest.approx(2 * math.sqrt(4 * 450) - 2 * 0.2 * 40)
    assert code_aster_damping(modes, 50.0) == expected


def test_automatic_damper_takes_the_mode_that_stick_stiffens_most():
    """The second mode moves along the tangents only; the first hardly does, though it has the larger mass."""
    modes = Modes(omega=[1.0, 10.0], damping=[0.1, 0.2], masses=[4.0, 1.0], shapes=[[0.1, 1.0], [0.0, 0.5]])
    problem = rubbing(modes)
    mass = 1 / 1.25
    expected = 2 * math.sqrt(mass * (100 * mass + K_T)) - 2 * 0.2 * 10 * mass
    assert automatic_damping(problem, problem.frictions[0]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.5])
def test_stuck_slider_is_critically_damped(ratio):
    """The roots of m s² + (c + c_T) s + k + k_T coincide."""
    k, m = 1e4, 1.0
    damper = critical_damping(mass=m, stiffness=k, ratio=ratio, tangential_stiffness=K_T)
    total = damper + 2 * ratio * math.sqrt(k * m)
    assert total**2 == pytest.approx(4 * m * (k + K_T))


def test_stuck_slider_comes_to_rest_without_swinging(march):
    """Released 1e-5 m off: x(t) = x0 (1 + w t) exp(-w t) with w = sqrt((k + k_T)/m), which changes no sign."""
    problem = automatically_damped(rubbing(slider(1.0)), "shoe")
    held = replace(problem.frictions[0], normal=1e9)
    problem = replace(problem, end=0.02, frictions=(held,), initial_displacement=[1e-5, 1e-5])
    response = march(problem, "runge_kutta_54", 1e-5)
    w, t = math.sqrt(4.1e5), response.time
    assert response.elements["shoe"]["stuck"].all()
    assert response.displacement[:, 0] == pytest.approx(1e-5 * (1 + w * t) * np.exp(-w * t), abs=1e-15)


def test_on_a_curved_stop_the_tangent_may_take_any_direction():
    """A mode along the normal direction of the stop at rest is rubbed as well, a quarter of a turn on."""
    modes = Modes(omega=[0.0], damping=[0.0], masses=[1.0], shapes=[[1.0], [0.0]])
    stop = Stop("ring", [1.0, 0.0], 1.0, 1e3, geometry="circle", lateral=[0.0, 1.0])
    rub = Friction("rub", ([0.0, 1.0],), "ring", 0.1, 0.1, "regularised", 100.0)
    still = {"initial_displacement": [0.0, 0.0], "initial_velocity": [0.0, 0.0]}
    problem = MechanicalProblem(name="ring", end=1.0, modes=modes, stops=(stop,), frictions=(rub,), **still)
    assert automatic_damping(problem, rub) == pytest.approx(20.0)


def test_only_the_named_frictions_are_damped(build):
    rubs = [Friction(name, ([1.0],), 1.0, 0.1, 0.1, "regularised", 100.0, 3.0) for name in ("a", "b")]
    problem = automatically_damped(build.mass(frictions=tuple(rubs)), "b")
    assert [f.damping for f in problem.frictions] == [3.0, 20.0]


def test_unknown_or_rigid_friction_is_refused(build, refused):
    problem = build.mass(frictions=(Friction("shoe", ([1.0],), 1.0, 0.1, 0.1),))
    with refused(ProblemError, "'shoe'", "no regularised friction"):
        automatically_damped(problem, "shoe")


def test_tangent_that_no_mode_moves_is_refused(refused):
    problem = rubbing(Modes(omega=[1.0], damping=[0.0], masses=[1.0], shapes=[[0.0], [0.0]]))
    with refused(ProblemError, "'shoe'", "no mode moves"):
        automatically_damped(problem, "shoe")
