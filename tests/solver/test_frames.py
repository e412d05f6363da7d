"""Stops and frictions that see the absolute displacement of a driven structure, beside others that do not."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn import Friction, Harmonic, Load, MechanicalProblem, Stop, SupportMotion
from veridyn.problem.basis import driven_displacement, driven_velocity, modal_basis
from veridyn.problem.errors import ProblemError
from veridyn.problem.time_functions import polynomial
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as SCHEMES

TIGHT = {"scheme": "DOP853", "rtol": 1e-12, "atol": 1e-14}
INSTANTS = np.linspace(0.0, 4.0, 201)
SHAKEN = SupportMotion.from_acceleration("base", [1.0], Harmonic(4.0, 5.0, 0.3))


def chain(**changes):
    """Two masses of full mass matrix between a shaken base and a wall that moves on its own."""
    supports = (
        SupportMotion.from_acceleration("base", [1.0, 0.6], Harmonic(3.0, 4.0, 0.2)),
        SupportMotion.from_acceleration("wall", [0.0, 0.4], Harmonic(-2.0, 2.7, 0.9)),
    )
    given = {
        "name": "chain",
        "mass": [[2.0, 0.3], [0.3, 1.0]],
        "stiffness": [[30.0, -12.0], [-12.0, 20.0]],
        "damping": [[0.5, -0.2], [-0.2, 0.4]],
        "initial_velocity": [0.5, -0.2],
        "supports": supports,
        "end": 4.0,
        "output_times": INSTANTS,
    }
    return MechanicalProblem(**{**given, **changes})


def at(response, times=INSTANTS):
    """Return the displacements at instants that are no samples only where an event lies on them."""
    x = response.displacement.T
    return np.array([np.interp(times, response.time, part) for part in x]).T


def by_modes(problem, modes):
    return replace(problem, mass=None, stiffness=None, damping=None, modes=modes)


def elements(frame):
    """A rigid stop, an elastic one that presses a friction, and a friction by itself, all in a frame."""
    return {
        "stops": (
            Stop("rigid", [1.0, 0.5], gap=0.1, restitution=0.6, frame=frame),
            Stop("soft", [0.0, 1.0], gap=0.05, stiffness=300.0, damping=2.0, frame=frame),
        ),
        "frictions": (
            Friction("rub", [1.0, -0.3], 2.0, 0.5, 0.4, frame=frame),
            Friction("pad", [0.4, 1.0], "soft", 0.3, 0.3, frame=frame),
        ),
    }


def in_absolute_coordinates(problem):
    """Return the problem in y = x + ψ s, which the drive moves through springs and dampers; its elements see y."""
    loads = [
        Load(matrix @ support.influence, motion)
        for support in problem.supports
        for matrix, motion in ((problem.stiffness, support.displacement), (problem.damping, support.velocity))
    ]
    start = np.array([problem.start])
    return replace(
        problem,
        supports=(),
        loads=(*problem.loads, *loads),
        initial_displacement=problem.initial_displacement + driven_displacement(problem, start)[0],
        initial_velocity=problem.initial_velocity + driven_velocity(problem, start)[0],
    )


def test_the_absolute_frame_is_that_of_absolute_coordinates():
    relative = chain(**elements("absolute"))
    one, other = EXACT.solve(relative, {}), EXACT.solve(in_absolute_coordinates(relative), {})
    assert one.counters["impacts"] > 1
    assert sum(map(len, one.events.values())) > 15
    for name, instants in one.events.items():
        assert instants == pytest.approx(other.events[name], abs=1e-11)
    carried = one.displacement + driven_displacement(relative, one.time)
    assert np.abs(carried - other.displacement).max() < 1e-12
    assert one.elements["rub"]["sliding_velocity"] == pytest.approx(
        other.elements["rub"]["sliding_velocity"], abs=1e-11
    )
    assert one.elements["pad"]["force"] == pytest.approx(other.elements["pad"]["force"], abs=1e-10)


def test_another_driver_finds_the_same_in_both_frames():
    mixed = elements("absolute")
    mixed["frictions"] = (replace(mixed["frictions"][0], frame="relative"), mixed["frictions"][1])
    one, other = (solver.solve(chain(**mixed), s) for solver, s in ((EXACT, {}), (SCIPY, TIGHT)))
    assert np.abs(at(one) - at(other)).max() < 1e-9
    for name, found in one.events.items():
        assert found == pytest.approx(other.events[name], abs=1e-8)


def test_modes_see_the_supports_too():
    """All modes are the structure; of two of three, those which a friction that sticks leaves."""
    whole = chain(**elements("absolute"))
    one, other = EXACT.solve(whole, {}), EXACT.solve(by_modes(whole, modal_basis(whole)), {})
    assert np.abs(one.displacement - other.displacement).max() < 1e-11
    few = MechanicalProblem(
        mass=np.eye(3),
        stiffness=[[20.0, -10.0, 0.0], [-10.0, 20.0, -10.0], [0.0, -10.0, 10.0]],
        supports=SupportMotion.from_acceleration("base", [1.0, 1.0, 1.0], Harmonic(1.0, 2.0)),
        frictions=Friction("ground", [0.0, 0.0, 1.0], 10.0, 0.4, 0.4, frame="absolute"),
        end=3.0,
        output_times=np.linspace(0.0, 3.0, 61),
    )
    basis = modal_basis(few)
    basis = replace(basis, **{name: getattr(basis, name)[:2] for name in ("omega", "damping", "masses")},
                    shapes=basis.shapes[:, :2])  # fmt: skip
    r = EXACT.solve(by_modes(few, basis), {})
    stuck = r.elements["ground"]["stuck"] == 1
    slide = r.velocity[:, 2] + driven_velocity(few, r.time)[:, 2]
    assert 5 < np.count_nonzero(stuck) < stuck.size
    assert np.abs(slide[stuck]).max() < 1e-13
    assert np.abs(slide[~stuck]).max() > 1e-2


def clamped(**changes):
    """A block between a jaw on the shaken base, and one on the ground that is now and then the stronger one."""
    jaws = (Friction("base", [1.0], 1.0, 0.6, 0.6), Friction("ground", [1.0], 1.0, 0.5, 0.5, frame="absolute"))
    given = {"mass": 1.0, "stiffness": 9.0, "supports": SHAKEN, "frictions": jaws, "end": 4.0}
    return MechanicalProblem(**{**given, "output_times": INSTANTS, **changes})


@pytest.mark.all_schemes
def test_jaws_that_move_apart_do_not_hold_together():
    """Where the base turns, both are at rest for an instant: the penalised problem, which has none, agrees."""
    exact = EXACT.solve(clamped(), {})
    assert exact.counters["events"] > 10
    assert max(map(len, exact.events.values())) > 5
    errors = []
    for stiffness, step in ((1e5, 2e-5), (1e6, 5e-6)):
        chosen = {"scheme": "devogelaere", "step": step, "archive_every": 20, "tangential_stiffness": stiffness}
        errors.append(np.abs(at(SCHEMES.solve(clamped(), chosen)) - at(exact)).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(10**0.5, rel=0.05)  # as the critical damper of the stick
    slides = [exact.elements[name]["stuck"] for name in ("base", "ground")]
    assert not np.any(slides[0] * slides[1])


def test_a_spring_is_pulled_until_the_block_slides():
    """The base drives off with V, the ground holds the block until k V t = mu_s N; then it swings about mu_k N/k."""
    base = SupportMotion("base", [1.0], polynomial(0.0), polynomial(0.2), polynomial(0.0, 0.2))
    k, n, static, kinetic, speed = 4.0, 10.0, 0.3, 0.2, 0.2
    ground = Friction("ground", [1.0], n, static, kinetic, frame="absolute")
    pulled = MechanicalProblem(
        mass=1.0, stiffness=k, supports=base, initial_velocity=[-speed], frictions=ground, end=12.0
    )
    r = EXACT.solve(pulled, {})
    slips = static * n / k / speed
    ahead, w = (static - kinetic) * n / k, k**0.5
    held = slips + (2 * np.pi - 2 * np.arctan(ahead * w / speed)) / w
    assert r.events["ground"][:2] == pytest.approx([slips, held], rel=1e-13)


def test_a_wall_that_moves_bats_the_ball():
    """A wall at s = a sin(w t) (absolute frame) meets a ball at rest: it leaves with (1 + e) times the wall's speed."""
    a, w, e, gap = 0.3, 2.0, 0.7, 0.1
    wall = SupportMotion("wall", [1.0], Harmonic(-a * w**2, w), Harmonic(a * w, w, "pi/2"), Harmonic(a, w))
    # x is the place of the ball relative to the wall, which follows it: the stop sees x, a second one the ground
    ball = MechanicalProblem(
        mass=1.0,
        supports=wall,
        initial_displacement=[gap],
        initial_velocity=[-a * w],
        stops=(
            Stop("bat", [-1.0], gap=0.0, restitution=e),
            Stop("fence", [1.0], gap=1.0, restitution=0.5, frame="absolute"),
        ),
        end=3.0,
    )
    r = EXACT.solve(ball, {})
    hit = np.arcsin(gap / a) / w
    speed = (1 + e) * a * w * np.cos(w * hit)
    assert r.events["bat"][0] == pytest.approx(hit, abs=1e-14)
    assert r.events["fence"][0] == pytest.approx(hit + (1.0 - gap) / speed, abs=1e-13)
    after = np.searchsorted(r.time, r.events["fence"][0])
    assert r.velocity[after, 0] + a * w * np.cos(w * r.time[after]) == pytest.approx(-0.5 * speed, abs=1e-13)


def test_walls_that_crush_a_body_have_no_motion():
    closing = SupportMotion("wall", [1.0], polynomial(0.0), polynomial(0.5), polynomial(0.0, 0.5))
    walls = (Stop("left", [-1.0], 0.1, restitution=0.0), Stop("right", [1.0], 0.2, restitution=0.0, frame="absolute"))
    with pytest.raises(SolverFailure, match=r"no velocities obey the stops that are hit together: .* crush"):
        EXACT.solve(MechanicalProblem(mass=1.0, supports=closing, initial_velocity=[-0.5], stops=walls, end=2.0), {})


def test_a_start_beyond_a_wall_that_has_moved_is_refused():
    away = SupportMotion("wall", [1.0], polynomial(0.0), polynomial(0.0), polynomial(0.5))
    wall = Stop("wall", [1.0], 0.2, restitution=0.5, frame="absolute")
    with pytest.raises(ProblemError, match=r"starts 0\.3 m beyond stop 'wall'"):
        EXACT.solve(MechanicalProblem(mass=1.0, supports=away, stops=wall, end=1.0), {})
