"""The comparison page: what runs of several solvers gave, from their result files.

>>> python -m veridyn.compared results.json docs  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from veridyn.reports.diagrams import DIGITS
from veridyn.reports.document import Document, environments, read_results
from veridyn.reports.drawing import Diagram, Drawing
from veridyn.reports.markdown import escape, table
from veridyn.reports.page import Page, make_page
from veridyn.reports.sheet import Sheet

INTRODUCTION = """\
# Comparison of solvers

Written by `python -m veridyn.compared results.json docs`; do not edit. How the solvers are used stands in
[Adapters](adapters.md) and [Simulators under test](simulators.md), with what each of them gets wrong in silence; what
digits and times mean in [Reading the report](reading-the-report.md).

Ratios count, not times: one machine, one solve at a time on a core of its own. A time contains everything from the
problem to the response at all requested instants, the Python of an adapter included. The first call, which may compile,
is left out.

Exudyn's and OpenSees' springs of stick were chosen by looking at SDND104, which is no blind test of them.

The runs below are older than the [judgement in five layers](judgement.md): they count criteria, and the integrator
`veridyn` took the settings of Code_Aster's tests. So on SDND104 its schemes stay at one error, however short their
step: it belongs to the elastic stick of that test (9e6 N/m). At a0 = 1.01 that is
an error of 6.06e-4 in the wear power, and the exact solver with such a stick (`--set tangential_stiffness=9e6`) has it
as well. By default the spring now stiffens as the step falls."""


def comparison_page(document: Document) -> tuple[str, list[Drawing]]:
    """Return the page as Markdown, and its diagrams."""
    page = make_page(document)
    blocks = [INTRODUCTION, *_provenance(document), *_overview(page)]
    blocks += [block for sheet in page.sheets for block in _sheet(sheet)]
    drawings = [one.drawing for sheet in page.sheets for one in sheet.diagrams if one.drawing]
    return "\n\n".join(blocks) + "\n", drawings


def _provenance(document: Document) -> Iterator[str]:
    for environment in environments(document):
        day = str(environment["date"])[:10]
        yield f"`{environment['command']}` on {escape(environment['machine'])}, {day}."


def _overview(page: Page) -> Iterator[str]:
    yield "## Checks passed and correct digits"
    yield (
        "Checks passed of those asked; fewest and median of the correct digits against the truth, at default settings; "
        "time of all runs of the case. A dash: not applicable."
    )
    head = ("Solver · scheme", *(sheet.name for sheet in page.sheets))
    yield table(head, [(escape(name), *(_score(sheet, name) for sheet in page.sheets)) for name in page.subjects])


def _score(sheet: Sheet, subject: str) -> str:
    group = sheet.group_of(subject)
    if group is None or not group.tally.judged:
        return "–"
    counts, score = group.tally.counts, group.score
    return f"{counts['pass']}/{group.tally.judged}; {score.fewest} · {score.median}; {score.time}"


def _sheet(sheet: Sheet) -> Iterator[str]:
    if sheet.diagrams:
        yield f"## {sheet.name}: {escape(sheet.case['title'])}"
    for one in sheet.diagrams:
        yield from _diagram(one)


def _diagram(one: Diagram) -> Iterator[str]:
    yield f"### {escape(one.variant)}"
    if one.drawing:
        yield f"![{escape(one.drawing.title)}](images/{_file(one.drawing)})"
        yield escape(one.drawing.caption)
    if one.prices:
        yield "Time of one solve that reaches so many digits in all quantities; in brackets, times the quickest."
        head = ("Solver · scheme", *(f"{number} digits" for number in DIGITS))
        yield table(head, [(escape(price.subject), *price.times) for price in one.prices])


def _file(drawing: Drawing) -> str:
    return Path(drawing.file).name


def main(*files_and_folder: str) -> None:
    """Write ``comparison.md`` of one or more result files and its images into a folder of documentation."""
    *results, folder = files_and_folder
    text, drawings = comparison_page(read_results(results))
    (Path(folder) / "comparison.md").write_text(text, encoding="utf-8")
    for drawing in drawings:
        (Path(folder) / "images" / _file(drawing)).write_text(drawing.svg, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
