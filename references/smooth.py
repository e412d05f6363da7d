"""Smooth nonlinear phases: long Taylor steps whose remainder is enclosed over a box that the motion provably keeps to.

Over a step the motion is ``Σ c_k t^k`` with c_N enclosed over a box B. It does not leave B: as long as it is inside, it
lies at sampled instants within the polynomial and its remainder there, and between them within what the rates over B
add; if all that is inside B, it never comes to the edge (a high-order enclosure; Nedialkov, Jackson and Corliss 1999).

States lie in a skew box that turns with the motion (Lohner 1987): its centre goes on alone, its edges by the derivative
of the motion, which is enclosed with few digits; new axes follow the longest edges. So radii grow as motions part.

A derivative s with respect to a parameter p is a state too: s' = (∂f/∂y) s + ∂f/∂p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from operator import mul
from typing import Any, TypeVar, cast

from flint import arb, arb_mat, arb_poly, ctx

from veridyn.references.enclosure import Absent, Undecided, precision
from veridyn.references.flows import WIDTH, Course, Piece, Row, State, binary, bound_of_exponential
from veridyn.references.jets import Ball, Jet, differentiated, hull, paired, slope, stacked, value

COARSE = 64  # bits for boxes
SAMPLES = 16  # instants of a step at which a box is looked at; it reaches half a spacing beyond them on both sides
LOW = 24  # order of boxes, and of how states part
FLAT = arb(2) ** -24  # of an edge: what is left of it beside others is none
MOST_PIECES = 40_000
LEAST = arb(2) ** -100_000  # beside any number of a motion, and more than a point
HALT = arb(2) ** -20  # of the time that has passed: pieces so short come to a halt
HALTED = "the motion has no series at a later instant: it may grow beyond bounds"
MOST_TRIES = 40  # of a step, shorter each time, until the motion stays in a box
EASE = 0.97  # of the longest step that seems to do
BIT = float(arb(2).log().mid())

F = TypeVar("F", bound=Callable[..., Any])
Rates = Callable[[Any, Sequence[Any]], Sequence[Any]]  # of time and states: balls, or `Taylor` of them


class Tape(list[Callable[[int], None]]):
    """Operations in order, each of which makes the next coefficient; what is made twice is made once."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[tuple[Any, ...], tuple[Any, ...]] = {}


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
    """A function of the time by its Taylor coefficients, those so far; operations are noted on a tape that makes more.

    With `last`, the place of its last coefficient that is not zero, all are known.
    """

    __slots__ = ("known", "last", "slopes", "tape")

    def __init__(self, known: list[arb], tape: Tape, last: int | None = None) -> None:
        self.known, self.tape, self.last = known, tape, last
        self.slopes: list[arb] = []

    def _made(self, term: Callable[[int], arb]) -> Taylor:
        """Return the function whose coefficients are the terms."""
        known: list[arb] = []
        self.tape.append(lambda k: known.append(term(k)))
        return Taylor(known, self.tape)

    @_once
    def __add__(self, other: Any) -> Any:
        a = self.known
        if isinstance(other, Jet):
            return NotImplemented
        if not isinstance(other, Taylor):
            return self if other == 0 else self._made(lambda k: a[k] if k else a[0] + other)
        b = other.known
        return self._made(lambda k: a[k] + b[k])

    @_once
    def __mul__(self, other: Any) -> Any:
        a = self.known
        if isinstance(other, Jet):
            return NotImplemented
        if isinstance(other, Taylor):
            b = other.known
            return self._made(_square(a) if a is b else lambda k: sum(map(mul, a, b[k::-1]), arb(0)))
        if other == 0:
            return arb(0)
        if self.last is None:
            return self._made(lambda k: a[k] * other)
        return Taylor([x * other for x in a], self.tape, self.last)

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
        return self * (1 / other) if not isinstance(other, Taylor) else other.__rtruediv__(self)

    @_once
    def __rtruediv__(self, other: Any) -> Taylor:
        """Divide by q b = a."""
        b, found = self.known, Taylor([], self.tape)
        a = other.known if isinstance(other, Taylor) else None
        q = found.known

        def term(k: int) -> None:
            top = a[k] if a is not None else arb(0) if k else arb(1) * other
            q.append((top - sum(map(mul, q, b[k:0:-1]), arb(0))) / b[0])

        self.tape.append(term)
        return found

    @_once
    def __pow__(self, power: Any) -> Taylor:
        """Return a power: by products where it is 1, 2, 3 …, else by u w' = p w u', of what is positive."""
        if isinstance(power, int) and power > 0:
            half = self if power < 4 else self ** (power // 2)
            return self if power == 1 else half * half if power % 2 == 0 else self ** (power - 1) * self
        if power == -1:
            return 1 / self
        p, u, found = arb(power), self.known, Taylor([], self.tape)
        w = found.known

        def term(k: int) -> None:
            if not k:
                w.append(u[0] ** p)
                return
            turned = w[k - 1 :: -1]
            driven, whole = sum(map(mul, self._slopes(k), turned), arb(0)), sum(map(mul, u[1:], turned), arb(0))
            w.append(((p + 1) * driven - k * whole) / (u[0] * k))

        self.tape.append(term)
        return found

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

    def _integral(self, start: Callable[[arb], arb], derivative: Callable[[Taylor], Taylor]) -> Taylor:
        """Return w(u) by w' = derivative(w) u'."""
        found = Taylor([], self.tape)
        self.tape.append(lambda k: found.known.append(self._driven(rate.known, k) if k else start(self.known[0])))
        rate = derivative(found)
        return found

    def _driven(self, rate: list[arb], k: int) -> arb:
        """Return the coefficient of the integral of rate u'."""
        if self.last == 1:
            return self.known[1] * rate[k - 1] / k
        return sum(map(mul, self._slopes(k), rate[k - 1 :: -1]), arb(0)) / k

    def _slopes(self, k: int) -> list[arb]:
        """Return the coefficients of u' so far."""
        self.slopes += [self.known[j] * j for j in range(len(self.slopes) + 1, k + 1)]
        return self.slopes

    @_once
    def _waves(self, sign: int) -> tuple[Taylor, Taylor]:
        """Return sine and cosine, or the hyperbolic ones with sign 1, by s' = c u', c' = sign s u'."""
        sine, cosine = Taylor([], self.tape), Taylor([], self.tape)
        first, second = (arb.sinh, arb.cosh) if sign > 0 else (arb.sin, arb.cos)

        def both(k: int) -> None:
            pair = (self._driven(cosine.known, k), sign * self._driven(sine.known, k)) if k else None
            s, c = pair or (first(self.known[0]), second(self.known[0]))
            sine.known.append(s)
            cosine.known.append(c)

        self.tape.append(both)
        return sine, cosine


def _square(a: list[arb]) -> Callable[[int], arb]:
    def term(k: int) -> arb:
        half = (k + 1) // 2
        twice = 2 * sum(map(mul, a[:half], a[k : k - half : -1]), arb(0))
        return twice if k % 2 else twice + a[half] * a[half]

    return term


@dataclass(frozen=True, eq=False)
class _Skew:
    """States ``centre + frame p``: exact numbers, an exact matrix, and balls around zero."""

    centre: State
    frame: arb_mat
    parts: arb_mat

    @staticmethod
    def around(state: Sequence[arb]) -> _Skew:
        n = len(state)
        radii = arb_mat(n, 1, [x - x.mid() for x in state])
        return _Skew(
            tuple(x.mid() for x in state), arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)]), radii
        )

    def hull(self) -> State:
        return tuple(c + d for c, d in zip(self.centre, (self.frame * self.parts).entries(), strict=True))

    def moved(self, there: Sequence[arb], turned: arb_mat) -> _Skew:
        """Return what the centre's image and the frame's make of it, in axes that follow the longest edges."""
        centre = tuple(x.mid() for x in there)
        errors = arb_mat(len(there), 1, [x - c for x, c in zip(there, centre, strict=True)])
        axes, back = _axes(turned, self.parts, errors)
        parts = (back * turned) * self.parts + back * errors
        return _Skew(centre, axes, arb_mat(len(there), 1, [arb(0, x.abs_upper()) for x in parts.entries()]))


