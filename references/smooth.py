"""Smooth nonlinear phases: long Taylor steps whose remainder is enclosed over a box that the motion provably keeps to.

Over a step the motion is ``Σ c_k t^k`` with c_N enclosed over a box B. It does not leave B: as long as it is inside, it
lies at sampled instants within the polynomial and its remainder there, and between them within what the rates over B
add; if all that is inside B, it never comes to the edge (a high-order enclosure; Nedialkov, Jackson and Corliss 1999).

A `Norm` keeps balls from growing with the length of the motion: the centre of the ball goes on alone, and the radius by
the logarithmic norm (Dahlquist 1958), d‖δ‖/dt ≤ μ ‖δ‖, which is what two motions part at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import mul
from typing import Any

from flint import arb, arb_mat, arb_poly, ctx

from veridyn.references.enclosure import Absent, Undecided, precision
from veridyn.references.flows import WIDTH, Course, Piece, Row, State, apply, binary
from veridyn.references.jets import Ball, hull
from veridyn.references.motion import Phase

COARSE = 64  # bits for boxes
SAMPLES = 16  # instants of a step at which a box is looked at; it reaches half a spacing beyond them on both sides
MOST_PIECES = 3000
LEAST = arb(2) ** -100_000  # beside any number of a motion, and more than a point
HALT = arb(2) ** -20  # of the time that has passed: pieces so short come to a halt
MOST_TRIES = 40  # of a step, shorter each time, until the motion stays in a box
EASE = 0.97  # of the longest step that seems to do
BIT = float(arb(2).log().mid())

Rates = Callable[[Any, Sequence[Any]], Sequence[Any]]  # of time and states: balls, or `Taylor` of them


class Taylor:
    """A function of the time by its Taylor coefficients, those so far; operations are noted on a tape that makes more.

    With `last`, the place of its last coefficient that is not zero, all are known.
    """

    __slots__ = ("known", "last", "tape")

    def __init__(self, known: list[arb], tape: list[Callable[[int], None]], last: int | None = None) -> None:
        self.known, self.tape, self.last = known, tape, last

    def _made(self, term: Callable[[int], arb]) -> Taylor:
        """Return the function whose coefficients are the terms."""
        known: list[arb] = []
        self.tape.append(lambda k: known.append(term(k)))
        return Taylor(known, self.tape)

    def __add__(self, other: Any) -> Taylor:
        a = self.known
        if not isinstance(other, Taylor):
            return self._made(lambda k: a[k] if k else a[0] + other)
        b = other.known
        return self._made(lambda k: a[k] + b[k])

    def __mul__(self, other: Any) -> Taylor:
        a = self.known
        if isinstance(other, Taylor):
            b = other.known
            return self._made(_square(a) if a is b else lambda k: sum(map(mul, a, b[k::-1]), arb(0)))
        if self.last is None:
            return self._made(lambda k: a[k] * other)
        return Taylor([x * other for x in a], self.tape, self.last)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Taylor:
        return self.__mul__(-1)

    def __sub__(self, other: Any) -> Taylor:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Taylor:
        return (-self).__add__(other)

    def __pow__(self, n: int) -> Taylor:
        half = self if n < 4 else self ** (n // 2)
        return self if n == 1 else half * half if n % 2 == 0 else self ** (n - 1) * self

    def sin(self) -> Taylor:
        """Return the sine."""
        return self._turning()[0]

    def cos(self) -> Taylor:
        """Return the cosine."""
        return self._turning()[1]

    def _turning(self) -> tuple[Taylor, Taylor]:
        """Return sine and cosine by s' = c u', c' = -s u'."""
        u, sine, cosine = self.known, Taylor([], self.tape), Taylor([], self.tape)

        def driven(wave: list[arb], k: int) -> arb:
            if self.last == 1:
                return u[1] * wave[k - 1] / k
            last = k if self.last is None else min(k, self.last)
            return sum([u[j] * wave[k - j] * j for j in range(1, last + 1)], arb(0)) / k

        def both(k: int) -> None:
            pair = (driven(cosine.known, k), -driven(sine.known, k)) if k else (u[0].sin(), u[0].cos())
            sine.known.append(pair[0])
            cosine.known.append(pair[1])

        self.tape.append(both)
        return sine, cosine


def _square(a: list[arb]) -> Callable[[int], arb]:
    def term(k: int) -> arb:
        half = (k + 1) // 2
        twice = 2 * sum(map(mul, a[:half], a[k : k - half : -1]), arb(0))
        return twice if k % 2 else twice + a[half] * a[half]

    return term


@dataclass(frozen=True, eq=False)
class Norm:
    """``‖δ‖² = Σ (row δ)²`` of a difference of two states, and a bound μ of its growth while both lie in a box."""

    rows: Sequence[Row]
    growth: Callable[[Sequence[Ball]], arb]

    def size(self, deviation: Sequence[arb]) -> arb:
        """Return a bound of the norm."""
        return sum((apply(row, tuple(deviation)).abs_upper() ** 2 for row in self.rows), arb(0)).sqrt().abs_upper()

    @cached_property
    def _reaches(self) -> tuple[arb, ...]:
        """Return how far each state may be from the centre of the unit ball."""
        n = 1 + max(i for row in self.rows for i in row)
        rows = arb_mat(len(self.rows), n, [row.get(i, arb(0)) for row in self.rows for i in range(n)])
        inverse = (rows.transpose() * rows).inv()
        return tuple(inverse[i, i].sqrt().abs_upper() for i in range(n))

    def around(self, centre: State, radius: arb) -> State:
        """Return a box around all states so far from a centre."""
        return tuple(c + arb(0, radius * reach) for c, reach in zip(centre, self._reaches, strict=True))


@dataclass(frozen=True, eq=False)
class Smooth:
    """``y' = f(t, y)`` with f analytic, a function of balls and of `Taylor` alike; `start` is t at the start.

    Without a norm the balls grow with the motion, as exp(L t) does with a Lipschitz constant L.
    """

    rates: Rates
    start: arb
    norm: Norm | None = None

    def pieces(self, state: State) -> Iterator[Piece]:
        """Yield pieces as long as the series allow; raises `Undecided` where none is found, `Absent` after too many."""
        time, part, radius = self.start, 1.0, arb(0)
        centre = state
        if self.norm is not None:
            centre = tuple(x.mid() for x in state)
            radius = self.norm.size([x - c for x, c in zip(state, centre, strict=True)])
        for _ in range(MOST_PIECES):
            piece, part = self._piece(time, state, centre, radius, part)
            if piece.length < abs(time - self.start) * HALT:
                raise Undecided("the motion has no series at a later instant: it may grow beyond bounds")
            yield piece
            time, (state, centre, radius) = time + piece.length, piece.handed()
        raise Absent(f"a phase takes more than {MOST_PIECES} steps: its equations are stiff, or it lasts too long")

    def at(self, course: Course, lapse: arb) -> State:
        """Return the state a while after the start of a course."""
        for begins, piece in course.pieces():
            s = (lapse - begins) / piece.length
            if s <= WIDTH:
                break
        assert isinstance(piece, _SmoothPiece)
        rates = self.rates(self.start + lapse, piece.at(s))
        late = lapse - lapse.mid()
        return tuple(x + rate * late for x, rate in zip(piece.at(s.mid()), rates, strict=True))

    def _piece(self, time: arb, state: State, centre: State, radius: arb, part: float) -> tuple[_SmoothPiece, float]:
        """Return the next piece, `part` of what the series allow or less, and the part for the one after."""
        order = int(0.3 * ctx.prec) + 12
        columns = self._expand(time, state, order)
        middle = columns if self.norm is None else self._expand(time, centre, order)
        longest = _radius(middle)
        wanted = part * longest
        for _ in range(MOST_TRIES):
            length = binary(wanted)
            with precision(COARSE):
                found = self._enclosed(time, columns, length)
            fitting = EASE * float(length) * (_fits(found[1], middle) if found else 0.5)
            if found is not None and fitting >= EASE * float(length):
                box, rest = found
                box_side, middle_side = _scaled(columns, rest, length), _scaled(middle, rest, length)
                growth = arb(0) if self.norm is None else self.norm.growth(box) * length
                piece = _SmoothPiece(length, box_side, middle_side, self.norm, radius, growth)
                return piece, min(1.0, min(1.1 * wanted, fitting) / longest)
            wanted = min(0.9 * wanted, max(0.4 * wanted, fitting))
        raise Undecided("the motion leaves every box")

    def _expand(self, time: arb, values: Sequence[arb], order: int) -> list[list[arb]]:
        """Return the Taylor coefficients up to an order."""
        zeros, tape = [arb(0)] * order, list[Callable[[int], None]]()
        states = [Taylor([x], tape) for x in values]
        rates = self.rates(Taylor([time, arb(1), *zeros], tape, 1), states)
        columns = [state.known for state in states]
        slopes = [rate.known if isinstance(rate, Taylor) else [rate, *zeros] for rate in rates]
        for k in range(order):
            for made in tape:
                made(k)
            for column, slope in zip(columns, slopes, strict=True):
                column.append(slope[k] / (k + 1))
        return columns

    def _enclosed(self, time: arb, columns: list[list[arb]], length: arb) -> tuple[list[arb], list[arb]] | None:
        """Return a box for a step and a little on both sides, with the remainders there; None if none is found."""
        order, half = len(columns[0]) - 1, length / (2 * SAMPLES)
        powers = [length**k for k in range(order)]
        table = arb_mat(
            len(columns), order, [c * f for column in columns for c, f in zip(column, powers, strict=False)]
        )
        rows = (table * _vandermonde(order)).tolist()
        seen = [hull(*row) for row in rows]
        here, around = hull(time - half, time + length * WIDTH), arb(0, half.abs_upper())
        box = seen
        for _ in range(8):
            rates = self.rates(here, box)
            image = [x + around * rate for x, rate in zip(seen, rates, strict=True)]
            if all(b.contains_interior(i) for b, i in zip(box, image, strict=True)):
                rest = [column[-1] * length**order for column in self._expand(here, box, order)]
                furthest = arb(0, 1) * WIDTH**order
                kept = (b.contains_interior(i + r * furthest) for b, i, r in zip(box, image, rest, strict=True))
                return (box, rest) if all(kept) else None
            box = [_inflated(b.union(i)) for b, i in zip(box, image, strict=True)]
        return None


@lru_cache(maxsize=64)
def _vandermonde(order: int) -> arb_mat:
    """Return the powers of the instants at which a box is looked at: 0 to `WIDTH` of a step."""
    points = [arb(i) / SAMPLES for i in range(SAMPLES * 9 // 8 + 1)]
    return arb_mat(order, len(points), [p**k for k in range(order) for p in points])


def _inflated(x: arb) -> arb:
    """Return a ball somewhat larger, and never a point."""
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
    columns: list[arb_poly]  # of all motions that start in the box
    middle: list[arb_poly]  # of the one that starts in its centre
    norm: Norm | None
    radius: arb  # of the ball around the centre, at the start
    growth: arb  # of its logarithm, over a length

    def polynomial(self, row: Row) -> arb_poly:
        return sum((self.columns[i] * factor for i, factor in row.items()), arb_poly([0]))

    def at(self, s: arb) -> State:
        """Return the state at a part of the length, where both enclosures agree."""
        box = tuple(p(s) for p in self.columns)
        if self.norm is None or not s >= 0:
            return box
        ball = self.norm.around(tuple(p(s) for p in self.middle), self._radius_at(s))
        return tuple(b.intersection(x) for b, x in zip(box, ball, strict=True))

    def _radius_at(self, s: arb) -> arb:
        return (self.radius * (self.growth * abs(s)).exp()).abs_upper()

    def handed(self) -> tuple[State, State, arb]:
        """Return the state at the end, its centre, and the radius around it."""
        state = self.at(arb(1))
        if self.norm is None:
            return state, state, arb(0)
        there = [p(arb(1)) for p in self.middle]
        centre = tuple(x.mid() for x in there)
        radius = self._radius_at(arb(1)) + self.norm.size([x - c for x, c in zip(there, centre, strict=True)])
        return tuple(x.union(c) for x, c in zip(state, centre, strict=True)), centre, radius.abs_upper()


def passed_on(before: Phase, flow: Callable[[arb], Smooth], time: arb) -> tuple[Smooth, State, arb]:
    """Return the flow after an event, from an exact instant next to it on, the state there, and the event's lapse.

    The motion before is followed to that instant, as if the event were not; what the equations on both sides differ by
    in the moment between is added. So the uncertainty of the event's instant does not become one of the load's.
    It raises `Undecided` where the event is too uncertain.
    """
    start = time.mid()
    late, after = time - start, flow(start)
    near = before.at(time)
    around = [_inflated(x) for x in near]  # the motion after, followed back, stays in it: it parts from the one before
    assert isinstance(before.flow, Smooth)
    pairs = zip(before.flow.rates(time, around), after.rates(time, around), strict=True)
    parted = [arb(0, abs(late * (a - b)).abs_upper()) for a, b in pairs]
    if not all(wide.contains_interior(x + p) for wide, x, p in zip(around, near, parted, strict=True)):
        raise Undecided("an event is too uncertain")
    return after, tuple(x + p for x, p in zip(before.at(start), parted, strict=True)), late
