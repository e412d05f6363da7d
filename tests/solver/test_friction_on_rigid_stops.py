"""Friction under the forces of rigid stops: closed forms of what slides, sticks, bounces and jams."""

import math

import numpy as np
import pytest

from veridyn import Friction, Harmonic, Load, MechanicalProblem, Stop, SupportMotion
from veridyn.problem.time_functions import polynomial
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.moreau_jean import SOLVER as STEPS

G, MU = 9.81, 0.3


def block(mass=None, mu=MU, static=None, e=0.5, loads=(), **changes):
    """A block of 2 kg, (x, z), over a floor z = 0; its weight is the first load."""
    mass = 2 * np.eye(2) if mass is None else mass
    weight = Load([0.0, -2 * G], 1.0)
    given = {"mass": mass, "end": 3.0, "output_times": np.linspace(0.0, 3.0, 301), "loads": (weight, *loads)}
    floor = Stop("floor", [0.0, -1.0], gap=0.0, restitution=e)
    return MechanicalProblem(**{**given, "stops": floor, "frictions": rub(mu, static), **changes})


def rub(mu=MU, static=None, **changes):
    return Friction("rub", [1.0, 0.0], "floor", mu if static is None else static, mu, **changes)


def at(response, t):
    return response.velocity[np.searchsorted(response.time, t)]


@pytest.mark.parametrize("v", [3.0, -3.0])
def test_a_block_slides_and_stops(v):
    r = EXACT.solve(block(initial_velocity=[v, 0.0]), {})
    stops = abs(v) / (MU * G)
    assert r.events["rub"] == pytest.approx([stops], rel=1e-14)
    assert r.events["floor"].size == 0
    lapse = np.minimum(r.time, stops)
    assert r.displacement[:, 0] == pytest.approx(v * lapse - np.sign(v) * MU * G * lapse**2 / 2, abs=1e-14)
    assert r.displacement[:, 1] == pytest.approx(0.0, abs=1e-15)
    slides = r.time < stops
    assert r.elements["floor"]["normal_force"] == pytest.approx(2 * G)
    assert r.elements["rub"]["force"][slides] == pytest.approx(-np.sign(v) * MU * 2 * G)
    assert r.elements["rub"]["force"][~slides] == pytest.approx(0.0, abs=1e-13)


def test_a_pull_that_grows_moves_the_block_when_the_static_coefficient_says():
    """Break-away at c t = mu_s m g; then m x'' = c t - mu_k m g."""
    c, static = 5.0, 0.4
    r = EXACT.solve(block(static=static, loads=(Load([1.0, 0.0], polynomial(0.0, c)),), end=3.0), {})
    off = static * 2 * G / c
    assert r.events["rub"] == pytest.approx([off], rel=1e-14)
    lapse = np.maximum(r.time - off, 0.0)
    way = c * lapse**3 / 12 + (static - MU) * G * lapse**2 / 2
    assert r.displacement[:, 0] == pytest.approx(way, abs=1e-13)


@pytest.mark.parametrize(("e", "v"), [(0.5, 20.0), (0.9, 40.0), (1.0, -60.0)])
def test_each_bounce_takes_the_same_share_of_the_sliding(e, v):
    """v_t changes by -mu (1 + e) |v_n| while it slides (2 m/s and more are left)."""
    r = EXACT.solve(block(e=e, initial_displacement=[0.0, 1.0], initial_velocity=[v, 0.0]), {})
    falls, hits = math.sqrt(2 * G) * e ** np.arange(4.0), r.events["floor"][:4]
    flights = math.sqrt(2 / G) * np.concatenate(([1.0], 2 * e ** np.arange(1.0, 4.0)))
    hits = hits[: int(np.count_nonzero(np.cumsum(flights) < 3.0))]
    assert hits == pytest.approx(np.cumsum(flights)[: hits.size], rel=1e-13)
    left = v - np.sign(v) * MU * (1 + e) * np.cumsum(falls)
    for hit, fall, glide in zip(hits, falls, left, strict=False):
        assert at(r, hit) == pytest.approx([glide, e * fall], rel=1e-12)


