"""MuJoCo on small problems with closed solutions; what it does not express; how it fails."""

import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.doctor.command import HEALTHY, INACCURATE, examine
from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, step
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.loading import load_solver

ONE = np.ones(1)
SPEC = "veridyn.solver.adapters.mujoco_adapter:SOLVER"
EVERY = pytest.mark.parametrize("scheme", ["RK4", "Euler", "implicitfast", "discrete"])
CONSERVATIVE = pytest.mark.parametrize("scheme", ["RK4", "Euler", "implicitfast"])
MASS = np.array([[2.0, 0.5], [0.5, 1.0]])
STIFFNESS = np.array([[60.0, -20.0], [-20.0, 20.0]])
DAMPING = np.array([[0.6, -0.2], [-0.2, 0.5]])


@pytest.fixture(scope="module")
def solver():
    pytest.importorskip("mujoco")
    return load_solver(SPEC)


def rub(limit=1.0, tangent=ONE, **more):
    return Friction("rub", (tangent,), 1.0, limit, limit, **more)


def chain(**changes):
    """Two masses, coupled by mass, spring and damper."""
    given = {"mass": MASS, "stiffness": STIFFNESS, "damping": DAMPING, "initial_displacement": [0.3, -0.1]}
    return {**given, "initial_velocity": [1.0, -2.0], **changes}


def free_motion(t):
    """Displacement and velocity of the chain, from the matrix exponential."""
    inverse = np.linalg.inv(MASS)
    matrix = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ STIFFNESS, -inverse @ DAMPING]])
    return np.array([expm(matrix * instant) @ [0.3, -0.1, 1.0, -2.0] for instant in t])


def test_doctor_finds_only_the_dissipative_scheme_inaccurate(solver, capsys):
    assert examine([SPEC]) in (HEALTHY, INACCURATE)
    lines = [line for line in capsys.readouterr().out.splitlines() if "inaccurate: error" in line]
    assert all("discrete" in line for line in lines)


@pytest.mark.parametrize(
    ("scheme", "error"), [("RK4", 1e-9), ("Euler", 2e-3), ("implicitfast", 2e-3), ("discrete", 1e-2)]
)
def test_coupled_masses_follow_the_matrix_exponential(solver, block, scheme, error):
    r = solver.solve(block(**chain()), {"scheme": scheme})
    np.testing.assert_allclose(np.hstack((r.displacement, r.velocity)), free_motion(r.time), atol=10 * error)
    assert np.abs(r.displacement - free_motion(r.time)[:, :2]).max() < error


def test_singular_stiffness_is_a_free_rigid_body_mode(solver, block):
    k = 50.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    r = solver.solve(block(stiffness=k, initial_displacement=[0.0, 0.0], initial_velocity=[1.0, 1.0]), {})
    np.testing.assert_allclose(r.displacement, np.outer(r.time, [1.0, 1.0]), atol=1e-10)


@CONSERVATIVE
def test_rebound_from_a_stop(solver, block, scheme):
    """A mass of 3 kg meets a stop of 3e4 N/m after 0.5 s: a half sine of w = 100 rad/s."""
    stop = Stop("stop", ONE, gap=0.3, offset=-0.2, stiffness=3e4)
    r = solver.solve(block(mass=[[3.0]], stops=(stop,), initial_velocity=[1.0]), {"scheme": scheme, "substeps": 50})
    force = r.elements["stop"]["normal_force"]
    assert r.velocity[-1, 0] == pytest.approx(-1.0, abs=3e-3)
    assert force.max() == pytest.approx(3e4 / 100, rel=3e-3)
    np.testing.assert_allclose(r.elements["stop"]["gap"], 0.5 - r.displacement[:, 0], atol=1e-14)
    assert np.all(force[r.elements["stop"]["gap"] > 0] == 0)


