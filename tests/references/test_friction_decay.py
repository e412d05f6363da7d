"""SDND100: half cycles of a slider that friction stops, by every digit and in every limit."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import CertificationError, ParameterError
from veridyn.references import friction_decay as decay

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
    assert getattr(decay, name)(**{**CASE, **more}).text() == text


def test_hundred_digits_of_a_component():
    assert decay.component_after(number=1, **CASE, digits=100).digits == 100


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
    for t, x in motion.turns():
        assert motion.displacement(t) == pytest.approx(float(x), abs=1e-18)
        assert abs(motion.velocity(t)) < 1e-17
    assert len(motion.turns()) == 5


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
        ({"mu": "1e-9"}, "at most 300 are followed"),
        ({"k": -1}, "k must be positive"),
    ],
)
def test_what_has_no_motion_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        decay.half_cycles(**{**CASE, **change})


def test_a_negative_time_is_refused():
    with pytest.raises(ParameterError, match="time must be non-negative"):
        decay.component(time=-1, **CASE)


def test_what_cannot_be_told_is_not_told():
    # cos(pi/3) = 1/2 puts the first turning point on the limit, which no number of digits proves
    with pytest.raises(CertificationError, match="too close"):
        decay.half_cycles(**{**CASE, "angle": "pi/3", "directions": 1, "x0": "1.5e-4"})


def test_what_is_held_from_the_start_says_so():
    """No half cycle, known without counting; a mass that moves is counted."""
    given = {"m": 1, "k": 1, "mu": "0.1", "g": 10, "angle": 0, "directions": 1}
    held, moves = (decay.half_cycles(x0=x0, **given) for x0 in ("0.9", "1.1"))
    assert (held.value, moves.value) == (0, 1)
    assert len(held.routes) == 1 < len(moves.routes)


def test_turning_points_follow_each_other_until_the_last_stop():
    given = {"m": 1, "k": 1, "mu": "0.1", "g": 10, "angle": 0, "directions": 1, "x0": "4.5"}
    first, second, after = (decay.turning_time(number=n, **given) for n in (1, 2, 3))
    assert (first.value, second.value) == (pytest.approx(math.pi), decay.stop_time(**given).value)
    assert after.value is None
