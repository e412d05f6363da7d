"""Whatever a solver returns is checked on arrival."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from veridyn.problem.elements import Stop
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response, read_response
from veridyn.solver.contract.wire import Opaque

TIME = np.linspace(0.0, 1.0, 5)
ANSWER = {"time": TIME, "displacement": np.zeros((5, 2)), "velocity": np.zeros((5, 2))}


def without(name):
    return {key: value for key, value in ANSWER.items() if key != name}


def test_dict_is_accepted(build):
    r = read_response(build.chain(2), ANSWER, "mine")
    assert isinstance(r, Response)
    assert r.displacement.shape == (5, 2)
    assert (dict(r.elements), dict(r.counters)) == ({}, {})


def test_lists_become_arrays(build):
    answer = {name: np.asarray(value).tolist() for name, value in ANSWER.items()}
    assert read_response(build.chain(2), answer, "mine").velocity.dtype == float


def test_response_passes_unchanged(build, run):
    problem = build.oscillator()
    r = run(problem, "devogelaere", 0.1)
    read = read_response(problem, r, "veridyn")
    assert np.array_equal(read.displacement, r.displacement)
    assert dict(read.counters) == r.counters


def test_vectors_do_for_one_degree_of_freedom(build):
    answer = {"time": TIME, "displacement": TIME, "velocity": TIME, "elements": {"wall": {"gap": TIME[:, None]}}}
    r = read_response(build.mass(), answer, "mine")
    assert r.displacement.shape == (5, 1)
    assert np.array_equal(r.elements["wall"]["gap"], TIME)


@pytest.mark.parametrize(
    ("answer", "culprit"),
    [
        (None, "NoneType"),
        ([TIME], "list"),
        (SimpleNamespace(**ANSWER), "SimpleNamespace"),
        (without("time"), "no time"),
        (without("velocity"), "no velocity"),
        ({}, "no time and no displacement and no velocity"),
        ({**ANSWER, "time": TIME[:4]}, "[0, 0.75] s"),
        ({**ANSWER, "time": TIME[:, None]}, "time of shape (5, 1)"),
        ({**ANSWER, "time": [0.0]}, "time of shape (1,)"),
        ({**ANSWER, "time": TIME + 0.1}, "[0.1, 1.1] s"),
        ({**ANSWER, "time": [0.0, 0.5, 0.5, 0.7, 1.0]}, "after index 1"),
        ({**ANSWER, "time": TIME[::-1]}, "after index 0"),
        ({**ANSWER, "time": [0.0, np.nan, 0.5, 0.7, 1.0]}, "time with NaN or infinity, first at index [1]"),
        ({**ANSWER, "displacement": np.zeros((4, 2))}, "displacement of shape (4, 2); (5, 2) is needed"),
        ({**ANSWER, "displacement": np.zeros(5)}, "displacement of shape (5,)"),
        ({**ANSWER, "velocity": np.full((5, 2), np.inf)}, "velocity with NaN or infinity, first at index [0, 0]"),
        ({**ANSWER, "velocity": "fast"}, "velocity that is not numeric"),
        ({**ANSWER, "velocity": [["0.0", "0.0"]] * 5}, "velocity that is not numeric"),
        ({**ANSWER, "displacement": np.full((5, 2), 1j)}, "displacement that is not numeric"),
        ({**ANSWER, "displacement": [[Opaque("1j")] * 2] * 5}, "displacement that is not numeric"),
        ({**ANSWER, "elements": {"wall": {"gap": TIME[:3]}}}, "wall.gap of shape (3, 1); (5, 1) is needed"),
        ({**ANSWER, "elements": {"wall": {"gap": TIME * np.nan}}}, "wall.gap with NaN"),
        ({**ANSWER, "elements": {"wall": [TIME]}}, "elements"),
        ({**ANSWER, "elements": [TIME]}, "elements"),
        ({**ANSWER, "counters": 3}, "counters"),
    ],
)
def test_malformed_answer_is_refused(answer, culprit, build, refused):
    with refused(SolverFailure, "mine", culprit):
        read_response(build.chain(2), answer, "mine")


def test_only_the_requested_instants_are_needed(build):
    problem = build.chain(2, output_times=[0.25, 0.5])
    answer = {name: value[1:3] for name, value in ANSWER.items()}
    assert read_response(problem, answer, "mine").time.size == 2


@pytest.mark.parametrize("part", [slice(0, 2), slice(2, 5)])
def test_requested_instants_must_be_reached(part, build, refused):
    answer = {name: value[part] for name, value in ANSWER.items()}
    with refused(SolverFailure, "mine", "output instants"):
        read_response(build.chain(2, output_times=[0.25, 0.5]), answer, "mine")


def test_a_hole_in_the_requested_output_is_refused(build, refused):
    problem = build.chain(2, output_times=np.linspace(0.0, 1.0, 101))
    kept = np.concatenate((problem.output_times[:50], problem.output_times[70:]))
    answer = {"time": kept, "displacement": np.zeros((81, 2)), "velocity": np.zeros((81, 2))}
    with refused(SolverFailure, "mine", "no sample between 0.49 and 0.7 s", "every 0.01 s"):
        read_response(problem, answer, "mine")


STOPPED = {"stops": (Stop("wall", np.array([1.0, 0.0]), 0.0, 1.0),)}


def test_events_are_samples(build):
    answer = {**ANSWER, "events": {"wall": [0.25, 0.75]}}
    assert read_response(build.chain(2, **STOPPED), answer, "mine").events["wall"].tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("events", "culprit"),
    [
        ([0.25], "events that are not instants by element"),
        ({"floor": [0.25]}, "events of 'floor'; the events are ['wall']"),
        ({"wall": [0.3]}, "event of wall at t = 0.3 s, where time has no sample"),
        ({"wall": [0.5, 0.25]}, "events of wall that are no increasing vector"),
        ({"wall": 0.25}, "events of wall that are no increasing vector"),
        ({"wall": [np.nan]}, "events of wall with NaN"),
    ],
)
def test_malformed_events_are_refused(events, culprit, build, refused):
    with refused(SolverFailure, "mine", culprit):
        read_response(build.chain(2, **STOPPED), {**ANSWER, "events": events}, "mine")


def test_quantities_that_are_none_are_refused(build):
    with pytest.raises(SolverFailure, match="mine returned quantities that are not numbers by element and name"):
        read_response(build.chain(2), {**ANSWER, "quantities": 3}, "mine")
