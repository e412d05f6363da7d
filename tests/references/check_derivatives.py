"""Derivatives of every case with respect to every parameter, against difference quotients of the values: a minute.

`tox -e truth` runs it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from veridyn.api import front
from veridyn.references.parameters import Exact, ParameterError
from veridyn.validation_cases.judgement.catalogue import case_names, load_case

STEP = Fraction(1, 10**18)  # of a parameter
DIGITS = 15  # compared
WORKING = 50
SHORTER = {"sdnd102": {"t_end": "0.2"}, "sdnd121": {"t_end": "0.2"}}  # two contacts tell what seventy do
LATE = {"two_dof_cubic": "@20"}  # quantities that a march of four times the length leads to: those at 5 s tell as much


def changes(values, names):
    """Return the direction in which parameters move: each by another share of itself, or as much if it is zero."""
    return {n: Exact((values[n].rational or Fraction(1)) / (3 + i), values[n].pi) for i, n in enumerate(names)}


def moved(values, direction, step):
    """Return the parameters some way along a direction."""
    by = {name: Exact(values[name].rational + step * way.rational, way.pi) for name, way in direction.items()}
    return {**values, **by}


def is_free(case, values, name):
    """Tell whether a parameter is no count, not at the end of its range, and in the formulas (a zero may not be)."""
    try:
        for step in (STEP, -STEP):
            front.references(case, moved(values, changes(values, [name]), step), 1)
    except ParameterError:
        return False
    return bool(values[name].rational) or len(derived(case, values, name)) == len(numbers(case, values, 1))


def derived(case, values, name):
    found = front.references(case, values, 1, name).items()
    return {q: slope for q, slope in found if isinstance(slope.value, mpmath.mpf)}


def numbers(case, values, digits):
    found = front.references(case, values, digits).items()
    return {q: truth for q, truth in found if isinstance(truth.value, mpmath.mpf)}


def directional(case, values, names):
    """Return derivatives along a direction, difference quotients and their rounding, of all quantities with both."""
    direction = changes(values, names)
    sides = [numbers(case, moved(values, direction, step), WORKING) for step in (STEP, -STEP)]
    varied = {n: Exact(x.rational, x.pi, direction.get(n)) for n, x in values.items()}
    derivatives = {q: truth.derivative for q, truth in numbers(case, varied, DIGITS + 5).items()}
    with mpmath.workdps(WORKING):
        width = 2 * mpmath.mpf(STEP.numerator) / STEP.denominator
        rounding = mpmath.mpf(10) ** (1 - WORKING) / width
        return {
            q: (given.value, (above.value - sides[1][q].value) / width, abs(above.value) * rounding)
            for q, above in sides[0].items()
            if q in sides[1] and (given := derivatives.get(q)) and isinstance(given.value, mpmath.mpf)
        }


def bent(case, values, names):
    """Return second derivatives on a way on which parameters grow, difference quotients of first ones, and rounding."""
    rates = {name: 1 + place % 3 for place, name in enumerate(names)}

    def first(step):
        return {q: t.derivative for q, t in numbers(case, grown(values, rates, step), WORKING).items() if t.derivative}

    above, below = (first(step) for step in (STEP, -STEP))
    truths = numbers(case, {**values, **{n: values[n].grown(rate) for n, rate in rates.items()}}, DIGITS + 5)
    with mpmath.workdps(WORKING):
        width = 2 * mpmath.mpf(STEP.numerator) / STEP.denominator
        rounding = mpmath.mpf(10) ** (1 - WORKING) / width
        return {
            q: (truth.curvature.value, (above[q].value - below[q].value) / width, abs(above[q].value) * rounding)
            for q, truth in truths.items()
            if q in above and q in below and truth.curvature is not None
        }


def grown(values, rates, step):
    """Return the parameters some way along one on which each grows at a rate, with their derivatives there."""

    def at(number, rate):
        there = number.rational * (1 + rate * step + (rate * step) ** 2 / 2 + (rate * step) ** 3 / 6)
        return Exact(there, number.pi, Exact(rate * there, number.pi))

    return {**values, **{name: at(values[name], rate) for name, rate in rates.items()}}


# derivatives that vanish, which no precision tells from zero (den_hartog: the phase of the start), or
# hundreds of nonlinear steps each: what shorter motions of test_hybrid.py show is not shown again
LONG = {
    *("andrews", "arenstorf", "den_hartog", "double_pendulum", "duffing_free", "euler_top", "lorenz", "pendulum"),
    *("pendulum_constrained", "pin_pendulum", "pleiades", "ueda", "van_der_pol"),
}

# cases whose references carry first derivatives only
FIRST_ONLY = {"sdnd104"}


@pytest.mark.parametrize("name", sorted({*case_names()} - LONG))
def test_every_derivative_is_that_of_the_values(name):
    case = load_case(name)
    if name in LATE:
        case = replace(case, quantities=tuple(q for q in case.quantities if not q.name.endswith(LATE[name])))
    values = case.values(SHORTER.get(name, {}))
    doubtful = {n for n in values if not values[n].rational}
    try:
        found = directional(case, values, [n for n in values if n not in doubtful or is_free(case, values, n)])
    except ParameterError:
        found = directional(case, values, [n for n in values if is_free(case, values, n)])
    assert found
    check(found)


@pytest.mark.parametrize("name", sorted({*case_names()} - LONG - FIRST_ONLY))
def test_every_second_derivative_is_that_of_the_first_ones(name):
    case = load_case(name)
    values = case.values(SHORTER.get(name, {}))
    names = [n for n, x in values.items() if x.rational]
    try:
        found = bent(case, values, names)
    except ParameterError:
        found = bent(case, values, [n for n in names if is_free(case, values, n)])
    assert found
    check(found)


def check(found):
    for quantity, (derivative, quotient, noise) in found.items():
        assert abs(derivative - quotient) <= mpmath.mpf(10) ** -DIGITS * abs(quotient) + noise, quantity
