"""Drake on small problems with closed solutions, continuous and discrete; what it does not express; how it fails."""

import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, polynomial, step
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.loading import load_solver

ONE = np.ones(1)
CONTINUOUS = pytest.mark.parametrize("scheme", ["runge_kutta5"])
DISCRETE = pytest.mark.parametrize("scheme", ["lagged", "similar", "sap"])
MASS = np.diag([2.0, 1.0])
STIFFNESS = np.array([[60.0, -20.0], [-20.0, 20.0]])
DAMPING = np.array([[0.6, -0.2], [-0.2, 0.5]])
START = [0.3, -0.1, 1.0, -2.0]


@pytest.fixture(scope="module")
def solver():
    pytest.importorskip("pydrake")
    return load_solver("veridyn.solver.adapters.drake_adapter:SOLVER")


def rub(limit=1.0, tangent=ONE, normal=10.0, **more):
    """Coulomb friction whose largest force (N) is given."""
    return Friction("rub", (tangent,), normal, limit / 10, limit / 10, **more)


def chain():
    """A big mass on the ground, a small one on the big one."""
    given = {"mass": MASS, "stiffness": STIFFNESS, "damping": DAMPING}
    return {**given, "initial_displacement": START[:2], "initial_velocity": START[2:]}


def free_motion(t):
    """Displacement of the chain, from the matrix exponential."""
    inverse = np.linalg.inv(MASS)
    matrix = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ STIFFNESS, -inverse @ DAMPING]])
    return np.array([(expm(matrix * instant) @ START)[:2] for instant in t])


@pytest.mark.parametrize(
    ("scheme", "error"),
    [
        ("runge_kutta5", 1e-6),
        ("lagged", 8e-3),
        ("similar", 8e-3),
        ("sap", 8e-3),
    ],
)
def test_coupled_masses_follow_the_matrix_exponential(solver, block, scheme, error):
    problem = block(**chain(), output_times=np.linspace(0, 1, 26))
    r = solver.solve(problem, {"scheme": scheme, "rtol": 1e-8})
    assert np.abs(r.displacement - free_motion(r.time)).max() < error


@DISCRETE
def test_error_of_the_discrete_schemes_falls_with_the_step(solver, block, scheme):
    errors = []
    for substeps in (5, 10):
        r = solver.solve(block(**chain(), output_times=np.linspace(0, 1, 21)), {"scheme": scheme, "substeps": substeps})
        errors.append(np.abs(r.displacement - free_motion(r.time)).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)


@CONTINUOUS
def test_rebound_of_the_witness_schemes(solver, block, scheme):
    stop = Stop("stop", ONE, gap=0.3, offset=-0.2, stiffness=3e4)
    r = solver.solve(block(mass=[[3.0]], stops=(stop,), initial_velocity=[1.0]), {"scheme": scheme})
    assert r.velocity[-1, 0] == pytest.approx(-1.0, abs=1e-8)
    assert r.displacement[-1, 0] == pytest.approx(0.5 - (0.5 - np.pi / 100), abs=1e-8)
    assert r.counters["events"] == 2


@DISCRETE
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_rebound_of_the_discrete_schemes(solver, block, scheme, side):
    """A mass of 3 kg meets a stop of 3e4 N/m after 0.5 s; an implicit step loses some of its energy."""
    stop = Stop("stop", side * ONE, gap=0.3, offset=-0.2, stiffness=3e4)
    problem = block(mass=[[3.0]], stops=(stop,), initial_velocity=[side])
    r = solver.solve(problem, {"scheme": scheme, "substeps": 25})
    force = r.elements["stop"]["normal_force"]
    assert side * r.velocity[-1, 0] == pytest.approx(-1.0, abs=0.03)
    assert force.max() == pytest.approx(3e4 / 100, rel=0.02)
    assert np.all(force[r.elements["stop"]["gap"] > 1e-3] == 0)


def test_damped_stop_of_sap(solver, block):
    """Spring and damper side by side; the mass leaves when their force vanishes."""
    zeta, w = 0.3, 50.0
    stop = Stop("stop", ONE, 0.2, w**2, damping=2 * zeta * w)
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0]), {"scheme": "sap", "substeps": 25})
    wd = w * np.sqrt(1 - zeta**2)
    leave = np.arctan2(2 * zeta * np.sqrt(1 - zeta**2), 2 * zeta**2 - 1) / wd
    rebound = np.exp(-zeta * w * leave) * (np.cos(wd * leave) - zeta * w / wd * np.sin(wd * leave))
    assert r.velocity[-1, 0] == pytest.approx(rebound, abs=5e-3)


@pytest.mark.parametrize(("scheme", "error"), [("runge_kutta5", 1e-9), ("lagged", 3e-3), ("sap", 3e-3)])
def test_support_motion_and_load(solver, block, scheme, error):
    shake = SupportMotion.from_acceleration("base", ONE, Harmonic(2.0, 5.0))
    r = solver.solve(block(supports=(shake,), loads=(Load(ONE, step(3.0, 0.5)),)), {"scheme": scheme, "substeps": 5})
    exact = 2 / 25 * np.sin(5 * r.time) - 2 / 5 * r.time + 1.5 * np.maximum(r.time - 0.5, 0) ** 2
    np.testing.assert_allclose(r.displacement[:, 0], exact, atol=error)


