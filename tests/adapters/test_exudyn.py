"""Exudyn against closed forms, its refusals and its failures."""

import math

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.time_functions import Harmonic, constant, polynomial, step
from veridyn.solver.contract.errors import SettingsError, SolverFailure

pytest.importorskip("exudyn", exc_type=ImportError)

from veridyn.solver.adapters import exudyn_adapter as adapter


def solve(problem, **settings):
    return adapter.SOLVER.solve(problem, settings)


def error(response, truth):
    return float(np.abs(response.displacement[:, 0] - truth).max())


@pytest.fixture(params=adapter.SCHEMES)
def scheme(request):
    return request.param


def test_free_mass_flies_on(block, scheme):
    response = solve(block(mass=[[2.0]], initial_velocity=[3.0]), scheme=scheme)
    assert response.displacement[:, 0] == pytest.approx(3.0 * response.time, abs=1e-9)
    assert response.counters["steps"] == 4000


@pytest.mark.parametrize(("scheme", "order"), [("GeneralizedAlpha", 2), ("TrapezoidalIndex2", 2), ("RK44", 4)])
def test_release_from_a_displacement_has_the_order_of_the_scheme(block, scheme, order):
    released = block(stiffness=[[400.0]], initial_displacement=[1.0])
    coarse, fine = (
        error(solve(released, scheme=scheme, substeps=n), np.cos(20 * released.output_times)) for n in (1, 2)
    )
    assert fine < 1e-2
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.1)


def test_load_and_damping(block, scheme):
    problem = block(stiffness=[[100.0]], damping=[[4.0]], loads=(Load([3.0], constant(100.0)),))
    t, w = problem.output_times, math.sqrt(96.0)
    truth = 3.0 * (1 - np.exp(-2 * t) * (np.cos(w * t) + 2 / w * np.sin(w * t)))
    assert error(solve(problem, scheme=scheme), truth) < 1e-4


def test_load_that_sets_in_later(block, scheme):
    response = solve(block(loads=(Load([1.0], step(2.0, 0.5)),)), scheme=scheme)
    assert response.displacement[-1, 0] == pytest.approx(0.25, abs=1e-3)


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


def test_preloaded_stop_pushes_at_once(block, scheme):
    response = solve(block(stops=(Stop("wall", [1.0], gap=-0.1, stiffness=100.0),), end=0.1), scheme=scheme)
    assert error(response, 0.1 * (np.cos(10 * response.time) - 1)) < 1e-6


def test_parallel_planes_stop_on_both_sides(block):
    walls = Stop("walls", [1.0], gap=0.1, offset=0.05, stiffness=1e4, geometry="parallel planes")
    response = solve(block(initial_velocity=[1.0], stops=(walls,), end=0.6))
    assert response.displacement.max() == pytest.approx(0.05 + 0.01, abs=1e-4)
    assert response.displacement.min() == pytest.approx(-0.15 - 0.01, abs=1e-4)
    assert response.elements["walls"]["normal_force"].max() == pytest.approx(100.0, rel=1e-2)


def test_stop_between_two_masses_and_a_full_mass_matrix(block):
    mass = np.array([[2.0, 1.0], [1.0, 2.0]])
    normal = np.array([-1.0, 3.0])
    stop = Stop("between", normal, gap=0.2, stiffness=1e4)
    v0 = np.array([0.5, 1.0])
    problem = block(mass=mass, initial_displacement=[0.0, 0.0], initial_velocity=v0, stops=(stop,), end=0.3)
    response = solve(problem)
    # an elastic collision reverses the rate of y = n x: v' = v - 2 M⁻¹ n (n v)/(n M⁻¹ n)
    pushed = np.linalg.solve(mass, normal)
    after = v0 - 2 * pushed * (normal @ v0) / (normal @ pushed)
    assert response.velocity[-1] == pytest.approx(after, abs=5e-3)


def test_support_motion(block, scheme):
    shake = SupportMotion.from_acceleration("ground", [1.0], Harmonic(2.0, 5.0))
    t = (response := solve(block(stiffness=[[100.0]], supports=(shake,)), scheme=scheme)).time
    assert error(response, -2.0 / 75 * (np.sin(5 * t) - np.sin(10 * t) / 2)) < 1e-6


def test_two_supports_and_a_matrix(block, scheme):
    supports = (
        SupportMotion.from_acceleration("left", [2 / 3, 1 / 3], polynomial(0.0, 0.0, 12.0)),
        SupportMotion.from_acceleration("right", [1 / 3, 2 / 3], polynomial(0.0, 6.0)),
    )
    stiffness = np.array([[200.0, -100.0], [-100.0, 200.0]])
    problem = block(stiffness=stiffness, initial_displacement=[0.0, 0.0], supports=supports)
    t, response = problem.output_times, solve(problem, scheme=scheme)
    # x1 + x2 sees a1 + a2 with w² = 100, x1 - x2 sees (a1 - a2)/3 with w² = 300
    assert response.displacement.sum(axis=1) == pytest.approx(-forced(t, 10.0, 12.0, 6.0), abs=1e-5)
    difference = response.displacement @ [1.0, -1.0]
    assert difference == pytest.approx(-forced(t, math.sqrt(300), 4.0, -2.0), abs=1e-5)


