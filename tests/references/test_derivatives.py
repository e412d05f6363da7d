"""Derivatives of every case with respect to every parameter, against difference quotients of the values themselves."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from veridyn import front
from veridyn.references.parameters import Exact, ParameterError
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
        size = abs(values[name].plain.mpf()) if values[name].rational else mpmath.mpf(1)
        width = 2 * size * STEP.numerator / STEP.denominator
        numbers = [{q: c.value for q, c in side.items() if isinstance(c.value, mpmath.mpf)} for side in sides]
        both = {q: (numbers[0][q], numbers[1][q]) for q in numbers[0].keys() & numbers[1].keys()}
        rounding = mpmath.mpf(10) ** (1 - WORKING)
        return {q: ((a - b) / width, abs(a) * rounding / width) for q, (a, b) in both.items()}


@pytest.mark.parametrize("name", case_names())
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
