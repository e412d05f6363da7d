"""Circles and profiles against closed forms: orbits, bounces, friction that turns with the contact."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.gaps import gap_and_normal
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.postprocessing.balance import stop_gap

from .conftest import FAMILIES

examples = settings(deadline=None, max_examples=25, derandomize=True)
each_scheme = pytest.mark.parametrize("scheme", FAMILIES)
EXPLICIT = ("symplectic_euler", "devogelaere", "central_adaptive")
FREE = np.zeros((2, 2))
Y, Z = np.eye(2)
ORDER = {"symplectic_euler": 1, "euler_adaptive": 1}  # the acceleration does not vanish at the start


def ring(radius=1.0, stiffness=100.0, **changes):
    return Stop("ring", Y, radius, stiffness, geometry="circle", lateral=Z, **changes)


def polygon(sides, *, turned=0.0, radius=1.0, stiffness=100.0, **changes):
    angles = turned + 2 * np.pi * np.arange(sides + 1) / sides
    corners = np.column_stack((angles, np.full(sides + 1, radius)))
    return Stop("ring", Y, 0.0, stiffness, geometry="profile", lateral=Z, profile=corners, **changes)


def rubbing(static=0.3, kinetic=0.3, stiffness=1e3, damping=0.0):
    return Friction("rub", (Z,), "ring", static, kinetic, "regularised", stiffness, damping)


@pytest.fixture(scope="session")
def flying(build):
    """Make a free unit mass in the plane, under the stops and frictions given."""

    def make(place, speed, *stops, frictions=(), **changes):
        return build.chain(
            2,
            **{
                "stiffness": FREE,
                "initial_displacement": place,
                "initial_velocity": speed,
                "stops": stops,
                "frictions": frictions,
                **changes,
            },
        )

    return make


def orbit(flying, stop, end=1.0):
    """Pressed against the ring of radius 1 and 100 N/m at radius 1.1 m: a circle at the rate W² = k δ/ρ."""
    rate = math.sqrt(100 * 0.1 / 1.1)
    return flying([1.1, 0.0], [0.0, 1.1 * rate], stop, end=end), rate


@each_scheme
def test_orbit_along_a_circle_converges_with_the_order_of_the_scheme(scheme, flying, march):
    problem, rate = orbit(flying, ring())
    there = 1.1 * np.array([math.cos(rate), math.sin(rate)])
    coarse, fine = (np.abs(march(problem, scheme, h).displacement[-1] - there).max() for h in (0.01, 0.005))
    assert fine < 5e-2
    assert math.log2(coarse / fine) > ORDER.get(scheme, SCHEMES[scheme].order) - 0.2


def angular_momentum(response):
    (y, z), (vy, vz) = response.displacement.T, response.velocity.T
    return y * vz - z * vy


def test_a_central_force_conserves_angular_momentum_to_rounding(flying, march):
    """Kicks of symplectic Euler point at the centre, whatever the step and however the body bounces."""
    problem = flying([0.3, 0.0], [0.5, 1.0], ring(), end=20.0)
    response = march(problem, "symplectic_euler", 0.02)
    assert (response.elements["ring"]["normal_force"] > 0).any()
    assert angular_momentum(response) == pytest.approx(0.3, abs=1e-13 * 1000)


@each_scheme
def test_bounces_conserve_energy_and_angular_momentum(scheme, flying, march):
    """In flight after five bounces: what a kink inside a step leaves vanishes with the step."""
    problem = flying([0.3, 0.0], [0.5, 1.0], ring(), end=10.0)
    errors = []
    for h in (4e-3, 5e-4):
        response = march(problem, scheme, h)
        free = response.elements["ring"]["gap"] > 0
        energy = 0.5 * np.sum(response.velocity**2, axis=1)[free]
        errors.append(max(np.abs(energy - 0.625).max(), np.abs(angular_momentum(response)[free] - 0.3).max()))
    assert errors[1] < max(errors[0] / 4, 1e-10)
    assert errors[1] < 2e-3


@each_scheme
def test_a_bounce_through_the_centre_is_one_between_planes(scheme, flying, march):
    stop = ring(damping=2.0)
    planes = Stop("ring", Y, 1.0, 100.0, 2.0, geometry="parallel planes")
    round_, straight = (march(flying([0.0, 0.0], [3.0, 0.0], s, end=5.0), scheme, 0.01) for s in (stop, planes))
    assert straight.displacement[:, 0].min() < -1 < 1 < straight.displacement[:, 0].max()
    assert round_.displacement == pytest.approx(straight.displacement, abs=1e-12)
    for history in ("gap", "normal_force", "normal_velocity"):
        assert round_.elements["ring"][history] == pytest.approx(straight.elements["ring"][history], abs=1e-11)


@each_scheme
def test_an_oblique_bounce_through_the_centre_is_the_same_bounce(scheme, flying, march):
    along = np.array([0.6, 0.8])
    oblique, straight = (march(flying([0, 0], 3 * d, ring(), end=5.0), scheme, 0.01) for d in (along, Y))
    assert oblique.displacement == pytest.approx(straight.displacement[:, :1] * along, abs=1e-10)


def test_at_the_very_centre_any_normal_will_do(flying, march):
    assert march(flying([0, 0], [0, 0], ring()), "devogelaere", 0.1).elements["ring"]["gap"].tolist() == [1.0] * 11
    outside = replace(ring(), geometry="outside circle")
    response = march(flying([0, 0], [0, 0], outside, end=0.1), "devogelaere", 0.1)
    assert response.elements["ring"]["gap"][0] == -1.0
    assert response.elements["ring"]["normal_force"][0] == 100.0


@each_scheme
def test_head_on_from_outside_a_circle_is_a_plane(scheme, flying, march):
    stop = replace(ring(), geometry="outside circle")
    plane = Stop("ring", -Y, -1.0, 100.0)
    round_, straight = (march(flying([2.0, 0.0], [-2.0, 0.0], s, end=2.0), scheme, 0.01) for s in (stop, plane))
    assert straight.velocity[-1, 0] > 1.9
    assert round_.displacement == pytest.approx(straight.displacement, abs=1e-12)


def test_a_body_glances_off_a_circle(flying, march):
    """Impact parameter 1/2 on a stiff circle of radius 1: deflected by π - 2 arcsin(1/2) = 2π/3."""
    stop = replace(ring(stiffness=1e8), geometry="outside circle")
    response = march(flying([-2.0, 0.5], [1.0, 0.0], stop, end=3.0), "devogelaere", 1e-5)
    deflection = 2 * math.pi / 3
    assert response.velocity[-1] == pytest.approx([math.cos(deflection), math.sin(deflection)], abs=5e-4)


def test_a_polygon_approaches_the_circle_with_order_two(flying, march):
    """Its sides are off by R (1 - cos(π/n)); its normal is off by π/n, which averages out along an orbit."""
    there = march(orbit(flying, ring())[0], "devogelaere", 1e-4).displacement
    errors = []
    for sides in (16, 32, 64, 128, 256):
        path = march(orbit(flying, polygon(sides))[0], "devogelaere", 1e-4).displacement
        errors.append(np.abs(path - there).max())
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(2.0, abs=0.3)


def test_the_normal_of_a_polygon_approaches_that_of_the_circle_with_order_one():
    angles = np.linspace(0, 2 * np.pi, 5000)
    for sides in (8, 16, 32):
        _, cosine, sine = gap_and_normal(polygon(sides), np.cos(angles), np.sin(angles))
        off = np.arccos(np.clip(-cosine * np.cos(angles) - sine * np.sin(angles), -1, 1))
        assert off.max() == pytest.approx(math.pi / sides, rel=0.01)


@pytest.mark.parametrize("sides", [3, 4, 7, 64])
def test_a_polygon_lies_between_its_circles(sides, flying, march):
    """From the centre at R cos(π/n) towards a side the gap shrinks by the way, towards a corner by its cosine."""
    problem = flying([0.0, 0.0], [0.3, 0.4], polygon(sides, radius=9.0))
    gap = march(problem, "symplectic_euler", 0.01).elements["ring"]["gap"]
    away, cosine = np.linspace(0, 0.5, 101), math.cos(math.pi / sides)
    assert gap[0] == pytest.approx(9 * cosine, rel=1e-14)
    assert (gap <= 9 * cosine - away * cosine + 1e-12).all()
    assert (gap >= 9 * cosine - away - 1e-12).all()


@examples
@given(st.floats(-7, 7), st.integers(3, 9), st.sampled_from(EXPLICIT))
def test_a_turned_profile_gives_the_turned_response(flying, march, turned, sides, scheme):
    turn = np.array([[math.cos(turned), -math.sin(turned)], [math.sin(turned), math.cos(turned)]])
    place, speed = np.array([0.1, 0.05]), np.array([1.0, 0.3])
    stops = polygon(sides), polygon(sides, turned=turned)
    one = march(flying(place, speed, stops[0], frictions=(rubbing(),), end=2.0), scheme, 0.01)
    two = march(flying(turn @ place, turn @ speed, stops[1], frictions=(rubbing(),), end=2.0), scheme, 0.01)
    assert (one.elements["ring"]["normal_force"] > 0).any()
    assert two.displacement == pytest.approx(one.displacement @ turn.T, abs=1e-9)


@pytest.mark.parametrize("scheme", EXPLICIT)
def test_friction_slows_an_orbit_as_on_a_rigid_circle(scheme, flying, march):
    """N = m v²/R, so v' = -μ v²/R: the body has turned by ln(1 + μ v0 t/R)/μ; the stop gives way by v²/(k R)."""
    k = 1e6
    start = [1 + 1 / k, 0.0]
    problem = flying(start, [0.0, 1.0], ring(stiffness=k), frictions=(rubbing(stiffness=1.0),), end=2.0)
    response = march(problem, scheme, 2e-4)
    speed, angle = 1 / (1 + 0.3 * 2.0), math.log(1 + 0.3 * 2.0) / 0.3
    assert response.velocity[-1] == pytest.approx(speed * np.array([-math.sin(angle), math.cos(angle)]), abs=2e-4)
    assert response.displacement[-1] == pytest.approx([math.cos(angle), math.sin(angle)], abs=2e-4)
    assert not response.elements["rub"]["stuck"][1:].any()