def test_a_bounce_ends_what_slides_slowly():
    """Friction could take mu (1 + e) |v_n| = 2 m/s and takes 1 m/s: no more, and tangents have no restitution."""
    slow = block(initial_displacement=[0.0, 1.0], initial_velocity=[1.0, 0.0])
    r = EXACT.solve(slow, {})
    hit = r.events["floor"][0]
    assert at(r, hit) == pytest.approx([0.0, 0.5 * math.sqrt(2 * G)], abs=1e-14)
    assert np.abs(r.velocity[r.time >= hit, 0]).max() < 1e-14
    assert r.displacement[-1] == pytest.approx([hit, 0.0], abs=1e-14)
    assert r.counters["settled"] == 1


def test_bounces_that_accumulate_leave_a_block_that_slides_on():
    """All bounces together take mu times the momentum of the weight: v' = -mu g as if it had slid from the start."""
    r = EXACT.solve(block(initial_displacement=[0.0, 0.1], initial_velocity=[8.0, 0.0]), {})
    late = r.time > 1.5
    # before the first impact nothing slows it down, which the first impact makes up for
    assert r.velocity[late, 0] == pytest.approx(np.maximum(8.0 - MU * G * r.time[late], 0.0), abs=1e-11)
    assert r.events["rub"][-1] == pytest.approx(8.0 / (MU * G), rel=1e-12)


@pytest.mark.parametrize("s", [1.0, -1.0])
def test_a_wedge_is_pressed_harder_one_way(s):
    """With a full mass matrix x'' = (F + s mu Z)/(m_xx + s mu m_xz), lambda = m_xz x'' - Z under forces F and Z."""
    mass, F, Z, v = np.array([[2.0, 0.8], [0.8, 1.5]]), 1.0, -2 * G, 4.0 * s
    r = EXACT.solve(block(mass=mass, loads=(Load([1.0, 0.0], F),), initial_velocity=[v, 0.0]), {})
    a = (F + s * MU * Z) / (mass[0, 0] + s * MU * mass[0, 1])
    stops = -v / a
    assert r.events["rub"][0] == pytest.approx(stops, rel=1e-13)
    slides = r.time < stops * (1 - 1e-9)
    assert r.velocity[slides, 0] == pytest.approx(v + a * r.time[slides], abs=1e-13)
    assert r.elements["floor"]["normal_force"][slides] == pytest.approx(mass[0, 1] * a - Z)
    assert r.elements["floor"]["normal_force"][-1] == pytest.approx(-Z)
    assert r.elements["rub"]["force"][-1] == pytest.approx(-F)


@pytest.mark.parametrize("frame", ["relative", "absolute"])
def test_a_block_slides_on_a_floor_that_heaves(frame):
    """N = m (g + s''), so that v = v0 - mu (g t + s'(t) - s'(0)), as long as it neither stops nor is thrown off."""
    heave = Harmonic(4.0, 5.0)
    floor = SupportMotion.from_acceleration("ground", [0.0, 1.0], heave)
    given = {"supports": floor, "initial_velocity": [9.0, 0.0], "end": 2.5, "output_times": None}
    stop = Stop("floor", [0.0, -1.0], gap=0.0, restitution=0.5)
    if frame == "absolute":  # the floor is the ground, and the frame of the coordinates heaves
        start, speed = float(floor.displacement(0.0)), float(floor.velocity(0.0))
        given |= {"initial_displacement": [0.0, -start], "initial_velocity": [9.0, -speed]}
        given |= {
            "frictions": rub(frame="absolute"),
            "stops": Stop("floor", [0.0, -1.0], 0.0, restitution=0.5, frame=frame),
        }
    else:
        given |= {"stops": stop}
    r = EXACT.solve(block(**given), {})
    assert r.events["floor"].size == 0
    assert r.events["rub"].size == 0
    moved = floor.velocity(r.time) - float(floor.velocity(0.0))
    pressed = G * r.time + (moved if frame == "relative" else 0.0)
    assert r.velocity[:, 0] == pytest.approx(9.0 - MU * pressed, abs=1e-12)