def test_stop_along_a_combination_of_coordinates(solver, block):
    """Effective mass 1/(n M^-1 n): the coordinate n x rebounds, what moves across it goes on."""
    normal = np.array([1.0, -2.0])
    across = MASS @ normal @ [[0.0, 1.0], [-1.0, 0.0]]
    inverse = np.linalg.inv(MASS)
    stop = Stop("stop", normal, gap=0.4, stiffness=1e4)
    start = inverse @ normal
    r = solver.solve(
        block(mass=MASS, stops=(stop,), initial_displacement=[0, 0], initial_velocity=start), {"substeps": 50}
    )
    np.testing.assert_allclose(r.velocity[-1], -start, atol=3e-3)
    np.testing.assert_allclose(r.velocity @ MASS @ across, 0.0 * r.time, atol=20)


def test_damped_stop_is_never_tensile(solver, block):
    """Maxwell's law for a half wave: the mass leaves when spring and damper force vanish together."""
    zeta, w = 0.3, 50.0
    stop = Stop("stop", ONE, 0.2, w**2, damping=2 * zeta * w)
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0]), {"substeps": 50})
    wd = w * np.sqrt(1 - zeta**2)
    leave = np.arctan2(2 * zeta * np.sqrt(1 - zeta**2), 2 * zeta**2 - 1) / wd
    rebound = np.exp(-zeta * w * leave) * (np.cos(wd * leave) - zeta * w / wd * np.sin(wd * leave))
    assert r.velocity[-1, 0] == pytest.approx(rebound, abs=2e-3)
    assert r.elements["stop"]["normal_force"].min() >= 0


def test_parallel_planes_reflect_on_both_sides(solver, block):
    stop = Stop("planes", ONE, gap=0.25, stiffness=1e4, offset=0.05, geometry="parallel planes")
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0], end=2.0), {"substeps": 50})
    assert r.displacement.max() == pytest.approx(0.21, abs=5e-4)
    assert r.displacement.min() == pytest.approx(-0.31, abs=5e-4)
    assert np.count_nonzero(np.diff(np.sign(r.velocity[:, 0]))) == 4


@EVERY
def test_support_motion_and_load(solver, block, scheme):
    """x'' = 3 - 2 sin 5 t for t > 0.5: a step of a load and a shaking support on a free mass."""
    shake = SupportMotion.from_acceleration("base", ONE, Harmonic(2.0, 5.0))
    r = solver.solve(block(supports=(shake,), loads=(Load(ONE, step(3.0, 0.5)),)), {"scheme": scheme, "substeps": 20})
    t = r.time
    exact = 2 / 25 * np.sin(5 * t) - 2 / 5 * t + 1.5 * np.maximum(t - 0.5, 0) ** 2
    np.testing.assert_allclose(r.displacement[:, 0], exact, atol=3e-4)


def test_runge_kutta_sees_the_load_within_the_step(solver, block):
    shake = SupportMotion.from_acceleration("base", ONE, Harmonic(2.0, 5.0))
    r = solver.solve(block(supports=(shake,)), {"substeps": 1})
    np.testing.assert_allclose(r.displacement[:, 0], 2 / 25 * np.sin(5 * r.time) - 2 / 5 * r.time, atol=1e-11)


@EVERY
def test_slider_comes_to_rest(solver, block, scheme):
    """x = v0²/(2 mu g) = 0.25 m after 0.5 s, and no farther."""
    r = solver.solve(block(initial_velocity=[1.0], frictions=(rub(2.0),)), {"scheme": scheme})
    late = r.time > 0.505
    np.testing.assert_allclose(r.displacement[late, 0], 0.25, atol=2e-4)
    assert np.abs(r.velocity[late]).max() < 1e-9
    assert np.all(r.elements["rub"]["stuck"][late] == 1)
    assert np.all(r.elements["rub"]["stuck"][r.time < 0.495] == 0)
    np.testing.assert_allclose(r.elements["rub"]["force"][r.time < 0.495], -2.0)


@EVERY
def test_holds_below_the_limit(solver, block, scheme):
    pull = Load(ONE, Harmonic(0.999, 7.0))
    r = solver.solve(block(frictions=(rub(),), loads=(pull,), end=5.0), {"scheme": scheme})
    assert np.abs(r.displacement).max() < 1e-9
    np.testing.assert_allclose(r.elements["rub"]["force"], -0.999 * np.sin(7 * r.time), atol=1e-6)


