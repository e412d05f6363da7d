"""The event-driven driver on small problems with closed solutions."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, polynomial, pulse, step
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.rewriting.obstacles import Node, axes_between, facing_planes, two_bodies
from veridyn.validation_cases.mechanics.sdnd104.statement import CHANGES

ONE = np.ones(1)


def friction(static=1.0, kinetic=None, tangent=ONE, normal=1.0, **more):
    return Friction("rub", (tangent,), normal, static, static if kinetic is None else kinetic, **more)


def switches(stuck):
    return int(np.count_nonzero(np.diff(stuck)))


def test_bounces_between_two_stops_keep_their_energy(solver, block):
    stops = (Stop("right", ONE, 0.5, 1e4), Stop("left", -ONE, 0.5, 1e4))
    flight, touch = 1.0, np.pi / 100
    count = 30
    end = 0.5 + count * (touch + flight) - 0.5 * flight
    r = solver.solve(block(stops=stops, initial_velocity=[1.0], end=end), {})
    assert r.displacement[-1, 0] == pytest.approx(0.0, abs=1e-5)
    assert abs(r.velocity[-1, 0]) == pytest.approx(1.0, abs=1e-5)
    assert r.counters["events"] >= 2 * count


def test_slider_on_a_spring_stops_for_good(solver, block):
    """Turning points 5.3, -3.3, 1.3, 0.7: each half period pi loses 2 mu N/k; at 0.7 the spring is too weak."""
    problem = block(stiffness=np.eye(1), initial_displacement=[5.3], frictions=(friction(),), end=20.0)
    r = solver.solve(problem, {})
    late = r.time > 3 * np.pi + 1e-6
    np.testing.assert_allclose(r.displacement[late, 0], 0.7, atol=1e-7)
    assert np.all(r.velocity[late] == 0)
    assert np.all(r.elements["rub"]["stuck"][late] == 1)
    np.testing.assert_allclose(r.elements["rub"]["force"][late], 0.7, atol=1e-7)
    assert r.displacement[np.argmin(abs(r.time - np.pi)), 0] == pytest.approx(-3.3, abs=1e-3)


def test_sticks_for_ever_below_the_limit(solver, block):
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(0.999999, 7.0))
    r = solver.solve(block(frictions=(friction(),), supports=(shake,), end=30.0), {})
    assert np.all(r.displacement == 0)
    assert np.all(r.elements["rub"]["stuck"] == 1)
    np.testing.assert_allclose(r.elements["rub"]["force"], shake.acceleration(r.time), atol=1e-13)


@pytest.mark.parametrize("a0", ["1.01", "1.0001", "1.00000001"])
def test_short_break_away_is_not_jumped_over(solver, block, a0):
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(a0, "2*pi"))
    r = solver.solve(block(frictions=(friction(),), supports=(shake,), end=1.2), {})
    events = CHANGES(a0=a0, mu=1, g=1, m=1, omega="6.283185307179586476925286766559", t_start=0, t_end=1)
    expected = sum(
        float(b.time) - float(a.time) for a, b in pairwise(events) if a.kind != "stick" and b.kind == "stick"
    )
    assert expected > 0
    assert r.counters["events"] >= len(events)
    if a0 != "1.00000001":  # its slips are shorter than the output spacing
        slipping = np.mean(r.elements["rub"]["stuck"] == 0) * 1.2
        assert slipping == pytest.approx(expected, abs=0.02)


def test_static_limit_above_the_kinetic(solver, block):
    ramp = Load(ONE, polynomial(0.0, 1.0))
    r = solver.solve(block(frictions=(friction(1.0, 0.5),), loads=(ramp,), end=3.0), {})
    t = r.time
    np.testing.assert_allclose(r.velocity[:, 0], np.where(t < 1, 0.0, (t**2 - 1) / 2 - 0.5 * (t - 1)), atol=1e-8)
    assert switches(r.elements["rub"]["stuck"]) == 1


def test_load_exactly_at_the_limit_sticks(solver, block):
    r = solver.solve(block(frictions=(friction(),), loads=(Load(ONE, step(1.0)),)), {})
    assert np.all(r.displacement == 0)


def test_jump_of_a_load_breaks_stick(solver, block):
    r = solver.solve(block(frictions=(friction(),), loads=(Load(ONE, pulse(3.0, 0.3, 0.5)),), end=2.0), {})
    peak = np.argmax(r.velocity[:, 0])
    assert r.velocity[peak, 0] == pytest.approx(0.4, abs=1e-8)
    assert r.displacement[-1, 0] == pytest.approx(0.5 * 2 * 0.2**2 + 0.5 * 0.4**2, abs=1e-8)
    assert r.elements["rub"]["stuck"][-1] == 1


def test_friction_on_a_stop_follows_its_force(solver, block):
    """A body falls on an elastic floor while it slides: the tangential impulse is mu times the normal one."""
    floor = Stop("floor", np.array([1.0, 0.0]), 0.1, 1e4)
    rub = friction(0.3, tangent=np.array([0.0, 1.0]), normal="floor")
    problem = block(initial_displacement=[0.0, 0.0], initial_velocity=[1.0, 2.0], stops=(floor,), frictions=(rub,))
    r = solver.solve(problem, {})
    np.testing.assert_allclose(r.velocity[-1], [-1.0, 2.0 - 0.3 * 2.0], atol=1e-8)
    force = r.elements["floor"]["normal_force"]
    np.testing.assert_allclose(r.elements["rub"]["force"], -0.3 * force, atol=1e-9)
    assert np.all(force >= 0)


def test_damped_stop_is_never_tensile(solver, block):
    """Free flight of a mass into spring and damper; it leaves when the force vanishes, before the gap opens."""
    zeta, w = 0.3, 50.0
    stop = Stop("stop", ONE, 0.2, w**2, damping=2 * zeta * w)
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0]), {})
    wd, decay = w * np.sqrt(1 - zeta**2), zeta * w

    def x(t):
        return np.exp(-decay * t) * np.sin(wd * t) / wd

    def v(t):
        return np.exp(-decay * t) * (np.cos(wd * t) - decay / wd * np.sin(wd * t))

    leave = brentq(lambda t: w**2 * x(t) + 2 * zeta * w * v(t), 1e-3, np.pi / wd)
    assert r.velocity[-1, 0] == pytest.approx(v(leave), abs=1e-8)
    assert x(leave) > 0
    assert np.all(r.elements["stop"]["normal_force"] >= 0)


def test_events_are_reported_with_the_state_that_begins_there(solver, block):
    stop = Stop("stop", ONE, 0.25, 1e4)
    r = solver.solve(block(stops=(stop,), initial_velocity=[1.0]), {})
    close, leave = r.events["stop"]
    assert (close, leave) == (pytest.approx(0.25, abs=1e-9), pytest.approx(0.25 + np.pi / 100, abs=1e-8))
    at = np.searchsorted(r.time, [close, leave])
    np.testing.assert_allclose(r.displacement[at, 0], 0.25, atol=1e-9)
    np.testing.assert_allclose(r.velocity[at, 0], [1.0, -1.0], atol=1e-7)
    assert r.time[0] == 0
    assert r.time[-1] == 1
    assert np.all(np.diff(r.time) > 1e-6)  # an output instant at an event is given up for it


def test_friction_events_carry_the_new_flag(solver, block):
    r = solver.solve(block(frictions=(friction(),), initial_velocity=[0.5]), {})
    (stop,) = r.events["rub"]
    assert stop == pytest.approx(0.5, abs=1e-9)
    stuck = r.elements["rub"]["stuck"]
    assert np.all(stuck == (r.time >= stop))


@pytest.mark.parametrize("miss", [1e-6, -1e-6, 0.0])
def test_grazing_touch(solver, block, miss):
    stop = Stop("stop", ONE, 1.0 + miss, 1e4)
    problem = block(stiffness=np.eye(1), initial_displacement=[-1.0], stops=(stop,), end=20.0)
    r = solver.solve(problem, {})
    np.testing.assert_allclose(r.displacement[:, 0], -np.cos(r.time), atol=1e-3)
    assert r.counters["events"] < 40


def test_two_sliders_on_a_spring(solver, block):
    """The first is pulled until it breaks away; the second holds through the spring until its own limit."""
    k = np.array([[1.0, -1.0], [-1.0, 1.0]])
    rubs = tuple(
        Friction(f"rub{i}", (direction,), 1.0, limit, limit)
        for i, (direction, limit) in enumerate(zip(np.eye(2), (1.0, 0.5), strict=True))
    )
    pull = Load(np.array([1.0, 0.0]), polynomial(0.0, 1.0))
    problem = block(stiffness=k, initial_displacement=[0.0, 0.0], frictions=rubs, loads=(pull,), end=3.0)
    r = solver.solve(problem, {})
    first, second = r.elements["rub0"], r.elements["rub1"]
    t = r.time
    held = (t > 1) & (second["stuck"] == 1)
    np.testing.assert_allclose(r.displacement[held, 0], ((t - 1) - np.sin(t - 1))[held], atol=1e-8)
    assert np.all(first["stuck"][t < 1] == 1)
    assert r.displacement[held, 0].max() == pytest.approx(0.5, abs=0.01)
    assert np.all(np.abs(second["force"]) <= 0.5 + 1e-9)
    assert r.displacement[-1, 1] > 0


def test_too_many_events_are_a_clear_failure(solver, block):
    stops = (Stop("right", ONE, 0.5, 1e4), Stop("left", -ONE, 0.5, 1e4))
    with pytest.raises(SolverFailure, match="more than 5 events"):
        solver.solve(block(stops=stops, initial_velocity=[1.0], end=10.0), {"most_events": 5})


def test_stop_in_the_absolute_frame_meets_a_moving_support(solver, block):
    """The support runs off with t^2/2 while the mass stays behind at rest: it reaches a wall that does not move."""
    away = SupportMotion.from_acceleration("ground", ONE, step(1.0))
    wall = Stop("wall", -ONE, 0.0, 1e4, frame="absolute")
    r = solver.solve(block(stops=(wall,), supports=(away,), initial_velocity=[-0.5], end=2.0), {})
    absolute = r.displacement[:, 0] + r.time**2 / 2
    w, touch = 100.0, np.pi / 100
    expected = np.where(r.time < touch, -0.5 / w * np.sin(w * r.time), 0.5 * (r.time - touch))
    np.testing.assert_allclose(absolute, expected, atol=1e-8)
    np.testing.assert_allclose(r.elements["wall"]["gap"], expected, atol=1e-8)


def test_parallel_planes_rub_on_both_sides(solver, block):
    """Each impact, on either side, takes mu times the normal impulse 2 m v from the tangential momentum."""
    walls = Stop("walls", np.array([1.0, 0.0]), 0.5, 1e4, offset=0.1, geometry="parallel planes")
    rub = friction(0.05, tangent=np.array([0.0, 1.0]), normal="walls")
    start = {"initial_displacement": [0.0, 0.0], "initial_velocity": [1.0, 2.0]}
    r = solver.solve(block(stops=(walls,), frictions=(rub,), end=6.0, **start), {})
    touch = np.pi / 100
    closings = 0.4 + (1.0 + touch) * np.arange(6)
    np.testing.assert_allclose(r.events["walls"], np.column_stack((closings, closings + touch)).ravel(), atol=1e-6)
    np.testing.assert_allclose(r.velocity[-1], [1.0, 2.0 - 6 * 0.05 * 2], atol=1e-6)
    walls_seen = r.elements["walls"]
    np.testing.assert_allclose(walls_seen["gap"], 0.5 - np.abs(r.displacement[:, 0] + 0.1), atol=1e-12)
    assert walls_seen["normal_force"].max() == pytest.approx(100.0, rel=1e-3)
    np.testing.assert_allclose(r.elements["rub"]["normal_force"], walls_seen["normal_force"], atol=1e-9)


def test_modes_are_as_good_as_matrices(solver, block):
    """Two masses between springs, a stop and a friction: by matrices, and by the two modes of the same chain."""
    k = np.array([[2.0, -1.0], [-1.0, 2.0]])
    omega2, shapes = np.linalg.eigh(k)
    first, second = np.eye(2)
    common = {
        "initial_displacement": [0.5, 0.0],
        "initial_velocity": [0.0, 0.3],
        "stops": (Stop("wall", second, 0.2, 1e3),),
        "frictions": (Friction("rub", (first,), 0.1, 1.0, 1.0),),
        "supports": (SupportMotion.from_acceleration("ground", np.ones(2), Harmonic(0.7, 3.0)),),
        "loads": (Load(second, step(0.1)),),
        "end": 10.0,
    }
    modes = Modes(omega=np.sqrt(omega2), damping=np.array([0.02, 0.05]), masses=np.ones(2), shapes=shapes)
    damping = shapes @ np.diag(2 * modes.damping * modes.omega) @ shapes.T
    by_matrices = solver.solve(block(stiffness=k, damping=damping, **common), {})
    by_modes = solver.solve(block(mass=None, modes=modes, **common), {})
    assert by_matrices.counters["events"] >= 10
    for name in ("wall", "rub"):
        np.testing.assert_allclose(by_modes.events[name], by_matrices.events[name], atol=1e-6)
    np.testing.assert_allclose(by_modes.displacement[-1], by_matrices.displacement[-1], atol=1e-6)


def test_two_bodies_with_planes_collide(solver, block):
    """Half a period of the relative motion, π sqrt(m/(2 k)), in contact; then the bodies fly apart as they came."""
    nodes = Node((0, None, None), [0.0, 0.0, 0.0]), Node((1, None, None), [1.0, 0.0, 0.0])
    motion = two_bodies(2, *nodes, axes_between([0.0, 0.0, 1.0], *nodes))
    gap = facing_planes("gap", motion, 0.3, 0.5, 1e4)
    speeds = {"initial_displacement": [0.0, 0.0], "initial_velocity": [1.0, -1.0]}
    response = solver.solve(block(stops=(gap.stop,), **speeds), {})
    first = 0.1 - (1.0 - 0.1 - np.pi * np.sqrt(0.5 / 1e4))
    np.testing.assert_allclose(response.displacement[-1], [first, -first], atol=1e-7)
    np.testing.assert_allclose(response.velocity[-1], [-1.0, 1.0], atol=1e-7)


REFUSED = {
    "regularised": {"frictions": (friction(law="regularised", stiffness=1.0),)},
    "not piecewise linear": {"stops": (Stop("ring", ONE, 1.0, 1.0, geometry="circle", lateral=ONE),)},
    "its two tangents": {
        "mass": np.eye(2),
        "stiffness": np.eye(2),
        "initial_displacement": np.ones(2),
        "initial_velocity": np.zeros(2),
        "frictions": (Friction("rub", (np.array([1.0, 0.0]), np.array([0.0, 1.0])), 1.0, 1.0, 1.0),),
    },
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_expressible_is_refused_with_the_reason(solver, block, what):
    if f"friction:{what}" in solver.capabilities:
        pytest.skip("this solver expresses it")
    problem = block(**REFUSED[what])
    with pytest.raises(NotImplementedError, match=what):
        solver.solve(problem, {})