@pytest.mark.parametrize("scheme", EXPLICIT)
@pytest.mark.parametrize(("static", "slides"), [(0.4, True), (0.7, False)])
def test_a_body_rests_inside_a_circle_below_the_angle_of_friction(scheme, static, slides, flying, march):
    """tan 30° = 0.577; the stick hangs on its spring, which the weight has stretched by m g sin 30°/k_T."""
    tilt, weight = math.pi / 6, 10.0
    down = np.array([math.cos(tilt), -math.sin(tilt)])  # the place Y is 30° off the lowest point
    start = np.array([1 + weight * math.cos(tilt) / 1e4, 0.0])
    frictions = (rubbing(static, static, stiffness=1e4, damping=2e2),)
    stop, loads = ring(stiffness=1e4, damping=2e2), (Load(down, constant(weight)),)
    problem = flying(start, [0, 0], stop, frictions=frictions, loads=loads, end=1.0)
    response = march(problem, scheme, 1e-3)
    assert (abs(response.displacement[-1, 1]) > 0.1) == slides
    if not slides:
        assert response.elements["rub"]["stuck"][-1] == 1
        assert response.displacement[-1, 1] == pytest.approx(-weight * math.sin(tilt) / 1e4, rel=5e-3)


@pytest.mark.parametrize("scheme", EXPLICIT)
def test_the_axial_tangent_does_not_turn(scheme, build, march):
    """Along the axis of the ring the body is braked like around it: isotropic friction in two directions."""
    k, axis = 1e6, np.eye(3)
    stop = Stop("ring", axis[0], 1.0, k, geometry="circle", lateral=axis[1])
    frictions = (Friction("rub", (axis[1], axis[2]), "ring", 0.3, 0.3, "regularised", 1.0),)
    start = {"initial_displacement": [1 + 1 / k, 0, 0], "initial_velocity": [0, 1.0, 1.0]}
    problem = build.chain(3, stiffness=np.zeros((3, 3)), stops=(stop,), frictions=frictions, end=0.5, **start)
    response = march(problem, scheme, 2e-4)
    rub = response.elements["rub"]
    assert rub["force_2"] == pytest.approx(-0.3 / math.sqrt(2) * rub["normal_force"], rel=1e-2)
    assert np.hypot(rub["force"], rub["force_2"])[1:] == pytest.approx(0.3 * rub["normal_force"][1:], rel=1e-12)


