"""Settings and schemes of a run: the user's, or those that the solver takes by itself."""

import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.subject import Request, Subject


@pytest.fixture
def solver(make_right):
    return make_right(defaults={"step": 0.1}, settings={"step": "step (s)", "order": "order"})


def test_a_solver_takes_its_own_settings_unless_the_user_gives_some(solver, make_statement):
    problem = make_statement().problem
    assert Subject.from_introduction(introduce(solver)).default_settings(LocalGate(solver), problem, "") == {
        "step": 0.1
    }
    asked = Subject.from_introduction(introduce(solver), Request(settings={"step": 0.5, "unknown": 1}))
    assert asked.default_settings(LocalGate(solver), problem, "") == {"step": 0.5}


def test_a_scheme_is_a_setting(make_right, make_statement):
    solver = make_right(schemes=("slow", "fast"), settings=lambda scheme: {"step": scheme})
    found = Subject.from_introduction(introduce(solver)).default_settings(
        LocalGate(solver), make_statement().problem, "fast"
    )
    assert found == {"scheme": "fast"}


@pytest.mark.parametrize("schemes", [("fsat",), ("fsat", "slwo")])
def test_schemes_that_there_are_not_are_refused_by_the_first(make_right, schemes):
    solver = make_right(schemes=("slow", "fast"), settings=lambda scheme: {})
    with pytest.raises(SolverInputError, match="'fsat'"):
        Subject.from_introduction(introduce(solver), Request(schemes=schemes))


def test_a_solver_is_not_refined_unless_it_says_so():
    assert not Subject("plain").refined
