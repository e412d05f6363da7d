"""Balls of doubles: each operation holds what exact fractions give at the corners of its operands, and little more."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.engine import coarse
from veridyn.references.engine.coarse import KernelProgram, bound_of_sum, doubles, total
from veridyn.references.engine.enclosure import precision
from veridyn.references.engine.series import traced

ONE = arb(1)
fixed = settings(max_examples=30, deadline=None, derandomize=True)
middles = st.floats(-50, 50).filter(lambda x: x == 0 or abs(x) > 1e-6)
radii = st.sampled_from([0.0, 1e-9, 0.125, 2.0])


def corners(m, r):
    return [Fraction(m) + side * Fraction(r) for side in (-1, 1)]


def check(found, truths, size):
    """Check that a ball holds all truths, and that it is as wide as they ask, but for roundings of this size."""
    m, r = found
    need = max(abs(truth - Fraction(m)) for truth in truths)
    assert need <= Fraction(r)
    assert r <= float(need) * (1 + 1e-12) + 1e-13 * size + 1e-290


@fixed
@given(m=middles, r=radii, n=middles, q=radii)
def test_a_product_of_balls(m, r, n, q):
    truths = [a * b for a, b in product(corners(m, r), corners(n, q))]
    check(coarse._times(m, r, n, q), truths, abs(m * n))


@fixed
@given(m=middles, r=radii, n=middles, q=radii)
def test_a_quotient_of_balls(m, r, n, q):
    found = coarse._over(m, r, n, q)
    if abs(n) <= q:
        assert np.isinf(found[1])
    else:
        truths = [a / b for a, b in product(corners(m, r), corners(n, q))]
        need = max(abs(truth - Fraction(found[0])) for truth in truths)
        assert need <= Fraction(found[1])
        assert found[1] <= float(need) * (1 + 1e-9) + 1e-12 * abs(m / n) + 1e-290


@fixed
@given(
    m=st.lists(middles, min_size=10, max_size=10),
    r=st.lists(radii, min_size=10, max_size=10),
    k=st.integers(0, 4),
    least=st.integers(0, 1),
    weights=st.sampled_from([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-3.0, 1.5, 0.0), (-3.0, 1.5, 0.25)]),
)
def test_a_convolution_of_balls(m, r, k, least, weights):
    """Sums of (fixed + each j) a_j b_(k-j): the worst corner is that where all terms lean to one side."""
    first, each, off = weights
    a, b, ra, rb = np.array(m[:5]), np.array(m[5:]), np.array(r[:5]), np.array(r[5:])
    found = coarse._convolved(a, ra, b, rb, k, least, first, each, off)
    middle, reach, size = Fraction(0), Fraction(0), 0.0
    for j in range(least, k + 1):
        weight, x, y = Fraction(first) + Fraction(each) * j, Fraction(a[j]), Fraction(b[k - j])
        largest = (abs(x) + Fraction(ra[j])) * (abs(y) + Fraction(rb[k - j]))
        middle += weight * x * y
        reach += abs(weight) * (largest - abs(x * y)) + Fraction(off) * j * largest
        size += float(abs(first) + abs(each) * j) * float(largest)
    check(found, [middle - reach, middle + reach], size)


@pytest.mark.parametrize("bits", [60, 300])
def test_balls_as_doubles(bits):
    with precision(bits):
        third, wide = arb(1) / 3, arb(5, 0.25)
        m, r = doubles([third, wide, arb(0)])
        assert arb(m[0], r[0]).contains(third)
        assert arb(m[1], r[1]).contains(wide)
        assert r[0] < 1e-16
        assert 0.25 <= r[1] < 0.2500001
        assert (m[2], r[2]) == (0, coarse.TINY)


def test_sums_of_balls():
    m, r = np.array([[1e16, 1.0, -1e16], [1.0, 2.0, 3.0]]), np.array([[0.5, 0.0, 0.25], [0.0, 0.0, 0.0]])
    middle, radius = total(m, r)
    for i in range(2):
        truth = sum(map(Fraction, m[i]))
        assert abs(truth - Fraction(middle[i])) + Fraction(r[i].sum()) <= Fraction(radius[i])
    assert radius[1] < 1e-13
    assert radius[0] < 200


def test_sums_run_over_the_last_axis_of_any():
    """Their radius holds the roundings of a sum of so many terms in any order."""
    m = np.arange(1.0, 2 * 3 * 500 + 1).reshape(2, 3, 500)
    r = np.full(m.shape, 2.0**-20)
    middle, radius = total(m, r)
    assert middle.shape == radius.shape == (2, 3)
    for i, j in product(range(2), range(3)):
        assert middle[i, j] == m[i, j].sum()
        assert radius[i, j] >= 500 * 2.0**-20 + 499 * 2.0**-53 * m[i, j].sum()


def test_bounds_of_sums():
    sizes, shares = np.array([[0.1, 2.0], [0.3, 4.0], [0.7, 0.0]]), np.array([1.0, 0.5, 0.1])
    found = bound_of_sum(sizes, shares)
    for j in range(2):
        truth = sum(Fraction(s) * Fraction(w) for s, w in zip(sizes[:, j], shares, strict=True))
        assert truth <= Fraction(found[j])
        assert found[j] <= float(truth) * (1 + 1e-13)


# ---- programs


def strange(t, y):
    """Rates with every operation that has a series."""
    x, v = y
    first = (t * 3).sin() * x + (v * x).exp() / (2 + x * x) - v.atan() + 1 / (v + 3) - ONE / 7
    return first, (x * x + 1).sqrt() ** ONE.exp() - v.tanh() * t + (x + 2).log() * 0.5 - (x / 9).asin() + (v / 9).tan()


def read(t, y):
    return (t * y[0] - y[1],)


@given(
    x=st.floats(-1.75, 2),  # the logarithm of x + 2 ends at -2
    v=st.floats(-2, 2),
    spread=st.sampled_from([0, 1e-20, 1e-3]),
    unit=st.sampled_from([2.0**-6, 1.0, 6.0]),
)
@settings(max_examples=6, deadline=None, derandomize=True)
def test_doubles_enclose_series_and_their_derivatives(x, v, spread, unit):
    """What is computed in doubles holds the same in balls of 160 bits, of sharp states anywhere in those given."""
    order, edges = 9, [[ONE, arb(0)], [arb(1) / 3, arb(-2)]]
    with precision(64):
        program = KernelProgram(traced(strange, read, 2, 2))
        m, r = run = program.run(arb(1), [arb(x, spread), arb(v, spread)], unit, order)
        program.part(run, edges, unit, order)
    with precision(160):
        found = traced(strange, read, 2, 2)
        starts = [(arb(x) + spread * 0.75, arb(v) - spread * 0.75), (arb(x), arb(v))]
        rates = {place: rate for part in (found, *found.along) for place, rate in part.rates.items()}
        given_ = {found.now: [ONE, ONE, *[arb(0)] * order]}
        for start in starts:
            states = dict(zip(rates, ([z] for z in (*start, *edges[0], *edges[1])), strict=True))
            truth = found.tape.run({**given_, **states}, rates, order)
            for place in (*found.asked, *(place for part in found.along for place in part.asked)):
                for k in range(order + 1):
                    term = (truth[place][k] * arb(unit) ** k).mid()
                    assert arb(m[place, k], r[place, k]).contains(term)
                    few = 1e-6 * (abs(m[place]).max() + 1e-200)  # boxes ask for few digits
                    assert spread or unit > 1 or r[place, k] <= few


@pytest.fixture
def cube():
    """x' = v, v' = -x³, with the reading x v."""
    return KernelProgram(traced(lambda _, y: (y[1], -(y[0] ** 3)), lambda _, y: (y[0] * y[1],), 2, 2))


def test_derivatives_of_rates_are_bounded_as_a_matrix(cube):
    found = cube.jacobian(cube.run(arb(0), [arb(1, 0.125), arb(2)], 1.0, 3), 1.0, 2)
    truth = np.array([[0, 1], [3 * 1.125**2, 0]])
    assert (found >= truth).all()
    assert (found <= truth * 1.001 + 1e-12).all()


def test_terms_of_one_order_after_a_share_of_the_unit(cube):
    run = cube.run(arb(0), [arb(1), arb(2)], 2.0, 3)
    (x,) = cube.terms(run, list(cube.traced.rates)[:1], 2, arb("0.5"))
    assert x.overlaps(-ONE * 1 / 2 * 2.0**2 * 0.5**2)  # x'' = -1
    assert x.rad() < 1e-14
    read_, *_ = cube.terms(run, cube.traced.asked[2:], 1, ONE)
    assert read_.overlaps(2 * (arb(4) - 1))  # (x v)' = v² - x⁴


def test_coefficients_along_directions_end_with_those_of_another_run(cube):
    edges = [[ONE, arb(0)], [arb(0), ONE]]
    run, rest = (cube.run(arb(0), [arb(x), arb(2)], 1.0, 2) for x in (1, 3))
    for one in (run, rest):
        cube.part(one, edges, 1.0, 2)
    m, r = cube.along(run, rest, 2, 0.5)
    assert m.shape == r.shape == (2, 3, 3)
    # edges of x' = v, v' = -x³ from (1, 2): e'' = -3 x² e
    assert m[0, 0] == pytest.approx([1, 0, -1.5 * 9 / 4])
    assert m[1, 0] == pytest.approx([0, 0.5, 0])
    assert m[0, 1] == pytest.approx([0, -1.5, -3 * 3 * 2 / 4])
    assert m[1, 1] == pytest.approx([1, 0, -1.5 * 9 / 4])
    assert m[0, 2] == pytest.approx([2, -2, -40.5])  # e v + x e' by hand
    assert (r < 1e-12).all()
