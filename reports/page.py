"""What a report says, independent of markup: the pages, the manual's summary and the summary of a job render it."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from veridyn.reports import drawing, numbers
from veridyn.reports.against import Comparison
from veridyn.reports.checks import ALL, SINGLE, Rows, listed, share
from veridyn.reports.comparison import Standing, standings
from veridyn.reports.document import Document, environments, gaps, scope
from veridyn.reports.drawing import Drawing
from veridyn.reports.sheet import Sheet, make_sheets
from veridyn.reports.studio import HERE
from veridyn.reports.tally import (
    TROUBLE,
    Record,
    Tally,
    group,
    headline,
    judged_margin,
    subject,
    tally,
    worst_first,
)
from veridyn.reports.weak import Kind, uncovered, weakest

TITLES = {"comparison": "Comparison of solvers"}

COMPARED = {
    "convergence": ("Truth", "proved reference, within 3 times the change between the last refinement levels"),
    "claim": ("Claims", "order, error per tolerance, digits or method that the solver states of itself"),
    "invariance": (
        "Invariance",
        "its answer to the same problem put otherwise, to rounding or numerical uncertainty",
    ),
    "criterion": ("Criterion", "proved reference, within what the source document or the user asks for"),
    "baseline": ("Regression", "digits and cost of an earlier run"),
}
"""Layers in the order of the first page: name, what the answer is compared with and how strictly."""

HEAD = ("Compared with", "", "Passed", "Failed", "Not judged", "Worst margin")


@dataclass(frozen=True)
class Compared:
    """The checks of one layer, counted: what they compare with and how strictly, how they ended."""

    name: str
    meaning: str
    tally: Tally
    margin: str

    @property
    def others(self) -> int:
        """How many were not judged, or fail for a known reason."""
        return self.tally.total - self.tally.counts["pass"] - self.tally.trouble

    @property
    def cells(self) -> tuple[str, ...]:
        """The layer as a row below `HEAD`."""
        counts = (self.tally.counts["pass"], self.tally.trouble, self.others)
        return self.name, self.meaning, *map(str, counts), self.margin


@dataclass(frozen=True)
class Page:
    """The whole report; `gaps` says what is missing, `digest` identifies the results file beside it, if any.

    `against` is what changed since an earlier run, if there is one to compare with; `single`: all in one file.
    """

    title: str
    headline: str
    verdict: str
    tally: Tally
    gaps: list[str]
    messages: list[str]
    solvers: list[str]
    compared: list[Compared]
    failures: Rows
    weakest: list[Kind]
    uncovered: list[str]
    subjects: list[str]
    standings: list[Standing]
    sheets: list[Sheet]
    overview: Drawing | None
    environments: list[dict[str, Any]]
    runs: list[Tally]
    digest: str = ""
    against: Comparison | None = None
    single: bool = False

    @property
    def drawn(self) -> list[Drawing]:
        """All figures."""
        return [*([self.overview] if self.overview else []), *(one for sheet in self.sheets for one in sheet.drawn)]


def make_page(
    document: Document, against: Comparison | None = None, studio: Executor = HERE, *, single: bool = False
) -> Page:
    """Arrange a checked document as a report, whose figures are drawn in a studio.

    The page needs the studio until its drawings were looked at. Raises ReportError if matplotlib is not installed.
    """
    results, places, missing = document["results"], environments(document), gaps(document)
    runs = len(places)
    groups = {(record["case"], subject(record, runs)) for record in results}
    most = share(len(results), len(groups), SINGLE) if single else ALL
    sheets = make_sheets(document, runs, most, studio)  # first: they give the studio work
    total, asked = tally(results), scope(document)
    return Page(
        title=TITLES.get(document["profile"], "Verification report"),
        headline=headline(total, missing, asked),
        verdict="error" if missing else total.verdict,
        tally=total,
        gaps=missing,
        messages=document["messages"],
        solvers=solvers(document),
        compared=compared(results),
        failures=listed(failures(results), runs),
        weakest=weakest(results, runs),
        uncovered=uncovered(document, asked),
        subjects=list(group(results, lambda record: subject(record, runs))),
        standings=standings(results, runs),
        sheets=sheets,
        overview=drawing.overview(results),
        environments=places,
        runs=[tally(r for r in results if r.get("run", 1) == number) for number in range(1, runs + 1)],
        against=against,
        single=single,
    )


def solvers(document: Document) -> list[str]:
    """Name the solvers under test with their versions, as far as recorded, and their schemes."""
    versions = {one["name"]: one["version"] for one in document["solvers"]}
    schemes = group(document["results"], lambda record: str(record["solver"]))
    return [
        " ".join(filter(None, (name, versions.get(name, ""), _schemes(records)))) for name, records in schemes.items()
    ]


def _schemes(records: list[Record]) -> str:
    found = list(dict.fromkeys(str(record["scheme"]) for record in records if record["scheme"]))
    return f"({', '.join(found)})" if found else ""


def compared(results: list[Record]) -> list[Compared]:
    """Count the checks of each layer, the truth first."""
    found = group(results, lambda record: str(record["layer"]))
    totals = {layer: tally(found.get(layer, [])) for layer in COMPARED}
    return [Compared(*COMPARED[layer], total, numbers.margin(total.worst)) for layer, total in totals.items()]


def failures(results: list[Record]) -> list[Record]:
    """Return checks in trouble: errors first, then by margin, the worst first."""
    found = worst_first(record for record in results if record["verdict"] in TROUBLE)
    return sorted(found, key=lambda record: (record["verdict"] == "fail", judged_margin(record) or 0.0))