@pytest.mark.parametrize(
    ("scheme", "error", "creep", "gliding"),
    [
        ("runge_kutta5", 1e-9, 0.0, 1e-9),
        ("lagged", 2e-3, 1e-8, 1e-6),
        ("similar", 2e-3, 1e-8, 0.1),
        ("sap", 2e-3, 1e-6, 0.1),
    ],
)
def test_slider_comes_to_rest(solver, block, scheme, error, creep, gliding):
    """x = v0²/(2 mu g) = 0.25 m after 0.5 s, and no farther; a sudden start lifts the foot of convex schemes."""
    r = solver.solve(block(initial_velocity=[-1.0], frictions=(rub(2.0),)), {"scheme": scheme, "substeps": 5})
    late, early = r.time > 0.505, r.time[r.time < 0.495].size
    np.testing.assert_allclose(r.displacement[late, 0], -0.25, atol=error)
    assert np.abs(r.velocity[late]).max() <= creep
    np.testing.assert_allclose(r.elements["rub"]["force"][1:early], 2.0, rtol=gliding)


@pytest.mark.parametrize(
    ("scheme", "creep"), [("runge_kutta5", 0.0), ("lagged", 1e-5), ("similar", 1e-5), ("sap", 1e-5)]
)
def test_holds_below_the_limit(solver, block, scheme, creep):
    pull = Load(ONE, Harmonic(0.99, 7.0))
    problem = block(frictions=(rub(tangent=-ONE),), loads=(pull,))
    r = solver.solve(problem, {"scheme": scheme, "substeps": 2})
    assert np.abs(r.velocity).max() <= creep
    np.testing.assert_allclose(r.elements["rub"]["force"], 0.99 * np.sin(7 * r.time), atol=0.02)


def test_break_away_of_the_witness_schemes(solver, block):
    """A ramp of 1 N/s against 1 N: slip from 1 s on."""
    ramp = Load(ONE, polynomial(0.0, 1.0))
    r = solver.solve(block(frictions=(rub(),), loads=(ramp,), end=2.0), {})
    np.testing.assert_allclose(r.displacement[:, 0], np.maximum(r.time - 1, 0) ** 3 / 6, atol=1e-9)


SHAKEN = {"supports": (SupportMotion.from_acceleration("s", ONE, step(1.0)),)}
FLOOR = Stop("floor", np.array([1.0, 0.0]), 1.0, 1.0)
TWO = {"initial_displacement": [0.0, 0.0], "initial_velocity": [0.0, 0.0]}
REGULARISED = {"frictions": (rub(law="regularised", stiffness=1.0),)}
REFUSED_DISCRETE = {
    "regularised": REGULARISED,
    "parallel planes": {"stops": (Stop("gap", ONE, 1.0, 1.0, geometry="parallel planes"),)},
    "absolute frame": {"stops": (Stop("wall", ONE, 1.0, 1.0, frame="absolute"),), **SHAKEN},
    "modes": {"mass": None, "modes": Modes(omega=ONE, damping=0 * ONE, masses=ONE, shapes=np.eye(1))},
    "static coefficient": {"frictions": (Friction("rub", (ONE,), 1.0, 1.0, 0.5),)},
    "Hunt and Crossley": {"stops": (Stop("stop", ONE, 1.0, 1.0, damping=0.1),)},
    "not one of the coordinates": {"stops": (Stop("stop", np.ones(2), 1.0, 1.0),), **TWO},
    "on a stop": {"stops": (FLOOR,), "frictions": (rub(tangent=np.array([0.0, 1.0]), normal="floor"),), **TWO},
    "mass matrix": {"mass": np.array([[2.0, 1.0], [1.0, 2.0]]), **TWO},
    "stiffness matrix": {"stiffness": np.array([[2.0, 1.0], [1.0, 2.0]]), **TWO},
    "unequal intervals": {"output_times": [0.0, 0.1, 0.3171, 1.0]},
}


def test_what_witnesses_do_not_express_is_refused(solver, block):
    with pytest.raises(NotImplementedError, match="regularised"):
        solver.solve(block(**REGULARISED), {})


@pytest.mark.parametrize("what", REFUSED_DISCRETE)
def test_what_a_discrete_plant_does_not_express_is_refused(solver, block, what):
    with pytest.raises(NotImplementedError, match=what):
        solver.solve(block(**REFUSED_DISCRETE[what]), {"scheme": "lagged"})


@pytest.mark.parametrize("settings", [{"substeps": 0}, {"rtol": "small"}, {"scheme": "tamsi"}, {"atol": 1e-3}])
def test_bad_settings_are_refused(solver, block, settings):
    with pytest.raises(SettingsError):
        solver.solve(block(), settings)


def test_integrator_that_gives_up_is_a_failure(solver, block):
    """An accuracy that no step reaches, however small."""
    problem = block(stiffness=[[1e4]], initial_velocity=[1e20], output_times=[0.0, 1.0])
    with pytest.raises(SolverFailure, match="Drake gave up"):
        solver.solve(problem, {"scheme": "runge_kutta5", "rtol": 1e-14})


@DISCRETE
def test_diverging_plant_is_a_failure(solver, block, scheme):
    problem = block(stiffness=[[1e12]], initial_velocity=[1.0], stops=(Stop("stop", ONE, 1.0, 1.0),))
    with pytest.raises(SolverFailure):
        solver.solve(problem, {"scheme": scheme})


def test_steps_and_version_are_told(solver, block):
    assert solver.solve(block(), {"scheme": "sap", "substeps": 3}).counters["steps"] == 1200
    assert solver.version[0].isdigit()
