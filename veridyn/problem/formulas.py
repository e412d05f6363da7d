"""SymPy formulas of numbers, matrices and functions of time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import sympy
from sympy.polys.matrices import DomainMatrix

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import is_formula
from veridyn.problem.expressions import TIME, Expr, read
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.scalars import Scalar, to_float
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, Windowed

T = sympy.Symbol(TIME)
NOTHING = sympy.Integer(0)
ReadNumber = Callable[[Any], Expr]  # a number of a problem, or a text, as an exact one


def find_breaks(function: TimeFunction) -> Iterator[Scalar]:
    """Yield the instants (s) at which a function changes its formula, as they were given."""
    for term in _list_parts(function):
        if isinstance(term, Piecewise):
            yield from term.breaks
        elif isinstance(term, Windowed):
            start, end = to_float(term.start), to_float(term.end)
            yield term.start
            yield from (b for b in find_breaks(term.function) if start < to_float(b) < end)
            yield term.end


def _list_parts(function: TimeFunction) -> Iterator[TimeFunction]:
    """Yield what a function is the sum of; windows whole, since the terms that they have are rounded."""
    if isinstance(function, Sum):
        for each in function.summands:
            yield from _list_parts(each)
    elif isinstance(function, Windowed):
        yield function
    else:
        yield from function.terms()


def list_breaks(
    functions: Iterable[TimeFunction], start: float, end: float, read_number: ReadNumber | None = None
) -> dict[float, Expr]:
    """Return all instants (s) between two at which functions change their formulas, in order: doubles, and exact.

    Raises `ProblemError` for instants that differ by less than doubles tell: what holds between them has no place.
    """
    instants: dict[float, Expr] = {}
    for given in (b for function in functions for b in find_breaks(function)):
        place, instant = to_float(given), (read_number or write_number)(given)
        if instants.setdefault(place, instant) != instant:
            raise ProblemError(f"functions change at {place!r} s twice: both instants are exact, and one as doubles")
    return {place: instants[place] for place in sorted(instants) if start < place < end}


def write_function(function: TimeFunction, inside: float, read_number: ReadNumber | None = None) -> Expr:
    """Return the formula that a function of time has around an instant (s), its numbers as `write_number` reads them.

    ``read_number`` reads them otherwise.
    """
    return sum((write_term(term, inside, read_number or write_number) for term in _list_parts(function)), NOTHING)


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
            return _write_window(term, inside, read_number)
    raise ProblemError(f"a load of kind {term.kind!r} has no formula")


def _write_window(term: Windowed, inside: float, read_number: ReadNumber) -> Expr:
    """Return what is cut out between two instants, its derivative, or an antiderivative that is zero before."""
    start, end = to_float(term.start), to_float(term.end)
    edges = [start, *sorted(b for b in map(to_float, find_breaks(term.function)) if start < b < end), end]
    first, last = 0.5 * (edges[0] + edges[1]), 0.5 * (edges[-2] + edges[-1])
    opens, shuts = read_number(term.start), read_number(term.end)
    if inside < start or (inside >= end and term.order >= 0):
        return NOTHING
    if term.order >= 0:
        return sympy.diff(write_function(term.function, inside, read_number), T, term.order)
    chain = [term.function]
    for _ in range(-term.order):
        chain.append(chain[-1].antiderivative())

    # An antiderivative that is zero up to the start is any one less its Taylor polynomial there, of the degree below
    # its order; from the end on it is the polynomial with its value and derivatives there.
    def write_primitive(order: int, around: float) -> Expr:
        before = [write_function(chain[k], first, read_number).xreplace({T: opens}) for k in range(order, 0, -1)]
        return write_function(chain[order], around, read_number) - _sum_powers(before, T - opens)

    if inside < end:
        return write_primitive(-term.order, inside)
    after = [write_primitive(k, last).xreplace({T: shuts}) for k in range(-term.order, 0, -1)]
    return _sum_powers(after, T - shuts)


def _sum_powers(derivatives: list[Expr], lapse: Expr) -> Expr:
    """Return the polynomial with these derivatives at its start, lowest first."""
    return sum((f * lapse**k / math.factorial(k) for k, f in enumerate(derivatives)), NOTHING)


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

    def __bool__(self) -> bool:
        """Tell whether it is not zero; raises `ProblemError` where it is: its neighbours would go the other way."""
        if self.number == 0:
            raise ProblemError(
                f"{self.name} = 0 stands for another problem than its neighbours: it has no derivative by {self.name}"
            )
        return True

    def _eval_evalf(self, precision: int) -> Any:
        return self.number._eval_evalf(precision)  # noqa: SLF001 - SymPy's way to say what a number is


def sqrt(value: Any) -> Any:
    """Return the square root of a number, or of a formula."""
    return sympy.sqrt(value) if is_formula(value) else math.sqrt(value)


def direct(angle: Any) -> tuple[Any, Any]:
    """Return cosine and sine of an angle (rad), a number or a formula."""
    library = sympy if is_formula(angle) else math
    return library.cos(angle), library.sin(angle)


def angular_frequency(period: Any) -> Any:
    """Return 2 pi over a period, a number or a formula."""
    return 2 * sympy.pi / period if is_formula(period) else 2 * math.pi / period


def write_matrix(numbers: Any) -> Any:
    """Return a matrix of exact numbers."""
    return sympy.Matrix([[write_number(entry) for entry in row] for row in numbers])


def invert(mass: Any) -> Any:
    """Return the exact inverse of a matrix of numbers."""
    return DomainMatrix.from_Matrix(write_matrix(mass)).to_field().inv().to_Matrix()
