"""How the numbers of a problem follow a parameter of its case: their derivatives, from the statement of the case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import Expr
from veridyn.problem.formulas import VariedNumber, write_number
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.named_numbers import MOTIONS, list_numbers
from veridyn.problem.scalars import to_float
from veridyn.problem.tangent import name_numbers
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import ParameterError, exact
from veridyn.references.problems.hybrid_modes import to_sympy
from veridyn.references.reference import DIGITS
from veridyn.solver.contract.errors import CapabilityError
from veridyn.validation_cases.judgement.case import Values
from veridyn.validation_cases.judgement.watched import Watched

RELATIVE = Fraction(1, 10**8)  # step of a parameter by which the numbers of an initial value problem are followed
BESIDE = Fraction(1, 10**4)  # step to the neighbours that formulas of a mechanical problem are held against
ALIKE = 1e-6  # of the largest value or change: what formulas and neighbours may differ by; differences have 1e-8


def follow_numbers(pose: Callable[[Values], Problem], values: Values, name: str) -> Mapping[str, float]:
    """Return the derivatives of the numbers of a problem by a parameter of its case, by the name of the number.

    Raises
    ------
    CapabilityError
        If the problem has no neighbours, another form there, or does not follow the parameter by numbers alone.
    """
    if isinstance(pose, Watched):
        pose = pose.hold_span(values)
    there = pose(values)
    if isinstance(there, InitialValueProblem):
        return _follow_initial_value(*_pose_beside(pose, values, name, RELATIVE), name)
    if isinstance(there, MechanicalProblem):
        formulas = _write_formulas(pose, values, name)
        below, above, distance = _pose_beside(pose, values, name, BESIDE)
        _check_neighbours(formulas, (below, there, above), distance, name)
        return {number: slope for number, slope in formulas.items() if slope}
    raise CapabilityError(f"problems of kind {there.kind!r} have no derivatives")


def _pose_beside(
    pose: Callable[[Values], Problem], values: Values, name: str, share: Fraction
) -> tuple[Problem, Problem, Fraction]:
    """Return the problems at two neighbours of a parameter, and their distance."""
    here = Fraction(float(values[name]))
    step = (abs(here) or Fraction(1)) * share
    try:
        below, above = (pose({**values, name: exact(here + sign * step)}) for sign in (-1, 1))
    except (ParameterError, CertificationError, ProblemError) as nothing:
        raise CapabilityError(f"{name} has no neighbours on both sides: {nothing}") from None
    return below, above, 2 * step


# ---- initial value problems


def _follow_initial_value(below: Problem, above: Problem, distance: Fraction, name: str) -> Mapping[str, float]:
    """Return the central differences of all numbers.

    A case may start its problem at a proved point of an orbit, so that further numbers follow. They are exact to thirty
    digits; their differences are to sixteen.
    """
    assert isinstance(below, InitialValueProblem)
    assert isinstance(above, InitialValueProblem)
    if below.modes != above.modes or len(above.initial) != len(below.initial):
        raise CapabilityError(f"the equations of {below.name} follow {name} by more than their parameters")
    before, after = list_exact(below), list_exact(above)
    slopes = {number: float(((after[number] - before[number]) / distance).evalf(DIGITS)) for number in before}
    return {number: slope for number, slope in slopes.items() if slope}


def list_exact(problem: InitialValueProblem) -> dict[str, Expr]:
    """Return the numbers of a problem by name: parameters, and initial values as expressions in them."""
    return dict(zip(name_numbers(problem), (*problem.parameters.values(), *problem.initial), strict=True))


# ---- mechanical problems


def _write_formulas(pose: Callable[[Values], Problem], values: Values, name: str) -> dict[str, float]:
    """Return the derivatives of all numbers by name, of the formulas that the statement of a case makes of them."""
    varied = VariedNumber(name, to_sympy(values[name].plain))
    # Any: a case states its problem by formulas as well
    formulas: Any = {each: to_sympy(value.plain) for each, value in values.items()} | {name: varied}
    try:
        stated = pose(formulas)
    except (ProblemError, CertificationError, TypeError, ValueError, AttributeError):
        raise CapabilityError(f"the statement of the problem takes no formula for {name}") from None
    assert isinstance(stated, MechanicalProblem)
    at = {sympy.Symbol(name): varied.number}
    return {
        number.name: float(sympy.diff(write_number(number.value), sympy.Symbol(name)).subs(at).evalf(DIGITS))
        for number in list_numbers(stated).values()
    }


def _check_neighbours(
    formulas: Mapping[str, float], problems: tuple[Problem, MechanicalProblem, Problem], distance: Fraction, name: str
) -> None:
    """Check that the numbers of neighbours differ as the formulas say, and that nothing else does.

    A statement may make a double of a parameter, look it up, or choose by it: then its formulas say too little.
    """
    below, there, above = problems
    assert isinstance(below, MechanicalProblem)
    assert isinstance(above, MechanicalProblem)
    if fault := _find_other(below, there) or _find_other(there, above):
        raise CapabilityError(f"{fault} of {there.name} follows {name}, and has no numbers to differentiate by")
    before, here, after = map(_read_doubles, (below, there, above))
    if not here.keys() == before.keys() == after.keys() == formulas.keys():
        raise CapabilityError(f"the form of {there.name} follows {name}")
    size = float(distance / (2 * BESIDE))  # of the parameter
    for number, slope in formulas.items():
        difference = (after[number] - before[number]) / float(distance)
        if abs(difference - slope) > ALIKE * max(abs(slope), abs(difference), abs(here[number]) / size):
            raise CapabilityError(f"{number} of {there.name} follows {name} by more than a formula")


def _read_doubles(problem: MechanicalProblem) -> dict[str, float]:
    return {number.name: to_float(number.value) for number in list_numbers(problem).values()}


def _find_other(one: MechanicalProblem, other: MechanicalProblem) -> str:
    """Return what differs between two problems beside their numbers; empty if nothing does."""
    if (one.start, one.end) != (other.start, other.end):
        return "the time span"
    for a, b in zip(one.supports, other.supports, strict=True):
        if any(getattr(a, motion) != getattr(b, motion) for motion in MOTIONS):
            return f"the motion of support {a.name!r}"
    return ""
