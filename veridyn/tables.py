"""Tables in text files as other programs write them: any common separator, decimal comma, comments, D exponents."""

from __future__ import annotations

import codecs
import csv
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SolverInputError

Floats = NDArray[np.float64]

SEPARATORS = (";", "\t", ",")  # in this order: a decimal comma stands beside the first two
_HEADING = re.compile(r"(?P<name>[^\[(]*)(?:[\[(](?P<unit>[^\])]*)[\])])?\s*")
_WORD_WITH_UNIT = re.compile(r"[^\s\[\]()]+(?:[^\S\n]*[\[(][^\])]*[\])])?")


class TableError(SolverInputError):
    """A table cannot be read; the message names file, line, column and remedy."""


@dataclass(frozen=True)
class Column:
    """Heading of a column: its name, the stated unit (None: none stated) and its place."""

    name: str
    unit: str | None
    place: int


@dataclass(frozen=True)
class Table:
    """A table as text: columns, rows of cells, and the line in the file of the header and of each row.

    Rows are as long as they were written; see `filled`.
    """

    source: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    header_line: int

    def column(self, name: str) -> Column | None:
        """Return a column by name, None if there is none; capitals do not matter."""
        return next((column for column in self.columns if column.name.lower() == name), None)

    def filled(self, least: int) -> Table:
        """Return the table with rows of at least some cells filled up to the width of the header.

        Raises TableError if a row has fewer cells, or more than the header.
        """
        width = len(self.columns)
        for i, row in enumerate(self.rows):
            if len(row) > width:
                raise self.error(f"{len(row)} cells under {width} columns; a decimal comma needs another separator", i)
            if len(row) < least:
                raise self.error(f"{len(row)} cells under {width} columns; fill the row", i)
        return replace(self, rows=tuple(row + ("",) * (width - len(row)) for row in self.rows))

    def numbers(self, column: Column) -> Floats:
        """Return a column as finite numbers (rows,); raises TableError if a cell is no number, NaN or infinite."""
        try:
            values = [float(row[column.place]) for row in self.rows]  # most files need nothing else
        except ValueError:
            values = [self.number(i, column) for i in range(len(self.rows))]
        for i in np.flatnonzero(~np.isfinite(values))[:1]:
            self.number(int(i), column)
        return np.array(values, dtype=float)

    def number(self, row: int, column: Column) -> float:
        """Return one cell as a finite number; raises TableError."""
        text = self.rows[row][column.place]
        value = _number(text)
        if value is None:
            raise self.error(f"{text!r} is not a number; write e.g. 1.5e-3", row, column)
        if not math.isfinite(value):
            raise self.error(f"{text} is not finite; the computation diverged or a cell was left out", row, column)
        return value

    def error(self, message: str, row: int | None = None, column: Column | str | None = None) -> TableError:
        """Return the error about a cell, a row, a column or the header."""
        line = self.header_line if row is None else self.lines[row]
        name = column.name if isinstance(column, Column) else column
        where = f", column {name}" if name else ""
        return TableError(f"{self.source}, line {line}{where}: {message}")


def _number(text: str) -> float | None:
    """Read a number with a decimal comma or a Fortran exponent (1.0D-3); None if it is none."""
    plain = text.replace("D", "e").replace("d", "e")
    if plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def read_table(path: Path) -> Table:
    """Read a table: one header line, then rows; ``#`` begins a comment line.

    The separator is the first of semicolon, tab, comma that the header has, otherwise white space. A header behind a
    ``#``, as numpy writes it, is recognised by the row of numbers that follows. Raises TableError if the file cannot be
    read or holds no table, names no columns, or one of them twice.
    """
    lines = list(enumerate(_text(path).splitlines(), start=1))
    header_line, header, following = _split(path, lines)
    separator = next((s for s in SEPARATORS if s in header), "")
    cells = _cells(header, separator) if separator else tuple(_WORD_WITH_UNIT.findall(header))
    columns = tuple(_column(cell, place) for place, cell in enumerate(cells))
    table = Table(str(path), columns, (), (), header_line)
    if _is_numeric(header):
        raise table.error("numbers where names are needed; name the columns in the first line, e.g. time [s], …")
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise table.error(f"column {name} appears twice; keep one")
    body = [(number, _row(line, separator, len(columns))) for number, line in following]
    return replace(table, rows=tuple(row for _, row in body), lines=tuple(number for number, _ in body))


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TableError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # spreadsheets call this Unicode text
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw:
        raise TableError(f"{path} is not text; write a table with columns, e.g. as CSV")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _split(path: Path, lines: Iterable[tuple[int, str]]) -> tuple[int, str, Iterator[tuple[int, str]]]:
    """Tell the header from the rows; drop blank lines and comments."""
    filled = iter((number, line) for number, line in lines if line.strip())
    comment: tuple[int, str] | None = None
    for number, line in filled:
        if line.lstrip().startswith("#"):
            comment = number, line.lstrip().lstrip("#").strip()
            continue
        rest = ((n, text) for n, text in filled if not text.lstrip().startswith("#"))
        if comment and _is_numeric(line):
            return *comment, iter([(number, line), *rest])
        return number, line.strip(), rest
    raise TableError(f"{path} holds no table; its first line must name the columns, e.g. time [s], …")


def _is_numeric(line: str) -> bool:
    return all(_number(word) is not None for word in re.split(r"[;,\s]+", line.strip(" ;,\t")))


def _cells(line: str, separator: str) -> tuple[str, ...]:
    cells = _pieces(line, separator)
    while cells and not cells[-1]:
        cells.pop()  # lines may end with a separator
    return tuple(cells)


def _pieces(line: str, separator: str) -> list[str]:
    if '"' not in line:  # nearly always, and three times as fast
        return [cell.strip() for cell in line.split(separator)]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]


def _row(line: str, separator: str, width: int) -> tuple[str, ...]:
    """Return the cells of a row; empty ones at the end may be left out or written."""
    if not separator:
        return tuple(line.split(None, width - 1) if not _is_numeric(line) else line.split())  # words: impulse 0.02 N s
    cells = tuple(_pieces(line, separator))
    return cells[:width] if not any(cells[width:]) else cells


def _column(heading: str, place: int) -> Column:
    found = _HEADING.fullmatch(heading)
    if found is None:
        return Column(heading, None, place)
    return Column("_".join(found["name"].split()), found["unit"], place)
