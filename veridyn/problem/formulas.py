"""SymPy formulas of numbers, matrices and functions of time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

import sympy
from sympy.polys.matrices import DomainMatrix

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import is_formula
from veridyn.problem.expressions import TIME, Expr, read
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Harmonic, Piecewise, Windowed

T = sympy.Symbol(TIME)
NOTHING = sympy.Integer(0)
ReadNumber = Callable[[Any], Expr]  # a number of a problem, or a text, as an exact one


def find_breaks(function: TimeFunction) -> Iterator[float]:
    """Yield the instants (s) at which a function changes its formula."""
    for term in function.terms():
        if isinstance(term, Piecewise):
            yield from map(to_float, term.breaks)
        elif isinstance(term, Windowed):
            yield from (to_float(term.start), to_float(term.end))


def write_function(function: TimeFunction, inside: float, read_number: ReadNumber | None = None) -> Expr:
    """Return the formula that a function of time has around an instant (s), its numbers as `write_number` reads them.

    ``read_number`` reads them otherwise.
    """
    return sum((write_term(term, inside, read_number or write_number) for term in function.terms()), NOTHING)


def write_term(term: TimeFunction, inside: float, read_number: ReadNumber) -> Expr:
    """Return the formula that an elementary term has around an instant (s)."""
    match term:
        case Harmonic():
            amplitude, omega, phase = (read_number(value) for value in (term.amplitude, term.omega, term.phase))
            sign = 1 if term.order % 4 < 2 else -1
            return sign * amplitude * omega**term.order * (sympy.sin, sympy.cos)[term.order % 2](omega * T + phase)
        case Piecewise():
            i = bisect_right([to_float(b) for b in term.breaks], inside) - 1
            tau = T - read_number(term.breaks[max(i, 0)])
            row = term.coefficients[i] if i >= 0 else ()
            return sum((read_number(c) * tau**k for k, c in enumerate(row)), NOTHING)
        case Windowed():
            outside = not to_float(term.start) <= inside < to_float(term.end)
            return NOTHING if outside else write_function(term.function, inside, read_number)
    raise ProblemError(f"a load of kind {term.kind!r} has no formula")


def write_number(value: Any) -> Expr:
    """Return a number as its shortest decimal, what a text says, or the formula that it is."""
    if is_formula(value):
        return value.xreplace({symbol: sympy.Symbol(symbol.name) for symbol in value.free_symbols})
    return read("a number", value if isinstance(value, str) else float(value), ())


class VariedNumber(sympy.Symbol):  # type: ignore[misc]
    """A parameter by its name that has a value: a formula in it can be rounded to a double."""

    __slots__ = ("number",)

    def __new__(cls, name: str, number: Expr) -> VariedNumber:
        """Return the symbol of a name with a value."""
        result: VariedNumber = sympy.Symbol.__xnew__(cls, name)  # what a name has been made before has another value
        result.number = number
        return result

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.number)  # SymPy remembers formulas: not those of another value

    def _eval_evalf(self, precision: int) -> Any:
        return self.number._eval_evalf(precision)  # noqa: SLF001 - SymPy's way to say what a number is


def sqrt(value: Any) -> Any:
    """Return the square root of a number, or of a formula."""
    return sympy.sqrt(value) if is_formula(value) else math.sqrt(value)


def angular_frequency(period: Any) -> Any:
    """Return 2 pi over a period, a number or a formula."""
    return 2 * sympy.pi / period if is_formula(period) else 2 * math.pi / period


def write_matrix(numbers: Any) -> Any:
    """Return a matrix of exact numbers."""
    return sympy.Matrix([[write_number(entry) for entry in row] for row in numbers])


def invert(mass: Any) -> Any:
    """Return the exact inverse of a matrix of numbers."""
    return DomainMatrix.from_Matrix(write_matrix(mass)).to_field().inv().to_Matrix()
