"""Simbody through its program in C++, built here; and what Simbody 3.7 does without a word."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.responses import read_response
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.subject import Subject

EXAMPLES = Path(__file__).parents[2] / "examples"
HEADERS = next((folder / "simbody" for folder in map(Path, ("/usr/include", "/usr/local/include"))
                if (folder / "simbody" / "Simbody.h").is_file()), None)  # fmt: skip
LIBRARIES = ("-lSimTKsimbody", "-lSimTKmath", "-lSimTKcommon")
SCHEMES = ("RungeKuttaMerson", "RungeKutta3", "Verlet", "CPodes")
ONE = np.ones(1)


def built(source, folder):
    compiler = shutil.which("c++") or pytest.skip("no C++ compiler is installed")
    program = folder / source.stem
    flags = (
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-isystem",
        HEADERS or pytest.skip("libsimbody-dev is not installed"),
    )
    command = [compiler, *flags, "-o", program, source, *LIBRARIES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def simbody(tmp_path_factory):
    program = built(EXAMPLES / "harnesses" / "simbody.cpp", tmp_path_factory.mktemp("simbody"))
    return load_solver(f"cmd:'{program}'")


@pytest.fixture(scope="module")
def oscillator(tmp_path_factory):
    program = built(EXAMPLES / "findings" / "simbody" / "limit_stop.cpp", tmp_path_factory.mktemp("finding"))

    def run(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
        return [float(word) for word in done.stdout.split()]

    return run


def problem(**changes):
    n = len(changes.get("initial_displacement", [0.0]))
    given = {"mass": np.eye(n), "initial_displacement": np.zeros(n), "initial_velocity": np.zeros(n), "end": 1.0}
    given |= {"name": "p", **changes}
    return MechanicalProblem(output_times=np.linspace(0.0, given["end"], 401), **given)


def solved(solver, asked, **settings):
    return read_response(asked, solver.solve(asked, {"scheme": "RungeKuttaMerson", **settings}), "simbody")


def test_it_claims_errors_proportional_to_its_accuracy(simbody):
    subject = Subject.from_introduction(introduce(simbody))
    assert subject.claims == dict.fromkeys(SCHEMES, Claims(tolerance="accuracy"))
    assert subject.refined
    assert simbody.version.startswith("3.")


@pytest.mark.parametrize(("scheme", "error"), list(zip(SCHEMES, (1e-7, 1e-6, 2e-4, 2e-5), strict=True)))
def test_coupled_masses_follow_the_matrix_exponential(simbody, scheme, error):
    mass, stiffness, damping = (
        np.diag([1.0, 2.0]),
        np.array([[50.0, -20.0], [-20.0, 20.0]]),
        np.array([[1.0, -0.5], [-0.5, 0.5]]),
    )
    start = np.array([0.1, -0.2, 0.5, 0.0])
    asked = problem(
        mass=mass, stiffness=stiffness, damping=damping, initial_displacement=start[:2], initial_velocity=start[2:]
    )
    matrix = np.block(
        [[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]]
    )
    found = solved(simbody, asked, scheme=scheme, accuracy=1e-8)
    np.testing.assert_allclose(found.displacement[-1], (expm(matrix) @ start)[:2], atol=error)


def test_rebound_from_stops_on_both_sides_and_its_events(simbody):
    """Flights of 0.15 m and 0.35 m, contacts of half a sine of w = 100 rad/s."""
    stop = Stop("planes", -2.0 * ONE, gap=0.5, offset=0.2, stiffness=1e4 / 4, geometry="parallel planes")
    asked = problem(stops=(stop,), initial_velocity=[1.0])
    found = solved(simbody, asked, accuracy=1e-10, events=1)
    half = np.pi / 100
    instants = np.array([0.35, 0.35 + half, 0.85 + half, 0.85 + 2 * half])
    np.testing.assert_allclose(found.events["planes"], instants, atol=1e-8)
    assert np.isin(found.events["planes"], found.time).all()
    assert found.elements["planes"]["normal_force"].max() == pytest.approx(1e4 / 100 / 2, rel=1e-3)
    assert found.velocity[-1, 0] == pytest.approx(1.0, abs=1e-8)


def test_loads_and_support_motion(simbody):
    shake = SupportMotion.from_acceleration("base", ONE, Harmonic(2.0, 5.0))
    asked = problem(mass=[[2.0]], supports=(shake,), loads=(Load(ONE, Harmonic(3.0, 4.0)),))
    t = asked.output_times
    exact = 2 / 25 * np.sin(5 * t) - 2 / 5 * t + 1.5 * (t / 4 - np.sin(4 * t) / 16)
    np.testing.assert_allclose(solved(simbody, asked, accuracy=1e-9).displacement[:, 0], exact, atol=1e-7)


REFUSED = {
    "frictions": {"frictions": (Friction("rub", (ONE,), 1.0, 1.0, 1.0),)},
    "Hunt and Crossley": {"stops": (Stop("s", ONE, 0.1, 1.0, damping=1.0),)},
    "not diagonal": {"mass": [[2.0, 1.0], [1.0, 2.0]], "initial_displacement": [0.0, 0.0]},
    "not made of springs": {"stiffness": [[2.0, 1.0], [1.0, 2.0]], "initial_displacement": [0.0, 0.0]},
    "negative stiffness": {"stiffness": [[-1.0]]},
    "several coordinates": {"stops": (Stop("s", [1.0, -1.0], 0.1, 1.0),), "initial_displacement": [0.0, 0.0]},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_it_does_not_model_is_not_applicable(simbody, what):
    with pytest.raises(NotImplementedError, match=what):
        simbody.solve(problem(**REFUSED[what]), {})


@pytest.mark.parametrize(
    ("arguments", "energy"),
    [
        (("CPodes", "0", "340"), (2.8, 3.4)),  # other libraries of linear algebra, other numbers
        (("CPodes", "1e-5", "340"), (1.02, 1.04)),
        (("RungeKuttaMerson", "0", "340"), (1.105, 1.109)),
        (("RungeKuttaMerson", "0", "1"), (0.826, 0.83)),
    ],
)
def test_default_accuracy_counts_a_hundred_shocks_and_has_the_wrong_energy(oscillator, arguments, energy):
    shocks, found = oscillator(*arguments)
    assert energy[0] < found < energy[1]
    if arguments[-1] == "340":
        assert shocks == 100


def test_verlet_is_documented_with_order_three_and_has_two(oscillator):
    coarse, fine = (oscillator("fixed", step) for step in ("1e-2", "5e-3"))
    assert np.log2(np.array(coarse) / fine) == pytest.approx(2.0, abs=0.02)
