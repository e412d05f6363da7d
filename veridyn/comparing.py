"""Comparison of solvers: their work-precision over refinement levels, on top of the verdicts of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from veridyn.document import finite
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.runner import Statement
from veridyn.validation_cases.core.work_precision import LIMITS, Limits, work_precision
from veridyn.verification import Task, load_quietly, variants_of


def is_wanted(asked: bool | None, solvers: Sequence[str], *, kept: bool) -> bool:
    """Tell whether diagrams are to be measured: if the results are kept, and several solvers or the user ask for it."""
    return kept and (len(set(solvers)) > 1 if asked is None else asked)


def with_bar(tasks: Sequence[Task]) -> Iterator[Task]:
    """Yield the tasks whose levels are to be measured; progress goes to a terminal only."""
    screen = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        bar = progress.add_task("work-precision", total=len(tasks))
        for task in tasks:
            progress.update(bar, description=f"work-precision: {task.solver} {task.case} {task.variant}")
            yield task
            progress.advance(bar)


def measure(task: Task, limits: Limits = LIMITS) -> Iterator[dict[str, Any]]:
    """Measure one solver on one variant of a case, or on the parameter set of the user, level by level."""
    solver, case = load_quietly(task.solver), load_case(task.case)
    given = variants_of(task.parameters)
    variant = given[0] if given else case.variant(task.variant)
    for point in work_precision(solver, task.request, Statement(case, variant), limits):
        yield finite(point.as_dict())
