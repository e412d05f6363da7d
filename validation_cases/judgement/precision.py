"""In which precision a solver answers, read from its numbers: double, single, or printed digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.contract.responses import AnyResponse, Trajectory
from veridyn.validation_cases.judgement.case import Floats

DOUBLE = 2.0**-53
MOST_DIGITS = 14  # printed ones that a double does not hold by chance
FEWEST_DIGITS = 5  # of a response: fewer are those of a motion of round numbers
ENOUGH = 30  # different numbers of a response, so that their digits are no chance
MOSTLY = 0.5  # of the numbers need every digit: of printed ones nine of ten do
MORE_THAN_SINGLE = 8  # printed digits: of any number so many are those of the next one in single precision
SINGLE_DIGITS = 7.0  # that a number of single precision holds


@dataclass(frozen=True)
class Precision:
    """The precision of numbers: in words, their relative rounding, how many decimal digits they hold.

    ``more_printed``: digits that are printed, where those are more than the numbers hold; else 0.
    """

    words: str
    rounding: float
    digits: float
    more_printed: float = 0.0

    @property
    def printed(self) -> float:
        """How many decimal digits are written."""
        return self.more_printed or self.digits


IN_DOUBLE = Precision("double", DOUBLE, 15.95)
IN_SINGLE = Precision("single", 2.0**-24, 7.22)


def read_precision(motions: Sequence[Floats]) -> Precision:
    """Return the precision of answers.

    Numbers that all are numbers of single precision were single somewhere, whatever more digits they are printed with;
    numbers that all end after some decimal digits were printed. A number of double precision is one of either by chance
    once in 1e8, or once in ten.
    """
    values = np.concatenate([motion.ravel() for motion in motions])
    values = values[(values != 0) & (values != np.rint(values))]  # whole numbers are numbers of any precision
    if not values.size:
        return IN_DOUBLE
    if np.array_equal(values, values.astype(np.float32).astype(float)):
        return IN_SINGLE
    digits = count_digits(values)
    if digits <= MOST_DIGITS:
        if digits > MORE_THAN_SINGLE and _are_singles(values, digits):
            return replace(IN_SINGLE, words=f"single, printed with {digits} digits", more_printed=float(digits))
        return Precision(f"{digits} printed digits", 0.5 * 10.0 ** (1 - digits), float(digits))
    return IN_DOUBLE


def count_digits(values: Floats) -> int:
    """Return the fewest significant decimal digits, up to 17, that hold all values."""
    return next(
        (d for d in range(1, 17) if all(_print(value, d) == value for value in values)),
        17,
    )


def _are_singles(values: Floats, digits: int) -> bool:
    """Tell whether all numbers are some of single precision, printed with so many digits."""
    return all(_print(float(np.float32(value)), digits) == value for value in values)


def _print(value: float, digits: int) -> float:
    """Return a number as it is read after so many of its digits have been printed."""
    return float(f"{value:.{digits - 1}e}")


def find_digits(response: AnyResponse) -> float | None:
    """Return the decimal digits that the numbers of a response hold, None if they are doubles.

    Motions of round numbers are not taken for printed ones: there must be many numbers, and most need every digit.
    """
    parts = [response.states] if isinstance(response, Trajectory) else [response.displacement, response.velocity]
    values = np.unique(np.concatenate([part.ravel() for part in parts]))
    precision = read_precision([values])
    if precision == IN_DOUBLE or values.size < ENOUGH:
        return None
    if precision.rounding == IN_SINGLE.rounding:
        return None if _share(_to_bits(values, 20) != values) < MOSTLY else SINGLE_DIGITS
    digits = count_digits(values)
    needed = np.array([_print(value, digits - 1) != value for value in values])
    return float(digits) if digits >= FEWEST_DIGITS and _share(needed) >= MOSTLY else None


def _share(which: NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(which)) / which.size


def _to_bits(values: Floats, bits: int) -> Floats:
    """Return numbers rounded to so many bits."""
    mantissa, exponent = np.frexp(values)
    rounded: Floats = np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)
    return rounded
