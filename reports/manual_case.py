"""The chapter of a case in the manual, in the order that validation manuals of the field have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from veridyn.reports import comparison, numbers
from veridyn.reports.checks import CheckRow, Group
from veridyn.reports.comparison import truth_digits
from veridyn.reports.drawing import ReportFigure
from veridyn.reports.levels import sum_of
from veridyn.reports.manual_blocks import (
    Block,
    Chapter,
    Formulas,
    Listing,
    ManualFigure,
    ManualSection,
    ManualTable,
    Pairs,
    Paragraph,
    Prose,
    banded,
    listed,
    table,
)
from veridyn.reports.manual_trace import shorten
from veridyn.reports.manual_values import SHORT, list_values
from veridyn.reports.sheet import ERRATA, Sheet
from veridyn.reports.tally import TROUBLE, TRUTH, Flag, common_settings, own_settings
from veridyn.results import CaseSheet, Layer, PrintedVerdict, PublishedValue, Record, Verdict
from veridyn.results.grouping import group

PRINTED = (
    ("source", "Source", "t"), ("variant", "Variant", "s"), ("quantity", "Quantity", "t"), ("value", "Printed", "n"),
    ("correct", "Should read", "n"), ("truth", "Truth", "n"), ("verdict", "Verdict", "s"),
)  # fmt: skip
RUNS = ("Subject", "Variants", "Settings", "Worst margin", "Digits", "Time", "Verdicts")
CHECKS = ("Variant", "Quantity (layer)", "Reference", "Computed", "Error", "Tolerance", "Margin", "Verdict")
TOLD = (*TROUBLE, Verdict.EXPECTED_FAILURE)
BASES, WEAK = 4, 10  # lines of a case: checks that can be recomputed, weak checks of a subject in the other layers
DRAWN = 1  # figures of a case; the report has all


def chapter(sheet: Sheet) -> Chapter:
    """Return the chapter of a case from its sheet in the report."""
    case = sheet.case
    return Chapter(
        flows=True,
        title=f"{sheet.name.upper()}: {case.title or sheet.name}",
        about=" ".join(filter(None, (f"Document {case.document}." if case.document else "", case.summary))),
        sections=[
            ManualSection("Reference problem", _problem(sheet)),
            ManualSection("Reference solution", _reference(sheet)),
            ManualSection("Modelling", listed(case.modelling)),
            ManualSection("Results", _results(sheet)),
            ManualSection("Figures", _figures(sheet)),
            ManualSection("Published values", _published(case.published)),
            ManualSection("Remarks", [Prose(case.remarks, is_list=True)] if case.remarks else []),
        ],
    )


def _figures(sheet: Sheet) -> list[Block]:
    """Return the first figures of a case: those of histories, with their errors, come first in every case."""
    drawings = [*sheet.drawings, *(one.drawing for one in sheet.diagrams if one.drawing)]
    return [_figure(one) for one in drawings[:DRAWN]]


def _figure(one: ReportFigure) -> ManualFigure:
    return ManualFigure(one.title, one.caption, one.svg)


def _problem(sheet: Sheet) -> list[Block]:
    case = sheet.case
    return [
        *([replace(_figure(sheet.system), is_small=True)] if sheet.system else []),
        *([Prose(case.statement)] if case.statement else []),
        *([Formulas(case.equations)] if case.equations else []),
        *_name_all(
            "Parameters", [(p.name, f"{p.default} {_show_unit(p.unit)}".strip(), p.help) for p in case.parameters]
        ),
        *_name_all("Quantities", [(q.name, _show_unit(q.unit), q.definition) for q in case.quantities]),
    ]


def _show_unit(unit: str) -> str:
    """Return a unit as it stands in a sentence: nothing for a pure number."""
    return "" if unit == "1" else unit


def _name_all(title: str, rows: Sequence[tuple[str, str, str]]) -> list[Block]:
    """Return names with value or unit, and their meaning."""
    pairs = [(name, ", ".join(filter(None, (size.strip(), meaning)))) for name, size, meaning in rows]
    return [Pairs(pairs, title)] if pairs else []


def _reference(sheet: Sheet) -> list[Block]:
    """List the routes by which references were proved and confirmed, and how well the worst of each is known."""
    ways = [_route(sheet, number, kind, steps) for number, (kind, steps) in enumerate(sheet.routes, start=1)]
    return [Listing(ways, numbered=len(ways) > 1)] if ways else []


def _route(sheet: Sheet, number: int, kind: str, steps: Sequence[str]) -> str:
    rows = [one.reference for one in sheet.truths if one.route == str(number)]
    digits = min((row.digits for row in rows if row.digits is not None), default=None)
    known = f"at least {digits} certified digits" if digits is not None else "exact"
    count = numbers.plural(len(rows), "reference")
    return f"{kind}: {'; '.join(steps)} ({count}, {known})".removeprefix(": ")


def _results(sheet: Sheet) -> list[Block]:
    rows = [_summarise(one) for one in sheet.groups]
    tones = [one.tally.verdict for one in sheet.groups]
    caption = "Summary. Digits: the fewest against the truth. Time: the longest run, without compilation."
    summary = [ManualTable(caption, RUNS, "sntnnnt", rows, tones)] if rows else []
    return [*summary, *list_values(sheet), *_weak(sheet)]


def _summarise(one: Group) -> Sequence[str]:
    """Return what the checks of a subject amount to, over all variants."""
    records = [row.record for checks in one.sections for row in checks.rows]
    longest = max((record.wall_time for record in records if record.wall_time is not None), default=None)
    digits = numbers.correct_digits(min(truth_digits(records), default=None))
    variants = str(len({record.variant for record in records}))
    margin, time = one.tally.margin, numbers.time(longest)
    return one.subject, variants, _list_settings(records), margin, digits, time, one.tally.words


def _list_settings(records: Sequence[Record]) -> str:
    """Return the settings of the runs that are held to the criterion, each set of them once, with its variants."""
    runs = group([r for r in records if r.layer is Layer.CRITERION], lambda record: record.variant)
    said = {
        variant: comparison.settings(own_settings(common_settings(members), members[0].scheme))
        for variant, members in runs.items()
    }
    alike = group(said, lambda variant: said[variant])
    return "; ".join(
        text if len(alike) == 1 else f"{text} ({shorten(variants)})" for text, variants in alike.items() if text
    )


def _weak(sheet: Sheet) -> list[Block]:
    """Return checks in trouble and with small margins that no table of values has, and the basis of what failed."""
    by_subject = [[row for checks in one.sections for row in checks.rows if _is_weak(row)] for one in sheet.groups]
    failed = [row for rows in by_subject for row in rows if row.record.verdict in TROUBLE]
    others = [row for rows in by_subject for row in [one for one in rows if one.record.layer not in TRUTH][:WEAK]]
    tones = [row.record.verdict for row in others]
    caption = "Checks of the other layers that did not pass, or pass with a margin below 2; results.csv has all checks"
    table = ManualTable(caption, ("Subject", *CHECKS), "sstnnnnns", [_check(row) for row in others], tones)
    bases = [_basis(row) for row in failed if row.basis][:BASES]
    explained: list[Block] = [Paragraph(RECOMPUTED), Listing(bases)] if bases else []
    return [*([banded(table)] if others else []), *explained]


def _is_weak(row: CheckRow) -> bool:
    return row.record.verdict in TOLD or row.flag is Flag.FRAGILE


RECOMPUTED = "Parts of the tolerance and levels, of the first checks that did not pass:"


def _basis(row: CheckRow) -> str:
    """Return in one line what the verdict of a check can be recomputed from."""
    levels = f"levels: {row.levels.line}" if row.levels else ""
    terms = f"tolerance = {sum_of(row.terms)}" if row.terms else ""
    place = " ".join(filter(None, (row.record.variant, row.record.quantity)))
    return f"{place} ({row.record.layer}): {'. '.join(filter(None, (terms, levels)))}"


def _check(row: CheckRow) -> Sequence[str]:
    record = row.record
    named = f"{record.quantity} [{record.unit}]" if record.unit else record.quantity
    error = f"{numbers.error(record.error)}\u00a0{SHORT.get(row.measure, row.measure)}".strip()
    return (
        *(row.subject, record.variant, f"{named} ({record.layer})"),
        *(numbers.value(record.reference), numbers.value(record.value), error),
        *(numbers.tolerance(record.tolerance), numbers.margin(record.margin), record.verdict),
    )


def _published(values: Sequence[PublishedValue]) -> list[Block]:
    """Return what documents print and is not wrong; what is wrong stands among the errata."""
    if not values:
        return []
    counted = Counter(value.verdict for value in values)
    said = ", ".join(f"{count} {verdict}" for verdict, count in counted.most_common())
    shown = [value for value in values if value.verdict not in (*ERRATA, PrintedVerdict.REPRODUCED)]
    return [Paragraph(f"{numbers.plural(len(values), 'published value')}: {said}."), *_explained(shown)]


def errata(case: CaseSheet) -> list[Block]:
    """Return what is wrong in the document of a case: statements and printed values."""
    wrong = [value for value in case.published if value.verdict in ERRATA]
    return [*listed(case.errata), *_explained(wrong)]


def _explained(values: Sequence[PublishedValue]) -> Iterator[Block]:
    """Yield each explanation once, with the values that it explains."""
    groups = group(values, lambda value: (value.verdict, value.explanation))
    for (verdict, explanation), members in groups.items():
        title = f"{verdict.capitalize()}: {numbers.plural(len(members), 'value')}"
        for made in table(title, PRINTED, members, keep=1):
            yield from [Paragraph(f"{explanation[:1].upper()}{explanation[1:]}.")] if explanation else []
            yield banded(replace(made, tones=[Verdict.EXPECTED_FAILURE] * len(members)))
