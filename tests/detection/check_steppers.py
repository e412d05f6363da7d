"""The two time-stepping hosts: their methods, laws, refusals and failures.

They compile for half a minute, so ``tox -e detection`` runs this file and no other command does.
"""

import math
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numba import njit
from scipy.linalg import eigh

from veridyn.problem.devices import NonlinearSpring, Zener
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, pulse
from veridyn.references.methods.discrete import LinearProblem as Linear
from veridyn.references.methods.discrete import march, read_method

from .hosts import explicit, generalised_alpha

NOT_OF_THE_METHOD = ("order", "method", "lag", "numerical_damping", "stability")


@pytest.fixture(params=[generalised_alpha.SOLVER, explicit.SOLVER], ids=lambda s: s.name)
def solver(request):
    return request.param


@pytest.fixture
def implicit():
    return generalised_alpha.SOLVER


@pytest.fixture
def leapfrog():
    return explicit.SOLVER


def oscillator(**changes):
    """Mass of 2 kg at w = 10 rad/s."""
    form = {
        "name": "oscillator",
        "mass": [[2.0]],
        "stiffness": [[200.0]],
        "initial_displacement": [0.1],
        "initial_velocity": [0.3],
        "end": 2.0,
    }
    return MechanicalProblem(**{**form, **changes})


def chain(**changes):
    """Three masses with damping that couples the modes, a mass matrix that is full, a force and a moving support."""
    stiffness = 1000.0 * np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    form = {
        "name": "chain",
        "mass": [[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 1.5]],
        "damping": [[3.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.5]],
        "stiffness": stiffness,
        "initial_displacement": [0.01, 0.0, -0.02],
        "initial_velocity": [0.0, 0.5, 0.0],
        "start": 0.5,
        "end": 1.5,
        "loads": (Load(np.array([0.0, 0.0, 20.0]), Harmonic(1.0, 17.0, 0.3)),),
        "supports": (SupportMotion.from_acceleration("base", np.ones(3), Harmonic(3.0, 11.0)),),
    }
    return MechanicalProblem(**{**form, **changes})


def force_of(problem):
    """Force of the chain at an instant."""

    def force(t):
        loads = sum(np.asarray(load.direction) * load.function(t) for load in problem.loads)
        return loads - sum(problem.mass @ s.influence * s.acceleration(t) for s in problem.supports)

    return force


def exact_discrete(solver, problem, step, count, **changed):
    claims = {name: value for name, value in solver.claims.items() if name not in NOT_OF_THE_METHOD}
    method = read_method(solver.claims["method"], {**claims, **changed})
    state = (problem.initial_displacement, problem.initial_velocity)
    linear = Linear(problem.mass, problem.damping, problem.stiffness, force_of(problem), *state, problem.start)
    return march(method, linear, step, count)


def last(solver, problem, step):
    return float(solver.solve(problem, {"step": step})["displacement"][-1, 0])


# --- linear problems: the exact discrete method --------------------------------------------------------------------


def test_linear_motion_is_the_exact_discrete_one(solver):
    problem, count = chain(), 400
    response = solver.solve(problem, {"step": 1.0 / count})
    x, v = exact_discrete(solver, problem, 1.0 / count, count)
    assert np.abs(response["displacement"] - x).max() < 1e-12 * np.abs(x).max()
    assert np.abs(response["velocity"] - v).max() < 1e-12 * np.abs(v).max()


def test_wrong_weight_in_the_third_digit_leaves_the_exact_discrete_motion(implicit):
    problem, count = chain(), 400
    wrong = replace(implicit, beta=implicit.weights().beta + 1e-3)
    x, _ = exact_discrete(implicit, problem, 1.0 / count, count)
    assert np.abs(wrong.solve(problem, {"step": 1.0 / count})["displacement"] - x).max() > 1e-8 * np.abs(x).max()


def test_modes_give_the_motion_of_the_matrices(solver):
    problem = chain(damping=np.zeros((3, 3)), supports=())
    omega2, shapes = eigh(problem.stiffness, problem.mass)
    modes = Modes(omega=np.sqrt(omega2), damping=np.zeros(3), masses=np.ones(3), shapes=shapes)
    by_modes = replace(problem, mass=None, stiffness=None, damping=None, modes=modes)
    settings = {"step": 2e-3}
    x, y = (solver.solve(p, settings)["displacement"] for p in (problem, by_modes))
    assert np.abs(x - y).max() < 1e-11 * np.abs(x).max()


