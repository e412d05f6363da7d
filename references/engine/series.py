"""Taylor coefficients of motions: the operations of a right-hand side are noted once, and done for any start.

A `Tape` holds them. It is run in ball arithmetic at the present precision, or in doubles with bounds of all errors,
for what is known to few digits anyway: see `coarse`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import wraps
from operator import mul
from typing import Any, NamedTuple, TypeVar, cast

from flint import arb

from veridyn.references.engine.jets import Jet, slope

Term = Callable[[int], arb]
Rates = Callable[[Any, Sequence[Any]], Sequence[Any]]  # of time and states: balls, pairs or `Taylor`
F = TypeVar("F", bound=Callable[..., Any])


class Code(IntEnum):
    """What operations do."""

    GIVEN, CONSTANT, SUM, SHIFTED, SCALED, PRODUCT, QUOTIENT, POWER, INTEGRAL = range(9)


class Operation(NamedTuple):
    """What makes a function of those at two places of the tape and of a number; `start` is the value of an integral."""

    code: Code
    first: int = -1
    second: int = -1
    number: Any = None  # a ball, where there is one
    start: Callable[[arb], arb] | None = None


class Tape(list[Operation]):
    """Operations in order; what is made twice is made once."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def note(self, *operation: Any) -> Taylor:
        """Return the function that an operation makes."""
        self.append(Operation(*operation))
        return Taylor(self, len(self) - 1)

    def place(self, found: Any) -> int:
        """Return the place of a function, or of a constant."""
        return found.place if isinstance(found, Taylor) else self.note(Code.CONSTANT, -1, -1, arb(found)).place

    def run(
        self, given: Mapping[int, Sequence[arb]], rates: Mapping[int, int], order: int, end: int | None = None
    ) -> list[list[arb]]:
        """Return coefficients up to an order, from those that are given and the places of the rates of states."""
        known: list[list[arb]] = [list(given.get(place, ())) for place in range(len(self))[:end]]
        makers = [(column, _TERMS[op.code](op, known, column)) for column, op in zip(known, self, strict=False)]
        steps = [(column.append, term) for column, term in makers if term is not None]
        # Moore's recursion (1966). Order k of an operation follows from orders up to k of its operands, so that the
        # tape is run in order, once for each k. Then y' = f gives y_(k+1) = f_k/(k + 1), and the next order may begin.
        # All N orders cost about N²/2 products an operation; derivatives as formulas would grow exponentially with N.
        for k in range(order + 1):
            for keep, term in steps:
                keep(term(k))
            if k < order:
                for place, rate in rates.items():
                    known[place].append(known[rate][k] / (k + 1))
        return known


def _once(operation: F) -> F:
    """Return an operation that returns the same function for the same operands."""

    @wraps(operation)
    def once(*operands: Any) -> Any:
        made, key = operands[0].tape.made, (operation, *map(id, operands))
        if key not in made:
            made[key] = (operation(*operands), operands)  # kept, so that no other object gets their places
        return made[key][0]

    return cast(F, once)


