"""Second routes of smooth motions in mpmath, by Taylor series of which each problem makes its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def inverse_cube(q: Vector, w: Vector, k: int) -> Any:
    """Return coefficient k of w = q^(-3/2), from those before it: q w' = -3/2 w q'."""
    if not k:
        return q[0] ** mpmath.mpf(-1.5)
    back = w[::-1]
    driven = mpmath.fdot([j * q[j] for j in range(1, k + 1)], back)
    return -(driven / 2 + k * mpmath.fdot(q[1 : k + 1], back)) / (k * q[0])
