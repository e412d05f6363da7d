"""Derivatives of nonlinear motions with respect to their parameters, against difference quotients of the values.

Second ones against closed forms.
"""

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

import veridyn
from veridyn.references.certified import exact_zero
from veridyn.references.derivatives import differentiate
from veridyn.references.parameters import Exact, ParameterError, exact
from veridyn.validation_cases.judgement.catalogue import load_case
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


FORMULAS = {
    ("bouncing_ball", "t_impact_10"): lambda p: (
        mpmath.sqrt(2 * p["h"] / p["g"]) * (1 + 2 * p["e"] * (1 - p["e"] ** 9) / (1 - p["e"]))
    ),
    ("bungee", "period"): lambda p: (
        2 * mpmath.sqrt(2 * p["h"] / p["grav"])
        + 2 * (mpmath.pi - mpmath.atan(p["w"] * mpmath.sqrt(2 * p["h"] / p["grav"]))) / p["w"]
    ),
}
SECOND = [
    ("bouncing_ball", "t_impact_10", "e", "e"),
    ("bouncing_ball", "t_impact_10", "e", "h"),
    ("bungee", "period", "w", "w"),
    ("bungee", "period", "h", "grav"),
]
NONE = [
    ("bouncing_ball", "path", "g", "g", "does not depend"),
    ("bouncing_ball", "t_impact_1", "h", "e", "the value does not depend on e"),
    ("bouncing_ball", "path", "h", "h", "is proportional to h"),
]


@pytest.mark.parametrize(("case", "quantity", "first", "second"), SECOND)
def test_second_derivatives_are_those_of_closed_forms(case, quantity, first, second):
    derived = veridyn.reference(case, derivative=(first, second), digits=20)[quantity]
    values = {p.name: exact(p.default) for p in load_case(case).parameters}

    def along(x, y=None):
        moved = {first: x} if y is None else {first: x, second: y}
        return FORMULAS[case, quantity]({**{name: number.mpf() for name, number in values.items()}, **moved})

    with mpmath.workdps(60):
        place = [values[name].mpf() for name in dict.fromkeys((first, second))]
        truth = mpmath.diff(along, tuple(place), (1, 1)) if len(place) > 1 else mpmath.diff(along, place[0], 2)
        assert abs(derived.value - truth) <= derived.radius + mpmath.mpf(10) ** -20 * abs(truth)


@pytest.mark.parametrize(("case", "quantity", "first", "second", "reason"), NONE)
def test_a_second_derivative_that_structure_makes_zero_is_zero(case, quantity, first, second, reason):
    derived = veridyn.reference(case, derivative=[first, second], digits=20)[quantity]
    assert (derived.value, derived.radius) == (0, exact_zero("", 20).radius)
    assert reason in derived.routes[0]


CANCELS = [
    ("sdnd101", "impact_velocity", ("k",)),  # of an elastic impact: the body returns as fast as it came
    ("sdnd101", "impact_velocity", ("k", "kc")),
    ("sdnd101", "flight_duration", ("kc", "kc")),
    ("block_stack", "lower_stop", ("mu_2",)),  # the friction between the blocks moves no centre of mass
]


@pytest.mark.parametrize(("case", "quantity", "names"), CANCELS)
def test_a_derivative_whose_terms_cancel_is_zero_within_its_bound(case, quantity, names):
    """No precision proves the zero: the bound is far below the digits wanted, and the line says so."""
    plain = veridyn.reference(case, digits=20)[quantity]
    derived = veridyn.reference(case, derivative=names, digits=20)[quantity]
    assert derived.value == 0
    assert 0 < derived.radius < abs(plain.value) * mpmath.mpf(10) ** -60
    assert "no precision proves a zero" in derived.routes[0]


@pytest.mark.parametrize(("case", "name", "may_be"), [("sdnd105", "bodies", "1 or 2"), ("bar_impact", "N", "a whole")])
def test_nothing_is_differentiated_to_a_count_or_a_choice(case, name, may_be):
    with pytest.raises(ParameterError, match=f"{name} is {may_be}.*: nothing has a derivative"):
        veridyn.reference(case, derivative=name)


def test_what_is_zero_only_because_another_parameter_is_zero_is_none():
    """A body in a medium, x = (1 - exp(-c t/m)) m/c: without the medium no mass matters, but it does beside one."""
    body = veridyn.MechanicalProblem(name="body", mass=2.0, damping=0.0, end=1.0, initial_velocity=[3.0])
    (mixed,) = veridyn.prove(body, ["x1@1"], derivative=("damping[1,1]", "mass[1,1]")).values()
    assert abs(mixed.value - 3 / mpmath.mpf(8)) <= mixed.radius + mpmath.mpf(10) ** -30


def test_who_carries_first_derivatives_only_says_so():
    def compute(_values, digits):
        return replace(exact_zero("", digits), derivative=exact_zero("", digits))

    (reason,) = differentiate(compute, {"p": exact(2)}, ("p", "p"), 10).routes
    assert reason == "the formula that gives this value carries first derivatives only"
