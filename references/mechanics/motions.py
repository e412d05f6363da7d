"""The quantities of the motion of a mechanical problem, each a reference."""

from __future__ import annotations

from functools import partial
from typing import Any

from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.errors import ProblemError
from veridyn.problem.formulas import ReadNumber
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.mechanics.assembly import make_motion
from veridyn.references.mechanics.numbers import read_decimal
from veridyn.references.mechanics.system import MechanicalSystem
from veridyn.references.problems.hybrid import MotionQuantities


def make_quantities(problem: MechanicalProblem, read: ReadNumber = read_decimal) -> MotionQuantities:
    """Return the quantities of a problem, whose numbers are read by a rule.

    Raises
    ------
    ProblemError
        For a law that has no exact form.
    """
    motion = make_motion(problem, read)
    return MotionQuantities(motion, (), make_system=MechanicalSystem, stepped=partial(_restate, problem))


def _restate(problem: MechanicalProblem) -> Any | None:
    """Return a problem as one with modes that are all written in advance, where its laws allow that."""
    try:
        return as_initial_value(problem)
    except ProblemError:
        return None
