"""Level tables, printed and plotted, and parts of tolerances: what a verdict can be recomputed from. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from veridyn.reports import numbers, svg
from veridyn.results import Layer, LevelRow, Record, Value

SHOWN = 8  # rows of a table on a page or a terminal; the result file has all

COLUMNS = {
    "size": "", "quantity": "quantity", "value": "answer", "difference": "difference", "before": "before",
    "after": "after", "change": "change", "admissible": "admissible", "error": "error", "order": "observed order",
}  # fmt: skip
"""Columns in their order, with their heads; the first is headed by the setting that is refined."""

LEVEL_COLUMNS = [name for name in COLUMNS if name != "order"]
ANSWERS = ("value", "before", "after")


@dataclass(frozen=True)
class LevelTable:
    """The levels of a check from coarse to fine, or the answers of an invariance check, the largest change first.

    ``left_out`` rows are in the result file only.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_out: int = 0

    @property
    def line(self) -> str:
        """The table in one line: 'step 0.1: error 1e-3; step 0.05: …'."""
        said = (_said(self.head, row) for row in self.rows)
        more = f"; {self.left_out} more in results.json" if self.left_out else ""
        return "; ".join(said) + more


def _said(head: Sequence[str], row: Sequence[str]) -> str:
    named = (f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True) if cell != numbers.NONE)
    return f"{head[0]} {row[0]}: {', '.join(named)}"


def level_table(record: Record) -> LevelTable | None:
    """Print the level table of a record; None if it has none.

    Of answers before and after a change those are shown whose change is largest; of levels the finest.
    """
    levels = record.levels
    if not levels:
        return None
    refined = levels[0].size is not None
    orders = _orders(levels) if refined else []
    columns = {name: [_read(level, name) for level in levels] for name in LEVEL_COLUMNS}
    columns |= {"order": list(orders)}
    columns = {name: column for name, column in columns.items() if any(cell is not None for cell in column)}
    head = [(levels[0].setting or "level") if name == "size" else COLUMNS[name] for name in columns]
    rows = [
        [_cell(name, cell) for name, cell in zip(columns, row, strict=True)]
        for row in zip(*columns.values(), strict=True)
    ]
    shown = rows[-SHOWN:] if refined else rows[:SHOWN]
    title = f"{numbers.plural(len(rows), 'level')} of {head[0]}" if refined else numbers.plural(len(rows), "answer")
    return LevelTable(title, head, shown, len(rows) - len(shown))


def _read(level: LevelRow, name: str) -> Value:
    cell: Value = getattr(level, name)
    return cell


def _orders(levels: Sequence[LevelRow]) -> list[float | None]:
    """Return the observed order from level to level; None of the first."""
    return [None, *(_order(before, now) for before, now in pairwise(levels))]


def _order(before: LevelRow, now: LevelRow) -> float | None:
    """Return log of the ratio of errors over log of the ratio of sizes; None if one of them is missing or zero."""
    stated = [before.error, now.error, before.size, now.size]
    positive = [float(number) for number in stated if number is not None and number > 0.0]
    if len(positive) < len(stated) or positive[2] == positive[3]:
        return None
    return math.log(positive[0] / positive[1]) / math.log(positive[2] / positive[3])


def _cell(name: str, value: Value) -> str:
    if not isinstance(value, int | float):
        return numbers.NONE if value is None else value
    if name in ANSWERS:
        return numbers.value(value, 12)
    return numbers.value(value, 3) if name == "size" else numbers.error(value)


@dataclass(frozen=True)
class Term:
    """A part of a tolerance, with its share of the whole."""

    name: str
    value: str
    share: str


def terms(record: Record) -> list[Term]:
    """Print the parts of the tolerance of a record, none if it is all of a piece."""
    total = record.tolerance or 0.0
    return [
        Term(name, numbers.tolerance(v), f"{numbers.value(100 * v / total, 2)} %" if total > 0 else numbers.NONE)
        for name, v in record.terms.items()
    ]


def sum_of(parts: Sequence[Term]) -> str:
    """Return the parts of a tolerance as a sum: '1e-5 numerical uncertainty + 2e-7 sampling'."""
    return " + ".join(f"{part.value} {part.name}" for part in parts)


