"""Enclosures of numbers: signs, comparisons, precision that rises, and what is said where it does not suffice."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.certified import CertificationError, Route, forget
from veridyn.references.engine.enclosure import (
    Absent,
    Exactly,
    Undecided,
    ball,
    decided,
    enclose,
    enclose_all,
    ladder,
    less,
    per_bits,
    precision,
    sign,
    sign_of,
    to_mpf,
)
from veridyn.references.engine.jets import Jet
from veridyn.references.parameters import ParameterError, exact

ONE = arb(1)
CLOSED = {"kind": "closed form", "name": "q"}


@pytest.fixture(autouse=True)
def _bits():
    with precision(192):
        yield


@pytest.mark.parametrize(
    ("text", "truth"),
    [("1/3", lambda: mpmath.mpf(1) / 3), ("pi", lambda: mpmath.pi), ("-2*pi", lambda: -2 * mpmath.pi)],
)
def test_an_exact_number_is_enclosed_narrowly(text, truth):
    found = ball(exact(text))
    with mpmath.workdps(80):
        number = +truth()
        assert abs(to_mpf(found) - number) <= to_mpf(found.rad())
        assert 0 < to_mpf(found.rad()) < mpmath.mpf(2) ** -185 * abs(number)


def test_powers_of_pi_are_kept():
    assert ball(exact("pi") * exact("pi")).overlaps(arb.pi() ** 2)
    assert ball(exact("1") / exact("pi")).overlaps(1 / arb.pi())


def test_whole_numbers_have_no_radius():
    assert ball(7).is_exact()
    assert ball(7) == 7
    assert ball(exact("7")).is_exact()


def test_a_number_that_is_varied_carries_its_derivative():
    found = ball(exact("3").varied())
    assert (found.value, found.slope) == (3, 1)


def test_exact_numbers_differentiate():
    k, m = exact("2*pi").varied(), exact("3")
    assert ball(m / k / k).slope.overlaps(-2 * arb(3) / (2 * arb.pi()) ** 3)


def test_precision_rises_until_the_digits_are_there():
    found = enclose(lambda: 1 - (1 - arb(10) ** -200), digits=30, **CLOSED)
    assert found.text() == "1.00000000000000000000000000000e-200"
    assert found.radius < mpmath.mpf(10) ** -230


@pytest.mark.parametrize(
    ("number", "expected"),
    [(ONE, 1), (-ONE, -1), (arb(0), 0), (arb(0, 1e-9), 0), (arb(2, 1), 1), (Jet(-ONE, ONE), -1), (Jet(ONE, -ONE), 1)],
)
def test_the_sign_of_a_ball(number, expected):
    assert sign(number) == expected


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (("1/3",), 1),
        (("-1/3",), -1),
        (("pi", "-4"), -1),
        (("pi", "-3"), 1),
        (("1/3", "2/3", "-1"), 0),
        (("pi", "-pi"), 0),
        (("pi", "-pi", "-1e-900"), -1),
        ((), 0),
    ],
)
def test_the_sign_of_a_sum(terms, expected):
    assert sign_of(*map(exact, terms)) == expected


def test_there_is_no_sign_where_a_sum_is_zero_but_its_derivative_is_not():
    two = exact("2").varied()
    with pytest.raises(Undecided):
        sign_of(two, exact("-2"))
    assert sign_of(two, exact("-1")) == 1
    assert sign_of(two, -two) == 0


def test_balls_are_ordered_where_they_do_not_overlap():
    assert less(ONE, arb(2), "")
    assert not less(arb(2), ONE, "")
    assert not less(ONE, ONE, "")
    with pytest.raises(Undecided, match=r"one and two within 0\.3"):
        less(arb(1, 0.125), arb("1.125", 0.125), "one and two")


def test_precision_is_that_before_even_after_an_error():
    with precision(77):
        assert ctx.prec == 77
    assert ctx.prec == 192
    with pytest.raises(ZeroDivisionError), precision(77):
        raise ZeroDivisionError
    assert ctx.prec == 192


def test_what_was_computed_at_a_precision_is_kept_until_it_is_forgotten():
    calls = []

    @per_bits
    def third(number: int) -> arb:
        calls.append((ctx.prec, number))
        if number < 0:
            raise Undecided("negative")
        return arb(number) / 3

    def ask() -> None:
        assert third(2).overlaps(arb(2) / 3)
        for _ in range(2):
            with pytest.raises(Undecided):
                third(-2)

    ask()
    ask()
    with precision(96):
        ask()
    assert calls == [(192, 2), (192, -2), (96, 2), (96, -2)]
    forget()
    ask()
    assert calls[4:] == [(192, 2), (192, -2)]


@pytest.mark.parametrize(
    ("digits", "first", "last"), [(1, 96, 3072), (24, 96, 3072), (25, 128, 3072), (34, 192, 3072), (1000, 4096, 12288)]
)
def test_precisions_begin_where_digits_fit_and_rise(digits, first, last):
    """Sixteen bits beyond the digits at least; the last are 3072, or four times as many as the digits need."""
    bits = list(ladder(digits))
    assert (bits[0], bits[-1]) == (first, last)
    assert bits == sorted(set(bits))


def test_an_answer_is_given_at_the_first_precision_that_allows_one():
    asked = []

    def answer() -> str:
        asked.append(ctx.prec)
        if ctx.prec < 250:
            raise Undecided("too few")
        return "yes"

    assert decided(answer) == "yes"
    assert asked == [128, 192, 256]
    with pytest.raises(Undecided, match="always"):
        decided(lambda: less(arb(2).sqrt() ** 2, arb(2), "always"))


@pytest.mark.parametrize(("bits", "enough"), [(35, False), (38, True)])
def test_a_radius_leaves_the_digits_and_one_more(bits, enough):
    """Eleven digits take 36.5 bits."""
    found = enclose(lambda: arb(1, arb(2) ** -bits), digits=10, **CLOSED)
    assert (found.value is not None) == enough


@pytest.mark.parametrize("number", [arb("nan"), arb("inf"), arb(0, 1), arb(0, 1e-300)])
def test_what_is_not_sharp_at_any_precision_is_undefined(number):
    found = enclose(lambda: number, digits=5, **CLOSED)
    assert found.value is None
    assert found.routes[0].startswith("q: nothing more than")


def test_an_exact_zero_has_all_digits():
    assert enclose(lambda: arb(0), digits=30, **CLOSED).text() == "0"


def test_a_value_comes_with_the_radius_that_is_proved():
    found = enclose(lambda: arb(2).sqrt(), digits=50, proof="a root", proved=lambda: "one phase", **CLOSED)
    with mpmath.workdps(120):
        assert 0 < abs(found.value - mpmath.sqrt(2)) <= found.radius < mpmath.mpf(10) ** -51
    assert found.routes == ("a root",)
    assert found.proved == "one phase, 192 bits"
    assert enclose(lambda: arb(2).sqrt(), digits=5, **CLOSED).proved == "96 bits"


def test_a_derivative_is_as_sharp_as_its_value():
    found = enclose(lambda: ball(exact("2").varied()).sqrt(), digits=30, **CLOSED)
    with mpmath.workdps(60):
        assert abs(found.derivative.value - 1 / mpmath.sqrt(8)) <= found.derivative.radius < mpmath.mpf(10) ** -30
    assert enclose(lambda: arb(2), digits=30, **CLOSED).derivative is None


@pytest.mark.parametrize("share", ["1e-60", "0"])
def test_a_derivative_that_vanishes_ends_the_search(share):
    """Of sin² p + cos² p + share p: a small one gets its digits, zero would get none from any precision."""
    bits = []

    def read():
        bits.append(ctx.prec)
        p = ball(exact("1/3").varied())
        return p.sin() ** 2 + p.cos() ** 2 + p * arb(share)

    found = enclose(read, digits=30, **CLOSED)
    assert max(bits) < 500
    assert found.derivative.text() == {"0": "0", "1e-60": "1.00000000000000000000000000000e-60"}[share]
    assert ("no precision proves a zero" in found.derivative.routes[0]) == (share == "0")
    assert 0 < found.derivative.radius < 1e-90


def test_a_derivative_with_few_digits_is_not_taken_for_one_that_vanishes():
    """The value has all digits at once, the derivative only at 512 bits."""

    def read():
        lost = arb(0, 1) if ctx.prec < 500 else arb(0)
        return Jet(ONE, arb(3) + lost * arb(2) ** 10)

    assert enclose(read, digits=30, **CLOSED).derivative.value == 3


def test_where_structure_gives_the_value_none_is_computed():
    def whole() -> arb:
        raise Exactly(3, "three impacts")

    def word() -> arb:
        raise Exactly("stick", "it never slips")

    found = enclose(whole, digits=30, **CLOSED)
    assert (float(found), found.routes) == (3, ("three impacts",))
    found = enclose(word, digits=30, **CLOSED)
    assert (found.text(), found.routes) == ("stick", ("it never slips",))


def test_what_is_absent_is_undefined_with_its_reason():
    def read() -> arb:
        raise Absent("nothing moves")

    found = enclose(read, digits=30, **CLOSED)
    assert (found.text(), found.routes) == ("undefined", ("nothing moves",))


@pytest.mark.parametrize("digits", [0, 1001])
def test_digits_are_checked(digits):
    with pytest.raises(ParameterError):
        enclose(lambda: ONE, digits=digits, **CLOSED)
    with pytest.raises(ParameterError):
        enclose_all(lambda: [ONE], digits=digits, **CLOSED)


def test_numbers_that_are_enclosed_together_have_their_own_second_routes():
    route = Route("by mpmath", lambda: (mpmath.sqrt(2), mpmath.sqrt(3)))
    two, three = enclose_all(lambda: [arb(2).sqrt(), arb(3).sqrt()], route, digits=30, **CLOSED)
    assert two.confirm().text().startswith("1.41421")
    assert three.confirm().text().startswith("1.73205")
    wrong = Route("by mpmath", lambda: (mpmath.sqrt(2), mpmath.sqrt(2)))
    *_, three = enclose_all(lambda: [arb(2).sqrt(), arb(3).sqrt()], wrong, digits=30, **CLOSED)
    with pytest.raises(CertificationError):
        three.confirm()


def test_numbers_that_are_undecided_together_are_an_error():
    with pytest.raises(CertificationError, match="q: it grazes"):
        enclose_all(lambda: [less(arb(2).sqrt() ** 2, arb(2), "it grazes")], digits=5, **CLOSED)


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_conversion_of_a_double_is_exact(x):
    assert to_mpf(arb(x)) == x


def test_conversion_keeps_more_bits_than_mpmath_has_at_the_time():
    assert mpmath.mp.prec == 53
    found = to_mpf((arb(2) ** 150 + 1) / 2**75)
    with mpmath.workprec(200):
        assert found == (mpmath.mpf(2) ** 150 + 1) / mpmath.mpf(2) ** 75
