"""What a solver returns of an initial value problem is checked on arrival."""

import numpy as np
import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Trajectory, output_instants, read_response

TIME = np.linspace(0.0, 3.0, 7)
STATES = np.stack([1 - TIME, -np.ones(7)], axis=1)
HIT = Change(name="hit", guard="x", direction=-1, reset={"v": "-v"})
END = Change(name="end", guard="x", direction=-1, terminal=True)


def falling(event=HIT, **more):
    """x' = v from (1, -1)."""
    modes = (Mode(name="flight", rates=("v", 0), events=(event,)),)
    return InitialValueProblem(name="fall", states=("x", "v"), modes=modes, initial=(1, -1), end=3, **more)


def answer(**changes):
    return {"time": TIME, "states": STATES, **changes}


def test_a_trajectory_is_read_with_its_events():
    found = read_response(
        falling(),
        answer(events={"hit": [1.0]}, before={"hit": [[0.0, -1.0]], "other": 3}, modes=["flight"] * 7),
        "mine",
    )
    assert isinstance(found, Trajectory)
    assert found.states.shape == (7, 2)
    assert found.instants.tolist() == [1.0]
    assert found.before["hit"].tolist() == [[0, -1]]
    assert "other" not in found.before
    assert found.modes == ("flight",) * 7


def test_a_trajectory_passes_unchanged():
    found = read_response(falling(), Trajectory(TIME, STATES), "mine")
    assert np.array_equal(found.states, STATES)
    assert found.instants.size == 0


def test_a_terminal_event_may_end_a_trajectory_early():
    early = answer(time=TIME[:3], states=STATES[:3], events={"end": [1.0]})
    assert read_response(falling(END), early, "mine").time[-1] == 1
    with pytest.raises(SolverFailure):
        read_response(falling(END), answer(time=TIME[:3], states=STATES[:3]), "mine")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"states": STATES[:, :1]}, "(7, 2)"),
        ({"states": STATES[:4]}, "(7, 2)"),
        ({"modes": ["flight"] * 6 + ["fligth"]}, "'fligth'"),
        ({"modes": ["flight"] * 6}, "6 modes for 7 samples"),
        ({"events": {"hti": [1.0]}}, "'hti'"),
        ({"events": [1.0]}, "events"),
        ({"events": {"hit": [1.1]}}, "no sample"),
        ({"events": {"hit": [1.0, 0.5]}}, "increasing"),
        ({"events": {"hit": [1.0]}, "before": {"hit": [[0.0]]}}, "before hit"),
        ({"counters": 3}, "counters"),
    ],
)
def test_malformed_trajectories_are_refused(changes, words):
    with pytest.raises(SolverFailure) as refused:
        read_response(falling(), answer(**changes), "mine")
    assert words in str(refused.value)


def test_states_are_needed():
    with pytest.raises(SolverFailure, match="no states"):
        read_response(falling(), {"time": TIME}, "mine")


def test_instants_of_the_output_are_those_asked_for_or_two_thousand_steps():
    assert output_instants(falling(output_times=TIME)).tolist() == TIME.tolist()
    free = output_instants(falling())
    assert (free.size, free[0], free[-1]) == (2001, 0, 3)
