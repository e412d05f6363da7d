"""Checks and runs made up for one test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from veridyn.references.certified import Certified
from veridyn.solver.problem import MechanicalProblem
from veridyn.validation_cases.case import Check, Run
from veridyn.validation_cases.tolerances import cited
from veridyn.validation_cases.workbench import Workbench


def free_mass(values=None):
    """One second of a free mass with velocity 1."""
    return MechanicalProblem(
        name="free mass",
        mass=np.eye(1),
        stiffness=np.zeros((1, 1)),
        initial_displacement=np.zeros(1),
        initial_velocity=np.ones(1),
        end=1.0,
    )


class Right:
    """Solves a free mass and counts how often it is asked."""

    name, version, capabilities = "right", "1", frozenset({"mechanical"})

    def __init__(self):
        self.calls = 0

    def solve(self, problem, settings):
        self.calls += 1
        t = np.linspace(problem.start, problem.end, 11)
        return {"time": t, "displacement": t, "velocity": np.ones_like(t)}


@pytest.fixture
def right():
    return Right()


@pytest.fixture
def make_run():
    return lambda key="run", **settings: Run(key, {}, free_mass, settings)


@pytest.fixture
def make_check(make_run):
    """One check: the last displacement, which is 1."""

    def make(**changes):
        run = changes.get("run", make_run())
        check = Check(
            case="made-up",
            variant="only",
            quantity="end",
            scheme="",
            kind="truth",
            unit="m",
            run=run,
            measure=lambda bench: float(bench.observe(run).response.displacement[-1, 0]),
            reference=lambda: Certified(1.0, 30, "closed form"),
            tolerance=lambda: cited("a test", 1e-6),
        )
        return replace(check, **changes)

    return make


@pytest.fixture
def bench(right):
    return Workbench(right)
