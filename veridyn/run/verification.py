"""Run checks: solvers × cases × variants, in workers or (`verify`) in this process."""

from __future__ import annotations

import contextlib
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.results import (
    Figure,
    Message,
    MessageKind,
    Record,
    WorkPrecisionPoint,
    convert_record,
    unstructure_row,
)
from veridyn.run.baseline import compared, read_baseline
from veridyn.run.journal import Found
from veridyn.run.posed import parameters_of, settings_of
from veridyn.run.workers import Channel, Job, Loss, Pool, Watch, WorkerLost, nothing
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.loading import OWN, load_solver
from veridyn.solver.contract.protocol import Solver
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.expected import Expectations, read_expectations
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner, Statement
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.tolerances import read_requirement

OnRecord = Callable[[Record], None]


Reasons = Mapping[str, str]

REHEARSED = 1e-3  # of the time span: enough for a solver to refuse settings


@dataclass(frozen=True)
class Task:
    """What one process does: one solver on one variant of a case, or on one parameter set of the user."""

    solver: str
    case: str
    variant: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    request: Request = field(default_factory=Request)

    @property
    def statement(self) -> Statement:
        """What is to be solved."""
        case = load_case(self.case)
        return Statement(case, case.given(self.parameters) if self.parameters else case.variant(self.variant))