# ---- as a plot

WIDTH, HEIGHT = 320.0, 170.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 22.0, 30.0
LOWEST = 1e-300
CURVES = {"error": ("#0072B2", ""), "difference": ("#D55E00", "4 2")}
"""Colour and dashes of each line; its name is its key in the level table."""

Point = tuple[float, float]


def plot(record: Record) -> str:
    """Draw error and difference over the size of the levels, both logarithmic; empty if fewer than two can be shown."""
    lines = {name: _points((level.size, _number(level, name)) for level in record.levels) for name in CURVES}
    shown = [point for points in lines.values() for point in points]
    if all(len(points) < 2 for points in lines.values()):
        return ""
    limit = _limit(record)
    across, up = _span([x for x, _ in shown]), _span([*(y for _, y in shown), *([limit] if limit else [])])
    parts = [*_axes(across, up), *(part for name, points in lines.items() for part in _curve(name, points, across, up))]
    name = f"Convergence of {record.quantity}"
    return svg.drawing(WIDTH, HEIGHT, name, [*parts, *_tolerance(limit, up)], "levels")


def _number(level: LevelRow, name: str) -> float | None:
    number: float | None = getattr(level, name)
    return number


def _points(pairs: Iterable[tuple[float | None, float | None]]) -> list[Point]:
    return [(size, value) for size, value in pairs if size and value and size > LOWEST and value > LOWEST]


def _limit(record: Record) -> float | None:
    """Return the tolerance if it is in the measure of the errors of the level table."""
    comparable = record.layer is Layer.CONVERGENCE and (record.tolerance or 0.0) > LOWEST
    return record.tolerance if comparable else None


def _span(values: Sequence[float]) -> Point:
    low, high = (math.log10(pick(values)) for pick in (min, max))
    spare = max(0.08 * (high - low), 0.1)
    return low - spare, high + spare


def _place(value: float, span: Point, start: float, end: float) -> float:
    return start + (math.log10(value) - span[0]) / (span[1] - span[0]) * (end - start)


def _y(value: float, up: Point) -> float:
    return _place(value, up, HEIGHT - BOTTOM, TOP)


def _axes(across: Point, up: Point) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    yield svg.path([(LEFT, TOP), (LEFT, bottom), (right, bottom)], 'stroke="#9aa5b1" fill="none"')
    small = 'font-size="10.5" fill="#52606d"'
    for y, place in ((up[0], bottom), (up[1], TOP + 8)):
        yield svg.text(LEFT - 5, place, numbers.tolerance(10.0**y), f'text-anchor="end" {small}')
    for x, place, anchor in ((across[0], LEFT, "start"), (across[1], right, "end")):
        yield svg.text(place, bottom + 13, numbers.tolerance(10.0**x), f'text-anchor="{anchor}" {small}')
    yield svg.text((LEFT + right) / 2, bottom + 24, "size of the level", f'text-anchor="middle" {small}')


def _curve(name: str, points: Sequence[Point], across: Point, up: Point) -> Iterator[str]:
    if not points:
        return
    colour, dash = CURVES[name]
    places = [(_place(x, across, LEFT, WIDTH - RIGHT), _y(y, up)) for x, y in points]
    yield svg.path(places, f'stroke="{colour}" stroke-dasharray="{dash}" fill="none"')
    dots = "".join(f"M{svg.number(x - 2.5)},{svg.number(y)}a2.5,2.5 0 1,0 5,0a2.5,2.5 0 1,0 -5,0z" for x, y in places)
    yield f'<path d="{dots}" fill="{colour}"/>'
    yield svg.text(LEFT + 70 * list(CURVES).index(name), 12, f"● {name}", f'font-size="11" fill="{colour}"')


def _tolerance(limit: float | None, up: Point) -> Iterator[str]:
    if limit:
        y = _y(limit, up)
        yield svg.path([(LEFT, y), (WIDTH - RIGHT, y)], 'stroke="#1f2933" stroke-dasharray="1 3" fill="none"')
        yield svg.text(WIDTH - RIGHT, y - 3, "tolerance", 'font-size="10.5" text-anchor="end" fill="#1f2933"')
