"""The formulas of a function that a window cuts out, before, inside and after the window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veridyn.problem.function_of_time import TimeFunction


@dataclass(frozen=True)
class WindowFormulas:
    """What a window cuts out, in some arithmetic: zero, the function without a polynomial, then a polynomial.

    Polynomials are given by their derivatives at the start and at the end, lowest first.
    """

    start: Any
    end: Any
    function: TimeFunction
    left_out: list[Any]
    carried_on: list[Any]

    def at(self, t: Any) -> Any:
        """Return the value at one instant."""
        return type(t)(0) if t < self.start else self.inside(t) if t < self.end else self.after(t)

    def inside(self, t: Any) -> Any:
        """Return the formula between start and end."""
        return self.function(t) - sum_taylor(self.left_out, t - self.start)

    def after(self, t: Any) -> Any:
        """Return the formula from the end on."""
        return sum_taylor(self.carried_on, t - self.end)


def sum_taylor(derivatives: Sequence[Any], tau: Any) -> Any:
    """Return the sum of ``derivatives[k] tau**k / k!``."""
    total = 0 * tau
    for k in range(len(derivatives), 0, -1):
        total = total * tau / k + derivatives[k - 1]
    return total


def to_powers(derivatives: Sequence[Any], sign: float) -> tuple[float, ...]:
    """Return the coefficients of the powers that belong to derivatives."""
    return tuple(sign * float(d) / math.factorial(k) for k, d in enumerate(derivatives))
