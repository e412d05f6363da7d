"""One mutant on one variant: what counts as detected; the search for the smallest size."""

import math
from types import SimpleNamespace

import pytest

from veridyn.mutation.trials import (
    REFUSED,
    Place,
    Trial,
    is_touched,
    load_host,
    number_of,
    places,
    resolve,
    sized,
    trial,
)
from veridyn.solver.errors import SettingsError

PLACE = Place("c", "v")


def record(name, verdict="fail", layer="criterion", error=2.0, tolerance=1.0):
    return SimpleNamespace(
        id=name, verdict=verdict, layer=layer, error=error, tolerance=tolerance, error_kind="absolute", detail="why"
    )


def named(size=1e-3):
    return {"host": "h", "solver": "s", "fault": "f", "size": size, "place": PLACE}


def test_a_check_that_fails_detects():
    found = trial([record("a"), record("b", "pass")], None, **named())
    assert (found.found, found.judged, found.worst) == ({"a": ("criterion", 2.0)}, {"criterion": 2}, 2.0)


def test_what_fails_without_the_fault_does_not_detect():
    before = trial([record("a")], None, **named())
    assert not trial([record("a")], before, **named()).detected


def test_an_error_is_no_layer_of_judgement():
    assert trial([record("a", "error", error=None)], None, **named()).found == {"a": ("error", None)}


def test_a_broken_measure_does_not_detect_but_is_listed():
    found = trial([record("a", "harness error")], None, **named())
    assert not found.detected
    assert found.broken == {"a": "why"}


def test_a_refusal_detects_unless_the_solver_without_fault_is_refused_too():
    def refused():
        raise SettingsError("step")
        yield

    found = trial(refused(), None, **named())
    assert list(found.found) == [f"{REFUSED}: step"]
    assert not trial(refused(), found, **named()).detected


def test_any_other_exception_is_a_fault_of_the_suite():
    def broken():
        raise KeyError("step")
        yield

    found = trial(broken(), None, **named())
    assert not found.detected
    assert found.broken == {"exception": "KeyError: 'step'"}


def test_ratios_that_are_no_numbers_are_left_out():
    found = trial([record("a", error=1e300, tolerance=1e-300), record("b", error=5.0)], None, **named())
    assert found.worst == 5.0
    assert trial([record("a", tolerance=0.0)], None, **named()).worst == math.inf


@pytest.mark.parametrize(("size", "number"), [(1.0, 0), (3.0, 1), (0.1, -2), (0.3, -1), (0.29, -2), (1e-9, -18)])
def test_sizes_are_numbered(size, number):
    assert number_of(size) == number
    assert number_of(sized(number)) == number


def proportional(limit, tried, exact=True):
    """Return what tries sizes of a fault that is detected from a limit on."""

    def attempt(size):
        tried.append(size)
        ratio = size / limit if exact else 2.0
        return Trial(**named(size), found={"a": ("convergence", ratio)} if size >= limit else {})

    return attempt


@pytest.mark.parametrize("limit", [2e-9, 3e-9, 9e-10, 5e-4])
def test_the_step_above_and_the_step_below_the_limit_are_tried(limit):
    tried = []
    attempt = proportional(limit, tried)
    found = resolve(attempt, attempt(1e-3), 1e-13)
    assert found.survived < limit <= found.detected
    assert number_of(found.detected) == number_of(found.survived) + 1
    assert {found.detected, found.survived} <= set(tried)
    assert len(tried) <= 4


def test_the_limit_is_found_where_error_is_not_proportional():
    tried = []
    attempt = proportional(2e-9, tried, exact=False)
    found = resolve(attempt, attempt(1e-3), 1e-13)
    assert (found.survived, found.detected) == (1e-9, 3e-9)


def test_a_fault_that_is_always_detected_ends_at_the_smallest_size():
    found = resolve(proportional(1e-30, []), proportional(1e-30, [])(1e-3), 1e-6)
    assert (found.detected, found.survived) == (1e-6, None)


def test_only_cases_that_a_fault_touches_are_tried():
    fault = load_host("integrator").faults["gap_too_wide"]
    capabilities = load_host("integrator").undamaged["newmark"].capabilities
    tried = [p.case for p in places(["sdnd101", "sdld31"]) if is_touched(fault, capabilities, p)]
    assert set(tried) == {"sdnd101"}
    assert not any(is_touched(fault, frozenset(), place) for place in places(["sdnd101"]))
