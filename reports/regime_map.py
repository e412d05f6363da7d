"""The picture of a parameter sweep: regimes and a shaded quantity over one or two parameters, as SVG text."""

import io
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridyn.reports import style
from veridyn.reports.errors import optional_package

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = "cividis"  # even for the eye, and the same for colour-blind readers
WIDE = 100.0  # beyond this ratio shades follow the logarithm
FEWEST = 0.01  # part of the points below which a region has no room for its name
PALE_ABOVE = 0.55  # part of the shades above which dark lines are seen better than white ones
FEW_POWERS = 5  # of ten
DOTS = 200  # per inch of what is drawn as pixels
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)))


@dataclass(frozen=True, eq=False)
class Scale:
    """An axis: label with unit, values, whether it is logarithmic."""

    label: str
    values: NDArray[np.float64]
    log: bool


@dataclass(frozen=True, eq=False)
class Region:
    """A regime: its name, and the points that belong to it (in the shape of the shade)."""

    name: str
    members: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Line:
    """A border of theory: where ``excess`` over ``ticks`` is zero."""

    label: str
    ticks: tuple[NDArray[np.float64], ...]
    excess: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RegimeMap:
    """What is drawn: ``shade`` (x) or (x, y) over one or two axes."""

    title: str
    axes: tuple[Scale, ...]
    shade: NDArray[np.float64]
    shade_label: str
    regions: tuple[Region, ...]
    borders: tuple[Line, ...]


def draw(picture: RegimeMap) -> str:
    """Draw a map over two axes, or a curve over one, as a whole SVG file.

    Raises ReportError if matplotlib is not installed.
    """
    with optional_package():
        import matplotlib.style
        from matplotlib.figure import Figure
    with matplotlib.style.context(style.RC, after_reset=True), warnings.catch_warnings(action="ignore"):
        canvas = Figure(figsize=(style.WIDTH, 0.7 * style.WIDTH), layout="constrained", dpi=DOTS)
        canvas.set_facecolor("white")  # the file stands alone, on a background of any colour
        axes = canvas.subplots()
        order = [np.argsort(scale.values) for scale in picture.axes]  # a list may go up and down
        (_draw_map if len(order) == 2 else _draw_curve)(canvas, axes, picture, order)
        axes.set_title(picture.title, fontsize=9.5, loc="left", pad=24.0)
        axes.set_xlabel(picture.axes[0].label)
        return svg(canvas)


def _set_scale(axes: "Axes", picture: RegimeMap) -> None:
    for scale, change in zip(picture.axes, (axes.set_xscale, axes.set_yscale), strict=False):
        if scale.log:
            change("log")


def _draw_map(canvas: "Figure", axes: "Axes", picture: RegimeMap, order: list[NDArray[np.int64]]) -> None:
    x, y = (scale.values[place] for scale, place in zip(picture.axes, order, strict=True))
    shade = picture.shade[np.ix_(*order)].T
    _set_scale(axes, picture)
    axes.grid(visible=False)
    axes.set_facecolor(style.PALE)
    norm = _norm(shade)
    mesh = axes.pcolormesh(
        x, y, np.ma.masked_less_equal(shade, 0.0), cmap=SHADES, norm=norm, shading="nearest", rasterized=True
    )
    bar = canvas.colorbar(mesh, ax=axes, label=picture.shade_label, pad=0.02)
    bar.outline.set_visible(False)
    if min(shade.shape) > 1:
        _draw_contours(axes, x, y, shade, norm)
        _draw_borders(axes, picture.borders)
    _draw_names(axes, picture)
    axes.set_ylabel(picture.axes[1].label)


def _norm(shade: NDArray[np.float64]) -> Any:
    """Return even steps of colour, in the logarithm if the values span orders of magnitude."""
    from matplotlib.colors import LogNorm, Normalize

    positive = shade[shade > 0.0]
    if positive.size == 0:
        return Normalize(0.0, 1.0)
    low, high = float(np.quantile(positive, 0.02)), float(positive.max())
    # next to a border values fall to nothing: those few would take all the colours
    return LogNorm(low, high) if high > WIDE * low > 0.0 else Normalize(0.0, high)


