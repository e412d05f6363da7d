"""The proved truth of a problem of the user's own: no case, no solver, no tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, assert_never

from veridyn.api.front import SECONDS, settle_in_time, take_derivative
from veridyn.problem.errors import ProblemError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.references.certified import CertificationError, Certified, undefined
from veridyn.references.mechanics.motions import MechanicalQuantities, make_quantities
from veridyn.references.mechanics.numbers import read_double
from veridyn.references.parameters import Exact, ParameterError, check_digits, exact, unknown
from veridyn.references.problems import hybrid
from veridyn.references.problems.hybrid import MotionQuantities
from veridyn.references.problems.queries import (
    CountOf,
    EventNumber,
    Extreme,
    InstantOf,
    Integral,
    Query,
    ValueAt,
    When,
    name_queries,
)
from veridyn.references.reference import Reference


def prove(
    problem: Problem,
    quantities: Mapping[str, Query | str] | Sequence[Query | str],
    *,
    digits: int = 30,
    derivative: str | None = None,
    seconds: float = SECONDS,
) -> dict[str, Certified]:
    """Return proved values of quantities of a problem, by name.

    Each is an enclosure: the truth lies within `radius` of `value`. What cannot be proved is undefined, with the
    reason, the instant and the mode that the motion had reached.

    Parameters
    ----------
    problem
        A mechanical problem, whose doubles are exact numbers, or an initial value problem.
    quantities
        Queries by name, or queries alone: ``"x@1.5"``, ``"stop_closes#2"``, ``"count stop_closes"``, ``"largest x"``,
        ``"integral push_stop from 0 to 1"``; see `veridyn.references.problems.queries`. `names_of` lists what can
        stand in them.
    digits
        Significant digits wanted, 1 to 1000.
    derivative
        A parameter of an initial value problem: derivatives with respect to it are returned instead.
    seconds
        That a value may take: beyond them it is undefined, and says how far the work came.

    Raises
    ------
    ParameterError
        If nothing is asked, a query cannot be read, or a name in it means nothing; if the parameter or `digits` is
        wrong; if an instant lies before the start or after the end.
    ProblemError
        If a law of the problem has no exact form, or it has algebraic equations; if it starts inside a rigid stop, or
        at one with a velocity into it.
    """
    check_digits(digits)
    queries = name_queries(quantities)
    motion = follow_problem(problem)
    for name, query in queries.items():
        _check_instants(problem, name, query)
    if isinstance(motion, MechanicalQuantities) and (fault := motion.find_fault()):
        raise ProblemError(f"{problem.name}: {fault}")
    references = {name: make_reference(motion, query) for name, query in queries.items()}
    values = read_values(problem, derivative)
    return {name: settle_value(name, each, values, digits, seconds) for name, each in references.items()}


def names_of(problem: Problem) -> dict[str, tuple[str, ...]]:
    """Return the names that queries of a problem may hold: states, readings, events; raises `ProblemError`."""
    motion = follow_problem(problem)
    readings = () if isinstance(problem, InitialValueProblem) else motion.problem.reading_names
    return {"states": motion.problem.states, "readings": readings, "events": motion.problem.event_names}


def follow_problem(problem: Problem) -> MotionQuantities:
    """Return the motion of a problem, as the engine follows it; raises `ProblemError` for what has no exact law."""
    if isinstance(problem, MechanicalProblem):
        return make_quantities(lambda _: problem, read_number=read_double)
    if isinstance(problem, InitialValueProblem):
        if problem.constraints or problem.mass is not None:
            raise ProblemError(f"{problem.name}: algebraic equations and mass matrices are not proved: state the rates")
        return hybrid.motion(problem)
    raise ProblemError(f"{problem!r} is no problem")


def read_values(problem: Problem, derivative: str | None) -> dict[str, Exact]:
    """Return the parameters of a problem, with that one varied to which derivatives are taken."""
    parameters = problem.parameters if isinstance(problem, InitialValueProblem) else {}
    values = {name: exact(str(value), name) for name, value in parameters.items()}
    if derivative is None:
        return values
    if derivative not in values:
        if isinstance(problem, MechanicalProblem):
            raise ParameterError(f"{problem.name}: a mechanical problem has no named parameters to differentiate by")
        raise ParameterError(unknown(derivative, values))
    return {**values, derivative: values[derivative].varied()}


def _check_instants(problem: Problem, name: str, query: Query) -> None:
    """Raise `ParameterError` for an instant that the problem does not have."""
    match query:
        case ValueAt():
            instants: tuple[When | None, ...] = (query.at,)
        case InstantOf():
            instants = ()
        case _:
            instants = (query.stretch.begin, query.stretch.end)
    for instant in instants:
        if instant is None or isinstance(instant, EventNumber):
            continue
        at, start, end = (float(exact(each, "an instant")) for each in (instant, problem.start, problem.end))
        if not start <= at <= end:
            raise ParameterError(f"{name}: {problem.name} goes from {start:g} s to {end:g} s; {instant} s is not in it")


def make_reference(motion: MotionQuantities, query: Query) -> Reference[Certified]:
    """Return the reference that a query asks for; raises `ProblemError` or `ParameterError` for an unknown name."""
    match query:
        case ValueAt():
            return motion.value(query.expression, _when(query.at), query.before)
        case InstantOf():
            return motion.event(query.event.name, query.event.number)
        case CountOf():
            return motion.count(query.event, _when(query.stretch.end))
        case Extreme():
            find = motion.largest if query.side > 0 else motion.smallest
            return find(query.expression, _when(query.stretch.begin), _when(query.stretch.end))
        case Integral():
            return motion.integral(query.expression, _when(query.stretch.begin), _when(query.stretch.end))
    assert_never(query)


def _when(when: When | None) -> Any:
    return (when.name, when.number) if isinstance(when, EventNumber) else when


def settle_value(
    name: str, quantity: Reference[Certified], values: Mapping[str, Exact], digits: int, seconds: float
) -> Certified:
    """Return the value of a reference, undefined with the reason if it has none in the seconds that it may take."""
    try:
        value = settle_in_time(name, partial(quantity.compute, values, digits), seconds)
    except CertificationError as reason:
        return undefined(str(reason))
    varied = next((name for name, number in values.items() if number.slope is not None), None)
    return value if varied is None else take_derivative(value, varied)
