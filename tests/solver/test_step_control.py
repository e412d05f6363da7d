"""The two step controls of adaptive central differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.integrators import integration
from veridyn.solver.integrators.kernels import central_adaptive
from veridyn.solver.integrators.schemes import AdaptiveOptions
from veridyn.solver.integrators.schemes.central_adaptive import control_of
from veridyn.solver.postprocessing.interpolation import value_at

from .conftest import entry

pytestmark = pytest.mark.all_schemes  # two kernels that nothing else needs
control_2002 = entry(central_adaptive.control_2002)

each_control = pytest.mark.parametrize("control", ["2002", "2020"])


def bouncing(build, **changes):
    """An oscillator that hits a stiff stop: easy flight, hard contact."""
    default = {"initial_displacement": [0.0], "initial_velocity": [1.0], "end": 5.0}
    return build.oscillator(1.0, stops=(Stop("wall", [1.0], 0.5, 2500.0),), **{**default, **changes})


@each_control
def test_equal_bounds_mean_fixed_central_differences(control, build, run):
    problem = build.oscillator(2.0, end=3.0)
    r = run(problem, "central_adaptive", 0.05, control=control, smallest=1.0, largest=1.0)
    x = r.displacement[:, 0]
    assert np.diff(r.time) == pytest.approx(0.05)
    assert x[2:] - 2 * x[1:-1] + x[:-2] == pytest.approx(-(0.05**2) * 4 * x[1:-1], abs=1e-14)
    assert x[1] == pytest.approx(1 - 0.05**2 * 4 / 2)
    assert r.counters == {"steps": 60, "evaluations": 61}


@each_control
def test_step_shrinks_in_contact(control, build, run):
    r = run(bouncing(build), "central_adaptive", 0.02, control=control, largest=1.0)
    steps, touching = np.diff(r.time), r.elements["wall"]["gap"][:-1] < -1e-3
    target = 2 * math.pi / 50 / math.sqrt(2501)
    assert steps[touching].max() < 1.4 * target
    assert steps.max() == pytest.approx(0.02)
    assert r.counters["evaluations"] > r.counters["steps"] + 1


@each_control
def test_points_per_period_bound_the_step(control, build, run):
    """A linear oscillator has its own frequency for apparent one: w h <= 2 pi/N."""
    for points in (25.0, 100.0):
        r = run(build.oscillator(end=20.0), "central_adaptive", 0.5, control=control, points_per_period=points)
        assert np.diff(r.time).max() <= 2 * math.pi / points * (1 + 1e-2)
        assert np.diff(r.time)[:-1].max() >= 2 * math.pi / points / 1.5


def test_control_of_2020_grows_above_the_first_step(build, run):
    r = run(build.oscillator(end=20.0), "central_adaptive", 1e-3, control="2020")
    assert np.diff(r.time).max() > 0.05
    ratios = np.diff(r.time)[1:-1] / np.diff(r.time)[:-2]
    assert ratios[ratios > 1 + 1e-9] == pytest.approx(1.1)


def test_control_of_2020_grows_once_in_five_steps(build, run):
    steps = np.diff(run(build.mass(initial_velocity=[1.0]), "central_adaptive", 1e-3).time)
    grown = np.flatnonzero(steps[1:-1] > steps[:-2] * (1 + 1e-9)) + 1
    assert grown[:4].tolist() == [5, 10, 15, 20]


def test_control_of_2002_never_passes_the_first_step(build, run):
    r = run(build.oscillator(end=5.0), "central_adaptive", 1e-3, control="2002")
    assert np.diff(r.time).max() <= 1e-3 * (1 + 1e-9)
    assert r.counters["evaluations"] == r.counters["steps"] + 1


def test_control_of_2002_grows_back_to_the_first_step(build, run):
    steps = np.diff(run(bouncing(build), "central_adaptive", 0.02, control="2002").time)
    ratios = steps[1:] / steps[:-1]
    assert ratios.min() < 0.76
    assert ratios[(ratios > 1 + 1e-9) & (steps[1:] < 0.0199)] == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("errors", "grown"),
    [
        ([0.5] * 8, [4, 5, 6, 7]),
        ([0.5, 0.5, 0.5, 0.5, 0.8, 0.5, 0.5, 0.5, 0.5, 0.5], [9]),
        ([0.5, 0.5, 0.5, 0.5, 1.1, 0.5, 0.5, 0.5, 0.5, 0.5], [9]),
    ],
    ids=["easy", "interrupted", "rejected"],
)
def test_control_of_2002_grows_from_the_fifth_easy_step_in_a_row(errors, grown):
    control = control_of(AdaptiveOptions(control="2002"), 1.0, old_control=True)
    dt, counter, found = 0.01, 0.0, []
    for k, error in enumerate(errors):
        following, counter, _ = control_2002(control, dt, error, counter)
        found += [k] if following > dt else []
        dt = following
    assert found == grown


def test_last_step_lands_on_the_end(build, run):
    r = run(build.oscillator(end=1.0003), "central_adaptive", 1e-3, control="2020", smallest=0.5, largest=1.0)
    assert r.time[-1] == pytest.approx(1.0003, abs=1e-12)


@each_control
def test_step_floor_is_a_failure(control, build, run, refused):
    with refused(SolverFailure, "fell below 0.01 s at t = 0", "ask for less accuracy"):
        run(bouncing(build), "central_adaptive", 0.02, control=control, smallest=0.5)


@each_control
def test_tries_are_limited(control, build, run):
    """With one try no step is repeated."""
    r = run(bouncing(build), "central_adaptive", 0.02, control=control, largest=1.0, tries=1)
    assert r.counters["evaluations"] == r.counters["steps"] + 1


@each_control
def test_retry_restores_the_friction(control, build, run):
    """A rejected try must leave no trace in the memory of the law: leaving one spoils the motion."""
    friction = Friction("shoe", ([1.0],), 10.0, 0.2, 0.2, "regularised", 4e4, 400.0)
    problem = build.mass(end=3.0, frictions=(friction,), loads=(Load([1.0], Harmonic(3.0, 5.0)),))
    clean, kept = (
        run(problem, "central_adaptive", 2e-3, control=control, largest=1.0, restore_friction=restore)
        for restore in (True, False)
    )
    constant = run(problem, "central_adaptive", 5e-5, smallest=1.0, largest=1.0)
    fine = value_at(constant.time, constant.displacement[:, 0], 2.9)
    errors = [abs(value_at(r.time, r.displacement[:, 0], 2.9) - fine) for r in (clean, kept)]
    assert clean.counters["evaluations"] > clean.counters["steps"] + 1
    assert errors[0] < errors[1] / 2


@pytest.mark.parametrize(("largest", "order"), [(1.0, 2.0), (100.0, 1.5)])
def test_order_with_changing_steps(largest, order, build, run):
    """Each change of the step costs a little: growing and shrinking all the time, the order falls below two."""
    problem = build.oscillator(end=10.0, loads=(Load([1.0], Harmonic(1.0, 0.5)),))
    errors = []
    for k in range(5):
        settings = {"points_per_period": 50.0 * 2**k, "largest": largest}
        r = run(problem, "central_adaptive", 0.01 / 2**k, **settings)
        truth = np.cos(r.time) + (np.sin(r.time / 2) - np.sin(r.time) / 2) / 0.75
        errors.append(np.abs(r.displacement[:, 0] - truth).max())
    assert -np.polyfit(range(5), np.log2(errors), 1)[0] == pytest.approx(order, abs=0.3)


def test_symplectic_euler_follows_the_frequency_too(build, run):
    """Its step shrinks in contact, and its formulas hold at whatever step."""
    r = run(bouncing(build), "euler_adaptive", 0.02, largest=1.0)
    h, x, v = np.diff(r.time), r.displacement[:, 0], r.velocity[:, 0]
    touching = r.elements["wall"]["gap"][:-1] < -1e-3
    assert h[touching].max() < 1.4 * 2 * math.pi / 50 / math.sqrt(2501)
    assert np.diff(x) == pytest.approx(h * v[1:], abs=1e-13)
    force = -x - r.elements["wall"]["normal_force"]
    assert np.diff(v)[1:] == pytest.approx((h[1:] + h[:-1]) / 2 * force[1:-1], abs=1e-12)


@pytest.mark.parametrize("every", [1, 3])
def test_archive_grows_as_needed(every, build, run):
    """The second pass after a full archive gives the states of a single pass."""
    problem, fine = bouncing(build, end=60.0), {"points_per_period": 400.0, "largest": 1.0}
    r = run(problem, "central_adaptive", 0.1, archive_every=every, **fine)
    assert r.counters["steps"] > 3200 * every
    assert r.time[-1] == pytest.approx(60.0)
    assert (np.diff(r.time) > 0).all()


def test_growing_archive_respects_the_memory(build, run, refused, monkeypatch):
    monkeypatch.setattr(integration, "MEMORY", 2e5)
    with refused(SettingsError, "GB"):
        run(bouncing(build, end=60.0), "central_adaptive", 0.1, points_per_period=400.0)


def test_grid_keeps_the_nearest_states(build, run):
    grid, settings = 0.053, {"control": "2002", "largest": 1.0}
    full = run(bouncing(build), "central_adaptive", 0.02, **settings)
    kept = run(bouncing(build), "central_adaptive", 0.02, archive_grid=grid, **settings)
    nearest = [np.argmin(np.abs(full.time - grid * k)) for k in range(kept.time.size)]
    assert kept.time.size == 1 + round(5.0 / grid)
    assert np.array_equal(kept.time, full.time[nearest])
    assert np.array_equal(kept.displacement, full.displacement[nearest])
    assert np.array_equal(kept.velocity, full.velocity[nearest])


def test_de_vogelaere_lands_where_it_is_told(build, run):
    """Steps are cut to end at the instants that are kept, and only there."""
    problem = build.oscillator(3.0, end=2.0)
    wanted = [0.3, 1.0, 1.7]
    r = run(problem, "devogelaere_adaptive", 0.03, archive_at=wanted, land=True)
    assert r.time.tolist() == [0.0, *wanted, pytest.approx(2.0)]
    assert r.displacement[:, 0] == pytest.approx(np.cos(3 * r.time), abs=2e-4)
    free = run(problem, "devogelaere_adaptive", 0.03, archive_at=wanted)
    assert not set(wanted) & set(free.time.tolist())


def test_a_step_just_below_the_largest_is_kept(build, run):
    """Steps grow by half from a start that was cut; the last change, to the largest, is below 15 %."""
    steps = np.diff(run(build.oscillator(0.1, end=8.0), "devogelaere_adaptive", 0.09, largest=10 / 9).time)
    assert steps[-2] == pytest.approx(0.09)
