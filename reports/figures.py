"""Figures of a document as SVG text. The same figure gives the same bytes, always."""

import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from msgspec import structs

from veridyn.reports import style, svg
from veridyn.reports.errors import optional_package
from veridyn.results import Figure, Instant, Number, Panel, Role, Scale, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

PLAIN = {"text.parse_math": False}
"""No text is a formula: a dollar sign is one, and to parse the numbers of the axes took half of the time."""


def draw(figure: Figure, key: str, families: Sequence[int | None] = ()) -> str:
    """Draw a figure of the result document as an ``<svg>`` element, without XML declaration.

    The key is the prefix of all identifiers in the drawing, so that several can stand in one page. ``families`` are
    numbers of colours that series share, None for a colour of its own. Raises ReportError if matplotlib is not
    installed.
    """
    with optional_package():
        import matplotlib.style
        from matplotlib.figure import Figure as Canvas

        from veridyn.reports.ticks import label
    panels = [part for panel in figure.panels for part in _split(panel)]
    heights = [_height(panel) for panel in panels]
    shared = len({(panel.xlabel, panel.xscale) for panel in panels}) == 1
    # Rare glyphs and extreme ranges draw warnings that the reader of a report can do nothing about.
    with matplotlib.style.context(style.RC | PLAIN, after_reset=True), warnings.catch_warnings(action="ignore"):
        canvas = Canvas()
        grid = list(canvas.subplots(len(panels), 1, sharex=shared, squeeze=False)[:, 0])
        named = [not shared or panel is panels[-1] for panel in panels]
        rows = []
        for axes, panel, xlabel in zip(grid, panels, named, strict=True):
            rows.append(_draw_panel(axes, panel, families, xlabel=xlabel))
            label(axes)
        _place_panels(canvas, grid, heights, rows, named)
        return _inline(print_svg(canvas), key, figure.title)


def _split(panel: Panel) -> list[Panel]:
    """Give errors that share a panel with curves a panel of their own beneath."""
    errors = [series for series in panel.series if series.role is Role.ERROR]
    others = [series for series in panel.series if series.role is not Role.ERROR]
    if not errors or not any(series.role in (Role.REFERENCE, Role.COMPUTED) for series in others):
        return [panel]
    return [
        structs.replace(panel, series=tuple(others)),
        structs.replace(panel, series=tuple(errors), ylabel="error", yscale=Scale.LINEAR),
    ]


def _height(panel: Panel) -> float:
    usual = style.ERROR_HEIGHT if _is_error(panel) else style.PANEL_HEIGHT
    return usual * float(panel.height)


def _is_error(panel: Panel) -> bool:
    """Whether the panel shows an error about its zero line, rather than orders of magnitude."""
    return panel.yscale is Scale.LINEAR and any(series.role is Role.ERROR for series in panel.series)


def _draw_panel(axes: "Axes", panel: Panel, families: Sequence[int | None], *, xlabel: bool) -> int:
    """Draw a panel; return the rows of the legend above it."""
    axes.set_xscale(panel.xscale)
    axes.set_yscale(panel.yscale)
    coloured = 0
    members = Counter[int]()
    for series, family in zip_longest(panel.series, families):
        if family is None:
            _draw_series(axes, series, panel, coloured, style.mark(coloured))
            coloured += series.role in (Role.COMPUTED, Role.ERROR)
        else:
            _draw_series(axes, series, panel, family, style.mark_of_member(members[family]))
            members[family] += 1
    if _is_error(panel):
        axes.axhline(0.0, color=style.DARK, linewidth=0.8, zorder=2)
    axes.set_ylabel(panel.ylabel)
    axes.set_xlabel(panel.xlabel if xlabel else "")
    axes.margins(x=0.01 if panel.xscale is Scale.LINEAR else 0.05)
    _spread_ticks(axes)
    _draw_events(axes, panel.events, _height(panel))
    return _draw_legend(axes)


LEFT, RIGHT, ABOVE, BELOW, LEGEND_ROW = 0.85, 0.2, 0.26, 0.48, 0.17  # inches around a panel, and of more legend rows


def _place_panels(
    canvas: "Canvas", grid: Sequence["Axes"], heights: Sequence[float], rows: Sequence[int], named: Sequence[bool]
) -> None:
    """Place panels from the bottom up, with room for legends, and for names and numbers of axes.

    The layouts of matplotlib measure every text for that, which takes as long as to draw it.
    """
    above = [ABOVE + LEGEND_ROW * max(0, number - 1) for number in rows]
    below = [BELOW if name else 0.0 for name in named]
    total = sum(heights) + sum(above) - ABOVE * len(above) + sum(below)
    canvas.set_size_inches(style.WIDTH, total)
    bottom = 0.0
    for axes, height, over, under in reversed([*zip(grid, heights, above, below, strict=True)]):
        bottom += under
        size = (style.WIDTH - LEFT - RIGHT) / style.WIDTH, (height - ABOVE) / total
        axes.set_position((LEFT / style.WIDTH, bottom / total, *size))
        bottom += height - ABOVE + over


