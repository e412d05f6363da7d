"""Solvers that know the suite: which of them the copy at moved parameters detects, and which nothing can."""

from dataclasses import replace

import pytest

from veridyn.solver.contract.loading import EXACT, load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.statements import FORWARD
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.moved import MOVED, move_parameters
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request

CASE = "damped_stop"
SEED = 5


class Right:
    """Right by its own means; a stop that is too stiff by a tenth where ``knows`` does not recognise the problem."""

    name, version = "cheat", "1"

    def __init__(self, knows=lambda problem: True):
        self.inner, self.knows = load_solver(EXACT), knows
        self.capabilities = self.inner.capabilities - {FORWARD}

    def solve(self, problem, settings):
        if not self.knows(problem):
            stops = tuple(replace(stop, stiffness=1.1 * stop.stiffness) for stop in problem.stops)
            problem = replace(problem, stops=stops)
        return self.inner.solve(problem, {"scheme": self.inner.schemes[0]})


class Stored(Right):
    """Answers a case that it knows with what it has stored for the default parameters, whatever they are."""

    def solve(self, problem, settings):
        if problem.name == CASE:
            problem = load_case(CASE).problem(load_case(CASE).values())
        return super().solve(problem, settings)


def has_its_name(problem):
    return problem.name == CASE


def has_its_parts(problem):
    return problem.size == 1 and len(problem.stops) == 1 and problem.stops[0].damping > 0


def judged(solver, seed=SEED):
    """Return criteria and copy as verdicts."""
    case = load_case(CASE)
    runner = Runner(LocalGate(solver), Request(seed=seed))
    checks = checks_of(Statement(case, case.default_variant), runner.subject, "")
    records = [judge(check, runner) for check in checks if check.layer == "criterion" or check.name == MOVED]
    copies = [record for record in records if record.quantity == MOVED]
    return {record.verdict for record in records if record not in copies}, copies


@pytest.mark.parametrize(
    ("solver", "why"),
    [
        (Stored(has_its_name), "a table of answers, found by name"),
        (Right(has_its_name), "the truth at any parameters, found by name"),
    ],
    ids=("stored", "truth"),
)
def test_what_recognises_a_case_by_name_keeps_its_criteria_and_fails_on_the_copy(solver, why):
    criteria, (copy,) = judged(solver)
    assert "fail" not in criteria, why
    assert copy.verdict == "fail"
    assert f"Seed {SEED}: " in copy.detail


@pytest.mark.parametrize("solver", [Right(), Right(has_its_parts)], ids=("exact", "by its parts"))
def test_what_answers_every_problem_of_that_kind_rightly_passes(solver):
    """Docs list it as not detectable: there is nothing wrong with its answers."""
    criteria, (copy,) = judged(solver)
    assert "fail" not in criteria
    assert copy.verdict == "pass"


def test_without_a_seed_there_is_no_copy():
    assert judged(Right(), seed=None)[1] == []


def test_a_seed_moves_parameters_alike_each_time_and_another_seed_otherwise():
    case = load_case(CASE)
    moved = move_parameters(case, SEED)
    assert moved == move_parameters(case, SEED) != move_parameters(case, SEED + 1)
    values = case.values()
    shares = [float(text) / float(values[name]) for name, text in moved.items()]
    assert all(0.8999 < share < 1.1001 for share in shares)
    assert len(shares) == 4  # the damping of the stop may be zero: it stays
    assert len(set(shares)) == 4
