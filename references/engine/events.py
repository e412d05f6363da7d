"""Events of a phase, proved: the first root of any guard, and all roots of a function.

A part of a piece holds no root if an enclosure of the function over all of it keeps its sign; it holds one at most if
an enclosure of the slope does. What is neither is cut; what stays so touches zero, or nearly, and is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Literal

from flint import arb, arb_poly, ctx

from veridyn.references.deadline import Depth, check_time
from veridyn.references.engine.enclosure import Undecided, sign
from veridyn.references.engine.flows import Course, LinearFlow, Piece, Row, apply
from veridyn.references.engine.jets import Ball, differentiated, hull, rooted, value
from veridyn.references.engine.swings import EVER, Doubt, GuardSwing, find_windows

# Proofs here rest on three theorems. A continuous function with different signs at two ends has a root between them
# (Bolzano). Between two roots its slope has one (Rolle), so that a slope without a root leaves one root at most. And a
# ball polynomial over a part of a piece holds all values of the function there (Lagrange's remainder, see `flows`).
SEAMS = (arb(1), arb(17) / 16, arb(9) / 8)  # where a piece may end: at the first at which all signs are known
CUTS = (arb(1) / 2, arb(7) / 16, arb(9) / 16, arb(5) / 16, arb(11) / 16)
PAST = 1 + arb(2) ** -10  # of a limit, beyond which nothing is looked for
WORTH = 32  # pieces without a possible root that are worth a course of their own behind them
SHORTEST = 0.75  # of the precision, in bits: a part so short and still undecided touches zero


Passes = Literal["", "falls", "crosses"]


@dataclass(frozen=True)
class Guard:
    """A linear function of the state that is positive during a phase and ends it where it falls through zero.

    ``passes``: that it may be negative before, and ends the phase where it "falls", or "crosses" zero either way.
    ``marks``: that the phase goes on as if nothing had been, after every such root.
    ``zeros``: how many of its first Taylor coefficients at the start vanish exactly (the event before left it at zero),
    or do so ``late`` after the start (s), where a phase begins at an exact instant next to its event.
    ``swing``: what is proved of it for all times, in a linear flow.
    ``instant``: when it is zero (s), where that depends on nothing but the time: no start and no event moves it.
    """

    name: str
    row: Row
    zeros: int = 0
    late: arb | None = None
    passes: Passes = ""
    marks: bool = False
    swing: GuardSwing | None = None
    instant: Ball | None = None

    def find_doubt(self) -> Doubt | None:
        """Return the lapses (s) between which it may be zero; None if nowhere."""
        return EVER if self.swing is None else self.swing.find_doubt()

    def heeded(self, roots: Iterator[arb], start: int) -> Iterator[arb]:
        """Return those of all roots of a stretch that are events, the sign at its start being given."""
        if self.passes != "falls":
            return roots
        return islice(roots, int(start < 0), None, 2)  # simple roots: it rises between two at which it falls


@dataclass(frozen=True)
class Event:
    """An event of a phase: which guard, how long after its start (s), whether it ends the phase.

    ``instant``: that of the guard (s), where nothing but the time moves it.
    """

    name: str
    lapse: Ball
    ends: bool = True
    instant: Ball | None = None


def events(course: Course, guards: Sequence[Guard], limit: Ball | None = None) -> Iterator[Event]:
    """Yield the events of a phase up to a limit (s) in order: those that mark, and the first that ends it.

    Raises
    ------
    Undecided
        If a guard touches zero, two events coincide, a guard is not positive just after the start, or an event falls
        on the limit, as far as the precision tells.
    """
    # Where a guard is proved to be positive it is not searched. A later window is a course of its own, from the exact
    # lapse on at which it begins; the state there has its derivative, so that the instants of roots have theirs.
    worth = WORTH * course.flow.system.length if isinstance(course.flow, LinearFlow) else arb(0)
    last = None if limit is None else value(limit)
    for begin, end, places in find_windows([guard.find_doubt() for guard in guards], worth, last):
        awake = [guards[i] for i in places]
        until = limit if end is None or (last is not None and not end < last) else end
        if begin == 0:
            source = _search(course, awake, until)
        else:
            there = Course(course.flow, course.at(begin))
            later = [replace(guard, zeros=0, late=None) for guard in awake]
            source = _moved_by(begin, _search(there, later, None if until is None else until - begin))
        for event in source:
            yield event
            if event.ends:
                return


def _moved_by(begin: arb, events: Iterator[Event]) -> Iterator[Event]:
    return (replace(event, lapse=begin + event.lapse) for event in events)


def _search(course: Course, guards: Sequence[Guard], limit: Ball | None) -> Iterator[Event]:
    """Yield the events of guards up to a limit (s), as `events`, piece by piece."""
    for begins, s, polynomials in _stretches(course, [(g.row, g.zeros, g.late) for g in guards], limit):
        # The sign just after the start is proved, not assumed. If it were wrong for a guard that must be positive, its
        # first root would be a rise, and the fall before it, which happened already, would be missed.
        watched = [(guard, p, sign(p(arb(0)))) for guard, p in zip(guards, polynomials, strict=True)]
        for guard, _, start in watched:
            if start < 0 and not guard.passes:
                raise Undecided(f"{guard.name} is violated at the start")
        for event in _in_order(_of_stretch(course, watched, begins, s)):
            if limit is not None and not (event.lapse < limit):
                if event.lapse > limit:
                    return
                raise Undecided(f"{event.name} falls on the end of a stretch of time")
            yield event
            if event.ends:
                return


def _of_stretch(
    course: Course, watched: Sequence[tuple[Guard, arb_poly, int]], begins: _Begin, end: arb
) -> list[Event]:
    """Return the first event of each guard that ends the phase, and all that mark before the first of them."""

    def heeded(guard: Guard, p: arb_poly, start: int) -> Iterator[Event]:
        for root in guard.heeded(_roots(course, p, end, guard.name), start):
            lapse = _moved(course, guard.row, begins.time + root * begins.length)
            yield Event(guard.name, lapse, not guard.marks, guard.instant)

    result = [event for one in watched if not one[0].marks for event in islice(heeded(*one), 1)]
    # A mark is of interest only up to the event that ends the phase. `takewhile` stops at the first one that is surely
    # later. One whose ball overlaps the end is kept: `_in_order` then says that both coincide.
    last = min(result, key=_when, default=None)
    for one in watched:
        if one[0].marks:
            result += takewhile(lambda event: last is None or not (event.lapse > last.lapse), heeded(*one))
    return result


def _when(event: Event) -> arb:
    """Return the middle of an event's ball, exact: as doubles, events that are close to each other would look alike."""
    middle: arb = value(event.lapse).mid()
    return middle


