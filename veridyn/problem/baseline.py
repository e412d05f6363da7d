"""Baseline correction of a record of acceleration: what an instrument adds to it in slow drift is taken out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial, legendre
from numpy.typing import NDArray

from veridyn.problem.errors import ProblemError
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Piecewise

MOST = 5  # degree: beyond, a correction takes away what the ground did
GAUSS = 7  # points in an interval: exact up to degree 13; squares of a drift of the velocity have up to 12


def correct_baseline(acceleration: Piecewise, degree: int = 2) -> Piecewise:
    """Return an acceleration without the polynomial of some degree that makes the mean square of its velocity least.

    The parabola of degree 2 is that of G. V. Berg and G. W. Housner, Integrated velocity and displacement of strong
    earthquake ground motion, Bulletin of the Seismological Society of America 51, 1961. The velocity is zero at the
    first break; from the last break on the acceleration is that of the record, zero if it has ended.

    Raises
    ------
    ProblemError
        If the degree is no whole number from 0 to 5, or the record has fewer than two breaks.
    """
    if isinstance(degree, bool) or not isinstance(degree, int) or not 0 <= degree <= MOST:
        raise ProblemError(f"the degree of a baseline must be a whole number from 0 to {MOST}, got {degree!r}")
    if len(acceleration.breaks) < 2:
        raise ProblemError("a baseline needs a record with two breaks or more")
    starts = np.array([to_float(each) for each in acceleration.breaks])
    drift = _fit_drift(acceleration, starts, degree)
    rows = [
        _to_row(Polynomial([to_float(c) for c in row]) - drift(Polynomial([start - starts[0], 1.0])))
        for start, row in zip(starts[:-1], acceleration.coefficients[:-1], strict=True)
    ]
    return Piecewise(tuple(starts.tolist()), (*rows, acceleration.coefficients[-1]))


def _fit_drift(acceleration: Piecewise, starts: NDArray[np.float64], degree: int) -> Polynomial:
    """Return the polynomial in the time since the first break whose integral comes nearest to the velocity."""
    span, lengths = starts[-1] - starts[0], np.diff(starts)
    points, weights = legendre.leggauss(GAUSS)
    instants = (starts[:-1, None] + lengths[:, None] * (points + 1) / 2).ravel()
    root = np.sqrt(np.outer(lengths, weights).ravel() / 2)
    powers = np.arange(1, degree + 2)
    share = (instants - starts[0]) / span  # powers of it are of one size
    columns = share[:, None] ** powers * root[:, None]
    velocity = acceleration.antiderivative()(instants) * root
    solution, *_ = np.linalg.lstsq(columns, velocity, rcond=None)
    return Polynomial(solution * powers / span**powers)


def _to_row(polynomial: Any) -> tuple[float, ...]:
    return tuple(polynomial.coef.tolist())
