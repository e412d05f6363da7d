"""Verify a solver and return the records: what `veridyn run` does, as a function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from veridyn.identification.contradicting import CardFindings, contradict_claims
from veridyn.identification.observing import observe_claims
from veridyn.results import Record
from veridyn.run.baseline import compared, read_baseline
from veridyn.run.execution import judge_all
from veridyn.solver.contract.loading import OWN, is_ours
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.opening import open_gate, renew_gates
from veridyn.solver.contract.protocol import Solver
from veridyn.validation_cases.judgement.catalogue import case_names, load_case
from veridyn.validation_cases.judgement.expected import Expectations, read_expectations
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.tolerances import read_requirement


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
    seed: int | None = None,
) -> list[Record]:
    """Verify a solver and return one record per check, after one for each claim that its card contradicts.

    Parameters
    ----------
    solver
        A specification (see `load_solver`), whose solver gets a process of its own, and is loaded anew if its files
        have changed; or an object, which is called in this process; our own if None.
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
        solver states itself. Where neither states what can be judged, the order that a smooth motion shows stands in.
    require
        Criterion of yours in place of those of the cases: ``"digits=6"`` or ``"rel=1e-6"``.
    expected_failures
        A list of checks that fail for a known reason; see `read_expectations`.
    against
        A baseline (`veridyn baseline save`): digits or cost lost since then fail.
    seed
        What moves the parameters of a copy of each case, which is judged beside it (`moved_copy`); none is if None, so
        that tests say the same each time.

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
    criterion = read_requirement(require) if require else None
    request = Request(settings or {}, claims or {}, refinement, criterion, seed=seed)
    renew_gates()
    gate = open_gate(solver or OWN) if solver is None or isinstance(solver, str) else LocalGate(solver)
    request = observe_claims(gate, request)
    is_known = solver is None or (isinstance(solver, str) and is_ours(solver))
    subject = Subject.from_introduction(gate.introduction, request)
    cards = CardFindings() if is_known else contradict_claims(gate, subject)
    names = list(cases) or list(case_names())
    expected = read_expectations(expected_failures) if expected_failures else Expectations()
    before = read_baseline(against) if against else None
    records = [
        *cards.contradictions,
        *(record for name in names for record in judge_all(Runner(gate, request), load_case(name), parameters or {})),
    ]
    return [expected.settle(record) for record in (*records, *(compared(records, before) if before else ()))]
