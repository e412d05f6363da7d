"""Hard input for our integrator and the exact solver: a clear error of one line or the right result, never a hang."""

from __future__ import annotations

import _thread
import math
import threading

import numba
import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.time_functions import constant
from veridyn.solver.contract.errors import DivergenceError, Interrupted, SolverFailure
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER

from .conftest import FAMILIES

each_scheme = pytest.mark.parametrize("scheme", FAMILIES)


@pytest.fixture
def solve(march):
    """Solve with one of our schemes at a constant step, or with the exact solver."""

    def solve_it(problem, solver, step=1e-3, **settings):
        if solver == "exact":
            return EXACT.solve(problem, {"scheme": "series"})
        return march(problem, solver, step, **settings)

    return solve_it


each_solver = pytest.mark.parametrize("solver", ["exact", *FAMILIES])
BOUNDED = {"newmark", "generalised_alpha", "itmi"}  # at any step


@each_scheme
def test_step_beyond_the_limit(scheme, build, march, refused):
    problem = build.oscillator(100.0, end=200.0)
    if scheme in BOUNDED:
        assert np.abs(march(problem, scheme, 0.5).displacement).max() < 1 + 1e-9
    else:
        with refused(DivergenceError, scheme, "diverged at t =", "mode 1", "reduce the step 0.5 s"):
            march(problem, scheme, 0.5)


@each_scheme
def test_divergence_is_noticed_where_nothing_is_kept(scheme, build, march, refused):
    if scheme not in BOUNDED:
        with refused(DivergenceError, "diverged at t ="):
            march(build.oscillator(100.0, end=1e6), scheme, 0.5, archive_at=[])


@each_solver
def test_singular_stiffness_and_modes_of_frequency_zero(solver, build, solve):
    """Two free masses joined by a spring: they drift and vibrate with sqrt(2) rad/s."""
    problem = build.chain(2, left=False, initial_displacement=[1.0, -1.0], initial_velocity=[1.0, 1.0], end=2.0)
    r = solve(problem, solver)
    assert r.displacement[:, 0] == pytest.approx(r.time + np.cos(math.sqrt(2) * r.time), abs=2e-3)
    assert r.displacement.sum(axis=1) == pytest.approx(2 * r.time, abs=1e-9)


def test_a_mass_that_is_not_symmetric(build, refused):
    with refused(ProblemError, "mass", "not symmetric"):
        build.chain(2, mass=[[1.0, 0.5], [0.0, 1.0]])


def test_mass_that_is_singular(build, refused):
    with refused(ProblemError, "not positive definite"):
        build.chain(2, mass=np.diag([1.0, 0.0]))


@each_solver
def test_negative_damping_lets_the_motion_grow(build, solve, solver):
    r = solve(build.oscillator(1.0, -0.1, end=20.0), solver)
    w = math.sqrt(1 - 0.01)
    truth = np.exp(0.1 * r.time) * (np.cos(w * r.time) - 0.1 / w * np.sin(w * r.time))
    assert r.displacement[:, 0] == pytest.approx(truth, abs=1e-11 if solver == "exact" else 5e-3)


def test_stiffness_that_pushes_away(build, solve, refused):
    """The same: x'' = x."""
    problem = build.oscillator(stiffness=[[-1.0]], end=3.0)
    with refused(ProblemError, "negative eigenvalue"):
        solve(problem, "newmark")
    r = EXACT.solve(problem, {})
    assert r.displacement[:, 0] == pytest.approx(np.cosh(r.time), rel=1e-12)


@each_solver
@pytest.mark.parametrize("depth", [0.0, 0.1])
def test_contact_at_the_start(solver, depth, build, solve):
    """A free mass leaves a spring of 100 N/m that it touches, or is pressed into, with 1 m/s towards it."""
    stops = (Stop("wall", [1.0], 1.0, 100.0),)
    problem = build.mass(initial_displacement=[1.0 + depth], initial_velocity=[1.0], stops=stops)
    r = solve(problem, solver, 1e-4)
    t = r.time[r.time < 0.1]
    assert r.displacement[: t.size, 0] - 1 == pytest.approx(0.1 * np.sin(10 * t) + depth * np.cos(10 * t), abs=2e-3)
    assert r.velocity[-1, 0] == pytest.approx(-math.hypot(1.0, 10 * depth), abs=0.02)


@each_solver
def test_two_events_at_one_instant(solver, build, solve):
    """Two masses that know nothing of each other hit their stops together: each moves as it would alone."""
    stops = tuple(Stop(f"wall {i}", np.eye(2)[i], 0.5, 100.0) for i in range(2))
    default = {"initial_velocity": [1.0, 1.0], "end": 2.0}
    both = solve(build.chain(2, stiffness=np.zeros((2, 2)), stops=stops, **default), solver)
    alone = solve(build.chain(2, stiffness=np.zeros((2, 2)), stops=stops[:1], **default), solver)
    assert both.displacement[:, 0] == pytest.approx(both.displacement[:, 1], abs=1e-12)
    assert both.displacement[-1, 0] == pytest.approx(alone.displacement[-1, 0], abs=1e-12)


