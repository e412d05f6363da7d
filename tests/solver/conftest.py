"""What the tests of the solver share: an oscillator, a way to run it, a way to be refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import mpmath
import numba
import numpy as np
import pytest

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.responses import Response
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

FAMILIES = ("symplectic_euler", "newmark", "devogelaere_adaptive", "runge_kutta_54")
"""A scheme of each family: what all schemes share, elements and histories, is tested with these."""


FIRST = next(iter(SCHEMES))


@pytest.fixture(autouse=True)
def _context_untouched() -> Iterator[None]:
    """No time function may leave a changed global precision behind."""
    before = mpmath.mp.prec
    yield
    assert mpmath.mp.prec == before


def entry(part: Any) -> Any:
    """Return a part of kernels with an entry from Python."""
    return numba.njit(lambda *given: part(*given))  # noqa: PLW0108 - the part itself has none


class Build:
    """Factories of small problems; any field of the problem can be changed by keyword."""

    @staticmethod
    def oscillator(omega: float = 1.0, xi: float = 0.0, **changes: Any) -> MechanicalProblem:
        """Return a unit mass on a spring, released from 1 m at rest."""
        default = {
            "name": "oscillator",
            "mass": [[1.0]],
            "stiffness": [[omega**2]],
            "damping": [[2 * xi * omega]],
            "initial_displacement": [1.0],
            "initial_velocity": [0.0],
            "end": 1.0,
        }
        return MechanicalProblem(**{**default, **changes})

    @staticmethod
    def mass(**changes: Any) -> MechanicalProblem:
        """Return a free unit mass at rest."""
        return Build.oscillator(0.0, **{"initial_displacement": [0.0], **changes})

    @staticmethod
    def chain(n: int, *, left: bool = True, right: bool = False, **changes: Any) -> MechanicalProblem:
        """Return n unit masses joined by unit springs, held at neither, one or both ends."""
        stiffness = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        stiffness[0, 0] -= not left
        stiffness[-1, -1] -= not right
        default = {
            "name": "chain",
            "mass": np.eye(n),
            "stiffness": stiffness,
            "initial_displacement": np.zeros(n),
            "initial_velocity": np.zeros(n),
            "end": 1.0,
        }
        return MechanicalProblem(**{**default, **changes})


@pytest.fixture(scope="session")
def build() -> type[Build]:
    """Factories of small problems."""
    return Build


@pytest.fixture(scope="session")
def run(pytestconfig: pytest.Config) -> Any:
    """Run a problem with a scheme and a step; no step rule unless asked for.

    A scheme beyond the first compiles for up to a minute: it waits for ``--all-schemes``.
    """

    def run_it(problem: MechanicalProblem, scheme: str, step: float, **settings: Any) -> Response:
        if scheme != FIRST and not pytestconfig.getoption("all_schemes"):
            pytest.skip(f"compiles {scheme}: --all-schemes")
        return SOLVER.solve(problem, {"scheme": scheme, "step": step, "check_step": False, **settings})

    return run_it


@pytest.fixture(scope="session")
def march(run: Any) -> Any:
    """Run any scheme at a constant step."""

    def march_it(problem: MechanicalProblem, scheme: str, step: float, **settings: Any) -> Response:
        return run(problem, scheme, step, **SCHEMES[scheme].constant_step, **settings)

    return march_it


@pytest.fixture(scope="session")
def refused() -> Any:
    """Expect an error of one line that names every culprit."""

    @contextmanager
    def expect(error: type[Exception], *culprits: str) -> Iterator[None]:
        with pytest.raises(error) as caught:
            yield
        message = str(caught.value)
        assert "\n" not in message
        for culprit in culprits:
            assert culprit in message

    def refuse(error: type[Exception], *culprits: str) -> AbstractContextManager[None]:
        return expect(error, *culprits)

    return refuse
