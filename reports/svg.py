"""Hand-made SVG: escaping, numbers, elements, symbols of mechanics. Text of a document goes in through `text` only."""

import re
from collections.abc import Iterable, Iterator

from veridyn.reports import numbers
from veridyn.results import BeamStop, DrawnStop

_UNSAFE = {ord(character): f"&#{ord(character)};" for character in "<>&\"'"}


_NOT_XML = re.compile("[^\\t\\n\\r\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def clean(text: str) -> str:
    """Replace characters that XML cannot carry, such as control codes, by question marks."""
    return _NOT_XML.sub("?", text)


def escape(text: str) -> str:
    """Escape text for content and attributes."""
    return clean(text).translate(_UNSAFE)


def number(value: float) -> str:
    """Print a coordinate with one decimal, which is less than the eye can tell."""
    return f"{value:.1f}".removesuffix(".0")


def path(points: Iterable[tuple[float, float]], style: str) -> str:
    """Return a broken line; `style` holds attributes of our own."""
    corners = "L".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<path d="M{corners}" {style}/>'


def text(x: float, y: float, words: str, style: str) -> str:
    """Return a line of text, escaped; `style` holds attributes of our own."""
    return f'<text x="{number(x)}" y="{number(y)}" {style}>{escape(words)}</text>'


def symbols(x: float, y: float, words: str, style: str) -> str:
    """Return a line of text as `text` does, with what follows an underscore lowered: m_1, k_c."""
    lowered = re.sub(
        r"(?<=\w)_(\w+)", r'<tspan dy="3" font-size="8">\1</tspan><tspan dy="-3">&#8203;</tspan>', escape(words)
    )
    return f'<text x="{number(x)}" y="{number(y)}" {style}>{lowered}</text>'


def drawing(width: float, height: float, name: str, parts: Iterable[str], kind: str) -> str:
    """Return a whole ``<svg>`` element; `name` is what a screen reader says, `kind` the CSS class."""
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
    font = 'font-family="system-ui, DejaVu Sans, Arial, sans-serif"'
    return "\n".join([f'{head} class="{kind}" role="img" aria-label="{escape(name)}" {font}>', *parts, "</svg>\n"])


# ---- symbols of mechanics

WALL = 38.0  # how far a wall reaches

INK = 'stroke="#1f2933" stroke-width="1.5" fill="none" stroke-linejoin="round"'
THIN = 'stroke="#52606d" stroke-width="1" fill="none"'
MASS = 'fill="#dbe7f1" stroke="#1f2933" stroke-width="1.5"'
BLUE = 'stroke="#0072B2" stroke-width="1.6" fill="none"'
LABEL = 'font-size="11" text-anchor="middle" fill="#1f2933"'


def gap(stop: DrawnStop | BeamStop) -> str:
    """Say how far a stop is, and how stiff or with which restitution."""
    rigid = stop.stiffness is None
    law = f"e = {numbers.value(stop.restitution, 4)}" if rigid else f"{numbers.value(stop.stiffness, 4)} N/m"
    return f"δ = {numbers.value(stop.gap, 4)} m, {law}"


def choose_stop(stop: DrawnStop | BeamStop) -> str:
    """Return the symbol of a stop: a rigid one has no spring."""
    return "rigid stop" if stop.stiffness is None else "stop"


def symbol(kind: str, start: float, end: float, y: float) -> Iterator[str]:
    """Draw a spring, damper, elastic or rigid stop, its dashpot, slider or device between two places on a level."""
    drawn = {
        "spring": _spring,
        "damper": _damper,
        "stop": _contact,
        "rigid stop": _edge,
        "dashpot": _dashpot,
        "slider": _slider,
        "device": _box,
    }[kind]
    yield from drawn(start, end, y)


def _spring(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a zigzag between two leads."""
    leads = [start + part * (end - start) for part in (0.18, 0.82)]
    teeth = [(leads[0] + (i + 0.5) / 8 * (leads[1] - leads[0]), y + (7 if i % 2 else -7)) for i in range(8)]
    yield path([(start, y), (leads[0], y), *teeth, (leads[1], y), (end, y)], INK)


def _damper(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a piston in a cylinder."""
    a, b, c = (start + part * (end - start) for part in (0.38, 0.52, 0.62))
    yield path([(start, y), (b, y)], INK)
    yield path([(b, y - 6), (b, y + 6)], INK)
    yield path([(a, y - 8), (c, y - 8), (c, y + 8), (a, y + 8)], INK)
    yield path([(c, y), (end, y)], INK)


def _contact(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a spring that ends in a plate, short of the mass."""
    plate = start + 0.2 * (end - start)
    yield path([(plate, y - 9), (plate, y + 9)], 'stroke="#D55E00" stroke-width="3" fill="none"')
    yield from _spring(plate, end, y)


def _edge(start: float, end: float, y: float) -> Iterator[str]:
    """Draw the thick edge of what is behind the gap; nothing gives way."""
    yield path([(end, y - WALL / 2), (end, y + WALL / 2)], 'stroke="#D55E00" stroke-width="3" fill="none"')
    yield path([(start, y), (end, y)], f'{THIN} stroke-dasharray="2 3"')


def _dashpot(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a damper behind the plate of the stop on the level above."""
    plate = start + 0.2 * (end - start)
    yield path([(plate, y - WALL), (plate, y + 9)], 'stroke="#D55E00" stroke-width="3" fill="none"')
    yield from _damper(plate, end, y)


def _slider(start: float, end: float, y: float) -> Iterator[str]:
    """Draw two plates that rub."""
    a, b = (start + part * (end - start) for part in (0.35, 0.65))
    yield path([(start, y - 2), (b, y - 2)], INK)
    yield path([(a, y + 2), (end, y + 2)], INK)


def _box(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a closed box with a bent line in it: a law that is no straight one."""
    a, b, c, d = (start + part * (end - start) for part in (0.3, 0.42, 0.58, 0.7))
    yield path([(start, y), (a, y)], INK)
    yield path([(a, y - 8), (d, y - 8), (d, y + 8), (a, y + 8), (a, y - 8)], INK)
    yield path([(d, y), (end, y)], INK)
    yield path([(a, y + 5), (b, y - 3), (c, y - 3), (d, y + 2)], BLUE)


def wall(x: float, y: float, side: float) -> Iterator[str]:
    """Draw a hatched wall; `side` is +1 if it stands right of what it holds."""
    low, high = y - WALL / 2, y + WALL / 2
    yield path([(x, low), (x, high)], INK)
    for i in range(5):
        start = low + (i + 1) * WALL / 5
        yield path([(x, start), (x + 8 * side, start - 8)], THIN)


def ground(left: float, right: float, y: float, hatches: int) -> Iterator[str]:
    """Draw a hatched floor."""
    yield path([(left, y), (right, y)], INK)
    for i in range(hatches):
        start = left + (i + 1) * (right - left) / hatches
        yield path([(start, y), (start - 8, y + 8)], THIN)


def arrow(tail: tuple[float, float], tip: tuple[float, float], style: str) -> Iterator[str]:
    """Draw an arrow along one of the axes."""
    (x, y), level = tip, tail[1] == tip[1]
    back = 5.0 * (-1 if tip > tail else 1)
    hooks = [(x + back, y - 4), tip, (x + back, y + 4)] if level else [(x - 4, y + back), tip, (x + 4, y + back)]
    yield path([tail, tip], style)
    yield path(hooks, style)
