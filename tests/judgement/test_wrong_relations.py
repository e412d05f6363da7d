"""Metamorphic relations: each wrong solver violates the one meant."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from veridyn.problem.elements import Load
from veridyn.problem.kinds import problem_from_json
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response, read_response
from veridyn.validation_cases.judgement.relations import RELATIONS

from .featured import BUFFER, BY_NAME, E1, E2, EVENTS, RESTARTS, ROUNDING, WALL, chain, exact, largest_difference


class Remembers:
    """Knows a structure again and takes the initial values that it had before."""

    def __init__(self):
        self.before = {}

    def __call__(self, problem):
        data = problem.to_dict()
        place, speed = (data.pop(name) for name in ("initial_displacement", "initial_velocity"))
        del data["end"], data["output_times"]
        before = self.before.get(str(data), (place, speed))
        self.before[str(data)] = (place, speed)
        return exact()(replace(problem, initial_displacement=before[0], initial_velocity=before[1]))


class Wears:
    """Changes what it keeps for a problem object each time that it solves it."""

    def __init__(self):
        self.seen = []

    def __call__(self, problem):
        times = sum(each is problem for each in self.seen)
        self.seen.append(problem)
        return exact()(with_stops(problem, lambda stop: {"gap": stop.gap * (1 + 1e-6 * times)}))


def with_stops(problem, change):
    return replace(problem, stops=tuple(replace(stop, **change(stop)) for stop in problem.stops))


def with_an_absolute_tolerance(problem):
    """A stop is closed a micrometre before it is touched."""
    return exact()(with_stops(problem, lambda stop: {"gap": stop.gap - 1e-6}))


def from_zero(problem):
    """The clock starts at zero whatever the problem says."""
    by = problem.start
    response = exact()(replace(problem, start=0.0, end=problem.end - by, output_times=problem.output_times - by))
    events = {name: instants + by for name, instants in response.events.items()}
    return replace(response, time=response.time + by, events=events)


def stepping_by_output(problem):
    """Symplectic Euler; a step ends where output is requested."""
    t, x, v = problem.output_times, problem.initial_displacement, problem.initial_velocity
    states = [(x, v)]
    for now, then in pairwise(t):
        force = sum(load.direction * load.function(now) for load in problem.loads)
        force = force - problem.stiffness @ x - problem.damping @ v
        for stop in problem.stops:
            force = force - stop.normal * stop.stiffness * max(0.0, stop.normal @ x + stop.offset - stop.gap)
        v = v + (then - now) * np.linalg.solve(problem.mass, force)
        x = x + (then - now) * v
        states.append((x, v))
    return read_response(problem, Response(t, *map(np.array, zip(*states, strict=True))), "stepping")


def renames_coordinates(problem):
    object.__setattr__(problem, "coordinates", tuple(name.upper() for name in problem.coordinates))
    return exact()(problem)


def integrates_in_place(problem):
    """The initial displacement is the array in which it integrates."""
    response = exact()(copy_of(problem))  # the exact solver keeps what it made of a problem
    problem.initial_displacement.flags.writeable = True
    problem.initial_displacement[:] = response.displacement[-1]
    return response


def with_positive_normals(problem):
    return exact()(with_stops(problem, lambda stop: {"normal": np.abs(stop.normal)}))


def with_loads_on_the_first_coordinate(problem):
    loads = tuple(Load(load.direction.sum() * E1, load.function) for load in problem.loads)
    return exact()(replace(problem, loads=loads))


def from_rest(problem):
    return exact()(replace(problem, initial_velocity=np.zeros(problem.size)))


STRUCK = chain(loads=(Load(E1 + 0.5 * E2, Harmonic(3.0, 5.0, 0.4)),), stops=(WALL, replace(BUFFER, damping=0.0)))


def violated(make):
    """Names of the relations that a solver violates, each tried with a fresh solver and problem."""
    found = set()
    for relation in RELATIONS:
        if relation.name in EVENTS:
            continue
        solve = make()
        plain = solve(copy_of(STRUCK))
        try:
            same = largest_difference(plain, relation.answer(solve, copy_of(STRUCK))) <= ROUNDING
        except SolverFailure:
            same = False
        found |= set() if same else {relation.name}
    return found


def copy_of(problem):
    return problem_from_json(problem.to_json())


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (exact, set()),
        (Wears, {"repeated"}),
        (Remembers, {"after_another"}),
        (lambda: renames_coordinates, {"problem_unchanged"}),
        (lambda: integrates_in_place, {"problem_unchanged", "repeated"}),
        (lambda: from_rest, RESTARTS),
        (lambda: stepping_by_output, {"half_output"}),
        (lambda: from_zero, {"later_origin", *RESTARTS}),
        (lambda: with_an_absolute_tolerance, {"other_units"}),
        (lambda: with_positive_normals, {"mirrored"}),
        (lambda: with_loads_on_the_first_coordinate, {"permuted"}),
    ],
)
def test_a_wrong_solver_violates_the_relation_meant(make, expected):
    assert violated(make) == expected


def test_a_changed_problem_is_named_with_its_fields():
    with pytest.raises(SolverFailure, match=r"^chain: .* changed the problem .*: coordinates$"):
        BY_NAME["problem_unchanged"].answer(renames_coordinates, chain())


def test_a_solver_that_changes_its_problem_leaves_that_of_others_alone():
    problem = chain()
    before = problem.to_json()
    for name in ("repeated", "problem_unchanged"):
        with suppress(SolverFailure):
            BY_NAME[name].answer(integrates_in_place, problem)
    assert problem.to_json() == before


def test_names_are_stable():
    """Names stand in stored results."""
    assert [relation.name for relation in RELATIONS] == [
        "repeated", "after_another", "problem_unchanged", "restarted", "restarted_twice", "half_output",
        "later_origin", "other_units", "mirrored", "permuted", "events_reordered", "restarted_after_event",
    ]  # fmt: skip
    assert [r.name for r in RELATIONS if r.to_rounding] == ["repeated", "after_another", "problem_unchanged"]
