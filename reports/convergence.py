"""The convergence plot of a check: error and difference over the refinement levels, small, hand-made SVG."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from veridyn.reports import numbers, svg
from veridyn.reports.tally import Record

WIDTH, HEIGHT = 320.0, 170.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 22.0, 30.0
LOWEST = 1e-300
LINES = {"error": ("#0072B2", ""), "difference": ("#D55E00", "4 2")}
"""Colour and dashes of each line; its name is its key in the level table."""

Point = tuple[float, float]


def draw(record: Record) -> str:
    """Draw error and difference over the size of the levels, both logarithmic; empty if fewer than two can be shown."""
    lines = {name: _points(record["levels"], name) for name in LINES}
    shown = [point for points in lines.values() for point in points]
    if len(lines["error"]) < 2 and len(lines["difference"]) < 2:
        return ""
    limit = _limit(record)
    across, up = _span([x for x, _ in shown]), _span([*(y for _, y in shown), *([limit] if limit else [])])
    parts = [*_frame(across, up), *(part for name, points in lines.items() for part in _line(name, points, across, up))]
    name = f"Convergence of {record['quantity']}"
    return svg.drawing(WIDTH, HEIGHT, name, [*parts, *_tolerance(limit, up)], "levels")


def _points(levels: Sequence[dict[str, Any]], key: str) -> list[Point]:
    found = [(level.get("size"), level.get(key)) for level in levels]
    return [(size, value) for size, value in found if size and value and size > LOWEST and value > LOWEST]


def _limit(record: Record) -> float | None:
    """Return the tolerance if it is in the measure of the errors of the level table."""
    comparable = record["layer"] == "convergence" and (record["tolerance"] or 0.0) > LOWEST
    return record["tolerance"] if comparable else None


def _span(values: Sequence[float]) -> Point:
    low, high = (math.log10(pick(values)) for pick in (min, max))
    spare = max(0.08 * (high - low), 0.1)
    return low - spare, high + spare


def _place(value: float, span: Point, start: float, end: float) -> float:
    return start + (math.log10(value) - span[0]) / (span[1] - span[0]) * (end - start)


def _y(value: float, up: Point) -> float:
    return _place(value, up, HEIGHT - BOTTOM, TOP)


def _frame(across: Point, up: Point) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    yield svg.path([(LEFT, TOP), (LEFT, bottom), (right, bottom)], 'stroke="#9aa5b1" fill="none"')
    small = 'font-size="10.5" fill="#52606d"'
    for y, place in ((up[0], bottom), (up[1], TOP + 8)):
        yield svg.text(LEFT - 5, place, numbers.tolerance(10.0**y), f'text-anchor="end" {small}')
    for x, place, anchor in ((across[0], LEFT, "start"), (across[1], right, "end")):
        yield svg.text(place, bottom + 13, numbers.tolerance(10.0**x), f'text-anchor="{anchor}" {small}')
    yield svg.text((LEFT + right) / 2, bottom + 24, "size of the level", f'text-anchor="middle" {small}')


def _line(name: str, points: Sequence[Point], across: Point, up: Point) -> Iterator[str]:
    if not points:
        return
    colour, dash = LINES[name]
    places = [(_place(x, across, LEFT, WIDTH - RIGHT), _y(y, up)) for x, y in points]
    yield svg.path(places, f'stroke="{colour}" stroke-dasharray="{dash}" fill="none"')
    dots = "".join(f"M{svg.number(x - 2.5)},{svg.number(y)}a2.5,2.5 0 1,0 5,0a2.5,2.5 0 1,0 -5,0z" for x, y in places)
    yield f'<path d="{dots}" fill="{colour}"/>'
    yield svg.text(LEFT + 70 * list(LINES).index(name), 12, f"● {name}", f'font-size="11" fill="{colour}"')


def _tolerance(limit: float | None, up: Point) -> Iterator[str]:
    if limit:
        y = _y(limit, up)
        yield svg.path([(LEFT, y), (WIDTH - RIGHT, y)], 'stroke="#1f2933" stroke-dasharray="1 3" fill="none"')
        yield svg.text(WIDTH - RIGHT, y - 3, "tolerance", 'font-size="10.5" text-anchor="end" fill="#1f2933"')
