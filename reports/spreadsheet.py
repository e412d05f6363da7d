"""Tables as CSV that a spreadsheet opens without taking any text for a formula."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from veridyn.reports.tally import Record

COLUMNS = (
    "case",
    "variant",
    "solver",
    "scheme",
    "quantity",
    "kind",
    "unit",
    "value",
    "reference",
    "reference_digits",
    "error",
    "error_kind",
    "tolerance",
    "margin",
    "digits",
    "verdict",
    "reason",
    "detail",
    "published",
    "wall_time",
    "run",
)
"""Of the results table: keys of a result, in this order."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def results(records: Iterable[Record]) -> str:
    """Return all checks as CSV (RFC 4180, UTF-8), one row each, header first."""
    return table(COLUMNS, ([record.get(name, 1 if name == "run" else "") for name in COLUMNS] for record in records))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV; an empty cell is a missing value."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([cell(name) for name in head])
    writer.writerows([cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def cell(value: Any) -> Any:
    """Return what is written for a value: text that a spreadsheet would compute gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    return f"'{value}" if value.startswith(FORMULA_STARTS) and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def curves(figure: Record) -> str:
    """Return the data of a figure as CSV: a row per point, with its panel and series."""
    head = ("panel", "series", "role", "x", "y", "x label", "y label")
    return table(
        head,
        (
            (number, series["label"], series["role"], x, y, panel["xlabel"], panel["ylabel"])
            for number, panel in enumerate(figure["panels"], start=1)
            for series in panel["series"]
            for x, y in zip(series["x"], series["y"], strict=True)
        ),
    )
