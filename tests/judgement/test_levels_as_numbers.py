"""Levels as numbers: which differences, which orders and which scatter count."""

import math

import pytest
from scipy.stats import linregress

from veridyn.validation_cases.judgement.uncertainty import (
    Level,
    numerical_uncertainty,
    observed_order,
    slope,
    standard_error,
)

HALVED = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0)


def levels(sizes, errors):
    return [Level(size, error, error) for size, error in zip(sizes, errors, strict=True)]


@pytest.mark.parametrize(("place", "share"), [(0, 1 / 16), (1, 1 / 8), (2, 1 / 4), (3, 1), (4, 1)])
def test_every_difference_counts_the_earlier_ones_by_the_ratio_of_sizes(place, share):
    changes = [1.0] * 5
    changes[place] = 100.0
    values = [sum(changes[:k]) for k in range(6)]
    found = numerical_uncertainty([Level(size, value, 0.0) for size, value in zip(HALVED, values, strict=True)])
    assert found == pytest.approx(3 * 100 * share)


def test_an_observed_order_is_the_last_or_the_fitted_one():
    errors = [1.0, 2**-2.0, 2**-4.4, 2**-6.4]  # orders 2, 2.4, 2
    found = observed_order(levels(HALVED[:4], errors), 0.0)
    assert found.first == 0
    assert 2.0 < found.order < 2.3


def test_a_slope_is_that_from_the_coarsest_to_the_finest():
    assert slope(levels((1e-3, 1e-5, 1e-7, 1e-9), (1e-3, 1e-6, 1e-7, 1e-9)), 0.0).order == pytest.approx(1)


@pytest.mark.parametrize("factors", [(1, 1.5, 0.8, 1.1), (2, 1, 1, 3, 0.5)])
def test_the_standard_error_is_that_of_a_regression(factors):
    sizes = HALVED[: len(factors)]
    errors = [size**2 * factor for size, factor in zip(sizes, factors, strict=True)]
    truth = linregress([math.log(s) for s in sizes], [math.log(e) for e in errors]).stderr
    assert standard_error(levels(sizes, errors)) == pytest.approx(truth)