CURVED = {
    "circle": ring,
    "profile": lambda **changes: polygon(7, **changes),
    "outside circle": lambda **changes: Stop(
        "ring", Y, 0.3, 100.0, geometry="outside circle", lateral=Z, offset=-0.8, **changes
    ),
}


@examples
@given(st.sampled_from(EXPLICIT), st.sampled_from(list(CURVED)), st.floats(0, 30), st.floats(0, 2 * math.pi))
def test_a_damped_curved_stop_never_pulls(flying, march, scheme, geometry, damping, heading):
    stop = CURVED[geometry](damping=damping)
    speed = 2 * np.array([math.cos(heading), math.sin(heading)])
    problem = flying([0.0, 0.0], speed, stop, loads=(Load([2.0, 1.0], Harmonic(2.0, 3.0)),), end=3.0)
    wall = march(problem, scheme, 0.01).elements["ring"]
    force, gap, rate = wall["normal_force"], wall["gap"], wall["normal_velocity"]
    assert (force >= 0).all()
    assert force == pytest.approx(np.where(gap > 0, 0, np.maximum(0, -100 * gap - damping * rate)), abs=1e-9)


@examples
@given(st.sampled_from(EXPLICIT), st.sampled_from(["circle", "profile"]), st.floats(5, 30), st.floats(1, 8))
def test_friction_around_a_circle_never_feeds_energy(flying, march, scheme, geometry, load, omega):
    """Its work never exceeds what the spring of stick takes over from slip, (μ N)²/(2 k_T); it stays in its cone."""
    h, stop = 1e-3, CURVED[geometry](damping=5.0)
    loads = (Load(Y, constant(20.0)), Load(Z, Harmonic(load, omega)))
    frictions = (rubbing(0.3, 0.2, stiffness=2e3, damping=40.0),)
    response = march(flying([0.9, 0], [0, 0], stop, loads=loads, frictions=frictions, end=3.0), scheme, h)
    rub = response.elements["rub"]
    power = rub["force"] * rub["sliding_velocity"]
    work = h * np.cumsum(0.5 * (power[1:] + power[:-1]))
    assert work.max() <= (0.3 * rub["normal_force"].max()) ** 2 / (2 * 2e3)
    assert work[-1] < 0
    cone = np.where(rub["stuck"] == 1, 0.3, 0.2) * rub["normal_force"]
    assert (np.abs(rub["force"]) <= cone * (1 + 1e-12) + 1e-12).all()


