"""Tolerances carry their reason; errors are measured as they say."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridyn.references.certified import Certified
from veridyn.solver.contract.statements import DOUBLE_DIGITS
from veridyn.validation_cases.judgement.judge import correct_digits, measured_error
from veridyn.validation_cases.judgement.tolerances import (
    HALF_UNIT,
    Tolerance,
    cited,
    exactly,
    printed_digits,
    unit_in_last_place,
)

MADE = [
    (cited("the manual", 1e-3), 1e-3, "relative", "cited: the manual"),
    (cited("the manual", 1e-3, kind="absolute"), 1e-3, "absolute", "cited: the manual"),
    (exactly("counted"), 0.0, "exact", "counted"),
]


@pytest.mark.parametrize(("made", "value", "kind", "reason"), MADE, ids=[reason for *_, reason in MADE])
def test_constructors(made, value, kind, reason):
    assert (made.value, made.kind, made.reason) == (pytest.approx(value, rel=1e-14), kind, reason)


@pytest.mark.parametrize(("value", "reason"), [(1e-3, ""), (-1e-3, "x"), (float("nan"), "x")])
def test_no_bare_float(value, reason):
    with pytest.raises(ValueError, match="reason"):
        Tolerance(value, "relative", reason)


PRINTED = [
    ("0.40907", 1e-5),
    ("2.26326E-4", 1e-9),
    ("-1.", 1.0),
    ("9.95E3", 10.0),
    ("12", 1.0),
    ("1.55000E-2", 1e-7),
    ("+3.5e+2", 10.0),
    ("0", 1.0),
]


@pytest.mark.parametrize(("printed", "unit"), PRINTED)
def test_units_in_the_last_place(printed, unit):
    assert unit_in_last_place(printed) == pytest.approx(unit, rel=1e-14)
    assert printed_digits(printed).value == pytest.approx(unit / 2, rel=1e-5)
    assert printed_digits(printed, 2.0, why="stated").value == pytest.approx(2 * unit)


@pytest.mark.parametrize("text", ["", "abc", "1,5", "NaN", "inf", "1.2.3", ".5"])
def test_only_decimals_are_printed(text):
    with pytest.raises(ValueError, match="printed"):
        unit_in_last_place(text)


def test_more_than_half_a_unit_needs_a_reason():
    with pytest.raises(ValueError, match="reason"):
        printed_digits("1.5", 1.0)
    assert "because" in printed_digits("1.5", 1.0, why="because").reason


def test_half_a_unit_decides_about_the_digit():
    half = printed_digits("0.12")
    assert measured_error(0.125, 0.12, half) <= half.value  # half-way may round either way
    assert measured_error(0.12501, 0.12, half) > half.value


RELATIVE, ABSOLUTE, EXACT = cited("r", 1.0), cited("a", 1.0, kind="absolute"), exactly("e")
ERRORS = [
    (2.0, 4.0, RELATIVE, 0.5),
    (2.0, -4.0, RELATIVE, 1.5),
    (2.0, 4.0, ABSOLUTE, 2.0),
    (2.0, 0.0, ABSOLUTE, 2.0),
    (np.float64(2.0), mpmath.mpf(4), RELATIVE, 0.5),
    (3.0, 3.0, EXACT, 0.0),
    (3.0, 4.0, EXACT, 1.0),
    (0.0, mpmath.mpf(0), EXACT, 0.0),
    ("stick", "stick", EXACT, 0.0),
    ("stick", "slip", EXACT, 1.0),
    (None, None, EXACT, 0.0),
    (1.0, None, EXACT, 1.0),
    (None, 1.0, EXACT, 1.0),
    (float("nan"), 1.0, EXACT, 1.0),
    (None, 1.0, RELATIVE, None),
    (1.0, None, RELATIVE, None),
    ("stick", 1.0, RELATIVE, None),
    (float("nan"), 1.0, RELATIVE, None),
    (float("inf"), 1.0, ABSOLUTE, None),
]


@pytest.mark.parametrize(("value", "truth", "tolerance", "error"), ERRORS)
def test_measured_error(value, truth, tolerance, error):
    assert measured_error(value, truth, tolerance) == error


def test_a_zero_needs_an_absolute_tolerance():
    with pytest.raises(ValueError, match="absolute"):
        measured_error(1e-9, mpmath.mpf(0), RELATIVE)


def test_errors_are_measured_against_all_digits():
    with mpmath.workdps(40):
        truth = mpmath.mpf(1) / 3
    assert measured_error(1 / 3, truth, RELATIVE) == pytest.approx(5.55e-17, rel=1e-2)


sizes = st.floats(1e-200, 1e200) | st.floats(-1e200, -1e-200)
losses = st.floats(0.0, 15.0)


@given(sizes, losses, st.sampled_from([-1, 1]))
def test_digits_are_the_logarithm_of_the_relative_error(truth, digits, sign):
    value = truth * (1 + sign * 10.0**-digits)
    assert correct_digits(value, truth) == pytest.approx(digits, abs=0.6 * 10.0 ** (digits - 15.0) + 1e-12)


@given(st.floats(allow_subnormal=False), sizes)
def test_digits_stay_within_what_a_double_holds(value, truth):
    assert 0.0 <= correct_digits(value, truth) <= DOUBLE_DIGITS


@given(sizes)
def test_equal_numbers_share_all_digits(truth):
    assert correct_digits(truth, truth) == DOUBLE_DIGITS
    assert correct_digits(truth, Certified(mpmath.mpf(truth), 4, "closed form")) == 4.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_has_no_digits(value):
    assert correct_digits(value, 1.0) == 0.0


@pytest.mark.parametrize(
    ("value", "truth", "digits"),
    [(0.0, 0.0, DOUBLE_DIGITS), (1e-9, 0.0, None), ("stick", "stick", None), (None, 1.0, None), (1.0, None, None)],
)
def test_digits_where_there_is_no_relative_error(value, truth, digits):
    assert correct_digits(value, truth) == digits


def test_the_half_unit_is_barely_more_than_half():
    assert 0.5 < HALF_UNIT < 0.50001