def _draw_contours(
    axes: "Axes", x: NDArray[np.float64], y: NDArray[np.float64], shade: NDArray[np.float64], norm: Any
) -> None:
    levels = _levels(norm)
    if levels:
        colours = ["white" if norm(level) < PALE_ABOVE else style.DARK for level in levels]
        lines = axes.contour(x, y, shade, levels=levels, colors=colours, linewidths=0.7)
        axes.clabel(lines, fmt=lambda level: f"{level:.3g}", fontsize=7.5)


def _levels(norm: Any) -> list[float]:
    """Return round values between the ends of the shades."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    low, high = float(norm.vmin), float(norm.vmax)
    if not isinstance(norm, LogNorm):
        return [level for level in MaxNLocator(7).tick_values(low, high) if low < level < high]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    steps = (1.0, 3.0) if len(powers) <= FEW_POWERS else (1.0,)
    return [level for power in powers for step in steps if low < (level := step * 10.0**power) < high]


def _draw_borders(axes: "Axes", borders: Sequence[Line]) -> None:
    """Draw the borders that cross the map; a white edge keeps them visible on dark shades."""
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import Normal, Stroke

    edge = [Stroke(linewidth=3.2, foreground="white"), Normal()]
    for number, border in enumerate(borders):
        if not border.excess.min() < 0.0 < border.excess.max():
            continue
        look: dict[str, Any] = {"linestyle": DASHES[number % len(DASHES)], "linewidth": 1.6}
        lines = axes.contour(
            *border.ticks,
            border.excess.T,
            levels=[0.0],
            colors=style.CYCLE[1],
            linestyles=[look["linestyle"]],
            linewidths=look["linewidth"],
        )
        lines.set_path_effects(edge)
        axes.add_line(Line2D([], [], color=style.CYCLE[1], label=border.label, **look))
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2, handlelength=3.0)


def _draw_names(axes: "Axes", picture: RegimeMap) -> None:
    for region in picture.regions:
        members = np.argwhere(region.members)
        if len(members) >= FEWEST * region.members.size:
            # the member in the middle, since the middle of a bent region may lie outside
            place = members[np.abs(members - np.median(members, axis=0)).sum(axis=1).argmin()]
            x, y = (scale.values[i] for scale, i in zip(picture.axes, place, strict=True))
            box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2.0}
            axes.annotate(region.name, (x, y), ha="center", va="center", color=style.DARK, bbox=box)


def _draw_curve(_: "Figure", axes: "Axes", picture: RegimeMap, order: list[NDArray[np.int64]]) -> None:
    place = order[0]
    x, shade = picture.axes[0].values[place], picture.shade[place]
    _set_scale(axes, picture)
    for number, region in enumerate(picture.regions):
        inside = np.where(region.members[place], shade, np.nan)
        axes.plot(x, inside, label=region.name, color=style.CYCLE[number], marker=style.mark(number), markersize=2.5)
    for number, border in enumerate(picture.borders):
        for crossing in _crossings(border):
            axes.axvline(crossing, color=style.DARK, linewidth=1.0, linestyle=DASHES[number % 3], label=border.label)
    axes.set_ylabel(picture.shade_label)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, borderaxespad=0.2)


def _crossings(border: Line) -> NDArray[np.float64]:
    """Return where a border is crossed, between two ticks by the straight line."""
    x, f = border.ticks[0], border.excess
    i = np.flatnonzero(np.sign(f[:-1]) * np.sign(f[1:]) < 0)
    return np.asarray(x[i] - f[i] * (x[i + 1] - x[i]) / (f[i + 1] - f[i]))


def svg(canvas: "Figure") -> str:
    """Return a drawing as a whole SVG file, the same in every run."""
    buffer = io.StringIO()
    canvas.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return buffer.getvalue()
