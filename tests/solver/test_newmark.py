"""Newmark's family: parameters, forces at the end of the step, the lag of one step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.solver.errors import SettingsError
from veridyn.solver.problem.elements import Load, Stop
from veridyn.solver.problem.time_functions import Harmonic, constant

STIFFNESS = (2 * math.pi) ** 2


def held(build, **changes):
    """An oscillator of 1 Hz whose spring is a stop that never opens, from rest position with 1 m/s."""
    stop = Stop("wall", [1.0], -1.0, STIFFNESS, damping=changes.pop("damping", 0.0))
    start = {"stiffness": [[0.0]], "initial_displacement": [0.0], "initial_velocity": [1.0]}
    return build.oscillator(stops=(stop,), loads=(Load([1.0], constant(STIFFNESS)),), end=1.0, **{**start, **changes})


def slope(errors):
    return -np.polyfit(np.arange(len(errors)), np.log2(errors), 1)[0]


def errors_in_contact(run, problem, xi, **settings):
    errors, wd = [], 2 * math.pi * math.sqrt(1 - xi**2)
    for k in range(5):
        r = run(problem, "newmark", 0.02 / 2**k, **settings)
        truth = np.exp(-xi * 2 * math.pi * r.time) * np.sin(wd * r.time) / wd
        errors.append(np.abs(r.displacement[:, 0] - truth).max())
    return errors


@pytest.mark.parametrize("xi", [0.0, 0.2])
@pytest.mark.parametrize(("lagged", "order"), [(False, 2), (True, 1)])
def test_order_in_contact(xi, lagged, order, build, run):
    problem = held(build, damping=2 * xi * 2 * math.pi)
    assert slope(errors_in_contact(run, problem, xi, lagged=lagged)) == pytest.approx(order, abs=0.1)


def test_contact_is_implicit(build, run):
    """A spring is treated alike whether it belongs to the modes or to a stop: the trapezoidal rule."""
    stop = run(held(build), "newmark", 0.02, iteration_tolerance=1e-14)
    start = {"initial_displacement": [0.0], "initial_velocity": [1.0]}
    mode = run(build.oscillator(2 * math.pi, end=1.0, **start), "newmark", 0.02)
    assert stop.displacement == pytest.approx(mode.displacement, abs=1e-12)
    assert stop.elements["wall"]["normal_force"] == pytest.approx(STIFFNESS * (1 + stop.displacement[:, 0]))
    assert mode.counters["evaluations"] == 51
    assert 5 < stop.counters["evaluations"] / stop.counters["steps"] < 15
    assert stop.counters["unsettled_steps"] == mode.counters["unsettled_steps"] == 0
    assert stop.counters["largest_change"] == 0.0


def test_one_pass_is_a_predictor(build, run):
    once = run(held(build), "newmark", 0.02, iterations=1)
    assert once.counters["evaluations"] == 51
    assert once.counters["unsettled_steps"] == 50


@pytest.mark.parametrize(("lagged", "unsettled"), [(False, 1), (True, 0)])
def test_steps_without_a_fixed_point_are_counted(lagged, unsettled, build, run):
    """Touched at 0.95 s: once inside, the damper would push the mass out again before 1 s, and then it would not."""
    stop = Stop("damper", [1.0], 0.95, 1.0, damping=10.0)
    problem = build.mass(initial_velocity=[1.0], end=1.0, stops=(stop,))
    r = run(problem, "newmark", 0.5, check_step=False, lagged=lagged)
    assert r.counters["unsettled_steps"] == unsettled
    assert (r.counters["largest_change"] > 0.1) == (unsettled > 0)


def test_lagged_forces_cost_an_order(build, run):
    """A load enters a step late."""
    problem = build.mass(end=1.0, loads=(Load([1.0], Harmonic(1.0, 3.0)),))
    r, lag = (run(problem, "newmark", 1e-3, lagged=choice) for choice in (False, True))
    truth = r.time / 3 - np.sin(3 * r.time) / 9
    late = (1 - np.cos(3 * r.time)) / 3 * 1e-3
    assert np.abs(r.displacement[:, 0] - truth).max() < 1e-6
    assert lag.displacement[:, 0] - truth == pytest.approx(-late, abs=2e-6)


@pytest.mark.parametrize(("beta", "gamma", "limit"), [(0.0, 0.5, 2.0), (1 / 6, 0.5, math.sqrt(12)), (0.25, 0.5, 1e4)])
def test_stability_of_the_family(beta, gamma, limit, build, run):
    """W h < 1/sqrt(gamma/2 - beta); from 1/4 on there is no limit."""
    below = run(build.oscillator(end=2000 * 0.999 * limit), "newmark", 0.999 * limit, beta=beta, gamma=gamma)
    assert np.abs(below.displacement).max() < 100
    if limit < 1e3:
        above = run(build.oscillator(end=500 * 1.01 * limit), "newmark", 1.01 * limit, beta=beta, gamma=gamma)
        assert np.abs(above.displacement).max() > 1e6


def test_gamma_above_a_half_damps(build, run):
    r = run(build.oscillator(end=60.0), "newmark", 0.2, gamma=0.6, beta=0.3025)
    assert np.abs(r.displacement[-30:]).max() == pytest.approx(math.exp(-0.1 * 0.2 / 2 * 60), rel=0.05)


@pytest.mark.parametrize("wrong", [{"beta": -0.1}, {"gamma": 1.1}, {"iteration_tolerance": 0.0}, {"iterations": 0}])
def test_wrong_options_are_refused(wrong, build, run):
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        run(build.oscillator(), "newmark", 0.1, **wrong)
