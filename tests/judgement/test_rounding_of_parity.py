"""Where parity is granted more than half a unit for roundings of the data, such roundings do move the value."""

from dataclasses import replace

import pytest

from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Observation, Subject
from veridyn.validation_cases.catalogue import all_cases
from veridyn.validation_cases.checks import checks

ULP = 2.220446049250313e-16
GRANTED = [(case, cell) for case in all_cases() for cell in case.published if cell.rounding]


class Rounded:
    """A bench that solves a run with its modal frequencies and initial state rounded differently."""

    def __init__(self, units):
        self.factor = 1.0 + units * ULP

    def observe(self, run):
        modes = replace(run.problem.modes, omega=run.problem.modes.omega * self.factor)
        displacement = run.problem.initial_displacement * self.factor
        problem = replace(run.problem, modes=modes, initial_displacement=displacement)
        return Observation(run.values, problem, SOLVER.solve(problem, run.settings))


@pytest.mark.parametrize(("case", "cell"), GRANTED, ids=[f"{c.name}-{p.source}-{p.quantity}" for c, p in GRANTED])
def test_roundings_of_the_data_move_the_value(case, cell):
    subject = replace(Subject.of(SOLVER), schemes=(cell.scheme,))
    found = checks(case, subject, only=cell.variant)
    check = next(c for c in found if c.kind == "parity" and c.published == cell.value)
    values = [check.measure(Rounded(units)) for units in range(-6, 7)]
    assert max(values) - min(values) > cell.rounding / 5
    assert max(abs(value - float(cell.value)) for value in values) < 3 * check.tolerance().value
