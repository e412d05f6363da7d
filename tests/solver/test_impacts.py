"""Impacts as they converge between samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import settings

from veridyn.solver.postprocessing.impacts import interpolated_impacts, located_impacts
from veridyn.solver.postprocessing.interpolation import crossings, lagrange, value_at

examples = settings(deadline=None, max_examples=60, derandomize=True)

W, K = 7.0, 400.0  # rad/s, N/m
TRUTH = {
    "start": math.pi / W,
    "end": 2 * math.pi / W,
    "peak_time": 1.5 * math.pi / W,
    "peak_force": K,
    "impulse": 2 * K / W,
    "velocity": -W,
}


def half_sine(h, shift=0.37):
    """Return the only full contact of the gap sin(w t), sampled with steps h off the roots."""
    time = shift * h + h * np.arange(int(1.3 / h))
    return interpolated_impacts(time, np.sin(W * time), K)[0]


@pytest.mark.parametrize("quantity", TRUTH)
def test_interpolated_impacts_converge(quantity):
    errors = [abs(getattr(half_sine(0.02 / 2**k), quantity) - TRUTH[quantity]) for k in range(6)]
    assert -np.polyfit(range(6), np.log2(errors), 1)[0] > 2
    assert errors[-1] < 1e-5 * abs(TRUTH[quantity])


@pytest.mark.parametrize("shift", [0.0, 1e-14, 1e-13, 1e-12, 1e-9, 1e-6, 1e-3, 0.5, 1 - 1e-6])
def test_samples_next_to_a_root_do_no_harm(shift):
    """A sample right at the touch must not spoil the spline."""
    h = math.pi / W / 20
    assert half_sine(h, shift).velocity == pytest.approx(-W, rel=1e-3)
    assert half_sine(h, shift).impulse == pytest.approx(TRUTH["impulse"], rel=1e-3)


def test_contact_open_at_the_end_is_not_counted():
    time = np.linspace(0.01, 1.5 * math.pi / W, 50)
    assert interpolated_impacts(time, np.sin(W * time), K) == []


def test_record_may_start_in_contact():
    time = np.linspace(1.5 * math.pi / W, 4.5 * math.pi / W, 100)
    first, second = interpolated_impacts(time, np.sin(W * time), K)
    assert (first.start, first.end) == (time[0], pytest.approx(2 * math.pi / W))
    assert second.duration == pytest.approx(math.pi / W)


def test_mere_touch_is_no_impact():
    time = np.arange(7.0)
    assert interpolated_impacts(time, np.array([3.0, 2.0, 1.0, 0.0, 1.0, 2.0, 3.0]), K) == []


def test_crossings_of_a_sine():
    time = np.linspace(0.1, 6.5, 200)
    instants, directions = zip(*crossings(time, np.sin(2 * time)), strict=True)
    assert instants == pytest.approx([k * math.pi / 2 for k in (1, 2, 3, 4)], abs=1e-6)
    assert directions == (-1, 1, -1, 1)


@pytest.mark.parametrize(
    ("history", "found"),
    [
        ([1.0, 2.0, 1.0], []),
        ([0.0, 1.0, 2.0], [(0.0, 1)]),
        ([0.0, -1.0, -2.0], [(0.0, -1)]),
        ([1.0, 0.0, -1.0], [(1.0, -1)]),
        ([-1.0, 0.0, 1.0], [(1.0, 1)]),
        ([-1.5, -0.5, 0.5], [(1.5, 1)]),
    ],
)
def test_crossings_at_samples(history, found):
    assert crossings(np.arange(3.0), np.array(history)) == found


@pytest.mark.parametrize("t", [0.0, 0.05, 0.31, 1.07, 2.0])
def test_value_between_samples_is_a_cubic(t):
    time = np.linspace(0, 2, 11)
    assert value_at(time, time**3 - time, t) == pytest.approx(t**3 - t, abs=1e-14)


def test_value_uses_two_samples_on_either_side():
    time = np.arange(9.0)
    weights = [value_at(time, np.eye(9)[i], 4.5) for i in range(9)]
    assert weights == [0, 0, 0, -1 / 16, 9 / 16, 9 / 16, -1 / 16, 0, 0]


def test_value_on_a_sample_is_the_sample():
    time = np.array([0.0, 0.1, 0.2, 0.3])
    assert value_at(time, np.array([5.0, 7.0, 1.0, 2.0]), 0.1 + 1e-12) == 7.0


def test_value_converges_with_order_four():
    errors = []
    for k in range(5):
        time = np.arange(0, 3, 0.1 / 2**k)
        errors.append(max(abs(value_at(time, np.sin(time), t) - math.sin(t)) for t in (0.71, 1.33, 2.217)))
    assert -np.polyfit(range(5), np.log2(errors), 1)[0] == pytest.approx(4, abs=0.6)


def test_short_history_is_interpolated_with_what_there_is():
    assert value_at(np.array([0.0, 1.0]), np.array([0.0, 2.0]), 0.25) == 0.5
    assert lagrange(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 4.0]), 1.5) == 2.25


TOUCHES = np.array([0.5 * math.pi, 1.5 * math.pi, 2.5 * math.pi])


def bounce(samples):
    """Gap cos t and its rate, with samples at the roots."""
    time = np.union1d(np.linspace(0.0, 8.0, samples), TOUCHES)
    gap = np.cos(time)
    gap[np.isin(time, TOUCHES)] = 0.0
    return time, gap, -np.sin(time)


def test_located_impact_is_read_to_the_last_digits():
    (impact,) = located_impacts(*bounce(401), TOUCHES, stiffness=3.0)  # the second contact is open at the end
    assert (impact.start, impact.end) == (TOUCHES[0], TOUCHES[1])
    assert impact.peak_time == pytest.approx(math.pi, rel=1e-10)
    assert impact.peak_force == pytest.approx(3.0, rel=1e-14)
    assert impact.impulse == pytest.approx(6.0, rel=1e-13)
    assert impact.velocity == pytest.approx(-1.0, rel=1e-15)


def test_located_impacts_converge_fast():
    def error(samples):
        return abs(located_impacts(*bounce(samples), TOUCHES, 1.0)[0].impulse - 2.0)

    assert error(17) / error(33) > 2**6


@pytest.mark.parametrize("start", [0.0, 0.3])
def test_contact_may_begin_at_the_start(start):
    time = np.union1d(np.linspace(start, 5.0, 201), [math.pi])
    (impact,) = located_impacts(time, -np.sin(time), -np.cos(time), np.array([math.pi]), stiffness=1.0)
    assert impact.start == start
    assert impact.impulse == pytest.approx(1 + math.cos(start), rel=1e-12)


def test_few_samples_within_a_contact_still_give_an_impact():
    time = np.array([0.0, 0.5, 1.0, 2.0])
    (impact,) = located_impacts(time, np.array([0.0, -1.0, 0.0, 1.0]), np.ones(4), np.array([1.0]), stiffness=2.0)
    assert (impact.peak_force, impact.peak_time) == pytest.approx((2.0, 0.5))
