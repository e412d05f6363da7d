"""Convergence: observed order over halvings of the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Asymptote:
    """Levels ``first`` to ``last``, between which the error follows one power of the step, its order."""

    first: int
    last: int
    order: float


PLATEAU = 0.25  # an error that hardly falls has met something other than the step
AGREEMENT = 0.15  # of local orders with their mean
FEWEST_LEVELS = 3  # two local orders that can agree


def asymptotic_range(errors: Sequence[float], ratio: float = 2.0) -> Asymptote | None:
    """Return the longest range of levels whose local orders agree, the finer one of two as long; None if there is none.

    Parameters
    ----------
    errors
        Errors at step h, h/ratio, h/ratio², …; zeros and NaN end a range.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        local = -np.diff(np.log(np.abs(np.asarray(errors, dtype=float)))) / np.log(ratio)
    for levels in range(len(errors), FEWEST_LEVELS - 1, -1):
        for first in range(len(errors) - levels, -1, -1):
            orders = local[first : first + levels - 1]
            agreed = np.all(np.isfinite(orders)) and np.all(np.abs(orders - orders.mean()) <= AGREEMENT)
            if agreed and orders.mean() > PLATEAU:
                return Asymptote(first, first + levels - 1, observed_order(errors[first : first + levels], ratio))
    return None
