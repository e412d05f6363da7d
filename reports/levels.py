"""Level tables and parts of tolerances, printed: what a verdict can be recomputed from. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veridyn.reports import numbers
from veridyn.reports.tally import Record

SHOWN = 8  # rows of a table on a page or a terminal; the result file has all
SHARES = 100.0

COLUMNS = {
    "size": "", "quantity": "quantity", "value": "answer", "difference": "difference", "before": "before",
    "after": "after", "change": "change", "admissible": "admissible", "error": "error", "order": "observed order",
}  # fmt: skip
"""Keys of the rows in the order of their columns; the first is headed by the setting that is refined."""

ANSWERS = ("value", "before", "after")
NAMES = ("quantity", "setting")


@dataclass(frozen=True)
class LevelTable:
    """The levels of a check from coarse to fine, or the answers of an invariance check, the largest change first.

    ``left_out`` rows are in the result file only.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_out: int = 0

    @property
    def line(self) -> str:
        """The table in one line: 'step 0.1: error 1e-3; step 0.05: …'."""
        said = (_said(self.head, row) for row in self.rows)
        more = f"; {self.left_out} more in results.json" if self.left_out else ""
        return "; ".join(said) + more


def _said(head: Sequence[str], row: Sequence[str]) -> str:
    named = (f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True) if cell != numbers.NONE)
    return f"{head[0]} {row[0]}: {', '.join(named)}"


def level_table(record: Record) -> LevelTable | None:
    """Print the level table of a record; None if it has none.

    Of answers before and after a change those are shown whose change is largest; of levels the finest.
    """
    if not record["levels"]:
        return None
    refined = "size" in record["levels"][0]
    rows: list[dict[str, Any]] = record["levels"]
    if refined:
        rows = [row | {"order": _order(before, row)} for before, row in zip([{}, *rows], rows, strict=False)]
    others = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS and key not in NAMES)
    keys = [key for key in (*COLUMNS, *others) if any(row.get(key) is not None for row in rows)]
    head = [str(rows[0].get("setting") or "level") if key == "size" else COLUMNS.get(key, key) for key in keys]
    shown = rows[-SHOWN:] if refined else rows[:SHOWN]
    title = f"{numbers.plural(len(rows), 'level')} of {head[0]}" if refined else numbers.plural(len(rows), "answer")
    return LevelTable(
        title, head, [[_cell(key, row.get(key)) for key in keys] for row in shown], len(rows) - len(shown)
    )


def _order(before: dict[str, Any], now: dict[str, Any]) -> float | None:
    """Return log of the ratio of errors over log of the ratio of sizes; None if one of them is missing or zero."""
    given = [row.get(key) for key in ("error", "size") for row in (before, now)]
    known = [float(number) for number in given if isinstance(number, int | float) and number > 0.0]
    if len(known) < len(given) or known[2] == known[3]:
        return None
    return math.log(known[0] / known[1]) / math.log(known[2] / known[3])


def _cell(key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return numbers.NONE if value is None else str(value)
    if key in ANSWERS:
        return numbers.value(value, 12)
    return numbers.value(value, 3) if key == "size" else numbers.error(value)


@dataclass(frozen=True)
class Term:
    """A part of a tolerance, with its share of the whole."""

    name: str
    value: str
    share: str


def terms(record: Record) -> list[Term]:
    """Print the parts of the tolerance of a record, none if it is all of a piece."""
    total = record["tolerance"] or 0.0
    return [Term(name, numbers.tolerance(value), _share(value, total)) for name, value in record["terms"].items()]


def _share(part: float, total: float) -> str:
    return f"{numbers.value(SHARES * part / total, 2)} %" if total > 0 else numbers.NONE


def sum_of(parts: Sequence[Term]) -> str:
    """Return the parts of a tolerance as a sum: '1e-5 numerical uncertainty + 2e-7 sampling'."""
    return " + ".join(f"{part.value} {part.name}" for part in parts)
