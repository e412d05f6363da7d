"""How a problem follows one of its parameters: which of its numbers move, and how fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.nearest import nearest

INITIAL = "initial."  # before the name of an unknown: its initial value, whatever the parameters make of it


@dataclass(frozen=True)
class Tangent:
    """Derivatives of the numbers of a problem by one parameter; what is not named does not follow it.

    Attributes
    ----------
    parameter
        What the derivatives are taken to, as reports call it.
    numbers
        Derivative by the name of a number. Of an initial value problem these are its parameters, and
        ``initial.STATE``; of a mechanical problem the names of `named_numbers`: ``wall.gap``, ``mass[1,1]``.
    """

    parameter: str
    numbers: Mapping[str, float]


def name_numbers(problem: Problem) -> tuple[str, ...]:
    """Return the names of the numbers of a problem that derivatives can be taken to."""
    # late: both take SymPy, which those who only pass a tangent on need not wait for
    if problem.kind == MechanicalProblem.kind:
        from veridyn.problem.named_numbers import list_numbers

        return tuple(list_numbers(cast(MechanicalProblem, problem)))
    from veridyn.problem.initial_value import InitialValueProblem

    stated = cast(InitialValueProblem, problem)
    return (*stated.parameters, *(INITIAL + name for name in stated.unknowns))


def read_tangent(problem: Problem, given: object) -> Tangent:
    """Return a tangent from its mapping of ``parameter`` and ``numbers``, or one of a single number from its name.

    Raises `ProblemError` for a number that the problem does not have, or a derivative that is not finite.
    """
    stated = {"parameter": given, "numbers": {given: 1.0}} if isinstance(given, str) else given
    if not isinstance(stated, Mapping) or set(stated) != {"parameter", "numbers"}:
        raise ProblemError(f"{problem.name}: a tangent has a parameter and numbers, got {given!r:.100}")
    numbers, known = stated["numbers"], name_numbers(problem)
    if not isinstance(numbers, Mapping):
        raise ProblemError(f"{problem.name}: the numbers of a tangent are derivatives by name, got {numbers!r:.100}")
    for name, value in numbers.items():
        if name not in known:
            raise ProblemError(f"{problem.name}: unknown number {name!r}; {nearest(str(name), known)}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ProblemError(f"{problem.name}: the derivative of {name} is {value!r}; a finite number is needed")
    return Tangent(str(stated["parameter"]), {name: float(value) for name, value in numbers.items()})