def test_lasting_load_does_not_creep_however_soft_the_friction(solver, block):
    problem = block(frictions=(rub(),), loads=(Load(ONE, step(0.5)),))
    r = solver.solve(problem, {"friction_impedance": 0.5, "noslip_iterations": 1})
    assert np.abs(r.displacement).max() < 1e-12


@pytest.mark.parametrize("scheme", ["Euler", "implicitfast"])
def test_regularised_friction_yields(solver, block, scheme):
    """Twice the yield force on a unit mass: 0.5 m in a second, and an elastic part of 1e-3 m."""
    friction = rub(law="regularised", stiffness=1e3)
    r = solver.solve(block(frictions=(friction,), loads=(Load(ONE, step(2.0)),)), {"scheme": scheme})
    assert r.displacement[-1, 0] == pytest.approx(0.5, abs=0.05)
    np.testing.assert_allclose(r.elements["rub"]["force"][r.time > 0.1], -1.0, rtol=1e-2)


def test_regularised_friction_is_a_spring_below_the_limit(solver, block):
    friction = rub(law="regularised", stiffness=100.0)
    r = solver.solve(block(frictions=(friction,), initial_velocity=[0.05]), {"scheme": "Euler"})
    np.testing.assert_allclose(r.displacement[:, 0], 0.005 * np.sin(10 * r.time), atol=1e-5)


SHAKEN = {"supports": (SupportMotion.from_acceleration("s", ONE, step(1.0)),)}
FLOOR = Stop("floor", ONE, 1.0, 1.0)
REFUSED = {
    "two coefficients; MuJoCo has one": {"frictions": (Friction("rub", (ONE,), 1.0, 1.0, 0.5),)},
    "two directions": {"frictions": (Friction("rub", (ONE, ONE), 1.0, 1.0, 1.0),)},
    "force of a stop: friction loss": {"stops": (FLOOR,), "frictions": (Friction("rub", (ONE,), "floor", 1.0, 1.0),)},
    "damper": {"frictions": (rub(law="regularised", stiffness=1.0, damping=1.0),)},
    "RK4 does not return": {"frictions": (rub(law="regularised", stiffness=1.0),)},
    "a curved stop: limits of tendons": {"stops": (Stop("ring", ONE, 1.0, 1.0, geometry="circle", lateral=ONE),)},
    "without a gap": {"stops": (Stop("s", ONE, -0.1, 1.0, geometry="parallel planes"),)},
    "absolute frame": {"stops": (Stop("wall", ONE, 1.0, 1.0, frame="absolute"),), **SHAKEN},
    "a modal basis": {"mass": None, "modes": Modes(omega=ONE, damping=0 * ONE, masses=ONE, shapes=np.eye(1))},
    "device:nonlinear-spring": {"devices": (NonlinearSpring.odd(name="k", direction=ONE, coefficients=(0.0, 1.0)),)},
    "negative eigenvalue": {"stiffness": [[-1.0]]},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_expressible_is_refused_with_the_reason(solver, block, what):
    with pytest.raises(NotImplementedError, match=what):
        solver.solve(block(**REFUSED[what]), {})


@pytest.mark.parametrize("settings", [{"substeps": 0}, {"substeps": 1.5}, {"scheme": "RK45"}, {"rtol": 1e-3}])
def test_bad_settings_are_refused(solver, block, settings):
    with pytest.raises(SettingsError):
        solver.solve(block(), settings)


def test_blow_up_is_a_failure_and_leaves_nothing_behind(solver, block, tmp_path, monkeypatch):
    """MuJoCo itself would reset the state or go on, and write a log file."""
    import mujoco

    monkeypatch.chdir(tmp_path)
    with pytest.raises(SolverFailure, match="huge value"):
        solver.solve(block(stiffness=[[1e12]], initial_velocity=[1.0], loads=(Load(ONE, step(1.0)),)), {})
    assert list(tmp_path.iterdir()) == []
    assert mujoco.get_mjcb_control() is None


def test_model_that_does_not_compile_is_a_failure(solver, block):
    with pytest.raises(SolverFailure, match="does not compile"):
        solver.solve(block(mass=[[1e-20]]), {})


def test_steps_and_version_are_told(solver, block):
    assert solver.solve(block(), {"substeps": 3}).counters["steps"] == 1200
    assert solver.version[0].isdigit()
