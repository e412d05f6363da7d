"""Obstacles from nodes, local axes and distances: what Code_Aster's DIS_CHOC means by its keywords."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.elements import Stop
from veridyn.problem.errors import ProblemError
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response
from veridyn.solver.rewriting import obstacles
from veridyn.solver.rewriting.obstacles import Node, axes_between, local_axes, one_body, two_bodies

from .conftest import FAMILIES

examples = settings(deadline=None, max_examples=25, derandomize=True)
each_scheme = pytest.mark.parametrize("scheme", FAMILIES)
UP, EAST, NORTH = np.eye(3)[2], np.eye(3)[0], np.eye(3)[1]
AXIAL = local_axes(UP)
BODY = Node((0, 1, 2), [0.0, 0.0, 0.0])
directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda d: np.linalg.norm(d) > 0.1)
angles = st.floats(-7, 7)


def nautical(normal, gamma):
    """R = Rx(gamma) Ry(beta) Rz(alpha), as manual R5.06.03 writes it."""
    alpha = math.atan2(normal[1], normal[0])
    beta = -math.atan2(normal[2], math.hypot(normal[0], normal[1]))
    (ca, sa), (cb, sb), (cg, sg) = ((math.cos(a), math.sin(a)) for a in (alpha, beta, gamma))
    rz = np.array([[ca, sa, 0], [-sa, ca, 0], [0, 0, 1]])
    ry = np.array([[cb, 0, -sb], [0, 1, 0], [sb, 0, cb]])
    return np.array([[1, 0, 0], [0, cg, sg], [0, -sg, cg]]) @ ry @ rz


@examples
@given(directions, angles)
def test_local_axes_are_those_of_the_nautical_angles(normal, gamma):
    assert local_axes(normal, gamma) == pytest.approx(nautical(normal, gamma), abs=1e-12)


@pytest.mark.parametrize(
    ("normal", "axes"),
    [(NORTH, [NORTH, -EAST, UP]), (UP, [UP, NORTH, -EAST]), (EAST, [EAST, NORTH, UP]), (-UP, [-UP, NORTH, EAST])],
)
def test_local_axes_along_global_ones_are_exact(normal, axes):
    assert np.array_equal(local_axes(normal), axes)
    assert not np.signbit(local_axes(normal)[np.array(axes) == 0]).any()


@examples
@given(directions, directions, st.sampled_from("yz"))
def test_axes_between_nodes_point_from_the_first_to_the_second(normal, apart, axis):
    if np.linalg.norm(np.cross(normal, apart)) < 0.01:
        return
    axes = axes_between(normal, BODY, Node((None, None, None), apart), axis)
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[0] == pytest.approx(np.array(normal) / np.linalg.norm(normal))
    local = dict(zip("xyz", axes @ apart, strict=True))
    assert local[axis] > 0
    assert local["z" if axis == "y" else "y"] == pytest.approx(0.0, abs=1e-12)


def test_local_motion_starts_at_the_place_of_the_node():
    motion = one_body(4, Node((3, None, 0), [1.0, 2.0, 3.0]), local_axes(NORTH), origin=[0.5, 0.0, 1.0])
    assert motion.start.tolist() == [2.0, -0.5, 2.0]
    assert motion.directions.tolist() == [[0, 0, 0, 0], [0, 0, 0, -1], [1, 0, 0, 0]]


def spring_mounted(build, stops, frictions=(), *, start=(0.0, 0.0, 0.0), speed=(0.0, 0.0, 0.0), **changes):
    """Return a unit mass in space on springs alike in all directions."""
    start = {"initial_displacement": start, "initial_velocity": speed}
    return build.chain(3, stiffness=4 * np.eye(3), stops=stops, frictions=frictions, **{**start, **changes})


def pair(build, obstacle, speeds, **changes):
    """Return two free unit masses in space with an obstacle between them."""
    start = {"initial_velocity": np.concatenate(speeds)}
    return build.chain(6, stiffness=np.zeros((6, 6)), stops=(obstacle.stop,), **{**start, **changes})


LEFT, RIGHT = Node((0, 1, 2), [0.0, 0.0, 0.0]), Node((3, 4, 5), [1.0, 0.0, 0.0])


def facing(stiffness=100.0, *, nodes=(LEFT, RIGHT), axis="y", **options):
    axes = axes_between(UP, *nodes, axis)
    return obstacles.facing_planes("gap", two_bodies(6, *nodes, axes), 0.3, 0.5, stiffness, axis=axis, **options)


@each_scheme
@pytest.mark.parametrize("axis", ["y", "z"])
def test_two_bodies_with_planes_are_one_body_on_a_wall(scheme, axis, build, march):
    """By symmetry each sees a wall at half the gap, twice as stiff."""
    both = march(pair(build, facing(axis=axis, damping=1.0), [EAST, -EAST], end=1.0), scheme, 0.005)
    wall = Stop("gap", [1.0], 0.1, 200.0, 2.0)
    alone = march(build.mass(initial_velocity=[1.0], end=1.0, stops=(wall,)), scheme, 0.005)
    assert (alone.elements["gap"]["normal_force"] > 0).any()
    assert both.displacement[:, [0]] == pytest.approx(alone.displacement, abs=1e-11)
    assert both.displacement[:, [3]] == pytest.approx(-alone.displacement, abs=1e-11)
    assert both.elements["gap"]["gap"] == pytest.approx(2 * alone.elements["gap"]["gap"], abs=1e-11)


@each_scheme
def test_the_first_body_may_lie_on_either_side(scheme, build, march):
    one, other = (facing(nodes=nodes) for nodes in ((LEFT, RIGHT), (RIGHT, LEFT)))
    histories = [march(pair(build, o, [EAST, -EAST], end=1.0), scheme, 0.01).displacement for o in (one, other)]
    assert np.array_equal(*histories)


def test_planes_given_by_an_angle_know_their_side(build):
    """With ANGL_VRIL turned by half a turn the first body lies on the other side of the same planes."""
    stops = [
        obstacles.facing_planes("gap", two_bodies(6, LEFT, RIGHT, local_axes(UP, angle)), 0.3, 0.5, 1.0, axis="z").stop
        for angle in (0.0, math.pi)
    ]
    assert stops[0].normal == pytest.approx([1, 0, 0, -1, 0, 0])
    assert stops[1].normal == pytest.approx(stops[0].normal, abs=1e-15)
    assert stops[0].gap == pytest.approx(0.2)
    assert stops[1].gap == pytest.approx(0.2)


@each_scheme
def test_a_circle_inside_a_circle_is_a_point_inside_the_difference(scheme, build, march):
    """The reduced mass of two free bodies of 1 kg is half a kilogramme."""
    motion = two_bodies(6, LEFT, Node((3, 4, 5), [0.0, 0.0, 0.0]), AXIAL)
    nested = obstacles.circle_in_circle("ring", motion, 0.3, 0.7, 100.0)
    both = march(pair(build, nested, [[1.0, 0.2, 0.0], [0.0, 0.2, 0.0]], end=2.0), scheme, 0.01)
    point = obstacles.circle("ring", one_body(3, BODY, AXIAL, origin=[0, 0, 0]), 0.4, 100.0)
    relative = build.chain(
        3,
        mass=0.5 * np.eye(3),
        stiffness=np.zeros((3, 3)),
        initial_velocity=[1.0, 0.0, 0.0],
        stops=(point.stop,),
        end=2.0,
    )
    alone = march(relative, scheme, 0.01)
    assert (alone.elements["ring"]["normal_force"] > 0).any()
    assert both.displacement[:, :3] - both.displacement[:, 3:] == pytest.approx(alone.displacement, abs=1e-9)


@each_scheme
def test_two_circles_hit_head_on_like_planes(scheme, build, march):
    """BI_CERCLE along the line of the centres is BI_PLAN."""
    motion = two_bodies(6, LEFT, RIGHT, AXIAL)
    circles = obstacles.circles_apart("gap", motion, 0.3, 0.5, 100.0)
    round_, flat = (march(pair(build, o, [EAST, -EAST], end=1.0), scheme, 0.01) for o in (circles, facing()))
    assert (flat.elements["gap"]["normal_force"] > 0).any()
    assert round_.displacement == pytest.approx(flat.displacement, abs=1e-11)


COMPILED_LATER = ("devogelaere", "runge_kutta_54")
RUBS = {"law": "regularised", "stiffness": 300.0, "damping": 5.0}


@pytest.mark.parametrize(
    "scheme", ["symplectic_euler", *(pytest.param(s, marks=pytest.mark.all_schemes) for s in COMPILED_LATER)]
)
@examples
@given(normal=directions, about=directions, angle=angles)
def test_turned_axes_give_the_turned_response(build, march, normal, about, angle, scheme):
    """A body rattling and rubbing in a tube, everything turned about an axis; for planes the axes turn as well."""
    turn = nautical(about, angle)
    axes = local_axes(normal, angle)
    place, speed, origin = np.array([0.1, 0.0, 0.2]) @ axes, np.array([0.7, 1.0, 1.5]) @ axes, [0.0, 0.05, 0.1] @ axes

    def respond(kind, q, axes):
        motion = one_body(3, Node((0, 1, 2), q @ place), axes, q @ origin)
        obstacle = kind("tube", motion, 0.3, 100.0, damping=1.0)
        frictions = (obstacle.friction("rub", 0.3, 0.2, **RUBS),)
        return march(spring_mounted(build, (obstacle.stop,), frictions, speed=q @ speed), scheme, 0.01)

    for kind, turned in (
        (obstacles.circle, local_axes(turn @ axes[0])),
        (obstacles.parallel_planes, axes @ turn.T),
    ):
        straight, oblique = respond(kind, np.eye(3), axes), respond(kind, turn, turned)
        assert (straight.elements["tube"]["normal_force"] > 0).any()
        assert oblique.displacement == pytest.approx(straight.displacement @ turn.T, abs=1e-8)


@pytest.mark.parametrize("kind", ["circle", "parallel_planes"])
@pytest.mark.parametrize("unidirectional", [True, False])
def test_unidirectional_friction_has_one_tangent(kind, unidirectional, build, march):
    """A body pressed on the wall of a tube slides along it: only friction in two directions brakes it."""
    axes = local_axes(UP)
    tube = getattr(obstacles, kind)("tube", one_body(3, BODY, axes, origin=[0, 0, 0]), 0.1, 1e4)
    rub = tube.friction("rub", 0.3, 0.3, unidirectional=unidirectional, **RUBS)
    start = [0.0, 0.101, 0.0]
    response = march(spring_mounted(build, (tube.stop,), (rub,), start=start, speed=UP, end=0.5), "devogelaere", 1e-3)
    free = np.sin(2 * response.time) / 2
    assert len(rub.tangents) == 2 - unidirectional
    assert (response.displacement[:, 2] == pytest.approx(free, abs=1e-9)) == unidirectional


@pytest.mark.parametrize("axis", ["y", "z"])
def test_planes_are_rubbed_in_their_plane_and_along_the_axis(axis):
    motion = one_body(3, BODY, local_axes(NORTH), origin=[0, 0, 0])
    planes = obstacles.parallel_planes("slot", motion, 0.1, 1.0, axis=axis)
    other, own = ("z", "y") if axis == "y" else ("y", "z")
    assert np.array_equal(planes.stop.normal, motion.row(own))
    assert [t.tolist() for t in planes.tangents] == [motion.row(other).tolist(), motion.row("x").tolist()]


def test_a_profile_stands_about_the_origin(build, march):
    """The gap of a node off the origin of a square of half-width 1 m."""
    motion = one_body(3, Node((0, 1, 2), [0.0, 0.3, 0.0]), AXIAL, origin=[0, 0.1, 0])
    corners = np.pi / 4 + np.pi / 2 * np.arange(5)
    square = obstacles.profile("hole", motion, corners, [math.sqrt(2)] * 5, 1.0)
    response = march(spring_mounted(build, (square.stop,)), "devogelaere", 0.1)
    assert response.elements["hole"]["gap"] == pytest.approx(0.8)


def test_bodies_that_pass_through_one_another_are_refused(build, march, refused):
    weak = facing(stiffness=1.0)
    response = march(pair(build, weak, [2 * EAST, -2 * EAST], end=1.0), "devogelaere", 0.01)
    with refused(SolverFailure, "'gap'", "passed through one another at t = "):
        weak.check(response)
    firm = facing(stiffness=100.0)
    firm.check(march(pair(build, firm, [EAST, -EAST], end=1.0), "devogelaere", 0.01))


def test_only_facing_bodies_can_pass_through_one_another():
    tube = obstacles.circle("tube", one_body(3, BODY, AXIAL, origin=[0, 0, 0]), 1.0, 1.0)
    gap = {"tube": {"gap": np.array([1.0, -5.0])}}
    tube.check(Response(np.array([0.0, 1.0]), np.zeros((2, 3)), np.zeros((2, 3)), gap))


MOTION = one_body(3, BODY, AXIAL, origin=[0, 0, 0])
BAD = {
    "no normal": (lambda: local_axes([0.0, 0.0, 0.0]), "NORM_OBST"),
    "a normal that is no number": (lambda: local_axes([math.nan, 0, 1]), "NORM_OBST"),
    "a normal in the plane": (lambda: local_axes([1.0, 0.0]), "NORM_OBST"),
    "nodes behind one another": (lambda: axes_between(EAST, LEFT, RIGHT), "do not lie apart"),
    "nodes in one place": (lambda: axes_between(EAST, LEFT, LEFT), "do not lie apart"),
    "a node of two coordinates": (lambda: Node((0, 1, 2), [0.0, 0.0]), "three"),
    "an unknown too far": (lambda: one_body(2, BODY, AXIAL, [0, 0, 0]), "unknown 2"),
    "a negative unknown": (lambda: one_body(3, Node((-1, 0, 1), [0, 0, 0]), AXIAL, [0, 0, 0]), "unknown -1"),
    "neither on a side": (lambda: obstacles.facing_planes("p", two_bodies(6, LEFT, LEFT, AXIAL), 0, 0, 1.0), "'p'"),
    "a distance": (
        lambda: obstacles.facing_planes("p", two_bodies(6, LEFT, RIGHT, AXIAL), math.nan, 0, 1.0, axis="z"),
        "DIST_1",
    ),
    "a circle too large": (lambda: obstacles.circle_in_circle("c", MOTION, 0.5, 0.4, 1.0), "DIST_2 = 0.4 m"),
    "a radius of zero": (lambda: obstacles.circle("c", MOTION, 0.0, 1.0), "radius"),
    "circles without radius": (lambda: obstacles.circles_apart("c", MOTION, 0.0, 0.0, 1.0), "radius"),
    "angles without radii": (lambda: obstacles.profile("d", MOTION, [0, 1, 2], [1, 1], 1.0), "3 angles for 2 radii"),
}


@pytest.mark.parametrize("bad", BAD)
def test_bad_obstacle_is_refused(bad, refused):
    make, culprit = BAD[bad]
    with refused(ProblemError, culprit):
        make()
