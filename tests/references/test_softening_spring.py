"""Softening spring: the chosen motion, the motion with a dead zone, free vibration."""

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import softening_spring as spring
from veridyn.references.parameters import ParameterError

CASE = {"m": "450", "k0": "1e5", "x0": "0.1", "a0": "0.01", "w0": "pi/4"}
DEAD = {**CASE, "d": "1e-6"}
WHAT = ("displacement", "velocity", "acceleration")


@pytest.mark.parametrize(
    ("name", "time", "text"),
    [
        ("displacement", "2", "0.0100000000000000000000000000000"),
        ("displacement", "4", "0"),
        ("velocity", "6", "0"),
        ("velocity", "4", "-0.00785398163397448309615660845820"),
        ("acceleration", "6", "0.00616850275068084913677155687492"),
        ("displacement", "1.3", "0.00852640164354092221519383458130"),
    ],
)
def test_every_digit_of_the_chosen_motion(name, time, text):
    result = getattr(spring, name)(**CASE, d="0", time=time)
    assert (result.text(), result.kind) == (text, "closed form")


def test_a_dead_zone_of_a_micrometre_takes_a_hundred_thousandth():
    """To the digits that were found by a third program, of order 8 with tolerance 1e-13."""
    found = [float(spring.displacement(**DEAD, time=time)) for time in ("2", "6")]
    assert found == pytest.approx([9.999876944223e-3, -9.999869219184e-3], abs=1e-14)


def test_digits_are_those_of_the_weaker_route():
    result = spring.velocity(**DEAD, time="0.3", digits=50)
    assert (result.digits, result.kind, len(result.routes)) == (spring.EXTRAPOLATED, "quasi-analytical", 2)


@pytest.mark.parametrize("dead", ["1e-3", "5e-3"])
def test_a_wide_dead_zone_is_followed_through_its_edges(dead):
    """Both routes agree where the mass dwells between the edges, and the motion meets its own equation."""
    given = {**CASE, "d": dead, "digits": 20}
    h = mpmath.mpf("1e-4")
    with mpmath.workdps(25):
        x = [spring.displacement(**given, time=str(mpmath.mpf("4.3") + k * h)).value for k in (-1, 0, 1)]
        a = spring.acceleration(**given, time="4.3").value
        assert abs((x[0] - 2 * x[1] + x[2]) / h**2 - a) < 1e-5 * abs(a)


@given(st.floats(1, 1e3), st.floats(1e3, 1e6), st.floats(0.5, 5))
@settings(max_examples=5, deadline=None)
def test_the_chosen_motion_solves_its_equation_for_any_parameters(m, k0, w0):
    """The second route integrates; certification compares."""
    result = spring.displacement(m=m, k0=k0, x0="0.1", a0="0.02", w0=w0, d="0", time="1", digits=15)
    assert float(result) == pytest.approx(0.02 * float(mpmath.sin(w0)), rel=1e-13)


def test_a_small_free_vibration_has_the_period_of_the_linear_spring():
    half = spring.half_period(m="450", k0="1e5", x0="0.1", reach="1e-12")
    frequency = spring.frequency(m="450", k0="1e5")
    assert float(half) * 2 * float(frequency) == pytest.approx(1.0, abs=1e-10)
    assert frequency.text().startswith("2.37254181139059")


def test_a_larger_free_vibration_is_slower():
    halves = [float(spring.half_period(m="450", k0="1e5", x0="0.1", reach=r)) for r in ("0.01", "0.04", "0.09")]
    assert halves == sorted(halves)
    assert halves[1] == pytest.approx(0.2597897640679354, rel=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a0": "0.05"}, "a0 must be below x0/2"),
        ({"d": "0.01"}, "d must be below the amplitude a0"),
        ({"d": "-1e-6"}, "d must be non-negative"),
        ({"m": "0"}, "m must be positive"),
        ({"time": "-1"}, "time must be non-negative"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        spring.displacement(**{**CASE, "d": "0", "time": "2", **change})


def test_a_reach_beyond_the_spring_is_refused():
    with pytest.raises(ParameterError, match="reach must be below x0"):
        spring.half_period(m="450", k0="1e5", x0="0.1", reach="0.1")
