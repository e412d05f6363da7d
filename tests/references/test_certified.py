"""A certificate is refused whenever something is wrong: routes, precision, roots."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from veridyn.references import CertificationError, Certified, ParameterError
from veridyn.references.certified import (
    Route,
    agreeing_digits,
    bracketed_root,
    certify,
    certify_all,
    classification,
    exact_zero,
    first_root,
    undefined,
)

ROOT_TWO = Route("square root", lambda: mpmath.sqrt(2))


def certified(*others: Route, digits: int = 30, first: Route = ROOT_TWO) -> Certified:
    return certify(first, *others, digits=digits, kind="closed form", name="root two")


def test_value_digits_and_routes():
    result = certified(Route("exponential", lambda: mpmath.exp(mpmath.log(2) / 2)), digits=40)
    assert result.text() == "1.414213562373095048801688724209698078570"
    assert result.digits == 40
    assert result.routes == ("square root, at two precisions", "exponential")
    assert float(result) == 2**0.5


def test_text_reads_back_to_the_certified_digits():
    for power in (-40, -3, 0, 5, 60):
        result = certified(first=Route("scaled", lambda p=power: mpmath.sqrt(2) * mpmath.mpf(10) ** p), digits=50)
        with mpmath.workdps(60):
            assert agreeing_digits(mpmath.mpf(result.text()), result.value) >= 49


def test_a_wrong_second_route_is_caught():
    with pytest.raises(CertificationError, match="root two: a liar agree on 20 digits, 30 wanted"):
        certified(Route("a liar", lambda: mpmath.sqrt(2) * (1 + mpmath.mpf(10) ** -20)))


def test_a_first_route_that_depends_on_the_precision_is_caught():
    noisy = Route("noisy", lambda: 1 + mpmath.mpf(10) ** -12 / mpmath.mp.dps)
    with pytest.raises(CertificationError, match=r"two precisions agree on 1\d digits, 30 wanted"):
        certified(first=noisy)


def test_a_modest_second_route_limits_the_digits():
    rough = Route("rough", lambda: mpmath.sqrt(2) * (1 + mpmath.mpf(10) ** -12), digits=10)
    assert certified(rough).digits == 10
    assert certified(rough).text() == "1.414213562"


def test_cancellation_is_met_with_more_guard_digits():
    tiny = Route("cancels", lambda: (1 + mpmath.mpf(10) ** -40) - 1)
    assert certified(first=tiny).text() == "1.00000000000000000000000000000e-40"


def test_sequences_of_different_length_do_not_agree():
    two, one = Route("two", lambda: [1, 2]), Route("one", lambda: [1])
    with pytest.raises(CertificationError, match="count: one agree on 0 digits"):
        certify_all(two, one, digits=5, kind="closed form", name="count")


@pytest.mark.parametrize("digits", [0, 10000])
def test_digits_are_checked(digits):
    with pytest.raises(ParameterError):
        certified(digits=digits)


def test_context_is_restored_after_an_error():
    def fails():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        certified(first=Route("fails", fails))
    assert mpmath.mp.dps == 15


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


def root_between(low, high, f, slope):
    return bracketed_root(f, slope, mpmath.mpf(low), mpmath.mpf(high), name="root")


@pytest.mark.parametrize("digits", [15, 100])
def test_bracketed_root_reaches_full_precision(digits):
    with mpmath.workdps(digits):
        root = root_between(0, 1, lambda x: mpmath.cos(x) - x, lambda ctx, x: -ctx.sin(x) - 1)
        assert abs(mpmath.cos(root) - root) <= 10 * mpmath.eps


def test_a_function_with_several_roots_is_refused():
    with pytest.raises(CertificationError, match="root: not monotone between"):
        root_between(1, 10, mpmath.sin, lambda ctx, x: ctx.cos(x))


def test_a_stationary_point_in_the_bracket_is_refused():
    with pytest.raises(CertificationError, match="may not be unique"):
        root_between(-1, 2, lambda x: x**3, lambda ctx, x: 3 * ctx.convert(x) ** 2)


def test_no_bracket_is_refused():
    with pytest.raises(CertificationError, match="no change of sign"):
        root_between(1, 2, mpmath.exp, lambda ctx, x: ctx.exp(x))


def test_uniqueness_may_need_halving():
    def f(x):
        return x**2 / 2 - x**3 / 3 - mpmath.mpf("0.1")

    # On the whole bracket the interval x - x·x could have any sign; on pieces it shows.
    with mpmath.workdps(30):
        root = root_between("0.1", "0.9", f, lambda ctx, x: ctx.convert(x) - x * x)
        assert abs(f(root)) < mpmath.mpf(10) ** -28


@pytest.mark.parametrize(("left", "right", "digits"), [("1", "1.001", 3), ("1e50", "1.0000001e50", 7), ("1", "-1", 0)])
def test_agreeing_digits(left, right, digits):
    assert agreeing_digits(mpmath.mpf(left), mpmath.mpf(right)) == pytest.approx(digits, abs=1)


def cubic(*roots):
    """Return a polynomial with given roots, positive at the start, and its derivatives."""
    polynomial = np.polynomial.Polynomial.fromroots(roots)
    polynomial = polynomial if polynomial(1e-9) > 0 else -polynomial

    def written(coefficients):
        return lambda ctx, x: sum((ctx.convert(float(c)) * x**n for n, c in enumerate(coefficients)), ctx.convert(0))

    return [written(polynomial.deriv(n).coef) for n in range(3)]


@pytest.mark.parametrize(
    ("roots", "first"),
    [((-1, 0.5, 2), 0.5), ((0, 0.75, 1.5), 0.75), ((0, 0, 1.25), 1.25), ((-1, -2), None), ((0.5, 0.5001, 2), 0.5)],
)
def test_the_first_root_is_found_or_proved_absent(roots, first):
    with mpmath.workdps(30):
        found = first_root(*cubic(*roots), high=mpmath.mpf(3), name="test")
    assert found is None if first is None else abs(found - first) < 1e-9


def test_a_root_that_only_touches_is_refused():
    with mpmath.workdps(30), pytest.raises(CertificationError, match="too close to touching zero"):
        first_root(*cubic(0.5, 0.5, 3.0), high=mpmath.mpf(2), name="test")


def test_a_start_that_is_not_positive_is_refused():
    f, *derivatives = cubic(0.5, 1.0, 2.0)
    with mpmath.workdps(30), pytest.raises(CertificationError, match="not positive just after the start"):
        first_root(lambda ctx, x: -f(ctx, x), *derivatives, high=mpmath.mpf(3), name="test")


def test_a_route_that_promises_less_is_asked_once():
    asked = []

    def rough():
        asked.append(mpmath.mp.dps)
        return mpmath.mpf("1.41")

    with pytest.raises(CertificationError, match="two digits agree on 2 digits, 5 wanted"):
        certified(Route("two digits", rough, digits=5), digits=30)
    assert len(asked) == 1
