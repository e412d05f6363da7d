"""The three drawings of the textbooks over step/period: spectral radius, damping ratio, period error."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from veridyn.identification.card import Card
from veridyn.identification.reading import Curve
from veridyn.reports import style
from veridyn.reports.errors import optional_package
from veridyn.reports.figures import print_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = tuple[float, ...]
PANELS: tuple[tuple[str, Callable[[Curve], Values], tuple[float, float]], ...] = (
    ("spectral radius", lambda curve: curve.radius, (0.0, 2.0)),
    ("damping ratio", lambda curve: curve.damping, (-0.1, 0.4)),
    ("period error", lambda curve: curve.period_error, (-0.4, 1.0)),
)
"""Each with the largest range that is drawn: beyond it a method is of no use, and the rest could not be seen."""
ROOM = 0.05  # of the range, around the curves
HEIGHT = 2.6  # inches
LONG = 50.0  # last over first step of an axis whose powers of ten alone are named


def draw_card(card: Card) -> str:
    """Return the drawings of a card as a whole SVG file, empty if it has no curves.

    The solver is drawn as points where it was measured, the nearest family as a line. Raises ReportError if matplotlib
    is not installed.
    """
    curves = [curve for reading in card.readings.values() for curve in reading.curves]
    if not curves:
        return ""
    with optional_package():
        import matplotlib.style
        from matplotlib.figure import Figure
    with matplotlib.style.context(style.RC, after_reset=True), warnings.catch_warnings(action="ignore"):
        canvas = Figure(figsize=(style.WIDTH, HEIGHT), layout="constrained")
        canvas.set_facecolor("white")  # the file stands alone, on a background of any colour
        panels = canvas.subplots(1, len(PANELS))
        for axes, (name, read, widest) in zip(panels, PANELS, strict=True):
            for curve in curves:
                _draw_curve(axes, curve, read(curve))
            axes.set_xscale("log")
            _spread_ticks(axes)
            axes.set_ylim(*_find_range([y for curve in curves for y in read(curve)], widest))
            axes.set_title(name, fontsize=9.0)
            axes.set_xlabel("step / period")
        handles, labels = panels[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=len(curves))
        return print_svg(canvas)


def _draw_curve(axes: Axes, curve: Curve, values: Sequence[float]) -> None:
    measured = curve.name == "solver"
    axes.plot(
        curve.ratio,
        values,
        label=curve.name,
        color=style.CYCLE[0 if measured else 1],
        linestyle="none" if measured else "-",
        marker=style.MARKERS[0] if measured else "none",
        markersize=4.0,
        zorder=3 if measured else 2,
    )


def _spread_ticks(axes: Axes) -> None:
    """Name 1, 2 and 5 along a short axis and powers of ten along a long one, so that no name runs into the next."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    first, last = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if last < LONG * first else (1.0,)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _find_range(values: Sequence[float], widest: tuple[float, float]) -> tuple[float, float]:
    """Return the range of the values within the widest one, with some room."""
    inside = np.clip([value for value in values if np.isfinite(value)] or [0.0], *widest)
    low, high = float(inside.min()), float(inside.max())
    room = ROOM * max(high - low, 0.1 * (widest[1] - widest[0]))
    return low - room, high + room
