"""The picture of a sweep: regimes, a shaded quantity, and the borders that theory draws, over one or two parameters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import Floats
from veridyn.reports import style
from veridyn.reports.errors import optional_package
from veridyn.reports.figures import print_svg
from veridyn.sweep.points import sweep_of
from veridyn.sweep.request import Axis, SweepRequest, find_case
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.sweeping import ANSWERED, OUTCOME, OUTCOMES, Columns, Sweep, Swept

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 1000  # values per axis; the eye sees no more
FINE = 400  # values per axis for the borders
SHADES = "cividis"  # even for the eye, and the same for colour-blind readers
WIDE = 100.0  # beyond this ratio shades follow the logarithm
FEWEST = 0.01  # part of the points below which a region has no room for its name
PALE_ABOVE = 0.55  # part of the shades above which dark lines are seen better than white ones
FEW_POWERS = 5  # of ten
DOTS = 200  # per inch of what is drawn as pixels
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)))


@dataclass(frozen=True, eq=False)
class DrawnBorder:
    """A border of theory: where ``excess`` over ``ticks`` is zero."""

    label: str
    ticks: tuple[Floats, ...]
    excess: Floats


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn over the first two axes of a sweep, in rising order; the others stand at their middle value.

    ``shade`` (x) or (x, y) is over the ``values`` of the axes; ``regions`` are the members of each regime by its name.
    """

    title: str
    axes: tuple[Axis, ...]
    values: tuple[Floats, ...]
    shade: Floats
    shade_label: str
    regions: dict[str, NDArray[np.bool_]]
    borders: tuple[DrawnBorder, ...]


def draw(request: SweepRequest, columns: Columns) -> str:
    """Draw a map over two axes, or a curve over one, as a whole SVG file.

    Raises ReportError if matplotlib is not installed.
    """
    with optional_package():
        import matplotlib.style
        from matplotlib.figure import Figure
    picture = _picture(request, columns)
    with matplotlib.style.context(style.RC, after_reset=True), warnings.catch_warnings(action="ignore"):
        canvas = Figure(figsize=(style.WIDTH, 0.7 * style.WIDTH), layout="constrained", dpi=DOTS)
        canvas.set_facecolor("white")  # the file stands alone, on a background of any colour
        axes = canvas.subplots()
        for axis, change in zip(picture.axes, (axes.set_xscale, axes.set_yscale), strict=False):
            if axis.log:
                change("log")
        (_draw_map if len(picture.axes) == 2 else _draw_curve)(canvas, axes, picture)
        axes.set_title(picture.title, fontsize=9.5, loc="left", pad=24.0)
        axes.set_xlabel(_label(picture.axes[0]))
        return print_svg(canvas)


