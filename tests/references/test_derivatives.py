"""Derivatives of nonlinear motions with respect to their parameters, against difference quotients of the values."""

from fractions import Fraction

import mpmath
import pytest

from veridyn.references.parameters import Exact, exact
from veridyn.validation_cases.mechanics import test_sdnd103 as sdnd103
from veridyn.validation_cases.mechanics import test_sdnd107 as sdnd107

TINY = Fraction(1, 10**20)  # of a parameter
SHAKEN = {"alpha": "1/2", "c": "0.7", "k": "50", "x0": "0", "p": "5", "until": "0.21", "end": "0.5"}
NONLINEAR = [
    (sdnd103.find(2, "0.5"), {"d": "1/400"}, ("k0", "d")),
    (sdnd107.MOTION.value(sdnd107.PULL, "0.3"), {**SHAKEN, "end": "0.3"}, ("c", "until")),
    pytest.param(sdnd103.find(0, "4.2"), {"d": "1/400"}, ("w0",), marks=pytest.mark.truth),
    pytest.param(sdnd107.PEAK_TIME, SHAKEN, ("k3",), marks=pytest.mark.truth),
    pytest.param(sdnd107.PEAK_FORCE, {**SHAKEN, "alpha": "1/3"}, ("omega",), marks=pytest.mark.truth),
]


@pytest.mark.parametrize(("reading", "given", "names"), NONLINEAR, ids=lambda x: getattr(x, "name", ""))
def test_derivatives_of_nonlinear_motions_are_those_of_the_values(reading, given, names):
    defaults = {p.name: p.default for p in reading.parameters}
    for name in names:
        plain = exact(given.get(name, defaults[name]))
        found = reading(**{**given, name: plain.varied()}).derivative
        above, below = (
            reading(**{**given, name: Exact(plain.rational * (1 + share), plain.pi)}, digits=60).value
            for share in (TINY, -TINY)
        )
        with mpmath.workdps(80):
            quotient = (above - below) / (2 * plain.mpf() * TINY.numerator / TINY.denominator)
            assert found.digits == 30
            assert abs(found.value - quotient) <= found.radius + mpmath.mpf(10) ** -30 * abs(quotient), name