def test_lumped_mass_is_that_of_the_sums_of_rows(leapfrog):
    problem, settings = chain(), {"step": 2e-3}
    diagonal = replace(problem, mass=np.diag(problem.mass.sum(axis=1)))
    x = replace(leapfrog, lumped=True).solve(problem, settings)["displacement"]
    assert np.array_equal(x, leapfrog.solve(diagonal, settings)["displacement"])


@pytest.mark.parametrize("end", [1.0, 0.973])
def test_load_that_jumps_keeps_its_impulse(leapfrog, end):
    load = Load(np.ones(1), pulse(4.0, 0.0, end))
    problem = oscillator(stiffness=[[0.0]], loads=(load,), initial_velocity=[0.0])
    velocity = leapfrog.solve(problem, {"step": 0.1})["velocity"][-1, 0]
    assert velocity == pytest.approx(4.0 * end / 2.0, rel=1e-8)


@pytest.mark.parametrize("function", [pulse("4", "0", "97/100"), Sum((pulse(4.0, 0.0, 0.97),))])
def test_load_of_a_step_with_a_jump_is_its_mean(implicit, function):
    ends = np.linspace(0.0, 2.0, 21)
    value = implicit.value(function, implicit.load_instants(ends), ends)
    assert value == pytest.approx([4.0] * 9 + [0.7 * 4.0] + [0.0] * 10, rel=1e-8)


# --- levels --------------------------------------------------------------------------------------------------------


def test_levels_halve_the_step_and_end_with_the_default(solver):
    problem = chain(output_times=np.linspace(0.5, 1.5, 101))
    steps = [level["step"] for level in solver.refinement(problem)]
    assert len(steps) >= 3
    assert all(coarse == pytest.approx(2 * fine, rel=1e-14) for coarse, fine in pairwise(steps))
    assert solver.defaults(problem) == {"step": steps[-1]}
    time = solver.solve(problem, {})["time"]
    assert (time[0], time[-1]) == (0.5, 1.5)
    assert np.diff(time) == pytest.approx(steps[-1], rel=1e-9)


def test_levels_see_stops_when_closed(solver):
    free = oscillator()
    stopped = oscillator(stops=(Stop("stop", np.ones(1), 1.0, 2e7),))
    assert solver.defaults(stopped)["step"] < 0.1 * solver.defaults(free)["step"]


@pytest.mark.parametrize(("device", "least"), [("spring", 1.9), ("zener", 1.9)])
def test_order_with_devices(solver, device, least):
    laws = {
        "spring": NonlinearSpring.odd(name="d", direction=[1.0], coefficients=[0.0, 100.0, 0.0, 5e3]),
        "zener": Zener(name="d", direction=[1.0], k1=300.0, k2=50.0, k3=200.0, damping=9.0, alpha=0.5),
    }
    problem = oscillator(devices=(laws[device],), end=1.0)
    x = [last(solver, problem, 1 / n) for n in (400, 800, 1600)]
    assert least < math.log2(abs((x[1] - x[0]) / (x[2] - x[1]))) < 2.1


# --- stops ---------------------------------------------------------------------------------------------------------


def touched(**changes):
    """Free mass of 2 kg that meets a stop of 800 N/m after 0.5 s at 1 m/s and leaves it after pi/20 s."""
    stop = Stop("stop", np.ones(1), 0.5, 800.0)
    form = {"stiffness": [[0.0]], "initial_displacement": [0.0], "initial_velocity": [1.0], "end": 1.0}
    return oscillator(**{**form, "stops": (stop,), **changes})


def test_mass_that_touches_a_stop_returns_as_it_came(solver):
    response = solver.solve(touched(), {"step": 1e-4})
    assert response["velocity"][-1, 0] == pytest.approx(-1.0, abs=1e-4)
    assert response["displacement"][-1, 0] == pytest.approx(0.5 - (0.5 - math.pi / 20), abs=1e-4)
    stop = response["elements"]["stop"]
    assert stop["normal_force"].max() == pytest.approx(2.0 * 20.0, rel=1e-4)
    assert stop["normal_force"] == pytest.approx(np.maximum(0.0, -800.0 * stop["gap"]), abs=1e-12)
    assert stop["normal_velocity"] == pytest.approx(-response["velocity"][:, 0], abs=0)


