"""What a report draws: every figure with its place, its words, its SVG and its data."""

import math
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from veridyn.reports import comparison, figures, numbers, sketch, sketch_shapes, spreadsheet, svg
from veridyn.reports.comparison import Levels
from veridyn.reports.numbers import plural
from veridyn.reports.tally import FRAGILE, anchors, by_layer, judged_margin, subject
from veridyn.results import CaseSheet, Document, Figure, Record, WorkPrecisionPoint
from veridyn.results.grouping import group


@dataclass(frozen=True)
class ReportFigure:
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
        return f"data:text/csv;charset=utf-8;base64,{b64encode(self.csv.encode()).decode()}" if self.csv else ""


@dataclass(frozen=True)
class Diagram:
    """Work and precision in one variant: the drawing, if any point can be shown, and the levels behind it."""

    variant: str
    drawing: ReportFigure | None
    solvers: list[Levels]
    prices: dict[str, tuple[str, ...]]

    @property
    def is_equation(self) -> bool:
        """Whether the digits of the test set for initial value problems are counted."""
        return any(level.scd is not None for subject in self.solvers for _, level in subject.levels)


def overview(results: Sequence[Record]) -> ReportFigure | None:
    """Draw the margins of all checks by layer; None if no check has one."""
    shown = [record for record in results if judged_margin(record) is not None]
    if not shown:
        return None
    caption = (
        f"{plural(len(shown), 'check')} with a margin; the height of each row is that of its largest column. Left of 1 "
        "checks fail, orange ones pass with a margin below 2. Checks with an error of zero have no margin."
    )
    return _ready("margins", "Margins by layer", caption, _margins(shown))


def system(case: CaseSheet, anchor: str) -> ReportFigure | None:
    """Draw what moves in a case: its own drawing, masses in a line or a beam, if it has one."""
    name = f"System of {case.case}"
    if case.sketch:
        return _ready(f"{anchor}-system", name, "", sketch_shapes.draw_sketch(case.sketch, name))
    if case.system:
        return _ready(f"{anchor}-system", name, "", sketch.draw(case.system, name))
    if case.beam:
        return _ready(f"{anchor}-system", name, "", sketch.draw_beam(case.beam, name))
    return None


def _ready(anchor: str, title: str, caption: str, svg: str) -> ReportFigure:
    return ReportFigure(anchor, title, caption, lambda: svg)


def count(document: Document) -> int:
    """Return how many figures there are to draw in a studio."""
    return len(document.figures) + len({_place(point) for point in document.work_precision})


def of_cases(listed: Sequence[Figure], studio: Executor) -> dict[str, list[ReportFigure]]:
    """Draw the figures of every case in a studio."""
    keys = anchors([f"{figure.case}-{figure.id}" for figure in listed], "figure-")
    drawn: dict[str, list[ReportFigure]] = {}
    for figure, key in zip(listed, keys, strict=True):
        drawn.setdefault(figure.case, []).append(_drawing(figure, key, studio))
    return drawn


def compared(document: Document, studio: Executor) -> dict[str, list[Diagram]]:
    """Make the work-precision diagrams of every case, drawn in a studio."""
    points = document.work_precision
    machines = [run.machine for run in document.runs]
    solvers = {subject(point, len(machines)): (point.solver, point.run_number) for point in points}
    made: dict[str, list[Diagram]] = {}
    by_variant = group(points, _place)
    results = group(document.results, _place) if points else {}
    keys = anchors([f"{case}-{variant}" for case, variant in by_variant], "work-precision-")
    for (place, members), key in zip(by_variant.items(), keys, strict=True):
        coloured = comparison.diagram(members, results.get(place, []), solvers, machines)
        drawing = _drawing(coloured.figure, key, studio, coloured.families) if coloured else None
        listed = comparison.levels(members, len(machines)), comparison.prices(members, len(machines))
        made.setdefault(place[0], []).append(Diagram(place[1], drawing, *listed))
    return made


def _place(row: Record | WorkPrecisionPoint) -> tuple[str, str]:
    return row.case, row.variant


