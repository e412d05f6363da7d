"""Newmark's family: parameters, forces at the end of the step, the lag of one step."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.integrators.kernels import elimination

from .conftest import entry

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
    stop = run(held(build), "newmark", 0.02)
    start = {"initial_displacement": [0.0], "initial_velocity": [1.0]}
    mode = run(build.oscillator(2 * math.pi, end=1.0, **start), "newmark", 0.02)
    assert stop.displacement == pytest.approx(mode.displacement, abs=1e-12)
    assert stop.elements["wall"]["normal_force"] == pytest.approx(STIFFNESS * (1 + stop.displacement[:, 0]))
    assert mode.counters["evaluations"] == 51
    assert stop.counters["evaluations"] == 101
    assert stop.counters["most_evaluations"] == 2, "one pass of Newton's method solves what is linear"
    assert stop.counters["unsettled_steps"] == mode.counters["unsettled_steps"] == 0
    assert stop.counters["largest_change"] == 0.0


@pytest.mark.parametrize("step", [0.1, 1.0, 10.0])
def test_a_stiff_contact_is_found_at_any_step(step, build, run):
    """Where a fixed point of the forces would run away: (w h)²/4 up to 1e3."""
    stop = run(replace(held(build), end=10 * step), "newmark", step, check_step=False)
    mode = run(build.oscillator(2 * math.pi, end=10 * step, initial_displacement=[0.0], initial_velocity=[1.0]),
               "newmark", step, check_step=False)  # fmt: skip
    assert stop.displacement == pytest.approx(mode.displacement, abs=1e-9)


def test_one_evaluation_keeps_the_forces_of_the_start(build, run):
    once = run(held(build), "newmark", 0.02, iterations=1)
    assert once.counters["unsettled_steps"] == 50
    assert once.counters["largest_change"] > 0


@pytest.mark.parametrize(("lagged", "unsettled"), [(False, 1), (True, 0)])
def test_steps_without_a_consistent_state_are_counted(lagged, unsettled, build, run):
    """Touched at 0.95 s: once inside, the damper would push the mass out again before 1 s, and then it would not."""
    stop = Stop("damper", [1.0], 0.95, 1.0, damping=10.0)
    problem = build.mass(initial_velocity=[1.0], end=1.0, stops=(stop,))
    r = run(problem, "newmark", 0.5, check_step=False, lagged=lagged)
    assert r.counters["unsettled_steps"] == unsettled
    assert (r.counters["largest_change"] > 0.1) == (unsettled > 0)


def test_such_a_step_keeps_the_forces_of_its_start(build, run):
    """The free flight goes on to 1 s, 0.05 m inside; there the stop pushes, and the next step feels it."""
    stop = Stop("damper", [1.0], 0.95, 1.0, damping=10.0)
    r = run(build.mass(initial_velocity=[1.0], end=1.0, stops=(stop,)), "newmark", 0.5, check_step=False)
    assert r.displacement[-1, 0] == pytest.approx(1.0, rel=1e-14)
    assert r.velocity[-1, 0] == pytest.approx(1.0, rel=1e-14)
    assert r.elements["damper"]["normal_force"][-1] == pytest.approx(0.05 + 10.0, rel=1e-13)


def test_every_step_without_a_consistent_state_of_friction_is_counted(build, run):
    """A block slides to rest: forward and backward friction each drive it the other way.

    Of a step that is not counted the end obeys the law; for one that has no such end every velocity was tried.
    """
    rub = Friction("rub", ([1.0],), 10.0, 0.35, 0.3, "regularised", 40.0)
    step, contradictions = 0.1, 0
    for speed in np.linspace(0.01, 0.6, 60):
        problem = build.mass(initial_velocity=[speed], end=step, frictions=(rub,))
        r = run(problem, "newmark", step, check_step=False)
        counted, end = r.counters["unsettled_steps"], r.velocity[-1, 0]
        if not counted:
            needed, law = forces_of_the_block(speed, np.array([end]), step)
            assert needed == pytest.approx(law, abs=1e-8)
        needed, law = forces_of_the_block(speed, np.linspace(-2.0, 4.0, 600_001), step)
        crosses = np.diff(np.sign(needed - law)) != 0
        if not (crosses & ~jumps(law)).any():
            assert counted == 1
            assert end == pytest.approx(speed - 3.0 * step, abs=1e-14)  # it slides on forward
            contradictions += 1
    assert contradictions > 0


def forces_of_the_block(speed, ends, step):
    """Return the acceleration that leads to an end velocity after a start at -3 m/s², and what friction gives there."""
    needed = (ends - speed) / (step / 2) + 3.0
    stick = -3.0 - 40.0 * (step * speed + step**2 / 4 * (needed - 3.0))
    slide = np.where(ends > 0, -3.0, 3.0)
    return needed, np.where((ends <= 1e-6) & (np.abs(stick) <= 3.5), stick, slide)


def jumps(law):
    """Return where a force jumps from one velocity to the next."""
    return np.abs(np.diff(law)) > 1e-2


def test_forces_that_do_not_settle_end_the_run_with_one_error(build, run):
    """A spring that hardens by the fifth power takes more than two passes, without a contact that changes."""
    spring = NonlinearSpring.odd(name="spring", direction=[1.0], coefficients=(0.0, 0.0, 1e4))
    problem = build.mass(initial_velocity=[1.0], end=1.0, devices=(spring,))
    settings = {"step": 0.05, "check_step": False, "iteration_tolerance": 1e-15}
    with pytest.raises(SolverFailure, match=r"newmark: the residual .* reduce the step 0.05 s .*\(t = \d"):
        run(problem, "newmark", iterations=3, **settings)


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


def test_many_stops_balance_at_the_end_of_every_step(build, run):
    """More rows than are projected one by one, some pressed, some open, two that rub: M a = f - K x, a by the rule."""
    n, step = 12, 0.02
    stops = [Stop(f"s{i}", np.eye(n)[i], 0.02 * (i % 4) - 0.01, 3e3, damping=5.0) for i in range(n)]
    rubs = [Friction(f"r{i}", (np.eye(n)[i - 1],), f"s{i}", 0.3, 0.3, "regularised", 1e3) for i in (3, 7)]
    start = {"initial_displacement": np.zeros(n), "initial_velocity": np.linspace(1.0, -1.0, n)}
    problem = build.chain(n, stops=tuple(stops), frictions=tuple(rubs), end=2.0, **start)
    r = run(problem, "newmark", step, check_step=False)
    assert r.counters["unsettled_steps"] == 0
    pressed = np.array([r.elements[stop.name]["normal_force"] for stop in stops]).T
    assert (np.any(pressed > 0, axis=0) & np.any(pressed == 0, axis=0)).sum() > 2, "stops open and close"
    rubbed = sum(np.outer(r.elements[rub.name]["force"], rub.tangents[0]) for rub in rubs)
    force = rubbed - pressed - r.displacement @ problem.stiffness
    acceleration = np.linalg.solve(problem.mass, force.T).T
    change = step / 2 * (acceleration[1:] + acceleration[:-1])
    assert np.diff(r.velocity, axis=0) == pytest.approx(change, abs=1e-11)


def test_factors_solve_a_system_of_equations():
    """With pivots from below: the first diagonal is zero."""
    chance = np.random.default_rng(3)
    matrix, right = chance.normal(size=(9, 9)), chance.normal(size=9)
    matrix[0, 0] = 0.0
    columns, pivots, found = matrix.T.copy(), np.zeros(9, dtype=np.int64), right.copy()
    entry(elimination.eliminate)(columns, pivots, 9)
    entry(elimination.substitute)(columns, pivots, found, 9)
    assert matrix @ found == pytest.approx(right, abs=1e-12)
