"""Margins of all checks by layer, as SVG: margins have no unit, so that checks of seconds and newtons share an axis."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from veridyn.reports import numbers, svg
from veridyn.reports.tally import FRAGILE, Record, by_layer, judged_margin

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 760.0, 62.0, 150.0, 20.0, 26.0, 48.0
LOW, HIGH, BINS = -3, 9, 4  # decades that are shown, with what lies beyond in the outermost bins; bins a decade
BAD, WEAK, GOOD = "#D55E00", "#E69F00", "#0072B2"
SMALL = 'font-size="12" fill="#52606d"'


def judged(records: Sequence[Record]) -> list[Record]:
    """Return the checks that have a margin and count."""
    return [record for record in records if judged_margin(record) is not None]


def draw(records: Sequence[Record]) -> str:
    """Draw how many checks of each layer have which margin; left of 1 they fail. Takes checks with a margin."""
    rows = by_layer(records)
    height = TOP + ROW * len(rows) + BOTTOM
    parts = list(_axis(height))
    for number, (layer, members) in enumerate(rows.items()):
        parts += _row(layer, members, TOP + ROW * (number + 1))
    return svg.drawing(WIDTH, height, f"Margins of {numbers.plural(len(records), 'check')} by layer", parts, "margins")


def _place(power: float) -> float:
    return LEFT + (power - LOW) / (HIGH - LOW) * (WIDTH - LEFT - RIGHT)


def _axis(height: float) -> Iterator[str]:
    bottom = height - BOTTOM
    corners = [(_place(LOW), TOP), (_place(0), TOP), (_place(0), bottom), (_place(LOW), bottom)]
    yield svg.path(corners, f'fill="{BAD}" fill-opacity="0.07"')
    for power in range(LOW, HIGH + 1):
        x = _place(power)
        yield svg.path([(x, TOP), (x, bottom)], f'stroke="{"#1f2933" if power == 0 else "#e4e7eb"}" fill="none"')
        if power % 3 == 0:
            edge = "≤ " if power == LOW else "≥ " if power == HIGH else ""
            yield svg.text(x, bottom + 17, f"{edge}{numbers.tolerance(10.0**power)}", f'text-anchor="middle" {SMALL}')
    yield svg.text(
        (LEFT + WIDTH - RIGHT) / 2, height - 10, "margin = tolerance / error", f'text-anchor="middle" {SMALL}'
    )
    yield svg.text(_place(0) - 6, TOP - 9, "fails", f'text-anchor="end" {SMALL}')
    yield svg.text(_place(0) + 6, TOP - 9, "passes", SMALL)


def _row(layer: str, members: Sequence[Record], floor: float) -> Iterator[str]:
    counted = Counter(map(_bin, members))
    most = max(counted.values())
    yield svg.text(LEFT - 12, floor - ROW / 2 + 2, layer, 'text-anchor="end" font-size="13"')
    said = numbers.plural(len(members), "check")
    yield svg.text(LEFT - 12, floor - ROW / 2 + 18, said, f'text-anchor="end" {SMALL}')
    yield svg.path([(LEFT, floor), (WIDTH - RIGHT, floor)], 'stroke="#9aa5b1" fill="none"')
    for place, count in sorted(counted.items()):
        left, right = _place(LOW + place / BINS), _place(LOW + (place + 1) / BINS)
        high = max(2.0, (ROW - 12) * count / most)
        colour = BAD if place < -LOW * BINS else WEAK if place <= -LOW * BINS + BINS * math.log10(FRAGILE) else GOOD
        corners = [(left + 0.5, floor), (left + 0.5, floor - high), (right - 0.5, floor - high), (right - 0.5, floor)]
        yield svg.path(corners, f'fill="{colour}"')


def _bin(record: Record) -> int:
    """Return the number of the bin of a margin, from left."""
    margin = record["margin"]
    power = math.log10(margin) if margin > 0.0 else LOW
    return min(max(math.floor((power - LOW) * BINS), 0), (HIGH - LOW) * BINS - 1)
