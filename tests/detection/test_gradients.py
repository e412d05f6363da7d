"""Wrong derivatives are told by the term that they lack, each seeded fault by its name; no sound host fails."""

from functools import cache
from pathlib import Path

import pytest

from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import derivative_criterion
from veridyn.validation_cases.judgement.derivatives import DerivativeStatement
from veridyn.validation_cases.judgement.runner import NotJudged, Runner

from .faults.gradients import HOSTS, SEEDS, seeds_of
from .hosts.one_body import ONE_BODY

PLACES = [(h, *place) for h in HOSTS for place in sorted({(s.case, s.parameter) for s in seeds_of(h.solver)})]
ORDER = [
    seed.name for seed in (*SEEDS, *seeds_of(ONE_BODY))
]  # both hosts one after the other: what a term makes of a derivative is shared
TRIED = sorted(((h, f) for h in HOSTS for f in h.faults), key=lambda pair: ORDER.index(pair[1].name))


@cache  # what a missing term makes of a derivative is computed once for all faults
def state(case, parameter):
    """Return the derivatives of a case by a parameter."""
    found = load_case(case)
    (chosen,) = (each for each in found.parameters if each.name == parameter)
    return DerivativeStatement(found, found.default_variant, parameter=chosen)


def judge_all(solver, case, parameter):
    """Return what is found of all derivatives by a parameter."""
    runner, statement = Runner(LocalGate(solver)), state(case, parameter)
    findings = []
    for quantity in statement.quantities:
        try:
            findings.append(derivative_criterion(runner, statement, "", quantity))
        except NotJudged:  # there is no derivative
            continue
    return findings


@pytest.mark.parametrize(("host", "case", "parameter"), PLACES, ids=lambda each: getattr(each, "name", each))
def test_a_sound_host_passes(host, case, parameter):
    findings = judge_all(host.solver, case, parameter)
    assert findings
    assert all(finding.passes for finding in findings)


@pytest.mark.parametrize(("host", "fault"), TRIED, ids=lambda each: each.name)
def test_a_wrong_derivative_is_told_by_its_name(host, fault):
    (seed,) = (seed for seed in seeds_of(host.solver) if seed.name == fault.name)
    wrong = [each for each in judge_all(fault.make(0.0), seed.case, seed.parameter) if not each.passes]
    assert wrong
    assert all(seed.said in finding.detail for finding in wrong), wrong[0].detail


def test_the_page_lists_what_is_told():
    assert len(TRIED) >= 30
    page = (Path(__file__).parents[2] / "docs/gradients.md").read_text(encoding="utf-8")
    for seed in SEEDS:
        assert f"| {seed.what} | {seed.said} |" in page
    assert f"{len(TRIED)} wrong codes" in page
