"""Values between samples."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from veridyn.solver.postprocessing.interpolation import crossings, slopes, turning_points, value_at

TIME = np.linspace(0.0, 3.0, 31)


@pytest.mark.parametrize(("samples", "bound"), [(4, 3 / 128 * 0.1**4), (6, 15**2 / 2**6 / 720 * 0.1**6)])
def test_a_smooth_motion_is_read_half_way_between_samples_to_the_term_left_out(samples, bound):
    worst = max(abs(value_at(TIME, np.sin(TIME), t, samples) - np.sin(t)) for t in TIME[3:-3] + 0.05)
    assert 0.5 * bound < worst < 1.1 * bound


def test_samples_are_read_as_they_are():
    assert value_at(TIME, np.sin(TIME), TIME[7], samples=6) == np.sin(TIME[7])


@pytest.mark.parametrize("t", [0.93, 0.97, 1.02, 1.07])
def test_no_polynomial_reaches_over_a_jump(t):
    """A history jumps from t² to 5 - t at a sample between two others, which holds what begins."""
    time = np.sort(np.append(TIME, 0.99))
    history = np.where(time < 0.99, time**2, 5 - time)
    cuts = np.array([0.99])
    truth = t**2 if t < 0.99 else 5 - t
    assert value_at(time, history, t, cuts=cuts, jumps=True) == pytest.approx(truth, rel=1e-12)
    assert value_at(time, history, 0.99, cuts=cuts, jumps=True) == 5 - 0.99
    assert (abs(value_at(time, history, t) - truth) > 1e-3) == (t < 0.99)  # 1e-3: without cuts the jump is smeared


@pytest.mark.parametrize("t", [0.05, 0.12, 0.31])
def test_a_kink_belongs_to_both_legs(t):
    """The leg between two kinks has two samples, its own ends: a straight line."""
    cuts = TIME[1:3]
    history = np.clip(TIME, *cuts)
    assert value_at(TIME, history, t, cuts=cuts) == pytest.approx(np.interp(t, TIME, history), abs=1e-12)


def test_a_sample_on_zero_is_the_crossing():
    assert crossings(np.arange(5.0), np.array([2.0, 1.0, 0.0, -1.0, -2.0])) == [(2.0, -1)]
    assert crossings(np.arange(5.0), np.array([-2.0, -1.0, 0.0, 1.0, 2.0])) == [(2.0, 1)]


@pytest.mark.parametrize("side", [-1, 1])
def test_a_history_that_starts_at_zero_crosses_there_once(side):
    assert crossings(np.arange(4.0) + 7.0, side * np.array([0.0, 1.0, 2.0, 3.0])) == [(7.0, side)]


def test_a_value_of_one_is_no_crossing():
    ((instant, side),) = crossings(np.arange(4.0), np.array([1.0, -1.0, -3.0, -5.0]))
    assert (instant, side) == (pytest.approx(0.5), -1)


def test_turning_points_are_those_of_the_curve_with_their_sign():
    times = np.linspace(0.0, 7.0, 40)
    instants, values = turning_points(times, np.sin(times))
    assert instants == pytest.approx(np.pi * np.array([0.5, 1.5]), abs=1e-7)
    assert values == pytest.approx([1.0, -1.0], abs=1e-9)


@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 40])
def test_slopes_are_those_of_the_spline_of_scipy(nodes):
    times = np.cumsum(np.random.default_rng(nodes).uniform(0.2, 1.0, nodes))
    assert slopes(times, np.sin(times)) == pytest.approx(CubicSpline(times, np.sin(times))(times, 1), rel=1e-13)


@pytest.mark.parametrize("begin", [0.0, -0.15, 1e4])
@pytest.mark.parametrize("root", [0.0501, 0.07, 0.0999])
def test_a_crossing_is_the_root_of_the_local_cubic(begin, root):
    times = begin + 0.05 * np.arange(4)
    ((instant, side),) = crossings(times, (times - begin - root) * (1 + (times - begin) ** 2))
    assert (instant, side) == (pytest.approx(begin + root, rel=0, abs=1e-15 + 2e-15 * begin), 1)
