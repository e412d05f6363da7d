"""The plan of a run: which solver, on which variant of which case, asked for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from veridyn.run.document import Scope
from veridyn.run.posed import parameters_of, settings_of
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.opening import TIME_OUT, open_gate
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import Check
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request, Subject


@dataclass(frozen=True)
class Access:
    """How solvers are reached.

    Attributes
    ----------
    time_out
        Longest time (s) of one call: of a solve, or of loading a solver.
    in_process
        Whether Python solvers are imported by the process that judges, so that a debugger sees them. Then nothing keeps
        them from changing what judges.
    """

    time_out: float = TIME_OUT
    in_process: bool = False

    def open(self, spec: str) -> Gate:
        """Return the gate to the solver of a specification; raises what `open_gate` raises."""
        return open_gate(spec, self.time_out, in_process=self.in_process)


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
        return Statement(case, case.make_variant(self.parameters) if self.parameters else case.variant(self.variant))


@dataclass(frozen=True)
class Plan:
    """What a run does.

    Attributes
    ----------
    subjects
        The solvers, by specification, as they are asked.
    refused
        Why others are not judged: they do not introduce themselves as solvers do.
    tasks
        One a solver and variant, in the order in which they are judged.
    seed
        What moves the parameters of copies of the cases; None: there are none.
    """

    subjects: Mapping[str, Subject]
    refused: Mapping[str, str]
    tasks: tuple[Task, ...]
    scope: Scope = field(default_factory=Scope)
    access: Access = field(default_factory=Access)
    seed: int | None = None

    def with_seed(self, seed: int | None) -> Plan:
        """Return the plan with another seed: the same checks, if there was one."""
        subjects = {spec: subject.with_seed(seed) for spec, subject in self.subjects.items()}
        tasks = tuple(replace(task, request=replace(task.request, seed=seed)) for task in self.tasks)
        return replace(self, subjects=subjects, tasks=tasks, seed=seed)

    @property
    def cases(self) -> list[str]:
        """Names of the cases."""
        return list(dict.fromkeys(task.case for task in self.tasks))


def list_tasks(
    subjects: Mapping[str, Subject], cases: Sequence[str], changes: Mapping[str, str] | None = None
) -> list[Task]:
    """Return the tasks of a run; changes are parameters of the cases or settings that a solver declares.

    The subjects come by specification; each solver gets the settings that it knows. Raises UnknownCase if a case does
    not exist; ParameterError if a change is no parameter and no setting, or breaks the rule of the parameter.
    Where no case is named, a solver meets those of the kinds of problems that it offers, if any of them offers one.
    """
    names = list(dict.fromkeys(cases)) or list(case_names())
    known = {spec: set(subject.all_settings) for spec, subject in subjects.items()}
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


def variants_of(case: Case, parameters: Mapping[str, str]) -> list[Variant] | None:
    """Return the parameter set of the user as the only variant; None (those of the case) without one."""
    return [case.make_variant(parameters)] if parameters else None


def list_checks(task: Task, subject: Subject) -> Iterator[Check]:
    """Yield the checks of a task."""
    case = load_case(task.case)
    return checks(case, subject, variants_of(case, task.parameters), task.variant or None)


def count_checks(task: Task, subjects: Mapping[str, Subject]) -> int:
    """Return the number of checks of a task."""
    return sum(1 for _ in list_checks(task, subjects[task.solver]))
