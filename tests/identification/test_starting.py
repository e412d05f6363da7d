"""Whether answers begin with the state that is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.identification.initial_value_solvers import RungeKutta
from tests.identification.solvers import Stepper, leapfrog
from veridyn.identification.examinee import Examinee
from veridyn.identification.starting import STARTS, read_first_state, read_start
from veridyn.identification.trials import Answer, Bench, Floats, pose_oscillator
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.precision import IN_DOUBLE, IN_SINGLE

Change = Callable[[float, Floats], object]


def answer(change: Change) -> Bench:
    """Return a bench with exact vibrations whose states (2, m) were changed; ``change`` gets the frequency as well."""
    answers: dict[object, Answer] = {}
    for rate, x, v in STARTS:
        trial = pose_oscillator(rate, x, v)
        turn = rate * trial.instants
        states = np.array([x * np.cos(turn) + v / rate * np.sin(turn), v * np.cos(turn) - x * rate * np.sin(turn)])
        change(rate, states)
        answers[trial] = states.T[:, :, None]
    return Bench(Examinee(LocalGate(Stepper(leapfrog))), answers=answers)  # type: ignore[arg-type]


def scale(row: int, factor: float) -> Change:
    return lambda _, states: np.multiply(states[row], factor, out=states[row])


def set_back(rate: float, states: Floats) -> None:
    """Report velocities half a step early, as staggered methods do."""
    states[1] += 0.5 * rate**2 * states[0]


def round_all(_: float, states: Floats) -> None:
    states[:] = states.astype(np.float32)


def say_nothing(_: float, states: Floats) -> None:
    """Change nothing."""


@pytest.mark.parametrize("change", [say_nothing, set_back, round_all, scale(0, 1 + 3e-9)])
def test_a_start_as_given_is_no_deviation(change: Change) -> None:
    assert read_start(answer(change)).deviations == ()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (scale(0, 1 + 1e-6), "answers begin with a displacement 1.0e-06 off the one that is given"),
        (scale(1, 1 - 2e-8), "answers begin with a velocity 2.0e-08 off the one that is given"),
    ],
)
def test_a_start_that_was_changed_is_one(change: Change, line: str) -> None:
    assert read_start(answer(change)).deviations == (line,)


def test_nothing_is_said_of_a_solver_that_does_not_answer() -> None:
    refusing = Bench(Examinee(LocalGate(Stepper(leapfrog, capabilities=frozenset()))))
    assert read_start(refusing).deviations == ()


class Late(RungeKutta):
    """Writes its states a share too large, or rounds what it begins with."""

    share, is_single = 0.0, False

    def solve(self, problem: Any, settings: Any) -> dict[str, Any]:
        answer = dict(super().solve(problem, settings))
        states = np.asarray(answer["states"]) * (1 + self.share)
        states[0] = states[0].astype(np.float32) if self.is_single else states[0]
        return {**answer, "states": states}


def test_the_first_state_of_an_initial_value_problem_is_the_one_that_is_given() -> None:
    solver = Late("late", "rk4")
    examinee = Examinee(LocalGate(solver))
    assert read_first_state(examinee, {"step": 0.1}, IN_DOUBLE).deviations == ()
    solver.share = 1e-6
    line = "answers begin with a state 1.0e-06 off the one that is given"
    assert read_first_state(examinee, {"step": 0.1}, IN_DOUBLE).deviations == (line,)
    solver.share, solver.is_single = 0.0, True
    assert read_first_state(examinee, {"step": 0.1}, IN_DOUBLE).deviations
    assert read_first_state(examinee, {"step": 0.1}, IN_SINGLE).deviations == ()
