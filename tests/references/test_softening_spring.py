"""Softening spring: the chosen motion, the motion with a dead zone, free vibration."""

from dataclasses import replace

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.certified import agreeing_digits
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import ParameterError, exact
from veridyn.validation_cases.mechanics import test_sdnd103 as sdnd103

CASE = {"m": "450", "k0": "1e5", "x0": "0.1", "a0": "0.01", "w0": "pi/4"}
DEAD = {**CASE, "d": "1e-6"}
WHAT = ("displacement", "velocity", "acceleration")


def read(name, time, **given):
    return sdnd103.find(WHAT.index(name), str(exact(time)))(**given)


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
    result = read(name, **CASE, d="0", time=time).confirm()
    assert (result.text(), result.kind) == (text, "closed form")


def test_a_dead_zone_of_a_micrometre_takes_a_hundred_thousandth():
    """To the digits that were found by a third program, of order 8 with tolerance 1e-13."""
    found = [float(read("displacement", **DEAD, time=time)) for time in ("2", "6")]
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
    result = read(name, **CASE, d="0.0089937", time="6").confirm()
    with mpmath.workdps(30):
        assert agreeing_digits(result.value, mpmath.mpf(BRIEF[name])) >= 26


@pytest.mark.parametrize("dead", ["1e-40", "1e-6", "0.00899", "0.008995", "0.009", "0.00999999"])
def test_a_low_precision_contains_a_high_one(dead):
    low, high = (read("velocity", **CASE, d=dead, time="2.5", digits=n) for n in (15, 40))
    with mpmath.workdps(50):
        assert abs(low.value - high.value) <= low.radius + high.radius


def test_an_edge_that_is_grazed_is_decided():
    """The dead zone as wide as the first maximum, but for 1e-10 or 1e-40 of a metre, or for what its rounding takes."""
    parameters = [replace(p, default="1e-6") if p.name == "d" else p for p in sdnd103.PARAMETERS]
    dead = make_quantities(sdnd103.oscillator, tuple(parameters))  # with the events of a dead zone
    top = dead.largest("x", until=3)(**CASE, d="0.00999", digits=100).value
    count = dead.count("softening_rises_2", until="3.5")
    for exponent in (10, 40):
        with mpmath.workdps(100):
            edges = [top + s * mpmath.mpf(10) ** -exponent for s in (-1, 1)]
        assert [float(count(**CASE, d=d)) for d in edges] == [1, 0]
    assert read("displacement", **CASE, d=top, time="3").digits == 30


def test_a_dead_zone_grows_to_one_side_only():
    """The displacement falls with d, and d is never negative: there is a value and no derivative."""
    result = read("displacement", **CASE, d=exact("0").varied(), time="2")
    assert (result.value, "one side" in result.routes[0]) == (None, True)


def test_many_passages_are_followed():
    fast = CASE | {"a0": "0.02", "w0": "5.5", "d": "0.005"}
    assert read("displacement", **fast, time="2").confirm().text() == "-0.0175622682821708750494357802652"


@pytest.mark.parametrize("dead", ["1e-3", "5e-3"])
def test_a_wide_dead_zone_is_followed_through_its_edges(dead):
    """The motion meets its own equation where the mass dwells between the edges."""
    given = {**CASE, "d": dead, "digits": 20}
    h = mpmath.mpf("1e-4")
    with mpmath.workdps(25):
        x = [read("displacement", **given, time=str(mpmath.mpf("4.3") + k * h)).value for k in (-1, 0, 1)]
        a = read("acceleration", **given, time="4.3").value
        assert abs((x[0] - 2 * x[1] + x[2]) / h**2 - a) < 1e-5 * abs(a)


@given(st.floats(10, 1e3), st.floats(1e3, 1e4), st.floats(0.5, 5))
@settings(max_examples=5, deadline=None)
def test_the_chosen_motion_solves_its_equation_for_any_parameters(m, k0, w0):
    """The second route integrates."""
    result = read("displacement", m=m, k0=k0, x0="0.1", a0="0.02", w0=w0, d="0", time="0.5", digits=15).confirm()
    assert float(result) == pytest.approx(0.02 * float(mpmath.sin(w0 / 2)), rel=1e-13)


def test_the_frequency_in_every_digit():
    assert sdnd103.FREQUENCY(m="450", k0="1e5").confirm().text().startswith("2.37254181139059")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a0": "0.05"}, "needed: 2\\*a0 < x0"),
        ({"d": "0.01"}, "needed: d < a0"),
        ({"d": "-1e-6"}, "d must be non-negative"),
        ({"m": "0"}, "m must be positive"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        read("displacement", **{**CASE, "d": "0", "time": "2", **change})
