"""Observed order on errors whose order is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridyn.validation_cases.convergence import asymptotic_range, errors_over_steps, halvings, observed_order


@given(st.floats(0.5, 6.0), st.floats(1e-6, 1e6), st.integers(2, 8), st.sampled_from([-1.0, 1.0]))
def test_clean_powers(order, constant, levels, sign):
    errors = [sign * constant * h**order for h in halvings(0.1, levels)]
    assert observed_order(errors) == pytest.approx(order, abs=1e-9)


@pytest.mark.parametrize("ratio", [2.0, 3.0, 10.0])
def test_other_ratios(ratio):
    assert observed_order([1.0, ratio**-2, ratio**-4], ratio) == pytest.approx(2.0)


def test_higher_terms_bend_the_slope_little():
    assert observed_order([h**2 + h**4 for h in halvings(0.1, 4)]) == pytest.approx(2.0, abs=0.01)


def test_errors_that_stay_have_order_zero():
    assert observed_order([1e-3] * 5) == pytest.approx(0.0, abs=1e-12)


def test_growing_errors_have_a_negative_order():
    assert observed_order([1.0, 2.0, 4.0]) == pytest.approx(-1.0)


@pytest.mark.parametrize("errors", [[], [1.0], [1.0, 0.0], [0.0, 0.0, 0.0]])
def test_what_has_no_slope(errors):
    with pytest.raises(ValueError, match="at least two errors, none of them zero"):
        observed_order(errors)


def test_halvings():
    assert halvings(1.0, 3) == [1.0, 0.5, 0.25, 0.125]


def test_errors_over_steps():
    assert np.allclose(errors_over_steps(lambda h: 3.0 + h, 3.0, [0.5, 0.25]), [0.5, 0.25])


@given(st.floats(0.5, 6.0), st.integers(2, 8))
def test_a_clean_power_is_asymptotic_throughout(order, levels):
    found = asymptotic_range([h**order for h in halvings(0.1, levels)])
    assert (found.first, found.last) == (0, levels)
    assert found.order == pytest.approx(order, abs=1e-9)


def test_the_asymptotic_range_ends_where_rounding_begins_and_starts_where_the_step_is_small_enough():
    errors = [3.0, 2.9, *(2.0**-k for k in range(0, 12, 2)), 2.0**-10.5, 2.0**-10.4]
    found = asymptotic_range(errors)
    assert (found.first, found.last) == (2, 7)
    assert found.order == pytest.approx(2.0)


def test_of_two_ranges_as_long_the_finer_one_counts():
    assert asymptotic_range([1.0, 0.5, 0.25, 0.25 / 16, 0.25 / 256]).order == pytest.approx(4.0)


@pytest.mark.parametrize(
    "errors",
    [[], [1.0], [1.0, 0.5], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 0.1, 0.09, 1e-4], [1.0, float("nan"), 0.1]],
)
def test_without_agreement_there_is_no_asymptotic_range(errors):
    assert asymptotic_range(errors) is None


@pytest.mark.parametrize("first", [0, 1, 2, 3])
@pytest.mark.parametrize("levels", [3, 4, 5])
@pytest.mark.parametrize("rest", [0, 1, 2])
def test_the_asymptotic_range_is_found_wherever_it_lies(first, levels, rest):
    """Before it nothing falls, after it rounding stays."""
    errors = [1.0] * first + [0.25**n for n in range(levels)] + [0.25 ** (levels - 1)] * rest
    found = asymptotic_range(errors)
    assert (found.first, found.last, found.order) == (first, first + levels - 1, pytest.approx(2.0))
