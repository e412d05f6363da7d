"""The Markdown page (GitHub flavour): the same content as the HTML page, figures as files beside it."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from veridyn.reports.against import HEAD, Comparison
from veridyn.reports.checks import Group, Row, Section
from veridyn.reports.comparison import Cell, Matrix, Score
from veridyn.reports.diagrams import DIGITS
from veridyn.reports.drawing import Diagram, Drawing
from veridyn.reports.levels import sum_of
from veridyn.reports.numbers import NONE, plural
from veridyn.reports.page import Page
from veridyn.reports.sheet import Sheet
from veridyn.reports.tally import LAYERS, MEANINGS, TROUBLE, Tally

Lines = list[str]

IN_SUMMARY = 50  # failures; the job's log has all

CHECKS = ("Verdict", "Variant", "Quantity", "Computed", "Reference", "Error", "Tolerance", "Margin", "LRE", "Notes")


def render(page: Page) -> str:
    """Render a page as Markdown."""
    blocks = [
        [
            f"# {page.title}",
            f"**{escape(page.headline)}**",
            *([_bullets(page.gaps)] if page.gaps else []),
            *_failures(page),
            *(["## Messages", _bullets(page.messages)] if page.messages else []),
            *_overview(page),
        ],
        *(_sheet(sheet) for sheet in page.sheets),
        _environments(page),
    ]
    return "\n\n".join(line for block in blocks for line in block) + "\n"


def changes(found: Comparison) -> str:
    """Return what changed since an earlier run as a Markdown page."""
    blocks = ["# Compared with an earlier run", f"**{found.headline}.**"]
    blocks += [escape(remark) for remark in found.remarks]
    for one in found.turned:
        blocks += [f"## What {one.words}: {one.total}", table(HEAD, one.rows)]
        blocks += [f"{one.left_out} more of them."] if one.left_out else []
    return "\n\n".join(blocks) + "\n"


def summary(page: Page) -> str:
    """Render what the reader of a continuous-integration job wants to know first: verdict, cases, what failed.

    GitHub shows what is appended to the file that ``$GITHUB_STEP_SUMMARY`` names.
    """
    mark = "✅" if page.verdict == "pass" else "⚠️" if page.verdict in ("not applicable", "expected failure") else "❌"
    gaps = [_bullets(page.gaps)] if page.gaps else []
    return "\n\n".join([f"## {mark} {escape(page.headline)}", *gaps, *_cases(page), *_failed(page)]) + "\n"


def _cases(page: Page) -> Lines:
    rows = [(sheet.name, sheet.tally.words, sheet.margin, len(sheet.errata)) for sheet in page.sheets]
    return [table(("Case", "Checks", "Worst margin", "Errata"), rows)] if rows else []


def _failed(page: Page) -> Lines:
    if not page.failures.total:
        return []
    keys = ("verdict", "case", "variant", "layer", "quantity")
    rows = [
        (*(row.record[key] for key in keys), row.subject, row.error, row.tolerance, row.record["detail"])
        for row in page.failures.shown[:IN_SUMMARY]
    ]
    more = page.failures.total - len(rows)
    head = ("Verdict", "Case", "Variant", "Layer", "Quantity", "Subject", "Error", "Tolerance", "Detail")
    return ["### Failures and errors", table(head, rows), *([f"and {more} more"] if more else [])]


def escape(text: Any) -> str:
    """Escape text so that Markdown and HTML take nothing in it for markup; line breaks become spaces."""
    plain = " ".join(str(text).split()).translate(_ESCAPED)
    if "_" in plain:
        plain = _UNDERSCORE.sub(r"\\_", plain)
    return _START.sub(_escape_start, plain)


_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*[]|~$"}})
# An underscore within a word is harmless, and names are full of them.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_START = re.compile(r"^([-+#]|\d+(?=[.)] ))")


def _escape_start(match: re.Match[str]) -> str:
    """Keep a paragraph from becoming a heading or a list; signs of numbers may stay."""
    follows = match.string[match.end() : match.end() + 1]
    sign = match[0] in "-+" and follows.isdigit()
    return match[0] if sign else f"{match[0]}&#8203;" if match[0].isdigit() else f"\\{match[0]}"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay out a table; cells are escaped here."""
    lines = [head, ["---"] * len(head), *([escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _failures(page: Page) -> Lines:
    if not page.failures.total:
        return []
    head = (CHECKS[0], "Case", "Subject", "Layer", *CHECKS[1:])
    rows = [_check(row) for row in page.failures.shown]
    places = [(row.record["case"], row.subject, row.record["layer"]) for row in page.failures.shown]
    joined = [(row[0], *place, *row[1:]) for row, place in zip(rows, places, strict=True)]
    return ["## Failures and errors", table(head, joined), *_left_out(page.failures.left_out)]


def _left_out(count: int) -> Lines:
    return [f"{plural(count, 'further check')}: see results.csv"] if count else []


def _check(row: Row) -> tuple[str, ...]:
    record = row.record
    flagged = f"{row.margin} ({row.flag})" if row.flag else row.margin
    name = _named(record["quantity"], record["unit"])
    error = f"{row.error} {row.measure}".strip()
    measured = (row.value, row.reference, error, row.tolerance, flagged, row.digits, "; ".join(_notes(row)))
    return record["verdict"], record["variant"], name, *measured


def _notes(row: Row) -> Lines:
    """Return what there is to say of a check; parts of a tolerance and levels where it is in trouble."""
    if row.record["verdict"] not in TROUBLE:
        return list(row.notes)
    levels = [f"levels: {row.levels.line}"] if row.levels else []
    return [*row.notes, *([f"tolerance = {sum_of(row.terms)}"] if row.terms else []), *levels]


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {escape(item)}" for item in items)


def _overview(page: Page) -> Lines:
    counts = [(verdict, count, MEANINGS[verdict]) for verdict, count in page.tally.counts.items()]
    flags = [
        ("fragile", page.tally.fragile, "margin below 2"),
        ("loose", page.tally.loose, "criteria with a margin above 1000"),
    ]
    head = ("Case", *(escape(name) for name in page.subjects), "Worst margin", "Errata")
    rows = [_overview_row(sheet, page.subjects) for sheet in page.sheets]
    drawn = _drawing(page.overview) if page.overview else []
    return [
        "## Overview",
        table(("Verdict", "Checks", "Meaning"), [*counts, *flags]),
        *_layers(page.tally),
        *([table(head, rows)] if rows else []),
        *drawn,
    ]


def _layers(total: Tally) -> Lines:
    """Count verdicts by layer."""
    verdicts = [verdict for verdict, count in total.counts.items() if count]
    rows = [
        (layer, LAYERS[layer], *(found[verdict] or "" for verdict in verdicts)) for layer, found in total.layers.items()
    ]
    return [table(("Layer", "Compared with", *verdicts), rows)] if rows else []


def _overview_row(sheet: Sheet, subjects: list[str]) -> tuple[Any, ...]:
    groups = [sheet.group_of(name) for name in subjects]
    return (
        sheet.name,
        *(f"{group.tally.words}{_score(group.score)}" if group else "not run" for group in groups),
        sheet.margin,
        len(sheet.errata),
    )


def _score(score: Score) -> str:
    """Say digits, fewest and median, and time, as far as there are any."""
    digits = f"{score.fewest} · {score.median} digits" if score.fewest != NONE else ""
    return "".join(f"; {text}" for text in (digits, score.time) if text not in ("", NONE))


def _matrix(one: Matrix) -> Lines:
    """Lay out a comparison; verdicts that are not a pass stand beside the digits."""
    rows = [(_named(line.quantity, line.unit), line.layer, *map(_cell_of, line.cells)) for line in one.lines]
    head = ("Quantity", "Layer", *(escape(name) for name in one.subjects))
    title = [f"**{escape(one.variant)}**"] if one.variant else []
    return [*title, table(head, [*rows, ("Time of the run", "", *one.times)])]


def _cell_of(cell: Cell) -> str:
    return " ".join(filter(None, (cell.digits, cell.verdict if cell.verdict != "pass" or not cell.digits else "")))


def _named(quantity: str, unit: str) -> str:
    return f"{quantity} [{unit}]" if unit else quantity


_POINTS = ("Subject", "Settings", "First call", "Time", "Worst error", "of", "LRE", "Passed", "Notes")


def _diagram(one: Diagram) -> Lines:
    rows = [
        (
            solver.subject if first else "",
            ", ".join(filter(None, (level.settings, solver.settings if first else ""))),
            *(level.first_call, level.time, level.error, level.quantity, level.digits, level.passed, level.detail),
        )
        for solver in one.solvers
        for first, level in zip((True, *[False] * len(solver.levels)), solver.levels, strict=False)
    ]
    costs = [(price.subject, *price.times) for price in one.prices]
    head = ("Time to so many correct digits", *(f"{number} digits" for number in DIGITS))
    title = f"Settings, times and errors: {one.variant}"
    lines = [f"<details><summary>{_html(title)}</summary>", table(_POINTS, rows), "</details>"]
    return [*(_drawing(one.drawing) if one.drawing else []), *([table(head, costs)] if costs else []), *lines]


def _drawing(one: Drawing) -> Lines:
    caption = escape(one.caption)
    return [f"![{escape(one.title)}]({one.file})", f"**{escape(one.title)}.** {caption}".strip()]


def _sheet(sheet: Sheet) -> Lines:
    case = sheet.case
    title = ": ".join(filter(None, [sheet.name, case["title"]]))
    about = [case["summary"], f"Document {case['document']}." if case["document"] else ""]
    return [
        f"## {escape(title)}",
        *(escape(text) for text in about if text),
        f"**{escape(sheet.tally.words)}**",
        *_listed("Problem", [*_system(sheet), *(escape(text) for text in case["statement"]), *_equations(sheet)]),
        *_records("Parameters", case["parameters"], _PARAMETERS),
        *_records("Quantities", case["quantities"], _QUANTITIES),
        *_records("Reference solution", case["references"], _REFERENCES),
        *_listed("Modelling", [_bullets(case["modelling"])]),
        *_results(sheet),
        *_listed("Comparison", [line for one in sheet.matrices for line in _matrix(one)]),
        *_listed("Work and precision", [line for one in sheet.diagrams for line in _diagram(one)]),
        *_listed("Figures", [line for one in sheet.drawings for line in _drawing(one)]),
        *_records("Published values", case["published"], _PUBLISHED),
        *_listed("Remarks", [_bullets(case["remarks"])]),
        *_listed("Summary", [_bullets(sheet.summary)]),
    ]


def _system(sheet: Sheet) -> Lines:
    return [f"![{escape(sheet.system.title)}]({sheet.system.file})"] if sheet.system else []


def _equations(sheet: Sheet) -> Lines:
    return [_bullets(sheet.case["equations"])] if sheet.equations else []


_PARAMETERS = {"name": "Name", "default": "Default", "unit": "Unit", "help": "Meaning"}
_QUANTITIES = {"name": "Name", "unit": "Unit", "definition": "Definition"}
_REFERENCES = {
    "variant": "Variant", "quantity": "Quantity", "unit": "Unit", "value": "Value", "digits": "Certified digits",
    "kind": "Kind", "routes": "Routes",
}  # fmt: skip
_PUBLISHED = {
    "source": "Source", "variant": "Variant", "quantity": "Quantity", "value": "Printed", "correct": "Should read",
    "verdict": "Verdict", "truth": "Truth", "explanation": "Explanation",
}  # fmt: skip


def _listed(title: str, blocks: Sequence[str]) -> Lines:
    """Put a heading over blocks, unless all are empty."""
    return [f"### {title}", *blocks] if any(blocks) else []


def _records(title: str, records: list[dict[str, Any]], columns: dict[str, str]) -> Lines:
    rows = [[_cell(record[key]) for key in columns] for record in records]
    return [f"### {title}", table(list(columns.values()), rows)] if rows else []


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(value)
    return "–" if value is None else str(value)


def _results(sheet: Sheet) -> Lines:
    if not sheet.groups:
        return []
    head = ("Variant", "Subject", "Verdicts", "Worst margin", "LRE", "Time")
    runs = [(run.variant, run.subject, run.tally.words, run.margin, run.digits, run.time) for run in sheet.runs]
    return [
        "### Results",
        table(head, runs),
        *_left_out_runs(sheet),
        *(line for group in sheet.groups for line in _group(group)),
    ]


def _heading(section: Section) -> str:
    shared = f"; tolerance of all: {escape(section.reason)}" if section.reason else ""
    return f"**{section.layer}**: {section.meaning}{shared}"


def _left_out_runs(sheet: Sheet) -> Lines:
    return [f"{plural(sheet.runs_left_out, 'further run')}: see results.csv"] if sheet.runs_left_out else []


def _group(group: Group) -> Lines:
    """Fold the checks of a subject away; GitHub renders Markdown inside <details>."""
    summary = f"<strong>{_html(group.subject)}</strong>: {_html(group.tally.words)}"
    opened = " open" if group.tally.trouble else ""
    settings = [f"Settings: {escape(group.settings)}"] if group.settings else []
    sections = [
        block
        for section in group.sections
        if section.rows
        for block in (_heading(section), table(CHECKS, map(_check, section.rows)))
    ]
    return [
        f"<details{opened}><summary>{summary}</summary>",
        *settings,
        *sections,
        *_left_out(group.left_out),
        "</details>",
    ]


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _environments(page: Page) -> Lines:
    lines = ["## Environment"]
    for number, environment in enumerate(page.environments):
        if len(page.environments) > 1:
            lines += [f"### Run {number + 1}", f"{plural(page.runs[number].total, 'check')}: {page.runs[number].words}"]
        said = {name: value for name, value in environment.items() if isinstance(value, str)}
        packages = ", ".join(f"{name} {version}" for name, version in environment["packages"].items())
        lines.append(table(("Key", "Value"), [*said.items(), *([("packages", packages)] if packages else [])]))
    return [*lines, f"SHA-256 of results.json: {page.digest}"]
