"""Matrices that are functions of time: schemes and event-driven integrators against a product of exponentials."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.elements import TimeVarying
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.smoothness import regularity
from veridyn.problem.time_functions import Harmonic, Piecewise
from veridyn.solver.contract.errors import StepError
from veridyn.solver.contract.loading import SolverNotFound, load_solver
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FAMILIES

SOFTER, MORE = np.array([[1.5, -0.5], [-0.5, 0.5]]), np.array([[0.4, 0.1], [0.2, 0.3]])
SQUARE = Piecewise((0.0, 0.5, 1.0, 1.5), ((1.0,), (-1.0,), (1.0,), (-1.0,)))
WAVE = Harmonic(1.0, 7.0, 0.3)
JUMPS = (TimeVarying("stiffness", -SOFTER, SQUARE), TimeVarying("damping", MORE, SQUARE))


def pair(build, **changes):
    start = {"initial_displacement": [0.3, -0.2], "initial_velocity": [1.0, 0.5]}
    return build.chain(2, **{"varying": JUMPS, **start, "end": 2.0, **changes})


def true_end(problem):
    """The state after four exponentials."""
    state = np.concatenate((problem.initial_displacement, problem.initial_velocity))
    for sign in (1, -1, 1, -1):
        k, c = problem.stiffness - sign * SOFTER, problem.damping + sign * MORE
        state = expm(0.5 * np.block([[np.zeros((2, 2)), np.eye(2)], [-k, -c]])) @ state
    return state


@pytest.mark.parametrize("scheme", FAMILIES)
def test_schemes_tend_to_the_product_of_exponentials(scheme, build, march):
    """Steps end where the matrices jump, and see them half a step early or late at most: order 1."""
    problem, errors = pair(build), []
    for k in range(3):
        r = march(problem, scheme, 2.0**-7 / 2**k)
        errors.append(np.abs(r.displacement[-1] - true_end(problem)[:2]).max())
    assert errors[-1] < 0.65 * errors[0] < 0.02


@pytest.mark.parametrize("name", ["scipy", "sundials", "heyoka"])
def test_event_driven_integrators_end_a_leg_where_matrices_jump(name, build):
    try:
        solver = load_solver(name)
    except SolverNotFound as missing:
        pytest.skip(str(missing))
    found = solver.solve(pair(build), {"scheme": solver.schemes[0]})
    assert np.append(found.displacement[-1], found.velocity[-1]) == pytest.approx(true_end(pair(build)), abs=1e-8)


@pytest.mark.parametrize("scheme", FAMILIES)
def test_smooth_functions_cost_no_order_that_the_velocity_does_not(scheme, build, march):
    problem = pair(build, varying=(TimeVarying("stiffness", SOFTER, WAVE),))
    fine = march(problem, "runge_kutta_54", 2.0**-9).displacement[-1]
    errors = [np.abs(march(problem, scheme, 2.0**-4 / 2**k).displacement[-1] - fine).max() for k in range(3)]
    order = 1 if SCHEMES[scheme].claims.get("lag") else SCHEMES[scheme].order
    assert -np.polyfit(range(3), np.log2(errors), 1)[0] > order - 0.4


def test_file_and_needs(build):
    problem = pair(build)
    again = problem_from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    assert again.needs >= {"stiffness:time-varying", "damping:time-varying"}
    assert regularity(problem) == 1.0


def test_a_callable_is_a_function_too(build, march):
    by_callable = pair(build, varying=TimeVarying("stiffness", SOFTER, lambda t: np.sin(7.0 * t + 0.3)))
    by_wave = pair(build, varying=TimeVarying("stiffness", SOFTER, WAVE))
    a, b = (march(problem, "newmark", 2.0**-6).displacement for problem in (by_callable, by_wave))
    assert a == pytest.approx(b, abs=1e-10)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (lambda: TimeVarying("mass", SOFTER, WAVE), "of 'mass' is unknown"),
        (lambda: TimeVarying("stiffness", SOFTER, "often"), "no function of the time"),
        (lambda: TimeVarying("stiffness", np.eye(3), WAVE), r"varying stiffness 1 has shape \(3, 3\)"),
    ],
)
def test_what_is_refused(part, words, build):
    with pytest.raises(ProblemError, match=words):
        pair(build, varying=(part(),))


def test_the_exact_solver_refuses_in_a_line(build):
    with pytest.raises(NotImplementedError, match="matrices that are functions of time"):
        EXACT.solve(pair(build), {})


def test_the_step_rule_sees_what_the_stiffness_grows_by(build):
    stiff = TimeVarying("stiffness", 4e4 * np.eye(2), WAVE)
    with pytest.raises(StepError, match=r"varying stiffness up to 4\d{4}"):
        SOLVER.solve(pair(build, varying=stiff), {"scheme": "newmark", "step": 1e-2})


def test_pieces_are_modes_of_the_initial_value_problem(build):
    assert [mode.name for mode in as_initial_value(pair(build)).modes] == [f"piece_{i}" for i in range(1, 5)]
