"""Sums and products of scalars that stay exact: decimal strings as fractions, all else in floats."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from veridyn.inputs import parse_fraction
from veridyn.problem.exact_fields import is_formula
from veridyn.problem.scalars import Scalar, to_float


def to_exact(value: Scalar) -> Any:
    """Return a fraction for decimal strings, a formula as it is, so that antiderivatives stay exact; else a float."""
    if is_formula(value):
        return value
    return parse_fraction(value) if isinstance(value, str) and "pi" not in value else to_float(value)


def to_scalar(value: Any) -> Scalar:
    """Return a scalar from a fraction, as text, or from a number."""
    if is_formula(value):
        return value  # type: ignore[no-any-return]
    return str(value) if isinstance(value, Fraction) else float(value)


def add(value: Scalar, other: float) -> Scalar:
    """Return the sum of a scalar and a number."""
    exact = to_exact(value)
    return to_scalar(exact + _like(exact, other))


def multiply(value: Scalar, factor: float) -> Scalar:
    """Return a scalar times a number."""
    exact = to_exact(value)
    return to_scalar(exact * _like(exact, factor))


def _like(exact: Any, number: float) -> Any:
    """Return a number as it goes with an exact one."""
    return Fraction(number) if isinstance(exact, Fraction) or is_formula(exact) else float(number)
