"""Curves over the time as SVG: a panel for each, events as thin lines with their names above.

A page has one or two of these and the gallery eighty-eight, so that they are drawn without a library for plots.
"""

import math
from collections.abc import Iterator, Sequence

from veridyn.reports import numbers, svg

LEFT, RIGHT, BOTTOM, WIDTH, HIGH, APART = 78.0, 14.0, 40.0, 720.0, 112.0, 14.0
ROOM = 0.06  # of a panel above and below its curve
LETTER, BESIDE = 5.6, 11.0  # length of a letter of an event, and how far its neighbour must be, in pixels
CURVE = 'stroke="#0072B2" stroke-width="1.5" fill="none" stroke-linejoin="round"'
FRAME = 'stroke="#9aa5b1" stroke-width="1" fill="none"'
LINE = 'stroke="#9aa5b1" stroke-width="0.7" stroke-dasharray="3 3" fill="none"'
SMALL = 'font-size="11" fill="#52606d"'
EVENT = 'font-size="10" fill="#1f2933"'

Value = float | None
Panels = Sequence[tuple[str, Sequence[Value]]]


def draw_curves(title: str, times: Sequence[float], panels: Panels, events: Sequence[tuple[float, str]]) -> str:
    """Draw named curves over instants (s), with named events; missing values leave a gap."""
    ends = (times[0], times[-1])
    top = 12.0 + LETTER * max((len(name) for _, name in events), default=0)
    height = top + len(panels) * (HIGH + APART) - APART + BOTTOM
    parts = [*_draw_events(events, ends, top, height - BOTTOM), *_draw_times(ends, height - BOTTOM)]
    for row, (name, values) in enumerate(panels):
        parts += _draw_panel(name, times, values, ends, top + row * (HIGH + APART))
    return svg.drawing(WIDTH, height, title, parts, "motion")


def choose_ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers within a range, at most so many."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= raw)
    return [step * number for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _across(time: float, ends: tuple[float, float]) -> float:
    return LEFT + (time - ends[0]) / (ends[1] - ends[0]) * (WIDTH - LEFT - RIGHT)


def _draw_times(ends: tuple[float, float], bottom: float) -> Iterator[str]:
    for tick in choose_ticks(*ends, 8):
        x = _across(tick, ends)
        yield svg.path([(x, bottom), (x, bottom + 4)], FRAME)
        yield svg.text(x, bottom + 17, numbers.value(tick, 4), f'text-anchor="middle" {SMALL}')
    yield svg.text((LEFT + WIDTH - RIGHT) / 2, bottom + 34, "t", f'text-anchor="middle" {SMALL}')


def _draw_events(
    events: Sequence[tuple[float, str]], ends: tuple[float, float], top: float, bottom: float
) -> Iterator[str]:
    """Draw lines down to the last panel; a name that would stand on its neighbour is left out."""
    last = -math.inf
    for time, name in events:
        x = _across(time, ends)
        yield svg.path([(x, top), (x, bottom)], LINE)
        if x - last >= BESIDE:
            place = f"{svg.number(x + 3)} {svg.number(top - 4)}"
            yield svg.text(x + 3, top - 4, name, f'{EVENT} transform="rotate(-90 {place})"')
            last = x


def _draw_panel(
    name: str, times: Sequence[float], values: Sequence[Value], ends: tuple[float, float], top: float
) -> Iterator[str]:
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    size = high - low or abs(high) or 1.0
    low, high = low - ROOM * size, high + ROOM * size

    def up(value: float) -> float:
        return top + HIGH * (high - value) / (high - low)

    right = WIDTH - RIGHT
    yield svg.path([(LEFT, top), (right, top), (right, top + HIGH), (LEFT, top + HIGH), (LEFT, top)], FRAME)
    for tick in choose_ticks(low, high, 4):
        yield svg.path([(LEFT - 4, up(tick)), (LEFT, up(tick))], FRAME)
        yield svg.text(LEFT - 7, up(tick) + 4, numbers.value(tick, 4), f'text-anchor="end" {SMALL}')
    points = ((_across(time, ends), up(value)) for time, value in zip(times, values, strict=True) if value is not None)
    yield svg.path(points, CURVE)
    yield svg.text(
        14, top + HIGH / 2, name, f'text-anchor="middle" {EVENT} transform="rotate(-90 14 {top + HIGH / 2:g})"'
    )
