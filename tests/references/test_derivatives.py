"""Derivatives of every case with respect to every parameter, against difference quotients of the values themselves."""

from __future__ import annotations

import sys
from fractions import Fraction

import mpmath
import pytest

from veridyn import front
from veridyn.references import softening_spring, zener
from veridyn.references.parameters import Exact, ParameterError, exact
from veridyn.validation_cases.core.catalogue import case_names, load_case

STEP = Fraction(1, 10**14)  # of a parameter
DIGITS = 10  # compared
WORKING = 45
SHORTER = {"sdnd102": {"t_end": "0.2"}, "sdnd121": {"t_end": "0.2"}}  # two contacts tell what seventy do


def moved(values, name, share):
    """Return the parameters with one of them changed by a share of itself, or by as much if it is zero."""
    number = values[name]
    change = number.rational * share if number.rational else share
    return {**values, name: Exact(number.rational + change, number.pi)}


def quotient(case, values, name):
    """Return difference quotients and their rounding, of all quantities that exist on both sides."""
    sides = [front.references(case, moved(values, name, share), WORKING) for share in (STEP, -STEP)]
    with mpmath.workdps(WORKING):
        size = values[name].plain.mpf() if values[name].rational else mpmath.mpf(1)  # with its sign, as in `moved`
        width = 2 * size * STEP.numerator / STEP.denominator
        numbers = [{q: c.value for q, c in side.items() if isinstance(c.value, mpmath.mpf)} for side in sides]
        both = {q: (numbers[0][q], numbers[1][q]) for q in numbers[0].keys() & numbers[1].keys()}
        rounding = mpmath.mpf(10) ** (1 - WORKING)
        return {q: ((a - b) / width, abs(a) * rounding / abs(width)) for q, (a, b) in both.items()}


# derivatives that vanish, which no precision tells from zero (den_hartog: the phase of the start), or
# hundreds of nonlinear steps each: what shorter motions of test_hybrid.py show is not shown again
LONG = {
    *("den_hartog", "duffing_free", "euler_top", "lorenz", "pendulum", "pendulum_constrained", "pin_pendulum", "ueda"),
    "van_der_pol",
}


@pytest.mark.parametrize("name", sorted({*case_names()} - LONG))
def test_every_derivative_is_that_of_the_values(name):
    case, compared = load_case(name), 0
    values = case.values(SHORTER.get(name, {}))
    for parameter in values:
        found = front.references(case, values, DIGITS + 5, parameter)
        given = {q: c.value for q, c in found.items() if isinstance(c.value, mpmath.mpf)}
        if not given:
            continue
        try:
            quotients = quotient(case, values, parameter)
        except ParameterError:  # the parameter stands at the end of its range, or is a count
            continue
        for quantity, derivative in given.items():
            if quantity in quotients:
                truth, noise = quotients[quantity]
                assert abs(derivative - truth) <= mpmath.mpf(10) ** -DIGITS * abs(truth) + noise, (quantity, parameter)
                compared += 1
    assert compared > 0


TINY = Fraction(1, 10**20)  # of a parameter
SHAKEN = {"alpha": "1/2", "c": "0.7", "k": "50", "x0": "0", "p": "5", "until": "0.21", "end": "0.5"}
NONLINEAR = [
    (softening_spring.displacement, {"d": "1/400", "time": "4.2"}, ("w0",)),
    (softening_spring.acceleration, {"d": "1/400", "time": "0.5"}, ("k0", "d")),
    (zener.force, {**SHAKEN, "time": "0.3", "end": "0.3"}, ("c", "until")),
    (zener.peak_time, SHAKEN, ("k3",)),
    (zener.peak_force, {**SHAKEN, "alpha": "1/3"}, ("omega",)),
]


@pytest.mark.parametrize(("reading", "given", "names"), NONLINEAR, ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives_of_nonlinear_motions_are_those_of_the_values(reading, given, names):
    defaults = {p.name: p.default for p in sys.modules[reading.__module__].PARAMETERS}
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
