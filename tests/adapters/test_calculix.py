"""CalculiX against closed forms, its refusals and its failures; what a deck says needs no program."""

import math
import stat

import numpy as np
import pytest

from veridyn.cli.main import main
from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, polynomial
from veridyn.solver.adapters.calculix_adapter import SOLVER, _value
from veridyn.solver.adapters.calculix_deck import deck, increments
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.loading import SolverNotFound

from .conftest import adapter


@pytest.fixture(scope="module")
def ccx():
    return adapter("calculix")


@pytest.fixture
def body(block):
    """Make a problem with 101 outputs: every increment costs two milliseconds."""

    def make(**changes):
        return block(**{"output_times": np.linspace(0.0, changes.get("end", 1.0), 101), **changes})

    return make


def error(response, truth):
    return float(np.abs(response.displacement[:, 0] - truth).max())


@pytest.mark.parametrize(("scheme", "amplitude"), [("alpha-0", 1.0), ("alpha-0.05", 0.98)])
def test_release_from_a_displacement_is_of_second_order(ccx, body, scheme, amplitude):
    released = body(mass=[[2.0]], stiffness=[[200.0]], initial_displacement=[1.0])
    coarse, fine = (ccx.solve(released, {"scheme": scheme, "substeps": n}) for n in (1, 2))
    assert error(fine, np.cos(10 * fine.time)) < 2e-3
    errors = [error(each, np.cos(10 * each.time)) for each in (coarse, fine)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert amplitude <= np.abs(fine.displacement).max() <= 1.0


def test_stop_dashpot_mass_matrix_and_supports_together(ccx, body):
    """Everything a deck has at once: one mode shape of two coordinates, so that one oscillator is the truth."""
    mass, stiffness, damping = (a * np.eye(2) + b for a, b in ((2.0, 0.5), (100.0, 25.0), (4.0, 1.0)))
    shake = SupportMotion.from_acceleration("ground", [1.0, 1.0], Harmonic(2.0, 5.0))
    problem = body(mass=mass, stiffness=stiffness, damping=damping, supports=(shake,), initial_displacement=[0.1, 0.1])
    response = ccx.solve(problem, {"scheme": "alpha-0"})
    alone = body(mass=1.0, stiffness=50.0, damping=2.0, supports=(SupportMotion("g", [1.0], *motion(shake)),),
                 initial_displacement=[0.1])  # fmt: skip
    assert response.displacement[:, 1] == pytest.approx(response.displacement[:, 0], abs=1e-7)
    assert error(response, ccx.solve(alone, {"scheme": "alpha-0"}).displacement[:, 0]) < 1e-6


def motion(support):
    return support.acceleration, support.velocity, support.displacement


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_touch_of_a_stop(ccx, body, sign):
    stop = Stop("wall", [sign], gap=0.3, offset=0.1, stiffness=1e4)
    response = ccx.solve(body(initial_velocity=[sign], stops=(stop,), end=0.4), {})
    leave = 0.2 + math.pi / 100
    inside = np.where(
        response.time < leave, np.sin(100 * (response.time - 0.2)) / 100 + 0.2, 0.2 - response.time + leave
    )
    assert error(response, sign * np.where(response.time < 0.2, response.time, inside)) < 1e-3
    force = response.elements["wall"]["normal_force"]
    assert force.min() == 0.0
    assert force.max() == pytest.approx(100.0, rel=2e-2)


def test_both_of_parallel_planes_and_a_straight_spring(ccx, body):
    walls = Stop("walls", [1.0], gap=0.1, offset=0.05, stiffness=1e4, geometry="parallel planes")
    spring = NonlinearSpring.odd(name="spring", direction=[1.0], coefficients=(0.0, 1e4), slack=0.1)
    by_stop = ccx.solve(body(initial_velocity=[1.0], stops=(walls,), end=0.6), {})
    assert by_stop.displacement.max() == pytest.approx(0.06, abs=5e-4)
    assert by_stop.displacement.min() == pytest.approx(-0.16, abs=5e-4)
    depth = np.abs(by_stop.displacement[:, 0] + 0.05) - 0.1
    law = 1e4 * np.maximum(depth, 0.0)  # seven digits of 0.16 m are 1e-7 m, times the stiffness
    assert by_stop.elements["walls"]["normal_force"] == pytest.approx(law, abs=2e-3)
    by_spring = ccx.solve(body(initial_velocity=[1.0], devices=(spring,), end=0.6), {})
    assert by_spring.displacement.max() == pytest.approx(0.11, abs=5e-4)
    assert by_spring.elements["spring"]["force"].min() == pytest.approx(-100.0, rel=2e-2)


def test_stop_in_the_absolute_frame(ccx, body):
    moves = SupportMotion.from_acceleration("ground", [1.0], polynomial(2.0))
    wall = Stop("wall", [-1.0], gap=0.0, stiffness=100.0, frame="absolute")
    response = ccx.solve(body(supports=(moves,), stops=(wall,), initial_velocity=[-1.0], end=0.5), {})
    t, leave = response.time, math.pi / 10
    assert error(response, np.where(t < leave, -np.sin(10 * t) / 10, t - leave) - t**2) < 1e-4


def test_forces_at_the_start_are_those_of_the_initial_values(ccx, body):
    moves = SupportMotion("ground", [1.0], *(polynomial(0.0), polynomial(0.0), polynomial(0.1)))
    pressed = Stop("pressed", [1.0], gap=0.1, stiffness=100.0, frame="absolute")
    open_ = Stop("open", [1.0], gap=0.1, stiffness=100.0)
    response = ccx.solve(body(supports=(moves,), stops=(pressed, open_), initial_displacement=[0.05], end=0.1), {})
    starts = [response.elements[name]["normal_force"][0] for name in ("pressed", "open")]
    assert starts == pytest.approx([5.0, 0.0])


def test_modes_are_coordinates(ccx, body):
    shapes = np.array([[1.0, 1.0], [1.0, -1.0]])
    modes = Modes(omega=[5.0, 20.0], damping=[0.0, 0.0], masses=[1.0, 2.0], shapes=shapes)
    problem = body(mass=None, modes=modes, initial_displacement=[0.1, 0.1], output_times=np.linspace(0, 1, 201))
    response = ccx.solve(problem, {"scheme": "alpha-0"})
    assert error(response, 0.1 * np.cos(5 * response.time)) < 1e-5


def test_time_limit(ccx, body):
    with pytest.raises(SolverFailure, match=r"stopped after time_limit = 0\.01 s"):
        ccx.solve(body(), {"time_limit": 0.01})


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo ' *ERROR in arpack: too many modes'", "exit status 0: .ERROR in arpack"),
        ("echo no convergence; exit 201", "exit status 201: no convergence"),
        ("true", "printed nothing"),
        ("echo > problem.dat", "0 of 100 tables of displacements"),
    ],
)
def test_zeros_after_an_error_are_no_answer(body, tmp_path, monkeypatch, script, reason):
    program = tmp_path / "ccx"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VERIDYN_CCX", str(program))
    with pytest.raises(SolverFailure, match=reason):
        SOLVER.solve(body(), {})


