"""The command `check`: judge what a code that is run by hand has printed, in one file or in one a refinement level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from veridyn.document import document, sheet
from veridyn.histories import SLACK, read_histories, read_quantities
from veridyn.posed import Posed, pose
from veridyn.reports.terminal import Layout
from veridyn.running import deliver, deliverable
from veridyn.solver.errors import CapabilityError, SettingsError
from veridyn.solver.problem.mechanical import Problem
from veridyn.solver.response import AnyResponse, Response, Trajectory
from veridyn.tables import Table, TableError, read_table
from veridyn.validation_cases.core.case import Number, Quantity
from veridyn.validation_cases.core.checks import checks_of
from veridyn.validation_cases.core.judge import Record, judge
from veridyn.validation_cases.core.runner import Answer, Run, Runner, Statement
from veridyn.validation_cases.core.subject import Request

NOTHING = Request()


@dataclass(frozen=True, eq=False)
class ResultsFiles:
    """Results files in the place of a solver: they answer the one problem whose histories they hold.

    ``key`` and ``sizes`` say which setting was refined from file to file; the last file is the finest.
    """

    name: str
    problem: Problem
    responses: tuple[AnyResponse | None, ...]
    key: str = ""
    sizes: tuple[float, ...] = ()
    version: ClassVar[str] = "file"

    @property
    def capabilities(self) -> frozenset[str]:
        """Whatever the problem needs: somebody has solved it."""
        return self.problem.needs

    @property
    def refinement(self) -> list[dict[str, float]]:
        """The levels, one a file."""
        return [{self.key: size} for size in self.sizes]

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> AnyResponse:
        """Return the histories of a level, or of the finest, up to the end of the problem.

        Raises CapabilityError if there is no such file, or it holds no histories, those of another problem, or too
        short ones.
        """
        size = settings.get(self.key)
        response = self.responses[self.sizes.index(size)] if size in self.sizes else self.responses[-1]
        if size is not None and size not in self.sizes:
            raise CapabilityError(f"there is no file of {self.key}={size:g}")
        if response is None:
            raise CapabilityError("not in the file")
        if _statement(problem) != _statement(self.problem):
            raise CapabilityError("needs the solution of another problem, which the file does not hold")
        time = response.time
        if time[-1] < problem.end - SLACK * (problem.end - problem.start):
            raise CapabilityError(f"needs histories up to {problem.end:g} s; the file ends at {time[-1]:g} s")
        last = int(np.searchsorted(time, problem.end * (1 - SLACK))) + 1
        return _first(response, last)


@dataclass
class StatedQuantities(Runner):
    """A runner that finds its answers in files of quantities: nothing is left to measure."""

    stated: Mapping[float | None, Mapping[str, Number]] = field(default_factory=dict)

    def measured(self, run: Run, *, half: int | None = None) -> Mapping[str, Answer]:  # noqa: ARG002 - as measured runs
        """Return what the file of a level states."""
        given = self.stated[run.settings.get(self.solver.key) if self.solver.key else None]
        missing = CapabilityError("not in the file")
        return {quantity.name: given.get(quantity.name, missing) for quantity in run.statement.quantities}

    def sampling(self, run: Run, quantity: Quantity, value: float, *, confirming: bool = False) -> float:  # noqa: ARG002 - as measured runs
        """Return 0: what a code states was not read between samples."""
        return 0.0


def _statement(problem: Problem) -> dict[str, Any]:
    """Return what makes the motion: everything but the name and how long it is watched."""
    return {key: value for key, value in problem.to_dict().items() if key not in ("name", "end", "output_times")}


def _first(response: AnyResponse, count: int) -> AnyResponse:
    time = response.time[:count]
    if isinstance(response, Trajectory):
        kept = {name: int(np.searchsorted(found, time[-1], side="right")) for name, found in response.events.items()}
        events = {name: response.events[name][:k] for name, k in kept.items()}
        return Trajectory(time, response.states[:count], events, {n: b[: kept[n]] for n, b in response.before.items()})
    elements = {
        name: {kind: history[:count] for kind, history in histories.items()}
        for name, histories in response.elements.items()
    }
    return Response(time, response.displacement[:count], response.velocity[:count], elements)


def judge_files(files: Sequence[Path], posed: Posed, request: Request = NOTHING) -> list[Record]:
    """Judge results files, one a refinement level from coarse to fine or a single one; return one record per check.

    They hold histories (``time [s], displacement_x [m], …``) or quantities (``quantity, value, unit``). Raises
    TableError if a file cannot be understood, with line, column and remedy; SettingsError if there is not one level a
    file.
    """
    key, sizes = _levels(files, request)
    tables = [read_table(file) for file in files]
    stated = [bool(table.column("quantity")) for table in tables]
    if any(stated) != all(stated):
        raise TableError(
            f"{files[stated.index(False)].name}: histories beside files of quantities; give files of one kind"
        )
    name, asked = files[-1].name, replace(request, refinement=())
    if all(stated):
        return _judge_quantities(tables, posed, asked, ResultsFiles(name, posed.problem, (None,), key, sizes))
    for table in tables:
        if not table.column("time"):
            raise table.error("no column time (histories) and no column quantity (plain values); name the columns so")
    responses = tuple(read_histories(table, posed.problem) for table in tables)
    return _judged(Runner(ResultsFiles(name, posed.problem, responses, key, sizes), asked), posed.statement)


def _levels(files: Sequence[Path], request: Request) -> tuple[str, tuple[float, ...]]:
    """Return the refined setting and its values, one a file; nothing for a single file."""
    levels = request.refinement
    if not levels and len(files) == 1:
        return "", ()
    if isinstance(levels, str) or len(levels) != len(files):
        example = ",".join(f"{1e-2 / 2**i:g}" for i in range(len(files)))
        raise SettingsError(
            f"{len(files)} files need --refine with as many levels, coarse to fine, e.g. step={example}"
        )
    (key,) = levels[0]
    return key, tuple(float(level[key]) for level in levels)


def _judged(runner: Runner, statement: Statement) -> list[Record]:
    """Judge everything but what needs other solutions than the files hold."""
    checks = checks_of(statement, runner.subject, "")
    # the time that it took to look into a file is nobody's wall time
    return [replace(judge(check, runner), wall_time=None) for check in checks if check.layer != "invariance"]


def _judge_quantities(tables: Sequence[Table], posed: Posed, request: Request, solver: ResultsFiles) -> list[Record]:
    # all can be stated, those included that no history holds
    stateable = tuple(q if q.measure else replace(q, measure=lambda _: None) for q in posed.case.quantities)
    statement = Statement(replace(posed.case, quantities=stateable, residuals=()), posed.variant)
    quantities = {quantity.name: quantity for quantity in statement.quantities}

    def is_text(name: str) -> bool:
        return isinstance(quantities[name].truth(statement.values).value, str)

    units = {name: quantity.unit for name, quantity in quantities.items()}
    given = [read_quantities(table, units, is_text) for table in tables]
    stated: dict[float | None, Mapping[str, Number]] = dict(zip(solver.sizes, given, strict=bool(solver.sizes)))
    return _judged(StatedQuantities(solver, request, stated={**stated, None: given[-1]}), statement)


def check(
    *,
    case: str,
    files: Sequence[Path],
    variant: str | None,
    changed: Mapping[str, str],
    report: Path | None,
    output: str | None,
    layout: Layout,
    command: Sequence[str],
    request: Request,
) -> int:
    """Judge, print, write; returns the exit status.

    Raises what `pose` and `judge_files` raise; ReportError if the report or the result document cannot be written.
    """
    deliverable(report, output)
    posed = pose(case, variant, changed)
    records = judge_files(files, posed, request)
    wanted = report is not None or output is not None
    found = document(records, [sheet(posed.case, posed.parameters)] if wanted else [], [], command)
    return deliver(found, report=report, output=output, layout=layout)
