"""In which precision a solver answers: double, single, or printed digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veridyn.identification.trials import Floats

DOUBLE = 2.0**-53
MOST_DIGITS = 14  # printed ones that a double does not hold by chance


def read_precision(motions: Sequence[Floats]) -> tuple[str, float]:
    """Return the precision in words and the relative rounding of an answer.

    Numbers that all are numbers of single precision were single somewhere; numbers that all end after some decimal
    digits were printed. A number of double precision is one of either by chance once in 1e8, or once in ten.
    """
    values = np.concatenate([motion.ravel() for motion in motions])
    values = values[(values != 0) & (values != np.rint(values))]  # whole numbers are numbers of any precision
    if not values.size:
        return "double", DOUBLE
    if np.array_equal(values, values.astype(np.float32).astype(float)):
        return "single", 2.0**-24
    digits = count_digits(values)
    if digits <= MOST_DIGITS:
        return f"{digits} printed digits", 0.5 * 10.0 ** (1 - digits)
    return "double", DOUBLE


def count_digits(values: Floats) -> int:
    """Return the fewest significant decimal digits, up to 17, that hold all values."""
    return next(
        (d for d in range(1, 17) if all(float(f"{value:.{d - 1}e}") == value for value in values)),
        17,
    )
