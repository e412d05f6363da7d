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

from veridyn.reports.errors import need_packages
from veridyn.reports.numbers import plural
from veridyn.reports.tally import TROUBLE
from veridyn.reports.terminal import LAYOUTS, Layout
from veridyn.results import (
    CaseSheet,
    Document,
    Figure,
    MessageKind,
    Profile,
    Record,
    ReportError,
    Verdict,
    WorkPrecisionPoint,
    check,
    sign,
)
from veridyn.run import spreading
from veridyn.run.baseline import compared, read_baseline, write_baseline
from veridyn.run.document import Scope, document, finite, sheet
from veridyn.run.exit_code import ExitCode
from veridyn.run.journal import journal, whole
from veridyn.run.screen import bar, console, progress
from veridyn.run.selection import QUICK, Selection
from veridyn.run.verification import (
    Findings,
    OnRecord,
    Reasons,
    Task,
    load_quietly,
    load_watched,
    rehearse,
    run_tasks,
    subjects,
    tasks,
    variants_of,
    warm_up,
    watched_runner,
)
from veridyn.run.workers import TIME_OUT, Channel, Job, Loss, Pool, Watch, WorkerLost, give_up, nothing
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.checks import checks, what_it_could_claim
from veridyn.validation_cases.judgement.expected import Expectations, read_expectations
from veridyn.validation_cases.judgement.judge import Check
from veridyn.validation_cases.judgement.runner import SolverCrash, Statement
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.work_precision import LIMITS, Limits, variants, work_precision
from veridyn.validation_cases.measures.plotting import histories


def run(
    *,
    selection: Selection,
    solvers: Sequence[str],
    changed: Mapping[str, str],
    jobs: int,
    report: Path | None,
    output: str | None,
    layout: Layout = "summary",
    command: Sequence[str],
    expected_failures: Path | None = None,
    work_precision: bool | None = None,
    time_out: float = TIME_OUT,
    scheduler: str | None = None,
    resume: bool = False,
    request: Request | None = None,
    against: Path | None = None,
    baseline: Path | None = None,
    fail_fast: bool = False,
) -> int:
    """Run, judge, print, write; returns the exit status.

    With ``resume`` the records of a run that was ended are taken from its journal. ``against`` is a baseline to compare
    with, ``baseline`` one to write. ``fail_fast`` ends the run at the first failure. The workers of a Dask
    ``scheduler`` take the place of the processes of this machine. Raises ExpectationError if the list of expected
    failures cannot be read or names checks that do not exist; ParameterError, SolverInputError,
    UnknownCase if something was asked for that does not exist or cannot be; ReportError if the report or the result
    file cannot be written; found out before the work starts.
    """
    wanted = report is not None or output is not None
    before = read_baseline(against) if against else None
    with spreading.pool(jobs, time_out, scheduler) as pool:
        described = subjects(pool, solvers, request)
        under_test = selection.subjects(described)
        todo = selection.tasks(under_test, changed)
        expected = expectations(expected_failures, described, todo)
        deliverable(report, output)
        if baseline:
            writable(None, str(baseline))
        rehearse(pool, todo)
        findings = Findings([[] for _ in todo])
        planned = sum(_count(task, under_test) for task in todo)
        cases = list(dict.fromkeys(task.case for task in todo))
        scope = Scope(selection.profile, sum(_count(task, described) for task in tasks(described, cases, changed)))
        with journal(output, report, _asked(todo, under_test), findings, resume=resume):
            with _kept(pool, findings) as ending:
                with progress(planned, silent=layout == "brief") as advance:
                    warm_up(pool, under_test)
                    run_tasks(pool, todo, findings, _until_failure(advance, expected) if fail_fast else advance)
                if wanted and not changed:
                    figures(pool, solvers[0], under_test[solvers[0]].request, cases, findings)
                if is_wanted(work_precision, () if selection.quick else solvers, kept=wanted):
                    _measure(pool, todo, findings)
            if findings.journal and findings.journal.trouble:
                findings.note(findings.journal.trouble)
            found_records = [*findings.records, *(compared(findings.records, before) if before else ())]
            records = [expected.settle(record) for record in found_records]
            findings.note(*_told(under_test.values()), *([QUICK] if selection.quick else []))
            findings.note(*_left_out(selection.cases, under_test.values()), kind=MessageKind.GAP)
            if selection.profile is not Profile.SELECTION and not ending.status:
                findings.note(*_untested(pool, todo, under_test.values()), kind=MessageKind.UNTESTED)
            posed = sheets(pool, todo) if wanted else []
            found = document(
                *(records, posed, findings.figures, command, findings.messages, findings.points, planned, scope),
                {subject.name: subject.version for subject in under_test.values()},
            )
            reached = deliver(found, report=report, output=output, layout=layout)
            if findings.journal and not ending.status:
                findings.journal.drop()
            if baseline and not ending.status:
                kept = write_baseline(baseline, records, command)
                print(f"baseline: {baseline}, {kept} answers", file=sys.stderr if output == "-" else sys.stdout)
    return ending.status or reached


