"""SDND100: half cycles of a slider that friction stops, by every digit and in every limit."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import exact
from veridyn.references.problems import friction_decay as decay
from veridyn.validation_cases.mechanics import test_sdnd100 as sdnd100

CASE = {"m": 1, "k": "1e4", "mu": "0.1", "g": 10, "x0": "0.85e-3", "angle": "pi/4", "directions": 2}
LINE = {**CASE, "angle": 0}


@pytest.mark.parametrize(
    ("name", "more", "text"),
    [
        ("half_cycles", {}, "4.00000000000000000000000000000"),
        ("half_cycles", {"directions": 1}, "6.00000000000000000000000000000"),
        ("stop_time", {}, "0.125663706143591729538505735331"),
        ("final_position", {}, "5.00000000000000000000000000000e-5"),
        ("final_position", {"directions": 1}, "1.47186257614297071898676547418e-6"),
        ("dissipated_energy", {}, "0.00360000000000000000000000000000"),
        ("component_after", {"number": 1}, "-0.000459619407771255890860548835368"),
        ("component_after", {"number": 4}, "3.53553390593273762200422181052e-5"),
        ("component_after", {"number": 9}, "3.53553390593273762200422181052e-5"),
        ("component_after", {"number": 4, "directions": 1}, "0.000201040764008565395740717707789"),
        ("component", {"time": "0.063"}, "0.000318163065823781313186075350926"),
        ("component", {"time": "0.1255"}, "3.53411266887660721184565819052e-5"),
    ],
)
def test_every_digit(name, more, text):
    assert getattr(decay, name)(**{**CASE, **more}).confirm().text() == text


MOTION = (decay.stop_time, decay.final_position, decay.dissipated_energy, decay.held, decay.half_cycles)
SEEN = (*MOTION, partial(decay.component_after, number=2), partial(decay.turning_time, number=1))


def both(digits=30, **p):
    """Compute what there is at any parameters, have the second route confirm each, and return it."""
    return [f(digits=digits, **p).confirm() for f in SEEN]


def test_a_thousand_digits():
    assert {f(**CASE, digits=1000).digits for f in SEEN} == {1000}
    assert {found.digits for found in both(200, **CASE)} == {200}


@settings(deadline=None, max_examples=12, derandomize=True)
@given(*[st.integers(-30, 30)] * 3, st.floats(1.1, 50.0), st.integers(-157, 157), st.integers(1, 2), st.floats(0, 30))
def test_both_routes_agree_at_any_scale(m, k, mu, ratio, angle, directions, phase):
    """Powers of ten; the enclosure at few digits holds the one at many."""
    m, k, mu = (Fraction(10) ** e for e in (m, k, mu))
    p = {"m": m, "k": k, "mu": mu, "g": 10, "angle": Fraction(angle, 100), "directions": directions}
    p["x0"] = Fraction(ratio) * mu * m * 10 / k
    with mpmath.workdps(40):
        time = phase * mpmath.sqrt(m.numerator * k.denominator * mpmath.mpf(1) / (m.denominator * k.numerator))
    at = partial(decay.component, time=time, **p)
    pairs = [*zip(both(15, **p), both(60, **p), strict=True), (at(digits=15).confirm(), at(digits=60).confirm())]
    for few, many in pairs:
        with mpmath.workdps(100):
            assert abs(few.value - many.value) <= few.radius + many.radius


@pytest.mark.parametrize("power", [10, 40, 80])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_last_turn_that_friction_hardly_holds_or_hardly_not(power, side):
    """The slip more or less changes number and time, but hardly the place: it is 2e-4 10^-power long, or not there."""
    x0 = Fraction(41, 10**4) + side * Fraction(1, 10 ** (4 + power))
    count, *_ = (decay.half_cycles(**{**LINE, "x0": x0}), both(**{**LINE, "x0": x0}))
    assert int(count.value) == (21 if side > 0 else 20)
    assert float(decay.final_position(**{**LINE, "x0": x0})) == pytest.approx(1e-4, rel=1e-9)


@pytest.mark.parametrize("mu", ["1e-4", "1e-9", "1e-200"])
def test_any_number_of_half_cycles(mu):
    """Where more than 300 were refused; the second route follows ten thousand."""
    given_ = {**LINE, "mu": mu}
    count = Fraction(17, 20) / 2 * Fraction(1, 10**3) * 1000 / exact(mu).rational
    found = both(**given_)
    assert exact(found[4].value).rational == count
    assert found[1].value == 0  # where the spring is slack, to the last digit
    assert len(found[0].routes) == (2 if count < 10_000 else 1)


def test_a_component_at_the_instant_of_a_turn_is_exact():
    """Half periods last π/100 s: the release after a whole number of them is told from the motion before and after."""
    for n, place in enumerate(("0.85e-3", "-0.65e-3", "0.45e-3", "-0.25e-3", "0.05e-3", "0.05e-3")):
        assert decay.component(time=f"{n}*pi/100", **LINE).confirm().value == pytest.approx(float(place), rel=1e-15)
    slack = {**LINE, "x0": "2e-4"}
    assert [decay.component(time=t, **slack).confirm().value for t in ("pi/100", 9)] == [0, 0]


@pytest.mark.parametrize(
    ("x0", "count", "final"),
    [
        ("0.9e-4", 0, 0.9e-4),
        ("1e-4", 0, 1e-4),  # on the limit friction holds
        ("1.1e-4", 1, 0.9e-4),
        ("2e-4", 1, 0.0),
        ("3e-4", 1, -1e-4),
        ("-3.5e-4", 2, 0.5e-4),
        ("0", 0, 0.0),
    ],
)
def test_limits_are_decided_exactly(x0, count, final):
    given_ = {**LINE, "x0": x0}
    assert float(decay.half_cycles(**given_)) == count
    assert float(decay.final_position(**given_)) == pytest.approx(final, abs=1e-19)
    assert float(decay.component(time=9, **given_)) == pytest.approx(final, abs=1e-19)


positive = st.floats(0.1, 10.0)


@settings(deadline=None, max_examples=12, derandomize=True)
@given(positive, positive, st.floats(0.01, 0.5), positive, st.floats(-12.0, 12.0), st.floats(-1.2, 1.2))
def test_the_spring_pays_what_friction_takes(m, k, mu, g, ratio, angle):
    x0 = ratio * mu * m * g / k
    given_ = {"m": m, "k": k, "mu": mu, "g": g, "x0": x0, "angle": angle, "directions": 1}
    end, lost = float(decay.final_position(**given_)), float(decay.dissipated_energy(**given_))
    assert lost == pytest.approx(0.5 * k * (x0**2 - end**2), rel=1e-9, abs=1e-12)
    assert abs(end) * k <= mu * m * g * np.cos(angle) * (1 + 1e-12)


def test_the_motion_joins_its_turning_points():
    motion = decay.motion(**LINE, digits=20)
    for n, (t, _) in enumerate(motion.events()):
        place = decay.component_after(number=n, **LINE) if n else LINE["x0"]
        assert motion("displacement", t) == pytest.approx(float(place), abs=1e-18)
        assert abs(motion("velocity", t)) < 1e-17
    assert len(motion.events()) == 5


def smoothed(threshold):
    """Place of the slider a period after the last stop if friction is mu N tanh(v/threshold)."""
    h, x, v = 1e-5, 0.85e-3, 0.0
    for _ in range(round(6 * np.pi / 100 / h)):
        v += h * (-1e4 * x - np.tanh(v / threshold))
        x += h * v
    return x


def test_smoothed_friction_creeps_back():
    final = float(decay.final_position(**LINE))
    assert abs(smoothed(1e-3) - final) > 0.3 * final


def test_a_box_instead_of_a_cone_stops_too_early():
    with mpmath.workdps(20):
        box = {**LINE, "mu": mpmath.sqrt(2) / 10}
    assert float(decay.half_cycles(**box)) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"directions": 3}, "directions must be 1 or 2"),
        ({"angle": "pi/2"}, "angle must lie between"),
        ({"k": -1}, "k must be positive"),
    ],
)
def test_what_has_no_motion_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        decay.half_cycles(**{**CASE, **change})


def test_a_negative_time_is_refused():
    with pytest.raises(ParameterError, match="time must be non-negative"):
        decay.component(time=-1, **CASE)


@pytest.mark.parametrize("angle", ["pi/3", "-pi/3"])
def test_a_third_of_pi_has_a_rational_cosine(angle):
    """cos(π/3) = 1/2 puts the first turning point on the limit exactly, where friction holds."""
    given_ = {**CASE, "angle": angle, "directions": 1, "x0": "1.5e-4"}
    assert decay.half_cycles(**given_).confirm().value == 1
    assert decay.final_position(**given_).confirm().text() == "-5.00000000000000000000000000000e-5"


def test_what_cannot_be_told_is_not_told():
    """The first turning point lies within 1e-1000 of the limit, as the cosine is put in to a thousand digits."""
    with mpmath.workdps(1000):
        near = 3 * mpmath.cos(1) / 10**4
    found = decay.half_cycles(**{**CASE, "angle": 1, "directions": 1, "x0": near})
    assert (found.kind, "friction holds turning point 1, or hardly not" in found.routes[0]) == ("undefined", True)


def test_turning_points_follow_each_other_until_the_last_stop():
    given = {"m": 1, "k": 1, "mu": "0.1", "g": 10, "angle": 0, "directions": 1, "x0": "4.5"}
    first, second, after = (decay.turning_time(number=n, **given) for n in (1, 2, 3))
    assert (first.value, second.value) == (pytest.approx(math.pi), decay.stop_time(**given).value)
    assert after.value is None


def test_derivatives():
    """Of x_4 = x0 - 8 mu m g/k to mu, and none of a number, which jumps."""
    given_ = {**LINE, "mu": exact("0.1").varied()}
    assert float(decay.final_position(**given_).derivative.value) == pytest.approx(-8e-3, rel=1e-14)
    assert decay.half_cycles(**given_).derivative is None


# ---- the statement that solvers get, followed as it stands, beside the closed form

STATED = make_quantities(partial(sdnd100.state, end=100), decay.PARAMETERS, record=decay.DecayParameters)
PAIRS = (
    (STATED.count("shoe_rests"), decay.half_cycles),
    (STATED.event("shoe_rests", 1), decay.turning_time.at(number=1)),
    (STATED.value("s", "99"), decay.final_position),
)
NEAR = Fraction(1, 10**44)  # m, beside what friction holds


@pytest.mark.parametrize(
    "change",
    [
        *(dict(variant.changes) for variant in sdnd100.CASE.variants if variant.name != "held"),
        {"angle": "0.9", "directions": 1},
        {"angle": 0, "x0": Fraction(41, 10**4) - NEAR},
        {"angle": 0, "x0": Fraction(41, 10**4) + NEAR},
    ],
    ids=str,
)
def test_the_statement_has_the_motion_of_the_closed_form(change):
    """Half cycles, their length, and the place at the end, to every digit."""
    for proved, closed in PAIRS:
        value, other = (f(**{**CASE, **change}) for f in (proved, closed))
        with mpmath.workdps(40):
            assert value.value is not None, value.routes
            assert abs(value.value - other.value) <= abs(other.value) * mpmath.mpf(10) ** -29


def test_the_statement_has_the_places_of_the_closed_form_on_the_way():
    """Along a line, where the axis is the line."""
    for time in ("1/99", "1/32", "1/10"):
        value, other = STATED.value("s", time)(**LINE), decay.component(time=time, **LINE)
        with mpmath.workdps(40):
            assert abs(value.value - other.value) <= abs(other.value) * mpmath.mpf(10) ** -29


def test_a_body_that_friction_holds_never_rests_anew():
    assert STATED.count("shoe_rests")(**{**LINE, "x0": "1e-4"}).value == 0