def _axes(turned: arb_mat, parts: arb_mat, errors: arb_mat) -> tuple[arb_mat, arb_mat]:
    """Return axes, orthogonal in units of how far each state may be off, the first along the longest edge; the inverse.

    Source: Lohner 1987.
    """
    n = parts.nrows()
    edges = [[(turned[i, j] * parts[j, 0].rad()).mid() for i in range(n)] for j in range(n)]
    reach = [max(errors[i, 0].rad(), *(abs(edge[i]) for edge in edges)) for i in range(n)]
    units = [arb(1) if size == 0 else size for size in reach]
    edges = [[(x / unit).mid() for x, unit in zip(edge, units, strict=True)] for edge in edges]
    edges.sort(key=_length, reverse=True)
    found: list[list[arb]] = []
    for edge in [*edges, *([arb(int(i == j)) for i in range(n)] for j in range(n))]:
        rest, size = edge, _length(edge)
        for axis in found * 2:
            along = sum(map(mul, rest, axis), arb(0)).mid()
            rest = [(x - along * y).mid() for x, y in zip(rest, axis, strict=True)]
        if len(found) < n and _length(rest) > size * FLAT:
            found.append([(x / _length(rest)).mid() for x in rest])
    scaled = arb_mat(n, n, [(axis[i] * units[i]).mid() for i in range(n) for axis in found])
    plain = arb_mat(n, n, [scaled[i, j] / units[i] for i in range(n) for j in range(n)]).inv()
    return scaled, arb_mat(n, n, [plain[i, j] / units[j] for i in range(n) for j in range(n)])


