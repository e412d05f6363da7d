"""A response without a history of any element: what needs one is not applicable, alike in all cases; nothing fails."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as INTEGRATOR
from veridyn.validation_cases.core.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.core.checks import checks
from veridyn.validation_cases.core.judge import judge
from veridyn.validation_cases.core.runner import Runner

SCHEME = "runge_kutta_54"


def is_measured(case, variant):
    """Tell whether a response holds anything that a variant asks for; which of it applies would cost references."""
    if variant.problem and variant.problem(case.values(variant.changes)).kind != "mechanical":
        return False
    return any(q.measure for q in case.quantities if variant.quantities is None or q.name in variant.quantities)


CASES = [load_case(name) for name in case_names() if kind_of(name) == "mechanical"]
VARIANTS = [(case.name, variant.name) for case in CASES for variant in case.variants if is_measured(case, variant)]

# what a slip that begins slowly shows without a flag of adherence: 1e-6 m/s are reached 2 ms after the true instant
EXCUSED = {("sdnd104", "a0=1.01"): {"slip_start", "phase_time_3"}}


class Bare:
    """An integrator of order 5 that hands over displacements and velocities, and nothing else."""

    name, version, capabilities = "bare", "1", INTEGRATOR.capabilities | EXACT.capabilities
    keeps: tuple[str, ...] = ()

    def solve(self, problem, settings):
        try:
            response = EXACT.solve(problem, {})
        except NotImplementedError:
            response = INTEGRATOR.solve(problem, {"scheme": SCHEME})
        blank = {name: {} for name in ("elements", "events", "quantities") if name not in self.keeps}
        return replace(response, **blank)


@cache
def records(case, variant):
    runner = Runner(Bare())
    asked = checks(load_case(case), runner.subject, only=variant)
    return [judge(check, runner) for check in asked if check.layer == "criterion"]


@pytest.mark.parametrize(("case", "variant"), VARIANTS)
def test_nothing_fails_for_want_of_a_history(case, variant):
    wrong = {r.quantity for r in records(case, variant) if r.verdict not in ("pass", "not applicable")}
    assert wrong == EXCUSED.get((case, variant), set())


@pytest.mark.parametrize(("case", "variant"), VARIANTS)
def test_what_is_not_applicable_names_the_history(case, variant):
    for record in records(case, variant):
        if record.verdict == "not applicable":
            assert "report" in record.detail or "history" in record.detail, (record.quantity, record.detail)
