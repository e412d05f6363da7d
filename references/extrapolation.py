"""Second routes of nonlinear motions, in mpmath: midpoint steps extrapolated to none (Gragg, Bulirsch and Stoer).

An edge of the present equations is looked for at the end of every step and, inside it, where its function turns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError

PROMISED = 12  # digits
WORKING = 26
SHARP = 10.0**-20  # of a step, relative to the largest state of its kind
MOST = 24  # rows of an extrapolation

Vector = tuple[mpf, ...]
Rates = Callable[[mpf, Vector], Sequence[mpf]]
Mode = Any  # which equations hold


class Edge(NamedTuple):
    """A linear function of the state, positive in a mode; where it falls through zero another mode begins."""

    row: Mapping[int, mpf]
    offset: mpf
    after: Mode

    def value(self, y: Sequence[mpf]) -> mpf:
        """Return the function at a state."""
        return self.slope(y) + self.offset

    def slope(self, rates: Sequence[mpf]) -> mpf:
        """Return its rate."""
        return sum(factor * rates[i] for i, factor in self.row.items())


class Law(NamedTuple):
    """Equations, edges, end of a mode (s) with the mode after it; `step` (s) and sizes of the states set a scale."""

    rates: Callable[[Mode], Rates]
    edges: Callable[[Mode], Sequence[Edge]]
    ends: Callable[[Mode], tuple[mpf, Mode]]
    step: mpf
    sizes: Vector


class Step(NamedTuple):
    """The motion from an instant on, in a mode."""

    law: Law
    time: mpf
    mode: Mode
    y: Vector

    def at(self, lapse: mpf, most: int = MOST) -> Vector:
        """Return the state after a lapse of a step or less; raises `CertificationError` if `most` rows do not do."""
        rates, rows = self.law.rates(self.mode), list[Vector]()
        if not lapse:
            return self.y
        for place in range(1, most):
            row = [_midpoint(rates, self.time, self.y, lapse, 2 * place)]
            for back, old in enumerate(rows, start=1):
                weight = 1 / (mpmath.mpf(place) ** 2 / (place - back) ** 2 - 1)
                row.append(tuple(new + (new - less) * weight for new, less in zip(row[-1], old, strict=True)))
            rows = row
            if len(row) > 1 and _close(row[-1], row[-2], self.law.sizes):
                return row[-1]
        raise CertificationError("the extrapolation of the motion does not converge")

    def slope(self, edge: Edge, lapse: mpf, y: Vector) -> mpf:
        """Return the rate of an edge's function at a state."""
        return edge.slope(self.law.rates(self.mode)(self.time + lapse, y))


def _midpoint(rates: Rates, t: mpf, y: Vector, lapse: mpf, count: int) -> Vector:
    h = lapse / count
    before, now = y, tuple(a + h * b for a, b in zip(y, rates(t, y), strict=True))
    for i in range(1, count):
        slopes = rates(t + i * h, now)
        before, now = now, tuple(a + 2 * h * b for a, b in zip(before, slopes, strict=True))
    return tuple((a + b + h * c) / 2 for a, b, c in zip(before, now, rates(t + lapse, now), strict=True))


def _close(a: Vector, b: Vector, sizes: Vector) -> bool:
    return all(abs(x - y) <= SHARP * max(size, abs(x)) for x, y, size in zip(a, b, sizes, strict=True))


def followed(law: Law, mode: Mode, y: Vector, end: mpf) -> list[Step]:
    """Follow a motion from 0 to an instant (s); raises `CertificationError` if a step or an edge is not found."""
    here = Step(law, mpmath.mpf(0), mode, y)
    steps = [here]
    while here.time < end:
        limit, later = law.ends(here.mode)
        lapse = min(law.step, limit - here.time)
        after = here.at(lapse)
        passed = min(_passages(here, lapse, after), default=None, key=lambda p: p[0])
        if passed is not None:
            here = Step(law, here.time + passed[0], passed[1].after, here.at(passed[0]))
        elif lapse < law.step:
            here = Step(law, limit, later, after)
        else:
            here = Step(law, here.time + lapse, here.mode, after)
        steps.append(here)
    return steps


def at(steps: Sequence[Step], time: mpf) -> tuple[Step, Vector]:
    """Return the step that holds an instant (s), and the state there."""
    step = steps[max(0, bisect_right(steps, time, key=lambda s: s.time) - 1)]
    return step, step.at(time - step.time)


def turned(steps: Sequence[Step], function: Edge, end: mpf) -> Iterator[tuple[mpf, Vector]]:
    """Yield instants (s) and states where a linear function of the state has an extreme between two steps."""
    ends = [*(step.time for step in steps[1:]), end]
    for step, until in zip(steps, ends, strict=True):
        time = _extreme(step, function, until - step.time)
        if time is not None:
            yield step.time + time, step.at(time)


def _extreme(step: Step, function: Edge, lapse: mpf) -> mpf | None:
    """Return the lapse at which a function turns, None if its rate has one sign at both ends."""

    def rate(time: mpf) -> mpf:
        return step.slope(function, time, step.at(time))

    if lapse <= 0 or rate(mpmath.mpf(0)) * rate(lapse) >= 0:
        return None
    return _bracketed(rate, mpmath.mpf(0), lapse)


def _bracketed(f: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    return mpmath.findroot(f, (low, high), solver="anderson", tol=1e-21 * abs(f(high)), verify=False)


def _passages(step: Step, lapse: mpf, after: Vector) -> Iterator[tuple[mpf, Edge]]:
    """Yield where edges are passed first within a lapse."""
    for edge in step.law.edges(step.mode):
        low = _negative(step, edge, lapse, after)
        if low is not None:
            yield _root(step, edge, low), edge


def _negative(step: Step, edge: Edge, lapse: mpf, after: Vector) -> mpf | None:
    """Return a lapse at which an edge is behind."""
    a, b = edge.value(step.y), edge.value(after)
    if b < 0:
        return lapse
    p, q = step.slope(edge, mpmath.mpf(0), step.y), step.slope(edge, lapse, after)
    if not p < 0 < q or a * q - b * p + p * q * lapse > 0:  # tangents, below it as it turns, meet above zero
        return None
    turn = _extreme(step, edge, lapse)
    return turn if turn is not None and edge.value(step.at(turn)) < 0 else None


def _root(step: Step, edge: Edge, high: mpf) -> mpf:
    """Return where an edge is passed, between the start and a lapse at which it is behind."""
    low = high / 2
    while edge.value(step.at(low)) <= 0:
        low /= 2
        if low < 1e-15 * high:
            raise CertificationError("an edge is passed where a mode begins")
    return _bracketed(lambda lapse: edge.value(step.at(lapse)), low, high)
