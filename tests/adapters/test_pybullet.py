"""PyBullet: what it models, what it refuses, and what it does without a word (examples/findings/pybullet)."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.time_functions import Harmonic, step
from veridyn.solver.contract.errors import SettingsError, SolverFailure

from .conftest import adapter

ONE = np.ones(1)
FINDINGS = Path(__file__).parents[2] / "examples" / "findings" / "pybullet" / "silent.py"


@pytest.fixture(scope="module")
def solver():
    return adapter("pybullet")


def rub(limit=1.0, **changes):
    return Friction(**{"name": "rub", "tangents": (ONE,), "normal": limit, "static": 1.0, "kinetic": 1.0, **changes})


def halving(solver, problem, exact, substeps=4):
    """Return the ratio of the errors of the last displacement at a step and at half of it."""
    runs = [solver.solve(problem, {"substeps": n}) for n in (substeps, 2 * substeps)]
    return np.divide(*(run.displacement[-1] - exact for run in runs))


def test_coupled_masses_converge_with_order_one(solver, block):
    mass, stiffness = np.diag([1.0, 2.0]), np.array([[50.0, -20.0], [-20.0, 20.0]])
    damping, start = 0.02 * stiffness, np.array([0.1, -0.2, 0.5, 0.0])
    given = {"mass": mass, "stiffness": stiffness, "damping": damping}
    problem = block(**given, initial_displacement=start[:2], initial_velocity=start[2:])
    lower = [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]
    exact = expm(np.block([[np.zeros((2, 2)), np.eye(2)], lower])) @ start
    np.testing.assert_allclose(halving(solver, problem, exact[:2]), 2.0, atol=0.1)


def test_rebound_from_a_stop_converges(solver, block):
    """A mass of 3 kg meets a stop of 3e4 N/m after 0.5 s: a half sine of w = 100 rad/s."""
    stop = Stop("stop", -2.0 * ONE, gap=0.6, offset=-0.4, stiffness=3e4 / 4)
    problem = block(mass=[[3.0]], stops=(stop,), initial_velocity=[-1.0])
    rebounds = []
    for substeps in (10, 40):
        r = solver.solve(problem, {"substeps": substeps})
        rebounds.append(1 - r.velocity[-1, 0])
        force = r.elements["stop"]["normal_force"]
        assert force.max() == pytest.approx(3e4 / 100 / 2, rel=0.05)
        np.testing.assert_allclose(r.elements["stop"]["gap"], 1.0 + 2 * r.displacement[:, 0], atol=1e-13)
        assert np.all(force[r.elements["stop"]["gap"] > 1e-3] == 0)
    assert rebounds[0] / rebounds[1] == pytest.approx(4.0, rel=0.1)  # implicit Euler loses with the step
    assert rebounds[1] == pytest.approx(np.pi / 2 * 100 / 400 / 40, rel=0.1)


def test_damped_stop_is_never_tensile(solver, block):
    """Maxwell's law for a half wave: the mass leaves when spring and damper force vanish together."""
    zeta, w = 0.3, 50.0
    stop = Stop("stop", ONE, 0.2, w**2, damping=2 * zeta * w)
    wd = w * np.sqrt(1 - zeta**2)
    leave = np.arctan2(2 * zeta * np.sqrt(1 - zeta**2), 2 * zeta**2 - 1) / wd
    rebound = np.exp(-zeta * w * leave) * (np.cos(wd * leave) - zeta * w / wd * np.sin(wd * leave))
    errors = [
        solver.solve(block(stops=(stop,), initial_velocity=[1.0]), {"substeps": n}).velocity[-1, 0] - rebound
        for n in (10, 40)
    ]
    assert abs(errors[1]) < 2e-3
    assert abs(errors[0]) > 2.5 * abs(errors[1])


def test_parallel_planes_reflect_on_both_sides(solver, block):
    stop = Stop("planes", ONE, gap=0.25, stiffness=1e4, offset=0.05, geometry="parallel planes")
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0], end=2.0), {"substeps": 20})
    assert r.displacement.max() == pytest.approx(0.21, abs=1e-3)
    assert r.displacement.min() == pytest.approx(-0.31, abs=1e-3)


