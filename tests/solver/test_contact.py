"""Stops push and never pull; friction stays in its cone and never feeds energy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.time_functions import Harmonic, Sum, constant, polynomial, step, table
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.integrators.arrays import contacts

examples = settings(deadline=None, max_examples=60, derandomize=True)
SCHEMES = ("symplectic_euler", "devogelaere", "central_adaptive")
each_scheme = pytest.mark.parametrize("scheme", SCHEMES)
positive = st.floats(0.1, 10.0)


@examples
@given(st.sampled_from(SCHEMES), positive, st.floats(0, 30), st.sampled_from(["plane", "parallel planes"]), positive)
def test_stop_never_pulls(build, run, scheme, v0, damping, geometry, push):
    stop = Stop("wall", [1.0], 0.1, 100.0, damping, geometry=geometry)
    problem = build.mass(initial_velocity=[v0], end=4.0, stops=(stop,), loads=(Load([1.0], Harmonic(push, 3.0)),))
    wall = run(problem, scheme, 0.01).elements["wall"]
    force, gap, rate = wall["normal_force"], wall["gap"], wall["normal_velocity"]
    assert (force > 0).any()
    assert (force >= 0).all()
    assert not force[gap > 0].any()
    assert force == pytest.approx(np.where(gap > 0, 0, np.maximum(0, -100 * gap - damping * rate)))


@each_scheme
def test_damped_stop_lets_go_while_still_touching(scheme, build, run):
    """Leaving, the damper would pull before the spring is relaxed: no force although the gap is negative."""
    problem = build.mass(initial_velocity=[1.0], end=2.0, stops=(Stop("wall", [1.0], 0.1, 100.0, 10.0),))
    wall = run(problem, scheme, 0.001).elements["wall"]
    assert ((wall["gap"] < 0) & (wall["normal_force"] == 0)).any()


@each_scheme
def test_touching_at_gap_zero_counts(scheme, build, run):
    """The damper acts from the first instant on."""
    problem = build.mass(initial_velocity=[2.0], stops=(Stop("wall", [1.0], 0.0, 100.0, 10.0),))
    assert run(problem, scheme, 0.01).elements["wall"]["normal_force"][0] == 20.0


@each_scheme
def test_gap_offset_and_normal_place_the_stop(scheme, build, run):
    """y = -2 x + 0.5 touches at y = 1.5: at x = -0.5."""
    stop = Stop("wall", [-2.0], 1.5, 1e3, offset=0.5)
    r = run(build.mass(initial_velocity=[-1.0], end=1.0, stops=(stop,)), scheme, 0.001)
    first = np.flatnonzero(r.elements["wall"]["normal_force"])[0]
    assert r.displacement[first, 0] == pytest.approx(-0.5, abs=2e-3)
    assert r.elements["wall"]["gap"] == pytest.approx(1.5 - (0.5 - 2 * r.displacement[:, 0]))


@each_scheme
def test_parallel_planes_are_symmetric(scheme, build, run):
    """The mirrored start gives the mirrored motion, bit for bit."""
    stop = Stop("slot", [1.0], 0.1, 500.0, 1.0, geometry="parallel planes")
    left, right = (
        run(
            build.oscillator(2.0, initial_displacement=[0.0], initial_velocity=[s], end=5.0, stops=(stop,)),
            scheme,
            0.01,
        )
        for s in (-1.0, 1.0)
    )
    assert np.array_equal(left.displacement, -right.displacement)
    assert np.array_equal(left.elements["slot"]["normal_force"], right.elements["slot"]["normal_force"])
    assert left.displacement.max() > 0.1
    assert left.displacement.min() < -0.1


@each_scheme
def test_mass_rests_on_its_stop(scheme, build, run):
    """A damped stop under a constant load ends at the penetration F/k."""
    stop = Stop("floor", [1.0], 0.0, 100.0, 20.0)
    problem = build.mass(end=5.0, stops=(stop,), loads=(Load([1.0], constant(3.0)),))
    r = run(problem, scheme, 0.01)
    assert r.displacement[-1, 0] == pytest.approx(0.03, rel=1e-8)
    assert r.elements["floor"]["normal_force"][-1] == pytest.approx(3.0, rel=1e-8)


def moving_frame(build, frame):
    """A mass at rest in the room, seen from a support that moves with 1 m/s towards it from 0.1 m."""
    support = SupportMotion("table", [1.0], constant(0.0), constant(1.0), polynomial(0.0, 1.0))
    stop = Stop("wall", [1.0], 0.1, 1e3, frame=frame)
    return build.mass(initial_velocity=[-1.0], end=0.5, supports=(support,), stops=(stop,))


@each_scheme
def test_absolute_frame_adds_the_driven_motion(scheme, build, run):
    """Relative to the support the mass recedes; in the room it stands still and never touches."""
    r = run(moving_frame(build, "absolute"), scheme, 0.001)
    assert r.elements["wall"]["gap"] == pytest.approx(0.1)
    assert r.elements["wall"]["normal_velocity"] == pytest.approx(0.0, abs=1e-12)
    assert run(moving_frame(build, "relative"), scheme, 0.001).elements["wall"]["gap"][-1] == pytest.approx(0.6)


@each_scheme
def test_every_support_drives_its_share(scheme, build, run):
    """Held back by nothing but inertia at rest: the absolute gap follows Σ ψ_j d_j(t)."""
    motions = ((polynomial(0.0, 2.0), 0.25), (polynomial(0.0, 0.0, 3.0), 0.5))
    supports = tuple(
        SupportMotion(f"s{i}", [share], constant(0.0), d.derivative(), d) for i, (d, share) in enumerate(motions)
    )
    stop = Stop("wall", [1.0], 10.0, 1e3, offset=1.0, frame="absolute")
    r = run(build.mass(end=1.0, supports=supports, stops=(stop,)), scheme, 0.01)
    assert r.elements["wall"]["gap"] == pytest.approx(10 - (1 + 0.5 * r.time + 1.5 * r.time**2))
    half = 0.005 if scheme == "devogelaere" else 0.0  # its contact velocity is the mean over half a step
    driven = 0.5 + 3 * r.time
    assert -r.elements["wall"]["normal_velocity"] == pytest.approx(driven, abs=3 * half + 1e-9)


def rubbing(build, f, *, end=3.0, **changes):
    """A mass on a spring, rubbing under a constant normal force of 10 N and shaken."""
    shoe = {"static": 0.3, "kinetic": 0.2, "law": "regularised", "stiffness": 500.0, "damping": 20.0, **changes}
    friction = Friction("shoe", ([1.0],), 10.0, **shoe)
    return build.oscillator(3.0, initial_displacement=[0.0], end=end, frictions=(friction,), loads=(Load([1.0], f),))


@examples
@given(st.sampled_from(SCHEMES), st.floats(1e-6, 0.5), st.floats(0.01, 0.5), st.floats(0, 60), positive)
def test_friction_stays_in_its_cone(build, run, scheme, kinetic, extra, damping, load):
    problem = rubbing(build, Harmonic(load, 5.0), kinetic=kinetic, static=kinetic + extra, damping=damping)
    shoe = run(problem, scheme, 0.01).elements["shoe"]
    stuck, force = shoe["stuck"] == 1, np.abs(shoe["force"])
    assert (force[stuck] <= (kinetic + extra) * 10 * (1 + 1e-14)).all()
    assert (force[~stuck] <= kinetic * 10 * (1 + 1e-14)).all()
    assert shoe["normal_force"].tolist() == [10.0] * stuck.size


@examples
@given(st.sampled_from(SCHEMES), st.floats(3, 40), st.floats(1, 8))
def test_friction_never_feeds_energy(build, run, scheme, load, omega):
    """Its work from the start on is never positive, up to what one step can hide."""
    h = 1e-3
    r = run(rubbing(build, Harmonic(load, omega), static=0.2), scheme, h)
    x, force = r.displacement[:, 0], r.elements["shoe"]["force"]
    work = np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(x))
    assert work.max() <= 2.0 * h * np.abs(r.velocity).max()
    assert work[-1] < 0


@examples
@given(st.sampled_from(SCHEMES), st.floats(5, 40))
def test_sliding_friction_opposes_the_motion(build, run, scheme, load):
    shoe = run(rubbing(build, Harmonic(load, 5.0)), scheme, 0.01).elements["shoe"]
    sliding = shoe["stuck"] == 0
    assert (shoe["force"] * shoe["sliding_velocity"])[sliding].max() <= 0


@each_scheme
def test_stuck_mass_hangs_on_the_tangential_spring(scheme, build, run):
    """A load below the cone: static rest at F/(k + k_T)."""
    r = run(rubbing(build, step(2.0), end=10.0), scheme, 0.01)
    assert r.elements["shoe"]["stuck"][-1] == 1
    assert r.displacement[-1, 0] == pytest.approx(2.0 / (9.0 + 500.0), rel=1e-6)


@each_scheme
@pytest.mark.parametrize(("place", "force"), [(0.004, -2.0), (0.04, 0.0)])
def test_contact_that_starts_closed_hangs_on_the_origin(scheme, place, force, build, run):
    """As Code_Aster does: the memory starts at zero, and a spring that is too long slips at once."""
    shoe = Friction("shoe", ([1.0],), 10.0, 0.3, 0.3, "regularised", 500.0)
    response = run(build.mass(initial_displacement=[place], frictions=(shoe,)), scheme, 0.01)
    assert response.elements["shoe"]["force"][0] == pytest.approx(force)


@each_scheme
@pytest.mark.parametrize(("load", "slips"), [(2.9, False), (3.1, True)])
def test_static_coefficient_decides_the_start(scheme, load, slips, build, run):
    """Loaded slowly to just below and just above 0.3 × 10 N."""
    slow = Sum((polynomial(0.0, load / 20), step(0.0)))
    problem = rubbing(build, slow, end=20.0)
    assert (run(problem, scheme, 0.01).displacement[-1, 0] > 0.01) == slips


@each_scheme
def test_constant_deceleration(scheme, build, run):
    """A sliding mass stops after v²/(2 mu g)."""
    friction = Friction("shoe", ([1.0],), 10.0, 0.2, 0.2, "regularised", 1e5, 2 * math.sqrt(1e5))
    problem = build.mass(initial_velocity=[1.0], end=1.0, frictions=(friction,))
    r = run(problem, scheme, 1e-4)
    assert r.displacement[-1, 0] == pytest.approx(1 / (2 * 2.0), rel=1e-3)


@each_scheme
def test_friction_in_two_directions_is_isotropic(scheme, build, run):
    """A mass sliding obliquely: force antiparallel to the velocity, distance v²/(2 mu N)."""
    friction = Friction("shoe", ([1.0, 0.0], [0.0, 1.0]), 10.0, 0.2, 0.2, "regularised", 1e5, 2 * math.sqrt(1e5))
    problem = build.chain(2, stiffness=np.zeros((2, 2)), initial_velocity=[0.6, 0.8], end=1.0, frictions=(friction,))
    r = run(problem, scheme, 1e-4)
    assert r.displacement[-1] == pytest.approx(np.array([0.6, 0.8]) / (2 * 2.0), rel=1e-3)
    shoe = r.elements["shoe"]
    early = (r.time > 0) & (r.time < 0.4)
    assert shoe["force"][early] == pytest.approx(-0.6 * 2.0, rel=1e-9)
    assert shoe["force_2"][early] == pytest.approx(-0.8 * 2.0, rel=1e-9)
    assert shoe["sliding_velocity_2"][early] == pytest.approx(shoe["sliding_velocity"][early] * 4 / 3)


@each_scheme
@pytest.mark.parametrize("place", [0, 1])
def test_stick_starts_where_the_contact_starts(scheme, place, build, run):
    """The table slides by 1 m before the mass lands on it: the spring of the stick is relaxed all the same."""
    slid = table([0.0, 0.2, 1.0], [0.0, 1.0, 1.0])
    support = SupportMotion("table", [0.0, 1.0], constant(0.0), step(0.0), slid)
    tangents = ([0.0, 1.0], [0.0, 0.0])
    stop = Stop("wall", [1.0, 0.0], 0.5, 1e3, frame="absolute")
    rub = Friction("rub", tangents if place == 0 else tangents[::-1], "wall", 100.0, 100.0, "regularised", 50.0)
    landing = {"stops": (stop,), "frictions": (replace(rub, frame="absolute"),), "supports": (support,)}
    problem = build.chain(2, stiffness=np.zeros((2, 2)), initial_velocity=[1.0, 0.0], **landing)
    r = run(problem, scheme, 0.001)
    assert r.elements["rub"]["stuck"].any()
    assert not r.displacement[:, 1].any()


@each_scheme
def test_no_contact_no_friction(scheme, build, run):
    """The stop of the friction is out of reach: free motion."""
    stop = Stop("wall", [1.0, 0.0], 10.0, 1e3)
    friction = Friction("rub", ([0.0, 1.0],), "wall", 0.5, 0.5, "regularised", 1e3)
    free = build.chain(2, initial_velocity=[0.1, 0.2], end=2.0)
    near = build.chain(2, initial_velocity=[0.1, 0.2], end=2.0, stops=(stop,), frictions=(friction,))
    assert np.array_equal(run(near, scheme, 0.01).displacement, run(free, scheme, 0.01).displacement)


def pressed(build, *frictions, **changes):
    stop = Stop("wall", [1.0, 0.0], -0.1, 1e3, **changes)
    return build.chain(2, stops=(stop,), frictions=frictions)


def friction(name, **changes):
    default = {"static": 0.1, "kinetic": 0.1, "law": "regularised", "stiffness": 1.0}
    return Friction(name, ([0.0, 1.0],), "wall", **{**default, **changes})


def test_one_friction_per_stop(build, run, refused):
    with refused(CapabilityError, "several frictions"):
        run(pressed(build, friction("a"), friction("b")), "devogelaere", 0.1)


def test_stop_and_friction_share_a_frame(build, run, refused):
    with refused(CapabilityError, "'wall'", "different frames"):
        run(pressed(build, friction("a"), frame="absolute"), "devogelaere", 0.1)


def test_kernels_know_no_set_valued_friction(build, refused):
    problem = pressed(build, friction("a", law="set-valued"))
    with refused(CapabilityError, "'a' is set-valued"):
        contacts(problem)
