"""A made-up case whose truth is known, solvers whose errors are known, and what is judged of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import Certified
from veridyn.references.parameters import Parameter
from veridyn.references.reference import state
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.case import Case, Quantity, Variant
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.tolerances import cited

STEPS = (0.1, 0.05, 0.025, 0.0125)


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


def last(seen):
    """Read the displacement at the end."""
    return float(seen.response.displacement[-1, 0])


class Right:
    """Solves a free mass, whatever is set, and counts how often it is called."""

    name, version, capabilities = "right", "1", frozenset({"mechanical"})
    settings: Mapping[str, str] = {"step": "step (s)"}

    def __init__(self, **attributes):
        self.calls = []
        vars(self).update(attributes)

    def solve(self, problem, settings):
        self.calls.append(dict(settings))
        t = np.linspace(problem.start, problem.end, 11)
        x = problem.initial_displacement + problem.initial_velocity * (t[:, None] - problem.start)
        return {"time": t, "displacement": x, "velocity": np.broadcast_to(problem.initial_velocity, x.shape)}


class Stated(Right):
    """Ends a free mass at ``1 + error(step)``; by default it claims order 2 over four steps."""

    claims: Mapping[str, object] = {"order": 2}
    refinement = tuple({"step": step} for step in STEPS)

    def __init__(self, error, **attributes):
        super().__init__(**attributes)
        self.error = error

    def solve(self, problem, settings):
        found = super().solve(problem, settings)
        step = settings.get("step", STEPS[-1])
        return found | {"displacement": found["displacement"] * (1.0 + self.error(step))}


@pytest.fixture
def right():
    return Right()


@pytest.fixture
def make_right():
    return Right


@pytest.fixture
def stated():
    return Stated


@pytest.fixture
def make_quantity():
    """One quantity: the last displacement, which is 1 m, to 1e-6."""

    def make(**changes):
        truth = changes.pop("truth", 1.0)
        reference = truth if isinstance(truth, Certified) else Certified(truth, 30, "closed form", ("one", "two"))
        given = {
            "name": "end",
            "unit": "m",
            "definition": "displacement at the end",
            "reference": state("end", lambda _: reference),
            "measure": last,
            "criterion": cited("a test", 1e-6),
        }
        return Quantity(**given | changes)

    return make


@pytest.fixture
def make_statement(make_quantity):
    """A statement of a made-up case: one second of a free mass."""

    def make(*quantities, problem=free_mass, **changes):
        given = {
            "name": "made-up", "title": "", "document": "", "summary": "", "statement": (), "modelling": (),
            "remarks": (), "parameters": (Parameter("m", "kg", "mass", "1"),), "variants": (Variant("only", {}),),
            "quantities": quantities or (make_quantity(),), "problem": problem, "published": (),
        }  # fmt: skip
        case = Case(**given | changes)
        return Statement(case, case.variants[0])

    return make


@pytest.fixture
def judged(make_statement):
    """Judge everything that is asked of a solver in a statement; returns the records by id."""

    def all_of(solver, statement=None, *, layers=(), scheme="", **asked):
        statement = statement or make_statement()
        runner = Runner(LocalGate(solver), Request(**asked))
        asked_of = [c for c in checks_of(statement, runner.subject, scheme) if not layers or c.layer in layers]
        return {check.id: judge(check, runner) for check in asked_of}

    return all_of


@pytest.fixture
def make_check(make_statement, right):
    """The check of the criterion of a made-up statement."""

    def make(*quantities, **changes):
        (check, *_) = checks_of(make_statement(*quantities, **changes), Subject.from_introduction(introduce(right)), "")
        return check

    return make
