"""Sliding distance and phases of motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.solver.postprocessing.wear import SlidingPhase, phases, sliding_distance

TIME = np.linspace(0.0, 10.0, 101)
FREE = np.zeros(101)


def sweep(t):
    """A motion that turns at odd multiples of pi/2."""
    return np.sin(t)


def distance(h, start=0.3, end=7.1, stuck=None):
    time = 0.21 * h + h * np.arange(-5, int(8 / h))
    return sliding_distance(time, sweep(time), None if stuck is None else stuck(time), start, end)


DISTANCE = (1 - math.sin(0.3)) + 2 + math.sin(7.1) + 1


def test_distance_of_straight_motion_is_exact():
    assert sliding_distance(TIME, -3 * TIME, None, 1.23, 4.56) == pytest.approx(3 * 3.33, rel=1e-14)


def test_distance_finds_the_turning_point_between_samples():
    time = np.arange(0.0, 1.01, 0.1)
    assert sliding_distance(time, (time - 0.537) ** 2, None, 0.0, 1.0) == pytest.approx(0.537**2 + 0.463**2)


def test_distance_counts_reversals():
    assert distance(0.01) == pytest.approx(DISTANCE, rel=1e-6)


def test_distance_converges_with_order_two_or_better():
    errors = [abs(distance(0.2 / 2**k) - DISTANCE) for k in range(6)]
    assert -np.polyfit(range(6), np.log2(errors), 1)[0] > 2


def test_distance_converges_on_uneven_samples():
    errors = []
    for k in range(5):
        time = np.cumsum(np.append(0.0, 0.1 / 2**k * (1 + 0.5 * np.sin(np.arange(100 * 2**k)))))
        errors.append(abs(sliding_distance(time, sweep(time), None, 0.3, 7.1) - DISTANCE))
    assert -np.polyfit(range(5), np.log2(errors), 1)[0] > 1.8


def test_distance_leaves_stick_out():
    """Micro-motion between 2 and 3 is elastic, not slid."""
    slid = distance(0.001, stuck=lambda t: ((t >= 2) & (t < 3)).astype(float))
    assert slid == pytest.approx(DISTANCE - (math.sin(2) - math.sin(3)), abs=2e-3)


@pytest.mark.parametrize(("start", "slid"), [(0.5, 0.5), (1.0, 0.0), (1.5, 0.0)])
def test_stick_at_the_start_of_the_window_counts(start, slid):
    stuck = (TIME >= 1.0).astype(float)
    assert sliding_distance(TIME, TIME, stuck, start, 3.0) == pytest.approx(slid)


VELOCITY = np.array([1.0, 1.0, 0.0, 0.0, 0.0, -2.0, -1.0, 0.0, 1.0, 1.0])
CLOCK = np.arange(10.0)
STUCK = (VELOCITY == 0).astype(float)


def test_phases_of_motion():
    assert phases(CLOCK, VELOCITY, STUCK, shortest_stick=0.5) == [
        SlidingPhase(0.0, 2.0, 1),
        SlidingPhase(2.0, 5.0, 0),
        SlidingPhase(5.0, 7.0, -1),
        SlidingPhase(7.0, 8.0, 0),
        SlidingPhase(8.0, 9.0, 1),
    ]


def test_short_stick_is_a_reversal_in_its_middle():
    assert phases(CLOCK, VELOCITY, STUCK, shortest_stick=1.5) == [
        SlidingPhase(0.0, 2.0, 1),
        SlidingPhase(2.0, 5.0, 0),
        SlidingPhase(5.0, 7.5, -1),
        SlidingPhase(7.5, 9.0, 1),
    ]


def test_short_stick_within_one_direction_vanishes():
    v = np.array([1.0, 1.0, 0.0, 1.0, 1.0])
    assert phases(CLOCK[:5], v, None, shortest_stick=1.5) == [SlidingPhase(0.0, 4.0, 1)]


def test_stick_at_the_border_stays():
    v = np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    found = phases(CLOCK[:5], v, None, shortest_stick=3.0)
    assert [p.direction for p in found] == [0, 1, 0]


@pytest.mark.parametrize("rounding", [0.0, 1e-18, -1e-18])
def test_rounding_has_no_direction_where_a_slip_turns(rounding):
    v = np.array([-0.2, -0.1, rounding, 0.1, 0.2])
    assert phases(CLOCK[:5], v, np.zeros(5), shortest_stick=0.5) == [
        SlidingPhase(0.0, 2.0, -1),
        SlidingPhase(2.0, 4.0, 1),
    ]


@pytest.mark.parametrize(("speed", "direction"), [(0.9e-6, 0), (1.1e-6, 1), (-1.1e-6, -1)])
def test_without_flags_slow_motion_is_stick(speed, direction):
    assert phases(CLOCK, np.full(10, speed), None, shortest_stick=1.0) == [SlidingPhase(0.0, 9.0, direction)]


def test_flags_overrule_the_speed():
    assert phases(CLOCK, np.full(10, 1e-9), np.zeros(10), shortest_stick=1.0) == [SlidingPhase(0.0, 9.0, 1)]
    assert phases(CLOCK, np.ones(10), np.ones(10), shortest_stick=1.0) == [SlidingPhase(0.0, 9.0, 0)]


def test_slip_that_begins_with_velocity_zero_belongs_to_its_direction():
    v = np.array([0.0, 0.0, -1.0, 0.0, 1.0, 2.0])
    stuck = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert phases(CLOCK[:6], v, stuck, shortest_stick=0.1) == [
        SlidingPhase(0.0, 1.0, 0),
        SlidingPhase(1.0, 3.0, -1),
        SlidingPhase(3.0, 5.0, 1),
    ]


def test_located_turning_points_are_taken_as_they_are():
    """Two parabolas meet at their turning point, a sample; the vertex through its neighbours lies elsewhere."""
    time = np.linspace(0.0, 2.0, 9)
    position = np.where(time < 1, 1 - (1 - time) ** 2, 1 - 3 * (time - 1) ** 2)
    assert sliding_distance(time, position, None, 0.0, 2.0, located=True) == pytest.approx(4.0, rel=1e-15)
    assert sliding_distance(time, position, None, 0.0, 2.0) > 4.01


def test_a_stick_seen_at_one_sample_may_be_a_reversal():
    v = np.array([1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    given = (CLOCK, v, (v == 0).astype(float))
    turned = [
        SlidingPhase(0.0, 2.5, 1),
        SlidingPhase(2.5, 5.0, -1),
        SlidingPhase(5.0, 7.0, 0),
        SlidingPhase(7.0, 9.0, 1),
    ]
    assert phases(*given, shortest_stick=0.5, fewest_samples=2) == turned
    assert [phase.direction for phase in phases(*given, shortest_stick=0.5)] == [1, 0, -1, 0, 1]
