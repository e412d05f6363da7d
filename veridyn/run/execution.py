"""What the workers of a run do, as jobs: introduce solvers, rehearse, compile, judge, draw, measure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from veridyn.identification.contradicting import CardFindings, measure_cards
from veridyn.identification.limited import LimitedGate, always
from veridyn.identification.observing import observe_claims
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.results import (
    CaseSheet,
    Figure,
    Message,
    MessageKind,
    PlannedChecks,
    Profile,
    Record,
    WorkPrecisionPoint,
    convert_record,
    unstructure_row,
)
from veridyn.run.budget import Budget, describe_left_out, list_left_out, order_tasks
from veridyn.run.document import finite, sheet
from veridyn.run.journal import Entry, Found
from veridyn.run.plan import Access, Plan, Task, variants_of
from veridyn.run.undertaking import state_task
from veridyn.run.workers import Job, Pool
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.loading import SolverNotFound, is_ours
from veridyn.solver.contract.statements import DERIVATIVES
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks, list_derivatives
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.work_precision import LIMITS, Limits, variants, work_precision
from veridyn.validation_cases.measures.plotting import histories

OnRecord = Callable[[Record], object]

REHEARSED = 1e-3  # of the time span: enough for a solver to refuse settings


@dataclass
class Findings(Found):
    """What a run has found so far: records by task, figures, points of work-precision diagrams, messages.

    ``contradictions`` are failed checks of claims that belong to no task, as the card of a solver contradicts them.
    ``seed`` is that of the copies at moved parameters; of a run that goes on, that of its beginning.
    """

    by_task: list[list[Record]]
    contradictions: list[Record] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    points: list[WorkPrecisionPoint] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    stated: dict[int, PlannedChecks] = field(default_factory=dict)  # by task, as workers have begun them
    ended: str = ""  # why the work did not come to its end
    seed: int | None = None

    def note(self, *texts: str, kind: MessageKind = MessageKind.NOTE) -> None:
        """Add remarks on the run."""
        self.messages += [Message(kind=kind, text=text) for text in texts]

    def add_record(self, task: int, record: Record) -> None:
        """Take in the record of a task, and keep it."""
        self.by_task[task].append(record)
        if self.journal:
            self.journal.keep({"task": task, "record": unstructure_row(record)})

    def keep_seed(self) -> int | None:
        """Keep the seed, and return it: whoever goes on with this run moves parameters as it did."""
        if self.seed is not None and self.journal:
            self.journal.keep({"seed": self.seed})
        return self.seed

    def take(self, entry: Entry) -> None:
        if isinstance(seed := entry.get("seed"), int):
            self.seed = seed
            return
        task, row = entry["task"], entry["record"]
        if not (isinstance(task, int) and isinstance(row, Mapping)):
            raise TypeError(task)
        self.by_task[task].append(convert_record(row))

    @property
    def records(self) -> list[Record]:
        """All records: contradicted claims first, then in the order of the tasks."""
        return [*self.contradictions, *(record for records in self.by_task for record in records)]


# ---- introductions


def introduce_solvers(
    pool: Pool,
    access: Access,
    solvers: Sequence[str],
    request: Request | None = None,
    *,
    observed: bool = False,
    budget: Budget | None = None,
) -> tuple[dict[str, Subject], dict[str, str]]:
    """Return the solvers as the cases see them, by specification, and why others are none.

    With ``observed`` those that state no claims, or no refinement, are solved a few times, as long as there is time:
    what that shows stands in. Raises SolverInputError if one cannot be found; SettingsError if what the user asks of
    one cannot be.
    """
    specs = list(dict.fromkeys(solvers))
    subjects, refused = dict[str, Subject](), dict[str, str]()
    result = pool.share([Job(_introduce, (access, spec, request or Request(), observed, budget)) for spec in specs])
    for number, described in sorted(result, key=lambda pair: pair[0]):
        if isinstance(described, Subject):
            subjects[specs[number]] = described
        else:
            refused[specs[number]] = described
    return subjects, refused


def _introduce(
    access: Access, spec: str, request: Request, observed: bool, budget: Budget | None
) -> Iterator[Subject | str]:
    try:
        gate = access.open(spec)
        introduction = gate.introduction
    except SolverNotFound:
        raise
    except (SolverInputError, SolverFailure) as wrong:
        yield str(wrong)
        return
    subject = Subject.from_introduction(introduction, request)
    if observed:
        limited = LimitedGate(gate, budget.has_time if budget else always)
        subject = Subject.from_introduction(introduction, observe_claims(limited, subject.request))
    yield subject


# ---- before the first check


def rehearse(pool: Pool, plan: Plan) -> None:
    """Solve a few steps with the settings of the user, if there are any: wrong ones show before minutes of work.

    Raises SolverInputError if the settings cannot be used.
    """
    for spec in dict.fromkeys(task.solver for task in plan.tasks if task.request.settings):
        mine = [task for task in plan.tasks if task.solver == spec]
        list(pool.ask(_rehearse, plan.access, spec, mine))


def _rehearse(access: Access, spec: str, tasks: Sequence[Task]) -> Iterator[None]:
    gate = access.open(spec)
    subject = Subject.from_introduction(gate.introduction, tasks[0].request)
    for task in {task.case: task for task in reversed(tasks)}.values():
        problem = _shorten(task.statement.problem)
        for scheme in subject.schemes:
            _try_settings(gate, subject, problem, scheme)
    yield from ()


def _shorten(problem: Problem) -> Problem:
    return replace(problem, end=problem.start + REHEARSED * (problem.end - problem.start), output_times=None)


def _try_settings(gate: Gate, subject: Subject, problem: Problem, scheme: str) -> None:
    with contextlib.suppress(SolverFailure, CapabilityError):  # those will be verdicts; they are no wrong input
        gate.solve(problem, subject.default_settings(gate, problem, scheme))


def list_compilations(plan: Plan) -> list[Job[None]]:
    """Return a job for each scheme that compiles: two tasks that begin with one at once would compile it twice.

    What goes wrong will be a verdict.
    """
    compiling = {spec: subject for spec, subject in plan.subjects.items() if subject.warms_up}
    return [
        Job(_warm_up, (plan.access, spec, scheme)) for spec, subject in compiling.items() for scheme in subject.schemes
    ]


def _warm_up(access: Access, spec: str, scheme: str) -> Iterator[None]:
    with contextlib.suppress(SolverInputError, SolverFailure):
        access.open(spec).warm_up({"scheme": scheme} if scheme else {})
    yield from ()


# ---- cards before the first case


def measure_all_cards(pool: Pool, plan: Plan, findings: Findings, budget: Budget | None = None) -> None:
    """Take into the findings what the cards of solvers say: claims that do not hold, deviations.

    A card is measured once, of solvers that do not come with the suite: of those it is known.
    """
    jobs = [
        Job(_measure_cards, (plan.access, spec, subject, budget))
        for spec, subject in plan.subjects.items()
        if not is_ours(spec)
    ]
    for _, cards in sorted(pool.share(jobs), key=lambda pair: pair[0]):
        findings.contradictions += cards.contradictions
        findings.note(*cards.deviations, kind=MessageKind.CARD)
        findings.note(*cards.remarks)


def _measure_cards(access: Access, spec: str, subject: Subject, budget: Budget | None) -> Iterator[CardFindings]:
    yield measure_cards(access.open(spec), subject, budget.has_time if budget else always)


# ---- checks


def judge_all(
    runner: Runner,
    case: Case,
    parameters: Mapping[str, str],
    only: str | None = None,
    skip: int = 0,
    budget: Budget | None = None,
) -> Iterator[Record]:
    """Judge every check of a case, or of one of its variants, or of a parameter set of the user.

    The first checks can be skipped, if they were judged before; with a budget all are left out from the first whose
    solve would not end in time. Raises SolverInputError if the settings of the user cannot be used.
    """
    for check in islice(checks(case, runner.subject, variants_of(case, parameters), only), skip, None):
        if budget and not budget.has_time(max(runner.wall_times.values(), default=0.0)):
            return
        yield judge(check, runner)


def judge_tasks(
    pool: Pool, plan: Plan, findings: Findings, on_record: OnRecord | None = None, budget: Budget | None = None
) -> None:
    """Judge the checks of all tasks in workers; the records come into the findings as soon as they are there.

    What was judged before is not judged again, and what a budget has no time for is left out, with a note. Raises
    WorkerLost; SolverInputError if the settings of the user cannot be used.
    """
    for compilations, numbers in _order_work(pool, plan, budget):
        jobs = [_make_job(plan, number, findings, budget) for number in numbers]
        for place, item in pool.share([*compilations, *jobs]):
            number = numbers[place - len(compilations)]
            if isinstance(item, PlannedChecks):
                findings.stated[number] = item
            elif item is not None:  # a compilation yields nothing
                findings.add_record(number, item)
                if on_record:
                    on_record(item)
    if budget:
        _leave_out_rest(plan, findings, budget)


Compilations = Sequence[Job[None]]


def _order_work(pool: Pool, plan: Plan, budget: Budget | None) -> Iterator[tuple[Compilations, tuple[int, ...]]]:
    """Yield what is compiled beside which tasks, one group after another.

    Where workers share the cores, tasks of schemes that compile wait until all have: those of others fill the time.
    """
    compilations = list_compilations(plan) if pool.share_cores else []
    for group in order_tasks(plan.tasks, budget):
        numbers = _sort_by_cost(plan, group) if plan.scope.profile is Profile.QUICK else group
        if not compilations:
            yield (), numbers
            continue
        ready = tuple(number for number in numbers if not plan.subjects[plan.tasks[number].solver].warms_up)
        yield compilations, ready
        yield (), tuple(number for number in numbers if number not in set(ready))
        compilations = []


def _sort_by_cost(plan: Plan, numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers of tasks, the cheapest first: verdicts come soon, and the processes end together."""
    return tuple(sorted(numbers, key=lambda number: estimate_cost(plan.tasks[number])))


