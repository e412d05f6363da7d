"""Softening spring: the chosen motion, the motion with a dead zone, free vibration."""

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.certified import agreeing_digits
from veridyn.references.engine.enclosure import precision, to_mpf
from veridyn.references.parameters import ParameterError
from veridyn.references.problems import softening_spring as spring

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
    result = getattr(spring, name)(**CASE, d="0", time=time).confirm()
    assert (result.text(), result.kind) == (text, "closed form")


def test_a_dead_zone_of_a_micrometre_takes_a_hundred_thousandth():
    """To the digits that were found by a third program, of order 8 with tolerance 1e-13."""
    found = [float(spring.displacement(**DEAD, time=time)) for time in ("2", "6")]
    assert found == pytest.approx([9.999876944223e-3, -9.999869219184e-3], abs=1e-14)


# true values where the mass leaves the dead zone for a moment between two looks at it, by Runge-Kutta too
BRIEF = {
    "displacement": "-0.008995552877299210902921616087554772813026",
    "velocity": "0.0002431438281554194929850937421351927651809",
    "acceleration": "0.005143214026682829722250662639157776321726",
}


@pytest.mark.parametrize("name", WHAT)
def test_a_brief_excursion_beyond_the_dead_zone_is_seen(name):
    """What was certified before, 0.00024409749691 m/s, was wrong from the third digit on."""
    result = getattr(spring, name)(**CASE, d="0.0089937", time="6").confirm()
    with mpmath.workdps(30):
        assert agreeing_digits(result.value, mpmath.mpf(BRIEF[name])) >= 26


@pytest.mark.parametrize("dead", ["1e-40", "1e-6", "0.00899", "0.008995", "0.009", "0.00999999"])
def test_a_low_precision_contains_a_high_one(dead):
    low, high = (spring.velocity(**CASE, d=dead, time="2.5", digits=n) for n in (15, 40))
    with mpmath.workdps(50):
        assert abs(low.value - high.value) <= low.radius + high.radius


def test_an_edge_that_is_grazed_is_decided():
    """The dead zone as wide as the first maximum, but for 1e-10 or 1e-40 of a metre, or for what its rounding takes."""
    wide = spring.reference.make_record(**CASE, d="0.00999")
    with precision(400):
        (top,) = (t for t in spring._half(wide, 0)[0].extremes({1: arb(1)}, until=arb(3)))
        top = to_mpf(spring._half(wide, 0)[0].phase.at(top)[0])
    for exponent in (10, 40):
        with mpmath.workdps(100):
            edges = [top + s * mpmath.mpf(10) ** -exponent for s in (-1, 1)]
        with precision(400):
            found = [len(spring._half(spring.reference.make_record(**CASE, d=d), 0)) for d in edges]
        assert found == [3, 1]
    assert spring.displacement(**CASE, d=top, time="3").digits == 30


def test_many_passages_are_followed():
    fast = CASE | {"a0": "0.02", "w0": "5.5", "d": "0.005"}
    assert spring.displacement(**fast, time="2").confirm().text() == "-0.0175622682821708750494357802652"


@pytest.mark.parametrize("dead", ["1e-3", "5e-3"])
def test_a_wide_dead_zone_is_followed_through_its_edges(dead):
    """The motion meets its own equation where the mass dwells between the edges."""
    given = {**CASE, "d": dead, "digits": 20}
    h = mpmath.mpf("1e-4")
    with mpmath.workdps(25):
        x = [spring.displacement(**given, time=str(mpmath.mpf("4.3") + k * h)).value for k in (-1, 0, 1)]
        a = spring.acceleration(**given, time="4.3").value
        assert abs((x[0] - 2 * x[1] + x[2]) / h**2 - a) < 1e-5 * abs(a)


@given(st.floats(10, 1e3), st.floats(1e3, 1e4), st.floats(0.5, 5))
@settings(max_examples=5, deadline=None)
def test_the_chosen_motion_solves_its_equation_for_any_parameters(m, k0, w0):
    """The second route integrates."""
    result = spring.displacement(m=m, k0=k0, x0="0.1", a0="0.02", w0=w0, d="0", time="0.5", digits=15).confirm()
    assert float(result) == pytest.approx(0.02 * float(mpmath.sin(w0 / 2)), rel=1e-13)


def test_the_frequency_in_every_digit():
    assert spring.frequency(m="450", k0="1e5").confirm().text().startswith("2.37254181139059")


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
