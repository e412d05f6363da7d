"""What a report says, independent of markup: the HTML and the Markdown page are two renderings of it."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from veridyn.reports import drawing
from veridyn.reports.against import Comparison
from veridyn.reports.checks import Rows, listed, share
from veridyn.reports.document import Document, environments, gaps, scope
from veridyn.reports.drawing import Drawing
from veridyn.reports.sheet import Sheet, make_sheets
from veridyn.reports.studio import HERE
from veridyn.reports.tally import TROUBLE, Tally, flag, group, headline, subject, tally, worst_first

TITLES = {"comparison": "Comparison of solvers"}


@dataclass(frozen=True)
class Page:
    """The whole report; `gaps` says what is missing, `digest` identifies the results file beside it, if any.

    `against` is what changed since an earlier run, if there is one to compare with.
    """

    title: str
    headline: str
    verdict: str
    tally: Tally
    gaps: list[str]
    messages: list[str]
    failures: Rows
    fragile: Rows
    subjects: list[str]
    sheets: list[Sheet]
    overview: Drawing | None
    environments: list[dict[str, Any]]
    runs: list[Tally]
    digest: str = ""
    against: Comparison | None = None

    @property
    def drawn(self) -> list[Drawing]:
        """All figures."""
        return [*([self.overview] if self.overview else []), *(one for sheet in self.sheets for one in sheet.drawn)]


def make_page(document: Document, against: Comparison | None = None, studio: Executor = HERE) -> Page:
    """Arrange a checked document as a page, whose figures are drawn in a studio.

    The page needs the studio until its drawings were looked at. Raises ReportError if matplotlib is not installed.
    """
    results, places, missing = document["results"], environments(document), gaps(document)
    runs = len(places)
    groups = {(record["case"], subject(record, runs)) for record in results}
    sheets = make_sheets(document, runs, share(len(results), len(groups)), studio)  # first: they give the studio work
    total = tally(results)
    return Page(
        title=TITLES.get(document["profile"], "Verification report"),
        headline=headline(total, missing, scope(document)),
        verdict="error" if missing else total.verdict,
        tally=total,
        gaps=missing,
        messages=document["messages"],
        failures=listed([record for record in worst_first(results) if record["verdict"] in TROUBLE], runs),
        fragile=listed([record for record in results if flag(record) == "fragile"], runs),
        subjects=list(group(results, lambda record: subject(record, runs))),
        sheets=sheets,
        overview=drawing.overview(results, runs),
        environments=places,
        runs=[tally(r for r in results if r.get("run", 1) == number) for number in range(1, runs + 1)],
        against=against,
    )