def estimate_cost(task: Task) -> int:
    """Return what grows with the cost of a task: unknowns times instants of output."""
    problem = task.statement.problem
    return len(problem.unknowns) * (1 if problem.output_times is None else len(problem.output_times))


def _make_job(plan: Plan, number: int, findings: Findings, budget: Budget | None) -> Job[PlannedChecks | Record]:
    task = plan.tasks[number]
    return Job(_judge, (plan.access, task, len(findings.by_task[number]), budget), task.case)


def _leave_out_rest(plan: Plan, findings: Findings, budget: Budget) -> None:
    """Record what there was no time for; the journal does not know it, so that a run which goes on judges it."""
    left = list(list_left_out(plan, findings.by_task, budget))
    for number, further in enumerate(left):
        findings.by_task[number] += further
    findings.note(*filter(None, [describe_left_out(left, budget)]), kind=MessageKind.GAP)


def _judge(access: Access, task: Task, skip: int, budget: Budget | None) -> Iterator[PlannedChecks | Record]:
    """Yield what a task sets out to do, then its records."""
    runner = Runner(access.open(task.solver), task.request)
    yield state_task(task, runner.subject)
    yield from judge_all(runner, load_case(task.case), task.parameters, task.variant or None, skip, budget)


# ---- beside the checks


