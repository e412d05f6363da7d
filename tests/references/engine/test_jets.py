"""Numbers with their derivative: every operation against difference quotients, what is undecided against both sides."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.engine.enclosure import precision
from veridyn.references.engine.jets import (
    DERIVATIVES,
    Jet,
    curve,
    differentiated,
    find_order,
    hull,
    largest,
    rooted,
    slope,
    stack,
    unstack,
    value,
)

ONE = arb(1)
A, B, C = Jet(arb(3), arb(2)), Jet(arb(2), arb(5)), arb(4)


@pytest.fixture(autouse=True)
def _bits():
    with precision(256):
        yield


def same(found, number, rate) -> bool:
    """Tell whether a pair is sharp and what it should be."""
    sharp = all(arb(x).rad() < arb(2) ** -200 for x in (found.value, found.slope))
    return sharp and bool(arb(found.value).overlaps(arb(number)) and found.slope.overlaps(arb(rate)))


@pytest.mark.parametrize(
    ("found", "number", "rate"),
    [
        (lambda: A + B, 5, 7),
        (lambda: A + C, 7, 2),
        (lambda: C + A, 7, 2),
        (lambda: A - B, 1, -3),
        (lambda: A - 1, 2, 2),
        (lambda: 1 - A, -2, -2),
        (lambda: -A, -3, -2),
        (lambda: A * B, 6, 19),
        (lambda: A * C, 12, 8),
        (lambda: C * A, 12, 8),
        (lambda: A / C, 0.75, 0.5),
        (lambda: A**0, 1, 0),
        (lambda: A**1, 3, 2),
        (lambda: A**3, 27, 54),
        (lambda: A**-1 * 9, 3, -2),
        (lambda: Jet(arb(0), ONE) ** 2, 0, 0),
        (lambda: Jet(arb(0), ONE) ** 1, 0, 1),
        (lambda: Jet(arb(4), ONE) ** (ONE / 2), 2, 0.25),
        (lambda: abs(A), 3, 2),
        (lambda: abs(-A), 3, 2),
        (lambda: A.max(B), 3, 2),
        (lambda: B.max(A), 3, 2),
        (lambda: A.max(C), 4, 0),
        (lambda: A.min(B), 2, 5),
        (lambda: A.min(C), 3, 2),
        (lambda: A.min(1), 1, 0),
    ],
)
def test_arithmetic(found, number, rate):
    assert same(found(), number, rate)


def test_quotients():
    assert same(A / B, ONE * 3 / 2, ONE * (2 * 2 - 3 * 5) / 4)
    assert same(6 / A, 2, -ONE * 4 / 3)
    assert same(C / A, ONE * 4 / 3, -ONE * 8 / 9)


def test_a_power_with_an_exponent_that_varies():
    """x^y has the rate x^y (y'/1 log x + y x'/x)."""
    assert same(A**B, 9, 9 * (5 * arb(3).log() + 2 * arb(2) / 3))


@given(x=st.floats(0.05, 0.95), rate=st.floats(-5, 5))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_functions_against_difference_quotients(x, rate):
    h = arb(2) ** -80
    for name in DERIVATIVES:
        found = getattr(Jet(arb(x), arb(rate), None, arb(3)), name)()
        near = [Jet(arb(x) + step * (rate + 3 * step / 2), rate + 3 * step) for step in (h, -h)]
        above, below = (getattr(each, name)() for each in near)
        assert found.value.overlaps(getattr(arb(x), name)())
        assert found.slope.overlaps(getattr(Jet(arb(x), arb(rate)), name)().slope)
        assert abs(found.slope - (above.value - below.value) / (2 * h)) < arb(2) ** -120
        assert abs(found.curve - (above.slope - below.slope) / (2 * h)) < arb(2) ** -100


@pytest.mark.parametrize(
    "law",
    [
        lambda a, b: (a + b) * a - 3 / b,
        lambda a, b: a / b + b**3 - abs(-a),
        lambda a, b: (a * b) ** (ONE / 3) + b**-2,
        lambda a, b: a**b + (2 - b).max(a) - a.min(b),
        lambda a, b: (a / b).sqrt().exp().tanh(),
    ],
)
def test_second_derivatives_are_the_slopes_of_the_slopes(law):
    h = arb(2) ** -60

    def curved(step):
        return Jet(3 + 2 * step + step**2, 2 + 2 * step, None, 2), Jet(2 + 5 * step, arb(5), None, arb(0))

    found, above, below = (law(*curved(step)) for step in (arb(0), h, -h))
    assert abs(found.curve - (above.slope - below.slope) / (2 * h)) < arb(2) ** -90
    assert law(A, curved(arb(0))[1]).curve is None  # one of them carries none


def test_sine_and_cosine_together():
    s, c = A.sin_cos()
    assert same(s, arb(3).sin(), 2 * arb(3).cos())
    assert same(c, arb(3).cos(), -2 * arb(3).sin())


def test_there_are_no_other_functions():
    with pytest.raises(AttributeError):
        A.cosine()


def test_comparisons_are_those_of_values():
    assert B < A
    assert not A < B
    assert A > B
    assert not B > A
    assert A > 2
    assert not A > 3
    assert not A < 3
    assert A <= 3
    assert A >= 3
    assert not A >= 4
    assert not A <= 2
    assert 2 < A < 4


def test_where_a_sign_is_undecided_a_magnitude_has_both_derivatives():
    found = abs(Jet(arb(0, 1), arb(2)))
    assert found.value.contains(1)
    assert not found.value.contains(1.5)
    assert found.slope.contains(2)
    assert found.slope.contains(-2)
    assert not found.slope.contains(3)
    corner = abs(Jet(arb(0), ONE))
    assert corner.slope.contains(1)
    assert corner.slope.contains(-1)


def test_where_the_larger_is_undecided_both_derivatives_are_held():
    found = Jet(arb(1, 0.5), arb(2)).max(Jet(arb(1, 0.25), arb(5)))
    assert found.value.contains(1.5)
    assert found.slope.contains(2)
    assert found.slope.contains(5)
    assert not found.slope.contains(6)
    least = Jet(arb(1, 0.5), arb(2)).min(1)
    assert least.value.contains(0.5)
    assert least.value.contains(1)
    assert least.slope.contains(0)
    assert least.slope.contains(2)


def test_plain_numbers_have_no_derivative():
    assert (value(A), slope(A)) == (3, 2)
    assert (value(C), slope(C)) == (4, 0)
    assert differentiated(C, A)
    assert not differentiated(C, ONE)
    assert not differentiated()


def test_columns_of_values_and_derivatives():
    assert stack([A, C], 1) == (3, 4, 2, 0)
    first, second = unstack([3, 4, 2, 0], 1)
    assert (first.value, first.slope, second.value, second.slope) == (3, 2, 4, 0)
    assert (find_order(C), find_order(A, C), find_order(A, Jet(ONE, ONE, None, ONE))) == (0, 1, 1)
    (third,) = unstack(stack([Jet(ONE, arb(2), None, arb(7))], 2), 2)
    assert (third.value, third.slope, third.curve, find_order(third, C), curve(C)) == (1, 2, 7, 2, 0)


def test_a_root_moves_against_the_derivative_of_its_function():
    """p = x² has the root sqrt(p): its rate is 1/(2 sqrt p), the next one -1/(4 p sqrt p)."""
    for bend in (None, arb(0)):
        level = Jet(arb(9), ONE, None, bend)
        root = rooted(arb(3), lambda x, level=level: x * x - level)
        assert same(root, 3, ONE / 6)
        assert (root.curve is None) == (bend is None)
    assert abs(root.curve + ONE / 108) < arb(2) ** -200
    assert rooted(arb(3), lambda x: x * x - 9) == 3


def test_a_hull_holds_all_of_all():
    plain = hull(ONE, arb(3), arb(2))
    assert plain.contains(1)
    assert plain.contains(3)
    assert not plain.contains(3.5)
    assert hull(ONE) == 1
    pair = hull(A, C)
    assert pair.value.contains(3)
    assert pair.value.contains(4)
    assert pair.slope.contains(0)
    assert pair.slope.contains(2)
    assert not pair.value.contains(5)


def test_the_largest_of_several():
    assert largest([ONE, arb(3), arb(2)]) == 3
    assert same(largest([ONE, A, B]), 3, 2)
    assert same(largest([A, C, B]), 4, 0)
    assert same(largest([B, A, ONE]), 3, 2)


def test_gamma_against_mpmath():
    with mpmath.workdps(40):
        truth = mpmath.gamma(3) * mpmath.digamma(3) * 2
    assert abs(A.gamma().slope - arb(mpmath.nstr(truth, 40))) < arb(10) ** -35