def is_wanted(asked: bool | None, solvers: Sequence[str], *, kept: bool) -> bool:
    """Tell whether diagrams are to be measured: if the results are kept, and several solvers or the user ask for it."""
    return kept and (len(set(solvers)) > 1 if asked is None else asked)


def _count(task: Task, subjects: Mapping[str, Subject]) -> int:
    return sum(1 for _ in _checks(task, subjects[task.solver]))


def _told(subjects: Iterable[Subject]) -> Iterator[str]:
    """Yield what solvers are told that claim nothing which can be judged."""
    for subject in subjects:
        yield from filter(None, (what_it_could_claim(subject, scheme) for scheme in subject.schemes))


TAKEN = {
    "mechanical": "`veridyn run` judges two that do",
    "initial-value": "`veridyn run --quick --kind initial-value --solver scipy --scheme Radau` judges one that does",
}


def _left_out(named: Sequence[str], subjects: Iterable[Subject]) -> Iterator[str]:
    """Yield which cases of a kind no solver of a run takes, with the remedy."""
    offered = frozenset[str]().union(*(subject.capabilities for subject in subjects))
    for kind, remedy in TAKEN.items():
        left = [name for name in named or case_names() if kind_of(name) == kind]
        if left and kind not in offered:
            yield f"no solver of this run takes {', '.join(left)}: {remedy}"


def _untested(pool: Pool, todo: Sequence[Task], subjects: Iterable[Subject]) -> list[str]:
    """Return what solvers declare and no case of a run needs; workers pose the problems, with references they know."""
    posed = dict.fromkeys((task.case, task.variant) for task in todo if task.variant)
    found = pool.share([Job(_needs, pair, pair[0]) for pair in posed], give_up)
    needed = frozenset[str]().union(*(needs for _, needs in found))
    left = {subject.name: ", ".join(sorted(subject.capabilities - needed)) for subject in subjects}
    return [f"{name}: declared and never tested, as no case of the run needs it: {w}" for name, w in left.items() if w]


def _needs(channel: Channel, case: str, variant: str) -> None:
    known = load_case(case)
    channel.tell(Statement(known, known.variant(variant)).problem.needs)


def _asked(todo: Sequence[Task], solvers: Mapping[str, Subject]) -> dict[str, Any]:
    """Return what tells one run from another."""
    named = {spec: [subject.name, subject.version, *subject.schemes] for spec, subject in solvers.items()}
    return {"solvers": named, "tasks": [asdict(task) for task in todo]}


@dataclass
class _Ending:
    """How the work ended: with a status other than 0 if it did not come to its end."""

    status: int = ExitCode.FINE