def draw_figures(pool: Pool, plan: Plan, findings: Findings, advance: Callable[[str], object]) -> None:
    """Draw the figures of each case for the first solver that is judged on it, as far as it offers what they need.

    A message says which could not be drawn; `advance` is called with the name of each case that is done.
    """
    solvers = {task.case: task.solver for task in reversed(plan.tasks)}
    jobs = [
        Job(_draw, (plan.access, solvers[name], plan.subjects[solvers[name]].request, name), name)
        for name in plan.cases
    ]
    made: dict[int, tuple[list[Figure], list[str]]] = {}
    for number, drawn_and_messages in pool.share(jobs):
        made[number] = drawn_and_messages
        advance(plan.cases[number])
    for _, (drawn, messages) in sorted(made.items()):
        findings.figures += drawn
        findings.note(*messages)


def _draw(access: Access, solver: str, request: Request, name: str) -> Iterator[tuple[list[Figure], list[str]]]:
    yield draw_case(load_case(name), Runner(access.open(solver), request))


def draw_case(case: Case, runner: Runner) -> tuple[list[Figure], list[str]]:
    """Return the figures of a case, plain histories where it has none, and remarks on those that could not be drawn."""
    drawn: list[Figure] = []
    try:
        for figure in case.figures:
            with contextlib.suppress(CapabilityError):  # the checks of that problem say what the solver does not offer
                drawn += figure(case, runner)
        drawn = drawn or list(histories(case, runner))
    except Exception as error:  # noqa: BLE001 - a figure must not cost the results
        return [], [f"figures of {case.name} not drawn: {type(error).__name__}: {error}"]
    return drawn, []


def make_sheets(pool: Pool, tasks: Sequence[Task]) -> list[CaseSheet]:
    """Return the sheets of the cases of a run, with the variants that it has judged.

    Workers make them: they know most of the references already. Raises WorkerLost if a worker ends meanwhile.
    """
    variants: dict[str, dict[str, None]] = {}
    for task in tasks:
        variants.setdefault(task.case, {})[task.variant] = None
    parameters = {task.case: task.parameters for task in tasks}
    jobs = [Job(_make_sheet, (name, parameters[name], list(chosen)), name) for name, chosen in variants.items()]
    return [made for _, made in sorted(pool.share(jobs), key=lambda found: found[0])]


def _make_sheet(name: str, parameters: Mapping[str, str], variants: Sequence[str]) -> Iterator[CaseSheet]:
    yield sheet(load_case(name), parameters, variants)


def judges_derivatives(plan: Plan, subject: Subject) -> bool:
    """Tell whether a run judges derivatives of a solver; they are no need of a problem."""
    if not DERIVATIVES & subject.capabilities:
        return False
    tasks = (task for task in plan.tasks if plan.subjects[task.solver] is subject)
    return any(list_derivatives(task.statement, subject) for task in tasks)


def find_untested(plan: Plan, needs: Iterable[Iterable[str]]) -> list[str]:
    """Return what solvers declare and no problem of a run needs."""
    needed = frozenset[str]().union(*needs)
    untested = {
        s.name: ", ".join(sorted(s.capabilities - needed - (DERIVATIVES if judges_derivatives(plan, s) else set())))
        for s in plan.subjects.values()
    }
    return [
        f"{name}: declared and never tested, as no case of the run needs it: {tags}"
        for name, tags in untested.items()
        if tags
    ]


def has_diagram(task: Task) -> bool:
    """Tell whether work and precision are measured on what a task solves."""
    return bool(task.parameters) or task.variant in variants(load_case(task.case))


def measure(access: Access, task: Task, limits: Limits = LIMITS) -> Iterator[WorkPrecisionPoint]:
    """Measure work and precision of one solver on a variant, or on the user's parameter set, level by level."""
    for point in work_precision(access.open(task.solver), task.request, task.statement, limits):
        yield finite(point)
