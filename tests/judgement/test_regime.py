"""The regime of SDND104 is told from the motion, not from a window that may be too short."""

import pytest

from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.exact.solver import SOLVER
from veridyn.validation_cases.judgement.case import Observation
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.mechanics.sdnd104.slips import regime

CASE = load_case("sdnd104")


def observed(**changes):
    values = CASE.values(changes)
    problem = CASE.problem(values)
    return Observation(values, problem, SOLVER.solve(problem, {}))


def test_a_window_without_a_stick_does_not_hide_the_sticks():
    # slip begins at 0.116 s of a period of 1 s and lasts until 0.55 s: the window lies within a slip
    assert regime(observed(a0="1.5", t_start="1.2", t_end="1.3")) == "stick-slip"


def test_a_motion_that_ends_within_its_first_slip_tells_no_regime():
    with pytest.raises(CapabilityError, match="ends within its first slip"):
        regime(observed(a0="1.5", t_start="0.1", t_end="0.2"))


def test_no_slip_is_stick():
    assert regime(observed(a0="0.99", t_start="0.1", t_end="1")) == "stick"
