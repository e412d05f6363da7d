"""A limit of the time that a run may take: what is judged first, and what is left out."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from veridyn.reports.numbers import plural
from veridyn.results import Record
from veridyn.run.plan import Plan, Task, list_checks
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.judge import leave_out

NAMED = 5  # cases of which most was left out
OPENING = 0.3  # of a budget, which leaves most of it to the cases
ALLOWANCE = 2.0  # times the longest solve of a problem so far: the next level has half the step


@dataclass(frozen=True)
class Budget:
    """Seconds that a run may take, and the instant (s, of the clock of the machine) at which they end."""

    seconds: float
    end: float

    @property
    def opening(self) -> Budget:
        """The part for what is measured before the first case: claims that are observed, and cards."""
        return replace(self, end=self.end - (1 - OPENING) * self.seconds)

    def has_time(self, longest: float) -> bool:
        """Tell whether a solve that may take twice the longest so far (s) ends in time."""
        return time.time() + ALLOWANCE * longest < self.end


def begin_budget(seconds: float | None) -> Budget | None:
    """Return a budget that begins now; None without a limit."""
    return None if seconds is None else Budget(seconds, time.time() + seconds)


def order_tasks(tasks: Sequence[Task], budget: Budget | None) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of tasks in groups that are done one after the other.

    With a budget the default variant of each case comes first: it shows most of what a solver does wrong.
    """
    numbers = tuple(range(len(tasks)))
    if budget is None:
        return (numbers,)
    first = tuple(number for number in numbers if _is_default(tasks[number]))
    return first, tuple(number for number in numbers if number not in set(first))


def _is_default(task: Task) -> bool:
    return bool(task.parameters) or task.variant == load_case(task.case).default_variant.name


def list_left_out(plan: Plan, judged: Sequence[Sequence[Record]], budget: Budget) -> Iterator[list[Record]]:
    """Yield, task by task, records of the checks that were not judged in time."""
    why = f"left out: the budget of {budget.seconds:g} s was spent, or a solve would have passed its end"
    for task, records in zip(plan.tasks, judged, strict=True):
        subject = plan.subjects[task.solver]
        left = islice(list_checks(task, subject), len(records), None)
        yield [leave_out(check, subject.name, why) for check in left]


def describe_left_out(left: Sequence[Sequence[Record]], budget: Budget) -> str:
    """Say how many checks were left out, in which cases most; empty if none was."""
    counts = Counter(record.case for records in left for record in records)
    if not counts:
        return ""
    most = ", ".join(f"{case} {count}" for case, count in counts.most_common(NAMED))
    more = f" and {plural(len(counts) - NAMED, 'further case')}" if len(counts) > NAMED else ""
    left_out = f"the budget of {budget.seconds:g} s left out {plural(counts.total(), 'check')}"
    return f"{left_out}: {most}{more}; a longer --budget or fewer cases would judge them"
