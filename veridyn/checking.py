"""The command `check`: judge what a code that is run by hand has printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from veridyn.document import document
from veridyn.histories import SLACK, read_histories, read_quantities
from veridyn.posed import Posed, pose
from veridyn.running import deliver, writable
from veridyn.solver.errors import CapabilityError, MissingHistory
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response
from veridyn.tables import Table, read_table
from veridyn.validation_cases.case import Bench, Check, Number
from veridyn.validation_cases.checks import truth_check
from veridyn.validation_cases.judge import Record, judge
from veridyn.validation_cases.workbench import Workbench


@dataclass(frozen=True, eq=False)
class ResultsFile:
    """A results file in the place of a solver: it answers the one problem whose histories it holds."""

    name: str
    problem: MechanicalProblem
    response: Response | None
    version: ClassVar[str] = "file"

    @property
    def capabilities(self) -> frozenset[str]:
        """Whatever the problem needs: somebody has solved it."""
        return self.problem.needs

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:  # noqa: ARG002 - the contract
        """Return the histories up to the end of the problem.

        Raises
        ------
        CapabilityError
            If the file holds no histories, those of another problem, or too short ones.
        """
        if self.response is None:
            raise CapabilityError("not in the file")
        if _statement(problem) != _statement(self.problem):
            raise CapabilityError("needs the solution of another problem, which the file does not hold")
        time = self.response.time
        if time[-1] < problem.end - SLACK * (problem.end - problem.start):
            raise CapabilityError(f"needs histories up to {problem.end:g} s; the file ends at {time[-1]:g} s")
        last = int(np.searchsorted(time, problem.end * (1 - SLACK))) + 1
        return _first(self.response, last)


def _statement(problem: MechanicalProblem) -> dict[str, Any]:
    """Return what makes the motion: everything but the name and how long it is watched."""
    return {key: value for key, value in problem.to_dict().items() if key not in ("name", "end", "output_times")}


def _first(response: Response, count: int) -> Response:
    elements = {
        name: {kind: history[:count] for kind, history in histories.items()}
        for name, histories in response.elements.items()
    }
    return Response(response.time[:count], response.displacement[:count], response.velocity[:count], elements)


def judge_file(
    file: Path, case: str, variant: str | None = None, changes: Mapping[str, str] | None = None
) -> list[Record]:
    """Judge a results file and return one record per check.

    Parameters
    ----------
    file
        Histories (``time [s], displacement_x [m], …``) or quantities (``quantity, value, unit``).
    case, variant, changes
        What was solved; see `pose`.

    Raises
    ------
    TableError
        If the file cannot be understood; the message names line, column and remedy.
    UnknownCase, PoseError, ParameterError, CertificationError
        See `pose`.
    """
    return _judge(file, pose(case, variant, changes))


def _judge(file: Path, posed: Posed) -> list[Record]:
    table = read_table(file)
    if table.column("quantity"):
        return _judge_quantities(file, table, posed)
    if not table.column("time"):
        raise table.error("no column time (histories) and no column quantity (plain values); name the columns so")
    solver = ResultsFile(file.name, posed.problem, read_histories(table, posed.problem))
    return _judged(solver, (replace(check, measure=_optional(check.measure)) for check in posed.checks))


def _judged(solver: ResultsFile, checks: Iterator[Check]) -> list[Record]:
    bench = Workbench(solver)
    # the time that it took to look into a file is nobody's wall time
    return [replace(judge(check, bench), wall_time=None) for check in checks]


def _optional(measure: Callable[[Bench], Number]) -> Callable[[Bench], Number]:
    """Return a measurement that asks for nothing which a file need not hold."""

    def measured(bench: Bench) -> Number:
        try:
            return measure(bench)
        except MissingHistory as missing:
            raise CapabilityError(f"not in the file: {missing}") from None

    return measured


def _judge_quantities(file: Path, table: Table, posed: Posed) -> list[Record]:
    asked = tuple(_asked(posed))
    by_name = {check.quantity: check for check in asked}

    def is_text(name: str) -> bool:
        reference = by_name[name].reference()
        return isinstance(getattr(reference, "value", reference), str)

    units = {check.quantity: check.unit for check in asked}
    given = read_quantities(table, units, is_text)
    solver = ResultsFile(file.name, posed.problem, None)
    return _judged(solver, (replace(check, measure=_stated(given, check.quantity)) for check in asked))


def _asked(posed: Posed) -> Iterator[Check]:
    """Yield the checks of the variant, and those of quantities that no history holds but a code may print."""
    yield from posed.checks
    named = {check.quantity for check in posed.checks}
    for quantity in posed.quantities:
        if quantity.name not in named:
            measured = replace(quantity, measure=lambda _: None)
            yield truth_check(posed.case, posed.subject, posed.variant, "", posed.checks[0].run, measured)


def _stated(given: Mapping[str, Number], name: str) -> Callable[[Bench], Number]:
    def measured(bench: Bench) -> Number:  # noqa: ARG001 - nothing is left to measure
        if name not in given:
            raise CapabilityError("not in the file")
        return given[name]

    return measured


def check(
    *,
    case: str,
    file: Path,
    variant: str | None,
    changed: Mapping[str, str],
    report: Path | None,
    output: str | None,
    verbose: bool,
    command: Sequence[str],
) -> int:
    """Judge, print, write; returns the exit status.

    Raises
    ------
    SolverInputError, UnknownCase, ParameterError, CertificationError
        See `judge_file`.
    ReportError
        If the report or the result document cannot be written.
    """
    writable(report, output)
    posed = pose(case, variant, changed)
    records = _judge(file, posed)
    wanted = report is not None or output is not None
    found = document(records, [(posed.case, posed.parameters)] if wanted else [], [], command)
    return deliver(found, report=report, output=output, verbose=verbose)