def forced(t, w, b, a):
    """x'' + w² x = b t² + a t from rest."""
    particular = b * t**2 / w**2 + a * t / w**2 - 2 * b / w**4
    return particular + 2 * b / w**4 * np.cos(w * t) - a / w**3 * np.sin(w * t)


def rubbing(block, static=0.2, **changes):
    return block(frictions=(Friction("shoe", ([1.0],), 5.0, static, 0.2),), **changes)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_slide_to_rest(block, scheme, sign):
    response = solve(rubbing(block, initial_velocity=[0.5 * sign]), scheme=scheme)
    assert response.displacement[-1, 0] == pytest.approx(sign * 0.5**2 / 2, abs=2e-4)
    sliding = (response.time > 0) & (response.time < 0.49)
    shoe = response.elements["shoe"]
    assert shoe["force"][sliding] == pytest.approx(-sign)
    assert not shoe["stuck"][sliding].any()
    # TrapezoidalIndex2 reports slip and a force of mu N for ever on a mass that has come to rest
    assert shoe["stuck"][-1] == (scheme != "TrapezoidalIndex2")


def test_stick_holds_and_lets_go(block, scheme):
    held = solve(rubbing(block, loads=(Load([0.4], constant(1.0)),)), scheme=scheme)
    assert np.abs(held.displacement).max() < 1e-5
    assert held.elements["shoe"]["stuck"].all()
    moved = solve(rubbing(block, loads=(Load([1.0], polynomial(0.0, 2.0)),)), scheme=scheme)
    # slip from 0.5 s on: x'' = 2 (t - 1/2)
    assert moved.displacement[-1, 0] == pytest.approx(0.5**3 / 3, rel=1e-3)
    slip = moved.time[np.flatnonzero(moved.elements["shoe"]["stuck"] == 0)[0]]
    assert slip == pytest.approx(0.5, abs=5e-3)


def test_static_friction_holds_more_than_kinetic(block):
    pulled = {"loads": (Load([1.0], polynomial(0.0, 4.0)),)}
    moved = solve(rubbing(block, 0.4, **pulled), decay_velocity=1e-6)
    # held up to 2 N, then x'' = 4 t - 1
    truth = 2 * (1 - 0.5**3) / 3 - 2 * 0.5**2 * 0.5 - 0.5**2 / 2
    assert moved.displacement[-1, 0] == pytest.approx(truth, rel=1e-2)


def test_regularised_stick_is_a_spring(block, scheme):
    shoe = Friction("shoe", ([2.0],), 10.0, 0.5, 0.5, law="regularised", stiffness=100.0, damping=1.0)
    response = solve(block(frictions=(shoe,), loads=(Load([1.0], constant(1.0)),)), scheme=scheme)
    t, w = response.time, math.sqrt(400.0 - 4.0)
    assert error(response, (1 - np.exp(-2 * t) * (np.cos(w * t) + 2 / w * np.sin(w * t))) / 400) < 1e-6


def test_uneven_outputs_are_met(block, scheme):
    times = [0.1, 0.15, 0.4, 0.41, 1.0]
    problem = block(stiffness=[[100.0]], initial_velocity=[1.0], output_times=times)
    response = solve(problem, substeps=200, scheme=scheme)
    assert response.time.tolist() == times
    assert error(response, np.sin(10 * response.time) / 10) < 1e-3


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"stops": (Stop("s", [1.0], 0.0, 1.0, damping=1.0),)}, "damped"),
        ({"stops": (Stop("s", [1.0], -1.0, 1.0, geometry="parallel planes"),)}, "overlap"),
        ({"stops": (Stop("s", [1.0], 1.0, 1.0, geometry="circle", lateral=[1.0]),)}, "curved"),
        ({"stops": (Stop("s", [1.0] * 3, 0.0, 1.0),), "initial_displacement": [0.0] * 3}, "one or two"),
        ({"frictions": (Friction("f", ([1.0], [1.0]), 1.0, 0.1, 0.1),)}, "two directions"),
    ],
)
def test_what_cannot_be_expressed_is_refused(block, changes, reason):
    with pytest.raises(NotImplementedError, match=reason):
        solve(block(**changes))


@pytest.mark.parametrize("settings", [{"scheme": "BDF"}, {"rtol": -1.0}, {"substeps": 1.5}, {"step": -1e-3}])
def test_bad_settings_are_refused(block, settings):
    with pytest.raises(SettingsError):
        solve(block(), **settings)


@pytest.mark.parametrize("scheme", ["RK44", "DOPRI5"])
def test_divergence_is_a_failure(block, scheme):
    problem = block(stiffness=[[1e12]], initial_displacement=[1.0])
    with pytest.raises(SolverFailure, match=scheme):
        solve(problem, scheme=scheme, substeps=1)


def test_error_of_exudyn_is_a_failure_and_the_console_stays_silent(block, monkeypatch, capfd):
    monkeypatch.setattr(adapter, "_component", lambda force, i: lambda *_: math.nan)
    with pytest.raises(SolverFailure, match=r"GeneralizedAlpha.*gave up after t = 0 s"):
        solve(block(loads=(Load([1.0], constant(1.0)),)))
    assert capfd.readouterr().err == ""