@contextlib.contextmanager
def _kept(pool: Pool, findings: Findings) -> Iterator[_Ending]:
    """End the work at an interrupt or where it cannot go on; what was found before is kept."""
    ending = _Ending()
    try:
        yield ending
    except KeyboardInterrupt:
        ending.status, why = ExitCode.INTERRUPTED, "interrupted"
    except WorkerLost as lost:
        ending.status, why = ExitCode.CRASHED, str(lost)
    except FirstFailure as first:
        ending.status, why = status([first.record.verdict]), "ended at the first failure (--fail-fast)"
    if ending.status:
        pool.kill()
        goes_on = "; --resume goes on with them" if findings.journal else ""
        text = f"{why}; {plural(len(findings.records), 'check')} judged before{goes_on}"
        findings.note(text)
        print(f"veridyn: {text}", file=sys.stderr)


def deliver(found: Document, *, report: Path | None, output: str | None, layout: Layout) -> int:
    """Print the tables, write result document and report as far as wanted; returns the exit status.

    Raises ReportError if they cannot be written.
    """
    found = check(found) if report is not None or output is not None else found
    if output != "-":
        LAYOUTS[layout](found, console())
    _write(found, report, output)
    return status(record.verdict for record in found.results)


def expectations(file: Path | None, solvers: Mapping[str, Subject], todo: Sequence[Task]) -> Expectations:
    """Return the expected failures of a run; none without a file.

    They may name any check of the solvers, so that one list serves runs of single cases too. Raises ExpectationError if
    the file cannot be read or names checks that do not exist.
    """
    if file is None:
        return Expectations()
    found = read_expectations(file)
    found.refuse_unknown(_known(solvers, todo))
    return found


def _known(solvers: Mapping[str, Subject], todo: Sequence[Task]) -> Iterator[tuple[str, str, str]]:
    """Yield case, id and solver of the checks of a run, then of all: for those all cases are imported."""
    for some in (todo, None):
        for task in tasks(solvers, ()) if some is None else some:
            subject = solvers[task.solver]
            yield from ((check.case, check.id, subject.name) for check in _checks(task, subject))


class FirstFailure(Exception):
    """A check failed, and the user wants no more."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.id)
        self.record = record


def _until_failure(advance: OnRecord, expected: Expectations) -> OnRecord:
    """Return what is to be called with every record, to stop at a failure that is not expected."""

    def look(record: Record) -> None:
        advance(record)
        if expected.settle(record).verdict in TROUBLE:
            raise FirstFailure(record)

    return look


def _checks(task: Task, subject: Subject) -> Iterator[Check]:
    case = load_case(task.case)
    return checks(case, subject, variants_of(case, task.parameters), task.variant or None)


def figures(pool: Pool, solver: str, request: Request, cases: Sequence[str], findings: Findings) -> None:
    """Draw the figures of the cases for a solver, as it is asked; a message says which could not be drawn."""
    lost = dict(findings.lost[solver])
    jobs = [Job(_draw, (solver, request, name, lost), name) for name in cases]
    by_case: dict[int, tuple[list[Figure], list[str]]] = {}

    def given_up(number: int, loss: Loss) -> Job:
        by_case[number] = [], [f"figures of {cases[number]} not drawn: {loss.text}"]
        return Job(nothing, ())

    by_case.update(pool.share(jobs, given_up))
    for _, (drawn, messages) in sorted(by_case.items()):
        findings.figures += drawn
        findings.note(*messages)


def _draw(channel: Channel, solver: str, request: Request, name: str, lost: Reasons) -> None:
    case, found = load_case(name), load_watched(channel, solver)
    runner = watched_runner(channel, found, request, lost)
    try:
        channel.tell(([drawn for figure in case.figures or (histories,) for drawn in figure(case, runner)], []))
    except Exception as error:  # noqa: BLE001 - a figure must not cost the results
        channel.tell(([], [f"figures of {name} not drawn: {type(error).__name__}: {error}"]))


def sheets(pool: Pool, todo: Sequence[Task]) -> list[CaseSheet]:
    """Return the sheets of the cases of a run, with the variants that it has judged.

    Workers make them: they know most of the references already. Raises WorkerLost if a worker ends meanwhile.
    """
    variants: dict[str, dict[str, None]] = {}
    for task in todo:
        variants.setdefault(task.case, {})[task.variant] = None
    parameters = {task.case: task.parameters for task in todo}
    jobs = [Job(_sheet, (name, parameters[name], list(chosen)), name) for name, chosen in variants.items()]
    return [made for _, made in sorted(pool.share(jobs, give_up), key=lambda found: found[0])]


def _sheet(channel: Channel, name: str, parameters: Mapping[str, str], variants: Sequence[str]) -> None:
    channel.tell(sheet(load_case(name), parameters, variants))


def _measure(pool: Pool, todo: Sequence[Task], findings: Findings) -> None:
    """Measure work-precision, but not of a solver that has lost a worker: it would lose more."""
    wanted = [task for task in todo if task.parameters or task.variant in variants(load_case(task.case))]
    with bar(len(wanted), "work-precision") as advance:
        for task in wanted:
            lost = list(findings.lost[task.solver].values())
            try:
                for point in [] if lost else pool.ask(_points, task):
                    findings.points.append(point)
            except WorkerLost as reason:
                lost = [str(reason)]
            if lost:
                what = f"work-precision of {task.solver} on {task.case} {task.variant}".rstrip()
                findings.note(f"{what} ends early: {lost[0]}")
            advance(f"work-precision: {task.solver} {task.case} {task.variant}")


def measure(task: Task, limits: Limits = LIMITS) -> Iterator[WorkPrecisionPoint]:
    """Measure work and precision of one solver on a variant, or on the user's parameter set, level by level."""
    for point in work_precision(load_quietly(task.solver), task.request, task.statement, limits):
        yield finite(point)


