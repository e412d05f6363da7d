"""Siconos against closed solutions, through the command protocol."""

import sys
from copy import copy
from pathlib import Path

import numpy as np
import pytest

from veridyn.api.verifying import verify
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, Sum, polynomial, pulse, step
from veridyn.solver.adapters import siconos_adapter
from veridyn.solver.adapters.siconos_adapter import PYTHON_VARIABLE, SOLVER
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.loading import SolverNotFound, load_solver

SPEC = "veridyn.solver.adapters.siconos_adapter:SOLVER"
ONE = np.ones(1)


@pytest.fixture(scope="module")
def siconos():
    try:
        load_solver(SPEC)
    except SolverNotFound as missing:
        pytest.skip(str(missing))
    return SOLVER


@pytest.fixture
def solve(siconos, block):
    """Solve the free block of the conftest with changes; arrays of the response."""

    def run(settings=None, **changes):
        answer = siconos.solve(block(**changes), settings or {})
        return tuple(np.array(answer[key]) for key in ("time", "displacement", "velocity")), answer

    return run


def rub(limit=1.0, tangent=ONE, **more):
    return Friction("rub", (tangent,), limit, 1.0, 1.0, **more)


def test_damped_chain_of_two_masses(solve):
    """Modes (1, 1) and (1, -1) with eigenvalues 36 and 64, damping 1 % of the stiffness."""
    k = np.array([[50.0, -14.0], [-14.0, 50.0]])
    (t, x, v), _ = solve(stiffness=k, damping=0.01 * k, initial_displacement=[0.5, 0.0], initial_velocity=[0.0, 1.0])

    def mode(w, x0, v0):
        decay = 0.005 * w**2
        wd = np.sqrt(w**2 - decay**2)
        return np.exp(-decay * t) * (x0 * np.cos(wd * t) + (v0 + decay * x0) / wd * np.sin(wd * t))

    one, two = mode(6.0, 0.25, 0.5), mode(8.0, 0.25, -0.5)
    np.testing.assert_allclose(x, np.column_stack((one + two, one - two)), atol=2e-6)
    np.testing.assert_allclose(v[-1], np.gradient(x, t, axis=0, edge_order=2)[-1], atol=1e-3)


def test_exact_numbers_and_all_kinds_of_functions(solve):
    wave, push = Harmonic("3/2", "2*pi", "pi/4", 1), pulse("0.75", "3/10", "1/2")
    function = Sum((wave, push, polynomial(0.0, "1/3")))
    (t, x, v), _ = solve(loads=(Load(ONE, function),))
    rate = function.antiderivative()
    path = rate.antiderivative()
    np.testing.assert_allclose(v[:, 0], rate(t) - rate(0.0), atol=2e-4)
    np.testing.assert_allclose(x[:, 0], path(t) - path(0.0) - rate(0.0) * t, atol=2e-5)


def test_support_motions_act_through_mass_and_influence(solve):
    moves = (
        SupportMotion.from_acceleration("a", np.array([1.0, 0.25]), polynomial(0.0, 0.0, 12.0)),
        SupportMotion.from_acceleration("b", np.array([0.0, 0.75]), polynomial(2.0)),
    )
    mass = np.array([[2.0, 0.5], [0.5, 3.0]])
    (t, x, _), _ = solve(mass=mass, supports=moves, initial_displacement=[0.0, 0.0])
    np.testing.assert_allclose(x, -np.column_stack((t**4, 0.25 * t**4 + 0.75 * t**2)), atol=1e-6)


def test_start_that_is_not_zero(solve):
    (t, x, _), answer = solve(
        start=2.0, end=3.0, output_times=np.linspace(2.25, 3.0, 4), loads=(Load(ONE, polynomial(0.0, 6.0)),)
    )
    np.testing.assert_allclose(x[:, 0], t**3 - 8.0 - 12.0 * (t - 2.0), atol=1e-3)
    assert answer["counters"]["steps"] == 40


