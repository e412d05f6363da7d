"""Smooth nonlinear phases: long Taylor steps whose remainder is enclosed over a box that the motion provably keeps to.

Over a step the motion is ``Σ c_k t^k`` with c_N enclosed over a box B. It does not leave B: as long as it is inside, it
lies at sampled instants within the polynomial and its remainder there, and between them within what the rates over B
add; if all that is inside B, it never comes to the edge (a high-order enclosure; Nedialkov, Jackson and Corliss 1999).

States lie in a skew box that turns with the motion (Lohner 1987): its centre goes on alone, its edges by the derivative
of the motion, which is enclosed with few digits; new axes follow the longest edges. So radii grow as motions part.

A derivative s with respect to a parameter p is a state too: s' = (∂f/∂y) s + ∂f/∂p; so is the second one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, arb_mat, arb_poly, ctx

from veridyn.references.engine.a_priori import clip, grow_box, inflate, is_inside
from veridyn.references.engine.enclosure import Absent, Undecided, precision
from veridyn.references.engine.flows import WIDTH, Course, Piece, Row, State, binary, bound_of_exponential
from veridyn.references.engine.jets import (
    Ball,
    Jet,
    differentiated,
    drift,
    find_order,
    hull,
    lift,
    lowered,
    stack,
    unstack,
    value,
)
from veridyn.references.engine.series import Rates, Trace, traced
from veridyn.references.engine.skew import SkewBox, split_edges

if TYPE_CHECKING:
    from veridyn.references.engine.coarse import Floats, KernelProgram, Run

COARSE = 64  # bits for boxes
SAMPLES = 16  # instants of a step at which a box is looked at; it reaches half a spacing beyond them on both sides
LOW = 12  # order of boxes, and of how states part
FINE = 4  # lengths of a step in the unit of the time: in it, coefficients neither vanish nor grow much
MOST_PIECES = 40_000
SHARP = arb(2) ** -8  # of the largest state: what all must be off by less where steps halt
MOST_TRIES = 40  # of a step, shorter each time, until the motion stays in a box
MOST_ROUNDS = 8  # of a box that grows until the motion stays in it
EASE = 0.97  # of the longest step that seems to do
BIT = float(arb(2).log().mid())


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
    _kept: dict[int, Any] = field(default_factory=dict, repr=False)

    def find_order(self, state: State) -> int:
        """Return the order, 0 to 2, of the derivatives that the motion from a state on has to a parameter."""
        return find_order(*state, *self.rates(self.start, state), *self.readings(self.start, state))

    def _stacked(self, order: int) -> Smooth:
        """Return the equations of the states and then of their derivatives, order by order."""

        def stacked(law: Rates) -> Rates:
            return lambda t, y: stack(law(t, unstack(y, order)), order)

        result: Smooth = self._made(-order, lambda: Smooth(stacked(self.rates), self.start, stacked(self.readings)))
        return result

    def pieces(self, state: State) -> Iterator[Piece]:
        """Yield pieces as long as the series allow; raises `Undecided` where none is found, `Absent` after too many.

        It is `Absent`, too, where they come to a halt though the states are sharp.
        """
        order = self.find_order(state)
        if not order:
            return self.marched(state)
        n = len(state)
        return (piece.split(n, order) for piece in self._stacked(order).marched(stack(state, order)))

    def marched(self, state: State) -> Iterator[_SmoothPiece]:
        """Yield pieces of a motion whose states are balls; see `pieces`."""
        time, part, states = self.start, 1.0, SkewBox.around(state)
        for _ in range(MOST_PIECES):
            piece, states, part = self._piece(time, states, part)
            if piece.length < abs(time - self.start) * arb(2) ** (-ctx.prec // 2):
                raise self._halt(time, piece.length, states.hull())
            yield piece
            time += piece.length
        raise Absent(f"a phase takes more than {MOST_PIECES} steps: its equations are stiff, or it lasts too long")

    def _halt(self, time: arb, length: arb, states: State) -> Exception:
        """Return why steps that have become so short go no further."""
        # A pole of the motion and a passage close by one look the same from afar: steps are a share of the way to it.
        # So this is a refusal and no proof. If the states are still sharp, it is the way to that place that ends the
        # steps and not the precision; each of the next ones would take far longer, to refuse a little nearer to it.
        sharp = max(x.rad() for x in states) < SHARP * max(abs(x) for x in states)
        where, step = f"t = {float(time):.9g} s", length.str(2, radius=False)
        return (Absent if sharp else Undecided)(
            f"steps of the motion are down to {step} s about {where}: it may grow beyond bounds there; "
            "more digits follow it further"
        )

    def at(self, course: Course, lapse: Ball) -> State:
        """Return states and readings a while after the start of a course."""
        n, when = len(course.state), value(lapse)
        for begins, piece in course.pieces(when):
            s = (when - begins) / piece.length
            if s <= WIDTH:
                break
        assert isinstance(piece, _SmoothPiece)
        middle = s.mid()
        # The share is rounded: what the states at its middle are late by counts from the instant that it stands for.
        late = lapse - (begins + middle * piece.length)
        here, sharp = piece.at(s), piece.at(middle)
        if value(late).is_zero() and not differentiated(late):
            return sharp
        rates, accelerations = self.accelerate(self.start + when, here[:n], find_order(late))
        states = tuple(
            x + rate * value(late) + drift(rate, acceleration, late)
            for x, rate, acceleration in zip(sharp[:n], rates, accelerations, strict=True)
        )
        read = self.readings(self.start + lapse, states)
        return (*states, *(clip(x, value(y)) for x, y in zip(read, here[n:], strict=True)))

    def speed(self, course: Course, lapse: Ball) -> State:
        """Return the rates of states and readings a while after the start of a course."""
        time, states = self.start + lapse, self.at(course, lapse)[: len(course.state)]
        rates = tuple(self.rates(time, states))
        return (*rates, *_differentiate(self.readings, time, states, rates))

    def accelerate(self, time: Ball, states: Sequence[Ball], order: int) -> tuple[Sequence[Ball], Sequence[arb]]:
        """Return the rates of states, and theirs as plain balls: zeros where no second derivative asks for them."""
        rates = tuple(self.rates(time, states))
        if order < 2:
            return rates, [arb(0)] * len(rates)
        return rates, [value(x) for x in _differentiate(self.rates, time, states, rates)]

    def _piece(self, time: arb, states: SkewBox, part: float) -> tuple[_SmoothPiece, SkewBox, float]:
        """Return the next piece, `part` of what the series allow or less, the states after it, and the part then."""
        # A step of order N is about h = R 2^(-bits/N) long, R being the radius of convergence, and costs about N². Cost
        # per time, N²/h, is least for N = bits ln 2/2 = 0.35 bits; it is flat there.
        order = int(0.4 * ctx.prec) + 12
        middle = self._traced(len(states.centre)).expand(time, states.centre, order)
        longest = _radius(middle)
        wanted = part * longest
        for _ in range(MOST_TRIES):
            length = binary(wanted)
            with precision(COARSE):
                result = self._enclosed(time, states, order, length)
            fitting = EASE * float(length) * (_fits(result.rest, middle) if result else 0.5)
            if result is not None and fitting >= EASE * float(length):
                columns = [x + y for x, y in zip(_scaled(middle, result.rest, length), result.parted, strict=True)]
                there = [
                    p(arb(1)) for p in _scaled(middle[: len(states.centre)], result.rest[: len(states.centre)], length)
                ]
                with precision(COARSE):
                    later = states.moved(there, result.turned)
                return _SmoothPiece(length, columns), later, min(1.0, min(1.1 * wanted, fitting) / longest)
            wanted = min(0.9 * wanted, max(0.4 * wanted, fitting))
        raise Undecided("the motion leaves every box")

    def _traced(self, n: int) -> Trace:
        """Return what rates and readings of n states do, with numbers of the present precision."""
        result: Trace = self._made(ctx.prec, lambda: traced(self.rates, self.readings, n, 0))
        return result

    def _compiled(self, n: int) -> KernelProgram:
        """Return the same with as many directions, in doubles."""
        from veridyn.references.engine.coarse import KernelProgram  # loads the compiler, which linear phases do without

        result: KernelProgram = self._made(0, lambda: KernelProgram(traced(self.rates, self.readings, n, n)))
        return result

    def _made(self, key: int, make: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def _enclosed(self, time: arb, states: SkewBox, order: int, length: arb) -> _StepEnclosure | None:
        """Return the remainders of a step, and how states part in it; None if no box is found for it."""
        n, spacing = len(states.centre), length / SAMPLES
        program, unit = self._compiled(n), FINE * float(length)
        (scales, edges), columns = split_edges(states.frame), list(program.traced.rates)
        motion = program.run(time, states.hull(), unit, LOW)
        terms = arb_mat([program.terms(motion, columns, k, 1 / arb(FINE)) for k in range(LOW)])
        seen = [hull(*row) for row in (terms.transpose() * _vandermonde(LOW)).tolist()]
        here, after = hull(time, time + length * WIDTH), hull(arb(0), spacing)
        box = self._box(here, after, seen, unit, order)
        wide = None if box is None else _widened(program, box, unit, edges, length * WIDTH)
        if box is None or wide is None:
            return None
        program.part(motion, edges, unit, LOW)
        program.part(box, wide, unit, LOW)
        m, r = program.along(motion, box, LOW, 1 / FINE)
        rest = program.terms(box, program.traced.asked, order, 1 / arb(FINE))
        if not (np.isfinite(m).all() and np.isfinite(r).all() and all(x.is_finite() for x in rest)):
            return None
        return _StepEnclosure(rest, *_parted(m, r, scales, states.parts))

    def _box(self, here: arb, after: arb, seen: list[arb], unit: float, order: int) -> Any:
        """Return a run over a box that states seen at instants do not leave between them; None if none is found."""
        # First exit: let the motion reach the edge of B, at T for the first time. Up to T it is in B, so that
        # rates and remainder are those over B. An instant up to T lies at most a spacing after a sample, which is
        # not later than T either; from there the rates lead to it. If all places that these allow are interior
        # points of B, there is no T (Picard and Lindelöf).
        program, box = self._compiled(len(seen)), seen
        for _ in range(MOST_ROUNDS):
            rates = self.rates(here, box)
            image = [x + after * rate for x, rate in zip(seen, rates, strict=True)]
            if all(b.contains_interior(i) for b, i in zip(box, image, strict=True)):
                result = program.run(here, box, unit, order)
                rest = program.terms(result, list(program.traced.rates), LOW, WIDTH / FINE)
                kept = (b.contains_interior(i + r * arb(0, 1)) for b, i, r in zip(box, image, rest, strict=True))
                return result if all(kept) else None
            box = grow_box(box, image)
        return None


@dataclass(frozen=True, eq=False)
class _StepEnclosure:
    """A step: the last coefficients of states and readings, how they part from those of the centre, the frame after."""

    rest: list[arb]
    parted: list[arb_poly]
    turned: arb_mat


def _widened(
    program: KernelProgram, box: Run, unit: float, edges: Sequence[Sequence[arb]], lapse: arb
) -> list[list[arb]] | None:
    """Return boxes for edges that follow the motion in a box for a lapse (Gronwall); None if they are too wide."""
    # Gronwall: e' = J e with |J| <= S gives |e(t) - e(0)| <= (exp(S t) - 1) |e(0)|, entry by entry.
    n = len(edges)
    sizes = program.jacobian(box, unit, n)
    if not np.isfinite(sizes).all():
        return None
    try:
        growth = bound_of_exponential(
            arb_mat(n, n, [(x * lapse).abs_upper() for x in map(arb, sizes.ravel().tolist())])
        )
    except Undecided:
        return None
    result = (growth * arb_mat([[abs(x).abs_upper() for x in edge] for edge in edges]).transpose()).transpose().tolist()
    return [
        [x + arb(0, (size - abs(x)).abs_upper()) for x, size in zip(edge, wide, strict=True)]
        for edge, wide in zip(edges, result, strict=True)
    ]


def _parted(m: Floats, r: Floats, lengths: Sequence[arb], parts: arb_mat) -> tuple[list[arb_poly], arb_mat]:
    """Return by how much states and readings are off those of the centre, and the frame at the end of a step."""
    from veridyn.references.engine.coarse import bound_of_sum, total

    n, weights = len(lengths), [length * part.rad() for length, part in zip(lengths, parts.entries(), strict=True)]
    most = max(weights)
    shares = np.array([float((w / most).abs_upper()) if most > 0 else 0.0 for w in weights])
    sizes = bound_of_sum(np.abs(m) + r, shares)
    parted = [arb_poly([arb(0, x) * most for x in row]) for row in sizes.tolist()]
    middles, radii = (x.tolist() for x in total(m[:, :n], r[:, :n]))
    turned = [arb(middles[j][i], radii[j][i]) * lengths[j] for i in range(n) for j in range(n)]
    return parted, arb_mat(n, n, turned)


@lru_cache(maxsize=64)
def _vandermonde(order: int) -> arb_mat:
    """Return the powers of the instants at which a box is looked at: 0 to `WIDTH` of a step."""
    points = [arb(i) / SAMPLES for i in range(SAMPLES * 9 // 8 + 1)]
    return arb_mat(order, len(points), [p**k for k in range(order) for p in points])


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
    derived: Sequence[Sequence[arb_poly]] = ()  # their derivatives with respect to a parameter, order by order

    def polynomial(self, row: Row) -> arb_poly:
        return sum((self.columns[i] * value(factor) for i, factor in row.items()), arb_poly([0]))

    def at(self, s: arb) -> State:
        """Return states and readings at a part of the length."""
        parts = tuple(p(s) for columns in (self.columns, *self.derived) for p in columns)
        return unstack(parts, len(self.derived)) if self.derived else parts

    def split(self, n: int, order: int) -> _SmoothPiece:
        """Return the piece of n states and readings, and of their derivatives, from that of the stacked equations."""
        m = len(self.columns) // (order + 1) - n
        states, readings = self.columns[: n * (order + 1)], self.columns[n * (order + 1) :]
        values, *derived = ([*states[k * n : (k + 1) * n], *readings[k * m : (k + 1) * m]] for k in range(order + 1))
        return _SmoothPiece(self.length, values, derived)


def restarted(flow: Callable[[arb], Smooth], time: Ball, state: State) -> tuple[Smooth, State, arb]:
    """Return the flow after an event from an exact instant next to it on, the state there, and the event's lapse.

    So the uncertainty of the event's instant does not become one of the load's. It raises `Undecided` where the event
    is too uncertain.
    """
    instant = value(time)
    start = instant.mid()
    late, after = instant - start, flow(start)
    if differentiated(time):
        state = _at_rest(after, time, state)
    rates = after.rates(instant, state)
    # An a priori box (Picard and Lindelöf): from inside it, rates over it lead back into its
    # interior; no way leads out.
    around = [inflate(x - 2 * rate * late) for x, rate in zip(state, rates, strict=True)]
    for _ in range(MOST_ROUNDS):
        there = tuple(x - rate * late for x, rate in zip(state, after.rates(instant, around), strict=True))
        if all(is_inside(x, wide) for wide, x in zip(around, there, strict=True)):
            return after, there, late
        around = grow_box(around, there)
    raise Undecided("an event is too uncertain")


def _at_rest(after: Smooth, time: Jet, state: State) -> State:
    """Return a state that belongs to a moving instant with the derivatives that it has where the instant rests."""
    # First the slopes: those of the rates, which the second derivatives need, depend on them.
    instant, rates, moving = time.value, after.rates(time.value, state), Jet(time.value, time.slope)
    slopes = tuple(x - drift(rate, arb(0), moving) for x, rate in zip(state, rates, strict=True))
    rates, accelerations = after.accelerate(instant, slopes, find_order(time))
    return tuple(x - drift(r, a, time) for x, r, a in zip(state, rates, accelerations, strict=True))


def _differentiate(law: Rates, time: Ball, states: Sequence[Ball], rates: Sequence[Ball]) -> list[Ball]:
    """Return the rates in time of what a law gives."""
    moving = [lift(x, rate) for x, rate in zip(states, rates, strict=True)]
    return [lowered(x) for x in law(lift(time, arb(1)), moving)]
