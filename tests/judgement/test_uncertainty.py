"""Numerical uncertainty, observed order and slope over the tolerance, on errors whose law is known."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from veridyn.validation_cases.judgement.orders import leave_out_cut
from veridyn.validation_cases.judgement.uncertainty import (
    AGREEMENT,
    ORDER_LOST,
    SAFETY,
    Level,
    differences,
    local_orders,
    numerical_uncertainty,
    observed_order,
    slope,
)

HALVED = tuple(0.1 / 2**i for i in range(6))


def levels(errors, sizes=HALVED, truth=1.0):
    return [Level(size, truth + error, abs(error)) for size, error in zip(sizes, errors, strict=False)]


def power(order, count=4, constant=0.3, ratio=2.0):
    sizes = [0.1 / ratio**i for i in range(count)]
    return levels([constant * h**order for h in sizes], sizes)


def test_differences_are_those_of_successive_answers():
    assert differences([1.0, 3.0, 2.0]) == [2.0, 1.0]
    assert differences([1.0]) == []


def test_the_larger_of_the_last_two_differences_counts_three_times():
    assert numerical_uncertainty(levels([0.0, 5.0, 4.0])) == SAFETY * 5.0
    assert numerical_uncertainty(levels([0.0, 4.0, 9.0])) == SAFETY * 5.0
    assert numerical_uncertainty(levels([0.0, 4.0])) == SAFETY * 4.0


def test_earlier_differences_count_by_the_ratio_of_sizes():
    """The first difference ends at the second level, four times as large as the last."""
    assert numerical_uncertainty(levels([0.0, 8.0, 8.0, 8.0])) == SAFETY * 8.0 * 0.25
    assert numerical_uncertainty(levels([0.0, 8.0, 8.0, 8.0, 8.0])) == SAFETY * 8.0 * 0.125


@pytest.mark.parametrize("found", [[], [Level(0.1, 1.0, 0.0)]])
def test_an_uncertainty_needs_two_answers(found):
    with pytest.raises(ValueError, match="needs two answers"):
        numerical_uncertainty(found)


@given(st.floats(0.45, 6.0), st.floats(1e-3, 1e3), st.sampled_from([1.5, 2.0, 4.0]))
def test_it_covers_the_error_of_every_order(order, constant, ratio):
    """The error of the finest of three levels is a difference over ``ratio^order - 1``."""
    assume(SAFETY * (ratio**order - 1) > 1)
    found = power(order, 3, constant, ratio)
    assert numerical_uncertainty(found) >= found[-1].error


@given(st.floats(0.5, 6.0), st.integers(3, 6), st.sampled_from([2.0, 3.0, 10.0]))
def test_a_clean_power_is_observed_from_the_first_level_on(order, count, ratio):
    found = observed_order(power(order, count, ratio=ratio), 0.0)
    assert (found.order, found.first) == (pytest.approx(order, abs=1e-9), 0)


def test_local_orders():
    assert local_orders(levels([1.0, 0.25, 0.25 / 8])) == pytest.approx([2.0, 3.0])
    assert local_orders(levels([1.0, 0.0, 1.0])) == [math.inf, -math.inf]


def test_growing_errors_have_a_negative_order():
    assert observed_order(levels([1.0, 2.0, 4.0]), 0.0).order == pytest.approx(-1.0)


def test_the_asymptotic_range_begins_where_orders_agree():
    found = observed_order(levels([1.0, 0.9, 0.8, 0.2, 0.05, 0.0125]), 0.0)
    assert (found.order, found.first) == (pytest.approx(2.0), 2)


@pytest.mark.parametrize(("spread", "agree"), [(AGREEMENT - 0.01, True), (AGREEMENT + 0.01, False)])
def test_orders_agree_to_half_an_order(spread, agree):
    found = observed_order(levels([1.0, 0.25, 0.25 * 2.0 ** -(2 + spread)]), 0.0)
    assert (found.order is not None) is agree
    assert found.reason == (
        "" if agree else "not in the asymptotic range: orders 2, 2.5 from level to level; refine more"
    )


def test_a_falling_order_is_taken_at_its_best():
    """Higher terms make the fit flatter or steeper than the last local order."""
    assert observed_order(levels([1.0, 2.0**-1.7, 2.0**-3.7]), 0.0).order == pytest.approx(2.0)
    assert observed_order(levels([1.0, 2.0**-2.3, 2.0**-4.3]), 0.0).order == pytest.approx(2.15)


def test_levels_within_rounding_are_left_out():
    errors = [1.0, 0.25, 0.0625, 1e-12, 2e-12]
    assert observed_order(levels(errors), 1e-9).order == pytest.approx(2.0)


def test_an_error_that_passes_zero_ends_what_can_be_observed():
    errors = [1.0, 0.25, 0.0625, 1e-12, 0.03, 0.02]
    assert observed_order(levels(errors), 1e-9).order == pytest.approx(2.0)
    assert observed_order(levels([1.0, 1e-12, 0.3, 0.2, 0.1]), 1e-9).order is None


def two_terms(order, gap, meet, count=4):
    """Errors ``h^p - h^q`` over the size where both terms are equal."""
    shares = [h / meet for h in HALVED[:count]]
    return levels([1e-3 * (s**order - s ** (order + gap)) for s in shares])


def test_where_an_error_changes_its_sign_the_asymptotic_range_begins_later():
    """Local orders 0.38 and 0.13 agree, but the first of them belongs to errors of opposite signs."""
    found = observed_order(levels([-28.5572e-9, -2.34827e-9, 1.80475e-9, 1.64681e-9]), 0.0)
    assert found.order is None
    assert found.reason == "not in the asymptotic range: orders 3.6, 0.38, 0.13 from level to level; refine more"
    assert observed_order(levels([-1.0, 0.4, 0.2, 0.1, 0.05]), 0.0).first == 1


@given(st.integers(1, 4), st.integers(1, 3), st.floats(1e-3, 1e2), st.integers(3, 6))
def test_two_terms_of_an_error_never_look_like_a_lower_order(order, gap, meet, count):
    """Wherever the two terms meet: beyond the coarsest size, between two sizes, below the finest."""
    found = observed_order(two_terms(order, gap, meet, count), 0.0)
    assert found.order is None or found.order >= order - ORDER_LOST


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        ([1.0, 0.1], "fewer than three levels could be measured"),
        ([1.0, 0.1, 1e-12, 1e-12], "errors are within rounding on all but two levels"),
        ([1e-12, 1e-12, 1e-12], "errors are within rounding on all but two levels"),
    ],
)
def test_without_three_errors_there_is_no_order_but_a_reason(errors, reason):
    found = observed_order(levels(errors), 1e-9)
    assert (found.order, found.reason) == (None, reason)


@given(st.floats(0.3, 3.0), st.integers(3, 5))
def test_the_slope_over_the_tolerance_of_a_clean_power(power, count):
    tolerances = [10.0 ** -(3 + 2 * i) for i in range(count)]
    found = slope([Level(t, 0.0, 7.0 * t**power) for t in tolerances], 0.0)
    assert found.order == pytest.approx(power, abs=1e-9)


def test_the_slope_ends_above_rounding():
    errors = {1e-3: 1e-2, 1e-5: 1e-4, 1e-7: 1e-6, 1e-9: 1e-10, 1e-11: 3e-9}
    found = slope([Level(t, 0.0, error) for t, error in errors.items()], 1e-9)
    assert found.order == pytest.approx(1.0)


@pytest.mark.parametrize("errors", [[1e-4, 1e-6, 1e-12], [1e-4, 1e-12, 1e-12], [1e-4, 1e-6], []])
def test_without_three_errors_there_is_no_slope_but_a_reason(errors):
    found = slope([Level(10.0 ** (-3 - 2 * i), 0.0, error) for i, error in enumerate(errors)], 1e-9)
    assert (found.order, found.reason) == (None, "errors are within rounding at all tolerances but the two coarsest")


def test_levels_whose_answer_is_that_of_the_next_tell_no_order():
    """A solver that ends a step at each output takes no longer ones, whatever its setting; what never acts stays."""
    levels = [Level(0.4, 1.0, 0.1), Level(0.2, 1.0, 0.1), Level(0.1, 1.09, 0.01), Level(0.05, 1.099, 0.001)]
    assert leave_out_cut(levels) == levels[1:]
    idle = [Level(size, 1.0, 0.1) for size in (0.4, 0.2, 0.1)]
    assert leave_out_cut(idle) == idle


def test_local_orders_that_agree_are_counted():
    falling = [Level(0.5**i, 1.0 + 0.25**i, 0.25**i) for i in range(5)]
    assert observed_order(falling, 0.0).count == 4
    assert observed_order(falling, 0.25**3.5).count == 3
    assert observed_order(falling, 0.25**2.5).count == 2
