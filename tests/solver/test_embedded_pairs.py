"""Step controls that estimate the error: Runge-Kutta pairs, midpoints of de Vogelaere."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from veridyn.problem.elements import Stop
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.integrators.schemes import SCHEMES

each_estimate = pytest.mark.parametrize("scheme", ["runge_kutta_32", "runge_kutta_54", "devogelaere_adaptive"])
each_pair = pytest.mark.parametrize("scheme", ["runge_kutta_32", "runge_kutta_54"])


@each_pair
def test_weights_are_consistent(scheme):
    """The error estimate of a constant and of a linear slope vanishes; the kept formula integrates both."""
    pair = import_module(f"veridyn.solver.integrators.schemes.{scheme}").PAIR
    rows = [[Fraction(w) for w in row] for row in pair.weights]
    c = [Fraction(0), *map(sum, rows)]
    e = [Fraction(w) for w in pair.error]
    assert c[-1] == 1
    assert sum(e) == 0
    for power in range(SCHEMES[scheme].order - 1):
        assert sum(w * x**power for w, x in zip(e, c, strict=True)) == 0
    for power in range(SCHEMES[scheme].order):
        assert sum(w * x**power for w, x in zip(rows[-1], c, strict=False)) == Fraction(1, power + 1)


@each_estimate
def test_error_follows_the_tolerance(scheme, build, run):
    """The control holds error/step^(power - 1) at the tolerance, so that errors fall at least with its power 2/3."""
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        r = run(build.oscillator(end=20.0), scheme, 1e-3, tolerance=tolerance)
        errors.append(np.abs(r.displacement[:, 0] - np.cos(r.time)).max())
        assert errors[-1] < 100 * tolerance
    assert errors[0] > 20 * errors[1] > 400 * errors[2]


@each_pair
def test_step_lies_between_its_bounds(scheme, build, run):
    steps = np.diff(run(build.oscillator(end=20.0), scheme, 0.01, largest=3.0).time)
    assert steps.max() == pytest.approx(0.03)
    with pytest.raises(SolverFailure, match=f"{scheme}: the step fell below 0.5 s at t = 0 s"):
        run(build.oscillator(end=20.0), scheme, 1.0, smallest=0.5, tolerance=1e-9)


@each_estimate
def test_step_shrinks_in_contact(scheme, build, run):
    wall = Stop("wall", [1.0], 0.5, 2500.0)
    problem = build.oscillator(initial_displacement=[0.0], initial_velocity=[1.0], end=5.0, stops=(wall,))
    r = run(problem, scheme, 0.02)
    steps, touching = np.diff(r.time), r.elements["wall"]["gap"][:-1] < -1e-3
    assert steps[touching].max() < steps.max() / 4


@each_pair
def test_absolute_part_of_the_tolerance(scheme, build, run):
    """Where all is small beside it, nothing is controlled: the step grows fivefold each time."""
    r = run(build.oscillator(end=20.0), scheme, 1e-3, absolute=1e9)
    assert np.diff(r.time)[1:5] / np.diff(r.time)[:4] == pytest.approx(5.0)


@each_estimate
@pytest.mark.parametrize("wrong", [{"tolerance": 0.0}, {"absolute": -1.0}, {"largest": 0.5}])
def test_wrong_options_are_refused(scheme, wrong, build, run):
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        run(build.oscillator(), scheme, 0.1, **wrong)
