"""Figures that cases have of their own: every one is drawn of sound answers, with the truth beside them."""

import pytest

from veridyn.run.execution import draw_case
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement


@pytest.mark.parametrize("name", [name for name in case_names() if kind_of(name) == "mechanical"])
def test_the_figures_of_a_case_are_drawn(name):
    case, runner = load_case(name), Runner(LocalGate(load_solver("veridyn")))
    drawn, messages = draw_case(case, runner)
    assert messages == []
    offered = Statement(case, case.default_variant).needs <= runner.subject.capabilities
    assert bool(drawn) == offered
