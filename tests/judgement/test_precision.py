"""In which precision numbers were computed, read from themselves."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.validation_cases.judgement.precision import IN_DOUBLE, IN_SINGLE, Precision, read_precision

NUMBERS = np.sin(np.arange(1.0, 80.0)) * np.exp(np.arange(1.0, 80.0) / 9)


def write(values: np.ndarray, digits: int) -> np.ndarray:
    return np.array([float(f"{value:.{digits - 1}e}") for value in values])


@pytest.mark.parametrize(
    ("values", "precision"),
    [
        (NUMBERS, IN_DOUBLE),
        (NUMBERS.astype(np.float32).astype(float), IN_SINGLE),
        (write(NUMBERS.astype(np.float32).astype(float), 10), IN_SINGLE),
        (write(NUMBERS.astype(np.float32).astype(float), 13), IN_SINGLE),
        (write(NUMBERS, 10), Precision("10 printed digits", 5e-10, 10.0)),
        (write(NUMBERS, 6), Precision("6 printed digits", 5e-6, 6.0)),
        (write(NUMBERS.astype(np.float32).astype(float), 6), Precision("6 printed digits", 5e-6, 6.0)),
    ],
    ids=["double", "single", "single, printed", "single, printed with 13", "ten digits", "six", "single, six"],
)
def test_precision_is_read_from_numbers(values: np.ndarray, precision: Precision) -> None:
    found = read_precision([values[:40], values[40:]])
    assert found.words == precision.words
    assert found.rounding == pytest.approx(precision.rounding)