@pytest.mark.parametrize(
    "stops",
    [
        (Stop("right", ONE, 0.5, 1e4), Stop("left", -ONE, 0.5, 1e4)),
        (Stop("both", ONE, 0.5, 1e4, geometry="parallel planes"),),
        (Stop("both", ONE, 0.5, 1e4, offset=0.125, geometry="parallel planes"),),
    ],
)
def test_bounces_between_elastic_stops(solve, stops):
    """Flights of 1 m at 1 m/s between touches of pi/100 s."""
    flight, touch, count = 1.0, np.pi / 100, 10
    offset = stops[0].offset
    end = 0.5 + count * (touch + flight) - 0.5 * flight
    (_, x, v), _ = solve(
        stops=stops,
        initial_displacement=[-offset],
        initial_velocity=[1.0],
        end=end,
        output_times=np.linspace(0.0, end, 2001),
    )
    assert x[-1, 0] + offset == pytest.approx(0.0, abs=2e-4)
    assert abs(v[-1, 0]) == pytest.approx(1.0, abs=2e-4)
    assert x.max() + offset == pytest.approx(0.51, abs=2e-5)


def test_body_at_rest_on_an_elastic_stop_stays_there(solve):
    pressed = {"stops": (Stop("floor", ONE, 0.0, 1e4),), "loads": (Load(ONE, step(20.0)),)}
    (_, x, v), _ = solve(initial_displacement=[2e-3], **pressed)
    assert np.abs(x - 2e-3).max() < 1e-12
    assert np.abs(v).max() < 1e-10


def test_rigid_stops_share_impulses_through_a_full_mass_matrix(siconos):
    """A body that flies into a corner comes back with e times its velocities, whatever the masses."""
    walls = (Stop("wall", [1.0, 0.0], 0.0, restitution=0.5), Stop("roof", [0.0, 1.0], 0.0, restitution=0.5))
    corner = MechanicalProblem(
        mass=np.array([[2.0, 0.5], [0.5, 1.0]]),
        initial_displacement=np.array([-1.0, -1.0]),
        initial_velocity=np.array([1.0, 1.0]),
        end=2.0,
        output_times=np.linspace(0.0, 2.0, 21),
        stops=walls,
    )
    answer = siconos.solve(corner, {})
    assert np.array(answer["velocity"])[-1] == pytest.approx([-0.5, -0.5])
    impulses = [0.1 * np.sum(answer["elements"][name]["normal_force"]) for name in ("wall", "roof")]
    assert impulses == pytest.approx([1.5 * 2.5, 1.5 * 1.5])


@pytest.mark.parametrize("mass", [1e-9, 1e6])
def test_masses_of_any_size(solve, mass):
    (_, x, _), _ = solve(mass=mass * np.eye(1), initial_velocity=[1.0], frictions=(rub(mass),), end=2.0)
    assert x[-1, 0] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("speed", [1.0, -1.0])
@pytest.mark.parametrize("place", [-3.0, 0.0, 3.0])
def test_slides_to_rest_wherever_it_starts(solve, place, speed):
    (_, x, v), answer = solve(frictions=(rub(),), initial_displacement=[place], initial_velocity=[speed], end=2.0)
    assert x[-1, 0] - place == pytest.approx(np.copysign(0.5, speed), abs=1e-6)
    assert abs(v[-1, 0]) < 1e-12
    assert answer["elements"]["rub"]["force"][100] == -speed
    stuck = np.array(answer["elements"]["rub"]["stuck"])
    assert not stuck[:200].any()
    assert stuck[202:].all()


def test_sticks_below_the_limit_with_the_force_that_holds(solve):
    (t, x, _), answer = solve(frictions=(rub(),), loads=(Load(ONE, Harmonic(0.999, 7.0)),), end=4.0)
    assert np.abs(x).max() < 1e-12
    rubbed = answer["elements"]["rub"]
    assert all(rubbed["stuck"])
    np.testing.assert_allclose(rubbed["force"], -0.999 * np.sin(7.0 * t), atol=1e-2)


def test_stop_and_frictions_in_one_problem(solve):
    """The first mass bounces, the second slides; they do not know of each other."""
    first, second = np.eye(2)
    (_, x, v), _ = solve(
        stops=(Stop("wall", first, 0.25, 1e4),),
        frictions=(rub(2.0, second),),
        initial_displacement=[0.0, 0.0],
        initial_velocity=[1.0, 1.0],
    )
    assert x[-1, 1] == pytest.approx(0.25, abs=1e-6)
    assert v[-1, 0] == pytest.approx(-1.0, abs=0.03)
    assert v[-1, 1] == pytest.approx(0.0, abs=1e-12)


