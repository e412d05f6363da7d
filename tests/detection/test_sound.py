"""Sound hosts on random parameter sets: which sets, and what counts as a false alarm."""

from types import SimpleNamespace

import pytest

from veridyn.solver.contract.errors import CapabilityError
from veridyn.validation_cases.judgement.case import Observation, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, load_case

from . import sound
from .sound import REACH, draw_parameters, sort_failures

QUICK = ("sdnd101", "sdld103", "sdnd106")  # to draw: a set is drawn with its references


@pytest.mark.parametrize("name", QUICK)
def test_parameter_sets_are_the_same_in_every_run_and_near_a_variant(name):
    case = load_case(name)
    drawn = draw_parameters(case, 3)
    measured = [variant for variant in case.variants if case.measured(variant)]
    base = case.values(measured[3 % len(measured)].changes)
    assert drawn == draw_parameters(case, 3) != draw_parameters(case, 3 + len(measured))
    for key, value in base.items():
        assert abs(float(value)) / REACH * 0.999 <= abs(float(drawn[key])) <= abs(float(value)) * REACH * 1.001


def test_what_random_sets_leave_alone_is_a_parameter_and_has_a_reason():
    for name in case_names():
        case = load_case(name)
        assert set(case.held) <= {parameter.name for parameter in case.parameters}
        assert all(case.held.values())


def test_an_exception_is_an_alarm_of_one_sample():
    unknown, right = sound.sample_set("sdld31", 0, ("nobody", "event-driven"), 60.0)
    assert unknown.alarms[0].startswith("KeyError: ")
    assert not right.alarms
    assert right.parameters


@pytest.mark.parametrize(("name", "number"), [("sdnd100", 73), ("sdnd105", 128)])
def test_sets_that_the_problem_refuses_are_drawn_anew(name, number):
    """More half cycles than are run; returns that do not follow each other."""
    case = load_case(name)
    assert case.problem(case.values(draw_parameters(case, number))).name == name


def test_what_does_not_exist_for_a_parameter_set_is_not_read():
    case = load_case("bouncing_ball")
    values = case.values({"e": "1", "g": "18.14", "h": "5900"})
    tenth = next(q for q in case.quantities if q.name == "t_impact_10")
    with pytest.raises(CapabilityError, match="there is no event impact number 10"):
        tenth.measure(Observation(values, None, None))


def test_a_parameter_set_is_asked_for_its_own_start_alone():
    case = load_case("bouc_wen")
    asked = {
        loop: {q.name for q in case.select_quantities(Variant("mine", {"X": "2", "loop": loop}))} for loop in ("0", "1")
    }
    assert asked == {"0": {"z_top", "z_bottom"}, "1": {"z_max", "energy"}}


def failed(layer, quantity):
    return SimpleNamespace(
        layer=layer, quantity=quantity, verdict="fail", error_kind="absolute", case="c", id=quantity, detail=layer
    )


def test_a_missed_criterion_is_right_where_the_quantity_converges_and_there_alone():
    records = [failed("criterion", "x"), failed("criterion", "energy"), failed("convergence", "x")]
    alarms, coarse = sort_failures(records, lambda record: record.quantity == "energy")
    assert alarms == ("c x: criterion", "c x: convergence")
    assert coarse == ("c energy: criterion",)
