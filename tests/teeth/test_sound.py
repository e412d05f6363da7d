"""Sound solvers on random parameter sets: which sets, and no false alarm."""

import pytest

from veridyn.solver.schemes import SCHEMES
from veridyn.sound import REACH, Hearing, hear, parameter_set, sound_solvers
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.workbench import Workbench

NUMBERS = {"sdnd103": 4, "sdnd121": 4}  # sets whose references are quick, where the third is slow
QUICK = ("sdnd101", "sdnd104", "sdld103", "sdnd106")  # to draw: a set is drawn with its references


def heard(name: str, number: int, solver: int) -> Hearing:
    case = load_case(name)
    return hear(case, number, parameter_set(case, number), Workbench(sound_solvers()[solver]))


def test_all_schemes_and_the_exact_solver_are_tried():
    assert [solver.name for solver in sound_solvers()] == [*SCHEMES, "exact"]


@pytest.mark.parametrize("name", QUICK)
def test_parameter_sets_are_the_same_in_every_run_and_near_a_variant(name):
    case = load_case(name)
    drawn = parameter_set(case, 3)
    asking = [variant for variant in case.variants if case.asked(variant)]
    base = case.values(asking[3 % len(asking)].changes)
    assert drawn == parameter_set(case, 3) != parameter_set(case, 3 + len(asking))
    for key, value in base.items():
        assert abs(float(value)) / REACH * 0.999 <= abs(float(drawn[key])) <= abs(float(value)) * REACH * 1.001


@pytest.mark.parametrize("name", case_names())
def test_what_random_sets_leave_alone_is_a_parameter_and_has_a_reason(name):
    case = load_case(name)
    assert set(case.held) <= {parameter.name for parameter in case.parameters}
    assert all(case.held.values())


def test_random_sets_leave_alone_what_the_case_holds():
    case = load_case("sdnd100")
    assert {parameter_set(case, number)["directions"] for number in range(4)} == {"1", "2"}


@pytest.mark.parametrize("name", case_names())
def test_no_false_alarm(name):
    number = NUMBERS.get(name, 3)
    hearing = heard(name, number, number)
    assert hearing.alarms == ()
    assert sum(hearing.verdicts.values()) > 0


# parameter sets that once raised a false alarm, which is one for every solver or for the one named here
ONCE_FALSE = (
    ("sdnd100", 6, "runge_kutta_54"),
    ("sdnd100", 10, "symplectic_euler"),
    ("sdnd100", 11, "devogelaere"),
    ("sdnd106", 1, "devogelaere"),
    ("sdnd102", 2, "central_adaptive"),
    ("sdnd100", 79, "symplectic_euler"),  # friction of one direction, nearly across the line
    ("sdnd100", 118, "runge_kutta_54"),  # next to the limit of friction
    ("sdnd100", 154, "newmark"),
    ("sdnd100", 170, "exact"),  # one output lost to rounding
    ("sdnd100", 179, "itmi"),
    ("sdnd103", 0, "runge_kutta_32"),
    ("sdnd105", 17, "itmi"),  # none of 50 drawn tables grew
    ("sdnd105", 32, "itmi"),
    ("sdnd105", 151, "devogelaere"),
    ("sdnd106", 1, "symplectic_euler"),
    ("sdnd106", 9, "runge_kutta_54"),
    ("sdnd106", 19, "newmark"),
    ("sdnd107", 7, "symplectic_euler"),
    ("sdnd121", 84, "central_adaptive"),  # errors decide on a contact at the end
    ("sdnd107", 92, "central_adaptive"),  # the control shortens a step, and the next is longer again
    ("sdnd107", 146, "newmark"),  # an extreme of the other sign is as large as the peak
    ("sdld29", 43, "runge_kutta_32"),  # the load ends inside a step
    ("sdld29", 46, "symplectic_euler"),  # links so stiff that the step is above the limit
    ("sdld29", 114, "devogelaere_adaptive"),  # the error of first order passes through zero
    ("sdld29", 121, "devogelaere"),  # an instant between samples before and after the end of the load
    ("sdld31", 4, "central_adaptive"),
    ("sdnd102", 44, "newmark"),  # near resonance free motion grows all the time
    ("sdnd102", 56, "devogelaere"),  # the cubic between two steps and two outputs that are far from them
    ("sdnd102", 186, "devogelaere"),  # a slow contact is over before half a turn
    ("sdnd102", 101, "exact"),  # the end comes before an instant that is asked for
    ("sdnd106", 43, "symplectic_euler"),  # a step makes the overshoot of a stick larger
    ("sdnd106", 89, "newmark"),  # two sticks that an overshoot may end
    ("sdnd106", 134, "runge_kutta_54"),  # a slip slows down nearly to rest
    ("sdld31", 24, "runge_kutta_54"),  # the fifth derivative follows the load
    ("sdld31", 28, "runge_kutta_54"),  # two peaks as high as each other, to five digits
    ("beam_stop", 127, "symplectic_euler"),  # a contact lasts at T
    ("sdnd121", 9, "devogelaere"),  # after 66 contacts nobody knows how many follow
    ("sdld31", 35, "central_adaptive"),  # its velocity goes ahead with the acceleration of the step before
)


@pytest.mark.parametrize(("name", "number", "solver"), ONCE_FALSE)
def test_a_false_alarm_does_not_come_back(name, number, solver):
    names = [sound.name for sound in sound_solvers()]
    assert heard(name, number, names.index(solver)).alarms == ()
