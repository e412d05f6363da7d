"""Motions of general right-hand sides: events, values, counts and extremes against closed forms."""

import mpmath
import pytest
from flint import arb

from veridyn.references.hybrid import motion
from veridyn.references.parameters import ParameterError, exact
from veridyn.solver.problem.initial_value import Change, InitialValueProblem, Mode

IMPACT = Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"})
BALL = motion(
    InitialValueProblem(
        name="ball",
        states=("y", "v"),
        parameters={"g": "9.81", "h": 1, "e": "0.8"},
        modes=(Mode(name="flight", rates=("v", "-g"), events=(IMPACT,)),),
        initial=("h", 0),
        end=3,
    )
)
TURN = Change(name="turn", guard="v", direction=-1)
DUFFING = motion(
    InitialValueProblem(
        name="duffing",
        states=("x", "v"),
        parameters={"a": 1, "b": 1, "A": 1},
        modes=(Mode(name="free", rates=("v", "-a*x - b*x**3"), events=(TURN,)),),
        initial=("A", 0),
        end=20,
    )
)


def impact(number):
    def closed(p):
        return mpmath.sqrt(2 * p.h / p.g) * (1 + 2 * p.e * (1 - p.e ** (number - 1)) / (1 - p.e))

    return closed


def amplitude(p):
    return 2 * (p.a + p.b * p.A**2), p.b * p.A**2 / (2 * (p.a + p.b * p.A**2))


def period(p):
    return 4 * mpmath.ellipk(amplitude(p)[1]) / mpmath.sqrt(amplitude(p)[0] / 2)


def displacement(time):
    def closed(p):
        square, m = amplitude(p)
        return p.A * mpmath.ellipfun("cn", mpmath.sqrt(square / 2) * time, m=m)

    return closed


READINGS = [
    BALL.event("impact", 3, second=impact(3)),
    BALL.event("impact", 3),
    BALL.value("y", at="2"),
    BALL.count("impact", until="2"),
    BALL.largest("y", after=("impact", 1), until=("impact", 2), second=lambda p: p.h * p.e**2),
    BALL.value("v", ("impact", 2), before=True, second=lambda p: -p.e * mpmath.sqrt(2 * p.g * p.h)),
    BALL.closed(lambda p: (2 * p.h / p.g).sqrt(), second=impact(1)),
    DUFFING.event("turn", 2, second=lambda p: 2 * period(p)),
    DUFFING.value("x", "20", second=displacement(20)),
    DUFFING.value("x", "10"),
    DUFFING.smallest("v", until="10", second=lambda p: -mpmath.sqrt(p.a * p.A**2 + p.b * p.A**4 / 2)),
]


@pytest.mark.parametrize("place", range(len(READINGS)))
def test_readings_agree_with_their_second_route(place):
    for given in ({}, {"e": "0.7"} if place < 7 else {"A": "1.3"}):
        found = READINGS[place](**given).confirm()
        assert found.digits == 30


def test_a_derivative_of_the_third_impact():
    third = READINGS[0]
    h = mpmath.mpf(10) ** -12
    slope = third(e=exact("0.8").varied()).derivative
    with mpmath.workdps(40):
        sides = [third(e=mpmath.mpf("0.8") + s * h, digits=40).value for s in (-1, 1)]
        assert abs((sides[1] - sides[0]) / (2 * h) - slope.value) < 1e-20


def test_what_a_motion_has_not():
    assert "no event" in BALL.event("impact", 8)(e=1).routes[0]
    with pytest.raises(ParameterError, match="did you mean impact"):
        BALL.event("impcat")


def test_a_closed_form_is_written_once_for_balls():
    assert isinstance(BALL.closed(lambda p: p.h)().text(), str)
    assert BALL.closed(lambda p: p.h * arb.pi())().text().startswith("3.14159")