def _length(edge: Sequence[arb]) -> arb:
    return sum((x * x for x in edge), arb(0)).mid().sqrt().mid()


def _none(_t: Any, _y: Sequence[Any]) -> Sequence[Any]:
    return ()


@dataclass(frozen=True, eq=False)
class Smooth:
    """``y' = f(t, y)`` with f analytic, a function of balls, of `Taylor` and of pairs; `start` is t at the start.

    `readings` are more functions of time and states, whose values follow those of the states.
    """

    rates: Rates
    start: arb
    readings: Rates = _none

    def varies(self, state: State) -> bool:
        """Tell whether the motion from a state on has a derivative with respect to a parameter."""
        return differentiated(*state, *self.rates(self.start, state), *self.readings(self.start, state))

    @cached_property
    def _doubled(self) -> Smooth:
        """Return the equations of the states and then of their derivatives."""

        def doubled(law: Rates) -> Rates:
            return lambda t, y: stacked(law(t, paired(y)))

        return Smooth(doubled(self.rates), self.start, doubled(self.readings))

    def pieces(self, state: State) -> Iterator[Piece]:
        """Yield pieces as long as the series allow; raises `Undecided` where none is found, `Absent` after too many.

        It is `Absent`, too, where they come to a halt though the states are sharp.
        """
        if not self.varies(state):
            return self.marched(state)
        n = len(state)
        return (piece.split(n) for piece in self._doubled.marched(stacked(state)))

    def marched(self, state: State) -> Iterator[_SmoothPiece]:
        """Yield pieces of a motion whose states are balls; see `pieces`."""
        time, part, states = self.start, 1.0, _Skew.around(state)
        for _ in range(MOST_PIECES):
            piece, states, part = self._piece(time, states, part)
            if piece.length < abs(time - self.start) * HALT:
                sharp = all(x.rel_accuracy_bits() > COARSE // 2 for x in states.hull())
                raise (Absent if sharp else Undecided)(HALTED)  # more bits would change nothing
            yield piece
            time += piece.length
        raise Absent(f"a phase takes more than {MOST_PIECES} steps: its equations are stiff, or it lasts too long")

    def at(self, course: Course, lapse: Ball) -> State:
        """Return states and readings a while after the start of a course."""
        n, when = len(course.state), value(lapse)
        for begins, piece in course.pieces(when):
            s = (when - begins) / piece.length
            if s <= WIDTH:
                break
        assert isinstance(piece, _SmoothPiece)
        late = lapse - when.mid()
        here, sharp = piece.at(s), piece.at(s.mid())
        if value(late).is_zero() and not differentiated(late):
            return sharp
        rates = self.rates(self.start + when, here[:n])
        states = tuple(x + rate * late for x, rate in zip(sharp[:n], rates, strict=True))
        read = self.readings(self.start + lapse, states)
        return (*states, *(_within(x, value(y)) for x, y in zip(read, here[n:], strict=True)))

    def speed(self, course: Course, lapse: Ball) -> State:
        """Return the rates of states and readings a while after the start of a course."""
        time, states = self.start + lapse, self.at(course, lapse)[: len(course.state)]
        rates = tuple(self.rates(time, states))
        moving = [Jet(Jet(value(x), value(r)), Jet(slope(x), slope(r))) for x, r in zip(states, rates, strict=True)]
        read = self.readings(Jet(Jet(value(time), arb(1)), Jet(slope(time), arb(0))), moving)
        return (*rates, *(Jet(slope(value(x)), slope(slope(x))) for x in read))

    def _piece(self, time: arb, states: _Skew, part: float) -> tuple[_SmoothPiece, _Skew, float]:
        """Return the next piece, `part` of what the series allow or less, the states after it, and the part then."""
        order = int(0.4 * ctx.prec) + 12
        middle = self._expand(time, states.centre, order)
        longest = _radius(middle)
        wanted = part * longest
        for _ in range(MOST_TRIES):
            length = binary(wanted)
            with precision(COARSE):
                found = self._enclosed(time, states, middle, length)
            fitting = EASE * float(length) * (_fits(found.rest, middle) if found else 0.5)
            if found is not None and fitting >= EASE * float(length):
                columns = [x + y for x, y in zip(_scaled(middle, found.rest, length), found.parted, strict=True)]
                there = [
                    p(arb(1)) for p in _scaled(middle[: len(states.centre)], found.rest[: len(states.centre)], length)
                ]
                with precision(COARSE):
                    later = states.moved(there, found.turned)
                return _SmoothPiece(length, columns), later, min(1.0, min(1.1 * wanted, fitting) / longest)
            wanted = min(0.9 * wanted, max(0.4 * wanted, fitting))
        raise Undecided("the motion leaves every box")

    def _expand(self, time: arb, values: Sequence[arb], order: int) -> list[list[arb]]:
        """Return the Taylor coefficients of states and readings up to an order."""
        return self._parted(time, values, (), order)[0]

    def _parted(
        self, time: arb, values: Sequence[arb], directions: Sequence[Sequence[arb]], order: int
    ) -> tuple[list[list[arb]], list[list[list[arb]]]]:
        """Return Taylor coefficients of states and readings, and of their derivatives along each direction."""
        zeros, tape = [arb(0)] * order, Tape()

        def known(found: Any) -> list[arb]:
            return found.known if isinstance(found, Taylor) else [arb(found), *zeros]

        states = [Taylor([x], tape) for x in values]
        now = Taylor([time, arb(1), *zeros], tape, 1)
        columns, slopes = [x.known for x in states], [known(x) for x in self.rates(now, states)]
        read = [known(x) for x in self.readings(now, states)]
        along = []
        for direction in directions:
            edges = [Taylor([x], tape) for x in direction]
            pairs = list(map(Jet, states, edges))
            columns += [x.known for x in edges]
            slopes += [known(slope(x)) for x in self.rates(now, pairs)]
            along.append([*(x.known for x in edges), *(known(slope(x)) for x in self.readings(now, pairs))])
        for k in range(order):
            for made in tape:
                made(k)
            for column, rate in zip(columns, slopes, strict=True):
                column.append(rate[k] / (k + 1))
        if read:
            for made in tape:
                made(order)
        return [*columns[: len(states)], *read], along

    def _enclosed(self, time: arb, states: _Skew, middle: list[list[arb]], length: arb) -> _Enclosed | None:
        """Return the remainders of a step, and how states part in it; None if no box is found for it."""
        n, half = len(states.centre), length / (2 * SAMPLES)
        edges = [[states.frame[i, j] for i in range(n)] for j in range(n)]
        columns, along = self._parted(time, states.hull(), edges, LOW)
        powers = [length**k for k in range(LOW)]
        table = arb_mat(n, LOW, [c * f for column in columns[:n] for c, f in zip(column, powers, strict=False)])
        seen = [hull(*row) for row in (table * _vandermonde(LOW)).tolist()]
        here, around = hull(time - half, time + length * WIDTH), arb(0, half.abs_upper())
        box = self._box(here, around, seen, length)
        wide = None if box is None else self._widened(here, box, edges, length * WIDTH)
        if box is None or wide is None:
            return None
        order = len(middle[0]) - 1
        _, rests = self._parted(here, box, wide, LOW)
        turns = [_scaled(a, [x[LOW] * length**LOW for x in r], length) for a, r in zip(along, rests, strict=True)]
        parted = [
            sum((turn[i] * states.parts[j, 0] for j, turn in enumerate(turns)), arb_poly([0]))
            for i in range(len(columns))
        ]
        turned = arb_mat(n, n, [turn[i](arb(1)) for i in range(n) for turn in turns])
        return _Enclosed([x[-1] * length**order for x in self._expand(here, box, order)], parted, turned)

    def _box(self, here: arb, around: arb, seen: list[arb], length: arb) -> list[arb] | None:
        """Return a box that states seen at instants do not leave between them; None if none is found."""
        box = seen
        for _ in range(8):
            rates = self.rates(here, box)
            image = [x + around * rate for x, rate in zip(seen, rates, strict=True)]
            if all(b.contains_interior(i) for b, i in zip(box, image, strict=True)):
                rest = [column[-1] * length**LOW for column in self._expand(here, box, LOW)]
                furthest = arb(0, 1) * WIDTH**LOW
                kept = (b.contains_interior(i + r * furthest) for b, i, r in zip(box, image, rest, strict=False))
                return box if all(kept) else None
            box = [_inflated(b.union(i)) for b, i in zip(box, image, strict=True)]
        return None

    def _widened(
        self, here: arb, box: Sequence[arb], edges: Sequence[Sequence[arb]], lapse: arb
    ) -> list[list[arb]] | None:
        """Return boxes for edges that follow the motion in a box for a lapse (Gronwall); None if they are too wide."""
        n = len(box)
        jacobian = arb_mat(n, n)
        for j in range(n):
            slopes = self.rates(here, [Jet(x, arb(int(i == j))) for i, x in enumerate(box)])
            for i, x in enumerate(slopes):
                jacobian[i, j] = (abs(slope(x)) * lapse).abs_upper()
        try:
            growth = bound_of_exponential(jacobian)
        except Undecided:
            return None
        wide = []
        for edge in edges:
            column = (growth * arb_mat(n, 1, [abs(x).abs_upper() for x in edge])).entries()
            wide.append([x + arb(0, (size - abs(x)).abs_upper()) for x, size in zip(edge, column, strict=True)])
        return wide


@dataclass(frozen=True, eq=False)
class _Enclosed:
    """A step: the last coefficients of states and readings, how they part from those of the centre, the frame after."""

    rest: list[arb]
    parted: list[arb_poly]
    turned: arb_mat


@lru_cache(maxsize=64)
def _vandermonde(order: int) -> arb_mat:
    """Return the powers of the instants at which a box is looked at: 0 to `WIDTH` of a step."""
    points = [arb(i) / SAMPLES for i in range(SAMPLES * 9 // 8 + 1)]
    return arb_mat(order, len(points), [p**k for k in range(order) for p in points])


def _inflated(x: Ball) -> Ball:
    """Return a ball somewhat larger, and never a point; of a pair, both."""
    if isinstance(x, Jet):
        return Jet(_inflated(x.value), _inflated(x.slope))
    return arb(x.mid(), x.rad() * 1.125 + abs(x.mid()) * arb(2) ** -20 + LEAST)


def _size(column: Sequence[arb]) -> arb:
    return max((x.abs_upper() for x in column[:3]), key=float)


def _radius(columns: Sequence[Sequence[arb]]) -> float:
    """Return the step at which the last terms of all series vanish beside the first ones at the present precision."""
    reach = float("inf")
    for column in columns:
        size = _size(column)
        for back in (1, 2):
            last, k = column[-back].abs_upper(), len(column) - back
            if last > 0 and size > 0:
                reach = min(reach, float((((size / last).log() - ctx.prec * BIT) / k).exp()))
    return reach if math.isfinite(reach) else 1.0  # a polynomial: any step does


def _fits(rest: Sequence[arb], columns: Sequence[Sequence[arb]]) -> float:
    """Return by how much a step may be longer for remainders to be 256 units of the last place."""
    ratios = [_size(c) / r.abs_upper() for r, c in zip(rest, columns, strict=True) if r.abs_upper() > 0]
    room = min((float(ratio.log()) + (8 - ctx.prec) * BIT for ratio in ratios), default=math.inf)
    return math.exp(min(1.0, room / (len(columns[0]) - 1)))


def _scaled(columns: Sequence[Sequence[arb]], rests: Sequence[arb], length: arb) -> list[arb_poly]:
    """Return polynomials over a step from the coefficients before the last, and the remainders."""
    powers = [length**k for k in range(len(columns[0]) - 1)]
    return [
        arb_poly([*(c * f for c, f in zip(column, powers, strict=False)), rest])
        for column, rest in zip(columns, rests, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _SmoothPiece:
    length: arb
    columns: list[arb_poly]
    slopes: Sequence[arb_poly] = ()  # their derivatives with respect to a parameter, where they have any

    def polynomial(self, row: Row) -> arb_poly:
        return sum((self.columns[i] * value(factor) for i, factor in row.items()), arb_poly([0]))

    def at(self, s: arb) -> State:
        """Return states and readings at a part of the length."""
        found = tuple(p(s) for p in self.columns)
        return tuple(Jet(x, p(s)) for x, p in zip(found, self.slopes, strict=True)) if self.slopes else found

    def split(self, n: int) -> _SmoothPiece:
        """Return the piece of n states and readings, and of their derivatives, from that of the doubled equations."""
        end = n + len(self.columns) // 2
        values = [*self.columns[:n], *self.columns[2 * n : end]]
        return _SmoothPiece(self.length, values, [*self.columns[n : 2 * n], *self.columns[end:]])


def restarted(flow: Callable[[arb], Smooth], time: Ball, state: State) -> tuple[Smooth, State, arb]:
    """Return the flow after an event from an exact instant next to it on, the state there, and the event's lapse.

    So the uncertainty of the event's instant does not become one of the load's. It raises `Undecided` where the event
    is too uncertain.
    """
    instant = value(time)
    start = instant.mid()
    late, after = instant - start, flow(start)
    rates = after.rates(instant, state)
    if differentiated(*state, time, *rates):  # at a fixed instant, not at that of the event, which moves
        state = tuple(x - Jet(arb(0), value(rate) * slope(time)) for x, rate in zip(state, rates, strict=True))
    around = [_inflated(x - 2 * rate * late) for x, rate in zip(state, rates, strict=True)]
    there = tuple(x - rate * late for x, rate in zip(state, after.rates(instant, around), strict=True))
    if not all(_inside(x, wide) for wide, x in zip(around, there, strict=True)):
        raise Undecided("an event is too uncertain")
    return after, there, late


def _within(x: Ball, wide: arb) -> Ball:
    """Return what of a ball lies in another; a pair keeps its derivative."""
    return Jet(_within(x.value, wide), x.slope) if isinstance(x, Jet) else arb(x).intersection(wide)


def _inside(x: Ball, wide: Ball) -> bool:
    if isinstance(wide, Jet):
        return _inside(value(x), wide.value) and _inside(slope(x), wide.slope)
    return bool(wide.contains_interior(x))
