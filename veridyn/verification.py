"""Run checks: solvers × cases × variants, one process or several."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from veridyn.changes import parameters_of, settings_of
from veridyn.solver.errors import SettingsError
from veridyn.solver.loading import OWN, load_solver
from veridyn.solver.problem import MechanicalProblem
from veridyn.validation_cases.case import Case, Subject, Variant
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.expected import Expectations, read_expectations
from veridyn.validation_cases.judge import Record, judge
from veridyn.validation_cases.workbench import Workbench

OnRecord = Callable[[Record], None]

FREE_MASS = MechanicalProblem(
    name="free mass", mass=np.eye(1), initial_displacement=np.zeros(1), initial_velocity=np.ones(1), end=1e-3
)


@dataclass(frozen=True)
class Task:
    """What one process does: one solver on one variant of a case, or on one parameter set of the user."""

    solver: str
    case: str
    variant: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def load_quietly(spec: str) -> Any:
    """Return the solver that a specification names; what its module prints does not reach standard output.

    Raises
    ------
    SolverNotFound
        See `load_solver`.
    SolverInputError
        If it does not describe itself as a solver does.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        solver = load_solver(spec)
    Subject.of(solver)
    return solver


def tasks(solvers: Sequence[str], cases: Sequence[str], changes: Mapping[str, str] | None = None) -> list[Task]:
    """Return the tasks of a run; changes are parameters of the cases or settings that a solver declares.

    Each solver gets the settings that it knows.

    Raises
    ------
    UnknownCase
        If a case does not exist.
    ParameterError
        If a change is no parameter and no setting, or breaks the rule of the parameter.
    """
    names = list(dict.fromkeys(cases)) or list(case_names())
    known = {spec: set(Subject.of(load_quietly(spec)).known) for spec in dict.fromkeys(solvers)}
    anyones = set().union(*known.values())
    parameters = {name: parameters_of(load_case(name), changes or {}, anyones) for name in names}
    return [
        Task(spec, name, variant, parameters[name], settings_of(changes or {}, known[spec]))
        for spec in known
        for name in names
        for variant in ([""] if parameters[name] else [v.name for v in load_case(name).variants])
    ]


def run_task(task: Task, on_record: OnRecord | None = None) -> list[Record]:
    """Judge every check of a task.

    Raises
    ------
    SolverInputError
        If the settings of the user cannot be used.
    """
    solver = load_quietly(task.solver)
    return judge_all(solver, load_case(task.case), task.parameters, task.settings, on_record, task.variant or None)


def judge_all(
    solver: Any,
    case: Case,
    parameters: Mapping[str, str],
    settings: Mapping[str, Any],
    on_record: OnRecord | None = None,
    only: str | None = None,
) -> list[Record]:
    """Judge every check of a case, or of one of its variants; with parameters of the user only the truth is asked."""
    subject = Subject.of(solver, settings)
    bench = Workbench(solver)
    records = []
    for check in checks(case, subject, variants_of(parameters), only):
        record = judge(check, bench)
        records.append(record)
        if on_record:
            on_record(record)
    return records


def rehearse(task: Task) -> None:
    """Solve a few steps with the settings of the user: wrong ones show before minutes of work.

    Raises
    ------
    SettingsError
        If the settings cannot be used.
    """
    solver = load_quietly(task.solver)
    subject = Subject.of(solver, task.settings)
    if not task.settings:
        return
    for scheme in subject.schemes:
        problem, settings = _rehearsal(task, subject, scheme)
        try:
            solver.solve(problem, settings)
        except SettingsError:
            raise
        except (Exception, SystemExit):  # noqa: BLE001 - that will be a verdict; it is no wrong input
            continue


def _rehearsal(task: Task, subject: Subject, scheme: str) -> tuple[MechanicalProblem, dict[str, Any]]:
    """Return a short problem: two steps of the case for our own schemes, whose step has a limit, or a free mass."""
    if not subject.own:
        return FREE_MASS, {**({"scheme": scheme} if scheme else {}), **task.settings}
    case = load_case(task.case)
    run = case.run(subject, Variant("", task.parameters) if task.parameters else case.variant(task.variant), scheme)
    step = run.settings["step"]
    start, end = run.problem.start, run.problem.end
    few = start + 2 * step if isinstance(step, float) and 0 < 2 * step < end - start else end
    return replace(run.problem, end=few, output_times=None), dict(run.settings)


def variants_of(parameters: Mapping[str, str]) -> list[Variant] | None:
    """Return the parameter set of the user as the only variant; None (those of the case) without one."""
    if not parameters:
        return None
    return [Variant(",".join(f"{name}={value}" for name, value in parameters.items()), dict(parameters))]


def run_tasks(todo: Sequence[Task], jobs: int = 1, on_record: OnRecord | None = None) -> Iterator[list[Record]]:
    """Yield the records of each task, in the order of the tasks.

    With several jobs the tasks are spread over processes (spawned: threads of numerical libraries do not
    survive a fork), and ``on_record`` is called when a task is done.
    """
    if jobs <= 1 or len(todo) <= 1:
        for task in todo:
            yield run_task(task, on_record)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for records in pool.map(run_task, todo):
            for record in records if on_record else ():
                on_record(record)  # type: ignore[misc]
            yield records


def verify(
    solver: Any = None,
    cases: Iterable[str] = (),
    *,
    parameters: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    expected_failures: Path | None = None,
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
    expected_failures
        A list of checks that fail for a known reason; see `read_expectations`.

    Raises
    ------
    SolverNotFound, UnknownCase, ParameterError, SolverInputError
        See `load_solver`, `load_case`, `Case.values`, `judge`.
    ExpectationError
        If the list of expected failures cannot be read.
    """
    subject = load_quietly(solver or OWN) if solver is None or isinstance(solver, str) else solver
    names = list(cases) or list(case_names())
    expected = read_expectations(expected_failures) if expected_failures else Expectations()
    return [
        expected.settle(record)
        for name in names
        for record in judge_all(subject, load_case(name), parameters or {}, settings or {})
    ]
