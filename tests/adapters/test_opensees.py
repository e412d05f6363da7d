"""OpenSees against closed forms, its refusals and its failures."""

import math

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.time_functions import Harmonic, constant, polynomial
from veridyn.solver.contract.errors import SettingsError, SolverFailure

adapter = pytest.importorskip("veridyn.solver.adapters.opensees_adapter", exc_type=ImportError)

DAMPED = ["HHT", "TRBDF2"]
SECOND_ORDER = [*DAMPED, "Newmark", "NewmarkExplicit"]


def solve(problem, **settings):
    return adapter.SOLVER.solve(problem, settings)


def error(response, truth):
    return float(np.abs(response.displacement[:, 0] - truth).max())


@pytest.mark.parametrize("scheme", SECOND_ORDER)
def test_free_mass_flies_on(block, scheme):
    response = solve(block(mass=[[2.0]], initial_velocity=[3.0]), scheme=scheme)
    assert response.displacement[:, 0] == pytest.approx(3.0 * response.time, abs=1e-9)
    assert response.counters["steps"] == 4000


@pytest.mark.parametrize("scheme", SECOND_ORDER)
def test_release_from_a_displacement_is_of_second_order(block, scheme):
    released = block(stiffness=[[400.0]], initial_displacement=[1.0])
    coarse, fine = (
        error(solve(released, scheme=scheme, substeps=n), np.cos(20 * released.output_times)) for n in (5, 10)
    )
    assert fine < 1e-3
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("scheme", adapter.SCHEMES)
def test_load_and_damping(block, scheme):
    problem = block(
        stiffness=[[100.0]], damping=[[4.0]], loads=(Load([3.0], constant(100.0)),), initial_displacement=[0.0]
    )
    t, w = problem.output_times, math.sqrt(96.0)
    truth = 3.0 * (1 - np.exp(-2 * t) * (np.cos(w * t) + 2 / w * np.sin(w * t)))
    # NewmarkExplicit damps the velocity of the step before, CentralDifference starts at rest half a step early
    assert error(solve(problem, scheme=scheme), truth) < 0.02


@pytest.mark.parametrize("scheme", SECOND_ORDER)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_touch_of_a_stop(block, scheme, sign):
    stop = Stop("wall", [sign], gap=0.3, offset=0.1, stiffness=1e4)
    response = solve(block(initial_velocity=[sign], stops=(stop,), end=0.4), scheme=scheme)
    leave = 0.2 + math.pi / 100
    inside = np.where(
        response.time < leave, np.sin(100 * (response.time - 0.2)) / 100 + 0.2, 0.2 - response.time + leave
    )
    assert error(response, sign * np.where(response.time < 0.2, response.time, inside)) < 1e-4
    force = response.elements["wall"]["normal_force"]
    assert force.min() == 0.0
    assert force.max() == pytest.approx(100.0, rel=1e-2)


def test_preloaded_stop_pushes_at_once(block):
    response = solve(block(stops=(Stop("wall", [1.0], gap=-0.1, stiffness=100.0),), end=0.1))
    assert error(response, 0.1 * (np.cos(10 * response.time) - 1)) < 1e-6


def test_parallel_planes_stop_on_both_sides(block):
    walls = Stop("walls", [1.0], gap=0.1, offset=0.05, stiffness=1e4, geometry="parallel planes")
    response = solve(block(initial_velocity=[1.0], stops=(walls,), end=0.6))
    assert response.displacement.max() == pytest.approx(0.05 + 0.01, abs=1e-4)
    assert response.displacement.min() == pytest.approx(-0.15 - 0.01, abs=1e-4)
    assert response.elements["walls"]["normal_force"].max() == pytest.approx(100.0, rel=1e-2)


def test_stop_between_two_masses(block):
    stop = Stop("between", [-2.0, 2.0], gap=0.2, stiffness=1e4)
    response = solve(
        block(initial_displacement=[0.0, 0.0], initial_velocity=[0.0, 1.0], stops=(stop,), end=0.3), scheme="Newmark"
    )
    assert response.velocity[-1] == pytest.approx([1.0, 0.0], abs=2e-3)
    # y = 2 (x2 - x1): rate 2 m/s, stiffness 1e4 N/m, mass 1/8 kg
    assert response.elements["between"]["normal_force"].max() == pytest.approx(2e4 / math.sqrt(8e4), rel=1e-2)


@pytest.mark.parametrize("scheme", SECOND_ORDER)
def test_uniform_support_motion(block, scheme):
    shake = SupportMotion.from_acceleration("ground", [1.0], Harmonic(2.0, 5.0))
    response = solve(block(stiffness=[[100.0]], supports=(shake,)), scheme=scheme)
    t = response.time
    assert error(response, -2.0 / 75 * (np.sin(5 * t) - np.sin(10 * t) / 2)) < 1e-6


@pytest.mark.parametrize("scheme", adapter.SCHEMES)
def test_two_supports_and_a_matrix(block, scheme):
    quadratic, linear = polynomial(0.0, 0.0, 12.0), polynomial(0.0, 6.0)
    supports = (
        SupportMotion.from_acceleration("left", [2 / 3, 1 / 3], quadratic),
        SupportMotion.from_acceleration("right", [1 / 3, 2 / 3], linear),
    )
    stiffness = np.array([[200.0, -100.0], [-100.0, 200.0]])
    problem = block(stiffness=stiffness, initial_displacement=[0.0, 0.0], supports=supports)
    t = problem.output_times
    response = solve(problem, scheme=scheme)
    # x1 + x2 sees a1 + a2 with w² = 100, x1 - x2 sees (a1 - a2)/3 with w² = 300
    assert response.displacement.sum(axis=1) == pytest.approx(-forced(t, 10.0, 12.0, 6.0), abs=1e-5)
    difference = response.displacement @ [1.0, -1.0]
    assert difference == pytest.approx(-forced(t, math.sqrt(300), 4.0, -2.0), abs=1e-5)


