"""The truth of the variant that stands for each case: two routes that agree, and criteria that it can be held to.

Truths are computed once for all tests of this file. Further variants, and that the routes share no algorithm, are the
business of `check_routes.py`; `tox -e truth` runs it, and what takes seconds here.
"""

from __future__ import annotations

import math
import os
from functools import cache

import pytest

from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import DERIVATIVES, TAGS
from veridyn.validation_cases.judgement.catalogue import all_cases, case_names, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Subject

ALL = "VERIDYN_PROBLEMS" in os.environ
LONG = set() if ALL else {"arenstorf", "pleiades"}  # first routes that take seconds
LONG_SECOND = {
    *("arenstorf", "duffing_forced", "friction_damper", "kepler", "pin_pendulum", "pleiades"),
    *("sdnd103", "sdnd107", "tube_between_stops", "van_der_pol"),
}
CASES = [pytest.param(name, marks=[pytest.mark.truth] if name in LONG_SECOND else []) for name in case_names()]


@cache
def state(name):
    """Return the statement of the variant that stands for a case."""
    case = load_case(name)
    return Statement(case, case.default_variant)


@cache
def find_truths(name):
    """Return what every quantity and residual is in truth."""
    return {quantity.name: quantity.truth(state(name).values) for quantity in state(name).quantities}


def list_truths():
    """Yield statement, quantity, truth and criterion of all cases but those that take long."""
    for statement in (state(name) for name in case_names() if name not in LONG):
        for quantity in statement.quantities:
            truth = find_truths(statement.case.name)[quantity.name]
            yield statement, quantity, truth, quantity.tolerance(statement.values)


def is_number(truth):
    return not isinstance(truth.value, str | None)


def places(found):
    """Return where the quantities that break a rule stand."""
    return [f"{statement.case.name} {quantity.name}" for statement, quantity, *_ in found]


@pytest.mark.parametrize("name", CASES)
def test_the_second_route_confirms_the_first(name):
    confirmed = {quantity: truth for quantity, truth in find_truths(name).items() if truth.second}
    for quantity, truth in confirmed.items():
        truth.confirm(quantity)
    assert confirmed


def test_every_number_has_two_routes():
    """What does not exist, what is counted, zeros by structure and regimes have a reason instead.

    `tox -e truth` looks at the other variants (`check_routes.py`).
    """
    found = ((s, q, truth, least(truth, tolerance)) for s, q, truth, tolerance in list_truths())
    assert places(each for each in found if len(set(each[2].routes)) < each[3]) == []


def least(truth, tolerance):
    """Return how many routes a truth has at least."""
    return 2 if is_number(truth) and truth.value != 0 and tolerance.kind != "exact" else 1


def test_a_relative_criterion_has_a_truth_to_relate_to():
    relative = (each for each in list_truths() if each[3].kind == "relative")
    assert places(each for each in relative if not is_number(each[2]) or not each[2].value) == []


def test_what_is_no_number_has_an_exact_criterion():
    words = (each for each in list_truths() if not is_number(each[2]))
    assert places(each for each in words if each[3].kind != "exact") == []


def test_what_may_be_zero_has_a_scale():
    """So that convergence, claims and work-precision can relate an error to something."""
    numbers = [(s, q, tolerance) for s, q, truth, tolerance in list_truths() if q.converges and is_number(truth)]
    inexact = ((s, q) for s, q, tolerance in numbers if tolerance.kind != "exact")
    assert places((s, q) for s, q in inexact if not 0 < q.size(s.values) < math.inf) == []
    assert places((s, q) for s, q, _ in numbers if q.scale and not q.scale(s.values) > 0) == []


class Offering:
    """Offers everything and is never called."""

    name, capabilities = "offering", TAGS - DERIVATIVES

    def solve(self, problem, settings):
        raise AssertionError("nothing is solved")


class Stating(Runner):
    """A runner that finds given answers, so that nothing is solved."""

    def measured(self, run, *, half=None):
        return self.levels

    def sampling(self, run, quantity, value, *, confirming=False):
        return 0.0


def test_the_largest_admissible_error_passes_and_says_if_no_digit_is_right():
    """On the side where the answer is larger."""
    runner = Stating(LocalGate(Offering()))
    cases = (case for case in all_cases() if case.name not in LONG)
    for check in (
        check for case in cases for check in checks(case, Subject("silent"), None, case.default_variant.name)
    ):
        if check.layer != "criterion":
            continue
        quantity = next(q for q in check.statement.quantities if q.name == check.name)
        truth, tolerance = find_truths(check.case)[quantity.name], quantity.tolerance(check.statement.values)
        if not is_number(truth) or tolerance.kind == "exact":
            continue
        true = float(truth.value)
        allowed = 0.99 * tolerance.value * (abs(true) if tolerance.kind == "relative" else 1.0)
        runner.levels = {quantity.name: true + math.copysign(allowed, true)}
        record = judge(check, runner)
        assert record.verdict == "pass", record
        assert record.detail or record.digits is None or record.digits >= 0.5, record
