"""A limit of time: default variants first, nothing begun that would not end, the rest named."""

import time

import pytest

from veridyn.cli.arguments import duration
from veridyn.results import Record, Verdict
from veridyn.run.budget import Budget, begin_budget, describe_left_out, list_left_out, order_tasks
from veridyn.run.execution import judge_all
from veridyn.run.plan import Plan, Task, list_checks
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Subject


class Slow:
    """Free masses and springs only; takes long."""

    name, version, capabilities = "slow", "1", frozenset({"mechanical"})
    calls = 0

    def solve(self, problem, settings):
        self.calls += 1
        time.sleep(0.2)
        raise NotImplementedError("nothing")


TASKS = tuple(Task("slow", "sdnd101", variant) for variant in ("2-shocks", "100-shocks"))


def test_the_default_variant_of_each_case_comes_first():
    tasks = (*reversed(TASKS), Task("slow", "sdnd101", parameters={"v0": "2"}))
    assert order_tasks(tasks, begin_budget(60.0)) == ((1, 2), (0,))
    assert order_tasks(tasks, None) == ((0, 1, 2),)


def test_nothing_is_begun_that_would_not_end(monkeypatch):
    budget = Budget(10.0, end=1000.0)
    monkeypatch.setattr(time, "time", lambda: 995.0)
    assert budget.has_time(2.4)
    assert not budget.has_time(2.6)


def test_checks_end_with_the_budget():
    solver = Slow()
    runner = Runner(LocalGate(solver))
    records = list(judge_all(runner, load_case("integrator_fingerprints"), {}, budget=Budget(0.0, time.time() - 1.0)))
    assert (records, solver.calls) == ([], 0)
    assert len(list(judge_all(runner, load_case("integrator_fingerprints"), {}, budget=begin_budget(600.0)))) > 2


def test_what_is_left_out_has_a_record_and_is_named():
    subject = Subject("slow", capabilities=Slow.capabilities)
    plan = Plan({"slow": subject}, {}, TASKS)
    names = [[check.id for check in list_checks(task, subject)] for task in TASKS]
    judged = Record(
        case="sdnd101", variant="2-shocks", solver="slow", scheme="", layer="criterion", quantity="x", verdict="pass"
    )
    budget = Budget(5.0, 0.0)
    left = list(list_left_out(plan, [[judged] * 3, []], budget))
    assert [[record.id for record in records] for records in left] == [names[0][3:], names[1]]
    assert {record.verdict for records in left for record in records} == {Verdict.NOT_APPLICABLE}
    assert left[0][0].detail.startswith("left out: the budget of 5 s was spent")
    count = sum(map(len, left))
    assert describe_left_out(left, budget).startswith(f"the budget of 5 s left out {count} checks: sdnd101 {count};")
    assert describe_left_out([[], []], budget) == ""


@pytest.mark.parametrize(("text", "length"), [("90", 90.0), ("90s", 90.0), ("1.5 min", 90.0), ("2h", 7200.0)])
def test_a_duration_is_read(text, length):
    assert duration(text) == length


@pytest.mark.parametrize("text", ["", "ten", "10 days", "-1", "0", "1e3", "1.2.3min"])
def test_a_duration_that_is_none_is_refused(veridyn, text):
    failed = veridyn("run", "sdnd101", f"--budget={text}")
    assert failed.status == 2
    assert failed.err.startswith("veridyn: --budget: must be a ")
    assert failed.err.count("\n") == 1
