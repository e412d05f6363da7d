"""Results that a code printed, read from a table: histories or plain quantities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from veridyn.nearest import nearest
from veridyn.posed import history_columns, needed_columns
from veridyn.solver.problem.initial_value import InitialValueProblem
from veridyn.solver.problem.mechanical import MechanicalProblem, Problem
from veridyn.solver.response import COARSE, AnyResponse, Response, Trajectory
from veridyn.tables import Column, Table
from veridyn.units import UnitError, to_si
from veridyn.validation_cases.core.case import Number

Floats = NDArray[np.float64]

QUANTITY_COLUMNS = ("quantity", "value", "unit", "definition")
UNDEFINED = frozenset({"none", "undefined"})
SLACK = 1e-6  # of the span: printed instants are rounded


def read_histories(table: Table, problem: Problem) -> AnyResponse:
    """Return the histories of a table with a column ``time``, in SI units.

    Velocities that are missing are differences of the displacements. A row of an initial value problem may name an
    ``event``, whose state it holds; the row before may hold the state just before, at the same instant. Raises
    TableError if a column or an event is unknown, a column missing, a unit wrong, a cell no number, if time does not
    increase or does not cover the requested instants.
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
    if isinstance(problem, InitialValueProblem):
        return _trajectory(table, events, time, np.column_stack([values[name] for name in needed[1:]]), problem)
    assert isinstance(problem, MechanicalProblem)
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
    table: Table, events: Column | None, time: Floats, states: Floats, problem: InitialValueProblem
) -> Trajectory:
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


def _recognised(table: Table, known: Iterable[str]) -> dict[str, Column]:
    """Return the columns by their proper names; capitals do not matter."""
    proper = {name.lower(): name for name in known}
    found = {}
    for column in table.columns:
        if column.name.lower() not in proper:
            raise table.error(f"unknown column {column.name!r}; {nearest(column.name, proper.values())}")
        found[proper[column.name.lower()]] = column
    return found


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
    Raises TableError if a column or quantity is unknown, a unit is wrong, a value is no number, or none is given.
    """
    columns = _recognised(table, QUANTITY_COLUMNS)
    for needed in ("quantity", "value"):
        if needed not in columns:
            raise table.error(f"no column {needed}; a table of quantities has the columns quantity, value, unit")
    table, found = table.filled(2), dict[str, Number]()
    for i, row in enumerate(table.rows):
        name = row[columns["quantity"].place]
        if name not in units:
            raise table.error(f"unknown quantity {name!r}; {nearest(name, units)}", i, "quantity")
        if name in found:
            raise table.error(f"{name} is given twice; keep one", i, "quantity")
        if row[columns["value"].place]:  # empty: left open in the template
            found[name] = _value(table, i, columns, units[name], text=is_text(name))
    if not found:
        raise table.error("no rows with values below the header; fill in at least one value")
    return found


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
