"""What a report draws: every figure with its place, its words, its SVG and its data."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from urllib.parse import quote

from veridyn.reports import beam, diagrams, figures, margins, numbers, sketch, spreadsheet
from veridyn.reports.diagrams import Levels, Price
from veridyn.reports.document import Document, environments
from veridyn.reports.numbers import plural
from veridyn.reports.tally import Record, anchors, group, subject


@dataclass(frozen=True)
class Drawing:
    """A figure; `ink` waits until it is drawn, `csv` is its data, empty if the figure has none of its own."""

    anchor: str
    title: str
    caption: str
    ink: Callable[[], str]
    csv: str = ""

    @property
    def svg(self) -> str:
        """The drawing, an ``<svg>`` element."""
        return self.ink()

    @property
    def file(self) -> str:
        """Name of its file, relative to the report."""
        return f"figures/{self.anchor}.svg"

    @property
    def data(self) -> str:
        """Its data as a link that needs no file beside the page."""
        return f"data:text/csv;charset=utf-8,{quote(self.csv, safe=',:;/ ()+=')}" if self.csv else ""


@dataclass(frozen=True)
class Diagram:
    """Work and precision in one variant: the drawing, if any point can be shown, and the levels behind it."""

    variant: str
    drawing: Drawing | None
    solvers: list[Levels]
    prices: list[Price]

    @property
    def is_equation(self) -> bool:
        """Whether the digits of the test set for initial value problems are counted."""
        return any(level.scd != numbers.NONE for subject in self.solvers for level in subject.levels)


def overview(results: list[Record]) -> Drawing | None:
    """Draw the margins of all checks by layer; None if no check has one."""
    shown = margins.judged(results)
    if not shown:
        return None
    caption = (
        f"{plural(len(shown), 'check')} with a margin; the height of each row is that of its largest column. Left of 1 "
        "checks fail, orange ones pass with a margin below 2. Checks with an error of zero have no margin."
    )
    return _ready("margins", "Margins by layer", caption, margins.draw(shown))


def system(case: Record, anchor: str) -> Drawing | None:
    """Draw the mechanical system of a case, masses in a line or a beam, if it is described."""
    name = f"System of {case['case']}"
    if case["system"]:
        return _ready(f"{anchor}-system", name, "", sketch.draw(case["system"], name))
    if case["beam"]:
        return _ready(f"{anchor}-system", name, "", beam.draw(case["beam"], name))
    return None


def _ready(anchor: str, title: str, caption: str, svg: str) -> Drawing:
    return Drawing(anchor, title, caption, lambda: svg)


def count(document: Document) -> int:
    """Return how many figures there are to draw in a studio."""
    return len(document["figures"]) + len(set(map(_place, document["work_precision"])))


def of_cases(listed: list[Record], studio: Executor) -> dict[str, list[Drawing]]:
    """Draw the figures of every case in a studio."""
    keys = anchors([f"{figure['case']}-{figure['id']}" for figure in listed], "figure-")
    drawn: dict[str, list[Drawing]] = {}
    for figure, key in zip(listed, keys, strict=True):
        drawn.setdefault(figure["case"], []).append(_drawing(figure, key, studio))
    return drawn


def compared(document: Document, studio: Executor) -> dict[str, list[Diagram]]:
    """Make the work-precision diagrams of every case, drawn in a studio."""
    points = document["work_precision"]
    machines = [environment["machine"] for environment in environments(document)]
    solvers = {subject(point, len(machines)): (point["solver"], point.get("run", 1)) for point in points}
    made: dict[str, list[Diagram]] = {}
    by_variant = group(points, _place)
    results = group(document["results"], _place) if points else {}
    keys = anchors([f"{case}-{variant}" for case, variant in by_variant], "work-precision-")
    for (place, members), key in zip(by_variant.items(), keys, strict=True):
        figure = diagrams.figure(members, results.get(place, []), solvers, machines)
        drawing = _drawing(figure, key, studio) if figure else None
        listed = diagrams.solvers(members, len(machines)), diagrams.prices(members, len(machines))
        made.setdefault(place[0], []).append(Diagram(place[1], drawing, *listed))
    return made


def _place(record: Record) -> tuple[str, str]:
    return str(record["case"]), str(record["variant"])


def _drawing(figure: Record, anchor: str, studio: Executor) -> Drawing:
    drawn = studio.submit(figures.draw, figure, anchor)
    return Drawing(anchor, figure["title"] or figure["id"], figure["caption"], drawn.result, spreadsheet.curves(figure))
