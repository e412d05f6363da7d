"""The manual for a quality file, as one HTML page and as PDF: what a run verified, by which criteria, for signature."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import structs

from veridyn.outputs import Content, OutputFolder, enter_folder
from veridyn.reports import drawing, manual_blocks, manual_front, numbers, spreadsheet
from veridyn.reports.checks import ALL
from veridyn.reports.manual_blocks import (
    Block,
    Chapter,
    Manual,
    ManualFigure,
    ManualSection,
    ManualTable,
    Pairs,
    Paragraph,
    Signatures,
    listed,
    numbered,
)
from veridyn.reports.manual_case import chapter, errata
from veridyn.reports.manual_trace import list_unmet, make_trace_sections, shorten
from veridyn.reports.names import MANUAL_FILES
from veridyn.reports.page import COMPARED, HEAD, compared, uncovered, weakest
from veridyn.reports.sheet import Sheet, make_sheets
from veridyn.reports.tally import MEANINGS, count_apart, headline, tally
from veridyn.reports.writer import fill, save_all
from veridyn.results import Document, Figure, Panel, Record, Role, Verdict, describe_scope, encode, find_gaps
from veridyn.results.grouping import group
from veridyn.results.quality import NO_QUALITY, QualityRecord

READING = (
    ("Reference", "The certified value; of claims what is claimed, an order for instance; of invariance no change."),
    ("Error, tolerance", "In the same measure: rel, relative to the reference; abs, in the unit of the quantity; "
     "ex, equal or not; ×, of invariance, the change over the admissible one."),
    ("Margin", "Tolerance divided by error, rounded down; below 1 the check fails."),
    ("Digits", "Number of correct digits (LRE), the negative decimal logarithm of the relative error."),
    ("Finest error, uncertainty", "Error on the finest refinement level, and the numerical uncertainty there, "
     "estimated from the levels; the check of convergence compares the two."),
    ("Quantity ¹", "The raised number is that of the route, listed under Reference solution."),
)  # fmt: skip
CRITERIA = (
    ("Convergence", "On the finest refinement level the error must not exceed the numerical uncertainty, three "
     "times the largest of the last two differences between levels, plus what sampling and rounding contribute."),
    ("Claims", "Observed orders, errors per tolerance, digits and known methods must be those that the solver "
     "states of itself. What it does not claim is not judged."),
    ("Invariance", "The same problem put otherwise (repeated, shifted in time, mirrored, in other units, "
     "restarted) must give the same answer, to rounding or within numerical uncertainty."),
    ("Criterion", "At default settings the error must not exceed what the source document or the user asks "
     "for."),
    ("Baseline", "Digits and cost must be those of an earlier run of the same solver."),
)  # fmt: skip
ALIKE = (
    "All solvers are judged by the same rules. A tolerance depends on the solver only through its claims and its own "
    "refinement levels; each check records error, tolerance, its parts, and margin in results.json."
)
HOUSE = (
    "Reference values are enclosures in ball arithmetic: the truth lies within the stated uncertainty of the value, "
    "every event of the motion being proved. An independent second route in multiple precision confirms them."
)
SCOPE = (
    "This manual records the verification of the solver named on the title page on the cases listed in chapter 3: "
    "that it solves the stated equations correctly, within the acceptance criteria of chapter 2."
)
USE = "The intended use was not stated for this manual (option --quality); state it before approval."
APART = (
    "Verification asks whether the equations are solved correctly; every check of this manual is one of verification. "
    "Validation asks whether the equations describe reality for an intended use, and needs measurements: this manual "
    "holds none, and makes no statement about it. Values that documents print are compared with the reference, not "
    "with the solver; where they differ, the chapter on errata says why."
)
LIMITS = (
    "A passed check covers its case, variant, quantity and settings, with the machine and versions of the annex.",
    "Problems outside the cases, other parameters and larger systems are covered only as far as they resemble them.",
)
COUNTED = "Checks by what the answer is compared with"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
ROLES = ("Prepared by", "Reviewed by", "Approved by")


def make_manual(document: Document, digest: str = "", quality: QualityRecord = NO_QUALITY) -> Manual:
    """Arrange a checked document as a manual; draws the figures.

    The digest is the SHA-256 of the results beside it. Raises ReportError if a package that draws is not installed.
    """
    results, missing, runs = document.results, find_gaps(document), count_apart(document)
    sheets = make_sheets(structs.replace(document, figures=tuple(map(_trim, document.figures))), runs, ALL)
    total, tested = tally(results), manual_front.name_solvers(document)
    said, unmet = headline(total, missing, describe_scope(document)), list_unmet(quality.requirements, results)
    not_met = f"; requirements not met: {shorten(unmet)}" if unmet else ""
    concluded = manual_front.conclude(document, total, missing, quality)
    chapters = [
        _scope(document, concluded, quality.intended_use),
        _acceptance(),
        _requirements(document, sheets, quality),
        manual_front.make_deviations(document, quality),
        *map(chapter, sheets),
        Chapter(
            "Errata in published documents", "", [ManualSection(sheet.name, errata(sheet.case)) for sheet in sheets]
        ),
        _annexes(document, quality),
        _approval(concluded, digest, quality),
    ]
    return Manual(
        title=f"Verification manual of {', '.join(tested) or 'no solver'}",
        version=document.environment.veridyn,
        date=document.environment.date,
        headline=f"{said}{not_met}",
        verdict=Verdict.ERROR if missing else Verdict.FAIL if unmet and not total.trouble else total.verdict,
        gaps=missing,
        about=Pairs(_about(document, digest, quality)),
        mark=_mark(digest, quality),
        history=_history(quality),
        chapters=numbered([one for one in chapters if any(section.blocks for section in one.sections)]),
    )


def _trim(figure: Figure) -> Figure:
    """Return a figure with its first curves and their error alone: more would be too small to read."""
    first, others = figure.panels[0], figure.panels[1:]
    errors = [] if _has_error(first) else [panel for panel in others if _has_error(panel)]
    return structs.replace(figure, panels=(first, *errors[:1])) if len(others) > 1 else figure


def _has_error(panel: Panel) -> bool:
    return any(series.role is Role.ERROR for series in panel.series)


def _mark(digest: str, quality: QualityRecord) -> str:
    """Return what tells a page of this manual from that of any other."""
    named = (quality.number, f"revision {quality.revision}" if quality.revision else "")
    return ", ".join(filter(None, named)) or (f"results {digest[:12]}" if digest else "")


def _history(quality: QualityRecord) -> list[Block]:
    rows = [(one.revision, one.date, one.author, one.change) for one in quality.revisions]
    head = ("Revision", "Date", "Author", "Change")
    return [ManualTable("Revision history", head, "ssst", rows)] if rows else [Paragraph(NO_HISTORY)]


NO_HISTORY = "No revision history was stated (option --quality)."


def _about(document: Document, digest: str, quality: QualityRecord) -> list[tuple[str, str]]:
    first = document.environment
    result = [
        ("Document", quality.number),
        ("Revision", quality.revision),
        *manual_front.describe_codes(document),
        ("Checks", str(len(document.results))),
        ("Judged on", first.date),
        ("Judged by", f"veridyn {first.veridyn}"),
        *manual_front.describe_judged(document, quality),
        ("SHA-256 of results.json", digest),
    ]
    return [(name, value) for name, value in result if value]


def _scope(document: Document, concluded: str, use: str) -> Chapter:
    results, runs = document.results, count_apart(document)
    weak = [
        f"{kind.title}: {point.said}, {' '.join(filter(None, (point.record.case, point.record.variant)))}, "
        f"{point.record.quantity} ({point.record.layer}), {point.subject}"
        for kind in weakest(results, runs)
        for point in kind.shown
    ]
    counts = [one.cells for one in compared(results)]
    return Chapter(
        title="Scope and result",
        about="",
        sections=[
            ManualSection("Conclusion", [Paragraph(concluded)]),
            ManualSection("Scope and intended use", [Paragraph(SCOPE), Paragraph(use or USE)]),
            ManualSection("Result", [ManualTable(COUNTED, HEAD, "stnnnn", counts)]),
            ManualSection("What was not judged", listed(uncovered(document, describe_scope(document)))),
            ManualSection("Weakest points", listed(weak)),
            ManualSection("Limitations", listed(LIMITS)),
            ManualSection("Verification and validation", [Paragraph(APART)]),
            ManualSection("Messages of the run", listed([message.sentence for message in document.messages])),
        ],
    )


def _acceptance() -> Chapter:
    sections = [
        ManualSection("Reference values", [Paragraph(HOUSE)]),
        ManualSection("Criteria", [Paragraph(ALIKE), Pairs(CRITERIA)]),
        ManualSection("Verdicts", [Pairs(list(MEANINGS.items()))]),
        ManualSection("How to read the tables", [Pairs(READING)]),
    ]
    return Chapter("Acceptance criteria", "", sections)


def _requirements(document: Document, sheets: Sequence[Sheet], quality: QualityRecord) -> Chapter:
    """Trace requirements to checks and back, and set each case against its checks: passed of judged ones by layer."""
    by_case = group(document.results, lambda record: record.case)
    rows = [
        (
            sheet.name,
            sheet.case.title,
            *_shares(by_case.get(sheet.name, [])),
            sheet.tally.margin,
            sheet.tally.verdict,
        )
        for sheet in sheets
    ]
    names = [name for name, _ in COMPARED.values()]
    head = ("Case", "The solver solves", *names, "Margin", "Verdict")
    caption = "Cases and checks that verify them: passed of judged; a dash where nothing was judged"
    table = (
        [ManualTable(caption, head, "st" + "n" * len(names) + "ns", rows, [row[-1] for row in rows])] if rows else []
    )
    drawn = drawing.overview(document.results)
    figure = [ManualFigure(drawn.title, drawn.caption, drawn.svg)] if drawn else []
    traced = make_trace_sections(quality.requirements, document.results)
    return Chapter(
        "Requirements and checks", "", [*traced, ManualSection("Matrix", table), ManualSection("Margins", figure)]
    )


def _shares(results: Sequence[Record]) -> list[str]:
    return [
        f"{one.tally.counts[Verdict.PASS]}/{judged}"
        if (judged := one.tally.counts[Verdict.PASS] + one.tally.trouble)
        else "–"
        for one in compared(results)
    ]


def _annexes(document: Document, quality: QualityRecord) -> Chapter:
    sections = [
        ManualSection("Bibliography", _bibliography(document)),
        ManualSection("Environment", list(_provenance(document))),
        ManualSection("Hashes", manual_front.list_hashes(document, quality)),
    ]
    return Chapter("Annexes", "", sections)


def _approval(concluded: str, digest: str, quality: QualityRecord) -> Chapter:
    """Return conclusion, digest and the room for signatures, which stand on one page."""
    files = f"The results are those of the file results.json with SHA-256 {digest}." if digest else ""
    named = f"Document {_mark(digest, quality)}." if quality.number else ""
    lines = [(role, "Date", "Signature") for role in ROLES]
    signed = Signatures([text for text in (concluded, f"{named} {files}".strip()) if text], lines)
    return Chapter("Approval", "", [ManualSection("Statement", [signed])])


def _bibliography(document: Document) -> list[Block]:
    """List what the cases come from, and the places that values are quoted from."""
    cited = [(case.case, source) for case in document.cases for source in case.sources]
    quoted = [
        (case.case, "; ".join(dict.fromkeys(value.source for value in case.published)))
        for case in document.cases
        if case.published
    ]
    tables = (("Sources of the cases", "Document", cited), ("Published values", "Quoted from", quoted))
    return [ManualTable(caption, ("Case", head), "sl", rows) for caption, head, rows in tables if rows]


def _provenance(document: Document) -> Iterable[Block]:
    places = document.runs
    for number, environment in enumerate(places, start=1):
        said = list(environment.facts.items())
        packages = ", ".join(f"{name} {version}" for name, version in environment.packages.items())
        if len(places) > 1:
            count = sum(record.run_number == number for record in document.results)
            yield Paragraph(f"Run {number}: {numbers.plural(count, 'check')}.")
        yield Pairs([*said, *([("packages", packages)] if packages else [])])


def html(manual: Manual) -> str:
    """Render a manual as HTML for reading and printing: nothing is fetched, nothing runs.

    Raises ReportError if jinja2 is not installed.
    """
    return fill("manual", manual=manual, policy=POLICY)


def write(
    document: Document, folder: Path | OutputFolder, quality: QualityRecord = NO_QUALITY, *, pdf: bool = True
) -> list[Path]:
    """Write the manual of a checked document and the results that it was made from; returns the files.

    The same document gives the same bytes, those of the PDF too. Raises ReportError if the folder cannot be written,
    see `veridyn.outputs`, or a package is not installed.
    """
    with enter_folder(folder, "manual", MANUAL_FILES) as place:
        results = encode(document)
        made = make_manual(document, hashlib.sha256(results).hexdigest(), quality)
        files: dict[str, Content] = {
            "manual.html": html(made).encode("utf-8", errors="replace"),
            "results.json": results,
            "results.csv": spreadsheet.results(document.results).encode("utf-8", errors="replace"),
        }
        if pdf:
            files["manual.pdf"] = manual_blocks.render(made)
        return save_all(place, files)
