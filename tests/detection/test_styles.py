"""A few of the sound solvers of odd styles: nothing that they do is an alarm. `tox -e sound` tries two hundred."""

from __future__ import annotations

from math import sin

import numpy as np
import pytest

from veridyn import identify
from veridyn.solver.contract.responses import Trajectory
from veridyn.validation_cases.judgement.precision import find_digits

from .styles.drawing import FAMILIES, draw_solver
from .styles.solvers import Habits, Stepping
from .styles.study import describe, try_solver

FEW = (0, 3, 4, 8, 14, 16, 38)  # single precision, printed digits, steps as output, sums as clock among them
NAMES = {0: "Newmark", 4: "generalised-alpha", 8: "central difference", 14: "Wilson", 16: "symplectic Euler"}


@pytest.mark.parametrize("seed", FEW)
def test_sound_solver_has_no_deviation_and_its_name(seed: int) -> None:
    (card,) = identify(draw_solver(seed))
    assert card.deviations == ()
    assert card.method.startswith(NAMES.get(seed, ""))


@pytest.mark.parametrize(("seed", "case"), [(15, "kelvin_voigt"), (113, "integrator_fingerprints")])
def test_sound_solver_is_judged_without_alarm(seed: int, case: str) -> None:
    trial = try_solver(seed)
    assert trial.cases == (case,)
    assert (trial.deviations, trial.alarms) == ((), ())
    assert trial.verdicts["pass"] >= 5


def test_solvers_are_the_same_in_every_run_and_of_all_styles() -> None:
    solvers = [draw_solver(seed) for seed in range(200)]
    styles = [describe(solver) for solver in solvers]
    assert styles == [describe(draw_solver(seed)) for seed in range(200)]
    habits = [solver.habits for solver in solvers if isinstance(solver, Stepping)]
    assert {each.steps for each in habits} == {"fit", "overrun", "own", "landing", "grid"}
    assert {each.single for each in habits} == {each.summed for each in habits} == {True, False}
    assert len({each.printed for each in habits}) == 6
    assert {len(solver.claims) > 0 for solver in solvers} == {True, False}
    assert len(FAMILIES) == 20
    assert Habits().steps == "landing"


@pytest.mark.parametrize(
    ("spell", "digits"),
    [
        (float, None),
        (lambda x: float(f"{x:.5e}"), 6.0),
        (lambda x: float(f"{x:.11e}"), 12.0),
        (lambda x: round(x, 2), None),
    ],
)
def test_digits_are_read_from_many_numbers_that_need_them(spell, digits: float | None) -> None:
    states = np.array([[spell(sin(0.1 * i))] for i in range(100)])
    assert find_digits(Trajectory(time=np.arange(100.0), states=states)) == digits
    single = states.astype(np.float32).astype(float)
    if spell is float:
        assert find_digits(Trajectory(time=np.arange(100.0), states=single)) == 7.0