def test_parallel_planes_push_on_both_sides(solver):
    stop = Stop("stop", np.ones(1), 0.5, 800.0, geometry="parallel planes")
    up, down = (
        solver.solve(touched(stops=(stop,), initial_velocity=[v], end=2.0), {"step": 1e-3}) for v in (1.0, -1.0)
    )
    assert np.array_equal(up["displacement"], -down["displacement"])
    assert np.abs(up["displacement"]).max() < 0.56
    assert np.count_nonzero(np.diff(np.sign(up["velocity"][:, 0]))) == 2


def test_restitution_of_a_damped_stop_is_that_of_its_law(solver):
    stop = replace(touched().stops[0], damping=8.0)  # ratio 0.1: the push ends before the gap is open again
    ratio, omega = 0.1, 20.0
    damped = omega * math.sqrt(1 - ratio**2)
    end = math.atan2(2 * ratio * math.sqrt(1 - ratio**2), 2 * ratio**2 - 1) / damped
    restitution = math.exp(-ratio * omega * end)
    velocity = solver.solve(touched(stops=(stop,)), {"step": 2e-5})["velocity"][-1, 0]
    assert velocity == pytest.approx(-restitution, abs=2e-4)


def test_stop_in_the_absolute_frame_sees_the_supports(solver):
    drive = Harmonic(2.0, 6.0)
    supports = (SupportMotion.from_acceleration("base", np.ones(1), drive),)
    relative = oscillator(stiffness=[[0.0]], supports=supports, stops=())
    held = oscillator(
        stiffness=[[0.0]],
        initial_displacement=[0.0],
        initial_velocity=[1.0 - float(supports[0].velocity(0.0))],
        supports=supports,
        stops=(Stop("stop", np.ones(1), 0.5 + float(supports[0].displacement(0.0)), 800.0, frame="absolute"),),
        end=1.0,
    )
    assert "absolute-frame" in held.needs - relative.needs
    response = solver.solve(held, {"step": 1e-4})
    absolute = response["velocity"][-1, 0] + float(supports[0].velocity(1.0))
    assert absolute == pytest.approx(-1.0, abs=2e-4)


# --- friction ------------------------------------------------------------------------------------------------------


def slider(static=0.1, kinetic=0.1, **changes):
    """Mass of 1 kg on 100 N/m under friction with a normal force of 10 N."""
    friction = Friction("shoe", (np.ones(1),), 10.0, static, kinetic)
    form = {"mass": [[1.0]], "stiffness": [[100.0]], "initial_velocity": [0.0], "frictions": (friction,)}
    return oscillator(**{**form, **changes})


def test_free_decay_loses_twice_the_dead_zone_in_every_half_cycle(solver):
    response = solver.solve(slider(initial_displacement=[0.055]), {"step": 1e-4})
    assert response["displacement"][-1, 0] == pytest.approx(-0.055 + 0.02 + 0.02 + 0.02, abs=1e-5)
    shoe = response["elements"]["shoe"]
    assert shoe["stuck"][-1] == 1
    assert np.abs(shoe["sliding_velocity"][shoe["stuck"] == 1][1:]).min() == 0
    assert np.abs(shoe["force"]).max() <= 1.0


def test_what_is_held_does_not_move(solver):
    response = solver.solve(slider(initial_displacement=[0.009]), {"step": 1e-3})
    assert response["displacement"] == pytest.approx(0.009, abs=1e-15)
    assert response["elements"]["shoe"]["force"] == pytest.approx(0.9, rel=1e-12)


def test_breakaway_needs_the_static_limit(solver):
    slow = Piecewise((0.0,), ((0.0, 1.0),))  # 1 N/s
    problem = slider(0.15, 0.1, stiffness=[[0.0]], initial_displacement=[0.0], loads=(Load(np.ones(1), slow),))
    response = solver.solve(problem, {"step": 1e-3})
    first = np.flatnonzero(response["elements"]["shoe"]["stuck"] == 0)[0]
    assert response["time"][first] == pytest.approx(1.5, abs=2e-3)
    # from 1.5 s on the excess is 0.5 N and grows by 1 N/s
    assert response["velocity"][-1, 0] == pytest.approx(0.5 * 0.5 + 0.5**2 / 2, abs=2e-3)


