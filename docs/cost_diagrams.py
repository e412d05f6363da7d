"""Work and precision of recorded solvers side by side: how long each takes for four and for eight correct digits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from veridyn.reports import numbers, svg
from veridyn.reports.tally import named

LEAST = 3  # solvers that a diagram compares
LEFT, RIGHT, TOP, ROW, BOTTOM, WIDTH = 190.0, 30.0, 30.0, 22.0, 40.0, 720.0
FEW, MANY = "#56B4E9", "#0072B2"
NAME = 'font-size="12" text-anchor="end" fill="#1f2933"'
SMALL = 'font-size="11" fill="#52606d"'

Row = Mapping[str, Any]


def draw_costs(case: str, rows: Sequence[Row]) -> str:
    """Draw the times (s) of all solvers that came to four digits, quickest first; empty if they are too few."""
    shown = sorted((row for row in rows if row["cost"][0]), key=lambda row: row["cost"][0])
    if len(shown) < LEAST:
        return ""
    times = [time for row in shown for time in row["cost"] if time]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    height = TOP + ROW * len(shown) + BOTTOM
    parts = [*_draw_axis(low, max(high, low + 1), height)]
    for number, row in enumerate(shown):
        parts += _draw_row(row, TOP + ROW * (number + 0.5), low, max(high, low + 1))
    return svg.drawing(WIDTH, height, f"Time for four and for eight correct digits: {case}", parts, "costs")


def _place(time: float, low: int, high: int) -> float:
    return LEFT + (math.log10(time) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def _draw_axis(low: int, high: int, height: float) -> Iterator[str]:
    for power in range(low, high + 1):
        x = _place(10.0**power, low, high)
        yield svg.path([(x, TOP), (x, height - BOTTOM)], 'stroke="#e4e7eb" fill="none"')
        yield svg.text(x, height - BOTTOM + 16, numbers.time(10.0**power), f'text-anchor="middle" {SMALL}')
    yield svg.text((LEFT + WIDTH - RIGHT) / 2, height - 6, "time of one solve", f'text-anchor="middle" {SMALL}')
    for x, colour, label in ((LEFT, FEW, "4 digits"), (LEFT + 90, MANY, "8 digits")):
        yield _dot(x + 6, TOP - 14, colour)
        yield svg.text(x + 16, TOP - 10, label, SMALL)


def _draw_row(row: Row, y: float, low: int, high: int) -> Iterator[str]:
    yield svg.text(LEFT - 12, y + 4, named(row["solver"], row["scheme"]), NAME)
    places = [_place(time, low, high) for time in row["cost"] if time]
    yield svg.path([(places[0], y), (places[-1], y)], f'stroke="{MANY}" stroke-width="2" fill="none"')
    for x, colour in zip(places, (FEW, MANY), strict=False):
        yield _dot(x, y, colour)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="5" fill="{colour}" stroke="#fff"/>'
