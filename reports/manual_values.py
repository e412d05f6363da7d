"""The table of values of a case: each quantity with what was computed, the reference, error, tolerance and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from veridyn.reports import numbers
from veridyn.reports.checks import ADMISSIBLE, CheckRow, measure
from veridyn.reports.manual_blocks import Block, ManualTable, banded, listed
from veridyn.reports.manual_trace import make_decimal, shorten
from veridyn.reports.sheet import Sheet
from veridyn.reports.tally import TRUTH, VERDICTS, margin_of
from veridyn.results import CaseSheet, ErrorKind, Layer, Record, Value, Verdict
from veridyn.results.grouping import group

HEAD = (
    "Variant", "Quantity", "Computed", "Reference", "Error", "Tolerance", "Margin", "Digits", "Finest error",
    "Uncertainty", "Verdict",
)  # fmt: skip
SHORT = {ErrorKind.RELATIVE: "rel", ErrorKind.ABSOLUTE: "abs", ErrorKind.EXACT: "ex", ADMISSIBLE: "×"}
"""Measures of errors, as the tables print them."""
SIGNIFICANT = 9  # digits of a value; results.json has all
LONGEST = 14  # characters of a word in a column of values
UNCERTAINTY = "numerical uncertainty"  # the part of a tolerance
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
UNJUDGED = Verdict.NOT_APPLICABLE


@dataclass(frozen=True)
class QuantityRow:
    """A quantity of a variant as one subject answers it: at default settings, and on the finest level; one may lack."""

    subject: str
    default: Record | None
    finest: Record | None

    @property
    def main(self) -> Record:
        """The record whose numbers stand in the row."""
        record = self.default or self.finest
        assert record is not None
        return record

    @property
    def verdict(self) -> Verdict:
        """The worse of the two verdicts; what was judged counts."""
        verdicts = [one.verdict for one in (self.default, self.finest) if one]
        return min(verdicts, key=VERDICTS.index)

    @property
    def margin(self) -> float:
        """The smaller of the two margins."""
        return min(margin_of(one) for one in (self.default, self.finest) if one)


def list_values(sheet: Sheet) -> list[Block]:
    """Return the table of values of a case, and what of it was not judged.

    Of several subjects the weakest stands in the line of a quantity.
    """
    rows = [row for one in sheet.groups for checks in one.sections for row in checks.rows if row.record.layer in TRUTH]
    judged = _order([row for row in rows if row.record.verdict is not UNJUDGED], sheet.case)
    lines = [find_weakest(members) for members in group(judged, _name).values()]
    several = len(sheet.groups) > 1
    routes = _number_routes(sheet)
    cells = [_print(line, routes.get((line.main.variant, line.main.quantity), ""), several=several) for line in lines]
    table = ManualTable(_caption(lines, several=several), HEAD, "sqnnnnnnnns", cells, [line.verdict for line in lines])
    refined = table if any(line.finest for line in lines) else _drop(table, REFINED)
    return [*([banded(refined)] if cells else []), *listed(list(_list_unjudged(rows)))]


REFINED = (8, 9)
"""Places of the columns that only a solver with refinement levels fills."""


def _caption(lines: Sequence[QuantityRow], *, several: bool) -> str:
    refined = "; error and numerical uncertainty on the finest level" if any(line.finest for line in lines) else ""
    weakest = "; of several subjects the one with the smallest margin" if several else ""
    return f"Values at default settings{refined}{weakest}"


def _drop(table: ManualTable, places: Sequence[int]) -> ManualTable:
    """Return a table without the columns at some places."""
    left = [place for place in range(len(table.head)) if place not in places]
    return replace(
        table,
        head=[table.head[place] for place in left],
        columns="".join(table.columns[place] for place in left),
        rows=[[row[place] for place in left] for row in table.rows],
    )


def _order(rows: Sequence[CheckRow], case: CaseSheet) -> list[CheckRow]:
    """Order rows by variant and quantity as the case lists them."""
    variants = {name: place for place, name in enumerate(dict.fromkeys(row.variant for row in case.references))}
    names = {row.name: place for place, row in enumerate(case.quantities)}

    def find_place(row: CheckRow) -> tuple[int, int]:
        return variants.get(row.record.variant, len(variants)), names.get(row.record.quantity, len(names))

    return sorted(rows, key=find_place)


def _name(row: CheckRow) -> tuple[str, str]:
    return row.record.variant, row.record.quantity


def find_weakest(rows: Sequence[CheckRow]) -> QuantityRow:
    """Return what the weakest subject answers: the worst verdict, then the smallest margin."""
    lines = [_pair(subject, members) for subject, members in group(rows, lambda row: row.subject).items()]
    return min(lines, key=lambda line: (VERDICTS.index(line.verdict), line.margin))


def _pair(subject: str, rows: Sequence[CheckRow]) -> QuantityRow:
    by_layer = {row.record.layer: row.record for row in rows}
    return QuantityRow(subject, by_layer.get(Layer.CRITERION), by_layer.get(Layer.CONVERGENCE))


def _number_routes(sheet: Sheet) -> dict[tuple[str, str], str]:
    """Return the numbers of routes by variant and quantity; nothing if there is one route only."""
    numbered = sheet.truths if len(sheet.routes) > 1 else []
    return {(one.reference.variant, one.reference.quantity): one.route for one in numbered}


def _print(line: QuantityRow, route: str, *, several: bool) -> Sequence[str]:
    record, finest = line.main, line.finest
    unit = f" [{record.unit}]" if record.unit not in ("", "1") else ""
    by = f", {line.subject}" if several else ""
    mark = f"\u00a0{route.translate(RAISED)}" if route else ""
    uncertainty = finest.terms.get(UNCERTAINTY) if finest else None
    return (
        *(record.variant, f"{record.quantity}{unit}{by}{mark}", _value(record.value)),
        *(_value(record.reference), _measured(record, record.error)),
        *(numbers.tolerance(record.tolerance), numbers.margin(record.margin), numbers.correct_digits(record.digits)),
        *(_measured(finest, finest.error) if finest else numbers.NONE, numbers.error(uncertainty), line.verdict),
    )


def _value(value: Value) -> str:
    """Print a value rounded; words are cut, so that they leave room for the other columns."""
    number = make_decimal(value)
    if number is not None:
        return numbers.value(float(number), SIGNIFICANT)
    printed = numbers.value(value)
    return f"{printed[:LONGEST]}…" if len(printed) > LONGEST else printed


def _measured(record: Record, error: float | None) -> str:
    """Print an error with its measure."""
    if error is None:
        return numbers.NONE
    said = measure(record)
    return f"{numbers.error(error)}\u00a0{SHORT.get(said, said)}".strip()


def _list_unjudged(rows: Iterable[CheckRow]) -> Iterable[str]:
    """Yield why checks of values were not judged, with their quantities."""
    left = [row.record for row in rows if row.record.verdict is UNJUDGED]
    for reason, members in group(left, lambda record: record.detail).items():
        count = numbers.plural(len(members), "check")
        yield f"Not judged ({count}): {reason or 'no reason stated'}: {shorten(r.quantity for r in members)}."
