"""A drawing of a beam, as SVG, from its description in the result document.

From top to bottom: the shapes it moves in; the beam with its supports, its velocities at the start above it, and the
stops that it meets; its length.
"""

from collections.abc import Iterator
from typing import Any

from veridyn.reports import numbers, style, svg, symbols
from veridyn.reports.symbols import BLUE, INK, LABEL, MASS, THIN

Record = dict[str, Any]

LEFT, SPAN, RIGHT = 60.0, 480.0, 150.0
SHAPES, SWING = 48.0, 28.0  # level of the shapes, and how far they reach from it
LEVEL, DEEP, SPEED = 142.0, 8.0, 30.0  # of the beam: its upper edge, its depth; length of the longest velocity
FOOT, STOP = 16.0, 64.0  # height of a support, length of a stop
BOTTOM, HEIGHT = 248.0, 264.0
HALF = 9.0  # width of a support
ASIDE = LABEL.replace("middle", "start")


def draw(beam: Record, name: str) -> str:
    """Draw a beam, ``beam`` of a case in the result document; `name` is what a screen reader says."""
    parts = [
        *_shapes(beam),
        *_velocities(beam),
        f'<rect x="{LEFT:g}" y="{LEVEL:g}" width="{SPAN:g}" height="{DEEP:g}" {MASS}/>',
        *(part for support in beam["supports"] for part in _support(_along(beam, support["at"]), support["kind"])),
        *(part for stop in beam["stops"] for part in _stop(_along(beam, stop["at"]), stop)),
        *_length(beam),
    ]
    return svg.drawing(LEFT + SPAN + RIGHT, HEIGHT, name, parts, "sketch")


def _along(beam: Record, at: float) -> float:
    """Return where a place of the beam is drawn; what lies beyond an end, at the end."""
    return LEFT + SPAN * min(max(at / float(beam["length"]), 0.0), 1.0)


def _shapes(beam: Record) -> Iterator[str]:
    """Draw the shapes over each other about a common line, each as far as the others."""
    if beam["shapes"]:
        yield svg.path([(LEFT, SHAPES), (LEFT + SPAN, SHAPES)], THIN)
    for row, shape in enumerate(beam["shapes"]):
        colour, y = style.CYCLE[row], shape["y"]
        largest = max(map(abs, y)) or 1.0
        points = [(LEFT + SPAN * i / (len(y) - 1), SHAPES - SWING * v / largest) for i, v in enumerate(y)]
        yield svg.path(points, f'stroke="{colour}" stroke-width="1.6" fill="none"')
        first = SHAPES + 4 - 8.0 * (len(beam["shapes"]) - 1)
        yield svg.text(LEFT + SPAN + 16, first + 16 * row, shape["name"], f'{ASIDE} style="fill:{colour}"')


def _velocities(beam: Record) -> Iterator[str]:
    """Draw the velocities at the start as arrows, away from the beam if they rise and to it if they fall."""
    speeds = beam["velocities"]
    largest = max((abs(one["value"]) for one in speeds), default=0.0)
    for one in speeds:
        x, long = _along(beam, one["at"]), SPEED * abs(one["value"]) / (largest or 1.0)
        near, far = (x, LEVEL - 4), (x, LEVEL - 4 - long)
        yield from symbols.arrow(far, near, BLUE) if one["value"] < 0 else symbols.arrow(near, far, BLUE)
    if largest:
        yield svg.text(LEFT + SPAN + 16, LEVEL - 16, f"v(0) up to {numbers.value(largest, 3)} m/s", ASIDE)


def _support(x: float, kind: str) -> Iterator[str]:
    """Draw a pin (triangle), a roller (circle), each on a floor, or a clamp (wall)."""
    top = LEVEL + DEEP
    if kind == "clamp":
        side = -1.0 if x < LEFT + SPAN / 2 else 1.0
        yield from symbols.wall(x, LEVEL + DEEP / 2, side)
        return
    if kind == "pin":
        yield svg.path([(x, top), (x - HALF, top + FOOT), (x + HALF, top + FOOT), (x, top)], INK)
    else:
        centre, radius = svg.number(top + FOOT / 2), svg.number(FOOT / 2)
        yield f'<circle cx="{svg.number(x)}" cy="{centre}" r="{radius}" {INK}/>'
    yield from symbols.ground(x - 2 * HALF, x + 2 * HALF, top + FOOT, 5)


def _stop(x: float, stop: Record) -> Iterator[str]:
    """Draw a stop on its side, beneath the beam or above it."""
    below = stop["side"] == "below"
    y, turn, away = (LEVEL + DEEP, 90, 1) if below else (LEVEL, -90, -1)
    yield f'<g transform="rotate({turn} {svg.number(x)} {svg.number(y)})">'
    yield from symbols.draw("stop", x, x + STOP, y)
    yield from symbols.wall(x + STOP, y, 1.0)
    yield "</g>"
    yield svg.text(x + 18, y + away * STOP / 2 + 4, symbols.gap(stop), ASIDE)


def _length(beam: Record) -> Iterator[str]:
    middle = LEFT + SPAN / 2
    for end in (LEFT, LEFT + SPAN):
        yield svg.path([(end, BOTTOM - 6), (end, BOTTOM + 6)], THIN)
        yield from symbols.arrow((middle, BOTTOM), (end, BOTTOM), THIN)
    yield svg.text(middle, BOTTOM - 5, f"{numbers.value(beam['length'], 4)} m", LABEL)
