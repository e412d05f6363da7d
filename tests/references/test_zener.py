"""SDND107: printed digits, exponentials, power laws, every refusal."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.certified import agreeing_digits
from veridyn.references.engine import smooth
from veridyn.references.parameters import exact
from veridyn.validation_cases.mechanics import test_sdnd107 as sdnd107


def displacement(time, **given):
    return sdnd107.MOTION.value("x", str(exact(time)))(**given)


def read_force(time, **given):
    return sdnd107.MOTION.value(sdnd107.PULL, str(exact(time)))(**given)


POWER = {"alpha": "1/2", "k": 1, "x0": 0, "p": 1, "end": "0.5"}
positive = st.floats(0.5, 5)

# DOP853 in double precision, and the table of Code_Aster's test sdnd107c
INTEGRATED = {"0.1": ("-3.0907671174e-3", "-0.133445445054"), "0.2": ("-4.9049888497e-3", "-0.179146575552")}
INTEGRATED |= {"0.4": ("-3.336651365e-3", "-0.0740844004")}


def test_the_sudden_force_in_every_digit():
    assert sdnd107.INITIAL().text() == "4.42105263157894736842105263158"
    assert sdnd107.INITIAL(x0=0).text() == "0"


def test_three_exponentials():
    """Roots and residues of the cubic, with 22 digits."""
    with mpmath.workdps(30):
        fast, slow = mpmath.mpf("-22.6302670565525345537065"), mpmath.mpf("-0.7591698772964881411034")
        omega = mpmath.mpf("3.045283777281785244595")
        a, b = mpmath.mpf("0.007046579222040262636533"), mpmath.mpf("-0.05352328961102013131827")
        c = mpmath.mpf("0.01283943253503962608215")
        for t in ("0.3", "1.5", "3"):
            time = mpmath.mpf(t)
            wave = b * mpmath.cos(omega * time) + c * mpmath.sin(omega * time)
            u = a * mpmath.exp(fast * time) + 2 * mpmath.exp(slow * time) * wave
            assert abs(displacement(time=t).value + u) < mpmath.mpf(10) ** -20


@pytest.mark.parametrize("time", INTEGRATED)
def test_the_power_law_against_another_integration(time):
    x, force = INTEGRATED[time]
    with mpmath.workdps(30):
        assert agreeing_digits(displacement(time=time, **POWER).value, mpmath.mpf(x)) >= 9
        assert agreeing_digits(read_force(time=time, **POWER).value, mpmath.mpf(force)) >= 8


def test_a_force_that_turns_for_a_moment_is_seen():
    """What was certified before was right to ten digits of fifteen, and eleven at p = 2.3006."""
    near = {"alpha": "1/2", "k": 1, "x0": "0.3", "p": "2.3002", "omega": 1, "until": "3.2"}
    result = displacement(time="3.2", **near)
    assert result.text() == "-0.0705452983224723509243708068812"  # Taylor series of another program: …2235
    high = displacement(time="3.2", digits=36, **near)
    with mpmath.workdps(60):
        assert abs(result.value - high.value) <= result.radius + high.radius


@pytest.mark.parametrize("alpha", ["1", "1/2", "1/3", "1/4"])
def test_two_routes_agree(alpha):
    p = POWER | {"alpha": alpha, "until": "0.3"}
    for result in (displacement(time="0.5", **p), read_force(time="0.1", **p), sdnd107.PEAK_TIME(**p)):
        assert result.confirm().digits == 30
    sdnd107.PEAK_FORCE(**p).confirm()


def test_a_stiff_device_keeps_its_digits():
    """Deviations lose energy: hundreds of relaxation times cost none of them."""
    stiff = {"alpha": "1/2", "k": 1, "x0": "0.1", "c": "0.2", "end": "0.2"}
    assert displacement(time="0.2", **stiff).digits == 30


def test_the_peak_is_where_the_rate_vanishes():
    time, force = float(sdnd107.PEAK_TIME(**POWER)), float(sdnd107.PEAK_FORCE(**POWER))
    motion = sdnd107.HISTORY(**POWER)
    near = [float(motion("force", str(time + d))) for d in (-1e-4, 1e-4)]
    assert float(motion("force", str(time))) == pytest.approx(force, rel=1e-12)
    assert all(abs(f) < abs(force) for f in near)


@given(positive, positive, positive, positive, positive)
@settings(max_examples=8, deadline=None)
def test_linear_devices_obey_their_equation(m, k1, k2, k3, c):
    """The force after a while is that of K1 and K2 in series, stretched by what remains."""
    p = {"m": m, "k1": k1, "k2": k2, "k3": k3, "c": c, "p": 1, "k": 1, "end": 1}
    motion = sdnd107.HISTORY(**p)
    x, v, force = (float(motion(name, "0.7")) for name in ("displacement", "velocity", "force"))
    load = -float(mpmath.sin(10 * mpmath.pi * 0.7))
    assert (float(motion("velocity", "0.700001")) - v) / 1e-6 == pytest.approx(
        (load - force - x) / m, abs=3e-4 * (1 + 32 / m)
    )


def test_let_go_on_the_other_side_everything_has_the_other_sign():
    right, left = (displacement(time="0.1", alpha="1/2", k=1, x0=x0, end="0.1") for x0 in ("0.1", "-0.1"))
    assert left.text() == "-" + right.text()


def test_a_linear_device_may_be_shaken():
    shaken = {"p": 1, "k": 1, "end": 2}
    assert displacement(time="1", **shaken).confirm().text() == "-0.0433677117333099401655471954874"


def test_what_is_at_rest_stays():
    rest = {"x0": 0, "p": 0}
    assert displacement(time=1, **rest).text() == read_force(time=1, **rest).text() == "0"
    assert sdnd107.PEAK_TIME(**rest).value is None
    assert displacement(time=0, **POWER).text() == "0"


@pytest.mark.parametrize("scale", ["e-30", "e30"])
def test_any_unit_of_force_gives_the_same_motion(scale):
    """Mass, stiffness and dashpot in another unit; a box of absolute size once swallowed small forces."""
    units = {"m": f"1{scale}", "k1": f"120{scale}", "k2": f"10{scale}", "k3": f"60{scale}", "c": f"1.7{scale}"}
    scaled, plain = (displacement(time="0.4", alpha="1/2", end="0.4", **u) for u in (units, {}))
    assert scaled.text() == plain.text()


def test_a_device_too_stiff_to_be_followed_is_undefined(monkeypatch):
    monkeypatch.setattr(smooth, "MOST_PIECES", 50)
    stiff = displacement(time="0.9", alpha="1/2", c="1e-3", x0="1e6", end=1)
    assert stiff.value is None
    assert "stiff" in stiff.routes[0]


def test_a_stretch_beyond_all_measure_is_refused_before_it_is_followed():
    far = displacement(time="0.5", alpha="1/2", x0="1e30", end="0.5")
    assert "too many steps: its equations are stiff" in far.routes[0]


def test_derivatives_are_those_of_a_linear_device():
    shaken = {"p": 1, "k": 1, "until": "0.75", "end": 1}
    h = Fraction(1, 10**12)
    for name in ("p", "c", "k3", "omega", "until", "x0"):
        middle = exact(shaken.get(name, {p.name: p.default for p in sdnd107.PARAMETERS}[name]))
        slope = read_force(time="0.9", **shaken | {name: middle.varied()}).derivative
        sides = [read_force(time="0.9", digits=50, **shaken | {name: exact_sum(middle, s * h)}) for s in (-1, 1)]
        with mpmath.workdps(60):
            assert abs((sides[1].value - sides[0].value) / (2 * h) / slope.value - 1) < 1e-15


def exact_sum(number, more):
    """Return a number a little larger; one with a factor of pi rounded to fifty digits."""
    with mpmath.workdps(70):
        return number.mpf() + mpmath.mpf(more.numerator) / more.denominator


def test_an_overdamped_device_has_no_extreme():
    slow = {"m": "0.01", "k2": "0.001", "end": "0.01"}
    assert sdnd107.PEAK_FORCE(**slow).value is None or abs(float(sdnd107.PEAK_FORCE(**slow))) < 4.43


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"m": 0}, "^m must be positive"),
        ({"alpha": "0.4"}, "alpha must be 1 or 1/2 or 1/3 or 1/4, got 0.4"),
        ({"alpha": "1/5"}, "alpha must be"),
        ({"until": -1}, "^until must be non-negative"),
    ],
)
def test_wrong_parameters_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        displacement(time=1, **given)


def test_after_the_end_there_is_nothing():
    result = displacement(time=1, end="0.5")
    assert (result.value, "the motion ends before" in result.routes[0]) == (None, True)


def test_a_motion_has_the_digits_that_are_asked_for():
    assert sdnd107.HISTORY(**POWER, digits=12).digits == 12


@pytest.mark.parametrize("given", [{}, POWER])
def test_a_motion_has_the_digits_of_its_quantities(given):
    with mpmath.workdps(40):
        for name, quantity in (("force", read_force), ("displacement", displacement)):
            assert (
                agreeing_digits(sdnd107.HISTORY(**given, digits=30)(name, "0.3"), quantity(time="0.3", **given).value)
                >= 29
            )
