"""Orders, phase errors, stability limits: what theory promises of each scheme on a linear oscillator."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.problem.elements import Load
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import DivergenceError
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.postprocessing.interpolation import crossings

OMEGA = 2 * math.pi


def free_vibration(xi, x0, v0, t):
    """Return displacement and velocity of the damped oscillator."""
    wd = OMEGA * math.sqrt(1 - xi**2)
    b = (v0 + xi * OMEGA * x0) / wd
    decay, c, s = np.exp(-xi * OMEGA * t), np.cos(wd * t), np.sin(wd * t)
    x = decay * (x0 * c + b * s)
    return x, decay * wd * (b * c - x0 * s) - xi * OMEGA * x


def slope(errors):
    """Return the least-squares order over halvings."""
    return -np.polyfit(np.arange(len(errors)), np.log2(errors), 1)[0]


ORDERS = [
    # scheme, damping ratio, start (x0, v0), what is compared, order, largest step
    ("symplectic_euler", 0.0, (0.0, 1.0), "displacement", 2, 1 / 40),
    ("symplectic_euler", 0.0, (1.0, 0.0), "displacement", 1, 1 / 40),
    ("symplectic_euler", 0.0, (0.0, 1.0), "velocity", 1, 1 / 160),
    ("symplectic_euler", 0.1, (0.0, 1.0), "displacement", 1, 1 / 160),
    ("devogelaere", 0.0, (0.0, 1.0), "displacement", 4, 1 / 20),
    ("devogelaere", 0.0, (1.0, 0.0), "velocity", 4, 1 / 20),
    ("devogelaere", 0.1, (1.0, 0.0), "displacement", 3, 1 / 80),
    ("devogelaere_adaptive", 0.1, (1.0, 0.0), "displacement", 3, 1 / 80),
    ("central_adaptive", 0.0, (1.0, 0.0), "displacement", 2, 1 / 40),
    ("central_adaptive", 0.0, (1.0, 0.0), "velocity", 2, 1 / 40),
    ("central_adaptive", 0.1, (0.0, 1.0), "displacement", 2, 1 / 80),
    ("central_adaptive", 0.1, (0.0, 1.0), "velocity", 2, 1 / 80),
    ("euler_adaptive", 0.0, (0.0, 1.0), "displacement", 2, 1 / 40),
    ("euler_adaptive", 0.1, (0.0, 1.0), "displacement", 1, 1 / 160),
    ("newmark", 0.1, (1.0, 0.0), "displacement", 2, 1 / 40),
    ("newmark", 0.1, (0.0, 1.0), "velocity", 2, 1 / 40),
    ("generalised_alpha", 0.1, (1.0, 0.0), "displacement", 2, 1 / 40),
    ("generalised_alpha", 0.1, (0.0, 1.0), "velocity", 2, 1 / 40),
    ("runge_kutta_32", 0.1, (1.0, 0.0), "displacement", 3, 1 / 40),
    ("runge_kutta_32", 0.1, (1.0, 0.0), "velocity", 3, 1 / 40),
    ("runge_kutta_54", 0.1, (1.0, 0.0), "displacement", 5, 1 / 20),
    ("runge_kutta_54", 0.1, (1.0, 0.0), "velocity", 5, 1 / 20),
]


@pytest.mark.parametrize(("scheme", "xi", "start", "history", "order", "step"), ORDERS)
def test_order_of_free_vibration(scheme, xi, start, history, order, step, build, march):
    x0, v0 = start
    problem = build.oscillator(OMEGA, xi, end=2.0, initial_displacement=[x0], initial_velocity=[v0])
    errors = []
    for k in range(5):
        r = march(problem, scheme, step / 2**k)
        truth = dict(zip(("displacement", "velocity"), free_vibration(xi, x0, v0, r.time), strict=True))
        errors.append(np.abs(getattr(r, history)[:, 0] - truth[history]).max())
    assert slope(errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_order_under_a_load(scheme, build, march):
    """x'' + w² x = sin 3t from rest."""
    load, errors = Load([1.0], Harmonic(1.0, 3.0)), []
    problem = build.oscillator(OMEGA, end=2.0, initial_displacement=[0.0], loads=(load,))
    for k in range(5):
        r = march(problem, scheme, 0.05 / 2**k)
        truth = (np.sin(3 * r.time) - 3 / OMEGA * np.sin(OMEGA * r.time)) / (OMEGA**2 - 9)
        errors.append(np.abs(r.displacement[:, 0] - truth).max())
    assert slope(errors) == pytest.approx(SCHEMES[scheme].order, abs=0.15)


def amplification(x):
    """Return decay per step and phase per step of a history with one frequency (three-term recurrence)."""
    x = x[10:]
    pairs = np.column_stack((x[1:-1], -x[:-2]))
    trace, determinant = np.linalg.lstsq(pairs, x[2:], rcond=None)[0]
    decay = math.sqrt(determinant)
    return decay, math.acos(trace / (2 * decay))


# leading errors per radian at constant step on q'' = -w² q, as constant and order of (w h)
PHASE = {  # positive: the motion runs ahead
    **dict.fromkeys(("symplectic_euler", "euler_adaptive", "central_adaptive"), (1 / 24, 2)),
    **dict.fromkeys(("devogelaere", "devogelaere_adaptive"), (-1 / 320, 4)),
    "newmark": (-1 / 12, 2),
    "generalised_alpha": (-19 / 216, 2),
    "runge_kutta_32": (1 / 30, 4),
    "runge_kutta_54": (1 / 2100, 6),
}
DECAY = {  # positive: the motion loses amplitude
    **dict.fromkeys(("devogelaere", "devogelaere_adaptive"), (1 / 576, 5)),
    "generalised_alpha": (1 / 1458, 3),
    "runge_kutta_32": (1 / 24, 3),
    "runge_kutta_54": (1 / 3600, 5),
}
DAMPED = {  # added to the phase error, over the damping ratio, where damping costs an order
    **dict.fromkeys(("symplectic_euler", "euler_adaptive"), (1 / 2, 1)),
    **dict.fromkeys(("devogelaere", "devogelaere_adaptive"), (1 / 144, 3)),
}
VELOCITY = {"central_adaptive": (3 / 8, 2)}  # by how much the amplitude of the reported one is too large, relatively


def error(table, scheme, wh, more=0):
    """Return the leading error of a scheme; with more: that power of w h times it."""
    constant, order = table.get(scheme, (0.0, 0))
    return constant * wh ** (order + more)


@pytest.mark.parametrize("wh", [0.02, 0.05])
@pytest.mark.parametrize("scheme", VELOCITY)
def test_the_reported_velocity_is_too_large_by_what_theory_says(scheme, wh, build, march):
    r = march(build.oscillator(1.0, end=60.0), scheme, wh)
    ellipse = np.column_stack((r.displacement[:, 0] ** 2, r.velocity[:, 0] ** 2))[10:]
    of_x, of_v = np.linalg.lstsq(ellipse, np.ones(len(ellipse)))[0]
    assert math.sqrt(of_x / of_v) - 1 == pytest.approx(error(VELOCITY, scheme, wh), rel=0.05)


@pytest.mark.parametrize("wh", [0.2, 0.4])
@pytest.mark.parametrize("scheme", PHASE)
def test_phase_error_per_radian(scheme, wh, build, march):
    _, phase = amplification(march(build.oscillator(1.0, end=60.0), scheme, wh).displacement[:, 0])
    assert phase / wh - 1 == pytest.approx(error(PHASE, scheme, wh), rel=0.2 * wh + 0.02)


@pytest.mark.parametrize("xi", [0.05, 0.1])
@pytest.mark.parametrize("scheme", DAMPED)
def test_what_damping_adds_to_the_phase_error(scheme, xi, build, march):
    wh = 0.02
    _, phase = amplification(march(build.oscillator(1.0, xi, end=3.0), scheme, wh).displacement[:, 0])
    added = phase / wh - math.sqrt(1 - xi**2) - error(PHASE, scheme, wh)
    assert added == pytest.approx(xi * error(DAMPED, scheme, wh), rel=0.15)


@pytest.mark.parametrize("wh", [0.3, 0.5])
@pytest.mark.parametrize("scheme", DECAY)
def test_decay_per_radian(scheme, wh, build, march):
    decay, _ = amplification(march(build.oscillator(1.0, end=60.0), scheme, wh).displacement[:, 0])
    assert -math.log(decay) / wh == pytest.approx(error(DECAY, scheme, wh), rel=1.2 * wh**2)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name not in DECAY])
def test_the_other_schemes_keep_the_amplitude(scheme, build, march):
    decay, _ = amplification(march(build.oscillator(1.0, end=60.0), scheme, 0.5).displacement[:, 0])
    assert decay == pytest.approx(1, abs=1e-13)


UNCONDITIONAL = ("newmark", "generalised_alpha", "itmi")


@pytest.mark.parametrize("xi", [0.0, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("scheme", [name for name in UNCONDITIONAL if name != "generalised_alpha"])
def test_stable_for_any_step(scheme, xi, build, march):
    r = march(build.oscillator(1.0, xi, end=1e6), scheme, 1e3)
    assert np.abs(r.displacement).max() <= 1 + 1e-9


LIMITS = [
    ("symplectic_euler", 0.0, 2.0),
    ("symplectic_euler", 0.3, 2 * (math.sqrt(1.09) - 0.3)),
    ("symplectic_euler", 1.0, 2 * (math.sqrt(2) - 1)),
    ("euler_adaptive", 0.3, 2 * (math.sqrt(1.09) - 0.3)),
    ("central_adaptive", 0.0, 2.0),
    ("central_adaptive", 0.1, 2 * (math.sqrt(1.04) - 0.2)),
    ("central_adaptive", 1.0, 2 * (math.sqrt(5) - 2)),
    ("devogelaere", 0.0, math.sqrt(8)),
    ("devogelaere_adaptive", 0.0, math.sqrt(8)),
    ("runge_kutta_32", 0.0, math.sqrt(3)),
]


@pytest.mark.parametrize(("scheme", "xi", "limit"), LIMITS)
def test_stable_below_the_limit(scheme, xi, limit, build, march):
    r = march(build.oscillator(1.0, xi, end=3000.0), scheme, 0.999 * limit)
    assert np.abs(r.displacement).max() < 100


@pytest.mark.parametrize(("scheme", "xi", "limit"), LIMITS)
def test_unstable_above_the_limit(scheme, xi, limit, build, march, refused):
    with refused(DivergenceError, scheme, "mode 1 (0.159155 Hz)", "reduce the step"):
        march(build.oscillator(1.0, xi, end=100000.0), scheme, 1.01 * limit)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name not in UNCONDITIONAL])
@pytest.mark.parametrize("every", [1, 10**6])
def test_divergence_names_the_time_and_the_mode(scheme, every, build, march):
    """Mode 3 of the chain is the fastest; 1e100 is passed long before the end, archived or not."""
    problem = build.chain(3, initial_displacement=[0.0, 0.0, 1.0], end=1e4)
    with pytest.raises(DivergenceError, match=r"at t = (\d+)\.?\d* s in mode 3") as caught:
        march(problem, scheme, 2.0, archive_every=every)
    assert 50 < float(str(caught.value).partition("t = ")[2].split()[0]) < 5000


# ---- phase gained or lost: in resonance, and at the start

STEP = 0.2  # w h, w = 1 rad/s
CUBIC = 3 / 128 * STEP**4  # largest error of a zero on a cubic through four samples, of the amplitude
END = 250.0  # rad


def zeros(response):
    """Return the instants at which the displacement passes through zero, those at the start left out."""
    found = np.array([t for t, _ in crossings(response.time, response.displacement[:, 0])])
    return found[found > 1]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_resonance_drifts_at_half_the_phase_error_per_radian(scheme, build, march):
    """x = (sin t - t cos t)/2; what runs ahead by e per radian is off resonance by e, and ahead by e t/2."""
    load = Load([1.0], Harmonic(1.0, 1.0))
    found = zeros(march(build.oscillator(initial_displacement=[0.0], end=END, loads=(load,)), scheme, STEP))
    true = (np.arange(1, len(found) + 1) + 0.5) * np.pi
    for _ in range(8):  # tan t = t: t = (k + 1/2) pi - atan(1/t)
        true = (np.arange(1, len(found) + 1) + 0.5) * np.pi - np.arctan(1 / true)
    late = true > END / 2
    drift = np.polyfit(true[late], (true - found)[late], 1)[0]
    assert drift == pytest.approx(error(PHASE, scheme, STEP) / 2, rel=5 * STEP**2, abs=CUBIC / (END / 2))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_start_costs_no_phase_but_that_of_a_late_velocity(scheme, build, march):
    """Let go, a scheme has an acceleration at once: what its start leaves is the phase at t = 0, the drift taken away.

    A velocity that is taken for that of half a step before moves the phase by lag × w h.
    """
    found = zeros(march(build.oscillator(end=60.0), scheme, STEP))
    true = (np.arange(len(found)) + 0.5) * np.pi
    at_start = np.polyfit(true, true - found, 1)[1]
    of_one_step = abs(error(PHASE, scheme, STEP, more=1))
    # the fourth derivative vanishes at zeros: the cubic is off by 3/64 of the fifth
    assert at_start == pytest.approx(SCHEMES[scheme].claims.get("lag", 0.0) * STEP, abs=of_one_step + 3 / 64 * STEP**5)
