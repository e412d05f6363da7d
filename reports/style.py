"""The look of the figures: one place for colours, lines and type.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; markers differ too.
"""

from typing import TypedDict

from veridyn.results import Role

DARK = "#1f2933"
GREY = "#9aa5b1"
PALE = "#e4e7eb"

CYCLE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
Dash = str | tuple[float, tuple[float, ...]]  # a name, or an offset and the lengths of strokes and gaps


class Look(TypedDict, total=False):
    """Arguments of a plot."""

    color: str
    linestyle: Dash
    linewidth: float
    zorder: float
    marker: str
    markersize: float
    markeredgewidth: float
    alpha: float


DASHES: tuple[Dash, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1)))

WIDTH = 7.2
PANEL_HEIGHT = 2.7
ERROR_HEIGHT = 1.5

RC: dict[str, bool | str | float | list[str] | tuple[int, int]] = {
    # A fixed salt makes the identifiers in the SVG, and so the whole file, the same in every run.
    "svg.hashsalt": "veridyn",
    # Text as outlines looks the same on every machine, whatever fonts it has.
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.edgecolor": GREY,
    "axes.labelcolor": DARK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-4, 5),
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": DARK,
    "ytick.labelcolor": DARK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.labelcolor": DARK,
    "lines.linewidth": 1.4,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}

ROLES: dict[Role, Look] = {
    # The truth lies on top, dashed, so that a curve that coincides with it shows through the gaps.
    Role.REFERENCE: {"color": DARK, "linestyle": (0, (4, 2.5)), "linewidth": 1.2, "zorder": 4},
    Role.COMPUTED: {"linestyle": "-", "zorder": 3},
    Role.ERROR: {"linestyle": "-", "zorder": 3},
    Role.LIMIT: {"color": DARK, "linestyle": (0, (1, 1.8)), "linewidth": 1.2, "zorder": 3.5},
    Role.GUIDE: {"color": GREY, "linestyle": "-", "linewidth": 0.8, "zorder": 2},
}


def look(role: Role, number: int, *, marker: bool) -> Look:
    """Return the plot arguments of a series of a role, by how many coloured series the panel already has."""
    chosen: Look = {"color": CYCLE[number % len(CYCLE)], **ROLES[role]}
    if role in (Role.COMPUTED, Role.ERROR):
        chosen |= {"linestyle": DASHES[number // len(CYCLE) % len(DASHES)]}
    if not marker:
        return chosen
    points: Look = {"marker": mark(number), "markersize": 4.5, "markeredgewidth": 0.0, "alpha": 0.85}
    return chosen | points | {"linestyle": "none"}


def mark(number: int) -> str:
    """Return the marker of a coloured series; a colour that comes again has another one."""
    return MARKERS[(number + number // len(CYCLE)) % len(CYCLE)]


def mark_of_member(number: int) -> str:
    """Return the marker of a series of a family, which has one colour."""
    return MARKERS[number % len(MARKERS)]
