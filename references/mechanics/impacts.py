"""Impacts on rigid stops: the velocities after, by complementarity of impulses and rates (Newton's restitution).

All sides that are touched at one instant share their impulses: ``0 <= p ⊥ d'⁺ - e max(0, -d'⁻) >= 0`` (J. J. Moreau,
CISM Courses 302, Springer 1988). With an invertible matrix of the directions it has one solution; which sides get an
impulse is decided by signs of balls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import sympy
from sympy import Expr, Symbol

from veridyn.references.engine.enclosure import Absent
from veridyn.references.mechanics.elements import Touch

MOST_SIDES = 6  # touched at one instant: each may get an impulse or none

Side = Callable[[Expr], int]  # the sign of an expression in the states just before; 0 if it is zero exactly


@dataclass(frozen=True)
class Impact:
    """What an impact does, as formulas in the states just before: velocities just after it, impulses (N s) of sides."""

    velocities: dict[Symbol, Expr]
    impulses: tuple[Expr, ...]


def find_impact(touches: Sequence[Touch], inverse: sympy.Matrix, rates: Sequence[Symbol], sign: Side) -> Impact:
    """Return what an impact does on the sides of rigid stops that are touched.

    Raises
    ------
    Absent
        If no impulses, or too many sides, fit.
    """
    if len(touches) > MOST_SIDES:
        raise Absent(f"{len(touches)} rigid stops are touched at one instant: {MOST_SIDES} at most")
    directions = sympy.Matrix.hstack(*(sympy.Matrix(touch.direction) for touch in touches))
    changes = inverse * directions  # of the velocities, a column an impulse of 1 N s
    before = sympy.Matrix([touch.rate for touch in touches])
    delassus = sympy.Matrix([[_gained(touch.rate, rates, changes.col(j)) for j in range(len(touches))]
                             for touch in touches])  # fmt: skip
    bounce = [-t.restitution * t.rate if sign(t.rate) < 0 else sympy.Integer(0) for t in touches]
    for impulses in _solutions(before, delassus, bounce, sign):
        jumps = changes * impulses
        velocities = {v: sympy.expand(v + jump) for v, jump in zip(rates, jumps, strict=True) if jump != 0}
        return Impact(velocities, tuple(impulses))
    raise Absent("no impulses of the rigid stops that are touched fit their law of impact")


def _gained(rate: Expr, rates: Sequence[Symbol], change: sympy.Matrix) -> Expr:
    """Return by how much a rate grows if the velocities change."""
    return sum((sympy.diff(rate, v) * dv for v, dv in zip(rates, change, strict=True)), sympy.Integer(0))


def _solutions(
    before: sympy.Matrix, delassus: sympy.Matrix, bounce: Sequence[Expr], sign: Side
) -> Iterator[sympy.Matrix]:
    """Yield impulses (k, 1) that fit: none is negative, no rate is below its rebound, one of both is met everywhere."""
    count = len(bounce)
    for size in range(count + 1):
        for active in combinations(range(count), size):
            impulses = sympy.zeros(count, 1)
            if active:
                matrix = delassus.extract(active, active)
                if matrix.det() == 0:
                    continue
                lacking = sympy.Matrix([bounce[i] - before[i] for i in active])
                for i, impulse in zip(active, matrix.LUsolve(lacking), strict=True):
                    impulses[i] = sympy.expand(impulse)
            after = before + delassus * impulses
            slack = [sympy.expand(after[i] - bounce[i]) for i in range(count) if i not in active]
            if all(sign(impulses[i]) >= 0 for i in active) and all(sign(s) >= 0 for s in slack):
                yield impulses