def _points(channel: Channel, task: Task) -> None:
    points = measure(task)
    while True:
        try:
            with channel.watched(Watch("solve", task.solver)):
                point = next(points, None)
        except SolverCrash:  # an interrupt that it raised itself: its checks say so, and no level is left
            return
        if point is None:
            return
        channel.tell(point)


def deliverable(report: Path | None, output: str | None) -> None:
    """Find out before minutes of work whether `deliver` can do its part; raises ReportError."""
    if report:
        need_packages("jinja2", "matplotlib")
    writable(report, output)


def writable(report: Path | None, output: str | None) -> None:
    """Find out before minutes of work whether the results can be kept; raises ReportError."""
    beside = Path(output).parent if output and output != "-" else None
    if beside and not beside.exists():
        raise ReportError(f"cannot write {output}: there is no folder {beside}; create it first")
    for folder in (report, beside):
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


def write_json(found: Mapping[str, Any], output: str | None) -> None:
    """Write a document into a file, to standard output (``-``), or nowhere; raises ReportError if it cannot be."""
    text = json.dumps(found, indent=1, allow_nan=False) + "\n"
    if output == "-":
        sys.stdout.write(text)
    elif output:
        save(Path(output), text)


def _write(found: Document, report: Path | None, output: str | None) -> None:
    if output:
        write_json(sign(found), output)
    if report:
        from veridyn.reports.studio import cores
        from veridyn.reports.writer import write

        write(found, report, processes=cores())  # checked before it is delivered
        if output != "-":
            print(f"report: {report / 'index.html'}")


def save(file: Path, text: str) -> None:
    """Write a result file whole or not at all; raises ReportError if it cannot be written."""
    try:
        with whole(file) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReportError(f"cannot write {file}: {error.strerror or error}; --resume writes what was judged") from None


def status(verdicts: Iterable[Verdict], gaps: Sequence[str] = ()) -> int:
    """Return 0 if all is fine, 3 if a solver crashed, 1 if a check failed or is missing, 2 if none was judged.

    A fault of one of our own measures counts as not judged.
    """
    reached = set(verdicts)
    if Verdict.ERROR in reached:
        return ExitCode.CRASHED
    if Verdict.HARNESS_ERROR in reached or not reached - {Verdict.NOT_APPLICABLE}:
        return ExitCode.UNUSABLE
    return ExitCode.FAILED if gaps or Verdict.FAIL in reached else ExitCode.FINE