@pytest.mark.parametrize("geometry", CURVED)
def test_the_judge_sees_the_gap_that_the_kernel_sees(geometry, flying, march):
    """Two implementations, in all directions."""
    problem = flying([0.1, 0.0], [1.0, 1.3], CURVED[geometry](), end=9.0)
    response = march(problem, "devogelaere", 0.01)
    assert stop_gap(problem, response, problem.stops[0]) == pytest.approx(response.elements["ring"]["gap"], abs=1e-13)


@each_scheme
def test_two_rings_in_one_place_push_together(scheme, flying, march):
    """Two stops of k/2 are one of k."""
    halves = ring(stiffness=50.0), replace(ring(stiffness=50.0), name="other")
    start = [0.3, 0.0], [0.5, 1.0]
    two, one = (march(flying(*start, *stops, end=5.0), scheme, 0.01) for stops in (halves, [ring()]))
    assert two.displacement == pytest.approx(one.displacement, abs=1e-10)


@each_scheme
def test_a_corner_is_two_walls(scheme, flying, march):
    """Obstacles at right angles do not see each other: both components move as if alone."""
    walls = Stop("y wall", Y, 0.5, 100.0, 1.0), Stop("z wall", Z, 0.7, 200.0, 2.0)
    both = march(flying([0, 0], [1.0, 1.5], *walls, end=3.0), scheme, 0.01)
    for i, wall in enumerate(walls):
        speed = np.where([i == 0, i == 1], [1.0, 1.5], 0.0)
        alone = march(flying([0, 0], speed, wall, end=3.0), scheme, 0.01)
        assert (alone.elements[wall.name]["normal_force"] > 0).any()
        assert both.displacement[:, i] == pytest.approx(alone.displacement[:, i], abs=1e-12)