def test_support_motion_and_load(solver, block):
    shake = SupportMotion.from_acceleration("base", ONE, Harmonic(2.0, 5.0))
    problem = block(supports=(shake,), loads=(Load(ONE, step(3.0, 0.5)),))
    exact = 2 / 25 * np.sin(5) - 2 / 5 + 1.5 * 0.25
    assert halving(solver, problem, exact) == pytest.approx(2.0, abs=0.1)


def test_slider_comes_to_rest_and_holds(solver, block):
    """x = v0²/(2 mu g) = 0.25 m after 0.5 s; then a force below the limit."""
    pull = Load(ONE, step(1.9, 0.75))
    r = solver.solve(block(initial_velocity=[1.0], frictions=(rub(2.0),), loads=(pull,)), {})
    late = r.time > 0.505
    np.testing.assert_allclose(r.displacement[late, 0], 0.25, atol=2e-4)
    assert np.abs(r.velocity[late]).max() < 1e-9
    assert np.all(r.elements["rub"]["stuck"][late] == 1)
    assert np.all(r.elements["rub"]["stuck"][(r.time > 0) & (r.time < 0.495)] == 0)
    np.testing.assert_allclose(r.elements["rub"]["force"][r.time > 0.76], -1.9)


REFUSED = {
    "two coefficients; a joint motor": {"frictions": (rub(static=2.0),)},
    "regularised": {"frictions": (rub(law="regularised", stiffness=1.0),)},
    "two directions": {"frictions": (rub(tangents=(ONE, ONE)),)},
    "under the force of a stop": {"stops": (Stop("floor", ONE, 1.0, 1.0),), "frictions": (rub("floor"),)},
    "one motor": {"frictions": (rub(), rub(name="other"))},
    "along a line": {"stops": (Stop("ring", ONE, 1.0, 1.0, geometry="circle", lateral=ONE),)},
    "not diagonal": {"mass": [[2.0, 1.0], [1.0, 2.0]], "initial_displacement": [0.0, 0.0]},
    "2 coordinates": {"stops": (Stop("s", [1.0, -1.0], 0.1, 1.0),), "initial_displacement": [0.0, 0.0]},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_expressible_is_refused_with_the_reason(solver, block, what):
    with pytest.raises(NotImplementedError, match=what):
        solver.solve(block(**REFUSED[what]), {})


@pytest.mark.parametrize("settings", [{"substeps": 0}, {"scheme": "RK4"}, {"rtol": 1e-3}])
def test_bad_settings_are_refused(solver, block, settings):
    with pytest.raises(SettingsError):
        solver.solve(block(), settings)


def test_blow_up_is_a_failure(solver, block):
    with pytest.raises(SolverFailure, match="not finite"):
        solver.solve(block(stiffness=[[1e12]], initial_velocity=[1.0]), {})


def test_steps_version_and_claims(solver, block):
    assert solver.solve(block(), {"substeps": 3}).counters["steps"] == 1200
    assert solver.version[0].isdigit()
    assert not hasattr(solver, "claims")


@pytest.fixture(scope="module")
def silent(solver):
    if not solver.version.startswith("3.2.7"):
        pytest.skip("findings are those of PyBullet 3.2.7")
    import pybullet

    spec = importlib.util.spec_from_file_location("silent", FINDINGS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    client = pybullet.connect(pybullet.DIRECT)
    yield module
    pybullet.disconnect(client)


EXPECTED = {
    "stiffness_in_series": ([14.07e-3, 9.92e-3], 1e-4),
    "damping_of_the_other_body": ([-0.99530, -0.99686], 1e-5),
    "friction_by_the_step_of_the_call": ([0.1195, 0.4995], 1e-4),
    "velocity_that_is_cut": ([10.0, 100.0], 1e-6),
    "settings_of_one_call": ([(-1.0, -1.0), (0.0, 1e4)], 1e-6),
    "damping_that_nobody_asked_for": ([0.9245, 0.5041], 1e-4),
    "creep_of_a_box_that_should_stick": ([3.18e-4, 1.11e-4], 1e-5),
    "bounce_by_the_place_of_the_step": ([0.9365, 0.0724, 0.0], 1e-4),
}


@pytest.mark.parametrize("finding", EXPECTED)
def test_finding(silent, finding):
    numbers, slack = EXPECTED[finding]
    np.testing.assert_allclose(getattr(silent, finding)(), numbers, atol=slack)
