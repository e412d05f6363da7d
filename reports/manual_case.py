"""The chapter of a case in the manual, in the order that validation manuals of the field have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from veridyn.reports import comparison, numbers
from veridyn.reports.checks import ADMISSIBLE, CheckRow
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
    Paragraph,
    banded,
    listed,
    table,
)
from veridyn.reports.sheet import ERRATA, Sheet
from veridyn.reports.tally import TROUBLE, Flag, common_settings, named
from veridyn.results import CaseSheet, ErrorKind, Layer, PrintedVerdict, PublishedValue, Verdict
from veridyn.results.grouping import group

PARAMETERS = (("name", "Parameter", "s"), ("default", "Default", "n"), ("unit", "Unit", "s"), ("help", "Meaning", "t"))
QUANTITIES = (("name", "Quantity", "s"), ("unit", "Unit", "s"), ("definition", "Definition", "t"))
REFERENCES = (
    ("reference.variant", "Variant", "s"), ("reference.quantity", "Quantity", "t"), ("reference.unit", "Unit", "s"),
    ("reference.value", "Value", "n"), ("reference.digits", "Digits", "n"), ("uncertainty", "Uncertainty", "n"),
    ("route", "Route", "n"),
)  # fmt: skip
PRINTED = (
    ("source", "Source", "t"), ("variant", "Variant", "s"), ("quantity", "Quantity", "t"), ("value", "Printed", "n"),
    ("correct", "Should read", "n"), ("truth", "Truth", "n"), ("verdict", "Verdict", "s"),
)  # fmt: skip
RUNS = ("Variant", "Subject", "Worst margin", "Digits", "Time", "Verdicts")
CHECKS = ("Variant", "Quantity (layer)", "Reference", "Computed", "Error", "Tolerance", "Margin", "Verdict")
TOLD = (*TROUBLE, Verdict.EXPECTED_FAILURE)
BASES, VALUES = 4, 20  # lines of a case: checks that can be recomputed, reference values


def chapter(sheet: Sheet) -> Chapter:
    """Return the chapter of a case from its sheet in the report."""
    case = sheet.case
    drawings = [*(one.drawing for one in sheet.diagrams if one.drawing), *sheet.drawings]
    return Chapter(
        title=f"{sheet.name.upper()}: {case.title or sheet.name}",
        about=" ".join(filter(None, (f"Document {case.document}." if case.document else "", case.summary))),
        sections=[
            ManualSection("Reference problem", _problem(sheet)),
            ManualSection("Reference solution", _reference(sheet)),
            ManualSection("Modelling", _modelling(sheet)),
            ManualSection("Results", _results(sheet)),
            ManualSection("Figures", [_figure(one) for one in drawings]),
            ManualSection("Published values", _published(case.published)),
            ManualSection("Remarks", listed(case.remarks)),
            ManualSection("Summary", listed(sheet.summary)),
        ],
    )


def _figure(one: ReportFigure) -> ManualFigure:
    return ManualFigure(one.title, one.caption, one.svg)


def _problem(sheet: Sheet) -> list[Block]:
    case = sheet.case
    return [
        *([_figure(sheet.system)] if sheet.system else []),
        *(Paragraph(text) for text in case.statement),
        *([Formulas(case.equations)] if case.equations else []),
        *table("Parameters", PARAMETERS, case.parameters),
        *table("Quantities", QUANTITIES, case.quantities),
    ]


def _reference(sheet: Sheet) -> list[Block]:
    ways = [f"{kind}: {'; '.join(steps)}".strip(": ") for kind, steps in sheet.routes]
    caption = (
        "Certified reference values. Digits: how many are certified. Uncertainty: how far the truth lies "
        "from the value as printed, at most. Route: the number above."
    )
    return [
        *([Listing(ways, numbered=True)] if ways else []),
        *table(caption, REFERENCES, sheet.truths[:VALUES]),
        *_more(max(0, len(sheet.truths) - VALUES), "reference value"),
    ]


def _modelling(sheet: Sheet) -> list[Block]:
    """Say how the case is modelled, and with which settings each subject was run; equal ones stand once."""
    sections = [checks for one in sheet.groups for checks in one.sections if checks.layer is Layer.CRITERION]
    records = [row.record for checks in sections for row in checks.rows]
    runs = group(records, lambda r: (named(r.solver, r.scheme), r.variant))
    common = {run: common_settings(members) for run, members in runs.items()}
    said = {run: comparison.settings({k: v for k, v in of.items() if k != "scheme"}) for run, of in common.items()}
    result = group(said, lambda run: (run[0], said[run]))
    rows = [(name, ", ".join(variant for _, variant in members), text) for (name, text), members in result.items()]
    settings = [ManualTable("Settings of the runs", ("Subject", "Variants", "Settings"), "sst", rows)] if rows else []
    return [*listed(sheet.case.modelling), *settings]


def _results(sheet: Sheet) -> list[Block]:
    rows = [
        (r.variant, r.subject, r.tally.margin, numbers.correct_digits(r.digits), numbers.time(r.seconds), r.tally.words)
        for r in sheet.runs
    ]
    tones = [run.tally.verdict for run in sheet.runs]
    caption = "Summary of the runs. Digits: the fewest against the truth. Time: one run, without compilation."
    return [
        *([ManualTable(caption, RUNS, "ssnnnt", rows, tones)] if rows else []),
        *_more(sheet.runs_left_out, "run"),
        *_weak(sheet),
    ]


def _more(count: int, what: str) -> list[Block]:
    return [Paragraph(f"{numbers.plural(count, f'further {what}')}: see results.csv.")] if count else []


def _weak(sheet: Sheet) -> list[Block]:
    """Return the checks in trouble, and those that pass with the smallest margins; the report has all."""
    rows = [row for one in sheet.groups for checks in one.sections for row in checks.rows]
    told = [row for row in rows if row.record.verdict in TOLD or row.flag is Flag.FRAGILE]
    if not told:
        return []
    tones = [row.record.verdict for row in told]
    caption = "Checks that did not pass, or pass with a margin below 2; the report and results.csv have all checks"
    table = banded(ManualTable(caption, ("Subject", *CHECKS), "sstnnnnns", [_check(row) for row in told], tones))
    failed = [_basis(row) for row in told if row.record.verdict in TROUBLE and row.basis][:BASES]
    return [table, Paragraph(RECOMPUTED), Listing(failed)] if failed else [table]


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


SHORT = {ErrorKind.RELATIVE: "rel", ErrorKind.ABSOLUTE: "abs", ErrorKind.EXACT: "ex", ADMISSIBLE: "×"}
"""Measures of errors, as the tables print them."""


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
