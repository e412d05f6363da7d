"""Newton on the CPU; kernels are compiled on first use, which takes minutes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.time_functions import Harmonic, step

from .conftest import adapter

ONE = np.ones(1)
FINDING = Path(__file__).parents[2] / "examples" / "findings" / "newton" / "drive_is_no_spring.py"


@pytest.fixture(scope="module")
def solver():
    return adapter("newton")


def test_an_oscillator_converges_with_order_one(solver, block):
    problem = block(
        mass=[[2.0]], stiffness=[[72.0]], initial_displacement=[0.5], output_times=np.linspace(0.0, 1.0, 21)
    )
    exact = 0.5 * np.cos(6 * problem.output_times)
    coarse, fine = (np.abs(solver.solve(problem, {"substeps": n}).displacement[:, 0] - exact).max() for n in (10, 20))
    assert coarse / fine == pytest.approx(2.0, abs=0.1)


def test_limits_on_both_sides_rebound(solver, block):
    stop = Stop("planes", -2.0 * ONE, gap=0.5, offset=0.2, stiffness=1e4 / 4, geometry="parallel planes")
    times = np.linspace(0.0, 1.0, 401)
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0], output_times=times), {"substeps": 4})
    assert r.displacement.max() == pytest.approx(0.36, abs=1e-3)
    assert r.displacement.min() == pytest.approx(-0.16, abs=1e-3)
    assert r.velocity[-1, 0] == pytest.approx(1.0, abs=1e-3)


def test_loads_and_support_motion(solver, block):
    shake = SupportMotion.from_acceleration("base", ONE, Harmonic(2.0, 5.0))
    r = solver.solve(block(supports=(shake,), loads=(Load(ONE, step(3.0, 0.5)),)), {"substeps": 2})
    assert r.displacement[-1, 0] == pytest.approx(2 / 25 * np.sin(5) - 2 / 5 + 1.5 * 0.25, abs=2e-3)


TWO = {"initial_displacement": [0.0, 0.0]}
REFUSED = {
    "friction:set-valued": {"frictions": (Friction("rub", (ONE,), 1.0, 1.0, 1.0),)},
    "damper of a limit pulls": {"stops": (Stop("s", ONE, 0.1, 1.0, damping=1.0),)},
    "stiffness matrix": {"stiffness": [[2.0, -1.0], [-1.0, 2.0]], **TWO},
    "2 coordinates": {"stops": (Stop("s", [1.0, -1.0], 0.1, 1.0),), **TWO},
    "unlike stiffness": {"stops": (Stop("a", ONE, 0.1, 1.0), Stop("b", -ONE, 0.1, 2.0))},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_it_does_not_model_is_refused_with_the_reason(solver, block, what):
    with pytest.raises(NotImplementedError, match=what):
        solver.solve(block(**REFUSED[what]), {})


def test_it_claims_order_one_and_seven_digits(solver):
    assert solver.claims("Featherstone") == {"order": 1, "printed": 7}


def test_a_drive_used_as_a_spring_does_not_act_beyond_the_limit(solver):
    if not solver.version.startswith("1.8"):
        pytest.skip("findings are those of Newton 1.8")
    spec = importlib.util.spec_from_file_location("drive_is_no_spring", FINDING)
    finding = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(finding)
    assert abs(finding.error("stiffness", 1e-4)) < 1e-4
    assert finding.error("target_ke", 1e-4) == pytest.approx(np.sqrt(1.01) - 1, rel=0.02)
