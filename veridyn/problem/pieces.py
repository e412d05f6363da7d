"""A callable as polynomials: what a user gives as Python becomes data that every solver reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from veridyn.problem.errors import ProblemError
from veridyn.problem.naming import Floats, vector
from veridyn.problem.scalars import is_finite
from veridyn.problem.time_functions import Piecewise

DEGREE = 9
ROUNDING = 1e-13  # of the largest value: as near as polynomials must come
SHORTEST = 2.0**-24  # of the time span; what needs shorter pieces jumps or has a kink there
MOST = 20_000  # pieces
NODES = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))  # inside the piece: a break belongs to no side
BETWEEN = np.linspace(-0.99, 0.99, 2 * DEGREE + 3)


def pieces(function: Callable[[float], float], start: float, end: float, breaks: Sequence[float] = ()) -> Piecewise:
    """Return polynomials that agree with a callable of the time (s) over a span, to 1e-13 of its largest value.

    Pieces are halved until the Chebyshev interpolant of degree 9 is that near between its nodes, too (Trefethen,
    Approximation Theory and Approximation Practice, 2013). Before the start the function is zero.

    Raises
    ------
    ProblemError
        If the span is none; if the callable fails, gives no finite number, or jumps or has a kink beside the breaks.
    """
    if not (is_finite(start) and is_finite(end) and start < end):
        raise ProblemError(
            f"pieces: start = {start!r} and end = {end!r} must be finite numbers of seconds that increase"
        )
    edges = [start, *(b for b in sorted(vector("pieces: breaks", breaks).tolist()) if start < b < end), end]
    waiting = list(pairwise(edges))[::-1]
    scale, result = 0.0, []
    while waiting:
        a, b = waiting.pop()
        samples = _values(function, a, b, NODES)
        between = _values(function, a, b, BETWEEN)
        scale = max(scale, np.abs(samples).max(), np.abs(between).max())
        fitted = Chebyshev.fit(NODES, samples, DEGREE, domain=[-1, 1])
        if np.abs(fitted(BETWEEN) - between).max() <= ROUNDING * scale:
            result.append((a, _powers(fitted, b - a)))
        elif b - a < SHORTEST * (end - start) or len(result) + len(waiting) > MOST:
            raise ProblemError(
                f"a load given as a function cannot be followed near t = {a:.9g} s: if it jumps or has a kink there, "
                "give the instant in breaks=(…); a table of numbers is veridyn.table(times, values)"
            )
        else:
            middle = 0.5 * (a + b)
            waiting += [(middle, b), (a, middle)]
    return Piecewise(tuple(a for a, _ in result), tuple(row for _, row in result))


def _values(function: Callable[[float], float], a: float, b: float, places: Floats) -> Floats:
    times = 0.5 * (a + b) + 0.5 * (b - a) * places
    try:
        values = np.array([float(function(t)) for t in times.tolist()])
    except Exception as error:
        raise ProblemError(f"a load given as a function fails: {type(error).__name__}: {error}") from error
    if not np.all(np.isfinite(values)):
        raise ProblemError(f"a load given as a function is not finite at t = {times[~np.isfinite(values)][0]:.9g} s")
    return values


def _powers(fitted: Chebyshev, width: float) -> tuple[float, ...]:
    """Return the coefficients of the powers of the time since the start of a piece (s)."""
    row = fitted.convert(kind=Polynomial)(Polynomial([-1.0, 2.0 / width]))
    return tuple(np.trim_zeros(row.coef, "b").tolist()) or (0.0,)
