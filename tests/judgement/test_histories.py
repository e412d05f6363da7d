"""A case that names no figures has one: its first histories, with references and errors at their instants."""

import numpy as np
import pytest

from veridyn.solver.adapters.scipy_adapter import SOLVER
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.measures.plotting import MOST, histories


def test_states_over_the_time_meet_the_references_of_their_span():
    case = load_case("kepler")
    (drawn,) = histories(case, Runner(LocalGate(SOLVER)))
    assert [panel.ylabel for panel in drawn.panels] == ["x", "y", "u", "v"]
    curve, dots, errors = drawn.panels[0].series
    assert set(dots.x) == {1.0, 20.0}  # 100 is for another variant
    assert 19.9 < curve.x[-1] <= 20.0
    assert dots.y == pytest.approx(np.interp(dots.x, curve.x, curve.y), abs=0.05)
    assert errors.x == dots.x
    assert 0 < max(map(abs, errors.y)) < 1e-6


def test_coordinates_of_a_mechanical_case_are_drawn_and_no_more_than_four():
    stack = load_case("block_stack")
    (drawn,) = histories(stack, Runner(LocalGate(EXACT)))
    assert [panel.ylabel for panel in drawn.panels] == list(stack.problem(stack.values()).coordinates)
    assert len(next(iter(histories(load_case("sdld29"), Runner(LocalGate(EXACT))))).panels) == MOST


def test_a_solver_that_does_not_take_the_case_has_no_figure():
    assert list(histories(load_case("kepler"), Runner(LocalGate(EXACT)))) == []
