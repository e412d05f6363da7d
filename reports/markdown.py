"""Markdown (GitHub flavour): the first page of a report for the summary of a job, and what changed since a run."""

import re
from collections.abc import Iterable, Sequence

from veridyn.reports import numbers
from veridyn.reports.against import HEAD, RunComparison
from veridyn.reports.page import HEAD as COMPARED
from veridyn.reports.page import Page
from veridyn.reports.tally import named
from veridyn.results import Verdict

Lines = list[str]


def changes(found: RunComparison) -> str:
    """Return what changed since an earlier run as a Markdown page."""
    blocks = ["# Compared with an earlier run", f"**{found.headline}.**"]
    blocks += [escape(remark) for remark in found.remarks]
    for one in found.turned:
        blocks += [f"## What {one.title}: {one.total}", table(HEAD, one.shown)]
        blocks += [f"{one.left_out} more of them."] if one.left_out else []
    return "\n\n".join(blocks) + "\n"


MARKS = {Verdict.PASS: "✅", Verdict.NOT_APPLICABLE: "⚠️", Verdict.EXPECTED_FAILURE: "⚠️"}


def summary(page: Page) -> str:
    """Render the first page: verdict, counts, what failed, weak points, what is not covered, cases.

    GitHub shows what is appended to the file that ``$GITHUB_STEP_SUMMARY`` names.
    """
    mark = MARKS.get(page.verdict, "❌")
    gaps = [_bullets(page.gaps)] if page.gaps else []
    missed = [*page.unjudged, *page.uncovered]
    uncovered = ["### Not covered", _bullets(missed)] if missed else []
    compared = [table(COMPARED, (one.cells for one in page.compared))]
    deviations = ["### Deviations on identity cards", _bullets(page.deviations)] if page.deviations else []
    parts = (
        compared,
        deviations,
        _causes(page),
        _failed(page),
        _weakest(page),
        uncovered,
        _standings(page),
        _cases(page),
    )
    lines = [f"## {mark} {escape(page.headline)}", *gaps, *(line for part in parts for line in part)]
    return "\n\n".join([*lines, f"SHA-256 of results.json: {page.digest}"]) + "\n"


def _causes(page: Page) -> Lines:
    rows = [
        (cause.count, named(cause.solver, cause.scheme), cause.text, cause.remedy, cause.command)
        for cause in page.causes.shown
    ]
    more = page.causes.left_out
    head = ("Checks", "Subject", "What they have in common", "Remedy", "Begin with")
    return ["### Causes", table(head, rows), *([f"and {more} more"] if more else [])] if rows else []


def _failed(page: Page) -> Lines:
    if not page.failures.total:
        return []
    rows = [
        (
            *(r.verdict, r.case, r.variant, r.layer, r.quantity),
            row.subject,
            numbers.error(r.error),
            numbers.tolerance(r.tolerance),
            r.detail,
        )
        for row in page.failures.shown
        for r in [row.record]
    ]
    more = page.failures.left_out
    head = ("Verdict", "Case", "Variant", "Layer", "Quantity", "Subject", "Error", "Tolerance", "Detail")
    return ["### Failures and errors", table(head, rows), *([f"and {more} more"] if more else [])]


def _weakest(page: Page) -> Lines:
    rows = [
        (kind.title, point.said, r.case, r.variant, r.layer, r.quantity, point.subject)
        for kind in page.weakest
        for point in kind.shown
        for r in [point.record]
    ]
    head = ("Weak point", "", "Case", "Variant", "Layer", "Quantity", "Subject")
    return ["### Weakest points", table(head, rows)] if rows else []


def _standings(page: Page) -> Lines:
    keys = ("orders", "slopes", "claims", "silent", "told")
    rows = [
        (s.subject, s.cases, f"{s.score.fewest} · {s.score.median}", s.score.time, *(getattr(s, key) for key in keys))
        for s in page.standings
    ]
    head = ("Solver", "Cases", "Digits", "Time", "Orders", "Slopes", "Claims", "Unreported errors", "Reported failures")
    return ["### Solvers side by side", table(head, rows)] if rows else []


def _cases(page: Page) -> Lines:
    rows = [
        (sheet.name, sheet.tally.words, numbers.margin(sheet.tally.worst), len(sheet.errata)) for sheet in page.sheets
    ]
    return ["### Cases", table(("Case", "Checks", "Worst margin", "Errata"), rows)] if rows else []


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {escape(item)}" for item in items)


def escape(text: object) -> str:
    """Escape text so that Markdown and HTML take nothing in it for markup or an address; line breaks become spaces."""
    plain = " ".join(str(text).split()).translate(_ESCAPED)
    if "_" in plain:
        plain = _UNDERSCORE.sub(r"\\_", plain)
    plain = _LINK.sub(r"\g<0><!-- -->", plain)
    return _START.sub(_escape_start, plain)


_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*[]|~$"}})
# An underscore within a word is harmless, and names are full of them.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
# What GitHub makes a link of without being asked: addresses, people, issues. A comment within shows nowhere.
_LINK = re.compile(
    r"\b(?:https?|ftp)(?=://)|\bwww(?=\.)|(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE
)
_START = re.compile(r"^([-+#]|\d+(?=[.)] ))")


def _escape_start(match: re.Match[str]) -> str:
    """Keep a paragraph from becoming a heading or a list; signs of numbers may stay."""
    follows = match.string[match.end() : match.end() + 1]
    sign = match[0] in "-+" and follows.isdigit()
    return match[0] if sign else f"{match[0]}&#8203;" if match[0].isdigit() else f"\\{match[0]}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a table; cells are escaped here."""
    lines = [head, ["---"] * len(head), *([escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
