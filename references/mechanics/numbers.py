"""Numbers of a problem as exact ones: a double is what it is, or stands for its shortest decimal."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy
from sympy import Expr

from veridyn.problem.exact_fields import is_formula
from veridyn.problem.formulas import ReadNumber, write_number
from veridyn.problem.scalars import to_float


def read_decimal(value: Any) -> Expr:
    """Return a number as its shortest decimal, 0.1 as one tenth; of a text, what it says: ``"10*pi"``."""
    return write_number(value)


def read_double(value: Any) -> Expr:
    """Return a double as the binary fraction that it is; of a text, what it says."""
    if isinstance(value, str) or is_formula(value):
        return write_number(value)
    fraction = Fraction(to_float(value))
    return sympy.Rational(fraction.numerator, fraction.denominator)


def read_vector(read: ReadNumber, values: Iterable[Any]) -> sympy.Matrix:
    """Return a column (n, 1) of exact numbers."""
    column = [read(value) for value in values]
    return sympy.Matrix(len(column), 1, column)


def read_matrix(read: ReadNumber, rows: Iterable[Iterable[Any]]) -> sympy.Matrix:
    """Return a matrix of exact numbers."""
    return sympy.Matrix([[read(value) for value in row] for row in rows])
