"""The adapters that can be loaded here; the others are skipped, with the reason."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.loading import SolverNotFound, load_solver

SCHEMES = {"exact": "series", "scipy": "DOP853", "sundials": "Adams", "heyoka": "Taylor"}


def adapter(name):
    try:
        solver = load_solver(name)
    except SolverNotFound as missing:
        pytest.skip(str(missing))
    return solver


@pytest.fixture(params=SCHEMES)
def solver(request):
    """Each adapter, with one scheme."""
    return replace(adapter(request.param), schemes=(SCHEMES[request.param],))


@pytest.fixture(params=["scipy/RK45", "scipy/Radau", "scipy/LSODA", "scipy/BDF", "sundials/BDF"])
def other_scheme(request):
    """The remaining schemes."""
    name, scheme = request.param.split("/")
    return replace(adapter(name), schemes=(scheme,))


@pytest.fixture
def block():
    """Make a problem of one mass: the changes from a free unit mass at rest over 1 s."""

    def make(**changes):
        n = len(changes.get("initial_displacement", [0.0]))
        given = {
            "name": "block",
            "mass": np.eye(n),
            "initial_displacement": np.zeros(n),
            "initial_velocity": np.zeros(n),
            "end": 1.0,
            **changes,
        }
        given.setdefault("output_times", np.linspace(0.0, given["end"], 401))
        return MechanicalProblem(**given)

    return make
