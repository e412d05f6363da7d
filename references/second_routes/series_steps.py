"""Second routes of smooth motions in mpmath, by Taylor series of which each problem makes its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mpmath

Vector = list[Any]
Series = Callable[[Any, Vector, int], list[Vector]]  # of instant, state and order: coefficients by state


class SeriesStep(NamedTuple):
    """A step: when it begins, how long it is, the coefficients of all states."""

    time: Any
    length: Any
    columns: list[Vector]

    def at(self, lapse: Any) -> Vector:
        """Return the states a while after its start."""
        return [mpmath.polyval(column[::-1], lapse) for column in self.columns]


def steps(series: Series, time: Any, state: Vector, end: Any) -> Iterator[SeriesStep]:
    """Yield steps up to an instant, so long that the last terms of the series vanish."""
    order = int(1.15 * mpmath.mp.dps)  # the least work for a time
    while time < end:
        columns = series(time, state, order)
        last = [(abs(c[k]) / mpmath.eps, k) for c in columns for k in (order - 1, order)]
        length = min(end - time, *(size ** (-mpmath.mpf(1) / k) for size, k in last if size))
        step = SeriesStep(time, length, columns)
        yield step
        time, state = time + length, step.at(length)


def final(series: Series, time: Any, state: Vector, end: Any) -> Vector:
    """Return the states at an instant."""
    *_, last = steps(series, time, state, end)
    return last.at(last.length)


def last_of_square(a: Vector) -> Any:
    """Return the last known coefficient of a square: of two equal products one is computed."""
    k = len(a) - 1
    half = (k + 1) // 2
    twice = 2 * mpmath.fdot(a[:half], a[: k - half : -1])
    return twice if k % 2 else twice + a[half] * a[half]


@dataclass
class InverseCube:
    """Coefficients of q = dx² + dy², of its rate, and of w = q^(-3/2)."""

    squares: Vector = field(default_factory=list)
    rates: Vector = field(default_factory=list)
    cubes: Vector = field(default_factory=list)

    def extend(self, dx: Vector, dy: Vector) -> None:
        """Add the coefficient of the order to which dx and dy are known: q w' = -3/2 w q'."""
        q, k = self.squares, len(dx) - 1
        q.append(last_of_square(dx) + last_of_square(dy))
        if not k:
            self.cubes.append(q[0] ** mpmath.mpf(-1.5))
            return
        self.rates.append(k * q[k])
        back = self.cubes[::-1]
        self.cubes.append(-(mpmath.fdot(self.rates, back) / 2 + k * mpmath.fdot(q[1:], back)) / (k * q[0]))
