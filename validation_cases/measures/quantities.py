"""Sizes, criteria and readings that many cases share."""

import ast
import math
import operator
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from veridyn.references.certified import Certified
from veridyn.references.reference import Reference
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import Observation, Values
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly

Size = Callable[[Values], float]

NEAR = 1e-3  # spacings; a requested instant that is so near to another is not requested again


# read here, since SymPy, which reads the expressions of problems, takes a fifth of a second to load
FUNCTIONS: dict[str, Callable[..., float]] = {"sqrt": math.sqrt, "hypot": math.hypot, "abs": abs}
OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def size(formula: str) -> Size:
    """Return the size that a formula in the parameters gives, such as ``2*pi*sqrt(m/k)``; it has no sign.

    Raises TypeError from the size if there is more in it than numbers, names, operators and functions known here.
    """
    parsed = ast.parse(formula, mode="eval").body
    return lambda values: abs(_value(parsed, values))


def _value(part: ast.expr, values: Values) -> float:
    match part:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return math.pi if name == "pi" else float(values[name])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, values)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return OPERATORS[type(sign)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=given) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(one, values) for one in given))
    raise TypeError(f"{ast.unparse(part)!r} is no part of a size")


def always(size: float) -> Size:
    """Return a size that no parameter changes."""
    return lambda _: size


def share_of(size: Size, share: float, source: str) -> Callable[[Values], Tolerance]:
    """Return the criterion that an error is at most a share of a size, which is a function of the parameters."""
    return lambda values: cited(source, share * size(values), kind="absolute")


def if_it_exists(
    reference: Reference[Certified], why: str, criterion: Callable[[Values], Tolerance]
) -> Callable[[Values], Tolerance]:
    """Return the criterion of what need not exist: nothing must be found where its reference is undefined."""
    return lambda values: exactly(why) if reference.compute(values).value is None else criterion(values)


def displacement_at(o: Observation, time: float, place: int = 0, samples: int = 4) -> float:
    """Displacement of a coordinate (m) at an instant (s), between the samples."""
    return value_at(o.response.time, o.response.displacement[:, place], time, samples, o.response.instants)


def velocity_at(o: Observation, time: float, place: int = 0, samples: int = 4) -> float:
    """Velocity of a coordinate (m/s) at an instant (s), between the samples, as the solver states it."""
    return value_at(o.response.time, o.response.velocity[:, place], time, samples, o.response.instants)


def final_displacement(o: Observation) -> float:
    """Displacement of the first coordinate at the end (m)."""
    return float(o.response.displacement[-1, 0])


def outputs(end: float, spacing: float, instants: Iterable[str]) -> NDArray[np.float64]:
    """Return output instants (m,) in s: evenly spread about so far apart, and those of values that are asked for."""
    even = np.linspace(0.0, end, round(end / spacing) + 1)
    between = [t for t in map(float, instants) if t < end and np.abs(even - t).min() > NEAR * spacing]
    return np.union1d(even, between)