def test_theta_1_damps(solve):
    swing = {"stiffness": 100.0 * np.eye(1), "initial_displacement": [1.0], "end": 2 * np.pi}
    for scheme, left in (("theta-0.5", 1.0), ("theta-1", np.exp(-50.0 * 2 * np.pi * 2 * np.pi / 4000))):
        (_, x, _), _ = solve({"scheme": scheme}, **swing)
        assert x[-1, 0] == pytest.approx(left, abs=0.01)


@pytest.mark.parametrize(
    ("case", "substeps", "changes", "least"),
    [("sdnd101", 1, {"v0": "1.25"}, 25), ("sdld103", 5, {}, 115), ("sdnd104", 2, {"a0": "1.01"}, 35)],
)
def test_cases_pass(siconos, case, substeps, changes, least):
    """What it does not report (forces of stops, events) and orders hidden by rounding are not applicable."""
    solver = copy(siconos)
    solver.schemes = ("theta-0.5",)
    records = verify(solver, [case], parameters=changes, settings={"substeps": substeps})
    verdicts = {"pass", "not applicable"}
    assert [f"{r.id}: {r.verdict} {r.error} {r.detail}" for r in records if r.verdict not in verdicts] == []
    assert sum(r.verdict == "pass" for r in records) >= least


SHAKEN = {"supports": (SupportMotion.from_acceleration("s", ONE, step(1.0)),)}
REFUSED = {
    "modes": {"mass": None, "modes": Modes(omega=ONE, damping=0 * ONE, masses=ONE, shapes=np.eye(1))},
    "curved stop": {"stops": (Stop("ring", ONE, 1.0, 1.0, geometry="circle", lateral=ONE),)},
    "damped stop": {"stops": (Stop("stop", ONE, 0.0, 1.0, damping=1.0),)},
    "absolute frame": {"stops": (Stop("stop", ONE, 0.0, 1.0, frame="absolute"),), **SHAKEN},
    "regularised": {"frictions": (rub(law="regularised", stiffness=1.0),)},
    "two tangents": {"frictions": (Friction("rub", (ONE, ONE), 1.0, 1.0, 1.0),)},
    "force of a stop": {
        "stops": (Stop("stop", ONE, 0.0, 1.0),),
        "frictions": (Friction("rub", (ONE,), "stop", 1.0, 1.0),),
    },
    "above the kinetic": {"frictions": (Friction("rub", (ONE,), 1.0, 1.0, 0.5),)},
    "rigid stops beside": {"stops": (Stop("s", ONE, 0.0, restitution=0.5),), "frictions": (rub(),)},
    "equal steps": {"output_times": np.array([0.0, 0.1, 0.2, 0.2 + 0.1 / np.pi])},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_expressible_is_refused_with_the_reason(solve, what):
    with pytest.raises(NotImplementedError, match=what):
        solve(**REFUSED[what])


@pytest.mark.parametrize("settings", [{"substeps": 0}, {"substeps": 1.5}, {"step": -1e-3}, {"scheme": "theta-2"}])
def test_bad_settings_are_refused(solve, settings):
    with pytest.raises(SettingsError):
        solve(settings)


def test_a_motion_beyond_all_numbers_is_a_failure(solve):
    with pytest.raises(SolverFailure, match="siconos says"):
        solve(loads=(Load(np.array([1e308]), polynomial(1e308)),))
    (_, x, _), _ = solve(initial_velocity=[1.0])
    assert x[-1, 0] == pytest.approx(1.0)


def test_without_output_instants_the_program_chooses(solve):
    (t, x, _), _ = solve(output_times=None, initial_velocity=[1.0])
    assert t[0] == 0.0
    assert t[-1] == 1.0
    assert x[-1, 0] == pytest.approx(1.0)


def test_adapter_describes_itself_as_the_program_does(siconos):
    assert siconos.version[0].isdigit()
    assert set(siconos.settings) == {"substeps", "step"}
    assert set(siconos_adapter._program().settings) == {"substeps"}
    assert siconos_adapter._program().schemes == siconos.schemes


@pytest.mark.parametrize("python", ["no-such-python", sys.executable])
def test_missing_siconos_is_named_with_the_remedy(monkeypatch, tmp_path, python):
    (tmp_path / "siconos.py").write_text("raise ImportError('siconos is broken')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv(PYTHON_VARIABLE, python)
    with pytest.raises(SolverNotFound, match=r"apt install python3-siconos.*VERIDYN_SICONOS_PYTHON") as caught:
        load_solver(SPEC)
    assert Path(python).name in str(caught.value)
    assert "\n" not in str(caught.value)