def _drawing(figure: Figure, anchor: str, studio: Executor, families: Sequence[int | None] = ()) -> ReportFigure:
    drawn = studio.submit(figures.draw, figure, anchor, families)
    return ReportFigure(anchor, figure.title or figure.id, figure.caption, drawn.result, spreadsheet.curves(figure))


# ---- margins of all checks by layer

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 760.0, 62.0, 150.0, 20.0, 26.0, 48.0
LOW, HIGH, BINS = -3, 9, 4  # decades that are shown, with what lies beyond in the outermost bins; bins a decade
BAD, WEAK, GOOD = "#D55E00", "#E69F00", "#0072B2"
SMALL = 'font-size="12" fill="#52606d"'


def _margins(records: Sequence[Record]) -> str:
    """Draw how many checks of each layer have which margin; left of 1 they fail. Takes checks with a margin."""
    rows = by_layer(records)
    height = TOP + ROW * len(rows) + BOTTOM
    parts = list(_margin_axis(height))
    for number, (layer, members) in enumerate(rows.items()):
        parts += _margin_row(layer, members, TOP + ROW * (number + 1))
    return svg.drawing(WIDTH, height, f"Margins of {numbers.plural(len(records), 'check')} by layer", parts, "margins")


def _at(power: float) -> float:
    return LEFT + (power - LOW) / (HIGH - LOW) * (WIDTH - LEFT - RIGHT)


def _margin_axis(height: float) -> Iterator[str]:
    bottom = height - BOTTOM
    corners = [(_at(LOW), TOP), (_at(0), TOP), (_at(0), bottom), (_at(LOW), bottom)]
    yield svg.path(corners, f'fill="{BAD}" fill-opacity="0.07"')
    for power in range(LOW, HIGH + 1):
        x = _at(power)
        yield svg.path([(x, TOP), (x, bottom)], f'stroke="{"#1f2933" if power == 0 else "#e4e7eb"}" fill="none"')
        if power % 3 == 0:
            edge = "≤ " if power == LOW else "≥ " if power == HIGH else ""
            yield svg.text(x, bottom + 17, f"{edge}{numbers.tolerance(10.0**power)}", f'text-anchor="middle" {SMALL}')
    yield svg.text(
        (LEFT + WIDTH - RIGHT) / 2, height - 10, "margin = tolerance / error", f'text-anchor="middle" {SMALL}'
    )
    yield svg.text(_at(0) - 6, TOP - 9, "fails", f'text-anchor="end" {SMALL}')
    yield svg.text(_at(0) + 6, TOP - 9, "passes", SMALL)


def _margin_row(layer: str, members: Sequence[Record], floor: float) -> Iterator[str]:
    counted = Counter(map(_margin_bin, members))
    most = max(counted.values())
    yield svg.text(LEFT - 12, floor - ROW / 2 + 2, layer, 'text-anchor="end" font-size="13"')
    said = numbers.plural(len(members), "check")
    yield svg.text(LEFT - 12, floor - ROW / 2 + 18, said, f'text-anchor="end" {SMALL}')
    yield svg.path([(LEFT, floor), (WIDTH - RIGHT, floor)], 'stroke="#9aa5b1" fill="none"')
    for place, count in sorted(counted.items()):
        left, right = _at(LOW + place / BINS), _at(LOW + (place + 1) / BINS)
        high = max(2.0, (ROW - 12) * count / most)
        colour = BAD if place < -LOW * BINS else WEAK if place <= -LOW * BINS + BINS * math.log10(FRAGILE) else GOOD
        corners = [(left + 0.5, floor), (left + 0.5, floor - high), (right - 0.5, floor - high), (right - 0.5, floor)]
        yield svg.path(corners, f'fill="{colour}"')


def _margin_bin(record: Record) -> int:
    """Return the number of the bin of a margin, from left."""
    margin = record.margin or 0.0
    power = math.log10(margin) if margin > 0.0 else LOW
    return min(max(math.floor((power - LOW) * BINS), 0), (HIGH - LOW) * BINS - 1)
