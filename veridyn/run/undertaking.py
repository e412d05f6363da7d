"""What a run states in its results of what it set out to do: plan, solvers, expected failures, hashes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path

from msgspec import structs

from veridyn.results import Fingerprint, Layer, PlannedChecks, Record, SolverVersion
from veridyn.results.record import Setting
from veridyn.results.words import CARD
from veridyn.run.document import Undertaking
from veridyn.run.fingerprints import take_fingerprints
from veridyn.run.plan import Plan, Task, list_checks
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.expected import Expectations
from veridyn.validation_cases.judgement.subject import Subject
from veridyn.validation_cases.judgement.tolerances import REQUIRED

CHANGED = "files of a solver, of veridyn or of the environment have changed during the run: the hashes are of its start"


def mark_run(plan: Plan, inputs: Iterable[Path | None]) -> tuple[Fingerprint, ...]:
    """Return the hashes of what a run judges, of the judge, and of the files that the run reads."""
    return take_fingerprints({spec: subject.name for spec, subject in plan.subjects.items()}, inputs)


def state_run(
    plan: Plan,
    expected: Expectations,
    marks: tuple[Fingerprint, ...],
    records: Iterable[Record],
    stated: Mapping[int, PlannedChecks],
    ended: str,
) -> Undertaking:
    """Return what a run set out to do, with the hashes that were taken at its start, and why it ended early, if so.

    ``stated`` says of tasks, by their number, what workers have found of them: all that were begun.
    """
    return Undertaking(
        plan=state_checks(plan, records, stated),
        solvers=tuple(state_solver(spec, subject) for spec, subject in plan.subjects.items()),
        expected=expected.entries,
        fingerprints=marks,
        ended=ended,
    )


def state_checks(
    plan: Plan, records: Iterable[Record], stated: Mapping[int, PlannedChecks]
) -> tuple[PlannedChecks, ...]:
    """Return every check of a plan by its name.

    Claims that a card contradicts come before them; what holds records against a baseline comes to them.
    """
    contradicted: dict[str, list[str]] = {}
    compared: dict[tuple[str, str, str], list[str]] = {}
    for record in records:
        if record.case == CARD:
            contradicted.setdefault(record.solver, []).append(record.id)
        elif record.layer is Layer.BASELINE:
            compared.setdefault((record.solver, record.case, record.variant), []).append(record.id)
    cards = (PlannedChecks(solver=name, case=CARD, variant="", checks=tuple(ids)) for name, ids in contradicted.items())
    entries = [
        stated.get(number) or state_task(task, plan.subjects[task.solver]) for number, task in enumerate(plan.tasks)
    ]
    more = [compared.get((entry.solver, entry.case, entry.variant), ()) for entry in entries]
    judged = (structs.replace(entry, checks=(*entry.checks, *ids)) for entry, ids in zip(entries, more, strict=True))
    return (*cards, *judged)


def state_task(task: Task, subject: Subject) -> PlannedChecks:
    """Return the checks of a task by their names, and what its problem needs of a solver."""
    statement = task.statement
    return PlannedChecks(
        solver=subject.name,
        case=task.case,
        variant=statement.variant.name,
        parameters=dict(task.parameters),
        checks=tuple(check.id for check in list_checks(task, subject)),
        needs=tuple(sorted(statement.needs)),
    )


def state_solver(spec: str, subject: Subject) -> SolverVersion:
    """Return what a solver states of itself, and what is asked of it."""
    request = subject.request
    return SolverVersion(
        name=subject.name,
        version=subject.version,
        specification=spec,
        capabilities=tuple(sorted(subject.capabilities)),
        claims={scheme: state_claims(subject.claims[scheme]) for scheme in subject.schemes if scheme in subject.claims},
        schemes=subject.schemes,
        observed=tuple(scheme for scheme in subject.schemes if scheme in subject.observed),
        refined=subject.refined,
        settings={name: state_setting(value) for name, value in request.settings.items()},
        require=request.require.text.removeprefix(REQUIRED) if request.require else "",
        quantities=request.quantities,
        relations=request.relations,
        seed=request.seed,
    )


def state_claims(claims: Claims) -> dict[str, Setting]:
    """Return claims as `read_claims` reads them: what is not claimed is left out, what is not finite is a word."""
    stated = {each.name: getattr(claims, each.name) for each in fields(claims) if each.name != "parameters"}
    unclaimed = vars(Claims())
    named = {name: value for name, value in stated.items() if value != unclaimed[name]}
    return {name: state_setting(value) for name, value in {**named, **claims.parameters}.items()}


def state_setting(value: object) -> Setting:
    """Return a value of a setting or claim as JSON has it: what is no finite number is a text."""
    if isinstance(value, bool | str) or value is None:
        return value
    is_finite = isinstance(value, int | float) and math.isfinite(value)
    return value if isinstance(value, int | float) and is_finite else str(value)
