"""Exact scalars in problem data: decimals, fractions and rational multiples of pi.

A load written as ``"1.01"`` or ``"2*pi"`` keeps its meaning in every arithmetic; a float is what it is.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from numbers import Real
from typing import Any

import mpmath

from veridyn.inputs import parse_fraction
from veridyn.problem.errors import ProblemError

Scalar = float | str

_PI = re.compile(r"^\s*(?:(?P<factor>[^*pi]+)\s*\*\s*)?pi\s*(?:/\s*(?P<divisor>[^pi]+))?$")


def _rational(text: str) -> tuple[Fraction, bool]:
    """Return the rational factor of a scalar and whether pi multiplies it."""
    match = _PI.match(text)
    if match is None:
        return parse_fraction(text), False
    return parse_fraction(match["factor"] or "1") / parse_fraction(match["divisor"] or "1"), True


def is_finite(value: Any) -> bool:
    """Tell whether something is a finite real number."""
    return isinstance(value, Real) and -math.inf < float(value) < math.inf


def check_scalar(name: str, value: Scalar) -> None:
    """Refuse what is no finite number.

    Raises `ProblemError` if the value is not a finite float or a number such as ``"1.01"``, ``"3/4"``, ``"2*pi"``.
    """
    try:
        number = to_float(value)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise ProblemError(f"{name} = {value!r:.60} is not a number; write e.g. 0.5, '1.01' or '2*pi'") from None
    if not math.isfinite(number):
        raise ProblemError(f"{name} = {value!r} must be finite")


def to_float(value: Scalar) -> float:
    """Return the nearest float."""
    if not isinstance(value, str):
        return float(value)
    factor, times_pi = _rational(value)
    return float(factor) * math.pi if times_pi else float(factor)


def to_mpf(value: Scalar) -> Any:
    """Return the scalar at the current precision of mpmath."""
    if not isinstance(value, str):
        return mpmath.mpf(value)
    factor, times_pi = _rational(value)
    exact = mpmath.mpf(factor.numerator) / factor.denominator
    return exact * mpmath.pi if times_pi else exact


def in_arithmetic_of(value: Scalar, t: Any) -> Any:
    """Return the scalar as mpf if t is one, as float otherwise."""
    return to_mpf(value) if isinstance(t, mpmath.mpf) else to_float(value)
