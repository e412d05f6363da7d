"""The exact solver where too many states would have to be compared: all that is wrong is switched at once."""

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import polynomial
from veridyn.solver.exact import transitions
from veridyn.solver.exact.solver import ExactComputation
from veridyn.solver.exact.transitions import EventState


def pulled(seed):
    """Four coupled bodies at rest on dry ground, one of them pressed to it by a stop, pulled: who slips is unique."""
    rng = np.random.default_rng(seed)
    a, rows = rng.normal(size=(4, 4)), np.eye(4)
    return MechanicalProblem(
        name="pulled",
        mass=a @ a.T + 0.3 * np.eye(4),
        initial_displacement=np.zeros(4),
        initial_velocity=np.zeros(4),
        frictions=tuple(Friction(f"rub{i}", (r,), "floor" if i == 3 else 1.0, 1.0, 1.0) for i, r in enumerate(rows)),
        stops=(Stop("floor", rows[0], -1e-3, 1e3),),
        loads=(Load(2.5 * rng.normal(size=4), polynomial(0.0, 1.0)),),
        end=1e-9,
    )


@pytest.mark.parametrize("seed", [0, 4])  # of others the first state that is tried is right
def test_switching_finds_the_state_that_a_search_of_all_finds(seed, monkeypatch):
    prepared = ExactComputation(pulled(seed))
    now = EventState(prepared.start, prepared._phase(0.0, prepared.drives[0]), prepared.first, -1)
    searched = prepared.transitions.find(now)
    monkeypatch.setattr(transitions, "MOST_TRIED", 1)
    switched = prepared.transitions.find(now)
    assert switched.states.tolist() == searched.states.tolist()
    assert switched.ambiguous
    assert not searched.ambiguous


def test_switching_that_comes_to_no_end_finds_nothing(monkeypatch):
    prepared = ExactComputation(pulled(0))
    now = EventState(prepared.start, prepared._phase(0.0, prepared.drives[0]), prepared.first, -1)
    monkeypatch.setattr(transitions, "MOST_TRIED", 1)
    monkeypatch.setattr(transitions, "MOST_TURNS", 0)
    assert prepared.transitions.find(now) is None
