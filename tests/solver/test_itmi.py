"""Exact modal propagation: exact where forces are lines, order 2 elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.problem.elements import Load, Stop
from veridyn.problem.time_functions import constant, polynomial

STIFFNESS = (2 * math.pi) ** 2


@pytest.mark.parametrize("xi", [0.0, 0.05, 1.0, 2.0])
def test_free_vibration_is_exact_at_any_step(xi, build, run):
    coarse, fine = (run(build.oscillator(3.0, xi, end=20.0), "itmi", h).displacement[:, 0] for h in (2.5, 0.025))
    assert coarse == pytest.approx(fine[::100], abs=1e-12)
    if xi < 1:
        t, wd = np.linspace(0.0, 20.0, 9), 3 * math.sqrt(1 - xi**2)
        truth = np.exp(-3 * xi * t) * (np.cos(wd * t) + 3 * xi / wd * np.sin(wd * t))
        assert coarse == pytest.approx(truth, abs=1e-12)


def test_linear_load_is_exact(build, run):
    """x'' + w² x = t from rest, also of a free mass."""
    loads = (Load([1.0], polynomial(0, 1)),)
    r = run(build.oscillator(2.0, initial_displacement=[0.0], loads=loads, end=8.0), "itmi", 0.8)
    assert r.displacement[:, 0] == pytest.approx(r.time / 4 - np.sin(2 * r.time) / 8, abs=1e-13)
    r = run(build.mass(loads=loads, end=8.0), "itmi", 0.8)
    assert r.displacement[:, 0] == pytest.approx(r.time**3 / 6, abs=1e-12)


def held(build, end):
    """An oscillator of 1 Hz whose spring is a stop that never opens."""
    stop, load = Stop("wall", [1.0], -1.0, STIFFNESS), Load([1.0], constant(STIFFNESS))
    start = {"initial_displacement": [0.0], "initial_velocity": [1.0]}
    return build.oscillator(stiffness=[[0.0]], stops=(stop,), loads=(load,), end=end, **start)


def test_phase_and_decay_in_contact(build, run):
    """A contact is a force like others: behind by (w h)²/24 and weaker by (w h)³/24 per radian."""
    h = 0.02
    r = run(held(build, 10.0), "itmi", h)
    wh, wt = 2 * math.pi * h, 2 * math.pi * r.time
    expected = np.exp(-(wh**3) / 24 * wt) * np.sin(wt * (1 - wh**2 / 24)) / (2 * math.pi)
    assert r.displacement[:, 0] == pytest.approx(expected, abs=1e-3 / (2 * math.pi))
    assert r.displacement[:, 0] != pytest.approx(np.sin(wt) / (2 * math.pi), abs=1e-2 / (2 * math.pi))


def test_order_in_contact(build, run):
    errors = []
    for k in range(5):
        r = run(held(build, 1.0), "itmi", 0.01 / 2**k)
        errors.append(np.abs(r.displacement[:, 0] - np.sin(2 * math.pi * r.time) / (2 * math.pi)).max())
    assert -np.polyfit(range(5), np.log2(errors), 1)[0] == pytest.approx(2, abs=0.1)
