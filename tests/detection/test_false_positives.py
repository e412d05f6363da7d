"""Solvers without fault on random parameter sets: which sets, and no false positive."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from veridyn.mutation import false_positives
from veridyn.mutation.false_positives import REACH, parameter_set, solver_of
from veridyn.solver.errors import CapabilityError
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.validation_cases.core.case import Observation, Variant
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


DIES = """
import os
from types import SimpleNamespace

def ends(problem, settings):
    os._exit(3)

CAN = frozenset({"mechanical", "loads", "damping"})
SOLVER = SimpleNamespace(name="dies", version="1", capabilities=CAN, solve=ends)
FAULTS = ()
"""


def test_a_host_that_ends_the_process_costs_its_own_sample(veridyn, tmp_path):
    host, file = tmp_path / "dies.py", tmp_path / "samples.json"
    host.write_text(DIES)
    asked = ("mutation", "sdld31", "--host", host, "--host", "exact", "--false-positives", "1", "--json", file)
    assert veridyn(*asked).status == 1
    dead, alive = json.loads(file.read_text())["samples"]
    assert dead["alarms"] == ["dies ended the process while solving: exit status 3"]
    assert (alive["solver"], alive["alarms"]) == ("exact", [])


def test_an_exception_is_an_alarm_of_one_sample():
    told = []
    line = SimpleNamespace(tell=told.append, watched=lambda _: nullcontext())
    false_positives._try(line, "sdld31", 0, ("nobody", "exact"))
    unknown, exact = told
    assert unknown.alarms[0].startswith("SolverInputError: ")
    assert not exact.alarms
    assert exact.parameters


@pytest.mark.parametrize(("name", "number"), [("sdnd100", 73), ("sdnd105", 128)])
def test_sets_that_the_problem_refuses_are_drawn_anew(name, number):
    """More half cycles than are run; returns that do not follow each other."""
    case = load_case(name)
    assert case.problem(case.values(parameter_set(case, number))).name == name


def test_what_does_not_exist_for_a_parameter_set_is_not_read():
    case = load_case("bouncing_ball")
    values = case.values({"e": "1.886", "g": "18.14", "h": "0.59"})
    tenth = next(q for q in case.quantities if q.name == "t_impact_10")
    with pytest.raises(CapabilityError, match="there is no event impact number 10"):
        tenth.measure(Observation(values, None, None))


def test_a_parameter_set_is_asked_for_its_own_start_alone():
    case = load_case("bouc_wen")
    asked = {loop: {q.name for q in case.asked(Variant("mine", {"X": "2", "loop": loop}))} for loop in ("0", "1")}
    assert asked == {"0": {"z_top", "z_bottom"}, "1": {"z_max", "energy"}}


def failed(layer, quantity):
    return SimpleNamespace(
        layer=layer, quantity=quantity, verdict="fail", error_kind="absolute", case="c", id=quantity, detail=layer
    )


def test_a_missed_criterion_is_right_where_the_quantity_converges_and_there_alone():
    records = [failed("criterion", "x"), failed("criterion", "energy"), failed("convergence", "x")]
    alarms, coarse = false_positives.sorted_failures(records, lambda record: record.quantity == "energy")
    assert alarms == ("c x: criterion", "c x: convergence")
    assert coarse == ("c energy: criterion",)
