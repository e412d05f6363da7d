"""Tables in text files as other programs write them: any common separator, comments, units."""

from __future__ import annotations

import codecs
import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from veridyn.inputs import LARGEST_TABLE, InputError, explain_error, read_bytes
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Floats

SEPARATORS = (";", "\t", ",")  # in this order: a decimal comma stands beside the first two
_HEADING = re.compile(r"(?P<name>[^\[(]*)(?:[\[(](?P<unit>[^\])]*)[\])])?\s*")
_WORD_WITH_UNIT = re.compile(r"[^\s\[\]()]+(?:[^\S\n]*[\[(][^\])]*[\])])?")


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

        Raises SolverInputError if a row has fewer cells, or more than the header.
        """
        width = len(self.columns)
        for i, row in enumerate(self.rows):
            if len(row) > width:
                raise self.error(f"{len(row)} cells under {width} columns; a decimal comma needs another separator", i)
            if len(row) < least:
                raise self.error(f"{len(row)} cells under {width} columns; fill the row", i)
        return replace(self, rows=tuple(row + ("",) * (width - len(row)) for row in self.rows))

    def numbers(self, column: Column) -> Floats:
        """Return a column as finite numbers (rows,).

        Raises SolverInputError if a cell is no number, NaN or infinite.
        """
        try:
            values = [float(row[column.place]) for row in self.rows]  # most files need nothing else
        except ValueError:
            values = [self.number(i, column) for i in range(len(self.rows))]
        for i in np.flatnonzero(~np.isfinite(values))[:1]:
            self.number(int(i), column)
        return np.array(values, dtype=float)

    def number(self, row: int, column: Column) -> float:
        """Return one cell as a finite number; raises SolverInputError."""
        text = self.rows[row][column.place]
        value = _number(text)
        if value is None:
            raise self.error(f"{text!r} is not a number; write e.g. 1.5e-3", row, column)
        if not math.isfinite(value):
            raise self.error(f"{text} is not finite; the computation diverged or a cell was left out", row, column)
        return value

    def error(self, message: str, row: int | None = None, column: Column | str | None = None) -> SolverInputError:
        """Return the error about a cell, a row, a column or the header."""
        line = self.header_line if row is None else self.lines[row]
        name = column.name if isinstance(column, Column) else column
        where = f", column {name}" if name else ""
        return SolverInputError(f"{self.source}, line {line}{where}: {message}")


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
    ``#``, as numpy writes it, is recognised by the row of numbers that follows. Raises SolverInputError if the file
    cannot be read or holds no table, names no columns, or one of them twice.
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
        raw = read_bytes(path, LARGEST_TABLE)
    except InputError as error:
        raise SolverInputError(f"{path} {error}") from None
    except OSError as error:
        raise SolverInputError(f"cannot read {path}: {explain_error(error)}") from None
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # spreadsheets call this Unicode text
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw:
        raise SolverInputError(f"{path} is not text; write a table with columns, e.g. as CSV")
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
    raise SolverInputError(f"{path} holds no table; its first line must name the columns, e.g. time [s], …")


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
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]
    except csv.Error as error:
        raise SolverInputError(f"{line[:40]!r}… is no row of a table: {error}") from None


def _row(line: str, separator: str, width: int) -> tuple[str, ...]:
    """Return the cells of a row; empty ones at the end may be left out or written."""
    if not separator:
        return tuple(line.split(None, width - 1) if not _is_numeric(line) else line.split())  # words: impulse 0.02 N s
    cells = tuple(_pieces(line, separator))
    return cells[:width] if not any(cells[width:]) else cells


def _column(heading: str, place: int) -> Column:
    result = _HEADING.fullmatch(heading)
    if result is None:
        return Column(heading, None, place)
    return Column("_".join(result["name"].split()), result["unit"], place)


# ---- units of the columns: SI symbols with prefixes

PREFIXES: Mapping[str, int] = {
    "n": -9, "u": -6, "µ": -6, "μ": -6, "m": -3, "c": -2, "d": -1, "k": 3, "M": 6, "G": 9,
}  # fmt: skip

# symbol: powers of (kg, m, s, rad) and power of ten; the radian counts, so that Hz and rad/s are not mixed up
SYMBOLS: Mapping[str, tuple[tuple[int, int, int, int], int]] = {
    "g": ((1, 0, 0, 0), -3), "m": ((0, 1, 0, 0), 0), "s": ((0, 0, 1, 0), 0), "rad": ((0, 0, 0, 1), 0),
    "Hz": ((0, 0, -1, 0), 0), "N": ((1, 1, -2, 0), 0), "Pa": ((1, -1, -2, 0), 0), "J": ((1, 2, -2, 0), 0),
    "W": ((1, 2, -3, 0), 0),
}  # fmt: skip
NO_UNIT = frozenset({"", "-", "1"})

_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FACTOR = re.compile(r"([A-Za-zµμ]+)\^?([+-]?\d+)?")


class UnitError(SolverInputError):
    """A unit is unknown, or measures something else than what is asked for."""


def _unit(text: str) -> tuple[list[int], Fraction]:
    """Read a unit: symbols with prefixes, ``/``, powers such as ``m/s^2``, ``m/s²``, ``m s-2``.

    Returns powers of (kg, m, s, rad) and the exact factor. Raises UnitError if a symbol is unknown.
    """
    plain = "" if text.strip() in NO_UNIT else text.translate(_SUPERSCRIPTS).replace("**", "^")
    powers, factor, sign = [0, 0, 0, 0], Fraction(1), 1
    for part in re.findall(r"/|[^\s/*·.]+", plain):
        if part == "/":
            sign = -1  # of the next factor alone: m/s/s is an acceleration
            continue
        if part == "1":
            continue  # 1/s
        of_symbol, scale, power = _power_of_symbol(part, text)
        powers = [p + sign * power * q for p, q in zip(powers, of_symbol, strict=True)]
        factor *= Fraction(10) ** (scale * power * sign)
        sign = 1
    return powers, factor


def _power_of_symbol(part: str, text: str) -> tuple[tuple[int, int, int, int], int, int]:
    """Return the powers and the power of ten of a symbol, and the power to which it is raised."""
    result = _FACTOR.fullmatch(part)
    symbol = result[1] if result else ""
    if result and symbol in SYMBOLS:
        return (*SYMBOLS[symbol], int(result[2] or 1))
    if result and symbol[:1] in PREFIXES and symbol[1:] in SYMBOLS:
        powers, ten = SYMBOLS[symbol[1:]]
        return powers, ten + PREFIXES[symbol[0]], int(result[2] or 1)
    known = "m, s, kg, N, J, W, Hz, rad and their multiples (mm, ms, kN) and products (mm/s, m/s^2, N s)"
    raise UnitError(f"unknown unit [{text.strip()}]; known are {known}")


def to_si(values: Any, stated: str, asked: str) -> Any:
    """Return numbers (a float or an array) of a stated unit in the unit that is asked for.

    One multiplication or one division: 1.5 mm becomes the double next to 0.0015 m. Raises UnitError if the stated unit
    is unknown or measures something else.
    """
    (have, factor), (want, per) = _unit(stated), _unit(asked)
    if have != want:
        raise UnitError(
            f"unit [{stated.strip()}] does not measure what is asked for in [{asked}]; convert to [{asked}]"
        )
    ratio = factor / per
    if ratio == 1:
        return values
    scaled = values * float(ratio.numerator) if ratio.numerator != 1 else values
    return scaled / float(ratio.denominator) if ratio.denominator != 1 else scaled
