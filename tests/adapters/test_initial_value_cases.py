"""A few initial value problems by integrators that are not ours; `check_initial_value_cases.py` takes them all."""

import numpy as np
import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.solver.contract.responses import read_response

from .conftest import adapter
from .initial_value import SOLVERS, check_cases, choose_cases


@pytest.mark.parametrize("name", SOLVERS)
def test_a_foreign_solver_passes(name):
    check_cases(name, choose_cases(name))


@pytest.mark.parametrize("name", ["sundials", "sundials_ida", "scipy_dae"])  # others decline
def test_a_mass_matrix_moves_the_states(name):
    """The cases have the mass one where they stand for themselves, but for the slowest."""
    heavy = InitialValueProblem(
        name="heavy",
        states=("x", "v"),
        mass=((1, 0), (0, "4 + 0*x")),
        modes=(Mode(name="swings", rates=("v", "-x")),),
        initial=(0, 1),
        end=5.0,
        output_times=np.linspace(0.0, 5.0, 51),
    )
    found = read_response(heavy, adapter(name).solve(heavy, {"scheme": SOLVERS[name]} if SOLVERS[name] else {}), name)
    np.testing.assert_allclose(found.states[:, 0], 2 * np.sin(found.time / 2), atol=1e-5)
