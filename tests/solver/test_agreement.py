"""Histories of elements against the motion: what solvers write agrees to rounding, what is written wrongly does not."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.solver.contract.errors import MissingHistory
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.postprocessing.consistency import (
    device_residual,
    friction_residual,
    position_residual,
    rate_residual,
)
from veridyn.validation_cases.judgement.catalogue import load_case

RESIDUALS = {
    # case: residual, history that it reads
    "sdnd101": (position_residual, "gap"),
    "sdnd103": (device_residual, "force"),
    "sdnd106": (friction_residual, "force"),
    "sdnd107": (device_residual, "dashpot_force"),
}
MOVING = {"sdnd101": "normal_velocity", "sdnd106": "sliding_velocity"}


def solved(name, scheme="symplectic_euler"):
    case = load_case(name)
    problem = case.problem(case.values(case.variants[0].changes))
    return problem, SOLVER.solve(problem, {"scheme": scheme})


def changed(response, history, change):
    elements = {
        element: {name: change(values) if name == history else values for name, values in own.items()}
        for element, own in response.elements.items()
    }
    return replace(response, elements=elements)


@pytest.mark.parametrize("name", RESIDUALS)
def test_what_a_solver_writes_agrees_to_rounding_and_what_is_too_large_shows(name):
    residual, history = RESIDUALS[name]
    problem, response = solved(name)
    assert residual(problem, response) < 1e-11
    wrong = residual(problem, changed(response, history, lambda values: 1.001 * values))
    assert wrong == pytest.approx(1e-3, rel=0.01)


@pytest.mark.parametrize("name", ["sdnd103", "sdnd107"])
def test_elongations_follow_from_displacements(name):
    problem, response = solved(name)
    assert position_residual(problem, response) < 1e-11
    assert position_residual(problem, changed(response, "elongation", lambda u: 1.001 * u)) == pytest.approx(1e-3, 0.01)


@pytest.mark.parametrize("name", MOVING)
def test_rates_follow_from_velocities(name):
    problem, response = solved(name)
    assert rate_residual(problem, response) < 1e-3
    assert rate_residual(problem, changed(response, MOVING[name], lambda v: 1.1 * v)) == pytest.approx(0.1, rel=0.02)


def test_a_flag_of_stick_that_is_one_sample_late_shows_a_force_inside_the_cone():
    problem, response = solved("sdnd106")
    late = changed(response, "stuck", lambda flag: np.concatenate((flag[:1], flag[:-1])))
    assert friction_residual(problem, late) > 0.01


@pytest.mark.all_schemes
def test_a_scheme_whose_elements_see_an_earlier_velocity_shows_in_rates_alone():
    problem, response = solved("sdnd101", "devogelaere")
    assert position_residual(problem, response) < 1e-11
    assert rate_residual(problem, response) > 1e-9


@pytest.mark.all_schemes
def test_a_held_body_has_no_sliding_velocity_to_compare():
    case = load_case("sdnd106")
    problem = case.problem(case.values(case.variant("holds").changes))
    response = SOLVER.solve(problem, {"scheme": "newmark"})
    still = replace(response, displacement=0 * response.displacement, velocity=0 * response.velocity)
    assert rate_residual(problem, changed(still, "sliding_velocity", lambda v: 0 * v)) == 0.0


@pytest.mark.parametrize("residual", [position_residual, rate_residual, friction_residual])
def test_what_is_not_reported_is_missing(residual):
    problem, response = solved("sdnd106" if residual is friction_residual else "sdnd101")
    with pytest.raises(MissingHistory, match="reports no"):
        residual(problem, replace(response, elements={}))
