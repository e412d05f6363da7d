"""Solvers without fault on random parameter sets: which sets, and no false positive."""

import json

import pytest

from veridyn.mutation.false_positives import REACH, parameter_set, solver_of
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.validation_cases.core.catalogue import case_names, load_case

QUICK = ("sdnd101", "sdnd104", "sdld103", "sdnd106")  # to draw: a set is drawn with its references


def test_all_schemes_of_a_host_take_turns_on_every_variant():
    case = load_case("sdnd104")
    turns = {(n % len(case.variants), solver_of("integrator", case, n).name) for n in range(200)}
    assert turns == {(variant, scheme) for variant in range(len(case.variants)) for scheme in SCHEMES}


@pytest.mark.parametrize("name", QUICK)
def test_parameter_sets_are_the_same_in_every_run_and_near_a_variant(name):
    case = load_case(name)
    drawn = parameter_set(case, 3)
    measured = [variant for variant in case.variants if case.measured(variant)]
    base = case.values(measured[3 % len(measured)].changes)
    assert drawn == parameter_set(case, 3) != parameter_set(case, 3 + len(measured))
    for key, value in base.items():
        assert abs(float(value)) / REACH * 0.999 <= abs(float(drawn[key])) <= abs(float(value)) * REACH * 1.001


@pytest.mark.parametrize("name", case_names())
def test_what_random_sets_leave_alone_is_a_parameter_and_has_a_reason(name):
    case = load_case(name)
    assert set(case.held) <= {parameter.name for parameter in case.parameters}
    assert all(case.held.values())


def test_solvers_without_fault_pass(veridyn, tmp_path):
    file = tmp_path / "samples.json"
    seen = veridyn("mutation", "sdld31", "--host", "exact", "--false-positives", "2", "--json", file)
    assert seen.status == 0
    assert "No false positive" in seen.out
    samples = json.loads(file.read_text())["samples"]
    assert [(found["number"], found["solver"]) for found in samples] == [(0, "exact"), (1, "exact")]