def test_a_missing_program_is_named_before_any_work(body, monkeypatch):
    monkeypatch.setenv("VERIDYN_CCX", "/nowhere/ccx")
    with pytest.raises(SolverNotFound, match="apt install calculix-ccx"):
        SOLVER.version  # noqa: B018 - asked when the solver is loaded
    with pytest.raises(SolverNotFound, match="/nowhere/ccx"):
        SOLVER.solve(body(), {})


@pytest.mark.parametrize("settings", [{"scheme": "Wilson"}, {"time_limit": -1.0}, {"substeps": 1.5}])
def test_bad_settings_are_refused(body, settings):
    with pytest.raises(SettingsError):
        SOLVER.solve(body(), settings)


CURVED = NonlinearSpring.odd(name="cubic", direction=[1.0], coefficients=(0.0, 1.0, 0.0, 1.0))
JUMPS = NonlinearSpring(name="jump", direction=[1.0], breaks=(0.0,), coefficients=((-1.0,), (1.0,)))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"stops": (Stop("s", [1.0], 0.0, 1.0, damping=1.0),)}, "damped"),
        ({"stops": (Stop("s", [1.0], 0.0, 1.0, geometry="parallel planes"),)}, "without a gap"),
        ({"stops": (Stop("s", [1.0], 1.0, 1.0, geometry="circle", lateral=[1.0]),)}, "curved"),
        ({"frictions": (Friction("f", ([1.0],), 1.0, 0.2, 0.1),)}, "contact of faces"),
        ({"devices": (CURVED,)}, "'cubic' is curved"),
        ({"devices": (JUMPS,)}, "'jump' jumps"),
    ],
)
def test_what_no_deck_expresses_is_refused(body, changes, reason):
    problem = body(**changes)
    with pytest.raises(NotImplementedError, match=reason):
        deck(problem, increments(problem, 1))


def test_numbers_of_a_deck_are_short_and_have_a_point(body):
    problem = body(
        mass=[[1 / 3]], stiffness=[[1e22]], loads=(Load([-1 / 7], Harmonic(1e-5, 3.0)),), initial_velocity=[-1e-7]
    )
    text = deck(problem, increments(problem, 3))
    numbers = [n for line in text.splitlines() if not line.startswith("*") for n in line.split(",") if "e" in n.lower()]
    assert any(number.startswith("1.0000000000000e+22") for number in numbers)
    assert all(len(number) <= 20 and "." in number for number in numbers if number.strip()[0] in "-0123456789")
    assert "*STEP,INC=301" in text
    assert max(map(len, text.splitlines())) <= 132  # longer lines of an amplitude end CalculiX by a segmentation fault


def test_numbers_of_fortran():
    assert [_value(text) for text in ("1.000000E-03", "1.000000-101", "-2.500000+100")] == [1e-3, 1e-101, -2.5e100]
    with pytest.raises(SolverFailure, match="no finite number"):
        _value("*" * 13)


def test_the_command_writes_a_deck_or_one_line(capsys, tmp_path):
    assert main(["export", "sdnd101", "--format", "calculix", "--output", str(tmp_path)]) == 0
    assert "*SPRING,ELSET=E3,NONLINEAR" in (tmp_path / "sdnd101.inp").read_text()
    for case, reason in (("sdnd104", "friction"), ("kepler", "no masses")):
        assert main(["export", case, "--format", "calculix"]) == 2
        assert f"{case} is no input deck of CalculiX: " in (said := capsys.readouterr().err)
        assert reason in said
