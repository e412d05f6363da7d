"""Velocities against displacements, forces of stops against gaps, flags against events."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.responses import Response
from veridyn.solver.postprocessing.consistency import flags_off_events, stop_force_residual, velocity_residual

STOP = Stop("wall", np.ones(1), gap=0.5, stiffness=100.0)
PROBLEM = MechanicalProblem(
    name="sine", mass=np.eye(1), initial_displacement=np.zeros(1), initial_velocity=np.ones(1), end=6.0, stops=(STOP,)
)
STEP = 1e-2
TIME = np.arange(0.0, 6.0 + STEP / 2, STEP)


def response(lag=0.0, **histories):
    x, v = np.sin(TIME)[:, None], np.cos(TIME - lag * STEP)[:, None]
    return Response(TIME, x, v, {"wall": {name: np.asarray(h) for name, h in histories.items()}})


@pytest.mark.parametrize("lag", [0.0, 0.5, 1.0, -1.0])
def test_a_lag_counts_in_steps(lag):
    assert velocity_residual(PROBLEM, response(lag)) == pytest.approx(abs(lag), abs=0.01)


def test_a_wrong_sign_is_gross():
    right = response()
    assert velocity_residual(PROBLEM, replace(right, velocity=-right.velocity)) > 100


def test_reported_rates_of_gaps_are_looked_at():
    assert velocity_residual(PROBLEM, response(normal_velocity=-np.cos(TIME))) < 0.01
    assert velocity_residual(PROBLEM, response(normal_velocity=np.cos(TIME))) > 100


def test_half_a_step_of_the_structure_is_half_a_step_however_little_the_support_leaves_of_it():
    """The support takes back nine tenths of the motion; a rate late by half a step is so by ten times as much."""
    support = SupportMotion.from_acceleration("support", np.ones(1), Harmonic(0.9, 1.0))
    driven = replace(PROBLEM, supports=(support,), stops=(replace(STOP, frame="absolute"),))
    late = np.cos(TIME - 0.5 * STEP)
    rate = -(late - 0.9 * np.cos(TIME))
    assert velocity_residual(driven, response(0.5, normal_velocity=rate)) == pytest.approx(0.5, abs=0.01)
    assert velocity_residual(driven, response(0.5, normal_velocity=-rate)) > 10


def test_a_coordinate_that_rounding_moves_is_left_out():
    right = response()
    beside = np.hstack((right.displacement, 2e-16 * right.displacement))
    still = np.hstack((right.velocity, 0.0 * right.velocity))
    two = MechanicalProblem(
        name="two", mass=np.eye(2), initial_displacement=np.zeros(2), initial_velocity=np.array([1.0, 0.0]), end=6.0
    )
    assert velocity_residual(two, Response(TIME, beside, still)) < 0.01
    beside[:, 1] *= 1e5
    assert velocity_residual(two, Response(TIME, beside, still)) > 90


def test_rest_needs_no_velocity():
    still = Response(TIME, np.zeros((TIME.size, 1)), np.zeros((TIME.size, 1)))
    assert velocity_residual(PROBLEM, still) == 0.0
    assert velocity_residual(PROBLEM, replace(still, velocity=still.velocity + 1e-9)) == 1.0


def test_rest_away_from_zero_may_tremble_in_the_last_bits():
    tremble = np.spacing(8e-5) * np.arange(TIME.size)[:, None]  # slopes that differ by rounding of the instants alone
    still = Response(TIME, 8e-5 + tremble, np.zeros((TIME.size, 1)))
    assert velocity_residual(PROBLEM, still) == 0.0
    assert velocity_residual(PROBLEM, replace(still, velocity=still.velocity + 1e-9)) == 1.0


def test_forces_are_stiffness_times_penetration():
    force = 100.0 * np.maximum(0.0, np.sin(TIME) - 0.5)
    assert stop_force_residual(PROBLEM, response(normal_force=force)) < 1e-15
    assert stop_force_residual(PROBLEM, response(normal_force=force / 1000)) == pytest.approx(0.999)


def test_forces_that_are_not_reported_are_not_judged():
    with pytest.raises(CapabilityError, match="reports no normal_force of stop 'wall'"):
        stop_force_residual(PROBLEM, response())


def test_damped_stops_are_left_out():
    damped = replace(PROBLEM, stops=(replace(STOP, damping=1.0),))
    assert stop_force_residual(damped, response()) == 0.0


RUBBING = replace(PROBLEM, stops=(), frictions=(Friction("shoe", ([1.0],), 5.0, 0.2, 0.2),))
TURNS = TIME[[100, 250]]


def flagged(first, last, events=TURNS):
    """Return a response whose friction sticks from one sample to before another."""
    stuck = np.zeros(TIME.size)
    stuck[first:last] = 1.0
    return replace(response(), elements={"shoe": {"stuck": stuck}}, events={"shoe": events})


def test_flags_change_at_their_events():
    assert flags_off_events(RUBBING, flagged(100, 250)) == 0


def test_flags_a_sample_late_are_counted():
    assert flags_off_events(RUBBING, flagged(101, 251)) == 2


def test_an_event_that_leaves_the_flag_as_it_is_says_nothing():
    assert flags_off_events(RUBBING, flagged(0, 0)) == 0


def test_flags_without_events_are_not_judged():
    with pytest.raises(CapabilityError, match="no events or no flag of adherence of friction 'shoe'"):
        flags_off_events(RUBBING, replace(flagged(0, 0), events={}))
