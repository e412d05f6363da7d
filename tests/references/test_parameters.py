"""Numbers are read exactly; wrong ones are refused in one clear line."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.parameters import Exact, check_digits, exact, resolve
from veridyn.references.problems.sliding_block import PARAMETERS, wear_power


@pytest.mark.parametrize(
    ("value", "rational", "pi"),
    [
        (3, Fraction(3), 0),
        (0.1, Fraction(1, 10), 0),
        ("1.01", Fraction(101, 100), 0),
        ("1e4", Fraction(10000), 0),
        ("-.5", Fraction(-1, 2), 0),
        ("3/4", Fraction(3, 4), 0),
        (Decimal("0.3"), Fraction(3, 10), 0),
        (mpmath.mpf("0.75"), Fraction(3, 4), 0),
        ("2*pi", Fraction(2), 1),
        ("2π", Fraction(2), 1),
        ("pi/3", Fraction(1, 3), 1),
        ("2 * pi / 3", Fraction(2, 3), 1),
        ("-pi", Fraction(-1), 1),
    ],
)
def test_numbers_are_read_exactly(value, rational, pi):
    assert exact(value) == Exact(rational, pi)


def test_mpf_of_any_precision_is_read_exactly():
    with mpmath.workdps(60):
        assert exact(mpmath.mpf(1) / 3).mpf() == mpmath.mpf(1) / 3


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", "nan", "inf", "-inf", "ten", "1/0", "1_000", "1e999999999", "pi*pi", None, True, [1], 1j),
        *(float("nan"), float("inf"), mpmath.nan, mpmath.inf, Decimal("NaN")),
    ],
)
def test_garbage_is_refused(value):
    with pytest.raises(ParameterError, match="mu"):
        exact(value, "mu")


@given(st.fractions(), st.sampled_from([0, 1]))
@example(Fraction(-1), 1)
@example(Fraction(0), 1)
def test_text_of_an_exact_number_reads_back(rational, pi):
    number = Exact(rational, pi)
    assert exact(str(number)).mpf() == number.mpf()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_survives(value):
    assert float(exact(value)) == value
    assert float(exact(str(exact(value)))) == value


def test_conversion_follows_the_precision():
    with mpmath.workdps(50):
        assert exact("2*pi/3").mpf() == 2 * mpmath.pi / 3
        assert abs(exact("0.1").mpf() * 10 - 1) < mpmath.mpf(10) ** -49


def test_defaults_are_filled_in():
    values = resolve(PARAMETERS, {"a0": 15})
    assert str(values["a0"]) == "15"
    assert str(values["omega"]) == "2*pi"
    assert list(values) == [parameter.name for parameter in PARAMETERS]


def test_unknown_names_are_refused_with_a_suggestion():
    with pytest.raises(ParameterError, match=r"'omgea'.*omega.*a0, mu"):
        resolve(PARAMETERS, {"omgea": 1})


@pytest.mark.parametrize(("name", "value"), [("a0", -1), ("m", 0), ("mu", "-0.1"), ("omega", "-pi")])
def test_signs_are_enforced(name, value):
    with pytest.raises(ParameterError, match=f"{name}.*{value}"):
        resolve(PARAMETERS, {name: value})


def test_a_window_may_start_at_zero_but_not_before():
    assert resolve(PARAMETERS, {"t_start": 0})["t_start"].rational == 0
    with pytest.raises(ParameterError, match="t_start"):
        resolve(PARAMETERS, {"t_start": -1})


@pytest.mark.parametrize("digits", [0, -3, 1001, 10000, 1.5, "30", True, None])
def test_digits_out_of_range_are_refused(digits):
    with pytest.raises(ParameterError, match="digits"):
        check_digits(digits)


def test_a_reference_takes_its_own_of_the_parameters_of_a_case():
    values = resolve(PARAMETERS, {"mu": "0.2"})
    assert wear_power.compute({**values, "shock": exact(1)}) == wear_power(mu="0.2")
    del values["m"]  # its default
    assert wear_power.compute(values) == wear_power(mu="0.2")
