"""Where a linear function of a linear motion may be largest, and where it turns there.

Turning points by the thousand are found and thrown away, and one that is no turn, where the slope touches zero, cannot
be proved. So stretches of time on which the function is surely smaller than somewhere else are left out first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flint import arb

from veridyn.references.engine.enclosure import Absent, sign
from veridyn.references.engine.events import roots
from veridyn.references.engine.flows import Course, LinearFlow, Row, apply
from veridyn.references.engine.jets import Ball, value

PARTS = 8  # of a piece, told apart by bounds of the function on them
MOST_PIECES = 20_000  # in which turns are looked for: some seconds
BACK = (0, 1, 3)  # of a 64th of a piece by which a stretch begins earlier, so that the slope is not zero there

Stretch = tuple[arb, arb]


def find_high_turns(
    course: Course, row: Row, after: Ball, until: Ball, size: Callable[[arb], arb], zeros: int = 0
) -> Iterator[Ball]:
    """Yield where a row turns between two lapses (s), but for turns of surely smaller size than somewhere there.

    Parameters
    ----------
    course
        Of a linear flow.
    size
        What is compared: the value of the row, or its magnitude.
    zeros
        How many of the first Taylor coefficients of the rate vanish exactly at the start of the course.

    Raises
    ------
    Absent
        If there are too many pieces.
    Undecided
        If the rate touches zero, as far as the precision tells.
    """
    for begin, end in _find_high(course, row, value(after), value(until), size):
        last = until if end is None else end
        if begin == 0:
            yield from roots(course, row, last, zeros=zeros, order=1, inside=False)
        else:
            there = Course(course.flow, course.at(begin))
            yield from (begin + lapse for lapse in roots(there, row, last - begin, order=1, inside=False))


def _find_high(
    course: Course, row: Row, after: arb, until: arb, size: Callable[[arb], arb]
) -> list[tuple[arb, arb | None]]:
    """Return the stretches that may hold the largest size; None for an end: the last of them ends with the search."""
    half = arb(1) / (2 * PARTS)
    floor: arb | None = None
    parts: list[tuple[arb, arb, arb]] = []
    for number, (begins, piece) in enumerate(course.pieces(until)):
        if begins > until:
            break
        if number > MOST_PIECES:
            raise Absent(f"a turn is looked for in {MOST_PIECES} pieces of the motion at most: shorten the time")
        function = piece.polynomial(row)
        slope = function.derivative()
        for k in range(PARTS):
            middle = half * (2 * k + 1)
            a, t, b = (begins + piece.length * s for s in (middle - half, middle, middle + half))
            # the mean value theorem: f(m) + f'(W) (W - m) holds all values on the part W about m
            height = size(function(middle) + slope(arb(middle, half)) * arb(0, half))
            if after < t < until:
                lowest = size(function(middle)).lower()
                floor = lowest if floor is None else floor.max(lowest)
            parts.append((a, b, height))
    high = [(a, b) for a, b, h in parts if not (b < after or a > until or (floor is not None and h < floor))]
    return [(_step_back(course, row, a), None if b > until else b) for a, b in _join(high)]


def _step_back(course: Course, row: Row, begin: arb) -> arb:
    """Return a lapse at or a little before another one, at which the rate of a row is not zero."""
    flow = course.flow
    assert isinstance(flow, LinearFlow)
    steps = (flow.system.length * k / 64 for k in BACK)
    lapses = (begin - step for step in steps if begin - step > 0)
    return next((t for t in lapses if sign(value(apply(flow.rate_of(row), course.at(t))))), arb(0))


def _join(parts: list[Stretch]) -> list[Stretch]:
    """Return stretches that do not touch."""
    result: list[Stretch] = []
    for a, b in parts:
        result.append((result.pop()[0] if result and result[-1][1] == a else a, b))
    return result
