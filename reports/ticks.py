"""Numbers along the axes of figures, in plain text: matplotlib would set each as a formula, which is slow."""

import re
from typing import TYPE_CHECKING

from matplotlib.ticker import Formatter, LogFormatterSciNotation, ScalarFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_RAISED = str.maketrans("0123456789-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")


def plain(formula: str) -> str:
    """Return the formula of a number, as matplotlib writes it, with the superscripts of Unicode."""
    bare = formula.replace("$", "").replace(r"\mathdefault", "").replace(r"\times", "×")
    return re.sub("[{}]", "", re.sub(r"\^\{(.*?)\}", lambda power: power[1].translate(_RAISED), bare))


class Numbers(ScalarFormatter):
    """Numbers of a linear axis; the power of ten that they share stands at its end."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return plain(super().__call__(x, pos))

    def get_offset(self) -> str:
        return plain(super().get_offset())


class PowersOfTen(LogFormatterSciNotation):
    """Powers of ten of a logarithmic axis."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return plain(super().__call__(x, pos))


def label(axes: "Axes") -> None:
    """Let the axes write their numbers in plain text."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_formatter(axis))
        if axis.get_scale() == "log":
            axis.set_minor_formatter(_formatter(axis))


def _formatter(axis: "Axis") -> Formatter:
    return PowersOfTen() if axis.get_scale() == "log" else Numbers()
