"""The smallest size of a fault that is detected, in steps of 1, 3, 10."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .trial import Trial

MOST_SIZES = 16  # tried in a search; one that follows the ratios needs four or five


@dataclass(frozen=True)
class Smallest:
    """Smallest size that is detected, and by which check; largest one below that is not (None: none was tried)."""

    detected: float
    survived: float | None
    check: str


def number_of(size: float) -> int:
    """Return the number of the largest size of 1, 3, 10, 30, … that is not above a size; 1 has number 0."""
    decade = math.floor(math.log10(size * (1 + 1e-9)))
    return 2 * decade + (size * (1 + 1e-9) >= 3 * 10.0**decade)


def size_of(number: int) -> float:
    """Return the size of a number, see `number_of`."""
    return float(f"{3 if number % 2 else 1}e{number // 2}")


def find_smallest(attempt: Callable[[float], Trial], first: Trial, smallest: float) -> Smallest:
    """Look for the smallest size that is detected.

    ``attempt(size)`` returns the trial of a size, ``first`` is one that detected the fault. The ratio of error and
    tolerance says how far below a detected size the limit should lie; the step above and the step below the limit are
    both tried. The search ends at the size ``smallest``.
    """
    assert first.size is not None
    above, survived = first, None
    bottom, top = number_of(smallest) - 1, number_of(first.size * (1 - 1e-6)) + 1
    for _ in range(MOST_SIZES):
        if top - bottom <= 1:
            break
        guess = (bottom + top) // 2 if survived else _expect(above)
        number = min(max(guess, bottom + 1), top - 1)
        trial = attempt(size_of(number))
        if trial.detected:
            above, top = trial, number
        else:
            survived, bottom = size_of(number), number
    assert above.size is not None
    worst = max(above.failures, key=lambda name: above.failures[name][1] or 0.0)
    return Smallest(above.size, survived, worst)


def _expect(above: Trial) -> int:
    """Return the number of the smallest size that is detected if error is proportional to size."""
    assert above.size is not None
    ratio = above.worst if math.isfinite(above.worst) else 3.0
    return number_of(above.size / max(ratio, 1.0)) + 1
