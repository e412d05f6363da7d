"""Tables as CSV that a spreadsheet opens without taking any text for a formula."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from operator import attrgetter

from veridyn.results import Figure, Number, Record, unstructure_levels

COLUMNS = (
    "case", "variant", "solver", "scheme", "quantity", "layer", "unit", "value", "reference", "reference_digits",
    "error", "error_kind", "tolerance", "margin", "digits", "verdict", "reason", "detail", "wall_time", "id", "run",
    "terms", "levels",
)  # fmt: skip
"""Of the results table: keys of a result, in this order; the last two as JSON."""

read_cells = attrgetter(*COLUMNS[:-3])

Cell = str | Number | None

FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def results(records: Iterable[Record]) -> str:
    """Return all checks as CSV (RFC 4180, UTF-8), one row each, header first."""
    return table(COLUMNS, ((*read_cells(record), record.run_number, *_basis(record)) for record in records))


def _basis(record: Record) -> tuple[str, str]:
    """Return parts of the tolerance and level table; empty where there are none."""
    terms = json.dumps(record.terms) if record.terms else ""
    return terms, json.dumps(unstructure_levels(record.levels)) if record.levels else ""


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as CSV; an empty cell is a missing value."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(head)
    writer.writerows([cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return buffer.getvalue()


def cell(text: str) -> str:
    """Return what is written for a text: one that a spreadsheet would compute gets an apostrophe in front."""
    return f"'{text}" if text[:1] in FORMULA_STARTS and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def curves(figure: Figure) -> str:
    """Return the data of a figure as CSV: a column for each series, after the abscissae that it shares with others."""
    shared: dict[tuple[str, tuple[Number | None, ...]], list[tuple[str, tuple[Number | None, ...]]]] = {}
    for panel in figure.panels:
        for series in panel.series:
            name = f"{series.label or series.role}: {panel.ylabel}"
            shared.setdefault((panel.xlabel, series.x), []).append((name, series.y))
    columns = [column for (label, x), listed in shared.items() for column in [(label, x), *listed]]
    rows = zip_longest(*(values for _, values in columns), fillvalue="")
    return table([cell(name) for name, _ in columns], rows)
