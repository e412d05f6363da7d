"""The command `run`: plan, execute, settle, deliver."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from veridyn.problem.errors import SolverInputError
from veridyn.problem.printable import print_line
from veridyn.reports.numbers import plural
from veridyn.reports.tally import TROUBLE
from veridyn.results import Document, Fingerprint, FingerprintKind, MessageKind, PlannedChecks, Profile, Record
from veridyn.results.words import CARD
from veridyn.run import spreading
from veridyn.run.baseline import Baseline, compared, read_baseline, write_baseline
from veridyn.run.budget import Budget, begin_budget
from veridyn.run.delivery import Delivery, Places, deliver, open_places, status
from veridyn.run.document import Scope, Undertaking, document
from veridyn.run.execution import (
    Findings,
    OnRecord,
    draw_figures,
    find_untested,
    has_diagram,
    introduce_solvers,
    judge_tasks,
    make_sheets,
    measure,
    measure_all_cards,
    rehearse,
)
from veridyn.run.exit_code import ExitCode
from veridyn.run.journal import journal
from veridyn.run.plan import Access, Plan, Task, count_checks, list_checks, list_tasks
from veridyn.run.screen import progress, stage
from veridyn.run.selection import QUICK, Selection
from veridyn.run.undertaking import CHANGED, mark_run, state_run
from veridyn.run.workers import Pool, WorkerLost
from veridyn.solver.contract.loading import USUAL
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, room_of
from veridyn.validation_cases.judgement.checks import describe_observed, what_it_could_claim
from veridyn.validation_cases.judgement.expected import Expectations, read_expectations
from veridyn.validation_cases.judgement.stated import list_ids
from veridyn.validation_cases.judgement.subject import Request, Subject


@dataclass(frozen=True)
class Order:
    """What the user wants to know.

    Attributes
    ----------
    solvers
        Specifications, see `load_solver`.
    changed
        Parameters of cases, or settings of solvers.
    expected_failures, against
        A list of expected failures; a baseline to compare with.
    work_precision
        Whether diagrams are measured; None: where the results are kept and several solvers are asked.
    fail_fast
        Whether the run ends at the first failure.
    budget
        Seconds that the run may take; None: as long as they do.
    moves
        Whether copies at moved parameters are judged where no seed is given: by a fresh one.
    seed
        What moves them; where it is given, they are judged in any case.
    """

    solvers: Sequence[str]
    selection: Selection = field(default_factory=Selection)
    changed: Mapping[str, str] = field(default_factory=dict)
    request: Request = field(default_factory=Request)
    expected_failures: Path | None = None
    against: Path | None = None
    work_precision: bool | None = None
    fail_fast: bool = False
    budget: float | None = None
    moves: bool = False
    seed: int | None = None


@dataclass(frozen=True)
class Crew:
    """Who does the work: a number of processes, or the workers of a Dask scheduler; and how they reach the solvers."""

    jobs: int
    access: Access = field(default_factory=Access)
    scheduler: str | None = None


def run(order: Order, delivery: Delivery, crew: Crew) -> int:
    """Plan, execute, settle, deliver; returns the exit status.

    Raises ExpectationError if the list of expected failures cannot be read or names checks that do not exist;
    ParameterError, SolverInputError, UnknownCase if something was asked for that does not exist or cannot be;
    ReportError if the report or the result file cannot be written; found out before the work starts.
    """
    budget = begin_budget(order.budget)
    before = read_baseline(order.against) if order.against else None
    with spreading.pool(crew.jobs, crew.scheduler) as pool:
        plan, expected = make_plan(pool, order, crew.access, budget)
        marks = mark_run(plan, inputs := (order.expected_failures, order.against))
        with open_places(delivery) as places:
            rehearse(pool, plan)
            return carry_out(pool, Work(plan, order, delivery, places, expected, before, marks, inputs, budget))


@dataclass(frozen=True)
class Work:
    """A plan, where its results go, what is expected of them, and the hashes of what it judges and reads."""

    plan: Plan
    order: Order
    delivery: Delivery
    places: Places
    expected: Expectations
    before: Baseline | None
    marks: tuple[Fingerprint, ...]
    inputs: tuple[Path | None, ...]
    budget: Budget | None = None


def carry_out(pool: Pool, work: Work) -> int:
    """Execute a plan, settle, deliver; returns the exit status. Raises ReportError if results cannot be written."""
    plan, delivery, places = work.plan, work.delivery, work.places
    findings = Findings([[] for _ in plan.tasks], seed=plan.seed)
    findings.note(*plan.refused.values(), *([IMPORTED] if plan.access.in_process else []), kind=MessageKind.GAP)
    with journal(places.work, _identify(plan, work.order.seed, work.marks), findings, resume=delivery.resume):
        plan = plan.with_seed(findings.keep_seed())
        ending = execute(pool, plan, work, findings)
        result = [*findings.records, *(compared(findings.records, work.before) if work.before else ())]
        records = [work.expected.settle(record) for record in result]
        undertaking = state_run(plan, work.expected, work.marks, records, findings.stated, findings.ended)
        if mark_run(plan, work.inputs) != work.marks:
            findings.note(CHANGED, kind=MessageKind.GAP)
        reached = deliver(settle(pool, plan, delivery, findings, records, undertaking), delivery, places)
        if not ending and findings.journal:
            findings.journal.drop()
        if not ending and places.baseline:
            count = write_baseline(places.baseline, records, delivery.command)
            stream = sys.stderr if delivery.output == "-" else sys.stdout
            print_line(f"baseline: {delivery.baseline}, {count} answers", file=stream)
    return ending or (ExitCode.CRASHED if plan.refused else reached)


# ---- plan


def make_plan(pool: Pool, order: Order, access: Access, budget: Budget | None = None) -> tuple[Plan, Expectations]:
    """Introduce the solvers and list what they are to do, and the failures that are expected.

    A solver that does not introduce itself as solvers do is left out, as long as another does. Raises what `run`
    raises.
    """
    seed = draw_seed() if order.moves and order.seed is None else order.seed
    request = replace(order.request, seed=seed)
    described, refused = introduce_solvers(
        pool, access, order.solvers, request, observed=True, budget=budget and budget.opening
    )
    if not described:
        raise SolverInputError("; ".join(refused.values()))
    subjects = order.selection.subjects(described)
    tasks = order.selection.tasks(subjects, order.changed)
    scope = Scope(order.selection.profile, _count_available(order, described, tasks))
    plan = Plan(subjects, refused, tuple(tasks), scope, access, seed)
    return plan, read_expected(order.expected_failures, described, tasks)


def _count_available(order: Order, described: Mapping[str, Subject], tasks: Sequence[Task]) -> int | None:
    """Return how many checks the cases of a selection have for its solvers; None of other runs.

    To count those of many cases takes longer than to judge the first of them: which quantities exist in a variant may
    need its whole motion.
    """
    if order.selection.profile is not Profile.SELECTION:
        return None
    cases = list(dict.fromkeys(task.case for task in tasks))
    return sum(count_checks(task, described) for task in list_tasks(described, cases, order.changed))


MOST = 2**31  # seeds: each can be typed


def draw_seed() -> int:
    """Return a seed that nobody knew before."""
    return secrets.randbelow(MOST)


def _identify(plan: Plan, seed: int | None, marks: Sequence[Fingerprint]) -> dict[str, object]:
    """Return what tells one run from another; a seed that was drawn does not: who resumes has another."""
    named = {spec: [subject.name, subject.version, *subject.schemes] for spec, subject in plan.subjects.items()}
    files = [mark.sha256 for mark in marks if mark.kind is FingerprintKind.SOLVER]
    return {"solvers": named, "files": files, "tasks": [asdict(task) for task in plan.with_seed(seed).tasks]}


# ---- execute


def execute(pool: Pool, plan: Plan, work: Work, findings: Findings) -> int:
    """Judge, draw, measure; returns a status other than 0 if the work did not come to its end.

    ``plan`` is that of the work, with its seed.

    An interrupt, the loss of a process that judges and the first failure, if the user wants no more, end it. What was
    found before is kept. What is drawn and timed beside the checks is left out where their budget is spent.
    """
    order, delivery, expected, budget = work.order, work.delivery, work.expected, work.budget
    silent = delivery.layout == "brief"
    try:
        with progress(len(plan.tasks), silent=silent) as advance:
            tell = _stop_at_failure(advance, expected) if order.fail_fast else advance
            measure_all_cards(pool, plan, findings, budget and budget.opening)
            if order.fail_fast:
                _stop_at_first(findings.contradictions, expected)
            judge_tasks(pool, plan, findings, tell, budget)
        is_time_left = budget is None or budget.has_time(0.0)
        if delivery.keeps and not order.changed and is_time_left:
            with stage(len(plan.cases), "curves of figures", silent=silent) as advance_figures:
                draw_figures(pool, plan, findings, advance_figures)
        several = () if order.selection.quick else order.solvers
        if is_wanted(order.work_precision, several, kept=delivery.keeps) and is_time_left:
            measure_all(pool, plan, findings)
        _find_gaps(plan, order, findings)
    except KeyboardInterrupt:
        ended: int = ExitCode.INTERRUPTED
        why = "interrupted"
    except WorkerLost as lost:
        ended, why = ExitCode.CRASHED, str(lost)
    except FirstFailure as first:
        ended, why = status([first.record.verdict]), "ended at the first failure (--fail-fast)"
    else:
        return ExitCode.FINE
    pool.kill()
    findings.ended = why
    goes_on = "; --resume goes on with them" if findings.journal else ""
    text = f"{why}; {plural(len(findings.records), 'check')} judged before{goes_on}"
    findings.note(text)
    print_line(f"veridyn: {text}", file=sys.stderr)
    return ended


def is_wanted(asked: bool | None, solvers: Sequence[str], *, kept: bool) -> bool:
    """Tell whether diagrams are to be measured: if the results are kept, and several solvers or the user ask for it."""
    return kept and (len(set(solvers)) > 1 if asked is None else asked)


def measure_all(pool: Pool, plan: Plan, findings: Findings) -> None:
    """Measure work-precision, one task after another: timing wants the machine for itself."""
    tasks = [task for task in plan.tasks if has_diagram(task)]
    with stage(len(tasks), "work-precision") as advance:
        for task in tasks:
            findings.points += pool.ask(measure, plan.access, task)
            advance(f"{task.solver} {task.case} {task.variant}")


TRY_YOURS = (
    "these solvers came with veridyn and SciPy; `veridyn new-solver mine.py` writes one that runs, to put yours in its "
    "place, and says how to judge it (mine.c, .cpp, .f90, .jl, .m and .mjs are other languages)"
)
IMPORTED = "Python solvers were imported by the process that judges (--in-process): nothing kept them from changing it"
NAMED = 5  # cases that no solver takes


def _find_gaps(plan: Plan, order: Order, findings: Findings) -> None:
    """Note what was not judged, and why."""
    subjects = plan.subjects.values()
    findings.note(*(_advise(subjects)), *([QUICK] if order.selection.quick else []), *_state_seed(plan))
    findings.note(*([TRY_YOURS] if order.selection.shared else []))
    findings.note(*_leave_out(order.selection.cases, subjects), kind=MessageKind.GAP)
    if order.selection.shared:
        findings.note(*_list_unoffered(plan, findings.stated.values()), kind=MessageKind.GAP)
    if order.selection.profile is not Profile.SELECTION:
        findings.note(
            *find_untested(plan, (entry.needs for entry in findings.stated.values())), kind=MessageKind.UNTESTED
        )


def _state_seed(plan: Plan) -> Iterator[str]:
    """Yield which seed has moved the parameters of copies, if any were judged."""
    if plan.seed is not None and not all(task.parameters for task in plan.tasks):
        yield f"copies of the cases have parameters moved by seed {plan.seed}: --seed {plan.seed} moves them so again"


def _advise(subjects: Iterable[Subject]) -> Iterator[str]:
    """Yield by what solvers are judged that state nothing, and advice for those that claim nothing to be judged."""
    for subject in subjects:
        yield from filter(None, (describe_observed(subject, scheme) for scheme in subject.schemes))
        yield from filter(None, (what_it_could_claim(subject, scheme) for scheme in subject.schemes))


def _leave_out(named: Sequence[str], subjects: Iterable[Subject]) -> Iterator[str]:
    """Yield which cases of a kind no solver of a run takes, with the remedy."""
    offered = frozenset[str]().union(*(subject.capabilities for subject in subjects))
    for kind, taker in USUAL.items():
        untaken = [name for name in named or case_names() if kind_of(name) == kind]
        if untaken and kind not in offered:
            yield f"no solver of this run takes {_list_some(untaken)}: {_name_taker(untaken, taker)}"


def _name_taker(untaken: Sequence[str], taker: str) -> str:
    """Return how one of some cases is judged; what is always there takes none with constraints."""
    usual = next((name for name in untaken if room_of(name) != "dae"), "")
    if not usual:
        return "docs/adapters.md names solvers that do"
    return f"`veridyn run {usual} --solver {taker}` judges one by a solver that does"


def _list_unoffered(plan: Plan, stated: Iterable[PlannedChecks]) -> Iterator[str]:
    """Yield which variants were judged by nobody, and what their solver does not offer."""
    offered = {subject.name: subject.capabilities for subject in plan.subjects.values()}
    for entry in stated:
        if lacking := sorted(set(entry.needs) - offered[entry.solver]):
            what = f"{entry.solver} does not offer {', '.join(lacking)}"
            yield f"{entry.case} was not judged: {what}; docs/adapters.md names solvers that do"


def _list_some(names: Sequence[str]) -> str:
    """Return names, of many the first few and their number."""
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} further cases"


# ---- settle


def settle(
    pool: Pool,
    plan: Plan,
    delivery: Delivery,
    findings: Findings,
    records: Sequence[Record],
    undertaking: Undertaking,
) -> Document:
    """Assemble the result document of a run, with the sheets of its cases if it is kept."""
    if findings.journal and findings.journal.trouble:
        findings.note(findings.journal.trouble)
    sheets = make_sheets(pool, plan.tasks) if delivery.keeps else []
    return document(
        records,
        sheets,
        findings.figures,
        delivery.command,
        findings.messages,
        findings.points,
        undertaking,
        plan.scope,
    )


def read_expected(file: Path | None, solvers: Mapping[str, Subject], tasks: Sequence[Task]) -> Expectations:
    """Return the expected failures of a run; none without a file.

    They may name any check of the solvers, so that one list serves runs of single cases too. Raises ExpectationError if
    the file cannot be read or names checks that do not exist.
    """
    if file is None:
        return Expectations()
    result = read_expectations(file)
    result.refuse_unknown(_list_known(solvers, tasks))
    return result


def _list_known(solvers: Mapping[str, Subject], tasks: Sequence[Task]) -> Iterator[tuple[str, str, str]]:
    """Yield case, id and solver of the checks of a run, then of all: for those all cases are imported."""
    subjects = {spec: subject.with_seed(subject.request.seed or 0) for spec, subject in solvers.items()}
    yield from ((CARD, name, subject.name) for subject in subjects.values() for name in list_ids(subject))
    for some in (tasks, None):
        for task in list_tasks(solvers, ()) if some is None else some:
            subject = subjects[task.solver]
            yield from ((check.case, check.id, subject.name) for check in list_checks(task, subject))


class FirstFailure(Exception):
    """A check failed, and the user wants no more."""

    def __init__(self, record: Record) -> None:
        super().__init__(record.id)
        self.record = record


def _stop_at_first(records: Iterable[Record], expected: Expectations) -> None:
    """Raise `FirstFailure` for the first failure that is not expected."""
    for record in records:
        if expected.settle(record).verdict in TROUBLE:
            raise FirstFailure(record)


def _stop_at_failure(advance: OnRecord, expected: Expectations) -> OnRecord:
    """Return what is to be called with every record, to stop at a failure that is not expected."""

    def look(record: Record) -> None:
        advance(record)
        _stop_at_first([record], expected)

    return look
