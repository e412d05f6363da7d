"""The command `check`: judge what a code that is run by hand has printed, histories or quantities, one file a level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from veridyn.files.histories import SLACK, read_histories, recognise_columns
from veridyn.files.tables import Column, Table, UnitError, read_table, to_si
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.problem.nearest import nearest
from veridyn.results import Fingerprint, Layer, Message, PlannedChecks, Record
from veridyn.run.delivery import Delivery, deliver, open_places
from veridyn.run.document import Undertaking, document, sheet
from veridyn.run.execution import draw_case
from veridyn.run.fingerprints import mark_answers, mark_environment, mark_suite
from veridyn.run.posed import pose, read_setting
from veridyn.run.undertaking import state_solver
from veridyn.solver.contract.errors import CapabilityError, SettingsError
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.responses import AnyResponse, Response, Trajectory
from veridyn.solver.contract.statements import Settings, as_float
from veridyn.validation_cases.judgement.case import Case, Number, Quantity
from veridyn.validation_cases.judgement.checks import checks_of, checks_of_derivatives
from veridyn.validation_cases.judgement.derivatives import BY, DerivativeStatement
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Answer, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request

QUANTITY_COLUMNS = ("quantity", "parameter", "value", "unit", "definition")
UNDEFINED = frozenset({"none", "undefined"})


def read_quantities(table: Table, units: Mapping[str, str], is_text: Callable[[str], bool]) -> dict[str, Number]:
    """Return the quantities of a table with the columns ``quantity`` and ``value``, in their units.

    With a column ``parameter`` a row that fills it is the derivative of its quantity by that parameter.
    The units are those of all quantities that can be judged; `is_text` tells whether one is a word, such as a regime.
    Raises SolverInputError if a column or quantity is unknown, a unit is wrong, a value is no number, or none is given.
    """
    columns = recognise_columns(table, QUANTITY_COLUMNS)
    for needed in ("quantity", "value"):
        if needed not in columns:
            raise table.error(f"no column {needed}; a table of quantities has the columns quantity, value, unit")
    table, result = table.filled(2), dict[str, Number]()
    for i, row in enumerate(table.rows):
        name = row[columns["quantity"].place]
        if "parameter" in columns and (parameter := row[columns["parameter"].place]):
            name = f"{name}{BY}{parameter}"
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


@dataclass(frozen=True)
class HandRun:
    """What the user states of a run by hand: name, version and settings of the code, when and where it ran.

    Without a name the code is called as its finest file.
    """

    name: str = ""
    version: str = ""
    settings: Settings = field(default_factory=dict)
    date: str = ""
    machine: str = ""


UNNAMED = HandRun()
NAMELESS = "the results name no code: --name and --code-version put both on the title page of report and manual"


def read_hand_run(name: str, version: str, settings: Sequence[str], date: str, machine: str) -> HandRun:
    """Return what the options of the command line state of a run by hand.

    Raises SettingsError if a setting is no NAME=VALUE or stands twice, if the date is none of ISO 8601, or if there is
    a version without a name.
    """
    if version and not name:
        raise SettingsError(f"--code-version {version!r} needs --name: say which code it is of")
    try:
        if date:
            datetime.fromisoformat(date)
    except ValueError:
        raise SettingsError(f"--date {date!r} is no date; write 2026-03-31 or 2026-03-31T14:30") from None
    return HandRun(name, version, _read_settings(settings), date, machine)


def _read_settings(pairs: Sequence[str]) -> Settings:
    stated: dict[str, str | float] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise SettingsError(f"--setting {pair!r}: write NAME=VALUE, e.g. step=1e-4")
        if name in stated:
            raise SettingsError(f"--setting {name} stands twice; keep one")
        stated[name] = read_setting(value)
    return stated


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
    version: str = ""

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

    def find_digits(self, run: Run) -> float | None:
        """Return the digits that are claimed: a stated number or two show none of their own."""
        return self.subject.claims[run.scheme].printed


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


def judge_files(
    files: Sequence[Path], posed: Statement, request: Request = NOTHING, code: HandRun = UNNAMED
) -> list[Record]:
    """Judge results files, one a refinement level from coarse to fine or a single one; return one record per check.

    Raises what `open_files` raises.
    """
    return _judge(*open_files(files, posed, request, code), code.settings)


def open_files(files: Sequence[Path], posed: Statement, request: Request, code: HandRun) -> tuple[Runner, Statement]:
    """Return a runner that answers from results files, and what is asked of it.

    They hold histories (``time [s], displacement_x [m], …``) or quantities (``quantity, value, unit``). Raises
    SolverInputError if a file cannot be understood, with line, column and remedy; SettingsError if there is not one
    level a file, or the refined setting is stated as well.
    """
    key, sizes = _levels(files, request)
    if key in code.settings:
        raise SettingsError(f"--setting {key} contradicts --refine {key}: leave it out, each file has its own")
    tables = [read_table(file) for file in files]
    stated = [bool(table.column("quantity")) for table in tables]
    if any(stated) != all(stated):
        raise SolverInputError(
            f"{files[stated.index(False)].name}: histories beside files of quantities; give files of one kind"
        )
    asked = replace(request, refinement=())
    solver = ResultsFiles(code.name or files[-1].name, posed.problem, (None,), key, sizes, code.version)
    if all(stated):
        return _open_quantities(tables, posed, asked, solver)
    for table in tables:
        if not table.column("time"):
            raise table.error("no column time (histories) and no column quantity (plain values); name the columns so")
    responses = tuple(read_histories(table, posed.problem) for table in tables)
    return Runner(LocalGate(replace(solver, responses=responses)), asked), posed


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


def _judge(runner: Runner, statement: Statement, settings: Settings) -> list[Record]:
    """Judge everything but what needs other solutions than the files hold; records state the settings of the code."""
    of_derivatives = (
        checks_of_derivatives(derived, runner.subject, "") for derived in _list_derived(runner, statement)
    )
    checks = chain(checks_of(statement, runner.subject, ""), *of_derivatives)
    judged = [judge(check, runner) for check in checks if check.layer is not Layer.INVARIANCE]
    # the time that it took to look into a file is nobody's wall time
    return [structs.replace(one, wall_time=None, settings={**settings, **one.settings}) for one in judged]


def _list_derived(runner: Runner, statement: Statement) -> list[DerivativeStatement]:
    """Return what is asked of derivatives: those by the parameters that a file names."""
    if not isinstance(runner, StatedQuantities):
        return []
    names = {name.rpartition(BY)[2] for given in runner.stated.values() for name in given if BY in name}
    return [derived for derived in _derive(statement) if derived.parameter.name in names]


def _derive(statement: Statement) -> list[DerivativeStatement]:
    """Return a statement with derivatives by each number among the parameters of its case."""
    numbers = (each for each in statement.case.parameters if each.rule != "whole" and not each.among)
    return [DerivativeStatement(statement.case, statement.variant, parameter=each) for each in numbers]


def _open_quantities(
    tables: Sequence[Table], posed: Statement, request: Request, solver: ResultsFiles
) -> tuple[Runner, Statement]:
    # all can be stated, those included that no history holds
    stateable = tuple(q if q.measure else replace(q, measure=lambda _: None) for q in posed.case.quantities)
    statement = Statement(replace(posed.case, quantities=stateable, residuals=()), posed.variant)
    quantities = {quantity.name: quantity for quantity in statement.quantities}

    def is_text(name: str) -> bool:
        return name in quantities and isinstance(quantities[name].truth(statement.values).value, str)

    units = {name: quantity.unit for name, quantity in quantities.items()}
    if any(table.column("parameter") for table in tables):
        units |= {q.name: q.unit for derived in _derive(statement) for q in derived.quantities}
    given = [read_quantities(table, units, is_text) for table in tables]
    stated: dict[float | None, Mapping[str, Number]] = dict(zip(solver.sizes, given, strict=bool(solver.sizes)))
    answers = {**stated, None: given[-1]}
    return StatedQuantities(LocalGate(solver), request, key=solver.key, stated=answers), statement


def _changes(posed: Statement) -> Mapping[str, str]:
    """Return the parameters that the user has changed; those of a variant of the case are not."""
    return {} if any(posed.variant is own for own in posed.case.variants) else posed.variant.changes


def _star(case: Case, posed: Statement) -> Case:
    """Return a case whose figures are those of the variant that was posed."""
    others = tuple(variant for variant in case.variants if variant.name != posed.variant.name)
    return replace(case, variants=(*others, posed.variant), benchmark_variant=posed.variant.name)


def _undertake(
    runner: Runner, posed: Statement, records: Sequence[Record], code: HandRun, marks: tuple[Fingerprint, ...]
) -> Undertaking:
    """Return what was judged of a run by hand: its code, the checks, the hashes of its files."""
    solver = structs.replace(
        state_solver("", runner.subject),
        capabilities=(),  # nobody knows what else the code can solve
        settings=dict(code.settings),
        date=code.date,
        machine=code.machine,
    )
    planned = PlannedChecks(
        solver=solver.name,
        case=posed.case.name,
        variant=posed.variant.name,
        parameters=dict(_changes(posed)),
        checks=tuple(record.id for record in records),
        needs=tuple(sorted(posed.problem.needs)),
    )
    return Undertaking(plan=(planned,), solvers=(solver,), fingerprints=marks)


def check(
    delivery: Delivery,
    *,
    case: str,
    files: Sequence[Path],
    variant: str | None,
    changed: Mapping[str, str],
    request: Request,
    name: str,
    code_version: str,
    stated: Sequence[str],
    date: str,
    machine: str,
) -> int:
    """Judge, print, write; returns the exit status.

    Raises what `read_hand_run`, `pose` and `open_files` raise; ReportError if the report or the result document cannot
    be written.
    """
    code = read_hand_run(name, code_version, stated, date, machine)
    with open_places(delivery) as places:
        posed = pose(case, variant, changed)
        marks = tuple(mark_answers(file) for file in files if file.is_file())
        runner, statement = open_files(files, posed, request, code)
        records = _judge(runner, statement, code.settings)
        if not delivery.keeps:
            return deliver(document(records, [], [], delivery.command), delivery, places)
        figures, remarks = draw_case(_star(statement.case, posed), runner)
        messages = [Message(text=text) for text in (*remarks, *([] if name else [NAMELESS]))]
        undertaking = _undertake(runner, posed, records, code, (*marks, mark_suite(), mark_environment()))
        sheets = [sheet(posed.case, _changes(posed), [posed.variant.name])]
        made = document(records, sheets, figures, delivery.command, messages, undertaking=undertaking)
        return deliver(made, delivery, places)
