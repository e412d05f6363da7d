"""What theory allows a scheme at a stop: errors of flights and contacts, and how they are carried on.

A mass of 1 kg on a spring of 1 N/m under 1 N sin 2t meets a stop with which it swings at 100 rad/s.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.references import impact_oscillator
from veridyn.references.parameters import resolve
from veridyn.solver.interpolation import lagrange
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases import impact_theory as theory
from veridyn.validation_cases.vibro_impact import spacing

STRUCK = {"m": 1, "k": 1, "kc": 9999, "gap": "0.5", "F": 1, "Omega": 2, "t_end": 6}
STEP = 1e-4
NUMBER = 100 * STEP  # w_c h
ROUNDING = 2.0**-52


def values(**changes):
    return resolve(impact_oscillator.PARAMETERS, STRUCK | changes)


def settings(step=STEP):
    return {"step": step}


def deviation(time, scheme="symplectic_euler", step=STEP, **changes):
    return theory.deviation(values(**changes), scheme, step, time)


def _at_instants(step):
    """Return by how much each instant may be off, for the worst scheme (s)."""
    return np.max([theory.of_each_instant(values(), scheme, step) for scheme in SCHEMES], axis=0)


@pytest.fixture(scope="module")
def course():
    return theory.course(values())


def test_a_course_tells_flights_from_contacts(course):
    assert (course.omega, course.omega_contact, course.damping_ratio) == pytest.approx((1, 100, 0))
    assert list(course.touching) == [k % 2 == 1 for k in range(course.starts.size)]
    touch = course.starts[1]
    assert 2 * math.sin(touch) - math.sin(2 * touch) == pytest.approx(1.5, rel=1e-12)
    assert course.rates[1] == pytest.approx(2 / 3 * (math.cos(touch) - math.cos(2 * touch)), rel=1e-12)
    assert course.accelerations[1] == pytest.approx(math.sin(2 * touch) - 0.5, rel=1e-12)


def test_where_nothing_is_touched_contacts_swing_like_flights():
    course = theory.course(values(gap=9, xi="0.02"))
    assert (course.omega, course.omega_contact, course.damping_ratio) == pytest.approx((1, 1, 0.02))


def test_flights_add_the_errors_of_free_motion_and_of_the_load():
    """(w h)²/24 per radian of an velocity of at most 2 F/(m w), and (2 h)²/12 of the load."""
    expected = STEP**2 * (2 / 24 + 4 / 12) + 2 * ROUNDING / STEP
    assert deviation(1.0) == pytest.approx([expected] * 2, rel=1e-4, abs=0)


def test_half_a_radian_adds_half_as_much():
    assert deviation(0.5) == pytest.approx(deviation(1.0) / 2, rel=1e-4)


def test_free_motion_in_resonance_grows_from_radian_to_radian():
    """x = (sin 2t - 2t cos 2t)/8: the bound begins at 2 F/(m w), and sqrt(v² + 4 x²) above it after a radian."""
    swing = math.hypot(math.sin(1) / 4, (math.sin(1) - math.cos(1)) / 4)
    expected = STEP**2 * (8 / 24 * (1 + swing / 2) + 4 / 12)
    assert deviation(1.0, k=4, kc=9996) == pytest.approx([expected / 2, expected], rel=1e-3)


@pytest.mark.parametrize(("scheme", "more"), [("devogelaere", 1), ("central_adaptive", 1.5)])
def test_every_step_rounds_and_an_adaptive_scheme_its_instant_too(scheme, more):
    assert deviation(1.0, scheme, 1e-6)[0] == pytest.approx(more * 2 * ROUNDING / 1e-6, rel=1e-2)


def test_damping_costs_a_scheme_with_late_velocities_an_order():
    """2 xi w h/2 per radian of a velocity whose bound damping makes 5 % larger."""
    assert deviation(1.0, xi="0.05")[0] == pytest.approx(0.05 * STEP * 2.1, rel=1e-3)


def left(v, step=STEP, share=1 / 24):
    """What a contact leaves of displacement and velocity: with one sign, and by chance."""
    late, uncounted = 2 * share * (100 * step) ** 2 * math.pi * abs(v) / 100, abs(v) * (100 * step) ** 2 / 2
    return np.diag([late, 0.0]), np.diag([uncounted * step, uncounted])


def test_a_contact_leaves_its_period_error_and_the_velocity_that_is_uncounted(course):
    steady, chance = left(course.rates[1])
    flown = deviation(course.starts[1])
    expected = flown + steady.sum(axis=1) + chance.sum(axis=1)
    assert deviation(course.starts[2]) == pytest.approx(expected, rel=1e-3)


def test_a_quarter_of_a_swing_later_a_velocity_has_become_a_displacement(course):
    steady, chance = left(course.rates[1])
    found = deviation(course.starts[2] + math.pi / 2)
    assert found == pytest.approx([chance[1, 1], steady[0, 0]], rel=0.1)


def test_what_touching_leaves_of_velocity_is_a_displacement_a_quarter_of_a_turn_later(course):
    touching = math.sqrt(0.5) * abs(course.rates[1]) * NUMBER**2 / 2
    found = deviation(course.starts[1] + math.pi / 2 / 100, "devogelaere")
    assert found[0] == pytest.approx(touching / 100, rel=1e-3)


def test_a_contact_takes_what_the_scheme_loses_over_half_a_turn(course):
    """ITMI: (w_c h)³/24 per radian, and twice (w_c h)²/24 of the period; at long steps the first shows."""
    lost = deviation(course.starts[2], "itmi", 1e-2) - deviation(course.starts[2], "newmark", 1e-2)
    assert lost[1] == pytest.approx(math.pi / 24 * course.rates[1], rel=0.02)


@pytest.fixture(scope="module")
def after_two(course):
    """What two contacts leave: the first is carried through a flight and the second, from release to release."""
    flight, contact = (np.array(course.phases[j].propagator(course.starts[j + 1] - course.starts[j])) for j in (2, 3))
    (one_sign, chance), (second_sign, second_chance) = (left(course.rates[j]) for j in (1, 3))
    carried = contact @ flight
    return np.hstack([carried @ one_sign, second_sign]), np.hstack([carried @ chance, second_chance])


def test_chance_adds_in_squares(course, after_two):
    expected = np.linalg.norm(after_two[1], axis=1)
    assert deviation(course.starts[4], "devogelaere") == pytest.approx(expected, rel=1e-3)


def test_what_has_one_sign_adds_up(course, after_two):
    found = deviation(course.starts[4]) - deviation(course.starts[4], "devogelaere")
    assert found[0] == pytest.approx(np.abs(after_two[0][0]).sum(), rel=0.1)


@pytest.mark.parametrize(("scheme", "share"), [("symplectic_euler", 1 / 24), ("newmark", 1 / 12), ("devogelaere", 0)])
def test_schemes_of_higher_order_have_no_period_error_of_order_two(scheme, share):
    assert theory.period_error(scheme) == pytest.approx(share)


def test_the_force_of_a_contact_goes_with_its_velocity(course):
    found = theory.of_force(values(), "symplectic_euler", settings(), 1)
    assert (found.kind, found.value) == ("relative", pytest.approx(NUMBER**2 / 2, rel=0.01))


def test_a_touch_that_comes_late_has_gained_velocity_meanwhile(course):
    """At the second touch: what the first contact left of velocity, and of displacement times the acceleration."""
    v, a = abs(course.rates[3]), abs(course.accelerations[3])
    moved, changed = deviation(course.starts[3])
    found = theory.of_force(values(), "symplectic_euler", settings(), 2)
    assert found.value == pytest.approx((changed + a * moved / v) / v + NUMBER**2 / 2, rel=1e-6)


def test_the_largest_force_may_be_off_by_the_largest_error_of_all(course):
    each = [theory.of_force(values(), "newmark", settings(), k + 1).value for k in range(course.rates[1::2].size)]
    v = np.abs(course.rates[1::2])
    found = theory.of_largest_force(values(), "newmark", settings())
    assert found.value == pytest.approx((each * v).max() / v.max())
    assert (found.kind, "period error 0.0833" in found.reason) == ("relative", True)


def test_an_instant_is_off_by_a_displacement_over_its_velocity_and_by_the_cubic_through_the_kink(course):
    moved = deviation(course.starts[1])[0] / course.rates[1]
    read = 3 / 128 * 100**2 * (0.032 / 100 + STEP) ** 3
    assert spacing(values()) == pytest.approx(0.032 / 100)
    found = [theory.of_instant(values(), "symplectic_euler", settings(), k + 1) for k in range(course.starts.size - 1)]
    assert found[0].value == pytest.approx(moved + read, rel=1e-6, abs=0)
    assert theory.of_instants(values(), "symplectic_euler", settings()).value == max(f.value for f in found)
    assert {f.kind for f in found} == {"absolute"}


def test_without_contact_no_instant_can_be_off():
    assert theory.of_instants(values(gap=9), "newmark", settings()).value == 0.0


def test_instants_are_decided_while_they_may_be_off_by_less_than_half_a_phase(course):
    count = course.starts.size - 1
    assert theory.decided(values(), STEP) == (count, True)
    assert theory.decided(values(), 6e-3) == (2, False)  # the next touch comes 3.7 s later and lasts 31 ms
    late, contact = _at_instants(1.2e-2), course.starts[2] - course.starts[1]
    assert late[0] < contact / 2 < late[1]
    assert theory.decided(values(), 1.2e-2) == (1, False)


@pytest.mark.parametrize(
    "near", [{"gap": "0.86603", "t_end": 3}, {"gap": "0.5", "t_end": "1.33928"}], ids=["passing", "ending"]
)
def test_a_motion_near_the_stop_is_undecided_to_errors_as_large(near):
    """y = (2 sin t - sin 2t)/3 turns at sqrt(3)/2 = 0.866025, and meets 0.5 at 1.339291."""
    assert theory.decided(values(**near), 1e-2) == (0, False)
    assert theory.decided(values(**near), 1e-4) == (0, True)


def test_a_displacement_may_be_off_by_its_deviation_and_a_force_by_the_stiffness_times_it():
    moved = deviation(2.0, "euler_adaptive")[0]
    displacement, force = (
        f(values(), "euler_adaptive", settings(), 2.0) for f in (theory.of_displacement, theory.of_force_at)
    )
    assert (displacement.kind, displacement.value) == ("absolute", pytest.approx(moved, abs=0))
    assert (force.kind, force.value) == ("absolute", pytest.approx(9999 * moved))


@pytest.mark.parametrize("time", [0.5, 0.9])
def test_constant_steps_pass_by_an_instant_and_a_cubic_reads_the_displacement_there(time):
    """Two samples are half a step away, two 25 times as far as outputs around contacts are from each other."""
    read = theory.of_displacement(values(), "newmark", settings(), time).value - deviation(time, "newmark")[0]
    far = 25 * 0.032 / 100
    nodes = time + np.array([-far, -STEP / 2, STEP / 2, far])
    true = [(2 * math.sin(t) - math.sin(2 * t)) / 3 for t in (*nodes, time)]
    assert abs(lagrange(nodes, np.array(true[:-1]), time) - true[-1]) < read < 0.1 * far**2 * STEP**2


def test_the_energy_of_a_touch_is_kinetic_and_of_the_spring(course):
    fastest = np.abs(course.rates[1::2]).max()
    assert theory.touch_energy(values(m=2, k=2, kc=19998, F=2)) == pytest.approx(fastest**2 + 0.25)


@pytest.mark.parametrize(("scheme", "loses"), [("newmark", 0.0), ("itmi", 2 * math.pi / 24)])
def test_every_contact_leaves_energy_uncounted_and_loses_twice_its_decay(course, scheme, loses):
    number = 100 * 5e-3
    kinetic = course.rates[1::2] ** 2 / 2
    read = 0.032**2 / 4 * kinetic.max()
    expected = number**2 * math.sqrt((kinetic**2).sum()) + loses * number**3 * kinetic.sum() + read
    found = theory.of_energy(values(), scheme, settings(5e-3))
    assert found.value == pytest.approx(100 * expected / theory.touch_energy(values()))
    assert found.kind == "absolute"