class Taylor:
    """A function of the time on a tape, by its Taylor coefficients; operations are noted."""

    __slots__ = ("place", "tape")

    def __init__(self, tape: Tape, place: int) -> None:
        self.tape, self.place = tape, place

    @_once
    def __add__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            return NotImplemented
        if isinstance(other, Taylor):
            return self.tape.note(Code.SUM, self.place, other.place)
        return self if other == 0 else self.tape.note(Code.SHIFTED, self.place, -1, arb(other))

    @_once
    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            return NotImplemented
        if isinstance(other, Taylor):
            return self.tape.note(Code.PRODUCT, self.place, other.place)
        return arb(0) if other == 0 else self.tape.note(Code.SCALED, self.place, -1, arb(other))

    __radd__, __rmul__ = __add__, __mul__

    @_once
    def __neg__(self) -> Any:
        return self.__mul__(-1)

    def __sub__(self, other: Any) -> Any:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self).__add__(other)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Jet):
            return NotImplemented
        return self * (1 / arb(other)) if not isinstance(other, Taylor) else other.__rtruediv__(self)

    @_once
    def __rtruediv__(self, other: Any) -> Taylor:
        return self.tape.note(Code.QUOTIENT, self.tape.place(other), self.place)

    @_once
    def __pow__(self, power: Any) -> Taylor:
        """Return a power: by products where it is 1, 2, 3 …, else by u w' = p w u', of what is positive."""
        # By products a power has its value for any u, zero among them. The recursion of `_power` divides by u_0: at a
        # zero of u it would have no enclosure, though the power is smooth there.
        if isinstance(power, int) and power > 0:
            half = self if power < 4 else self ** (power // 2)
            return self if power == 1 else half * half if power % 2 == 0 else self ** (power - 1) * self
        return 1 / self if power == -1 else self.tape.note(Code.POWER, self.place, -1, arb(power))

    def sin(self) -> Taylor:
        """Return the sine; so do the functions below, as their names say."""
        return self._waves(-1)[0]

    def cos(self) -> Taylor:
        return self._waves(-1)[1]

    def sinh(self) -> Taylor:
        return self._waves(1)[0]

    def cosh(self) -> Taylor:
        return self._waves(1)[1]

    @_once
    def sqrt(self) -> Taylor:
        return self ** (arb(1) / 2)

    @_once
    def exp(self) -> Taylor:
        return self._integral(arb.exp, lambda w: w)

    @_once
    def log(self) -> Taylor:
        return self._integral(arb.log, lambda _: 1 / self)

    @_once
    def tan(self) -> Taylor:
        return self._integral(arb.tan, lambda w: 1 + w * w)

    @_once
    def tanh(self) -> Taylor:
        return self._integral(arb.tanh, lambda w: 1 - w * w)

    @_once
    def atan(self) -> Taylor:
        return self._integral(arb.atan, lambda _: 1 / (1 + self * self))

    @_once
    def asin(self) -> Taylor:
        return self._integral(arb.asin, lambda _: 1 / (1 - self * self).sqrt())

    @_once
    def acos(self) -> Taylor:
        return self._integral(arb.acos, lambda _: -1 / (1 - self * self).sqrt())

    def _integral(self, start: Callable[[arb], arb], derivative: Callable[[Taylor], Any]) -> Taylor:
        """Return w(u) by w' = derivative(w) u'."""
        result = self.tape.note(Code.INTEGRAL, self.place, -1, None, start)
        self._drive(result, derivative(result))
        return result

    def _drive(self, integral: Taylor, rate: Taylor) -> None:
        self.tape[integral.place] = self.tape[integral.place]._replace(second=rate.place)

    @_once
    def _waves(self, sign: int) -> tuple[Taylor, Taylor]:
        """Return sine and cosine, or the hyperbolic ones with sign 1, by s' = c u', c' = sign s u'."""
        starts = (arb.sinh, arb.cosh) if sign > 0 else (arb.sin, arb.cos)
        sine, cosine = (self.tape.note(Code.INTEGRAL, self.place, -1, None, start) for start in starts)
        self._drive(sine, cosine)
        self._drive(cosine, sine if sign > 0 else -sine)
        return sine, cosine


class Direction(NamedTuple):
    """Edges by the place of each, with that of its rate; places of the edges and of what is read along them."""

    rates: dict[int, int]
    asked: list[int]


class Trace(NamedTuple):
    """What a right-hand side and readings do; places as in `Direction`, those before `plain` know no direction."""

    tape: Tape
    now: int
    plain: int
    rates: dict[int, int]
    asked: list[int]
    along: list[Direction]

    def expand(self, time: arb, state: Sequence[arb], order: int) -> list[list[arb]]:
        """Return the coefficients up to an order, of states and readings, in ball arithmetic."""
        given = dict(zip(self.rates, ([x] for x in state), strict=True))
        now = {self.now: [time, arb(1), *[arb(0)] * order]}
        known = self.tape.run({**given, **now}, self.rates, order, self.plain)
        return [known[place] for place in self.asked]


def traced(rates: Rates, readings: Rates, n: int, directions: int) -> Trace:
    """Note what functions of the time and n states do, and their derivatives along some directions."""
    tape = Tape()
    now, *states = (tape.note(Code.GIVEN) for _ in range(n + 1))

    def noted(given: Sequence[Any], edges: Sequence[Taylor], read: Callable[[Any], Any]) -> Direction:
        moved = [tape.place(read(x)) for x in rates(now, given)]
        places = [edge.place for edge in edges]
        return Direction(
            dict(zip(places, moved, strict=True)), [*places, *(tape.place(read(x)) for x in readings(now, given))]
        )

    # Derivatives along an edge e, J e, are noted as operations of their own: pairs (y, e) go through the right-hand
    # side once more for each direction. All that knows no direction is noted first. So a run without directions stops
    # at ``end`` and costs nothing of them.
    plain, end = noted(states, states, lambda x: x), len(tape)
    edges = [[tape.note(Code.GIVEN) for _ in states] for _ in range(directions)]
    along = [noted(list(map(Jet, states, edge)), edge, slope) for edge in edges]
    return Trace(tape, now.place, end, *plain, along)


# ---- terms in ball arithmetic: of an operation, all that is known, and what is known of itself


def _given(*_: Any) -> None:
    return None


def _constant(op: Operation, *_: Any) -> Term:
    return lambda k: arb(0) if k else op.number


def _sum(op: Operation, known: list[list[arb]], _: Any) -> Term:
    a, b = known[op.first], known[op.second]
    return lambda k: a[k] + b[k]


def _shifted(op: Operation, known: list[list[arb]], _: Any) -> Term:
    a = known[op.first]
    return lambda k: a[k] if k else a[0] + op.number


def _scaled(op: Operation, known: list[list[arb]], _: Any) -> Term:
    a = known[op.first]
    return lambda k: a[k] * op.number


def _product(op: Operation, known: list[list[arb]], _: Any) -> Term:
    a, b = known[op.first], known[op.second]
    return _square(a) if a is b else lambda k: sum(map(mul, a, b[k::-1]), arb(0))


# The terms a_j a_(k-j) and a_(k-j) a_j are one number: half of the products are enough, and fewer roundings add up.
def _square(a: list[arb]) -> Term:
    def term(k: int) -> arb:
        half = (k + 1) // 2
        twice = 2 * sum(map(mul, a[:half], a[k : k - half : -1]), arb(0))
        return twice if k % 2 else twice + a[half] * a[half]

    return term


def _quotient(op: Operation, known: list[list[arb]], q: list[arb]) -> Term:
    """Divide by q b = a."""
    a, b = known[op.first], known[op.second]
    return lambda k: (a[k] - sum(map(mul, q, b[k:0:-1]), arb(0))) / b[0]


def _power(op: Operation, known: list[list[arb]], w: list[arb]) -> Term:
    # From u w' = p w u', order k - 1: k u_0 w_k = Σ_(j=1..k) ((p + 1) j - k) u_j w_(k-j). So a root or any real power
    # costs what a product does. Two sums are kept apart, since k changes with the order and the products j u_j do not.
    u, p = known[op.first], op.number
    slopes = _slopes(u)

    def term(k: int) -> Any:
        if not k:
            return u[0] ** p
        turned = w[k - 1 :: -1]
        driven, whole = sum(map(mul, slopes(k), turned), arb(0)), sum(map(mul, u[1:], turned), arb(0))
        return ((p + 1) * driven - k * whole) / (u[0] * k)

    return term


def _integrated(op: Operation, known: list[list[arb]], _: Any) -> Term:
    """Integrate rate u'."""
    # From w' = r u', order k - 1: k w_k = Σ_(j=1..k) j u_j r_(k-j). Only orders of r below k are read. So r may stand
    # later on the tape than w and depend on it: r = w for exp, 1 + w² for tan; sine and cosine are each other's r.
    u, rate, start = known[op.first], known[op.second], op.start
    slopes = _slopes(u)
    assert start is not None
    return lambda k: sum(map(mul, slopes(k), rate[k - 1 :: -1]), arb(0)) / k if k else start(u[0])


def _slopes(u: list[arb]) -> Callable[[int], list[arb]]:
    """Return a function that makes the coefficients of u' so far, without exact zeros at the end."""
    result: list[arb] = []

    def upto(k: int) -> list[arb]:
        if not u[k].is_zero():
            result.extend(u[j] * j for j in range(len(result) + 1, k + 1))
        return result

    return upto


_TERMS: dict[Code, Callable[..., Term | None]] = {
    Code.GIVEN: _given,
    Code.CONSTANT: _constant,
    Code.SUM: _sum,
    Code.SHIFTED: _shifted,
    Code.SCALED: _scaled,
    Code.PRODUCT: _product,
    Code.QUOTIENT: _quotient,
    Code.POWER: _power,
    Code.INTEGRAL: _integrated,
}
