"""The points of a sweep, solved by any solver: many at once where it can, else one after another as a run does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.errors import ProblemError
from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.run.plan import Access
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.gate import Columns
from veridyn.sweep.own_problem import describe_questions
from veridyn.sweep.request import SweepRequest, find_case
from veridyn.validation_cases.judgement.case import Case, Number
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.runner import HarnessError, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request
from veridyn.validation_cases.judgement.sweeping import (
    ANSWERED,
    FAILED,
    NOT_APPLICABLE,
    OUTCOME,
    OUTCOMES,
    REFUSED,
    Sweep,
    Swept,
)

NO_PROBLEM = (ParameterError, CertificationError, ProblemError, ValueError, ArithmeticError)


def sweep_of(request: SweepRequest) -> Sweep:
    """Return what a sweep gives: what its case has for solvers of many problems, or the quantities of the case."""
    if request.problem is not None:
        return _make_sweep(tuple(describe_questions(find_case(request))))
    case = load_case(request.case)
    return case.sweep if request.many and case.sweep else describe_sweep(case.name)


@cache
def describe_sweep(name: str) -> Sweep:
    """Return a sweep over what is measured in the responses to a case, and over what became of each point."""
    case = load_case(name)
    values = case.values()
    measured = [q for q in case.quantities if q.measure is not None]
    words = {q.name for q in measured if isinstance(q.truth(values).value, str)}
    quantities = [
        Swept(q.name, q.unit, q.definition, q.reference, text=q.name in words, tolerance=q.tolerance) for q in measured
    ]
    return _make_sweep(quantities)


def _make_sweep(quantities: Sequence[Swept]) -> Sweep:
    """Return a sweep over quantities and what became of each point."""
    outcome = Swept(OUTCOME, "", "what became of the point", None, labels=OUTCOMES)
    shown = next((q.name for q in quantities if not q.text), OUTCOME)
    return Sweep(quantities=(*quantities, outcome), shown=shown, classified=OUTCOME)


def solve_chunk(access: Access, request: SweepRequest, chunk: int, threads: int) -> Iterator[Columns]:
    """Yield the quantities of the points of a chunk, as a job of a worker."""
    parameters = request.columns(np.arange(*request.bounds(chunk)))
    gate = access.open(request.solver)
    if request.many:
        yield gate.solve_many(request.case, parameters, threads)
        return
    runner = Runner(gate, Request(settings=request.settings, schemes=(request.scheme,) if request.scheme else ()))
    yield _solve_points(runner, find_case(request), sweep_of(request), parameters)


def _solve_points(runner: Runner, case: Case, sweep: Sweep, parameters: Columns) -> dict[str, NDArray[Any]]:
    rows = [
        solve_point(runner, case, dict(zip(parameters, map(float, point), strict=True)))
        for point in zip(*parameters.values(), strict=True)
    ]
    return {q.name: _make_column(q, [row.get(q.name) for row in rows]) for q in sweep.quantities}


def _make_column(quantity: Swept, answers: Sequence[Number]) -> NDArray[Any]:
    """Return the answers of all points; a number is NaN, and a word empty, where there is none."""
    if quantity.labels:
        return np.array(answers, dtype=np.int8)
    if quantity.text:
        return np.array([answer if isinstance(answer, str) else "" for answer in answers], dtype=str)
    return np.array([answer if isinstance(answer, int | float) else math.nan for answer in answers], dtype=float)


def solve_point(runner: Runner, case: Case, parameters: Mapping[str, float]) -> dict[str, Number]:
    """Solve for one parameter set; return what was measured by the name of the quantity, and the outcome.

    Parameters count as the doubles that they are: 0.1 is not one tenth. Raises SettingsError if the settings of the
    user are wrong; HarnessError if one of our own measures fails.
    """
    try:
        statement = Statement(
            case, case.make_variant({name: str(Fraction(value)) for name, value in parameters.items()})
        )
        if statement.needs - runner.subject.capabilities:
            return {OUTCOME: NOT_APPLICABLE}
    except NO_PROBLEM:
        return {OUTCOME: REFUSED}
    try:
        answers = runner.measured(runner.default_run(statement, runner.subject.schemes[0]))
    except CapabilityError:
        return {OUTCOME: NOT_APPLICABLE}
    except SolverFailure:
        return {OUTCOME: FAILED}
    for answer in answers.values():
        if isinstance(answer, HarnessError):
            raise answer
    measured = {name: answer for name, answer in answers.items() if not isinstance(answer, Exception)}
    return {**measured, OUTCOME: ANSWERED}
