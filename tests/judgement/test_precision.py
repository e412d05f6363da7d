"""In which precision numbers were computed, read from themselves."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.validation_cases.judgement.precision import IN_DOUBLE, IN_SINGLE, Precision, read_precision

NUMBERS = np.sin(np.arange(1.0, 80.0)) * np.exp(np.arange(1.0, 80.0) / 9)
SINGLES = NUMBERS.astype(np.float32).astype(float)


def write(values: np.ndarray, digits: int) -> np.ndarray:
    return np.array([float(f"{value:.{digits - 1}e}") for value in values])


@pytest.mark.parametrize(
    ("values", "precision"),
    [
        (NUMBERS, IN_DOUBLE),
        (SINGLES, IN_SINGLE),
        (write(SINGLES, 10), Precision("single, printed with 10 digits", 2**-24, 7.22, 10)),
        (write(SINGLES, 13), Precision("single, printed with 13 digits", 2**-24, 7.22, 13)),
        (write(NUMBERS, 10), Precision("10 printed digits", 5e-10, 10.0)),
        (write(NUMBERS, 6), Precision("6 printed digits", 5e-6, 6.0)),
        (write(SINGLES, 6), Precision("6 printed digits", 5e-6, 6.0)),
    ],
    ids=["double", "single", "single, printed", "single, printed with 13", "ten digits", "six", "single, six"],
)
def test_precision_is_read_from_numbers(values: np.ndarray, precision: Precision) -> None:
    found = read_precision([values[:40], values[40:]])
    assert found.words == precision.words
    assert found.rounding == pytest.approx(precision.rounding)
    assert (found.digits, found.printed) == (precision.digits, precision.printed)