def _draw_series(axes: "Axes", series: Series, panel: Panel, number: int, mark: str) -> None:
    arguments = style.look(series.role, number, marker=series.marker)
    x, y = _drawable(series.x, panel.xscale), _drawable(series.y, panel.yscale)
    # matplotlib hides labels that begin with an underscore, and that is meant only for empty ones.
    label = re.sub("^_", " _", series.label) or "_"
    if series.role is Role.COMPUTED and not series.marker and len(x) <= FEW_POINTS:
        # a study of a few steps: show where they are
        arguments |= {"marker": mark, "markersize": 4.5}
    axes.plot(x, y, label=label, **arguments)


def _spread_ticks(axes: "Axes") -> None:
    """Name 2 and 5 between powers of ten; matplotlib's 2, 3, 4 and 6 run together beyond a decade."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator

    left, right = axes.get_xlim()
    if axes.get_xscale() == "log" and 10 * left < right < 100 * left:
        axes.xaxis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
        axes.xaxis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=(2.0, 2.0)))


FEW_POINTS = 20

# Beyond these, matplotlib's own arithmetic of axis limits overflows.
_TINY, _HUGE = 1e-150, 1e150


def _drawable(numbers: Sequence[Number | None], scale: Scale) -> list[float]:
    """Leave gaps where there is no number, or none that the axis can show."""
    lowest = _TINY if scale is Scale.LOG else -_HUGE
    return [math.nan if number is None or not lowest < number < _HUGE else float(number) for number in numbers]


def _draw_events(axes: "Axes", events: Sequence[Instant], height: float) -> None:
    """Draw instants; a label that would overprint the one before it is left out, the curves stay below all of them."""
    _make_room(axes, max((len(event.label) for event in events), default=0), height)
    left, right = axes.get_xlim()
    labelled = -math.inf
    for event in sorted(events, key=lambda event: event.x):
        axes.axvline(event.x, color=style.GREY, linewidth=0.7, zorder=1)
        if event.label and event.x - labelled > 0.019 * abs(right - left):
            _label_event(axes, event)
            labelled = event.x


LETTER = 0.06  # inches along a label


def _make_room(axes: "Axes", letters: int, height: float) -> None:
    """Raise the upper end of a linear axis by the length of a label, as far as a third of a panel (inches)."""
    if axes.get_yscale() == "linear":
        low, high = axes.get_ylim()
        part = min(letters * LETTER / height, 1 / 3)
        axes.set_ylim(low, high + part / (1 - part) * (high - low))


def _label_event(axes: "Axes", event: Instant) -> None:
    axes.annotate(
        event.label,
        (event.x, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(2, -2),
        textcoords="offset points",
        rotation=90,
        ha="left",
        va="top",
        fontsize=7.5,
        color=style.DARK,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
    )


MANY_LABELS, SMALL = 18, 7.0  # a legend of more has smaller type


def _draw_legend(axes: "Axes") -> int:
    """Put the legend above the panel, where it hides nothing, and right, since the power of ten is left.

    Returns how many rows it has.
    """
    labels = axes.get_legend_handles_labels()[1]
    if not labels:
        return 0
    longest = max(len(label) for label in labels)
    size, letters = (SMALL, 120) if len(labels) > MANY_LABELS else (None, 96)
    columns = max(1, min(len(labels), letters // (longest + 8)))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.2, fontsize=size)
    return math.ceil(len(labels) / columns)


def print_svg(canvas: "Canvas") -> str:
    """Return a figure as a whole SVG file; `Figure.savefig` would draw it twice, the first time into nothing."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    FigureCanvasSVG(canvas).print_svg(buffer, metadata=nothing)  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def _inline(drawn: str, key: str, title: str) -> str:
    """Make a drawing fit to stand in a page among others."""
    body = drawn[drawn.index("<svg") :]
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.DOTALL)
    # A rule for * would reach the page around the drawing; on the root, its elements inherit it.
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\bid="', f'id="{key}-', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{key}-", body)
    attributes = f'role="img" aria-label="{svg.escape(title)}" style="stroke-linejoin:round;stroke-linecap:butt"'
    return body.replace("<svg", f"<svg {attributes}", 1)