def falls_and_slides(**changes):
    """Mass that slides on a stop on which it bounces."""
    stop = Stop("floor", np.array([0.0, -1.0]), 0.0, 2e4, damping=40.0)
    weight = Load(np.array([0.5, -20.0]), Piecewise((0.0,), ((1.0,),)))
    form = {
        "mass": 2 * np.eye(2),
        "stiffness": np.zeros((2, 2)),
        "initial_displacement": [0.0, 0.01],
        "initial_velocity": [1.0, 0.0],
        "end": 0.6,
        "loads": (weight,),
        "stops": (stop,),
        "frictions": (Friction("floor, rubbed", (np.array([1.0, 0.0]),), "floor", 0.35, 0.3),),
    }
    return oscillator(**{**form, **changes})


def test_friction_on_a_stop_follows_its_force(solver):
    response = solver.solve(falls_and_slides(), {"step": 1e-4})
    rubbed, floor = response["elements"]["floor, rubbed"], response["elements"]["floor"]
    force, normal = rubbed["force"], floor["normal_force"]
    assert np.all(np.abs(force) <= 0.35 * normal * (1 + 1e-14))
    sliding = (rubbed["stuck"] == 0) & (normal > 0)
    assert force[sliding] == pytest.approx(-0.3 * normal[sliding], rel=1e-12)
    # all of the weight, and what the fall brings, has passed through the floor; friction takes 0.3 of it
    impulse = float(np.sum(0.5 * (normal[1:] + normal[:-1])) * 1e-4)
    stopped = response["time"][np.flatnonzero(rubbed["stuck"] == 1)[0]] if rubbed["stuck"].any() else 0.6
    assert stopped < 0.6
    assert impulse == pytest.approx(20.0 * 0.6, rel=2e-2)


def test_both_solvers_find_the_same_motion(implicit, leapfrog):
    device = Zener(name="rubber", direction=[1.0, 0.0], k1=300.0, k2=50.0, k3=200.0, damping=9.0)
    problem = falls_and_slides(devices=(device,))
    a, b = (s.solve(problem, {"step": 2e-5})["displacement"] for s in (implicit, leapfrog))
    assert np.abs(a - b).max() < 5e-4 * np.abs(a).max()


# --- refusals and failures -----------------------------------------------------------------------------------------


def test_too_many_steps_are_refused(solver):
    with pytest.raises(NotImplementedError, match="steps are needed"):
        solver.solve(touched(stops=(replace(touched().stops[0], stiffness=1e12),)), {})


def test_steps_that_are_asked_for_may_be_finer_than_the_most_by_default(solver, monkeypatch):
    """A failure of convergence is confirmed on two finer levels."""
    default = solver.defaults(touched())["step"]
    count = round((touched().end - touched().start) / default)
    monkeypatch.setattr(sys.modules[type(solver).__module__], "MOST_STEPS", count)
    assert solver.solve(touched(), {"step": default / 4})["time"].size == 4 * count + 1
    with pytest.raises(NotImplementedError, match=f"{5 * count} steps are needed, at most {4 * count} are taken"):
        solver.solve(touched(), {"step": default / 5})


def test_what_is_missing_is_named(solver):
    friction = Friction("shoe", (np.ones(1), np.ones(1)), 10.0, 0.1, 0.1)
    with pytest.raises(NotImplementedError, match="friction:two-tangents"):
        solver.solve(slider(frictions=(friction,)), {})


def test_newton_that_does_not_converge_is_said(implicit):
    with pytest.raises(ArithmeticError, match=r"Newton's iteration does not converge at t = "):
        replace(implicit, newton_iterations=0).solve(oscillator(), {"step": 1e-2})


def test_unstable_step_is_said(leapfrog):
    with pytest.raises(ValueError, match="not above"):
        leapfrog.solve(oscillator(), {"step": 0.2001})


# --- laws can be exchanged one at a time ---------------------------------------------------------------------------


@njit
def soft(distance, rate, stiffness, damping, mobility):
    return max(0.0, -0.99 * stiffness * distance)


def test_another_law_changes_the_motion(leapfrog):
    other = explicit.with_law(leapfrog, contact_force=soft)
    peak = other.solve(touched(), {"step": 1e-4})["elements"]["stop"]["normal_force"].max()
    assert peak == pytest.approx(40.0 * math.sqrt(0.99), rel=1e-4)
