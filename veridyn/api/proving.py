"""The proved truth of a problem of the user's own: no case, no solver, no tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, assert_never

import sympy

from veridyn.api.front import settle_until
from veridyn.api.limits import SECONDS
from veridyn.problem.errors import ProblemError
from veridyn.problem.formulas import VariedNumber
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.named_numbers import NamedNumber, list_numbers, replace_number
from veridyn.references.certified import CertificationError, Certified, undefined
from veridyn.references.derivatives import check_names, differentiate
from veridyn.references.mechanics.motions import MechanicalQuantities, make_quantities
from veridyn.references.mechanics.numbers import read_double
from veridyn.references.parameters import Exact, Parameter, ParameterError, check_digits, exact, resolve, unknown
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
    derivative: str | Sequence[str] = (),
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
        A parameter of an initial value problem, or a number of a mechanical one by its name, such as ``"wall.gap"`` or
        ``"mass[1,1]"`` (see `veridyn.problem.named_numbers`): derivatives with respect to it are returned instead; of
        two, or one twice, the second ones.
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
    names = (derivative,) if isinstance(derivative, str) else tuple(derivative)
    motion = follow_problem(problem, names)
    values = read_values(problem, motion)
    check_names(names, values)
    for name, query in queries.items():
        _check_instants(problem, name, query)
    if isinstance(motion, MechanicalQuantities) and (fault := motion.find_fault()):
        raise ProblemError(f"{problem.name}: {fault}")
    references = {name: make_reference(motion, query) for name, query in queries.items()}
    return {name: settle_value(name, each, values, digits, names, seconds) for name, each in references.items()}


def names_of(problem: Problem) -> dict[str, tuple[str, ...]]:
    """Return the names that queries of a problem may hold: states, readings, events; raises `ProblemError`."""
    motion = follow_problem(problem)
    readings = () if isinstance(problem, InitialValueProblem) else motion.problem.reading_names
    return {"states": motion.problem.states, "readings": readings, "events": motion.problem.event_names}


def follow_problem(problem: Problem, varied: Sequence[str] = ()) -> MotionQuantities:
    """Return the motion of a problem, as the engine follows it.

    ``varied``: numbers of a mechanical problem that are its parameters. Raises `ProblemError` for what has no
    exact law, `ParameterError` for a number that the problem does not have.
    """
    if isinstance(problem, MechanicalProblem):
        if not varied:
            return make_quantities(lambda _: problem, read_number=read_double)
        return _vary(problem.dense(), tuple(dict.fromkeys(varied)))
    if isinstance(problem, InitialValueProblem):
        if problem.constraints or problem.mass is not None:
            raise ProblemError(f"{problem.name}: algebraic equations and mass matrices are not proved: state the rates")
        return hybrid.motion(problem)
    raise ProblemError(f"{problem!r} is no problem")


def _vary(problem: MechanicalProblem, names: Sequence[str]) -> MotionQuantities:
    """Return the motion of a problem with some of its numbers as its parameters; `ParameterError` if it has none."""
    numbers = list_numbers(problem)
    for name in names:
        if name not in numbers:
            raise ParameterError(unknown(name, numbers, "number"))
    varied = [numbers[name] for name in names]

    def state(values: Mapping[str, Any]) -> MechanicalProblem:
        result = problem
        for number in varied:
            value = values[number.name]
            result = replace_number(result, number, value) if isinstance(value, VariedNumber) else result
        return result

    parameters = (Parameter(n.name, "", "a number of the problem", str(_read_exact(n)), "any") for n in varied)
    return make_quantities(state, tuple(parameters), read_number=read_double)


def _read_exact(number: NamedNumber) -> Exact:
    """Return a number of a problem as the engine reads it; raises `ParameterError` for other formulas than r π^k."""
    coefficient, rest = read_double(number.value).as_coeff_Mul()
    base, power = rest.as_base_exp()
    if not coefficient.is_Rational or (rest != 1 and not (base == sympy.pi and power.is_Integer)):
        raise ParameterError(
            f"{number.name} = {number.value}: derivatives are taken to rational multiples of powers of pi"
        )
    return Exact(Fraction(int(coefficient.p), int(coefficient.q)), 0 if rest == 1 else int(power))


def read_values(problem: Problem, motion: MotionQuantities) -> dict[str, Exact]:
    """Return the parameters of a problem and its motion."""
    if isinstance(problem, MechanicalProblem):
        return resolve(motion.parameters, {})
    parameters = problem.parameters if isinstance(problem, InitialValueProblem) else {}
    return {name: exact(str(value), name) for name, value in parameters.items()}


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
    name: str,
    quantity: Reference[Certified],
    values: Mapping[str, Exact],
    digits: int,
    derivative: tuple[str, ...],
    seconds: float,
) -> Certified:
    """Return the value of a reference or a derivative, undefined with the reason if it has none in these seconds."""
    compute = settle_until(name, quantity.compute, seconds)
    if derivative:
        return differentiate(compute, values, derivative, digits)
    try:
        return compute(values, digits)
    except CertificationError as reason:
        return undefined(str(reason))
