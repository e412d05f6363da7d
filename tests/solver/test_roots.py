"""Bernstein coefficients of the exact solver: what they say of a polynomial over an interval and its halves."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from veridyn.solver.integrators.kernels import roots
from veridyn.solver.integrators.kernels import series as taylor
from veridyn.solver.integrators.kernels.roots import MOST_AHEAD
from veridyn.solver.integrators.kernels.series import ORDER

from .conftest import entry

bernstein, bottom, falls, first_root, left_half, right_half = map(
    entry, (roots.bernstein, roots.bottom, roots.falls, roots.first_root, roots.left_half, roots.right_half)
)
value_and_rates = entry(taylor.value_and_rates)

examples = settings(deadline=None, max_examples=100, derandomize=True)
ROUNDING = 64 * 2.0**-53  # of sums of 32 terms of one sign, over and over
polynomials = st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=ORDER + 1).map(
    lambda c: np.array(c + [0.0] * (ORDER + 1 - len(c)))
)
parts = np.linspace(0.0, 1.0, 41)


def over_unit_interval(c):
    b = np.empty(ORDER + 1)
    bernstein(c, b)
    return b


def halves(b):
    left, right = np.empty(ORDER + 1), b.copy()
    left_half(b, left)
    right_half(right, np.empty((2, ORDER + 1)))
    return left, right


def value(b, t):
    """Return the polynomial of Bernstein coefficients b at the parts t of its interval, by de Casteljau's rule."""
    b = np.repeat(b[:, None], t.size, axis=1)
    for _ in range(ORDER):
        b = (1 - t) * b[:-1] + t * b[1:]
    return b[0]


@examples
@given(polynomials)
def test_bernstein_coefficients_give_the_polynomial_back(c):
    found = value(over_unit_interval(c), parts)
    np.testing.assert_allclose(found, np.polyval(c[::-1], parts), rtol=0, atol=ROUNDING * np.abs(c).sum())


@examples
@given(polynomials)
def test_halves_are_the_polynomial_over_either_half(c):
    left, right = halves(over_unit_interval(c))
    scale = ROUNDING * np.abs(c).sum()
    np.testing.assert_allclose(value(left, parts), np.polyval(c[::-1], parts / 2), rtol=0, atol=scale)
    np.testing.assert_allclose(value(right, parts), np.polyval(c[::-1], (1 + parts) / 2), rtol=0, atol=scale)


@examples
@given(polynomials)
def test_coefficients_bracket_the_polynomial_and_those_of_the_halves_tighter(c):
    b, scale = over_unit_interval(c), ROUNDING * np.abs(c).sum()
    for half, points in zip(halves(b), (parts / 2, (1 + parts) / 2), strict=True):
        values = np.polyval(c[::-1], points)
        assert b.min() - scale <= half.min() <= values.min() + scale
        assert values.max() - scale <= half.max() <= b.max() + scale


@examples
@given(polynomials)
def test_halves_meet_and_keep_the_ends(c):
    """So the sign at an end is that of the polynomial, whatever was rounded between."""
    b = over_unit_interval(c)
    left, right = halves(b)
    assert left[0] == b[0] == c[0]
    assert right[-1] == b[-1]
    assert left[-1] == pytest.approx(right[0], rel=0, abs=ROUNDING * np.abs(c).sum())


@examples
@given(st.floats(1e-6, 0.99), st.floats(1e-7, 0.1))
def test_first_of_two_roots_is_found_however_near_the_second_is(first, apart):
    c, intervals = np.zeros(ORDER + 1), np.empty((MOST_AHEAD, ORDER + 1))
    c[:3] = 1.0, -1 / first - 1 / (first + apart), 1 / first / (first + apart)
    bernstein(c, intervals[0])
    found = first_root(c, 1.0, *falls(intervals[0]), intervals, np.empty(MOST_AHEAD))
    assert found == pytest.approx(first, rel=1e-14 * first / apart + 1e-14)


@examples
@given(polynomials, st.floats(0.0, 1.0))
def test_value_and_rates_are_those_of_the_polynomial(c, t):
    p = np.polynomial.Polynomial(c)
    size = np.abs(c).sum()
    for found, order, factor in zip(value_and_rates(c, t), range(3), (1.0, 1.0, 0.5), strict=True):
        assert found == pytest.approx(factor * p.deriv(order)(t), rel=0, abs=ROUNDING * ORDER**order * size)


@examples
@given(st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=4))
def test_a_bottom_is_found_only_where_the_derivative_changes_sign_once_at_most(turns):
    rate = np.polynomial.Polynomial.fromroots(turns)
    c = np.zeros(ORDER + 1)
    c[: len(turns) + 2] = rate.integ().coef
    if bottom(over_unit_interval(c)) >= 0:
        signs = np.sign(rate(parts[1:-1]))
        assert np.all(np.diff(signs[signs != 0]) >= 0)


@examples
@given(st.floats(0.05, 0.95), st.floats(1e-3, 0.5), st.floats(0.5, 1.5))
def test_the_first_root_of_a_valley_needs_no_halves(lowest, half_width, steep):
    """Whatever the interval scratch holds beyond its first row is left as it is."""
    c, intervals = np.zeros(ORDER + 1), np.full((MOST_AHEAD, ORDER + 1), 7.0)
    c[:3] = steep * np.array([lowest**2 - half_width**2, -2 * lowest, 1.0])
    assume(c[0] > 1e-6)
    bernstein(c, intervals[0])
    found = first_root(c, 1.0, *falls(intervals[0]), intervals, np.empty(MOST_AHEAD))
    assert found == pytest.approx(lowest - half_width, rel=1e-12)
    assert np.all(intervals[1:] == 7.0)
