"""Whether an expression is proved to be zero, at a bounded cost."""

from __future__ import annotations

import pytest
from sympy import Rational, cos, pi, sin, symbols, tan

from veridyn.references.algebra import rename_angles, vanishes

t, a, b = symbols("t a b")
MANY = 2_000_000


@pytest.mark.parametrize(
    "zero",
    [
        sin(t) ** 2 + cos(t) ** 2 - 1,
        sin(MANY * pi * t) ** 2 + cos(MANY * pi * t) ** 2 - 1,
        sin(MANY * pi * t + a) ** 2 + cos(MANY * pi * t + a) ** 2 - 1,
        sin(4 * t) - 2 * sin(2 * t) * cos(2 * t),
        sin(t / 7) - 2 * sin(t / 14) * cos(t / 14),
        sin(t + a) - sin(t) * cos(a) - cos(t) * sin(a),
        tan(3 * MANY * t) * cos(3 * MANY * t) - sin(3 * MANY * t),
        (a - b) * (a + b) - a**2 + b**2,
        (a + b) ** MANY * sin(t) - sin(t) * (a + b) ** MANY,
        sin(pi / 5) ** 2 - Rational(5, 8) + 5 ** Rational(1, 2) / 8,
    ],
)
def test_what_is_zero_is_proved_to_be(zero):
    assert vanishes(zero)


@pytest.mark.parametrize(
    "other",
    [
        sin(t) ** 2 + cos(2 * t) ** 2 - 1,
        Rational(10201, 10000) * (sin(MANY * pi * t) ** 2 + cos(MANY * pi * t) ** 2) - 1,
        sin(MANY * t) * cos(t) - sin(t),  # the sine as a polynomial has a million terms
        (a + b) ** MANY - a**MANY,  # as the power has, multiplied out
        sin(MANY * t) - 2 * sin(MANY * t / 2) * cos(t),
    ],
)
def test_what_is_not_zero_is_not_called_so_and_costs_little(other):
    assert not vanishes(other)


def test_angles_are_multiples_of_their_largest_part():
    (one, two) = sorted((each.args[0] for each in rename_angles(sin(6 * t) + sin(9 * t)).args), key=str)
    assert {one.as_coeff_Mul()[0], two.as_coeff_Mul()[0]} == {2, 3}
    assert one.free_symbols == two.free_symbols
