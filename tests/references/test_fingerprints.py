"""Exact discrete solutions of known integrators: matrices of a step against recurrences and cosines, at any step."""

from fractions import Fraction
from types import SimpleNamespace

import mpmath
import pytest
from flint import arb

from veridyn.references.engine.enclosure import Absent, precision, to_mpf
from veridyn.references.methods.fingerprints import (
    FALLS,
    NEWMARK,
    OTHERS,
    bounced,
    last,
    leapt,
    marched,
    newmark_step,
    radius,
    ratio,
    share,
    spectral,
    speed,
    turned,
)

STEPS = ("1/2", "1/64", "19/10", "7/2")  # s, w = 1 rad/s; the last is beyond the limit of central differences


def both(step):
    """Return the parameters in balls, and in numbers of mpmath."""
    h = Fraction(step)
    ball, number = arb(h.numerator) / h.denominator, mpmath.mpf(h.numerator) / h.denominator
    return SimpleNamespace(w=arb(1), h=ball), SimpleNamespace(w=mpmath.mpf(1), h=number)


def same(ball, number):
    """Tell whether an enclosure holds a number, to 25 digits of the larger of both and one."""
    return abs(to_mpf(ball) - number) <= mpmath.mpf(10) ** -25 * max(1, abs(number))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("beta", [beta for _, beta in NEWMARK])
def test_the_family_of_newmark_turns_by_an_angle(beta, step):
    with precision(640), mpmath.workdps(60):
        p, q = both(step)

        def matrix(given):
            return newmark_step(given, beta)

        assert same(last(matrix, 0, p), turned(q, beta))
        if (Fraction(1, 4) - Fraction(beta)) * Fraction(step) ** 2 < 1:
            assert same(last(matrix, 1, p), speed(q, beta))
            assert same(ratio(beta, p), share(q, beta))
        else:
            with pytest.raises(Absent, match="beyond the limit of stability"):
                ratio(beta, p)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("matrix", "method", "constants"), [other[2:] for other in OTHERS], ids=[o[0] for o in OTHERS])
def test_methods_that_keep_an_acceleration(matrix, method, constants, step):
    with precision(640), mpmath.workdps(60):
        p, q = both(step)
        assert same(last(matrix, 0, p), marched(q, method, constants))
        assert same(radius(matrix, p), spectral(q, method, constants))


@pytest.mark.parametrize(("step", "count"), [fall[1:] for fall in FALLS])
@pytest.mark.parametrize("share", [1, 2, 4])
def test_the_ball_leaps_from_impact_to_impact(step, count, share):
    with precision(300), mpmath.workdps(60):
        assert same(bounced(step=step, count=count // share), leapt(None, step=step, count=count // share))
