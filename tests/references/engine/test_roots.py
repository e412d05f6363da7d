"""Roots of the second routes: all of a function, in order, each proved to be alone; or one in a bracket."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from veridyn.references.certified import CertificationError
from veridyn.references.second_routes.roots import polished_root, sign_changes


def find(f, bounds, end, start=0):
    """Return all roots of a function with its slope, given bounds of the second and third derivative."""
    a, b = mpf(start), mpf(end)
    return list(sign_changes(f, bounds, a, b, f(a), "the gap"))


def cubic(steep):
    """(t - 2)³/3 - steep (t - 2), with roots at 2 and 2 ± sqrt(3 steep)."""
    return lambda t: ((t - 2) ** 3 / 3 - steep * (t - 2), (t - 2) ** 2 - steep)


def near(found, truth, digits=13):
    return [abs(a - b) < mpf(10) ** -digits for a, b in zip(found, truth, strict=True)] == [True] * len(truth)


def test_all_roots_of_a_sine_but_the_one_at_the_start():
    found = find(lambda t: (mpmath.sin(t), mpmath.cos(t)), lambda *_: (mpf(1), mpf(1)), 30)
    assert near(found, [k * mpmath.pi for k in range(1, 10)])


def test_bounds_are_asked_where_they_are_used():
    """sin(t²) turns ever faster: its derivatives are bounded by those at the end of each interval."""
    intervals = []

    def bounds(a, h):
        intervals.append((a, h))
        end = a + h
        return 2 + 4 * end**2, 12 * end + 8 * end**3

    found = find(lambda t: (mpmath.sin(t * t), 2 * t * mpmath.cos(t * t)), bounds, 6, start=1)
    assert near(found, [mpmath.sqrt(k * mpmath.pi) for k in range(1, 12)])
    assert all(a >= 1 and 0 < h <= 5 and a + h <= 6 for a, h in intervals)


@pytest.mark.parametrize("digits", [3, 10])
@pytest.mark.parametrize("width", [1, 4])
def test_a_parabola_that_barely_passes_zero_has_two_roots(digits, width):
    """Its distance from the line through its ends is all that its curvature admits."""
    d, c = mpf(10) ** -digits, mpf(width) / 2
    found = find(lambda t: ((t - c) ** 2 - d, 2 * (t - c)), lambda *_: (mpf(2), mpf(0)), width)
    assert near(found, [c - mpmath.sqrt(d), c + mpmath.sqrt(d)], 10)


def test_a_parabola_that_barely_misses_zero_has_none():
    d = mpf(10) ** -10
    assert find(lambda t: ((t - 2) ** 2 + d, 2 * (t - 2)), lambda *_: (mpf(2), mpf(0)), 4) == []


def test_a_falling_parabola_is_seen_as_well():
    d = mpf(10) ** -6
    found = find(lambda t: (d - (t - 2) ** 2, 2 * (2 - t)), lambda *_: (mpf(2), mpf(0)), 4)
    assert near(found, [2 - mpf(10) ** -3, 2 + mpf(10) ** -3])


def test_a_slope_that_barely_changes_sign_leaves_three_roots():
    """The slope's distance from its line is all that the third derivative admits."""
    steep = mpf(10) ** -4
    found = find(cubic(steep), lambda *_: (mpf(4), mpf(2)), 4)
    assert near(found, [2 - mpmath.sqrt(3 * steep), 2, 2 + mpmath.sqrt(3 * steep)], 11)


def test_a_monotonic_function_with_one_sign_has_no_root():
    assert find(lambda t: (1 + t, mpf(1)), lambda *_: (mpf(40), mpf(0)), 1) == []
    (root,) = find(lambda t: (t - mpf("0.3"), mpf(1)), lambda *_: (mpf(40), mpf(0)), 1)
    assert near([root], [mpf("0.3")])


def test_a_touch_is_an_error_that_names_what_is_sought():
    with pytest.raises(CertificationError, match=r"the gap: touched without crossing near (2|1\.9)"):
        find(lambda t: ((t - 2) ** 2, 2 * (t - 2)), lambda *_: (mpf(2), mpf(0)), 5)


@given(phase=st.floats(0.05, 3.0), rate=st.floats(0.5, 20))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_roots_of_a_sine_with_any_phase(phase, rate):
    a, w = mpf(phase), mpf(rate)
    found = find(lambda t: (mpmath.sin(w * t + a), w * mpmath.cos(w * t + a)), lambda *_: (w**2, w**3), 10 / w)
    assert near(
        [w * t for t in found], [k * mpmath.pi - a for k in range(1, int((10 + phase) / 3.141592653589793) + 1)]
    )


# ---- one root in a bracket


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("bracket", [(1, 2), ("1.414", "1.415"), (0.1, 100)])
def test_a_root_in_a_bracket(rising, bracket):
    side = 1 if rising else -1
    with mpmath.workdps(50):
        low, high = map(mpf, bracket)
        found = polished_root(
            lambda x: side * (x * x - 2), lambda x: side * 2 * x, (low, high), rising=rising, name="x"
        )
        assert abs(found - mpmath.sqrt(2)) < mpf(10) ** -48


@pytest.mark.parametrize("start", [-60, -7])
def test_steps_that_leave_the_bracket_are_bisected(start):
    """Newton's iteration for atan(x - 1) diverges from far away."""
    found = polished_root(
        lambda x: mpmath.atan(x - 1), lambda x: 1 / (1 + (x - 1) ** 2), (mpf(start), mpf(40)), rising=True, name="x"
    )
    assert abs(found - 1) < 1e-14


def test_noise_ends_the_iteration():
    """Of (x - 1)(x + 10^6) as a difference of large numbers ten digits are left."""
    calls = []

    def f(x):
        calls.append(x)
        return (x * x + 999999 * x) - mpf(1000000)

    found = polished_root(f, lambda x: 2 * x + 999999, (mpf("0.5"), mpf("1.75")), rising=True, name="x")
    assert abs(found - 1) < 1e-14
    assert len(calls) < 20


def test_an_iteration_that_does_not_settle_is_an_error():
    """Towards a triple root at zero every step takes a third of what is left."""
    with pytest.raises(CertificationError, match="x: no convergence"):
        polished_root(lambda x: x**3, lambda x: 3 * x**2, (mpf(-1), mpf(2)), rising=True, name="x")


def test_a_root_where_an_interval_is_halved_or_ends_is_met_once():
    assert near(find(lambda t: (t - 2, mpf(1)), lambda *_: (mpf(40), mpf(0)), 4), [2])
    assert near(find(lambda t: (t - 4, mpf(1)), lambda *_: (mpf(0), mpf(0)), 4), [4])
    assert find(lambda t: (t, mpf(1)), lambda *_: (mpf(0), mpf(0)), 4) == []
