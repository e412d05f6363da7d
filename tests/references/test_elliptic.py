"""Jacobi's elliptic functions in balls, against those of mpmath: values and derivatives, near both ends of m."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from veridyn.references.engine.elliptic import first_kind, jacobi, nome, second_kind, theta
from veridyn.references.engine.enclosure import Undecided, precision
from veridyn.references.engine.jets import Jet

BITS, DIGITS, CLOSE = 140, 60, 30
COMPLETE = {
    first_kind: mpmath.ellipk,
    second_kind: mpmath.ellipe,
    nome: lambda m: mpmath.qfrom(m=m),
}


def holds(ball: arb, number: mpmath.mpf) -> bool:
    """Tell whether a number, exact but for its last digits, lies in a ball that is small."""
    near = arb(mpmath.nstr(number, 45), "1e-40")
    return ball.overlaps(near) and ball.rad() < arb(10) ** -CLOSE * (1 + abs(ball))


@pytest.mark.parametrize("m", ["0.001", "0.5", "0.9", "0.9999"])
@pytest.mark.parametrize("u", ["-0.3", "7.5"])
@pytest.mark.parametrize("name", ["sn", "cn", "dn"])
def test_elliptic_functions_and_their_derivatives(name, u, m):
    with precision(BITS), mpmath.workdps(DIGITS):
        given, right = (mpmath.mpf(u), mpmath.mpf(m)), lambda u, m: mpmath.ellipfun(name, u, m=m)
        for direction in ((1, 0), (0, 1)):
            found = jacobi(name, *(Jet(arb(x), arb(way)) for x, way in zip((u, m), direction, strict=True)))
            assert holds(found.value, right(*given))
            assert holds(found.slope, mpmath.diff(right, given, direction))


@pytest.mark.parametrize("m", ["0.001", "0.5", "0.9999"])
@pytest.mark.parametrize("function", COMPLETE)
def test_complete_integrals_and_their_derivatives(function, m):
    with precision(BITS), mpmath.workdps(DIGITS):
        found = function(Jet(arb(m), arb(1)))
        assert holds(found.value, COMPLETE[function](mpmath.mpf(m)))
        assert holds(found.slope, mpmath.diff(COMPLETE[function], mpmath.mpf(m)))
        assert holds(function(arb(m)), COMPLETE[function](mpmath.mpf(m)))


def test_series_of_few_terms_hold_what_is_left_out():
    with mpmath.workdps(DIGITS):
        right = {number: mpmath.jtheta(number, mpmath.mpf("0.7"), mpmath.mpf("0.6")) for number in (1, 2, 3, 4)}
        for bits in (10, 20, 53):
            with precision(bits):
                assert all(theta(n, arb("0.7"), arb("0.6")).overlaps(arb(str(right[n]))) for n in right)


def test_nearly_a_soliton_is_refused():
    with pytest.raises(Undecided, match="too near to 1"):
        theta(3, arb(0), arb("0.9"))
