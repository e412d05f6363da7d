"""Histories that another program has printed, as responses: a row per instant, a column per history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from veridyn.files.columns import history_columns, needed_columns
from veridyn.files.tables import Column, Table, UnitError, to_si
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.nearest import nearest
from veridyn.solver.contract.responses import COARSE, AnyResponse, Response, Trajectory

SLACK = 1e-6  # of the span: printed instants are rounded


def read_histories(table: Table, problem: Problem) -> AnyResponse:
    """Return the histories of a table with a column ``time``, in SI units.

    Velocities that are missing are differences of the displacements. A row of an initial value problem may name an
    ``event``, whose state it holds; the row before may hold the state just before, at the same instant. Raises
    SolverInputError if a column or an event is unknown, a column missing, a unit wrong, a cell no number, if time does
    not increase or does not cover the requested instants.
    """
    known = history_columns(problem)
    columns = recognise_columns(table, known)
    needed = needed_columns(problem)
    for name in needed:
        if name not in columns:
            unit = f" [{known[name]}]" if known[name] else ""
            raise table.error(f"no column {name}{unit}; add it")
    if not table.rows:
        raise table.error("no rows below the header; write one row per output instant")
    table = table.filled(len(table.columns))
    events = columns.pop("event", None)
    values = {name: convert_column(table, column, known[name]) for name, column in columns.items()}
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


def recognise_columns(table: Table, known: Iterable[str]) -> dict[str, Column]:
    """Return the columns by their proper names; capitals do not matter. Raises SolverInputError if one is unknown."""
    proper = {name.lower(): name for name in known}
    result = {}
    for column in table.columns:
        if column.name.lower() not in proper:
            raise table.error(f"unknown column {column.name!r}; {nearest(column.name, proper.values())}")
        result[proper[column.name.lower()]] = column
    return result


def convert_column(table: Table, column: Column, asked: str) -> Floats:
    """Return a column (rows,) in a unit; raises SolverInputError if its own unit or a cell is wrong."""
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
