"""Stops without stiffness: what they may be, the law of impact, contact and release, rest after accumulation."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from veridyn import Friction, Harmonic, Load, MechanicalProblem, Stop, as_initial_value, step
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.smoothness import regularity
from veridyn.problem.time_scales import shortest_period
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.event_driven.contact_modes import ContactMode, Grip, Touch
from veridyn.solver.event_driven.impacts import impact
from veridyn.solver.event_driven.mechanics import Mechanics
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.postprocessing.balance import energy_residual

TIGHT = {"scheme": "DOP853", "rtol": 1e-12, "atol": 1e-14}


def ball(e=0.8, end=5.0, **changes):
    floor = Stop("floor", [-1.0], gap=0.0, restitution=e)
    given = {"mass": 2.0, "initial_displacement": [1.0], "end": end, "output_times": np.linspace(0.0, end, 501)}
    return MechanicalProblem(**{**given, "loads": Load([-2 * 9.81], 1.0), "stops": floor, **changes})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "give its stiffness"),
        ({"restitution": -0.1}, r"restitution = -0.1 must lie in \[0, 1\]"),
        ({"restitution": 1.1}, r"restitution = 1.1 must lie in \[0, 1\]"),
        ({"restitution": math.nan}, "must lie in"),
        ({"restitution": "0.5"}, "must lie in"),
        ({"restitution": 0.5, "stiffness": 1e5}, "leave out its stiffness"),
        ({"restitution": 0.5, "damping": 1.0}, "leave out its stiffness and damping"),
        ({"restitution": 0.5, "geometry": "circle", "lateral": [1.0]}, "a rigid stop is a plane"),
        ({"stiffness": math.inf}, "give its stiffness"),
    ],
)
def test_what_is_no_rigid_stop_is_refused(fields, message):
    with pytest.raises(ProblemError, match=message):
        Stop("wall", [1.0], gap=0.1, **fields)


def test_json_has_restitution_in_place_of_stiffness():
    (stop,) = json.loads(ball().to_json())["stops"]
    assert stop["restitution"] == 0.8
    assert not {"stiffness", "damping"} & stop.keys()
    (read,) = problem_from_json(ball().to_json()).stops
    assert (read.restitution, read.stiffness, read.rigid) == (0.8, math.inf, True)
    (elastic,) = json.loads(ball(stops=Stop("s", [1.0], gap=0.0, stiffness=5.0)).to_json())["stops"]
    assert "restitution" not in elastic


def test_what_follows_from_it():
    assert {"contact", "contact:rigid"} <= ball().needs
    assert regularity(ball()) == 1.0
    assert shortest_period(ball()) == 5.0
    with pytest.raises(NotImplementedError, match="elastic"):
        energy_residual(ball(), EXACT.solve(ball(), {}))
    with pytest.raises(ProblemError, match="'floor'"):
        as_initial_value(ball())


@pytest.mark.parametrize(("solver", "settings", "close"), [(EXACT, {}, 1e-13), (SCIPY, TIGHT, 1e-10)])
def test_a_ball_comes_to_rest(solver, settings, close):
    """Flight n lasts 2 e^n sqrt(2 h/g)."""
    e, fall = 0.8, math.sqrt(2 / 9.81)
    r = solver.solve(ball(e), settings)
    hits = r.events["floor"][:30]
    true = fall * (1 + 2 * np.concatenate(([0.0], np.cumsum(e ** np.arange(1.0, 30.0)))))
    assert np.abs(hits - true).max() < close
    after = r.velocity[np.searchsorted(r.time, hits), 0]
    assert np.abs(after - e ** np.arange(1.0, 31.0) * 9.81 * fall).max() < 100 * close
    limit = fall * (1 + e) / (1 - e)
    assert limit - 1e-3 < r.events["floor"][-1] < limit
    assert np.all(r.elements["floor"]["normal_force"][r.time > limit] == pytest.approx(2 * 9.81))
    assert np.abs(r.displacement[r.time > limit]).max() < 1e-12
    assert r.counters["impacts"] == r.events["floor"].size
    assert r.counters["settled"] == 1


def test_an_elastic_ball_goes_on():
    r = EXACT.solve(ball(1.0), {})
    assert r.counters["impacts"] == math.floor((5.0 / math.sqrt(2 / 9.81) + 1) / 2)
    assert r.counters["settled"] == 0
    energy = r.velocity[:, 0] ** 2 / 2 + 9.81 * r.displacement[:, 0]
    assert np.ptp(energy) < 1e-12 * 9.81


def test_a_stop_lets_go_where_it_would_pull():
    """A mass pressed by F cos t leaves the stop at t = pi/2, with x = -F (t - pi/2)^3/6 and more."""
    pressed = MechanicalProblem(
        mass=1.0,
        end=4.0,
        output_times=np.linspace(0.0, 4.0, 401),
        loads=Load([1.0], Harmonic(3.0, 1.0, phase="pi/2")),
        stops=Stop("wall", [1.0], gap=0.0, restitution=0.3),
    )
    for solver, settings, close in ((EXACT, {}, 1e-13), (SCIPY, TIGHT, 1e-9)):
        r = solver.solve(pressed, settings)
        assert r.events["wall"] == pytest.approx([math.pi / 2], abs=1e-12 if solver is EXACT else 1e-8)
        lapse = np.maximum(r.time - math.pi / 2, 0.0)
        assert np.abs(r.displacement[:, 0] - 3.0 * (np.sin(lapse) - lapse)).max() < close
        assert np.abs(r.elements["wall"]["normal_force"] - 3.0 * np.maximum(np.cos(r.time), 0.0)).max() < 1e-8


def test_what_begins_on_a_stop_and_goes_into_it_hits_it_at_once():
    r = EXACT.solve(ball(0.5, 0.1, initial_displacement=[0.0], initial_velocity=[-1.0]), {})
    assert r.velocity[0, 0] == pytest.approx(0.5)
    assert r.events["floor"].tolist() == [0.0]


@pytest.mark.parametrize("solver", [EXACT, SCIPY])
@pytest.mark.parametrize("shift", [-1e-13, -1e-16, 0.0, 1e-16, 1e-13])
def test_a_touch_on_a_seam_is_one_impact(solver, shift):
    """The seam is the begin of another load, or the end of one solve and the begin of the next."""
    for h, g in ((1.0, 9.81), (0.37, 4.2), (2.9, 17.0)):
        fall = math.sqrt(2 * h / g)
        seam = fall * (1 + shift)
        given = {"mass": 1.0, "loads": Load([-1.0], g), "stops": Stop("floor", [-1.0], gap=0.0, restitution=0.7)}
        whole = MechanicalProblem(**given, initial_displacement=[h], end=1.5 * fall)
        whole = replace(whole, loads=(*whole.loads, Load([0.0], step(1.0, seam))))
        first = MechanicalProblem(**given, initial_displacement=[h], end=seam)
        r = solver.solve(first, {})
        start = {"initial_displacement": r.displacement[-1], "initial_velocity": r.velocity[-1], "start": seam}
        second = MechanicalProblem(**given, **start, end=1.5 * fall)
        place = 0.7 * g * fall**2 / 2 - g * fall**2 / 8
        for parts in ((whole,), (first, second)):
            answers = [solver.solve(part, {}) for part in parts]
            assert sum(a.counters["impacts"] for a in answers) == 1
            assert answers[-1].displacement[-1, 0] == pytest.approx(place, abs=1e-8)
            assert all(np.isin(a.events["floor"], a.time).all() for a in answers)


def corner(e, other):
    """Return a body of full mass that flies into a corner, both walls of which it reaches at once."""
    return MechanicalProblem(
        mass=[[2.0, 0.5], [0.5, 1.0]],
        initial_displacement=[-1.0, -1.0],
        initial_velocity=[1.0, 1.0],
        end=2.0,
        output_times=np.linspace(0.0, 2.0, 21),
        stops=(Stop("wall", [1.0, 0.0], gap=0.0, restitution=e), Stop("roof", [0.0, 1.0], gap=0.0, restitution=other)),
    )


@pytest.mark.parametrize("solver", [EXACT, SCIPY])
def test_stops_that_are_hit_together_share_the_impulse(solver):
    r = solver.solve(corner(0.5, 0.5), {})
    assert r.velocity[-1] == pytest.approx([-0.5, -0.5])
    assert r.events["wall"] == pytest.approx([1.0])
    assert r.events["roof"] == pytest.approx([1.0])


def test_the_law_of_impact_is_complementarity():
    """A stop that the impulse of another pushes away gives none; the velocities have the least change of energy."""
    mechanics = Mechanics(corner(0.5, 0.5))
    for seed in range(50):
        v = np.random.default_rng(seed).normal(size=2)
        mode = ContactMode((Touch.OPEN, Touch.OPEN), ())
        after = impact(mechanics, mode, np.concatenate((np.zeros(2), v)), np.zeros(0), 1.0, 1e-9).state[2:]
        impulses, least = mechanics.problem.mass @ (v - after), -0.5 * np.maximum(v, 0.0)
        assert np.all(impulses > -1e-12)
        assert np.all(after <= least + 1e-12)
        assert impulses @ (least - after) == pytest.approx(0.0, abs=1e-12)


def test_a_body_that_sticks_is_kicked_by_an_impact():
    """Friction under a constant force gives no impulse."""
    pair = MechanicalProblem(
        mass=[[2.0, 0.5], [0.5, 1.0]],
        initial_velocity=[1.0, 0.0],
        end=0.5,
        output_times=np.linspace(0.0, 0.5, 51),
        stops=Stop("wall", [1.0, 0.0], gap=0.1, restitution=0.5),
        frictions=Friction("rub", [0.0, 1.0], 20.0, 0.5, 0.5),
    )
    mechanics = Mechanics(pair)
    mode = ContactMode((Touch.OPEN,), (Grip.STICK,))
    struck = impact(mechanics, mode, np.array([0.1, 0.0, 1.0, 0.0]), np.zeros(0), 1.0, 1e-9)
    assert struck.state[2:] == pytest.approx([-0.5, 0.75])  # M dv = (-p, 0)
    assert struck.mode.frictions == (Grip.SLIP_UP,)
    one, other = EXACT.solve(pair, {}), SCIPY.solve(pair, TIGHT)
    assert one.events["rub"].size == 2
    assert other.displacement[-1] == pytest.approx(one.displacement[-1], abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_event_driven_solvers_agree_with_the_exact_one(seed):
    rng = np.random.default_rng(seed)
    g, h = rng.normal(size=(2, 3, 3))
    stiffness = 10 * h @ h.T + np.eye(3)
    problem = MechanicalProblem(
        mass=g @ g.T + np.eye(3),
        stiffness=stiffness,
        damping=0.02 * stiffness,
        initial_velocity=0.3 * rng.normal(size=3),
        end=2.0,
        output_times=np.linspace(0.0, 2.0, 201),
        loads=(Load(rng.normal(size=3), Harmonic(3.0, 2.2, 0.4)), Load(rng.normal(size=3), 1.0)),
        stops=[
            Stop(f"stop{i}", n, gap=0.05, restitution=e) for i, (n, e) in enumerate(((np.eye(3)[0], 0.7), (g[1], 0.2)))
        ],
        frictions=Friction("rub", rng.normal(size=3), 1.0, 0.3, 0.3),
    )
    one, other = EXACT.solve(problem, {}), SCIPY.solve(problem, TIGHT)
    at = [r.displacement[np.searchsorted(r.time, problem.output_times[::20] - 1e-9)] for r in (one, other)]
    assert one.counters["impacts"] > 0
    assert np.abs(at[0] - at[1]).max() < 1e-7 * np.abs(at[0]).max()


def test_friction_on_a_rigid_stop_is_refused_by_those_who_switch_guards_one_by_one():
    both = ball(frictions=Friction("rub", [1.0], "floor", 0.3, 0.3))
    with pytest.raises(NotImplementedError, match="'rub'"):
        SCIPY.solve(both, {})
