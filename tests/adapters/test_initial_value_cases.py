"""A few initial value problems by integrators that are not ours; `check_initial_value_cases.py` takes them all."""

import pytest

from .initial_value import SOLVERS, check_cases, choose_cases


@pytest.mark.parametrize("name", SOLVERS)
def test_a_foreign_solver_passes(name):
    check_cases(name, choose_cases(name))
