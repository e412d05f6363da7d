"""The command `run`: progress, tables, result document, report."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from veridyn.baseline import compared, read_baseline, write_baseline
from veridyn.comparing import is_wanted, measure, with_bar
from veridyn.document import document
from veridyn.exit_code import ExitCode
from veridyn.journal import journal
from veridyn.reports import check_document
from veridyn.reports.errors import ReportError, need_packages
from veridyn.reports.terminal import full_table, summary_table
from veridyn.texts import console
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.checks import checks, what_it_could_claim
from veridyn.validation_cases.expected import Expectations, read_expectations
from veridyn.validation_cases.judge import Check, Record
from veridyn.validation_cases.subject import Request, Subject
from veridyn.validation_cases.work_precision import variants
from veridyn.verification import (
    Findings,
    Reasons,
    Task,
    load_watched,
    rehearse,
    run_tasks,
    subjects,
    tasks,
    variants_of,
    watched_runner,
)
from veridyn.workers import TIME_OUT, Crew, Line, Watch, WorkerLost
from veridyn.writing import whole


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
    work_precision: bool | None = None,
    time_out: float = TIME_OUT,
    resume: bool = False,
    request: Request | None = None,
    against: Path | None = None,
    baseline: Path | None = None,
) -> int:
    """Run, judge, print, write; returns the exit status.

    With ``resume`` the records of a run that was ended are taken from its journal. ``against`` is a baseline to compare
    with, ``baseline`` one to write.

    Raises
    ------
    ExpectationError
        If the list of expected failures cannot be read or names checks that do not exist.
    ParameterError, SolverInputError, UnknownCase
        If something was asked for that does not exist or cannot be.
    ReportError
        If the report or the result file cannot be written; found out before the work starts.
    """
    wanted = report is not None or output is not None
    before = read_baseline(against) if against else None
    with Crew(jobs, time_out) as crew:
        described = subjects(crew, solvers, request)
        todo = tasks(described, cases, changed)
        expected = expectations(expected_failures, described, todo)
        deliverable(report, output)
        rehearse(crew, todo)
        findings = Findings([[] for _ in todo])
        sheets = {task.case: task.parameters for task in todo} if wanted else {}
        with journal(output, report, _asked(todo, described), findings.take, resume=resume) as findings.keeper:
            with _kept(crew, findings) as ending:
                _judge(crew, todo, described, findings)
                if wanted and not changed:
                    figures(crew, solvers[0], sheets, findings)
                if is_wanted(work_precision, solvers, kept=wanted):
                    _measure(crew, todo, findings)
            if findings.keeper and findings.keeper.trouble:
                findings.messages.append(findings.keeper.trouble)
            found_records = [*findings.records, *(compared(findings.records, before) if before else ())]
            records = [expected.settle(record) for record in found_records]
            findings.messages += _told(described.values())
            posed = [(load_case(name), parameters) for name, parameters in sheets.items()]
            planned = sum(1 for task in todo for _ in _checks(task, described[task.solver]))
            found = document(records, posed, findings.figures, command, findings.messages, findings.points, planned)
            reached = deliver(found, report=report, output=output, verbose=verbose)
            if findings.keeper and not ending.status:
                findings.keeper.drop()
            if baseline and not ending.status:
                kept = write_baseline(baseline, records, command)
                print(f"baseline: {baseline}, {kept} answers", file=sys.stderr if output == "-" else sys.stdout)
    return ending.status or reached


def _told(subjects: Iterable[Subject]) -> Iterator[str]:
    """Yield what solvers are told that claim nothing which can be judged."""
    for subject in subjects:
        yield from filter(None, (what_it_could_claim(subject, scheme) for scheme in subject.schemes))


def _asked(todo: Sequence[Task], solvers: Mapping[str, Subject]) -> dict[str, Any]:
    """Return what tells one run from another."""
    named = {spec: [subject.name, subject.version, *subject.schemes] for spec, subject in solvers.items()}
    return {"solvers": named, "tasks": [asdict(task) for task in todo]}


@dataclass
class _Ending:
    """How the work ended: with a status other than 0 if it did not come to its end."""

    status: int = ExitCode.FINE


@contextlib.contextmanager
def _kept(crew: Crew, findings: Findings) -> Iterator[_Ending]:
    """End the work at an interrupt or where it cannot go on; what was found before is kept."""
    ending = _Ending()
    try:
        yield ending
    except KeyboardInterrupt:
        ending.status, why = ExitCode.INTERRUPTED, "interrupted"
    except WorkerLost as lost:
        ending.status, why = ExitCode.CRASHED, str(lost)
    if ending.status:
        crew.kill()
        goes_on = "; --resume goes on with them" if findings.keeper else ""
        findings.messages.append(f"{why}; {len(findings.records)} checks were judged before{goes_on}")
        print(f"veridyn: {findings.messages[-1]}", file=sys.stderr)


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


def expectations(file: Path | None, solvers: Mapping[str, Subject], todo: Sequence[Task]) -> Expectations:
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
        (check.case, check.id, solvers[t.solver].name) for t in everything for check in _checks(t, solvers[t.solver])
    )
    return found


def _judge(crew: Crew, todo: Sequence[Task], solvers: Mapping[str, Subject], findings: Findings) -> None:
    """Judge all tasks; progress goes to a terminal only."""
    screen = Console(stderr=True)
    if not screen.is_terminal:
        run_tasks(crew, todo, findings)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as progress:
        total = sum(1 for task in todo for _ in _checks(task, solvers[task.solver]))
        bar = progress.add_task("checks", total=total)

        def advance(record: Record) -> None:
            progress.update(bar, advance=1, description=f"{record.case} {record.variant}")

        run_tasks(crew, todo, findings, advance)


def _checks(task: Task, subject: Subject) -> Iterator[Check]:
    return checks(load_case(task.case), subject, variants_of(task.parameters), task.variant or None)


def figures(crew: Crew, solver: str, cases: Iterable[str], findings: Findings) -> None:
    """Draw the figures of the cases for a solver; a message says which could not be drawn."""
    for name in cases:
        try:
            for drawn, messages in crew.ask(_draw, solver, name, dict(findings.lost[solver])):
                findings.figures += drawn
                findings.messages += messages
        except WorkerLost as lost:
            findings.messages.append(f"figures of {name} not drawn: {lost}")


def _draw(line: Line, solver: str, name: str, lost: Reasons) -> None:
    case, found = load_case(name), load_watched(line, solver)
    runner = watched_runner(line, found, Request(), lost)
    try:
        line.tell((list(case.figures(case, runner)) if case.figures else [], []))
    except Exception as error:  # noqa: BLE001 - a figure must not cost the results
        line.tell(([], [f"figures of {name} not drawn: {type(error).__name__}: {error}"]))


def _measure(crew: Crew, todo: Sequence[Task], findings: Findings) -> None:
    """Measure work-precision, but not of a solver that has lost a worker: it would lose more."""
    wanted = [task for task in todo if task.parameters or task.variant in variants(load_case(task.case))]
    for task in with_bar(wanted):
        lost = list(findings.lost[task.solver].values())
        try:
            for point in [] if lost else crew.ask(_points, task):
                findings.points.append(point)
        except WorkerLost as reason:
            lost = [str(reason)]
        if lost:
            what = f"work-precision of {task.solver} on {task.case} {task.variant}".rstrip()
            findings.messages.append(f"{what} ends early: {lost[0]}")


def _points(line: Line, task: Task) -> None:
    points = measure(task)
    while True:
        with line.watched(Watch("solve", task.solver)):
            point = next(points, None)
        if point is None:
            return
        line.tell(point)


def deliverable(report: Path | None, output: str | None) -> None:
    """Find out before minutes of work whether `deliver` can do its part; raises ReportError."""
    if report or output:
        need_packages("fastjsonschema")
    if report:
        need_packages("jinja2", "matplotlib")
    writable(report, output)


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
        save(Path(output), json.dumps(found, indent=1, allow_nan=False) + "\n")
    if report:
        from veridyn.reports.studio import cores
        from veridyn.reports.writer import write

        write(found, report, processes=cores())  # checked before it is delivered
        if output != "-":
            print(f"report: {report / 'index.html'}")


def save(file: Path, text: str) -> None:
    """Write a result file whole or not at all.

    Raises
    ------
    ReportError
        If it cannot be written.
    """
    try:
        with whole(file) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReportError(f"cannot write {file}: {error.strerror or error}; --resume writes what was judged") from None


def status(results: Iterable[Mapping[str, Any]], gaps: Sequence[str] = ()) -> int:
    """Return 0 if all is fine, 3 if a solver crashed, 1 if a check failed or is missing, 2 if none was judged.

    A fault of one of our own measures counts as not judged.
    """
    verdicts = {result["verdict"] for result in results}
    if "error" in verdicts:
        return ExitCode.CRASHED
    if "harness error" in verdicts or not verdicts - {"not applicable"}:
        return ExitCode.UNUSABLE
    return ExitCode.FAILED if gaps or "fail" in verdicts else ExitCode.FINE