def _in_order(events: Sequence[Event]) -> Iterator[Event]:
    # Order by midpoints proves nothing; it is only a guess. Each event is then compared as a ball with all that follow.
    # Where two overlap, which comes first is open, and the mode after them may depend on it.
    rest = sorted(events, key=_when)
    while rest:
        first, *rest = rest
        for other in rest:
            if not (first.lapse < other.lapse):
                raise Undecided(f"{first.name} and {other.name} coincide")
        yield first


def roots(
    course: Course,
    row: Row,
    limit: Ball,
    *,
    zeros: int = 0,
    late: arb | None = None,
    order: int = 0,
    name: str = "a root",
    inside: bool = True,
) -> Iterator[Ball]:
    """Yield all roots of a linear function of the state in (0, limit] in order, each simple; raises `Undecided`.

    With `order` 1 they are those of its rate, with which `zeros` are meant too.
    Without `inside` one that may lie beyond the limit is yielded too.
    """
    for begins, s, (p,) in _stretches(course, [(row, zeros, late)], limit, order):
        for root in _roots(course, p, s, name):
            lapse = begins.time + root * begins.length
            if lapse > limit:
                return
            if inside and not (lapse < limit):
                raise Undecided(f"{name} falls on the end of a stretch of time")
            yield _moved(course, row, lapse, order)


