"""Generalised-alpha and HHT-alpha: weights, damping at both ends of the spectrum, contact, options."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from veridyn.problem.elements import Load, Stop
from veridyn.problem.time_functions import constant
from veridyn.references.methods.integrators import read_method
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes.generalised_alpha import AlphaOptions, weights

NAME = "generalised_alpha"


@pytest.mark.parametrize("rho", [0, "1/4", "1/2", "4/5", 1])
def test_weights_are_those_of_the_method(rho):
    known = read_method("generalised-alpha", {"rho_inf": rho}).numbers
    found = weights(AlphaOptions(rho_inf=float(Fraction(rho))))
    for name in ("alpha_m", "alpha_f", "beta", "gamma"):
        assert getattr(found, name) == pytest.approx(float(known[name]), abs=1e-15)


@pytest.mark.parametrize("rho", ["1/2", "4/5", 1])
def test_weights_of_hht_alpha(rho):
    rho = Fraction(rho)
    known = read_method("hht-alpha", {"alpha": (rho - 1) / (rho + 1)}).numbers
    found = weights(AlphaOptions(rho_inf=float(rho), hht=True))
    for name in ("alpha_m", "alpha_f", "beta", "gamma"):
        assert getattr(found, name) == pytest.approx(float(known[name]), abs=1e-15)


def test_it_claims_the_parameter_that_it_takes():
    assert Fraction(SOLVER.claims(NAME)["rho_inf"]) == Fraction(str(AlphaOptions().rho_inf))


@pytest.mark.parametrize(("rho", "hht"), [(0.5, False), (0.7, False), (0.9, False), (0.5, True), (0.9, True)])
def test_a_step_shrinks_what_is_infinitely_fast_by_rho_inf(rho, hht, build, march):
    x = march(build.oscillator(1.0, end=6e5), NAME, 1e4, rho_inf=rho, hht=hht).displacement[1:, 0]
    rows = np.column_stack((x[2:-1], x[1:-2], x[:-3])) / np.abs(x[:-3, None])
    recurrence = np.linalg.lstsq(rows[:20], (x[3:] / np.abs(x[:-3]))[:20])[0]
    largest = np.abs(np.roots([1.0, *-recurrence])).max()
    assert largest == pytest.approx(rho, abs=0.02)


@pytest.mark.parametrize("hht", [False, True])
def test_without_damping_it_is_the_trapezoidal_rule_of_one_kind_or_the_other(hht, build, march):
    """With rho_inf = 1: HHT-alpha is Newmark's method, generalised-alpha averages both ends; the motion is the same."""
    problem = build.oscillator(2.0, 0.05, end=10.0)
    ours, newmark = march(problem, NAME, 0.1, rho_inf=1.0, hht=hht), march(problem, "newmark", 0.1)
    assert ours.displacement == pytest.approx(newmark.displacement, abs=1e-13)


@pytest.mark.parametrize("hht", [False, True])
@pytest.mark.parametrize("rho", [0.5, 0.8, 1.0])
def test_contact_is_treated_like_the_spring_of_a_mode(rho, hht, build, march):
    start = {"stiffness": [[0.0]], "initial_displacement": [0.0], "initial_velocity": [1.0]}
    held = Stop("wall", [1.0], -1.0, 40.0, damping=0.3)
    hanging = build.oscillator(stops=(held,), loads=(Load([1.0], constant(40.0)),), end=2.0, **start)
    omega = math.sqrt(40.0)
    mode = build.oscillator(omega, 0.15 / omega, end=2.0, initial_displacement=[0.0], initial_velocity=[1.0])
    one, other = (march(p, NAME, 0.02, rho_inf=rho, hht=hht) for p in (hanging, mode))
    assert one.displacement == pytest.approx(other.displacement, abs=1e-12)
    assert one.velocity == pytest.approx(other.velocity, abs=1e-11)


@pytest.mark.parametrize("xi", [0.0, 0.1, 1.0, 3.0])
def test_at_any_step_the_motion_dies_out_after_the_overshoot_of_the_first_steps(xi, build, march):
    x = np.abs(march(build.oscillator(1.0, xi, end=3e5), NAME, 1e3).displacement[:, 0])
    assert (x[:10].max() > 2) == (xi > 0), "Hilber, Hughes, Earthq. Eng. Struct. Dyn. 6, 1978"
    assert x[200:].max() < 1e-15 * x.max()


@pytest.mark.parametrize("wrong", [{"rho_inf": -0.1}, {"rho_inf": 1.1}, {"rho_inf": 0.4, "hht": True}])
def test_wrong_options_are_refused(wrong, build, run):
    with pytest.raises(SettingsError, match="rho_inf"):
        run(build.oscillator(), NAME, 0.1, **wrong)
