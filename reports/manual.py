"""The validation manual: what a quality file wants of a run, as one HTML page and as PDF; reads recorded results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from veridyn.reports import drawing, manual_pdf, numbers, spreadsheet
from veridyn.reports.checks import share
from veridyn.reports.document import Document, environments, gaps, scope
from veridyn.reports.errors import ReportError
from veridyn.reports.html import fill
from veridyn.reports.manual_blocks import (
    Blanks,
    Block,
    Chapter,
    Figure,
    Manual,
    Pairs,
    Paragraph,
    Section,
    Table,
    listed,
    numbered,
)
from veridyn.reports.manual_case import chapter
from veridyn.reports.sheet import Sheet, make_sheets
from veridyn.reports.tally import LAYERS, MEANINGS, Tally, group, headline, subject, tally
from veridyn.reports.writer import results_file, save_all

MOST = 20_000  # checks in a manual; more than three hundred pages of tables are for a program to read
READING = (
    ("Reference", "The certified value; of claims what is claimed, an order for instance; of invariance no change."),
    ("Error, tolerance", "In the same measure: rel, relative to the reference; abs, in the unit of the quantity; "
     "ex, equal or not; ×, of invariance, the change over the admissible one. The note gives the reason of the "
     "tolerance. The parts of each tolerance and its level table stand in results.json and results.csv."),
    ("Margin", "Tolerance divided by error, rounded down; below 1 the check fails."),
    ("Digits", "Number of correct digits (LRE), the negative decimal logarithm of the relative error."),
)  # fmt: skip
CRITERIA = (
    "One mechanism judges every solver alike. Each check belongs to one of five layers: the answer with default "
    "settings is held against the truth by the acceptance criterion of a document, or of the user (criterion); "
    "the answer on the finest refinement level against the truth within its numerical uncertainty, three times "
    "the largest of the last differences between levels, with what sampling and rounding contribute "
    "(convergence); observed orders, slopes, digits and known methods against what the solver claims (claim); the"
    " answer to the same problem put otherwise against the first answer (invariance); digits and cost against an "
    "earlier run of the same solver (baseline). What a solver does not claim is not judged. A tolerance depends "
    "on who is judged only through what is claimed and through the solver's levels."
)
HOUSE = (
    "Reference values are enclosures in ball arithmetic: the truth lies within the stated uncertainty of the value, "
    "every event of the motion being proved. An independent second route in multiple precision confirms them."
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
CASES = ("Case", "Document", "Checks", "Worst margin", "Errata", "Verdict")


def make_manual(document: Document, digest: str = "") -> Manual:
    """Arrange a checked document as a manual; draws the figures.

    The digest is the SHA-256 of the results beside it. Raises ReportError if a package that draws is not installed.
    """
    results, places, missing = document["results"], environments(document), gaps(document)
    groups = {(record["case"], subject(record, len(places))) for record in results}
    sheets = make_sheets(document, len(places), share(len(results), len(groups), MOST))
    total = tally(results)
    said = headline(total, missing, scope(document))
    chapters = [_summary(document, sheets), *map(chapter, sheets), _annexes(document, said, digest)]
    version = str(places[0]["veridyn"])
    return Manual(
        title="Validation manual",
        version=version,
        date=str(places[0]["date"]),
        headline=said,
        verdict="error" if missing else total.verdict,
        gaps=missing,
        about=Pairs(_about(document, total.total, digest)),
        chapters=numbered(chapters),
    )


def _about(document: Document, checks: int, digest: str) -> list[tuple[str, str]]:
    first = document["environment"]
    subjects = group(document["results"], lambda record: str(record["solver"]))
    found = {
        "veridyn": first["veridyn"],
        "Solver": ", ".join(subjects),
        "Run": first["date"],
        "Checks": str(checks),
        "Results, SHA-256": digest,
    }
    return [(name, str(value)) for name, value in found.items() if value]


def _summary(document: Document, sheets: Sequence[Sheet]) -> Chapter:
    rows = [
        (
            sheet.name,
            sheet.case["document"],
            str(sheet.tally.total),
            sheet.margin,
            str(len(sheet.errata)),
            sheet.tally.words,
        )
        for sheet in sheets
    ]
    tones = [sheet.tally.verdict for sheet in sheets]
    drawn = drawing.overview(document["results"], len(environments(document)))
    cases = [Table("Cases of this manual", CASES, "ssnnnt", rows, tones)] if rows else []
    words = [*READING, *MEANINGS.items()]
    return Chapter(
        title="Summary",
        about="",
        sections=[
            Section("Verdicts", [*cases, *listed(document["messages"])]),
            Section("All checks", [Figure(drawn.title, drawn.caption, drawn.svg)] if drawn else []),
            Section(
                "Acceptance criteria", [Paragraph(HOUSE), Paragraph(CRITERIA), _by_layer(tally(document["results"]))]
            ),
            Section("How to read the tables", [Pairs(words)]),
        ],
    )


def _by_layer(total: Tally) -> Block:
    """Count verdicts by layer, layers that were not judged included."""
    verdicts = [verdict for verdict, count in total.counts.items() if count]
    rows = []
    for layer, meaning in LAYERS.items():
        found = total.layers.get(layer, {})
        rows.append((layer, meaning, *(str(found.get(verdict) or "–") for verdict in verdicts)))
    return Table("Layers of judgement", ("Layer", "Compared with", *verdicts), "st" + "n" * len(verdicts), rows)


def _annexes(document: Document, said: str, digest: str) -> Chapter:
    sign = f"{said}. The results are those of the file whose SHA-256 is {digest}." if digest else f"{said}."
    return Chapter(
        title="Annexes",
        about="",
        sections=[
            Section("Bibliography", _bibliography(document)),
            Section("Provenance", list(_provenance(document))),
            Section("Signature", [Paragraph(sign), Blanks(("Checked by", "Date", "Signature"))]),
        ],
    )


def _bibliography(document: Document) -> list[Block]:
    """List the documents of the cases and what is quoted from them."""
    rows = [
        (case["case"], case["document"], case["title"], "; ".join(_sources(case["published"])))
        for case in document["cases"]
        if case["document"] or case["published"]
    ]
    head = ("Case", "Document", "Subject", "Values quoted from")
    return [Table("Documents", head, "sstt", rows)] if rows else []


def _sources(published: Iterable[Document]) -> list[str]:
    return list(dict.fromkeys(str(value["source"]) for value in published))


def _provenance(document: Document) -> Iterable[Block]:
    places = environments(document)
    for number, environment in enumerate(places, start=1):
        said = [(name, value) for name, value in environment.items() if isinstance(value, str)]
        packages = ", ".join(f"{name} {version}" for name, version in environment["packages"].items())
        if len(places) > 1:
            count = sum(record.get("run", 1) == number for record in document["results"])
            yield Paragraph(f"Run {number}: {numbers.plural(count, 'check')}.")
        yield Pairs([*said, *([("packages", packages)] if packages else [])])


def html(manual: Manual) -> str:
    """Render a manual as HTML for reading and printing: nothing is fetched, nothing runs.

    Raises ReportError if jinja2 is not installed.
    """
    return fill("manual", manual=manual, policy=POLICY)


def write(document: Document, folder: Path, *, pdf: bool = True) -> list[Path]:
    """Write the manual of a checked document and the results that it was made from; returns the files.

    The same document gives the same bytes, those of the PDF too. Raises ReportError if the folder cannot be written or
    a package is not installed.
    """
    results = results_file(document)
    made = make_manual(document, hashlib.sha256(results).hexdigest())
    files = {
        "manual.html": html(made).encode("utf-8", errors="replace"),
        "results.json": results,
        "results.csv": spreadsheet.results(document["results"]).encode("utf-8", errors="replace"),
    }
    if pdf:
        files["manual.pdf"] = manual_pdf.render(made)
    try:
        return save_all({folder / name: content for name, content in files.items()})
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from None