def test_a_block_is_carried_by_a_belt_that_turns():
    """On a floor that shakes along it a block sticks while |s''| <= mu g, and slides by the difference otherwise."""
    shake = SupportMotion.from_acceleration("floor", [1.0, 0.0], Harmonic(1.5 * MU * G, 2 * math.pi))
    rigid = EXACT.solve(block(supports=shake), {})
    weight = Friction("rub", [1.0, 0.0], 2 * G, MU, MU)
    held = EXACT.solve(block(supports=shake, stops=(), loads=(Load([0.0, 2 * G], 1.0),), frictions=weight), {})
    assert rigid.counters["events"] > 8
    assert rigid.events["rub"] == pytest.approx(held.events["rub"], abs=1e-13)
    assert rigid.displacement[-1, 0] == pytest.approx(held.displacement[-1, 0], abs=1e-13)


def jammed(forces, v):
    """A rod, as it were: with M⁻¹ = [[1, b], [b, 1]] a force up speeds up the sliding that friction slows down."""
    b = 0.9
    mass = np.linalg.inv([[1.0, b], [b, 1.0]])
    given = {"loads": [Load([0.0, 1.0], forces)], "initial_velocity": [v, 0.0], "end": 1.0}
    return MechanicalProblem(
        mass=mass,
        stops=Stop("floor", [0.0, -1.0], gap=0.0, restitution=0.0),
        frictions=Friction("rub", [1.0, 0.0], "floor", 1.5, 1.5),
        **given,
    )


def test_painleve_without_a_consistent_state_is_told():
    with pytest.raises(SolverFailure, match=r"no state .* is consistent at t = 0 s; friction may jam a rigid stop"):
        EXACT.solve(jammed(-1.0, 1.0), {})
    r = EXACT.solve(jammed(-1.0, -1.0), {})  # the other way it slides as it should
    assert r.velocity[1, 0] > -1.0
    assert r.elements["floor"]["normal_force"][0] == pytest.approx(1 / (1 + 0.9 * 1.5))


def test_painleve_with_two_states_leaves_a_stop_that_did_not_press():
    r = EXACT.solve(jammed(1.0, 1.0), {})
    assert r.displacement[-1, 1] == pytest.approx(0.5)
    assert r.elements["floor"]["normal_force"].max() == 0.0


@pytest.mark.parametrize(("floors", "several"), [(("floor",), False), (("floor", "other"), True)])
def test_how_parallel_stops_share_an_impulse_is_told_to_be_open(floors, several):
    """The friction is under one of them: it may get all of the impulse, or none."""
    stops = tuple(Stop(name, [0.0, -1.0], gap=0.0, restitution=0.5) for name in floors)
    thrown = {
        "initial_displacement": [0.0, 0.1],
        "initial_velocity": [3.0, 0.0],
        "end": 0.2,
        "output_times": [0.0, 0.2],
    }
    r = EXACT.solve(block(stops=stops, **thrown), {})
    assert r.counters["impacts"] == 1
    assert (r.counters["ambiguous"] > 0) == several


def test_time_stepping_converges_to_it():
    """Two bodies between rigid walls, on which they rub; Moreau and Jean's steps have the same laws, written apart."""
    g = np.random.default_rng(11).normal(size=(3, 3))
    rows = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, -0.3]])
    pair = MechanicalProblem(
        mass=0.3 * g @ g.T + np.eye(3),
        stiffness=20 * np.eye(3) - 4 * (np.eye(3, k=1) + np.eye(3, k=-1)),
        damping=0.4 * np.eye(3),
        initial_velocity=[1.0, 1.5, -1.0],
        loads=(Load([1.0, 0.5, 2.0], Harmonic(4.0, 3.0)), Load([2.0, 3.0, 0.0], 1.0)),
        stops=tuple(Stop(f"wall{i}", row, 0.05, restitution=0.4) for i, row in enumerate(rows)),
        frictions=tuple(Friction(f"rub{i}", t, f"wall{i}", 0.4, 0.4) for i, t in enumerate(rows[::-1, ::-1])),
        end=3.0,
        output_times=np.linspace(0.0, 3.0, 31),
    )
    exact = EXACT.solve(pair, {})
    assert exact.counters["impacts"] > 5
    assert min(map(len, exact.events.values())) > 1
    x = exact.displacement[np.searchsorted(exact.time, pair.output_times)]
    errors = [np.abs(STEPS.solve(pair, {"substeps": n}).displacement - x).max() / np.abs(x).max() for n in (200, 3200)]
    assert errors[1] < 1e-3
    assert errors[1] < 0.1 * errors[0]
