"""The command `check`: judge what a code that is run by hand has printed, histories or quantities, one file a level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from msgspec import structs

from veridyn.files.columns import history_columns, needed_columns
from veridyn.files.tables import Column, Table, UnitError, read_table, to_si
from veridyn.problem.errors import SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.nearest import nearest
from veridyn.results import Layer, Record
from veridyn.run.delivery import Delivery, deliver, open_places
from veridyn.run.document import document, sheet
from veridyn.run.posed import pose
from veridyn.solver.contract.errors import CapabilityError, SettingsError
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.responses import COARSE, AnyResponse, Response, Trajectory
from veridyn.solver.contract.statements import as_float
from veridyn.validation_cases.judgement.case import Number, Quantity
from veridyn.validation_cases.judgement.checks import checks_of
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Answer, Run, Runner, Statement
from veridyn.validation_cases.judgement.subject import Request

QUANTITY_COLUMNS = ("quantity", "value", "unit", "definition")
UNDEFINED = frozenset({"none", "undefined"})
SLACK = 1e-6  # of the span: printed instants are rounded


def read_histories(table: Table, problem: Problem) -> AnyResponse:
    """Return the histories of a table with a column ``time``, in SI units.

    Velocities that are missing are differences of the displacements. A row of an initial value problem may name an
    ``event``, whose state it holds; the row before may hold the state just before, at the same instant. Raises
    SolverInputError if a column or an event is unknown, a column missing, a unit wrong, a cell no number, if time does
    not increase or does not cover the requested instants.
    """
    known = history_columns(problem)
    columns = _recognised(table, known)
    needed = needed_columns(problem)
    for name in needed:
        if name not in columns:
            unit = f" [{known[name]}]" if known[name] else ""
            raise table.error(f"no column {name}{unit}; add it")
    if not table.rows:
        raise table.error("no rows below the header; write one row per output instant")
    table = table.filled(len(table.columns))
    events = columns.pop("event", None)
    values = {name: _converted(table, column, known[name]) for name, column in columns.items()}
    time = values.pop("time")
    return MAKE_RESPONSE[problem.kind](table, events, time, values, problem)


def _motion(
    table: Table, _: Column | None, time: Floats, values: dict[str, Floats], problem: MechanicalProblem
) -> Response:
    """Return the response of a mechanical problem; nothing in it tells an event."""
    needed = needed_columns(problem)
    _check_instants(table, time, problem)
    displacement = np.column_stack([values[name] for name in needed[1:]])
    velocity = np.column_stack(
        [
            values.get(f"velocity_{name}", np.gradient(displacement[:, i], time))
            for i, name in enumerate(problem.coordinates)
        ]
    )
    return Response(time, displacement, velocity, _elements(values))


def _trajectory(
    table: Table, events: Column | None, time: Floats, values: dict[str, Floats], problem: InitialValueProblem
) -> Trajectory:
    states = np.column_stack([values[name] for name in needed_columns(problem)[1:]])
    names = [row[events.place].strip() if events else "" for row in table.rows]
    for i, name in enumerate(names):
        if name and name not in problem.event_names:
            raise table.error(f"unknown event {name!r}; {nearest(name, problem.event_names)}", i, "event")
    follows = np.append((np.diff(time) == 0) & [bool(name) for name in names[1:]], False)  # the state before an event
    _check_instants(table, time[~follows], problem)
    happened = {name: [i for i, other in enumerate(names) if other == name] for name in sorted({*names} - {""})}
    told = {name: places for name, places in happened.items() if all(i > 0 and follows[i - 1] for i in places)}
    return Trajectory(
        time=time[~follows],
        states=states[~follows],
        events={name: time[places] for name, places in happened.items()},
        before={name: states[np.array(places) - 1] for name, places in told.items()},
    )


MAKE_RESPONSE: Mapping[str, Callable[..., AnyResponse]] = {"mechanical": _motion, "initial value": _trajectory}
"""By the kind of the problem."""


def _recognised(table: Table, known: Iterable[str]) -> dict[str, Column]:
    """Return the columns by their proper names; capitals do not matter."""
    proper = {name.lower(): name for name in known}
    result = {}
    for column in table.columns:
        if column.name.lower() not in proper:
            raise table.error(f"unknown column {column.name!r}; {nearest(column.name, proper.values())}")
        result[proper[column.name.lower()]] = column
    return result


def _converted(table: Table, column: Column, asked: str) -> Floats:
    try:
        to_si(1.0, asked if column.unit is None else column.unit, asked)
    except UnitError as error:
        raise table.error(str(error), column=column) from None
    numbers = table.numbers(column)
    return np.asarray(to_si(numbers, asked if column.unit is None else column.unit, asked))


def _check_instants(table: Table, time: Floats, problem: Problem) -> None:
    """Refuse a time that goes back, begins late, ends early or has holes."""
    steps = np.diff(time)
    for i in np.flatnonzero(steps <= 0)[:1]:
        raise table.error(
            f"time does not increase: {time[i + 1]:.9g} s after {time[i]:.9g} s; sort the rows", i + 1, "time"
        )
    wanted = problem.output_times if problem.output_times is not None else np.array([problem.start, problem.end])
    slack = SLACK * (problem.end - problem.start)
    if time[0] > wanted[0] + slack:
        raise table.error(
            f"the first instant is {time[0]:.9g} s, {wanted[0]:.9g} s is asked for; add the initial state", 0, "time"
        )
    if time[-1] < wanted[-1] - slack:
        raise table.error(
            f"the last instant is {time[-1]:.9g} s, {wanted[-1]:.9g} s is asked for; compute on to there, in seconds",
            len(time) - 1,
            "time",
        )
    largest = float(np.diff(wanted).max()) if wanted.size > 2 else np.inf
    for i in np.flatnonzero((steps > COARSE * largest) & (time[:-1] < wanted[-1]))[:1]:
        raise table.error(
            f"output instants are missing: {steps[i]:.3g} s since the row before, {largest:.3g} s is asked for; "
            f"store the histories more often",
            i + 1,
            "time",
        )


def _elements(values: Mapping[str, Floats]) -> dict[str, dict[str, Floats]]:
    elements: dict[str, dict[str, Floats]] = {}
    for name, history in values.items():
        owner, dot, kind = name.rpartition(".")
        if dot:
            elements.setdefault(owner, {})[kind] = history
    return elements


def read_quantities(table: Table, units: Mapping[str, str], is_text: Callable[[str], bool]) -> dict[str, Number]:
    """Return the quantities of a table with the columns ``quantity`` and ``value``, in their units.

    The units are those of all quantities that can be judged; `is_text` tells whether one is a word, such as a regime.
    Raises SolverInputError if a column or quantity is unknown, a unit is wrong, a value is no number, or none is given.
    """
    columns = _recognised(table, QUANTITY_COLUMNS)
    for needed in ("quantity", "value"):
        if needed not in columns:
            raise table.error(f"no column {needed}; a table of quantities has the columns quantity, value, unit")
    table, result = table.filled(2), dict[str, Number]()
    for i, row in enumerate(table.rows):
        name = row[columns["quantity"].place]
        if name not in units:
            raise table.error(f"unknown quantity {name!r}; {nearest(name, units)}", i, "quantity")
        if name in result:
            raise table.error(f"{name} is given twice; keep one", i, "quantity")
        if row[columns["value"].place]:  # empty: left open in the template
            result[name] = _value(table, i, columns, units[name], text=is_text(name))
    if not result:
        raise table.error("no rows with values below the header; fill in at least one value")
    return result


def _value(table: Table, row: int, columns: Mapping[str, Column], asked: str, *, text: bool) -> Number:
    cell = table.rows[row][columns["value"].place]
    if cell.lower() in UNDEFINED:
        return None
    if text:
        return cell
    stated = table.rows[row][columns["unit"].place].strip("[]") if "unit" in columns else ""
    number = table.number(row, columns["value"])
    try:
        return float(to_si(number, stated or asked, asked))
    except UnitError as error:
        raise table.error(str(error), row, "unit") from None


# ---- judgement

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
    """A runner that finds its answers in files of quantities: nothing is left to measure.

    ``key`` is the setting by which the files differ, empty for one file; ``stated`` their quantities by its value.
    """

    key: str = ""
    stated: Mapping[float | None, Mapping[str, Number]] = field(default_factory=dict)

    def measured(self, run: Run, *, half: int | None = None) -> Mapping[str, Answer]:  # noqa: ARG002 - as measured runs
        """Return what the file of a level states."""
        size = run.settings.get(self.key) if self.key else None
        given = self.stated[None if size is None else as_float(size)]
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
        kept = {name: int(np.searchsorted(result, time[-1], side="right")) for name, result in response.events.items()}
        events = {name: response.events[name][:k] for name, k in kept.items()}
        return Trajectory(time, response.states[:count], events, {n: b[: kept[n]] for n, b in response.before.items()})
    elements = {
        name: {kind: history[:count] for kind, history in histories.items()}
        for name, histories in response.elements.items()
    }
    return Response(time, response.displacement[:count], response.velocity[:count], elements)


def judge_files(files: Sequence[Path], posed: Statement, request: Request = NOTHING) -> list[Record]:
    """Judge results files, one a refinement level from coarse to fine or a single one; return one record per check.

    They hold histories (``time [s], displacement_x [m], …``) or quantities (``quantity, value, unit``). Raises
    SolverInputError if a file cannot be understood, with line, column and remedy; SettingsError if there is not one
    level a file.
    """
    key, sizes = _levels(files, request)
    tables = [read_table(file) for file in files]
    stated = [bool(table.column("quantity")) for table in tables]
    if any(stated) != all(stated):
        raise SolverInputError(
            f"{files[stated.index(False)].name}: histories beside files of quantities; give files of one kind"
        )
    name, asked = files[-1].name, replace(request, refinement=())
    if all(stated):
        return _judge_quantities(tables, posed, asked, ResultsFiles(name, posed.problem, (None,), key, sizes))
    for table in tables:
        if not table.column("time"):
            raise table.error("no column time (histories) and no column quantity (plain values); name the columns so")
    responses = tuple(read_histories(table, posed.problem) for table in tables)
    return _judged(Runner(LocalGate(ResultsFiles(name, posed.problem, responses, key, sizes)), asked), posed)


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
    return key, tuple(as_float(level[key]) for level in levels)


def _judged(runner: Runner, statement: Statement) -> list[Record]:
    """Judge everything but what needs other solutions than the files hold."""
    checks = checks_of(statement, runner.subject, "")
    # the time that it took to look into a file is nobody's wall time
    return [
        structs.replace(judge(check, runner), wall_time=None) for check in checks if check.layer is not Layer.INVARIANCE
    ]


def _judge_quantities(
    tables: Sequence[Table], posed: Statement, request: Request, solver: ResultsFiles
) -> list[Record]:
    # all can be stated, those included that no history holds
    stateable = tuple(q if q.measure else replace(q, measure=lambda _: None) for q in posed.case.quantities)
    statement = Statement(replace(posed.case, quantities=stateable, residuals=()), posed.variant)
    quantities = {quantity.name: quantity for quantity in statement.quantities}

    def is_text(name: str) -> bool:
        return isinstance(quantities[name].truth(statement.values).value, str)

    units = {name: quantity.unit for name, quantity in quantities.items()}
    given = [read_quantities(table, units, is_text) for table in tables]
    stated: dict[float | None, Mapping[str, Number]] = dict(zip(solver.sizes, given, strict=bool(solver.sizes)))
    return _judged(
        StatedQuantities(LocalGate(solver), request, key=solver.key, stated={**stated, None: given[-1]}), statement
    )


def _changes(posed: Statement) -> Mapping[str, str]:
    """Return the parameters that the user has changed; those of a variant of the case are not."""
    return {} if any(posed.variant is own for own in posed.case.variants) else posed.variant.changes


def check(
    delivery: Delivery,
    *,
    case: str,
    files: Sequence[Path],
    variant: str | None,
    changed: Mapping[str, str],
    request: Request,
) -> int:
    """Judge, print, write; returns the exit status.

    Raises what `pose` and `judge_files` raise; ReportError if the report or the result document cannot be written.
    """
    with open_places(delivery) as places:
        posed = pose(case, variant, changed)
        records = judge_files(files, posed, request)
        sheets = [sheet(posed.case, _changes(posed))] if delivery.keeps else []
        return deliver(document(records, sheets, [], delivery.command), delivery, places)