def forced(t, w, b, a):
    """x'' + w² x = b t² + a t from rest."""
    particular = b * t**2 / w**2 + a * t / w**2 - 2 * b / w**4
    return particular + 2 * b / w**4 * np.cos(w * t) - a / w**3 * np.sin(w * t)


def rubbing(block, **changes):
    shoe = Friction("shoe", ([1.0],), 5.0, 0.2, 0.2)
    return block(frictions=(shoe,), **changes)


@pytest.mark.parametrize("scheme", SECOND_ORDER)
def test_slide_to_rest(block, scheme):
    response = solve(rubbing(block, initial_velocity=[0.5]), scheme=scheme)
    assert response.displacement[-1, 0] == pytest.approx(0.5**2 / 2, abs=1e-4)
    sliding = (response.time > 0) & (response.time < 0.49)
    shoe = response.elements["shoe"]
    assert shoe["force"][sliding] == pytest.approx(-1.0)
    assert not shoe["stuck"][sliding].any()


@pytest.mark.parametrize("scheme", DAMPED)
def test_stick_holds_and_lets_go(block, scheme):
    held = solve(rubbing(block, loads=(Load([0.4], constant(1.0)),)), scheme=scheme)
    assert np.abs(held.displacement).max() < 1e-5
    assert held.elements["shoe"]["stuck"].all()
    moved = solve(rubbing(block, loads=(Load([1.0], polynomial(0.0, 2.0)),)), scheme=scheme)
    # slip from 0.5 s on: x'' = 2 (t - 1/2)
    assert moved.displacement[-1, 0] == pytest.approx(0.5**3 / 3, rel=1e-3)
    slip = moved.time[np.flatnonzero(moved.elements["shoe"]["stuck"] == 0)[0]]
    assert slip == pytest.approx(0.5, abs=5e-3)


def test_regularised_stick_is_a_spring(block):
    shoe = Friction("shoe", ([2.0],), 10.0, 0.5, 0.5, law="regularised", stiffness=100.0)
    response = solve(block(frictions=(shoe,), initial_velocity=[0.1]), scheme="Newmark")
    assert error(response, 0.1 / 20 * np.sin(20 * response.time)) < 1e-6


def test_uneven_outputs_are_met(block):
    times = [0.1, 0.15, 0.4, 0.41, 1.0]
    response = solve(block(stiffness=[[100.0]], initial_velocity=[1.0], output_times=times), substeps=200)
    assert response.time.tolist() == times
    assert error(response, np.sin(10 * response.time) / 10) < 1e-3


def test_a_solve_leaves_nothing_behind(block):
    first = solve(block(stiffness=[[100.0]], initial_velocity=[1.0]))
    solve(block(stiffness=np.eye(3), initial_displacement=np.ones(3), initial_velocity=np.ones(3)))
    again = solve(block(stiffness=[[100.0]], initial_velocity=[1.0]))
    assert np.array_equal(first.displacement, again.displacement)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"mass": [[2.0, 1.0], [1.0, 2.0]], "initial_displacement": [0.0, 0.0]}, "diagonal"),
        ({"stops": (Stop("s", [1.0], 0.0, 1.0, damping=1.0),)}, "damped"),
        ({"stops": (Stop("s", [1.0], -1.0, 1.0, geometry="parallel planes"),)}, "overlap"),
        ({"stops": (Stop("s", [1.0], 1.0, 1.0, geometry="circle", lateral=[1.0]),)}, "curved"),
        ({"stops": (Stop("s", [1.0, 2.0], 0.0, 1.0),), "initial_displacement": [0.0, 0.0]}, "difference"),
        ({"frictions": (Friction("f", ([1.0],), 1.0, 0.2, 0.1),)}, "one limit"),
        ({"frictions": (Friction("f", ([1.0],), 1.0, 0.1, 0.1, "regularised", 1.0, 1.0),)}, "damper"),
    ],
)
def test_what_cannot_be_expressed_is_refused(block, changes, reason):
    with pytest.raises(NotImplementedError, match=reason):
        solve(block(**changes))


def test_stops_beside_uneven_supports_are_refused(block):
    motion = SupportMotion.from_acceleration("g", [0.5], constant(1.0))
    with pytest.raises(NotImplementedError, match="alike"):
        solve(block(supports=(motion,), stops=(Stop("s", [1.0], 0.0, 1.0),)))


def test_central_difference_refuses_an_initial_velocity(block):
    with pytest.raises(NotImplementedError, match="CentralDifference"):
        solve(block(initial_velocity=[1.0]), scheme="CentralDifference")


@pytest.mark.parametrize("settings", [{"scheme": "Wilson"}, {"alpha": -1.0}, {"substeps": 1.5}, {"step": -1e-3}])
def test_bad_settings_are_refused(block, settings):
    with pytest.raises(SettingsError):
        solve(block(), **settings)


def test_failed_step_is_reported_with_the_words_of_opensees(block):
    problem = block(initial_velocity=[1.0], stops=(Stop("wall", [1.0], 0.1, 1e4),))
    with pytest.raises(SolverFailure, match=r"HHT.* status -3: .*Convergence"):
        solve(problem, iterations=1)


def test_divergence_is_a_failure(block):
    problem = block(stiffness=[[1e12]], initial_displacement=[1.0])
    with pytest.raises(SolverFailure, match="NewmarkExplicit"):
        solve(problem, scheme="NewmarkExplicit", substeps=1)
