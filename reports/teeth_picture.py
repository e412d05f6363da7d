"""The picture of the teeth: which part of the checks of a case catches a defect, as SVG text."""

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridyn.reports import style
from veridyn.reports.errors import optional_package
from veridyn.reports.regime_map import svg
from veridyn.reports.teeth import Findings, runs_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHADES = "cividis_r"  # even for the eye, and the same for colour-blind readers
KINDS = ("truth", "events", "balance", "order", "parity")  # of checks, judged by theory
DOCUMENTS = "documents"  # all checks, judged by what documents ask for
COLUMNS = (*KINDS, DOCUMENTS)
DOTS = 150  # per inch of what is drawn as pixels
ROW, COLUMN, MARGIN = 0.135, 0.17, 2.6  # inches
APART = 0.25  # between cells and bar of shades, in inches; a part of the height would push the label out


def draw(found: Findings) -> str:
    """Draw defects (rows) against cases and kinds of checks (columns) as a whole SVG file.

    Raises
    ------
    ReportError
        If matplotlib is not installed.
    """
    with optional_package():
        import matplotlib.style
        from matplotlib.figure import Figure
    part = shares(found)
    size = (MARGIN + COLUMN * part.shape[1], 1.9 + ROW * part.shape[0])
    with matplotlib.style.context(style.RC, after_reset=True), warnings.catch_warnings(action="ignore"):
        canvas = Figure(figsize=size, layout="constrained", dpi=DOTS)
        canvas.set_facecolor("white")  # the file stands alone, on a background of any colour
        axes = canvas.subplots()
        _draw_cells(axes, part)
        _draw_rows(axes, found)
        _draw_columns(axes, found)
        shades = axes.collections[0]
        label, pad = "part of the checks that fail", APART / size[1]
        bar = canvas.colorbar(shades, ax=axes, location="bottom", label=label, shrink=0.6, aspect=60, pad=pad)
        bar.outline.set_visible(False)
        return svg(canvas)


def shares(found: Findings) -> NDArray[np.float64]:
    """Return the part of the checks that fail (defects, cases × columns); NaN where nothing is asked."""
    place = {case: number * len(COLUMNS) for number, case in enumerate(found["cases"])}
    part = np.full((len(found["defects"]), len(place) * len(COLUMNS)), np.nan)
    for row, defect in enumerate(found["defects"]):
        for run in runs_of(found, defect["name"]):
            for column, name in enumerate(COLUMNS):
                if (name == DOCUMENTS) == (run["judged_by"] == DOCUMENTS):
                    part[row, place[run["case"]] + column] = _share(run["asked"], run["caught"], name)
    return part


def _share(asked: list[str], caught: dict[str, str], column: str) -> float:
    belong = [name for name in asked if column == DOCUMENTS or f"-{column}:" in name]
    return sum(name in caught for name in belong) / len(belong) if belong else np.nan


def _draw_cells(axes: "Axes", part: NDArray[np.float64]) -> None:
    """Draw the parts; white: nothing is asked, pale: asked in vain."""
    height, width = part.shape
    edges = np.arange(width + 1), np.arange(height + 1)
    axes.pcolormesh(
        *edges, np.ma.masked_invalid(np.where(part > 0, part, np.nan)), cmap=SHADES, vmin=0, vmax=1, rasterized=True
    )
    axes.pcolormesh(*edges, np.ma.masked_where(part != 0, part), cmap="Greys", vmin=-1, vmax=6, rasterized=True)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.grid(visible=False)


def _draw_rows(axes: "Axes", found: Findings) -> None:
    defects = found["defects"]
    names = [defect["name"].replace("_", " ") for defect in defects]
    axes.set_yticks(np.arange(len(names)) + 0.5, names, fontsize=6.5)
    axes.tick_params(length=0)
    kinds = [defect["kind"] for defect in defects]
    for kind in dict.fromkeys(kinds):
        first, count = kinds.index(kind), kinds.count(kind)
        axes.axhline(first, color=style.DARK, linewidth=0.8)
        place = (1.0, first + count / 2)
        axes.annotate(
            kind,
            place,
            (6.0, 0.0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            rotation=90,
            va="center",
            annotation_clip=False,
            fontsize=8.0,
        )


def _draw_columns(axes: "Axes", found: Findings) -> None:
    cases, width = found["cases"], len(COLUMNS)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(len(cases) * width) + 0.5, COLUMNS * len(cases), rotation=90, fontsize=6.5)
    for number, case in enumerate(cases):
        axes.axvline(number * width, color=style.DARK, linewidth=0.8)
        axes.annotate(
            case,
            ((number + 0.5) * width, 1.0),
            (0.0, 48.0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            annotation_clip=False,
            fontsize=8.0,
        )
