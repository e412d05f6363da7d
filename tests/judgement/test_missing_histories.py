"""A response without a history of any element: what needs one is not applicable, alike in all cases; nothing fails."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as INTEGRATOR
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner

SCHEME = "symplectic_euler"


def is_measured(case, variant):
    """Tell whether a response holds anything that a variant asks for; which of it applies would cost references."""
    if variant.problem and variant.problem(case.values(variant.changes)).kind != "mechanical":
        return False
    return any(q.measure for q in case.quantities if variant.quantities is None or q.name in variant.quantities)


CASES = [
    name
    for name in case_names()
    if kind_of(name) == "mechanical" and is_measured(load_case(name), load_case(name).default_variant)
]


class Bare:
    """An integrator that hands over displacements and velocities, and nothing else."""

    name, version, capabilities = "bare", "1", (INTEGRATOR.capabilities | EXACT.capabilities) - {FORWARD}
    keeps: tuple[str, ...] = ()

    def solve(self, problem, settings):
        try:
            response = EXACT.solve(problem, {})
        except NotImplementedError:
            response = INTEGRATOR.solve(problem, {"scheme": SCHEME})
        blank = {name: {} for name in ("elements", "events", "quantities") if name not in self.keeps}
        return replace(response, **blank)


@pytest.mark.parametrize("name", CASES)
def test_what_needs_a_history_is_not_applicable_and_nothing_fails(name):
    runner, case = Runner(LocalGate(Bare())), load_case(name)
    default = checks(case, runner.subject, only=case.default_variant.name)
    records = [judge(check, runner) for check in default if check.layer == "criterion"]
    assert [r.id for r in records if r.verdict not in ("pass", "not applicable")] == []
    unsaid = [r.id for r in records if r.verdict == "not applicable" and not re.search("report|history", r.detail)]
    assert unsaid == []
