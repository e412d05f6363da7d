"""Guards of linear modes that swing with one frequency about a straight line: proved by algebra, for all times.

With D the rate along the motion, D^j (D² + c) g = 0 for j = 1 or 2 and c > 0. The number c and the zeros are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import sympy
from flint import arb
from sympy import Expr

from veridyn.references.engine.flows import State
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.swings import GuardSwing
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_modes import ONE, SymbolicMode, insert_numbers

MOST_TERMS = 8  # in a rate: guards of larger systems swing with many frequencies
ZERO = sympy.Integer(0)

Factors = Mapping[int, Expr]  # of a linear function of the terms of a mode, by place


class Line(NamedTuple):
    """Of a + b τ + R cos(√c τ + φ) the functions a, b, -c R cos φ and c √c R sin φ of the state, and c."""

    height: Factors
    slope: Factors
    bend: Factors
    twist: Factors
    square: Expr = sympy.Integer(1)

    def write_square(self, terms: tuple[Expr, ...]) -> Expr:
        """Return a² - R² in the terms of a mode."""
        height, bend, twist = (
            sympy.Add(*(factor * terms[i] for i, factor in row.items())).xreplace({ONE: sympy.Integer(1)})
            for row in (self.height, self.bend, self.twist)
        )
        return height**2 - (bend**2 + twist**2 / self.square) / self.square**2


@lru_cache(maxsize=4096)
def find_line(mode: SymbolicMode, place: int, o: ParameterSet) -> Line | None:
    """Return about which line a guard of a mode swings along its motion, None if about none."""
    assert mode.rows is not None
    rates, read = ([{i: insert_numbers(e, o) for i, e in row.items()} for row in rows] for rows in mode.rows)
    moved: list[Factors] = [read[place]]
    for _ in range(4):
        moved.append(_move(moved[-1], rates))
        if not moved[-1]:
            return Line(moved[0], moved[1], {}, {}) if len(moved) <= 3 else None
        if len(moved[-1]) > MOST_TERMS:
            return None
    level = _find_square(moved[1], moved[3])  # about a line that does not rise
    square = level or _find_square(moved[2], moved[4])
    if square is None:
        return None
    slope = {} if level else _add(moved[1], moved[3], 1 / square)
    return Line(_add(moved[0], moved[2], 1 / square), slope, moved[2], moved[3], square)


def _move(row: Factors, rates: list[dict[int, Expr]]) -> Factors:
    """Return the rate of a linear function."""
    result: Factors = {}
    for i, factor in row.items():
        result = _add(result, rates[i], factor)
    return result


def _add(row: Factors, other: Factors, times: Expr) -> Factors:
    """Return the sum of a row and a multiple of another one, without what is zero."""
    result = dict(row)
    for i, factor in other.items():
        result[i] = sympy.expand(result.get(i, ZERO) + times * factor)
    return {i: factor for i, factor in result.items() if factor != 0}


def _find_square(low: Factors, high: Factors) -> Expr | None:
    """Return the positive number c with high = -c low, if there is one."""
    place = next(iter(low))
    square = sympy.expand(-high.get(place, ZERO) / low[place])
    return square if square.is_positive and not _add(high, low, square) else None


def make_swing(
    line: Line, state: State, number: Callable[[Expr], Ball], touches: Callable[[], bool] | None
) -> GuardSwing:
    """Return the numbers of a swing from a state on; ``touches`` tells whether a² - R² is zero, None: it may not."""

    def read(row: Factors) -> Any:
        return sum((value(number(factor)) * value(state[i]) for i, factor in row.items()), arb(0))

    square = value(number(line.square))
    height, slope, bend, twist = map(read, line[:4])
    size = _root(bend**2 + twist**2 / square) / square
    near = not line.slope and height > 0 and not (size < height or size > height)
    return GuardSwing(height, slope, size, touches=bool(near and touches is not None and touches()))


def _root(square: arb) -> arb:
    """Return the root of a number that is not negative, though its ball may hold such."""
    if square > 0:
        return square.sqrt()
    half = square.abs_upper().sqrt() / 2
    return arb(half, half)