def _moved(course: Course, row: Row, lapse: arb, order: int = 0) -> Ball:
    """Give the instant of a root its derivatives, where the motion has any."""
    if not (course.varies or differentiated(*row.values())):
        return lapse

    flow = course.flow

    def read(instant: Ball) -> Ball:
        return apply(row, flow.speed(course, instant) if order else course.at(instant))

    if not isinstance(flow, LinearFlow):
        return rooted(lapse, read)
    return rooted(lapse, read, flow.share_of_root(course.state, flow.rate_of(row) if order else row))


@dataclass(frozen=True)
class _Begin:
    time: arb
    length: arb


def _stretches(
    course: Course, watched: Sequence[tuple[Row, int, arb | None]], limit: Ball | None, order: int = 0
) -> Iterator[tuple[_Begin, arb, list[arb_poly]]]:
    """Yield stretches of a phase one after the other: begin, length in s, and the functions, nonzero at both ends.

    Functions that vanish at the start of the phase are divided by the powers of s that do.
    """
    covered = arb(0)  # s beyond the end of the piece before, which its stretch has covered
    for begins, piece in course.pieces(limit):
        if limit is not None and begins >= value(limit):
            return  # a root on the limit itself belongs to the stretch before
        if covered >= piece.length:
            covered -= piece.length
            continue
        skipped = covered / piece.length
        polynomials = _read_piece(piece, watched, order, at_start=begins == 0)
        if skipped > 0:
            polynomials = [p(arb_poly([skipped, 1])) for p in polynomials]
        for p in polynomials:
            if not sign(p(arb(0))):
                raise Undecided("a guard is zero where a phase begins")
        # A stretch must end where no function is zero: `_roots` counts by the signs at both ends, and a root
        # on the seam would be counted twice or not at all. A piece encloses the motion up to `WIDTH`, so that
        # it may end a little later.
        seam = next((c for c in SEAMS if all(sign(p(c - skipped)) for p in polynomials)), None)
        if seam is None:
            raise Undecided("a guard stays near zero")
        begin = _Begin(begins + covered, piece.length)
        last = None if limit is None else _last(value(limit) - begins, piece, skipped, seam, polynomials)
        if last is not None:
            yield begin, last - skipped, polynomials
            return
        yield begin, seam - skipped, polynomials
        # in seconds: pieces of a smooth flow differ in length, and a share of one is none of the next
        covered = (seam - 1) * piece.length


def _read_piece(
    piece: Piece, watched: Sequence[tuple[Row, int, arb | None]], order: int, *, at_start: bool
) -> list[arb_poly]:
    """Return the functions on a piece, or their derivatives of an order; at the start without the zeros there."""
    polynomials = [piece.polynomial(row) for row, *_ in watched]
    for _ in range(order):
        polynomials = [p.derivative() for p in polynomials]
    if not at_start:
        return polynomials
    roots = [(zeros, None if late is None else late / piece.length) for _, zeros, late in watched]
    return [_deflated(p, *root) for p, root in zip(polynomials, roots, strict=True)]


def _last(limit: arb, piece: Piece, skipped: arb, seam: arb, polynomials: Sequence[arb_poly]) -> arb | None:
    """Return a place just beyond a limit before the seam of a piece: what touches zero later does not matter."""
    last = (limit / piece.length).abs_upper() * PAST
    return last if skipped < last < seam and all(sign(p(last - skipped)) for p in polynomials) else None


def _deflated(p: arb_poly, zeros: int, late: arb | None) -> arb_poly:
    """Divide by a power of s - late; the coefficients below it are zero exactly."""
    # The event before left the function at zero. Undivided, that zero would be the first root of this phase. The
    # quotient g in f = s^k g is again a polynomial of balls with Lagrange's property: g(s) = ∫ (1 - u)^(k-1) f^(k)(u s)
    # du/(k - 1)! over u from 0 to 1. So the m-th Taylor coefficient of g is a mean of the (k + m)-th ones of f between
    # 0 and s, with positive weights that add up to 1, and the last ball of f holds that of g. With ``late`` the zero
    # lies there: the polynomial is expanded about it, divided, and expanded about the start again.
    coefficients = (p if late is None else p(arb_poly([late, 1]))).coeffs()
    if not all(c.contains(0) for c in coefficients[:zeros]):
        raise Undecided("a guard does not begin at zero")
    quotient = arb_poly(coefficients[zeros:])
    return quotient if late is None else quotient(arb_poly([-late, 1]))


