"""Convergence: observed order over halvings of the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def observed_order(errors: Sequence[float], ratio: float = 2.0) -> float:
    """Return the slope of log(error) over log(step), least squares over all levels.

    Parameters
    ----------
    errors
        Errors at step h, h/ratio, h/ratio², …

    Raises
    ------
    ValueError
        If an error is zero or there are fewer than two.
    """
    e = np.abs(np.asarray(errors, dtype=float))
    if e.size < 2 or np.any(e == 0):
        raise ValueError("an observed order needs at least two errors, none of them zero")
    levels = np.arange(e.size) * np.log(ratio)
    return float(-np.polyfit(levels, np.log(e), 1)[0])


def errors_over_steps(measure: Callable[[float], float], truth: float, steps: Sequence[float]) -> list[float]:
    """Return measure(step) - truth for each step."""
    return [measure(step) - truth for step in steps]


def halvings(step: float, count: int) -> list[float]:
    """Return step, step/2, … (count + 1 values)."""
    return [step / 2**k for k in range(count + 1)]
