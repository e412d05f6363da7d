"""The picture of a sweep: what is shown of its quantities, and the borders that theory draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridyn.reports.regime_map import Line, RegimeMap, Region, Scale
from veridyn.sweep.request import Axis, Floats, Request, sweep_of
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.sweeping import Columns, Swept

MOST = 1000  # values per axis; the eye sees no more
FINE = 400  # values per axis for the borders


def picture(request: Request, columns: Columns) -> RegimeMap:
    """Return the map over the first two axes; the others stand at their middle value."""
    case = load_case(request.case)
    sweep = sweep_of(case)
    seen, rest = request.axes[:2], request.axes[2:]
    place: tuple[slice | int, ...] = (*(_thin(axis) for axis in seen), *(axis.values.size // 2 for axis in rest))
    shown, classified = sweep.quantity(sweep.shown), sweep.quantity(sweep.classified)
    codes = columns[classified.name][place]
    return RegimeMap(
        title=f"{case.title} ({case.name}){_where(rest)}",
        axes=tuple(Scale(_label(axis), axis.values[_thin(axis)], axis.log) for axis in seen),
        shade=columns[shown.name][place],
        shade_label=_named(shown),
        regions=tuple(Region(label, codes == code) for code, label in enumerate(classified.labels)),
        borders=_borders(request, seen, rest),
    )


def _thin(axis: Axis) -> slice:
    return slice(None, None, -(-axis.values.size // MOST))


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


def _borders(request: Request, seen: tuple[Axis, ...], rest: tuple[Axis, ...]) -> tuple[Line, ...]:
    ticks = [_between(axis) for axis in seen]
    grid = dict(zip((axis.name for axis in seen), np.meshgrid(*ticks, indexing="ij"), strict=True))
    shape = tuple(tick.size for tick in ticks)
    grid |= {axis.name: np.full(shape, axis.values[axis.values.size // 2]) for axis in rest}
    grid |= {name: np.full(shape, value) for name, value in request.fixed.items()}
    borders = sweep_of(load_case(request.case)).borders
    return tuple(Line(border.label, tuple(ticks), border.value(grid) - border.level) for border in borders)


def _between(axis: Axis) -> Floats:
    space = np.geomspace if axis.log else np.linspace
    ticks: NDArray[np.float64] = space(axis.values.min(), axis.values.max(), FINE)
    return ticks
