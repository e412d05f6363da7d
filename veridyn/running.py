"""The command `run`: progress, tables, result document, report."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from veridyn.document import document
from veridyn.reports import build, check_document
from veridyn.reports.errors import ReportError
from veridyn.reports.terminal import full_table, summary_table
from veridyn.texts import console
from veridyn.validation_cases.case import Check, Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.expected import Expectations, read_expectations
from veridyn.validation_cases.judge import Record
from veridyn.validation_cases.workbench import Workbench
from veridyn.verification import Task, load_quietly, rehearse, run_tasks, tasks, variants_of

FINE, FAILED, CRASHED = 0, 1, 3


def run(
    *,
    cases: Sequence[str],
    solvers: Sequence[str],
    changed: Mapping[str, str],
    jobs: int,
    report: Path | None,
    output: str | None,
    verbose: bool,
    command: Sequence[str],
    expected_failures: Path | None = None,
) -> int:
    """Run, judge, print, write; returns the exit status.

    Raises
    ------
    ExpectationError
        If the list of expected failures cannot be read or names checks that do not exist.
    ParameterError, SolverInputError, UnknownCase
        If something was asked for that does not exist or cannot be.
    ReportError
        If the report or the result file cannot be written; found out before the work starts.
    """
    todo = tasks(solvers, cases, changed)
    for spec in solvers:
        load_quietly(spec)
    expected = expectations(expected_failures, solvers, todo)
    writable(report, output)
    for task in todo:
        rehearse(task)
    try:
        records = [expected.settle(record) for record in _with_progress(todo, jobs)]
    except BrokenProcessPool:
        print(
            "veridyn: a process died: the compiled code of a solver crashed or ended it; run solvers one by one",
            file=sys.stderr,
        )
        return CRASHED
    wanted = report is not None or output is not None
    sheets = {task.case: task.parameters for task in todo} if wanted else {}
    drawn, messages = figures(solvers[0], sheets) if wanted and not changed else ([], [])
    found = document(
        records, [(load_case(name), parameters) for name, parameters in sheets.items()], drawn, command, messages
    )
    return deliver(found, report=report, output=output, verbose=verbose)


def deliver(found: dict[str, Any], *, report: Path | None, output: str | None, verbose: bool) -> int:
    """Print the tables, write result document and report as far as wanted; returns the exit status.

    Raises
    ------
    ReportError
        If they cannot be written.
    """
    found = check_document(found) if report is not None or output is not None else found
    if output != "-":
        (full_table if verbose else summary_table)(found, console())
    _write(found, report, output)
    return status(found["results"])


def expectations(file: Path | None, solvers: Sequence[str], todo: Sequence[Task]) -> Expectations:
    """Return the expected failures of a run; none without a file.

    They may name any check of the solvers, so that one list serves runs of single cases too.

    Raises
    ------
    ExpectationError
        If the file cannot be read or names checks that do not exist.
    """
    if file is None:
        return Expectations()
    found = read_expectations(file)
    everything = [*tasks(solvers, ()), *todo]
    found.refuse_unknown(
        (check.case, check.id, load_quietly(t.solver).name) for t in everything for check in _checks(t)
    )
    return found


def _with_progress(todo: Sequence[Task], jobs: int) -> list[Record]:
    """Judge all tasks; progress goes to a terminal only."""
    screen = Console(stderr=True)
    if not screen.is_terminal:
        return [record for records in run_tasks(todo, jobs) for record in records]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as progress:
        bar = progress.add_task("checks", total=_count(todo))

        def advance(record: Record) -> None:
            progress.update(bar, advance=1, description=f"{record.case} {record.variant}")

        return [record for records in run_tasks(todo, jobs, advance) for record in records]


def _count(todo: Sequence[Task]) -> int:
    return sum(1 for task in todo for _ in _checks(task))


def _checks(task: Task) -> Iterator[Check]:
    subject = Subject.of(load_quietly(task.solver), task.settings)
    return checks(load_case(task.case), subject, variants_of(task.parameters), task.variant or None)


def figures(solver: str, cases: Iterable[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the figures of the cases, drawn for the first solver, and messages about those that failed."""
    found = load_quietly(solver)
    subject, bench = Subject.of(found), Workbench(found)
    drawn, messages = [], []
    for case in map(load_case, cases):
        try:
            drawn += list(case.figures(case, subject, bench)) if case.figures else []
        except Exception as error:  # noqa: BLE001 - a figure must not cost the results
            messages.append(f"figures of {case.name} not drawn: {type(error).__name__}: {error}")
    return drawn, messages


def writable(report: Path | None, output: str | None) -> None:
    """Find out before minutes of work whether the results can be kept; raises ReportError."""
    for folder in (report, Path(output).parent if output and output != "-" else None):
        if folder is None:
            continue
        probe = folder / ".veridyn-probe"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise ReportError(f"cannot write into {folder}: {error.strerror or error}; choose another folder") from None
    if output and output != "-":
        file = Path(output)
        if file.is_dir():
            raise ReportError(f"cannot write {file}: it is a folder; name a file in it")
        if file.exists() and not os.access(file, os.W_OK):
            raise ReportError(f"cannot write {file}: it is write-protected; choose another name")


def _write(found: dict[str, Any], report: Path | None, output: str | None) -> None:
    if output == "-":
        json.dump(found, sys.stdout, indent=1, allow_nan=False)
        print()
    elif output:
        Path(output).write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    if report:
        build(found, report)
        if output != "-":
            print(f"report: {report / 'index.html'}")


def status(results: Iterable[Mapping[str, Any]]) -> int:
    """Return 0 if all verdicts are fine, 3 if a solver crashed, 1 if a check failed."""
    verdicts = {result["verdict"] for result in results}
    if "error" in verdicts:
        return CRASHED
    return FAILED if "fail" in verdicts else FINE
