import pytest

from veridyn.reports import numbers


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "–"),
        (0, "0"),
        (0.0, "0"),
        (-0.0, "0"),
        (5, "5"),
        (-1.5, "-1.5"),
        (15.2668, "15.2668"),
        (1 / 3, "0.333333333333"),
        (2.2632645e-4, "2.2632645e-4"),
        (1e-3, "0.001"),
        (123456789012, "123456789012"),
        (1.5e12, "1.5e12"),
        (10**400, "1.00000000000e400"),
        ("15.2670995893716138593344827041", "15.2670995893…"),
        ("-0.000226164121279786958", "-2.26164121279…e-4"),
        ("0.50000000000000000000", "0.500000000000"),
        ("0.000", "0"),
        ("-1", "-1"),
        ("+1e3", "1000"),
        ("1e999999999", "1e999999999"),
        ("slip-slip", "slip-slip"),
        ("", ""),
    ],
)
def test_value(number, text):
    assert numbers.value(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "–"),
        (0.0, "0"),
        (1e-6, "1.0e-6"),
        (0.0123, "0.012"),
        (9.96e-5, "1.0e-4"),
        (5000.0, "5000"),
        (12345.0, "1.2e4"),
    ],
)
def test_error(number, text):
    assert numbers.error(number) == text


def test_tolerance_drops_zeros():
    assert numbers.tolerance(1e-6) == "1e-6"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "–"),
        (0.0, "0"),
        (0.9999, "0.99"),
        (1.0, "1.0"),
        (1.999, "1.9"),
        (0.29, "0.29"),
        (57.9, "57"),
        (1e6, "1.0e6"),
        (5e-324, "4.9e-324"),
    ],
)
def test_margins_are_rounded_down(number, text):
    assert numbers.margin(number) == text


@pytest.mark.parametrize(("number", "text"), [(None, "–"), (4.66, "4.7"), (15.0, "15.0")])
def test_correct_digits(number, text):
    assert numbers.correct_digits(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.00042, "0.42 ms"),
        (0.012, "12 ms"),
        (0.24, "240 ms"),
        (2.345, "2.35 s"),
        (1234.5, "1230 s"),
    ],
)
def test_time(seconds, text):
    assert numbers.time(seconds) == text


def test_plural():
    assert numbers.plural(1, "check") == "1 check"
    assert numbers.plural(0, "erratum", "errata") == "0 errata"


def test_long_lists_of_words_are_cut():
    assert numbers.value("slip+ stick " * 30) == "slip+ stick slip+ s…"