def _picture(request: SweepRequest, columns: Columns) -> Picture:
    case = find_case(request)
    sweep = sweep_of(request)
    seen, rest = request.axes[:2], request.axes[2:]
    place: tuple[slice | int, ...] = (*(slice(None) for _ in seen), *(axis.values.size // 2 for axis in rest))
    thin = [np.arange(0, axis.values.size, -(-axis.values.size // MOST)) for axis in seen]
    order = [
        places[np.argsort(axis.values[places])] for axis, places in zip(seen, thin, strict=True)
    ]  # a list may fall
    shown, classified = sweep.quantity(_choose_shown(sweep, columns)), sweep.quantity(sweep.classified)
    shade, codes = (columns[q.name][place][np.ix_(*order)] for q in (shown, classified))
    return Picture(
        title=f"{_title(case)}{_where(rest)}",
        axes=seen,
        values=tuple(axis.values[places] for axis, places in zip(seen, order, strict=True)),
        shade=np.asarray(shade, dtype=float),
        shade_label=_named(shown),
        regions={_name_region(classified, label): codes == code for code, label in enumerate(classified.labels)},
        borders=_borders(request, seen, rest),
    )


def _title(case: Case) -> str:
    return case.title if case.title == case.name else f"{case.title} ({case.name})"


def _choose_shown(sweep: Sweep, columns: Columns) -> str:
    """Return the quantity that shades the picture: that of the sweep, or the first number that is not constant."""
    numbers = [q.name for q in sweep.quantities if not (q.text or q.labels)]
    order = [sweep.shown, *numbers]
    return next((name for name in order if np.unique(columns[name][~np.isnan(columns[name])]).size > 1), sweep.shown)


def _name_region(classified: Swept, label: str) -> str:
    """Return the name of a region in the picture; empty for points that have an answer, as most have."""
    return "" if classified.name == OUTCOME and label == OUTCOMES[ANSWERED] else label


def _where(rest: tuple[Axis, ...]) -> str:
    values = (f"{a.name} = {a.values[a.values.size // 2]:.4g} {_unit(a.parameter.unit)}".rstrip() for a in rest)
    return " at " + ", ".join(values) if rest else ""


def _unit(unit: str) -> str:
    return "" if unit == "1" else unit


def _label(axis: Axis) -> str:
    unit = _unit(axis.parameter.unit)
    return f"{axis.parameter.help}, {axis.name}" + (f" ({unit})" if unit else "")


def _named(quantity: Swept) -> str:
    return quantity.name.replace("_", " ") + (f" ({quantity.unit})" if quantity.unit else "")


def _borders(request: SweepRequest, seen: tuple[Axis, ...], rest: tuple[Axis, ...]) -> tuple[DrawnBorder, ...]:
    ticks = tuple(_between(axis) for axis in seen)
    grid = dict(zip((axis.name for axis in seen), np.meshgrid(*ticks, indexing="ij"), strict=True))
    shape = tuple(tick.size for tick in ticks)
    grid |= {axis.name: np.full(shape, axis.values[axis.values.size // 2]) for axis in rest}
    grid |= {name: np.full(shape, value) for name, value in request.fixed.items()}
    borders = sweep_of(request).borders
    return tuple(DrawnBorder(border.label, ticks, border.value(grid) - border.level) for border in borders)


def _between(axis: Axis) -> Floats:
    space = np.geomspace if axis.log else np.linspace
    ticks: Floats = space(axis.values.min(), axis.values.max(), FINE)
    return ticks


def _draw_map(canvas: Figure, axes: Axes, picture: Picture) -> None:
    (x, y), shade = picture.values, picture.shade.T
    axes.grid(visible=False)
    axes.set_facecolor(style.PALE)
    norm = _norm(shade)
    mesh = axes.pcolormesh(
        x,
        y,
        np.ma.masked_where((shade == 0) | np.isnan(shade), shade),
        cmap=SHADES,
        norm=norm,
        shading="nearest",
        rasterized=True,
    )
    bar = canvas.colorbar(mesh, ax=axes, label=picture.shade_label, pad=0.02)
    bar.outline.set_visible(False)
    if min(shade.shape) > 1:
        _draw_contours(axes, x, y, shade, norm)
        _draw_borders(axes, picture.borders)
    _draw_names(axes, picture)
    axes.set_ylabel(_label(picture.axes[1]))


def _norm(shade: Floats) -> Any:
    """Return even steps of colour, in the logarithm if the values span orders of magnitude."""
    from matplotlib.colors import LogNorm, Normalize

    positive, negative = shade[shade > 0.0], shade[shade < 0.0]
    if negative.size:
        return Normalize(float(negative.min()), float(np.nanmax(shade)))
    if positive.size == 0:
        return Normalize(0.0, 1.0)
    low, high = float(np.quantile(positive, 0.02)), float(positive.max())
    # next to a border values fall to nothing: those few would take all the colours
    return LogNorm(low, high) if high > WIDE * low > 0.0 else Normalize(0.0, high)


def _draw_contours(axes: Axes, x: Floats, y: Floats, shade: Floats, norm: Any) -> None:
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


def _draw_borders(axes: Axes, borders: Sequence[DrawnBorder]) -> None:
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


def _draw_names(axes: Axes, picture: Picture) -> None:
    for name, inside in picture.regions.items():
        members = np.argwhere(inside)
        if name and len(members) >= FEWEST * inside.size:
            # the member in the middle, since the middle of a bent region may lie outside
            place = members[np.abs(members - np.median(members, axis=0)).sum(axis=1).argmin()]
            x, y = (values[i] for values, i in zip(picture.values, place, strict=True))
            box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2.0}
            axes.annotate(name, (x, y), ha="center", va="center", color=style.DARK, bbox=box)


def _draw_curve(_: Figure, axes: Axes, picture: Picture) -> None:
    for number, (name, members) in enumerate(picture.regions.items()):
        if not members.any():
            continue
        inside = np.where(members, picture.shade, np.nan)
        axes.plot(
            picture.values[0], inside, label=name, color=style.CYCLE[number], marker=style.mark(number), markersize=2.5
        )
    for number, border in enumerate(picture.borders):
        for crossing in _crossings(border):
            axes.axvline(crossing, color=style.DARK, linewidth=1.0, linestyle=DASHES[number % 3], label=border.label)
    axes.set_ylabel(picture.shade_label)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, borderaxespad=0.2)


def _crossings(border: DrawnBorder) -> Floats:
    """Return where a border is crossed, between two ticks by the straight line."""
    x, f = border.ticks[0], border.excess
    i = np.flatnonzero(np.sign(f[:-1]) * np.sign(f[1:]) < 0)
    return np.asarray(x[i] - f[i] * (x[i + 1] - x[i]) / (f[i + 1] - f[i]))
