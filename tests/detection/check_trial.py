"""What counts as detected, and the search for the smallest size."""

import math
from types import SimpleNamespace

import pytest

from veridyn.solver.contract.errors import SettingsError

from .smallest import find_smallest, number_of, size_of
from .trial import REFUSED, Place, Trial, summarise

NAMED = {"host": "h", "fault": "f", "size": 1e-3, "place": Place("c", "v")}


def record(name, verdict="fail", layer="criterion", error=2.0, tolerance=1.0):
    return SimpleNamespace(
        id=name, verdict=verdict, layer=layer, error=error, tolerance=tolerance, error_kind="absolute", detail="why"
    )


def raising(error):
    """Return records, the first of which cannot be had."""
    raise error
    yield


def test_a_check_that_fails_detects():
    trial = summarise([record("a"), record("b", "pass")], None, **NAMED)
    assert (trial.failures, trial.judged, trial.worst) == ({"a": ("criterion", 2.0)}, {"criterion": 2}, 2.0)


def test_what_fails_without_the_fault_does_not_detect():
    sound = summarise([record("a")], None, **NAMED)
    assert not summarise([record("a")], sound, **NAMED).detected


def test_an_error_is_no_layer_of_judgement():
    assert summarise([record("a", "error", error=None)], None, **NAMED).failures == {"a": ("error", None)}


def test_a_broken_measure_does_not_detect_but_is_listed():
    trial = summarise([record("a", "harness error")], None, **NAMED)
    assert not trial.detected
    assert trial.broken == {"a": "why"}


def test_a_refusal_detects_unless_the_sound_solver_is_refused_too():
    trial = summarise(raising(SettingsError("step")), None, **NAMED)
    assert list(trial.failures) == [f"{REFUSED}: step"]
    assert not summarise(raising(SettingsError("step")), trial, **NAMED).detected


def test_any_other_exception_is_a_fault_of_the_suite():
    trial = summarise(raising(KeyError("step")), None, **NAMED)
    assert not trial.detected
    assert trial.broken == {"exception": "KeyError: 'step'"}


def test_ratios_that_are_no_numbers_are_not_counted():
    trial = summarise([record("a", error=1e300, tolerance=1e-300), record("b", error=5.0)], None, **NAMED)
    assert trial.worst == 5.0
    assert summarise([record("a", tolerance=0.0)], None, **NAMED).worst == math.inf


@pytest.mark.parametrize(("size", "number"), [(1.0, 0), (3.0, 1), (0.1, -2), (0.3, -1), (0.29, -2), (1e-9, -18)])
def test_sizes_are_numbered(size, number):
    assert number_of(size) == number
    assert number_of(size_of(number)) == number


def attempting(limit, tried, exact=True):
    """Return what tries sizes of a fault that is detected from a limit on."""

    def attempt(size):
        tried.append(size)
        ratio = size / limit if exact else 2.0
        return Trial(**{**NAMED, "size": size}, failures={"a": ("convergence", ratio)} if size >= limit else {})

    return attempt


@pytest.mark.parametrize("limit", [2e-9, 3e-9, 9e-10, 5e-4])
def test_the_step_above_and_the_step_below_the_limit_are_tried(limit):
    tried = []
    attempt = attempting(limit, tried)
    smallest = find_smallest(attempt, attempt(1e-3), 1e-13)
    assert smallest.survived < limit <= smallest.detected
    assert number_of(smallest.detected) == number_of(smallest.survived) + 1
    assert {smallest.detected, smallest.survived} <= set(tried)
    assert len(tried) <= 4


def test_the_limit_shows_where_error_is_not_proportional():
    attempt = attempting(2e-9, [], exact=False)
    smallest = find_smallest(attempt, attempt(1e-3), 1e-13)
    assert (smallest.survived, smallest.detected) == (1e-9, 3e-9)


def test_a_fault_that_is_always_detected_ends_at_the_smallest_size():
    attempt = attempting(1e-30, [])
    smallest = find_smallest(attempt, attempt(1e-3), 1e-6)
    assert (smallest.detected, smallest.survived) == (1e-6, None)
