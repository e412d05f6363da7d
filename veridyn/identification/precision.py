"""In which precision a solver answers: double, single, or printed digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veridyn.identification.trials import Floats

DOUBLE = 2.0**-53
MOST_DIGITS = 14  # printed ones that a double does not hold by chance


@dataclass(frozen=True)
class Precision:
    """The precision of numbers: in words, their relative rounding, how many decimal digits they hold."""

    words: str
    rounding: float
    digits: float


IN_DOUBLE = Precision("double", DOUBLE, 15.95)
IN_SINGLE = Precision("single", 2.0**-24, 7.22)


def read_precision(motions: Sequence[Floats]) -> Precision:
    """Return the precision of answers.

    Numbers that all are numbers of single precision were single somewhere; numbers that all end after some decimal
    digits were printed. A number of double precision is one of either by chance once in 1e8, or once in ten.
    """
    values = np.concatenate([motion.ravel() for motion in motions])
    values = values[(values != 0) & (values != np.rint(values))]  # whole numbers are numbers of any precision
    if not values.size:
        return IN_DOUBLE
    if np.array_equal(values, values.astype(np.float32).astype(float)):
        return IN_SINGLE
    digits = count_digits(values)
    if digits <= MOST_DIGITS:
        return Precision(f"{digits} printed digits", 0.5 * 10.0 ** (1 - digits), float(digits))
    return IN_DOUBLE


def count_digits(values: Floats) -> int:
    """Return the fewest significant decimal digits, up to 17, that hold all values."""
    return next(
        (d for d in range(1, 17) if all(float(f"{value:.{d - 1}e}") == value for value in values)),
        17,
    )