@each_solver
@pytest.mark.parametrize("excess", [-1e-9, 0.0, 1e-9])
def test_grazing(solver, excess, build, solve):
    """A stop that is just not met, just touched, just pressed changes nothing that can be seen."""
    problem = build.oscillator(
        initial_displacement=[0.0], initial_velocity=[1.0 + excess], end=3.0, stops=(Stop("wall", [1.0], 1.0, 100.0),)
    )
    r = solve(problem, solver)
    assert r.displacement[:, 0] == pytest.approx(np.sin(r.time), abs=2e-3)


@each_solver
@pytest.mark.parametrize("damping", [60.0, 200.0, 600.0])
def test_chatter_comes_to_rest(solver, damping, build, solve):
    """A pressed mass bounces ever lower on a stop with a damper, and stays."""
    stop = Stop("floor", [1.0], 0.5, 1e4, damping)
    problem = build.mass(loads=(Load([1.0], constant(1)),), stops=(stop,), end=10.0)
    assert solve(problem, solver).displacement[-1, 0] == pytest.approx(0.5 + 1e-4, abs=1e-6)


def rattle(build, end):
    """Return a free mass that goes to and fro between stiff planes; a contact about every half second."""
    stops = (Stop("planes", [1.0], 0.25, 1e4, geometry="parallel planes"),)
    return build.mass(initial_velocity=[1.0], stops=stops, end=end, output_times=[0.0, end])


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes hours")
def test_a_million_events(build, refused):
    """A contact lasts pi/100 s, a flight 1/2 s: the phase is right after a million events, and too many are refused."""
    cycle = 0.5 + math.pi / 100
    problem = rattle(build, 500_000 * cycle)
    r = EXACT.solve(problem, {"most_events": 1_100_000})
    assert r.counters["events"] == 1_000_000
    assert r.displacement[-1, 0] == pytest.approx(0.0, abs=1e-5)
    with refused(SolverFailure, "more than 1000 events", "most_events"):
        EXACT.solve(problem, {"most_events": 1000})


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes hours")
def test_many_contacts_of_our_integrator(build):
    """Undamped and symplectic: the speed is there after ten thousand contacts, each with twice the momentum."""
    cycle = 0.5 + math.pi / 100
    r = SOLVER.solve(
        rattle(build, 10_000 * cycle),
        {"scheme": "symplectic_euler", "step": 1e-4, "archive_at": [], "quantities": True, "check_step": False},
    )
    assert abs(r.velocity[-1, 0]) == pytest.approx(1.0, abs=0.01)
    assert r.quantities["planes"]["impulse"] == pytest.approx(20_000, rel=1e-3)


def test_dependent_frictions_do_not_hang(build):
    """Two shoes on one tangent: which of them holds is open, the motion is not."""
    shoes = tuple(Friction(f"shoe {i}", ([1.0],), 1.0, 0.1, 0.1) for i in range(2))
    problem = build.mass(initial_velocity=[1.0], frictions=shoes, end=10.0)
    try:
        assert EXACT.solve(problem, {}).displacement[-1, 0] == pytest.approx(2.5)
    except SolverFailure as failure:
        assert "dependent" in str(failure)  # noqa: PT017 - both are right


@pytest.fixture
def ctrl_c():
    """Send Ctrl-C to the main thread a moment from now."""
    timer = threading.Timer(0.3, _thread.interrupt_main)
    yield timer.start
    timer.cancel()
    timer.join()


ENDLESS = 1e12


@each_scheme
def test_ctrl_c_stops_a_march_and_keeps_it(scheme, build, march, ctrl_c):
    SOLVER.warm_up({"scheme": scheme, "step": 1.0})
    ctrl_c()
    with pytest.raises(Interrupted, match=rf"{scheme} was interrupted at t = ") as caught:
        march(build.oscillator(end=ENDLESS), scheme, 0.01, archive_at=[1.0, 2.0])
    response = caught.value.response
    assert response.time[:3] == pytest.approx([0.0, 1.0, 2.0])
    assert 2 < response.time[-1] < ENDLESS
    assert response.displacement.shape == (4, 1)
    assert f"{response.time[-1]:.6g}" in str(caught.value)


def test_ctrl_c_stops_the_exact_solver(build, ctrl_c):
    problem = build.oscillator(end=ENDLESS, output_times=[0.0, 1.0, ENDLESS])
    EXACT.solve(build.oscillator(), {})
    ctrl_c()
    with pytest.raises(Interrupted, match="exact was interrupted at t = ") as caught:
        EXACT.solve(problem, {})
    assert caught.value.response.displacement[:, 0] == pytest.approx([1.0, math.cos(1.0)])
