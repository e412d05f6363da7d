"""Run checks: solvers × cases × variants, one process or several."""

from __future__ import annotations

import contextlib
import io
import math
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from veridyn.references import ParameterError
from veridyn.solver.errors import SolverFailure
from veridyn.solver.loading import OWN, load_solver
from veridyn.validation_cases.case import Case, Subject, Variant
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.expected import Expectations, read_expectations
from veridyn.validation_cases.judge import Record, judge
from veridyn.validation_cases.workbench import Workbench

OnRecord = Callable[[Record], None]


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
    """Return the tasks of a run; changes are parameters of the cases or settings of our schemes.

    Raises
    ------
    UnknownCase
        If a case does not exist.
    ParameterError
        If a change is no parameter and no setting, or breaks the rule of the parameter.
    """
    names = list(dict.fromkeys(cases)) or list(case_names())
    split = {name: split_changes(load_case(name), changes or {}) for name in names}
    return [
        Task(solver, name, variant, *split[name])
        for solver in dict.fromkeys(solvers)
        for name in names
        for variant in ([""] if split[name][0] else [v.name for v in load_case(name).variants])
    ]


SETTINGS: dict[str, Callable[[str], Any]] = {
    "step": float,
    "tangential_stiffness": float,
    "largest": float,
    "smallest": float,
    "points_per_period": float,
}


def split_changes(case: Case, changes: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Tell parameters of the case from settings of our schemes, and check both.

    Raises
    ------
    ParameterError
        If a parameter is unknown, breaks its rule, or no solver can compute with it.
    CertificationError
        If there is no certified reference for the parameters.
    SettingsError
        If a setting is no number.
    """
    parameters = {name: text for name, text in changes.items() if name not in SETTINGS}
    values = case.values(parameters)
    for name, value in values.items():
        if not math.isfinite(float(value)) or (value.rational != 0 and float(value) == 0):
            raise ParameterError(f"{name} = {value} is beyond the floating-point numbers of a solver")
    for quantity in case.quantities if parameters else ():
        quantity.truth(values)
    return parameters, {name: _number(name, text) for name, text in changes.items() if name in SETTINGS}


def _number(name: str, text: str) -> Any:
    from veridyn.solver.errors import SettingsError

    try:
        return SETTINGS[name](text)
    except ValueError:
        raise SettingsError(f"{name} = {text!r} is not a number") from None


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
    """Solve a few steps of every variant with the settings of the user: wrong ones show before minutes of work.

    Raises
    ------
    SolverInputError
        If the settings cannot be used.
    """
    solver = load_quietly(task.solver)
    subject = Subject.of(solver, task.settings)
    if not (subject.own and task.settings):
        return
    case = load_case(task.case)
    for variant in [Variant("", task.parameters)] if task.parameters else [case.variant(task.variant)]:
        for scheme in subject.schemes:
            run = case.run(subject, variant, scheme)
            start, end = run.problem.start, run.problem.end
            step = float(run.settings["step"])
            few = min(end, start + 2 * step) if step > 0 else end
            with contextlib.suppress(SolverFailure):  # that is a verdict, not a wrong input
                solver.solve(replace(run.problem, end=few, output_times=None), dict(run.settings))


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
        Settings of our schemes to override, e.g. ``{"step": 5e-5}``.
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
