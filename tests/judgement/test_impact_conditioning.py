"""Which contacts are decided: growth of perturbations, margins of grazing; no solver enters.

A mass of 1 kg on a spring of 1 N/m under 1 N sin 2t meets a stop with which it swings at 100 rad/s.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from veridyn.references.parameters import resolve
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.uncertainty import ROUNDING
from veridyn.validation_cases.measures import impact_conditioning as conditioning
from veridyn.validation_cases.measures import struck_oscillator, vibro_impact

STRUCK = {"m": 1, "k": 1, "kc": 9999, "gap": "0.5", "F": 1, "Omega": 2, "t_end": 6}
TURN = math.sqrt(3) / 2  # where y = (2 sin t - sin 2t)/3 turns


def values(**changes):
    return resolve(struck_oscillator.PARAMETERS, STRUCK | changes)


def test_a_course_holds_what_the_motion_does_at_its_instants():
    course = conditioning.course(values())
    touch = course.starts[1]
    assert 2 * math.sin(touch) - math.sin(2 * touch) == pytest.approx(1.5, rel=1e-12)
    assert course.rates[1] == pytest.approx(2 / 3 * (math.cos(touch) - math.cos(2 * touch)), rel=1e-12)
    assert course.lapses.sum() == pytest.approx(6)


@pytest.mark.parametrize("name", ["k", "kc", "gap", "F", "Omega"])
def test_no_datum_moves_an_instant_farther_than_stated(name):
    """The motion is found again with a datum that is larger by 1e-9."""
    larger = repr(float(STRUCK[name]) * (1 + ROUNDING))
    found, changed = conditioning.course(values(t_end=30)), conditioning.course(values(t_end=30, **{name: larger}))
    moved = np.abs(changed.starts[1:] - found.starts[1:]) * np.abs(found.rates[1:])
    assert np.all(moved < 1.01 * conditioning.moved(values(t_end=30)).at_end[:-1])


@pytest.mark.parametrize("name", ["k", "kc", "gap", "F", "Omega"])
def test_no_datum_moves_a_peak_farther_than_stated_and_some_datum_as_far(name):
    """At a fixed instant within a contact a displacement moves by far more."""
    larger = repr(float(STRUCK[name]) * (1 + ROUNDING))
    found, changed = (peaks(values(t_end=30, **more)) for more in ({}, {name: larger}))
    stated = conditioning.moved(values(t_end=30)).at_peak[1:-1:2]
    assert np.all(np.abs(changed - found) < 1.01 * stated)
    if name == "Omega":
        assert np.abs(changed - found).max() > stated.max() / 20


def peaks(given):
    """Return the largest penetrations of all contacts (m)."""
    count = conditioning.course(given).starts[1:-1:2].size
    forces = [struck_oscillator.peak_force(n + 1)(**given) for n in range(count)]
    return np.array([float(force.value / given["kc"].mpf()) for force in forces])


def test_the_largest_peak_moves_as_that_of_its_contact_does():
    given = values(t_end=30)
    contact = int(np.argmax(peaks(given))) + 1
    assert conditioning.largest_peak_rounded(given, 0.0) == conditioning.peak_rounded(given, 0.0, contact) > 0


def test_what_is_moved_is_no_more_than_all_data_move_together():
    """The frequency of the load and that of flight move most; the others do not make it ten times as much."""
    found = conditioning.course(values(t_end=30))
    data = {"Omega": repr(2 * (1 + ROUNDING)), "k": repr(1 + ROUNDING)}
    changed = [conditioning.course(values(t_end=30, **{name: value})) for name, value in data.items()]
    moved = sum(np.abs(one.starts[1:] - found.starts[1:]) for one in changed) * np.abs(found.rates[1:])
    assert np.all(conditioning.moved(values(t_end=30)).at_end[3:-1] < 20 * moved[3:])


@pytest.mark.parametrize("name", ["k", "kc"])
def test_errors_of_steps_move_as_a_stiffness_does_that_is_off_by_twice_their_share(name):
    """A frequency that is off by (omega h)²/12 is that of a stiffness that is off by twice as much."""
    resolution, frequency = 0.1, {"k": 1.0, "kc": 100.0}[name]
    share = 2 * (frequency * resolution / 100) ** 2 / 12
    larger = repr(float(STRUCK[name]) * (1 + share))
    found, changed = conditioning.course(values()), conditioning.course(values(**{name: larger}))
    moved = np.abs(changed.starts[1:] - found.starts[1:]) * np.abs(found.rates[1:])
    assert np.all(moved < 1.01 * conditioning.moved(values(), resolution).at_end[:-1])


def test_a_unit_in_the_last_place_moves_an_instant_as_far_as_the_contacts_before_it_magnify():
    eps = np.finfo(float).eps
    first, late = (conditioning.instant_rounded(values(t_end=200), 0.0, number) for number in (1, 50))
    assert eps < first < 20 * eps
    assert late > 1e3 * first
    assert conditioning.instant_rounded(values(), 0.0, 99) == 0


def test_an_instant_on_a_late_clock_has_fewer_bits():
    """A contact starts four units in the last place of what the clock shows off, and so it ends."""
    early, late = (conditioning.instant_rounded(values(t_end=200), clock, 2) for clock in (0.0, 1e6))
    assert late - early == pytest.approx(4 * np.finfo(float).eps * 1e6, rel=0.5)


def test_what_is_moved_within_a_flight_is_no_less_than_at_its_end():
    moved = conditioning.moved(values())
    assert np.all(moved.within > moved.at_end)


def test_all_contacts_of_a_short_motion_are_decided():
    assert conditioning.decided(values()) == (4, True)


def test_contacts_that_magnify_perturbations_a_hundred_million_times_are_decided_in_part():
    found = conditioning.decided(values(t_end=200))
    assert conditioning.amplification(values(t_end=200)) > 1e7
    assert (50 < found.instants < 108, found.all) == (True, False)


@pytest.mark.parametrize(("gap", "decided"), [(TURN + 1e-7, True), (TURN + 1e-10, False)])
def test_a_flight_that_passes_the_stop_is_decided_by_its_margin(gap, decided):
    assert conditioning.decided(values(gap=repr(gap), t_end=3)) == (0, decided)


def test_a_contact_that_lasts_no_longer_than_perturbations_move_it_is_undecided():
    assert conditioning.decided(values(gap=repr(TURN - 1e-10), t_end=3)).instants == 0
    assert conditioning.decided(values(gap=repr(TURN - 1e-6), t_end=3)) == (2, True)


@pytest.mark.parametrize(("share", "decided"), [(1e-6, True), (1e-11, False)])
def test_a_motion_that_ends_at_the_stop_is_decided_by_its_distance(share, decided):
    touch = conditioning.course(values()).starts[1]
    assert conditioning.decided(values(t_end=repr(float(touch * (1 - share))))) == (0, decided)


def test_the_nearest_turn_of_a_contact_that_nearly_lets_go_within_is_seen():
    """A soft stop under a fast load: the force rises and falls twice."""
    soft = values(kc=10, F=40, Omega=10, t_end=2)
    course, motion = conditioning.course(soft), struck_oscillator.HISTORY(**soft, digits=12)
    times = np.linspace(course.starts[1], course.starts[2], 401)[1:-1]
    depths = -np.array([float(motion("gap", t)) for t in times.tolist()])
    turned = depths[1:-1][np.diff(depths)[1:] * np.diff(depths)[:-1] < 0]
    assert turned.size == 3
    assert course.turns[1] == pytest.approx(turned.min(), rel=1e-3)


@pytest.mark.parametrize(("name", "variant"), [("sdnd102", "a"), ("sdnd102", "c"), ("sdnd121", "a")])
def test_all_contacts_of_documented_variants_are_decided(name, variant):
    case = load_case(name)
    given = case.values(case.variant(variant).changes)
    for resolution in (0.0, vibro_impact.OUTPUT_NUMBER):
        assert conditioning.decided(given, resolution) == (conditioning.course(given).starts.size - 1, True)
    assert conditioning.amplification(given) < 5


def test_errors_of_steps_decide_on_fewer_contacts_than_roundings_do():
    rounded, stepped = (conditioning.decided(values(t_end=200), r) for r in (0.0, vibro_impact.OUTPUT_NUMBER))
    assert 4 <= stepped.instants < rounded.instants
    assert not stepped.all


def test_the_energy_of_a_touch_is_kinetic_and_of_the_spring():
    fastest = np.abs(conditioning.course(values()).rates[1::2]).max()
    assert conditioning.touch_energy(values(m=2, k=2, kc=19998, F=2)) == pytest.approx(fastest**2 + 0.25)


def test_without_contact_the_energy_is_that_of_the_spring_at_the_stop():
    assert conditioning.touch_energy(values(gap=9)) == pytest.approx(40.5)


def test_no_solver_enters():
    assert "veridyn.solver" not in Path(conditioning.__file__).read_text()
