"""A quantity just before an event is read from the left, or not at all."""

import math

import numpy as np
import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.errors import MissingHistory
from veridyn.solver.contract.responses import Trajectory
from veridyn.validation_cases.judgement.case import Observation
from veridyn.validation_cases.measures.trajectories import value_at

IMPACT = math.sqrt(0.2)  # s, of a ball from 1 m in 10 m/s²: it arrives with -2 sqrt(5) m/s
SPEED = 10.0 * IMPACT


def observe(*, reset: bool, before: bool) -> Observation:
    """Return a ball that bounces with half its speed, or goes on, as a solver that reports the event answers."""
    change = Change(name="impact", guard="y", direction=-1, reset={"v": "-v/2"} if reset else {})
    problem = InitialValueProblem(
        name="ball",
        states=("y", "v"),
        modes=(Mode(name="flight", rates=("v", "-10"), events=(change,)),),
        initial=("1", "0"),
        end=0.5,
    )
    early, late = np.linspace(0.0, 0.4, 9), np.linspace(0.46, 0.5, 3)
    after = SPEED / 2 if reset else -SPEED
    time = np.concatenate([early, [IMPACT], late])
    height = np.concatenate([1.0 - 5.0 * early**2, [0.0], after * (late - IMPACT) - 5.0 * (late - IMPACT) ** 2])
    velocity = np.concatenate([-10.0 * early, [after], after - 10.0 * (late - IMPACT)])
    states = np.column_stack([height, velocity])
    reported = {"impact": np.array([[0.0, -SPEED]])} if before else {}
    return Observation({}, problem, Trajectory(time, states, events={"impact": np.array([IMPACT])}, before=reported))


def test_the_state_before_an_event_is_the_reported_one() -> None:
    assert value_at(observe(reset=True, before=True), "v", ("impact", 1), before=True) == pytest.approx(-SPEED)
    assert value_at(observe(reset=True, before=True), "v", ("impact", 1)) == pytest.approx(SPEED / 2)


def test_where_nothing_jumps_it_is_that_of_the_event() -> None:
    assert value_at(observe(reset=False, before=False), "v", ("impact", 1), before=True) == pytest.approx(-SPEED)


def test_the_state_after_a_jump_is_not_taken_for_that_before() -> None:
    with pytest.raises(MissingHistory, match=r"no states before t = 0\.447"):
        value_at(observe(reset=True, before=False), "v", ("impact", 1), before=True)
    assert value_at(observe(reset=True, before=False), "v", ("impact", 1)) == pytest.approx(SPEED / 2)
