"""Files of a quality system for the manual: requirements as a table, document and assessments as TOML."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import date
from fnmatch import filter as match
from pathlib import Path
from typing import Any

from veridyn.files.histories import recognise_columns
from veridyn.files.tables import Column, Table, read_table
from veridyn.inputs import LARGEST_SETTINGS, InputError, explain_error, parse_toml, read_text
from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import nearest
from veridyn.results import ErrorKind
from veridyn.results.quality import (
    AdmissibleError,
    DeviationAssessment,
    DocumentRevision,
    QualityRecord,
    UserRequirement,
)

COLUMNS = ("id", "text", "cases", "quantities", "tolerance")
KINDS = {"rel": ErrorKind.RELATIVE, "abs": ErrorKind.ABSOLUTE, "digits": ErrorKind.RELATIVE}

Known = Mapping[str, Collection[str]]
"""Names of quantities by case."""


def read_requirements(file: Path, known: Known) -> tuple[UserRequirement, ...]:
    """Read a table with the columns ``id, text, cases, quantities, tolerance``, a requirement a row.

    Names in a cell are separated by blanks. Raises SolverInputError, with line, column and remedy, if the file is no
    such table or empty, an id is missing or stands twice, a case or quantity is unknown, or a tolerance is none.
    """
    table = read_table(file)
    columns = recognise_columns(table, COLUMNS)
    for name in ("id", "text"):
        if name not in columns:
            raise table.error(f"no column {name}; a table of requirements has the columns {', '.join(COLUMNS)}")
    if not table.rows:
        raise table.error("no rows below the header; write one requirement a row")
    table = table.filled(1)
    read: dict[str, UserRequirement] = {}
    for row in range(len(table.rows)):
        one = _read_requirement(table, row, columns, known)
        if one.id in read:
            raise table.error(f"requirement {one.id} stands twice; give each its own id", row, "id")
        read[one.id] = one
    return tuple(read.values())


def _read_requirement(table: Table, row: int, columns: Mapping[str, Column], known: Known) -> UserRequirement:
    cells = {name: table.rows[row][column.place].strip() for name, column in columns.items()}
    if not cells["id"]:
        raise table.error("a requirement without id; give it one", row, "id")
    cases, quantities = cells.get("cases", "").split(), cells.get("quantities", "").split()
    if not cases and not quantities:
        raise table.error(f"{cells['id']} names neither cases nor quantities; name what verifies it", row, "cases")
    for name in cases:
        if not match(known, name):
            raise table.error(f"unknown case {name!r}; {nearest(name, sorted(known))}", row, "cases")
    chosen = [name for pattern in cases for name in match(known, pattern)] or list(known)
    for name in quantities:
        if not any(match(known[case], name) for case in chosen):  # the first hit ends it: others need not be loaded
            there = sorted({quantity for case in chosen for quantity in known[case]})
            raise table.error(f"unknown quantity {name!r}; {nearest(name, there)}", row, "quantities")
    tolerance = _read_tolerance(table, row, cells.get("tolerance", ""))
    return UserRequirement(cells["id"], cells["text"], tuple(cases), tuple(quantities), tolerance)


def _read_tolerance(table: Table, row: int, text: str) -> AdmissibleError | None:
    if not text:
        return None
    name, equals, number = (part.strip() for part in text.partition("="))
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if name not in KINDS or not equals or not 0 < value < math.inf:
        raise table.error(
            f"{text!r} is no tolerance; write rel=1e-3, abs=2e-6 (in the unit of the quantity) or digits=4",
            row,
            "tolerance",
        )
    return AdmissibleError(10.0**-value if name == "digits" else value, KINDS[name], text)


# ---- document, revisions, assessments

REVISION = ("revision", "date", "author", "change")
ASSESSMENT = ("checks", "text")


def read_quality(file: Path) -> QualityRecord:
    """Read ``number``, ``intended_use``, and the tables ``[[revisions]]`` and ``[[assessments]]`` of a TOML file.

    Raises SolverInputError if the file cannot be read, is no TOML, or a key is unknown, missing or no text.
    """
    try:
        content = parse_toml(read_text(file, LARGEST_SETTINGS))
    except InputError as error:
        raise SolverInputError(f"{file}: {error}") from None
    except OSError as error:
        raise SolverInputError(f"cannot read {file}: {explain_error(error)}") from None
    _check_keys(f"{file}", content, ("number", "intended_use", "revisions", "assessments"))
    return QualityRecord(
        number=_read_text(f"{file}", content, "number"),
        intended_use=_read_text(f"{file}", content, "intended_use"),
        revisions=tuple(DocumentRevision(**each) for each in _read_entries(file, content, "revisions", REVISION)),
        assessments=tuple(
            DeviationAssessment(**each) for each in _read_entries(file, content, "assessments", ASSESSMENT)
        ),
    )


def _read_entries(file: Path, content: Mapping[str, Any], key: str, names: tuple[str, ...]) -> list[dict[str, str]]:
    entries = content.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise SolverInputError(f"{file}: {key} must be tables; write [[{key}]] above the keys {', '.join(names)}")
    return [_read_entry(f"{file}: {key} {number}", each, names) for number, each in enumerate(entries, start=1)]


def _read_entry(place: str, entry: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, str]:
    _check_keys(place, entry, names)
    for name in names:
        if not entry.get(name):
            raise SolverInputError(f"{place}: no {name}; write {name} = …")
    return {name: _read_text(place, entry, name) for name in names}


def _check_keys(place: str, content: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for key in content:
        if key not in names:
            raise SolverInputError(f"{place}: unknown key {key!r}; {nearest(key, names)}")


def _read_text(place: str, content: Mapping[str, Any], name: str) -> str:
    value = content.get(name, "")
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        raise SolverInputError(f"{place}: {name} must be a text in quotes, got {value!s:.60}")
    return value
