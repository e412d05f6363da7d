"""All initial value problems among the cases, by integrators that are not ours (`tox -e adapters`)."""

import pytest

from .conftest import adapter
from .initial_value import SOLVERS, check_cases, find_cases


@pytest.mark.parametrize("name", SOLVERS)
def test_a_foreign_solver_passes(name):
    adapter(name)  # skips where it is missing
    check_cases(name, find_cases(name))
