"""Metamorphic relations: right solvers keep all of them on every feature."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.devices import Device
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, Sum, Windowed
from veridyn.solver.contract.responses import Response
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as MODAL
from veridyn.validation_cases.judgement.changed_units import SI, in_units, is_expressible
from veridyn.validation_cases.judgement.relations import RELATIONS, UNITS

from .featured import (
    BUFFER,
    BY_NAME,
    CRUSH,
    E1,
    END,
    EVENTS,
    ODD,
    PAIRS,
    PIECES,
    PROBLEMS,
    RESTARTS,
    ROUNDING,
    STICKS_BELOW_A_SPEED,
    WALL,
    WINDOW,
    chain,
    exact,
    largest_difference,
    modal,
    solvers,
)


def assert_same_events(one, other):
    assert set(one.events) == set(other.events)
    for name, instants in one.events.items():
        np.testing.assert_allclose(other.events[name], instants, rtol=0, atol=1e-11)
        assert np.isin(other.events[name], other.time).all()


# ---- right solvers


def test_the_problems_have_every_feature():
    tags = frozenset().union(*(problem.needs for problem in PROBLEMS.values()))
    assert tags == (MODAL.capabilities | EXACT.capabilities) - {FORWARD}


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if problem.elements])
def test_elements_of_the_problems_act(name):
    """Every stop is hit and left, every friction sticks and slips, every device is strained."""
    problem = PROBLEMS[name]
    response, rigid = solvers(problem)[0]()(problem), {stop.name for stop in problem.stops if stop.rigid}
    assert all(response.events[stop].size for stop in rigid)  # a touch of theirs takes no time
    for histories in (each for element, each in response.elements.items() if element not in rigid):
        acts = histories.get("stuck", histories.get("normal_force", histories.get("elongation")))
        assert acts.any()
        assert not acts.all() or "elongation" in histories


@pytest.mark.parametrize(("make", "name"), PAIRS)
def test_right_solvers_keep_every_relation_to_rounding(make, name):
    problem = PROBLEMS[name]
    plain = make()(problem)
    for relation in RELATIONS:
        if not relation.applies(problem) or (name, relation.name) == (STICKS_BELOW_A_SPEED, "other_units"):
            continue
        answer = relation.answer(needing_the_same(make(relation.units), problem), problem)
        allowed = 0.0 if relation.to_rounding else ROUNDING
        assert largest_difference(plain, answer) <= allowed, relation.name
        assert_same_events(plain, answer)


def needing_the_same(solve, problem):
    """Return a solver that insists on problems that need what a problem needs."""

    def solve_it(changed):
        assert changed.needs == problem.needs
        return solve(changed)

    return solve_it


@pytest.mark.parametrize("make", [exact, modal])
def test_powers_of_two_as_units_and_signs_change_no_bit(make):
    problem = PROBLEMS["stops"]
    for relation in (BY_NAME["other_units"], BY_NAME["mirrored"]):
        assert largest_difference(make()(problem), relation.answer(make(relation.units), problem)) == 0.0


def test_a_speed_below_which_a_friction_sticks_shows_in_other_units():
    """1e-6 m/s are a thousandth of what they are for a structure of a thousandth of the size."""
    problem, relation = PROBLEMS[STICKS_BELOW_A_SPEED], BY_NAME["other_units"]
    plain, answer = modal()(problem), relation.answer(modal(UNITS), problem)
    assert 1e-6 < np.abs(answer.velocity - plain.velocity).max() < 0.1


# ---- where a relation applies


def applicable(problem):
    return {relation.name for relation in RELATIONS if relation.applies(problem)}


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("loads", set()),
        ("friction", set()),
        ("nonlinear spring", set()),
        ("absolute frame", set()),
        ("static and kinetic friction", RESTARTS),
        ("two tangents", RESTARTS),
        ("zener", RESTARTS),
        ("buckling stop", RESTARTS),
        ("later start, no outputs", {"half_output"}),
    ],
)
def test_relations_apply_where_they_can_be_expressed(name, missing):
    assert applicable(PROBLEMS[name]) == set(BY_NAME) - EVENTS - missing


@pytest.mark.parametrize(
    ("outputs", "missing"),
    [
        ([0.0, 4.0], {"half_output", *RESTARTS}),
        ([0.0, 2.0, 4.0], {"half_output", "restarted_twice"}),
        ([3.0, 3.5, 3.6, 4.0], {"restarted_twice"}),  # one instant is the nearest to both thirds
        ([0.0, 1.0, 2.0, 4.0], set()),
    ],
)
def test_few_output_instants_leave_relations_out(outputs, missing):
    assert applicable(chain(output_times=outputs)) == set(BY_NAME) - EVENTS - missing


def test_one_coordinate_has_one_order():
    one = MechanicalProblem(name="one", mass=[[1.0]], initial_displacement=[0.0], initial_velocity=[1.0], end=1.0)
    assert applicable(one) == set(BY_NAME) - EVENTS - {"permuted", "half_output"}


def test_units_of_an_unknown_device_are_unknown():
    class Magnet(Device):
        type = "magnet"

    assert not is_expressible(chain(devices=(Magnet(name="magnet", direction=E1),)))


# ---- the changed problems and responses themselves


def asked(relation, problem):
    """Problems that a relation gives to the solver."""
    seen = []

    def solve(changed):
        seen.append(changed)
        return exact()(changed)

    BY_NAME[relation].answer(solve, problem)
    return seen


def test_restarts_lie_at_output_instants_near_equal_parts():
    first, second = asked("restarted", PROBLEMS["loads"])
    assert (first.start, first.end, second.start, second.end) == (0.0, 2.0, 2.0, END)
    parts = asked("restarted_twice", PROBLEMS["loads"])
    spans = [(p.start, p.end) for p in parts]
    assert spans == [(0.0, 1.34375), (1.34375, 2.65625), (2.65625, END)]
    assert all(p.output_times[0] == p.start and p.output_times[-1] == p.end for p in parts)


def test_another_problem_starts_elsewhere_and_ends_earlier():
    problem = PROBLEMS["loads"]
    other, same = asked("after_another", problem)
    assert same.to_json() == problem.to_json()
    assert other.end < 0.5 * problem.end
    assert not np.any(other.initial_displacement == problem.initial_displacement)


def test_half_of_the_output_has_both_ends():
    outputs = np.array([0.0, 1.0, 2.0, 3.0, 4.0])[[0, 1, 3, 4]]
    (half,) = asked("half_output", chain(output_times=outputs))
    assert half.output_times.tolist() == [0.0, 3.0, 4.0]


def test_half_of_the_output_keeps_the_instants_that_values_are_asked_for():
    """A polynomial through the samples beside it would be judged instead of the solver."""
    outputs = np.union1d(np.linspace(0.0, 4.0, 9), [1.6])
    (half,) = asked("half_output", chain(output_times=outputs))
    assert half.output_times.tolist() == [0.0, 1.0, 1.5, 1.6, 2.5, 3.5, 4.0]


def test_a_later_origin_is_a_power_of_two_and_answers_at_the_same_instants():
    problem = chain(output_times=np.linspace(0.0, END, 98), stops=(WALL,))
    (later,) = asked("later_origin", problem)
    assert later.start == later.end - END == END
    answer = BY_NAME["later_origin"].answer(exact(), problem)
    assert np.isin(problem.output_times, answer.time).sum() >= 95  # next to events the exact solver leaves some out
    assert np.isin(answer.events["wall"], answer.time).all()


def test_events_in_the_last_bits_of_an_output_instant_stay_apart():
    problem = chain(output_times=[0.0, 1.1, 2.2, END], stops=(WALL,))

    def solve(later):
        t = later.output_times
        time = np.sort(np.append(t, np.nextafter(t[1], 9.0)))
        return Response(time, np.zeros((5, 3)), np.zeros((5, 3)), events={"wall": time[2:3]})

    answer = BY_NAME["later_origin"].answer(solve, problem)
    assert np.all(np.diff(answer.time) > 0)
    assert answer.events["wall"].tolist() == [answer.time[2]]


def test_numbers_in_other_units_have_their_dimensions():
    changed = in_units(chain(stops=(BUFFER,), devices=(CRUSH, replace(ODD, name="other"))), UNITS)
    length, mass, time = UNITS.length, UNITS.mass, UNITS.time
    force, stiffness = mass * length / time**2, mass / time**2
    assert changed.end == END * time
    assert changed.stops[0].damping == 4.0 * mass / time
    crush, spring = changed.devices
    assert crush.returns == ((0.1 * length, 200.0 * stiffness), (0.3 * length, 180.0 * stiffness))
    assert crush.critical_force == 20.0 * force
    assert spring.coefficients[-1] == (0.5 * force, 30.0 * stiffness, 200.0 * stiffness / length)


def test_settings_with_a_dimension_are_stated_in_the_units_of_a_relation():
    assert UNITS.factor("s") == UNITS.time
    assert UNITS.factor("N/m") == UNITS.mass / UNITS.time**2
    assert {r.name for r in RELATIONS if r.units != SI} == {"other_units"}


def extras(problem):
    """A response with quantities, and with a history that is documented nowhere."""
    t = problem.output_times
    zero, c = np.zeros((t.size, 3)), problem.end - problem.start
    totals = {"impulse": c, "largest_gap": c, "least_gap": -c, "secret": c}
    return Response(t, zero, zero, {"wall": {"gap": t, "secret": t}}, {"steps": 5}, {}, {"wall": totals})


def test_what_has_no_known_unit_is_left_out():
    answer = BY_NAME["other_units"].answer(extras, chain(stops=(WALL,)))
    length, mass, time = UNITS.length, UNITS.mass, UNITS.time
    assert set(answer.elements["wall"]) == {"gap"}
    impulse = END * time / (mass * length / time)
    gap = END * time / length
    assert answer.quantities["wall"] == {"impulse": impulse, "largest_gap": gap, "least_gap": -gap}


def test_counters_extremes_and_integrals_of_parts_are_combined():
    answer = BY_NAME["restarted_twice"].answer(extras, chain(stops=(WALL,)))
    assert answer.counters == {"steps": 15}
    assert answer.quantities["wall"] == {"impulse": END, "largest_gap": 1.34375, "least_gap": -1.34375}
    assert np.array_equal(answer.elements["wall"]["secret"], answer.time)


def test_a_part_that_ends_off_its_instant_is_continued_from_where_it_ended():
    """A solver whose step does not divide the span answers at the multiple of it that comes next."""
    problem = chain(output_times=None)
    seen = []

    def solve(part):
        seen.append(part.start)
        count = math.ceil((part.end - part.start) / 0.3 - 1e-9)
        t = part.start + 0.3 * np.arange(count + 1)
        return Response(t, np.outer(t, np.ones(3)), np.ones((t.size, 3)))

    answer = BY_NAME["restarted"].answer(solve, problem)
    assert seen == pytest.approx([0.0, 2.1])
    assert np.all(np.diff(answer.time) > 0)
    assert answer.displacement[:, 0] == pytest.approx(answer.time)


@pytest.mark.parametrize(
    "f",
    [
        Harmonic(2.0, "3*pi/2", "pi/3", order=-2),
        PIECES,
        Sum((PIECES, Harmonic(1.0, 2.0))),
        WINDOW,
        WINDOW.antiderivative().antiderivative(),
        Windowed(PIECES, 0.5, "5/2", -1),
    ],
)
def test_time_functions_move_and_stretch(f):
    t = np.linspace(-1.0, 5.0, 97) + 1e-3  # off the jumps
    np.testing.assert_allclose(f.shifted(8.0)(t + 8.0), f(t), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(f.rescaled(0.125, 4.0)(t * 4.0), 0.125 * f(t))


def test_the_phase_of_a_late_wave_stays_within_half_a_turn():
    late = Harmonic(1.0, 1000.0, 3.0).shifted(2.0**20)
    assert abs(late.phase) <= math.pi
    assert late(2.0**20 + 0.5) == pytest.approx(math.sin(503.0), abs=1e-6)  # of a time that has 4e-10 s of rounding
