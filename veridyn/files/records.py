"""Records of acceleration in tables: what an instrument wrote, as a function of time that supports move by."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from veridyn.files.tables import Column, Table, read_table, to_si
from veridyn.problem.baseline import correct_baseline
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Floats
from veridyn.problem.nearest import nearest
from veridyn.problem.time_functions import Piecewise

GRAVITY = 9.80665  # m/s², standard: 3rd General Conference on Weights and Measures, 1901
TIMES = ("time", "t")


def read_acceleration(file: str | Path, column: str = "", baseline: int | None = 2) -> Piecewise:
    """Read a record of acceleration (m/s²) from a table, straight lines between its samples and zero after its end.

    Parameters
    ----------
    file
        A table with headings, as `veridyn check` reads it; a column ``time`` or ``t`` (s unless it says otherwise).
    column
        Heading of the acceleration (m/s² unless it says otherwise; ``[g]`` is standard gravity); empty: the only column
        beside the time.
    baseline
        Degree of the polynomial that `correct_baseline` takes out; None: the record stays as it is.

    Raises
    ------
    SolverInputError
        If the file is no such table, a cell is no number, a unit is unknown, or times do not increase.
    """
    table = read_table(Path(file)).filled(2)
    times, accelerations = _find_columns(table, column)
    record = _join(table, _read_times(table, times), _read_accelerations(table, accelerations))
    return record if baseline is None else correct_baseline(record, baseline)


def _find_columns(table: Table, name: str) -> tuple[Column, Column]:
    times = next((found for each in TIMES if (found := table.column(each))), None)
    if times is None:
        raise table.error(f"there is no column of the time; name it {' or '.join(TIMES)}")
    others = {each.name: each for each in table.columns if each is not times}
    if name and name not in others:
        raise table.error(f"there is no column {name!r}; {nearest(name, others)}")
    if not name and len(others) != 1:
        raise table.error(f"which column is the acceleration? name one of {', '.join(others)}" if others else NO_OTHER)
    return times, others[name] if name else next(iter(others.values()))


NO_OTHER = "there is no column beside the time"


def _read_times(table: Table, column: Column) -> Floats:
    seconds: Floats = to_si(table.numbers(column), column.unit or "s", "s")
    for late in np.flatnonzero(np.diff(seconds) <= 0)[:1]:
        raise table.error("the time does not increase", int(late) + 1, column)
    if seconds.size < 2:
        raise table.error("a record needs two samples or more")
    return seconds


def _read_accelerations(table: Table, column: Column) -> Floats:
    values = table.numbers(column)
    # [g] of an acceleration is gravity, which the reader of units takes for the gram
    return values * GRAVITY if column.unit == "g" else to_si(values, column.unit or "m/s^2", "m/s^2")


def _join(table: Table, times: Floats, values: Floats) -> Piecewise:
    """Return the straight lines between samples, zero from the last one on."""
    slopes = np.diff(values) / np.diff(times)
    if not np.all(np.isfinite(slopes)):
        raise SolverInputError(f"{table.source}: samples are too near to one another for their values")
    rows = zip(values[:-1].tolist(), slopes.tolist(), strict=True)
    return Piecewise(tuple(times.tolist()), (*rows, (0.0,)))
