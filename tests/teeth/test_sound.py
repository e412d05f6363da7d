"""Sound solvers on random parameter sets: which sets, and no false alarm."""

import pytest

from veridyn.solver.schemes import SCHEMES
from veridyn.sound import REACH, hear, parameter_set, rotation
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.workbench import Workbench

SETS = 2


def test_all_schemes_and_the_exact_solver_take_turns():
    assert [solver.name for solver in rotation()] == [*SCHEMES, "exact"]


@pytest.mark.parametrize("name", case_names())
def test_parameter_sets_are_the_same_in_every_run_and_near_a_variant(name):
    case = load_case(name)
    drawn = parameter_set(case, 3)
    asking = [variant for variant in case.variants if case.asked(variant)]
    base = case.values(asking[3 % len(asking)].changes)
    assert drawn == parameter_set(case, 3) != parameter_set(case, 3 + len(asking))
    for key, value in base.items():
        assert abs(float(value)) / REACH * 0.999 <= abs(float(drawn[key])) <= abs(float(value)) * REACH * 1.001


@pytest.mark.parametrize("number", range(SETS))
@pytest.mark.parametrize("name", case_names())
def test_no_false_alarm(name, number):
    solvers = rotation()
    for turn in range(number, len(solvers), 5):
        heard = hear(load_case(name), turn, Workbench(solvers[turn]))
        assert heard.alarms == ()
        assert sum(heard.verdicts.values()) > 0