def _roots(course: Course, p: arb_poly, end: arb, name: str) -> Iterator[arb]:
    """Yield all roots of a polynomial of balls on (0, end) in order; its signs at both ends are known."""
    slope = p.derivative()
    shortest = arb(2) ** -int(SHORTEST * ctx.prec)
    parts = [(arb(0), end, sign(p(arb(0))), sign(p(end)))]
    while parts:
        a, b, at_a, at_b = parts.pop()
        course.parts += 1
        check_time(course.parts, "parts searched for", name, depth=Depth.PART)
        # Two enclosures of all values on the part W. By the mean value theorem they lie in p(m) + p'(W)(W - m), m being
        # the middle; its excess falls with the square of the width, that of p(W) only with the width, but p(W) is
        # better where the slope is not sharp. If either excludes zero, there is no root. If p'(W) excludes zero, p is
        # monotone: there is one root if the signs at both ends differ, else none (Moore 1966).
        whole = hull(a, b)
        middle = whole.mid()
        rate = slope(whole)
        if sign(p(middle) + rate * (whole - middle)) or sign(p(whole)):
            continue
        if sign(rate):
            if at_a != at_b:
                yield newton(p, slope, whole)
            continue
        # Near a root of order m the slope is s^(m-1) at a distance s, but its terms as powers of the time since
        # the start of the piece do not vanish; over W their excess falls with the width w only. So parts would have to
        # be as short as s^(m-1), and there are too many of them. About the middle the terms are small themselves: with
        # p(m + u) = Σ q_k u^k the excess is Σ k |q_k| w^(k-1), and parts of a share of s do.
        about, off = p(arb_poly([middle, 1])), whole - middle
        if sign(about(off)):
            continue
        turning = about.derivative()
        if sign(turning(off)):
            if at_a != at_b:
                yield middle + newton(about, turning, off)
            continue
        # Where function and slope vanish together, no cut separates them, and parts would shrink without end. To
        # prove a double root takes exact numbers, which a motion does not have; so the answer is "undecided",
        # not "one root" or "none".
        if b - a < shortest:
            raise Undecided(f"{name} touches zero, or passes it by less than a proof can tell")
        # A cut on a root would leave a part without a sign at its end. A root in the middle is frequent where a motion
        # is symmetric; then another share is taken.
        cut = next((c for c in (a + f * (b - a) for f in CUTS) if sign(p(c))), None)
        if cut is None:
            raise Undecided(f"{name} touches zero, or passes it by less than a proof can tell")
        at_cut = sign(p(cut))
        # The left part goes on top of the stack. So roots come in order, and who takes only the
        # first never pays for the rest.
        parts += [(cut, b, at_cut, at_b), (a, cut, at_a, at_cut)]


def newton(p: Callable[[arb], arb], slope: Callable[[arb], arb], inside: arb) -> arb:
    """Shrink the enclosure of the only root of a function by interval Newton, as long as that gains."""
    while True:
        # Interval Newton (Moore 1966). For the root x there is a place ξ between x and the middle m with p(m) =
        # p'(ξ)(m - x), so that x lies in m - p(m)/p'(W), and in what of it is in W. No pass can lose the root,
        # whatever is rounded. The width falls quadratically until rounding of p(m) is as large as it; then a pass
        # gains nothing, and is the last.
        middle = inside.mid()
        smaller = inside.intersection(middle - p(middle) / slope(inside))
        if not (2 * smaller.rad() < inside.rad()):
            return smaller
        inside = smaller
