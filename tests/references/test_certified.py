"""What a certified value says of itself: text, uncertainty, second routes."""

from __future__ import annotations

import pickle
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from veridyn.references import CertificationError, Certified, ParameterError
from veridyn.references.certified import Route, agreeing_digits, classification, exact_zero, undefined
from veridyn.references.engine.enclosure import enclose

ROOT_TWO = Route("square root", lambda: mpmath.sqrt(2))


def root_two(*second: Route, digits: int = 30, power: int = 0) -> Certified:
    return enclose(
        lambda: arb(2).sqrt() * arb(10) ** power, *second, digits=digits, kind="closed form", name="root two"
    )


def test_value_digits_and_routes():
    result = root_two(ROOT_TWO, digits=40).confirm()
    assert result.text() == "1.414213562373095048801688724209698078570"
    assert result.digits == 40
    assert result.routes == ("proved enclosure", "square root")
    assert float(result) == 2**0.5


@pytest.mark.parametrize("power", [-400, -40, -3, 0, 5, 60])
def test_the_uncertainty_holds_the_truth_and_is_half_a_unit_of_the_last_digit(power):
    result = root_two(digits=20, power=power)
    printed, bound = Fraction(result.text()), Fraction(result.uncertainty())
    ratio = (printed / Fraction(10) ** power) ** 2 / 2  # printed over truth, squared
    assert abs(ratio - 1) < 3 * bound / printed
    assert bound < Fraction(6, 10**20) * Fraction(10) ** power
    exact = Fraction(14142135623730950488016887242096980785696718753769, 10**49) * Fraction(10) ** power
    assert abs(printed - exact) <= bound


def test_exact_values_have_no_uncertainty():
    assert exact_zero("at rest", 30).uncertainty() == "0"
    assert enclose(lambda: arb(3), digits=5, kind="closed form", name="three").uncertainty() == "0"
    assert undefined("no slip").uncertainty() == classification("stick").uncertainty() == ""


def test_a_wrong_second_route_is_caught():
    liar = Route("a liar", lambda: mpmath.sqrt(2) * (1 + mpmath.mpf(10) ** -20))
    with pytest.raises(CertificationError, match="root two: a liar agrees on 20 digits"):
        root_two(liar).confirm("root two")


def test_a_modest_second_route_is_asked_for_what_it_promises():
    rough = Route("rough", lambda: mpmath.sqrt(2) * (1 + mpmath.mpf(10) ** -12), digits=10)
    assert root_two(rough).confirm().digits == 30


def test_cancellation_is_met_with_more_guard_digits():
    cancels = Route("cancels", lambda: (mpmath.sqrt(2) + mpmath.mpf(10) ** 60) - mpmath.mpf(10) ** 60)
    assert root_two(cancels).confirm().digits == 30


def test_a_value_goes_to_another_process_without_its_routes():
    sent = pickle.loads(pickle.dumps(root_two(ROOT_TWO)))
    assert (sent.text(), sent.radius, sent.proved) == (root_two().text(), root_two().radius, root_two().proved)
    assert sent.second == ()


@pytest.mark.parametrize("digits", [0, 10000])
def test_digits_are_checked(digits):
    with pytest.raises(ParameterError):
        root_two(digits=digits)


def test_an_error_of_arithmetic_leaves_a_value_undefined():
    def fails():
        raise ZeroDivisionError("a division")

    before = ctx.prec
    found = enclose(fails, digits=30, kind="closed form", name="pole")
    assert (found.value, ctx.prec) == (None, before)
    assert found.routes[0].startswith("pole: ZeroDivisionError: a division")
    with pytest.raises(ZeroDivisionError):
        root_two(Route("fails", fails)).confirm()


def test_what_a_second_route_says_settles_a_value():
    right, wrong = Route("again", lambda: mpmath.sqrt(2)), Route("otherwise", lambda: mpmath.mpf(1.5))
    spent = Route("by steps", lambda: 1 / mpmath.mpf(0))
    assert root_two(right).settle() == root_two(right)
    alone = root_two(right, spent).settle("root")
    assert alone.value == root_two(right).value
    assert "not confirmed by by steps" in alone.routes[0]
    assert alone.routes[1:] == ("again",)
    settled = root_two(right, wrong).settle("root")
    assert settled.value is None
    assert settled.routes[0].startswith("two routes disagree, so that neither is believed: root: otherwise agrees on")
    assert mpmath.mp.dps == 15
    assert arb(1).sqrt().is_exact()


def test_a_value_below_the_errors_of_a_second_route_stands_alone():
    """Its digits count from the largest value on the way: it cannot tell a number that is far smaller."""
    by_steps = Route("by steps", lambda: mpmath.mpf("4e-14"), digits=12, size=lambda: mpmath.mpf(1))
    small = Certified(mpmath.mpf("3e-14"), 30, "quasi-analytical", ("one", "by steps"), second=(by_steps,)).settle()
    assert small.value == mpmath.mpf("3e-14")
    assert small.routes == ("one; not confirmed by by steps: the value is below 12 digits of what it follows",)
    large = Certified(mpmath.mpf("3e-11"), 30, "quasi-analytical", ("one", "by steps"), second=(by_steps,)).settle()
    assert large.value is None


def test_a_second_route_that_could_be_computed_once_contradicts():
    """One number does not show that terms cancel."""
    tries = iter([mpmath.mpf(3)])

    def compute():
        for number in tries:
            return number
        raise CertificationError("no further precision")

    value = root_two(Route("by parts", compute)).settle("root")
    assert value.value is None


def test_a_second_route_that_never_settles_contradicts_nothing():
    """Where terms cancel beyond all digits, each precision gives another number."""
    noise = Route("by parts", lambda: mpmath.mpf(mpmath.mp.dps))
    alone = root_two(noise).settle("root")
    assert alone.text() == root_two().text()
    assert alone.routes[0].endswith("not confirmed by by parts: its terms cancel: each precision gives another value")


def test_what_is_no_number():
    assert classification("stick").text() == "stick"
    assert undefined("never slips").text() == "undefined"
    assert undefined("never slips").routes == ("never slips",)
    for result in (classification("stick"), undefined("never slips")):
        with pytest.raises(TypeError, match="no number"):
            float(result)


def test_zero_is_exact():
    assert exact_zero("at rest", 30).text() == "0"
    assert float(exact_zero("at rest", 30)) == 0


@pytest.mark.parametrize(("left", "right", "digits"), [("1", "1.001", 3), ("1e50", "1.0000001e50", 7), ("1", "-1", 0)])
def test_agreeing_digits(left, right, digits):
    assert agreeing_digits(mpmath.mpf(left), mpmath.mpf(right)) == pytest.approx(digits, abs=1)
