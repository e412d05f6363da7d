"""No solver declares a kind of problem that it does not take."""

from importlib.metadata import entry_points

import numpy as np
import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.loading import GROUP
from veridyn.solver.contract.responses import read_response

from .conftest import adapter

TIMES = np.linspace(0.0, 0.5, 51)
SPRING = MechanicalProblem(
    name="spring", mass=1.0, stiffness=4.0, initial_displacement=[1.0], end=0.5, output_times=TIMES
)
DECAY = InitialValueProblem(
    name="decay", states=("x",), modes=(Mode(name="falls", rates=("-x",)),), initial=(1,), end=0.5, output_times=TIMES
)
KINDS = {SPRING: "mechanical", DECAY: "initial-value"}
FLOOR = Change(name="floor", guard="y", direction=-1, reset={"v": "-v"})
FALL = InitialValueProblem(
    name="fall",
    states=("y", "v"),
    modes=(Mode(name="flight", rates=("v", -2), events=(FLOOR,)),),
    initial=(1, 0),
    end=0.5,
    output_times=TIMES,
)
BODIES = ("pybullet_scene",)  # whose initial value problems are those of a body in flight


@pytest.mark.parametrize("problem", KINDS, ids=KINDS.values())
@pytest.mark.parametrize("name", sorted(point.name for point in entry_points(group=GROUP)))
def test_a_solver_takes_the_kinds_that_it_declares(name, problem):
    solver = adapter(name)
    if KINDS[problem] not in solver.capabilities:
        pytest.skip("not declared")
    schemes = getattr(solver, "schemes", ())
    settings = {"scheme": schemes[0]} if schemes else {}
    if problem is DECAY and name in BODIES:
        found = read_response(FALL, solver.solve(FALL, settings), name)
        assert found.states[:, 0] == pytest.approx(1 - found.time**2, abs=1e-2)
        return
    found = read_response(problem, solver.solve(problem, settings), name)
    x = found.displacement[:, 0] if problem is SPRING else found.states[:, 0]
    exact = np.cos(2 * found.time) if problem is SPRING else np.exp(-found.time)
    assert x == pytest.approx(exact, abs=1e-2)
