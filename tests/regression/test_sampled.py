"""Impacts and wear as Code_Aster reads them from samples."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampled import sampled_impacts, sampled_wear_power

examples = settings(deadline=None, max_examples=60, derandomize=True)
whole = st.integers(1, 9)

#                 0    1    2    3    4    5    6    7    8    9   10   11   12   13
FORCE = np.array([0.0, 2.0, 5.0, 5.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 7.0])
SHOCKS_AT = 0.5 * np.arange(14)
SPEED = -np.arange(14.0)


def seen(**options):
    return sampled_impacts(SHOCKS_AT, FORCE, SPEED, **options)


def test_samples_in_contact_are_grouped():
    assert [(i.start, i.end) for i in seen()] == [(0.5, 2.0), (2.5, 3.0), (4.5, 5.5)]


def test_peak_is_the_last_of_equals():
    assert [(i.peak_force, i.peak_time) for i in seen()] == [(5.0, 1.5), (3.0, 2.5), (4.0, 5.0)]


def test_velocity_is_that_of_the_first_sample():
    assert [i.velocity for i in seen()] == [-1.0, -5.0, -9.0]


def test_impulse_is_a_trapezoid():
    assert [i.impulse for i in seen()] == [0.5 * 12, 0.5 * 3, 0.5 * 5]


def test_impulse_weighs_uneven_samples():
    time = np.array([0.0, 1.0, 3.0, 4.0, 8.0])
    (impact,) = sampled_impacts(time, np.array([0.0, 1.0, 1.0, 0.0, 0.0]), time)
    assert impact.impulse == 0.5 * 3 + 0.5 * 3


def test_impact_at_the_start_of_the_record_counts_half_a_weight():
    (impact,) = sampled_impacts(SHOCKS_AT[:5], np.array([4.0, 0.0, 0.0, 0.0, 0.0]), SPEED[:5])
    assert (impact.start, impact.impulse) == (0.0, 4.0 * 0.25)


@pytest.mark.parametrize(
    ("rest", "groups"),
    [
        (0.0, [(0.5, 2.0, 1), (2.5, 3.0, 1), (4.5, 5.5, 1)]),
        (0.5, [(0.5, 3.0, 2), (4.5, 5.5, 1)]),
        (1.0, [(0.5, 3.0, 2)]),  # the open contact at the end lies within the rest of the second
        (1.5, []),
    ],
)
def test_rest_merges_impacts(rest, groups):
    assert [(i.start, i.end, i.elementary) for i in seen(rest=rest)] == groups


def test_merged_impact_sums_its_samples_in_contact():
    first = seen(rest=0.5)[0]
    assert (first.impulse, first.peak_force, first.duration) == (0.5 * 15, 5.0, 2.5)


@pytest.mark.parametrize(("threshold", "starts"), [(1.0, [0.5, 2.5, 5.0]), (3.0, [1.0, 5.0]), (5.0, [])])
def test_threshold_is_exceeded_not_met(threshold, starts):
    assert [i.start for i in seen(threshold=threshold)] == starts


def test_open_impact_at_the_end_is_not_counted():
    assert all(i.end < SHOCKS_AT[-1] for i in seen())


@examples
@given(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0]), min_size=5, max_size=40), st.integers(0, 4))
def test_impacts_follow_the_rule_sample_by_sample(force, look_ahead):
    """A plain loop over the samples, as POST_DYNA_MODA_T states it."""
    time, f = np.arange(len(force), dtype=float), np.array(force)
    groups, opened, returns = [], None, 0
    for i in range(len(force)):
        if f[i] > 0:
            opened = i if opened is None else opened
        elif opened is not None and f[i - 1] > 0:
            returns += 1
            if not (f[i : i + 1 + look_ahead] > 0).any():
                groups.append((opened, i, returns))
                opened, returns = None, 0
    found = sampled_impacts(time, f, time, rest=float(look_ahead))
    assert [(i.start, i.end, i.elementary) for i in found] == groups


@examples
@given(st.lists(st.tuples(whole, whole, whole), min_size=1, max_size=6), st.floats(0.01, 3.0))
def test_triangular_impacts_are_read_sample_by_sample(shocks, h):
    """Each is a rise and a fall over 2k + 1 samples after a rest: peak k p, impulse k² p h."""
    force, peaks = [0.0], []
    for rest, k, p in shocks:
        force += [0.0] * rest
        peaks.append((len(force) + k - 1, k * p, k * k * p * h, k))
        force += [p * (k - abs(i - k)) for i in range(1, 2 * k + 1)]
    time = h * np.arange(len(force) + 3)
    force = np.array([*force, 0.0, 0.0, 0.0])
    found = sampled_impacts(time, force, -time)
    assert [i.peak_force for i in found] == [peak for _, peak, _, _ in peaks]
    for impact, (top, _, impulse, k) in zip(found, peaks, strict=True):
        assert (impact.peak_time, impact.start, impact.end) == (time[top], time[top - k + 1], time[top + k])
        assert impact.impulse == pytest.approx(impulse, rel=1e-12)
        assert (impact.velocity, impact.elementary) == (-impact.start, 1)


TIME = np.linspace(0.0, 10.0, 101)
FREE = np.zeros(101)


def power(velocity, stuck=FREE, *, normal=2.0, start=2.0, end=8.0, **options):
    force = np.full(TIME.size, normal)
    return sampled_wear_power(TIME, force, velocity, stuck, start=start, end=end, **options)


@pytest.mark.parametrize("irregular", [False, True])
def test_steady_sliding(irregular):
    assert power(np.full(101, -3.0), normal=-2.0, irregular=irregular) == pytest.approx(6.0)


def test_power_is_a_trapezoid_of_normal_force_times_speed():
    p = power(TIME**2)
    assert p == pytest.approx(np.trapezoid(2 * TIME[20:81] ** 2, TIME[20:81]) / 6)


def test_stuck_intervals_do_not_wear():
    """The left end of an interval decides."""
    stuck = np.zeros(101)
    stuck[30:50] = 1
    assert power(np.ones(101), stuck) == pytest.approx(2.0 * (6.0 - 2.0) / 6.0)


def test_interval_before_sticking_wears():
    stuck = np.zeros(101)
    stuck[80] = 1
    assert power(np.ones(101), stuck) == pytest.approx(2.0)


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_blocks_share_no_sample(blocks):
    velocity = TIME**3
    each = 61 // blocks
    means = []
    for b in range(blocks):
        s = slice(20 + b * each, 20 + (b + 1) * each)
        means.append(np.trapezoid(2 * velocity[s], TIME[s]) / (TIME[s][-1] - TIME[s][0]))
    assert power(velocity, blocks=blocks) == pytest.approx(np.mean(means))


def test_irregular_window_compares_times():
    time = np.array([0.0, 1.0, 1.5, 4.0, 4.2, 9.0])
    args = (time, np.ones(6), time, np.zeros(6))
    assert sampled_wear_power(*args, start=1.2, end=4.1, irregular=True) == pytest.approx((1.5 + 4.2) / 2)
    assert sampled_wear_power(*args, start=1.5, end=99.0, irregular=True) == pytest.approx((1.5 + 9.0) / 2)


def test_regular_window_divides_by_the_mean_step_of_all_but_the_last_two():
    time = np.append(np.arange(9.0), [8.001, 8.002])
    p = sampled_wear_power(time, np.ones(11), time, np.zeros(11), start=2.0, end=6.0)
    assert p == pytest.approx(4.0)


@pytest.mark.parametrize("irregular", [False, True])
def test_window_is_clipped_to_the_record(irregular):
    whole = np.trapezoid(2 * TIME, TIME) / 10
    assert power(TIME, start=-5.0, end=50.0, irregular=irregular) == pytest.approx(whole)


@pytest.mark.parametrize("irregular", [False, True])
@pytest.mark.parametrize(("start", "end", "blocks"), [(2.0, 2.05, 5), (8.0, 2.0, 1), (20.0, 30.0, 1)])
def test_empty_window_is_refused(start, end, blocks, irregular):
    with pytest.raises(ValueError, match=re.escape(f"[{start}, {end}] s") + ".*too few"):
        power(TIME, start=start, end=end, blocks=blocks, irregular=irregular)


def test_a_regular_record_may_start_at_any_time():
    moved = TIME + 30.0
    args = (np.ones(101), TIME**2, FREE)
    plain = sampled_wear_power(TIME, *args, start=2.0, end=8.0)
    assert sampled_wear_power(moved, *args, start=32.0, end=38.0) == pytest.approx(plain)