def load_quietly(spec: str) -> Solver:
    """Return the solver that a specification names; what its module prints does not reach standard output.

    Raises SolverNotFound, see `load_solver`; SolverInputError if it does not describe itself as a solver does.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        solver = load_solver(spec)
    Subject.of(solver)
    return solver


@dataclass
class Findings(Found):
    """What a run has found so far: records by task, figures, points of work-precision diagrams, messages.

    ``lost`` holds, by solver and key, the runs that were lost with their process, and why. Entries are records of
    tasks and lost runs.
    """

    by_task: list[list[Record]]
    lost: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    figures: list[Figure] = field(default_factory=list)
    points: list[WorkPrecisionPoint] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    def note(self, *texts: str, kind: MessageKind = MessageKind.NOTE) -> None:
        """Add remarks on the run."""
        self.messages += [Message(kind=kind, text=text) for text in texts]

    def add_record(self, task: int, record: Record) -> None:
        """Take in the record of a task, and keep it."""
        self.by_task[task].append(record)
        if self.journal:
            self.journal.keep({"task": task, "record": unstructure_row(record)})

    def take(self, entry: Mapping[str, Any]) -> None:
        if "lost" in entry:
            solver, key, why = entry["lost"]
            self.lost[solver][key] = why
        else:
            self.by_task[entry["task"]].append(convert_record(entry["record"]))

    @property
    def records(self) -> list[Record]:
        """All records, in the order of the tasks."""
        return [record for records in self.by_task for record in records]


def subjects(pool: Pool, solvers: Sequence[str], request: Request | None = None) -> dict[str, Subject]:
    """Return the solvers as the cases see them, by specification; they are loaded in a worker.

    Raises SolverInputError if one cannot be found, hangs or ends the process while it is loaded, or is no solver.
    """
    found = {}
    for spec in dict.fromkeys(solvers):
        try:
            (found[spec],) = pool.ask(_describe, spec, request or Request())
        except WorkerLost as lost:
            raise SolverInputError(str(lost)) from None
    return found


def _describe(channel: Channel, spec: str, request: Request) -> None:
    channel.tell(Subject.of(load_watched(channel, spec), request))


def load_watched(channel: Channel, spec: str) -> Solver:
    """Return the solver of a specification; if loading takes too long, the parent ends this worker."""
    with channel.watched(Watch("load", spec)):
        return load_quietly(spec)


def watched_runner(channel: Channel, solver: Solver, request: Request, lost: Reasons) -> Runner:
    """Return a runner in a worker; if a solve takes too long, the parent ends it."""
    return Runner(solver, request, lost, lambda key: channel.watched(Watch("solve", solver.name, key)))


def tasks(
    subjects: Mapping[str, Subject], cases: Sequence[str], changes: Mapping[str, str] | None = None
) -> list[Task]:
    """Return the tasks of a run; changes are parameters of the cases or settings that a solver declares.

    The subjects come by specification; each solver gets the settings that it knows. Raises UnknownCase if a case does
    not exist; ParameterError if a change is no parameter and no setting, or breaks the rule of the parameter.
    Where no case is named, a solver meets those of the kinds of problems that it offers, if any of them offers one.
    """
    names = list(dict.fromkeys(cases)) or list(case_names())
    known = {spec: set(subject.known) for spec, subject in subjects.items()}
    anyones = set().union(*known.values())
    parameters = {name: parameters_of(load_case(name), changes or {}, anyones) for name in names}
    kinds = {kind_of(name) for name in names}
    offered = frozenset[str]().union(*(subject.capabilities for subject in subjects.values()))
    return [
        Task(
            spec,
            name,
            variant,
            parameters[name],
            replace(subjects[spec].request, settings=settings_of(changes or {}, known[spec])),
        )
        for spec in known
        for name in names
        if cases or not offered & kinds or kind_of(name) in subjects[spec].capabilities
        for variant in ([""] if parameters[name] else [v.name for v in load_case(name).variants])
    ]


def judge_all(
    runner: Runner, case: Case, parameters: Mapping[str, str], only: str | None = None, skip: int = 0
) -> Iterator[Record]:
    """Judge every check of a case, or of one of its variants, or of a parameter set of the user.

    The first checks can be skipped, if they were judged before. Raises SolverInputError if the settings of the user
    cannot be used.
    """
    for check in islice(checks(case, runner.subject, variants_of(case, parameters), only), skip, None):
        yield judge(check, runner)


def rehearse(pool: Pool, todo: Sequence[Task]) -> None:
    """Solve a few steps with the settings of the user, if there are any: wrong ones show before minutes of work.

    Raises SolverInputError if the settings cannot be used.
    """
    for spec in dict.fromkeys(task.solver for task in todo if task.request.settings):
        with contextlib.suppress(WorkerLost):  # that will be a verdict; it is no wrong input
            list(pool.ask(_rehearse, spec, [task for task in todo if task.solver == spec]))


def _rehearse(channel: Channel, spec: str, todo: Sequence[Task]) -> None:
    solver = load_watched(channel, spec)
    subject = Subject.of(solver, todo[0].request)
    for task in {task.case: task for task in reversed(todo)}.values():
        problem = _shortened(task.statement.problem)
        for scheme in subject.schemes:
            settings = subject.default_settings(solver, problem, scheme)
            with channel.watched(Watch("solve", solver.name)):
                _try(solver, problem, settings)


def _shortened(problem: Problem) -> Problem:
    return replace(problem, end=problem.start + REHEARSED * (problem.end - problem.start), output_times=None)


def _try(solver: Solver, problem: Problem, settings: Mapping[str, Any]) -> None:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            solver.solve(problem, settings)
    except SettingsError:
        raise
    except (Exception, SystemExit):  # noqa: BLE001 - that will be a verdict; it is no wrong input
        return


def warm_up(pool: Pool, subjects: Mapping[str, Subject]) -> None:
    """Let the workers compile the schemes, each another one: two that need the same one at once would compile it twice.

    What goes wrong will be a verdict.
    """
    asked = [(spec, scheme) for spec, subject in subjects.items() if subject.warms_up for scheme in subject.schemes]
    if pool.share_cores:
        list(pool.share([Job(_warm_up, pair) for pair in asked], lambda *_: Job(nothing, ())))


def _warm_up(channel: Channel, spec: str, scheme: str) -> None:
    solver = load_watched(channel, spec)
    if not hasattr(solver, "warm_up"):
        return
    with contextlib.suppress(Exception), channel.watched(Watch("solve", solver.name)):
        solver.warm_up({"scheme": scheme} if scheme else {})


def variants_of(case: Case, parameters: Mapping[str, str]) -> list[Variant] | None:
    """Return the parameter set of the user as the only variant; None (those of the case) without one."""
    return [case.given(parameters)] if parameters else None


def run_tasks(pool: Pool, todo: Sequence[Task], findings: Findings, on_record: OnRecord | None = None) -> None:
    """Judge the checks of all tasks in workers; the records come into the findings as soon as they are there.

    A solver that hangs or ends its process loses the checks of that run; the task goes on in a fresh worker. Raises
    WorkerLost if a worker ends where no run can be blamed; SolverInputError if the settings of the user cannot be used.
    """

    def renewed(number: int, loss: Loss) -> Job:
        if loss.watch is None or loss.watch.act != "solve":
            raise WorkerLost(loss.text)
        findings.add({"lost": [todo[number].solver, loss.watch.key, loss.text]})
        return _job(todo[number], findings, number)

    jobs = [_job(task, findings, number) for number, task in enumerate(todo)]
    for number, record in pool.share(jobs, renewed):
        findings.add_record(number, record)
        if on_record:
            on_record(record)


def _job(task: Task, findings: Findings, number: int) -> Job:
    return Job(_work, (task, dict(findings.lost[task.solver]), len(findings.by_task[number])), task.case)


def _work(channel: Channel, task: Task, lost: Reasons, skip: int) -> None:
    runner = watched_runner(channel, load_watched(channel, task.solver), task.request, lost)
    for record in judge_all(runner, load_case(task.case), task.parameters, task.variant or None, skip):
        channel.tell(record)


def verify(
    solver: Solver | str | None = None,
    cases: Iterable[str] = (),
    *,
    parameters: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    claims: Mapping[str, Any] | None = None,
    refinement: Sequence[Mapping[str, Any]] | str = (),
    require: str = "",
    expected_failures: Path | None = None,
    against: Path | None = None,
) -> list[Record]:
    """Verify a solver and return one record per check.

    Parameters
    ----------
    solver
        A solver object or a specification (see `load_solver`); our own if None.
    cases
        Names of cases; all if empty.
    parameters
        One parameter set of yours instead of the variants of the case.
    settings
        Settings that the solver declares, e.g. ``{"step": 5e-5}`` for our own.
    claims
        What you claim of the solver, e.g. ``{"order": 2}``; replaces what it claims itself.
    refinement
        Settings from coarse to fine, three levels or more, or the name of a setting to be refined; replaces what the
        solver states itself.
    require
        Criterion of yours in place of those of the cases: ``"digits=6"`` or ``"rel=1e-6"``.
    expected_failures
        A list of checks that fail for a known reason; see `read_expectations`.
    against
        A baseline (`veridyn baseline save`): digits or cost lost since then fail.

    Raises
    ------
    SolverNotFound, UnknownCase, ParameterError, SolverInputError
        See `load_solver`, `load_case`, `Case.values`, `judge`.
    SettingsError
        If claims, refinement or requirement cannot be understood.
    ExpectationError
        If the list of expected failures cannot be read.
    SolverInputError
        If the baseline cannot be read.
    """
    request = Request(settings or {}, claims or {}, refinement, read_requirement(require) if require else None)
    under_test = load_quietly(solver or OWN) if solver is None or isinstance(solver, str) else solver
    names = list(cases) or list(case_names())
    expected = read_expectations(expected_failures) if expected_failures else Expectations()
    before = read_baseline(against) if against else None
    records = [
        record for name in names for record in judge_all(Runner(under_test, request), load_case(name), parameters or {})
    ]
    return [expected.settle(record) for record in (*records, *(compared(records, before) if before else ()))]
