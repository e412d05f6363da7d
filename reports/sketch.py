"""A drawing of the mechanical system of a case, as SVG, from its description in the result document.

Masses stand in a line, with springs, dampers and stops in the gaps between them and to the walls, dry friction beneath,
loads and initial velocities above. Whatever a description holds, it is drawn without asking what case it belongs to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from veridyn.reports import numbers, svg

Element = dict[str, Any]
Record = dict[str, Any]

GAP, WIDE, PITCH, HIGH = 150.0, 70.0, 38.0, 56.0
EDGE, ABOVE, LEVEL, BELOW = 34.0, 18.0, 34.0, 62.0
GROUND = "ground"

INK = 'stroke="#1f2933" stroke-width="1.5" fill="none" stroke-linejoin="round"'
THIN = 'stroke="#52606d" stroke-width="1" fill="none"'
MASS = 'fill="#dbe7f1" stroke="#1f2933" stroke-width="1.5"'
BLUE = 'stroke="#0072B2" stroke-width="1.6" fill="none"'
LABEL = 'font-size="11" text-anchor="middle" fill="#1f2933"'
NAME = 'font-size="13" font-weight="600" text-anchor="middle" fill="#1f2933"'


@dataclass(frozen=True)
class Link:
    """What fills a gap: `column` 0 lies left of the first mass; `wall` names what is at the far end, '' a mass."""

    kind: str
    label: str
    column: int
    wall: str = ""
    faces_left: bool = False


@dataclass
class Layout:
    """Where everything goes."""

    names: list[str]
    gaps: list[Link] = field(default_factory=list)
    below: list[tuple[int, str, str]] = field(default_factory=list)
    above: list[tuple[int, int, str, str]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Most links that any gap holds."""
        return max((sum(link.column == c for link in self.gaps) for c in range(len(self.names) + 1)), default=0)

    @property
    def high(self) -> float:
        """Height of the masses."""
        return max(HIGH, PITCH * self.rows + 14)

    def left(self, column: int) -> float:
        """Left edge of a mass."""
        return EDGE + self._first_gap + column * (WIDE + GAP)

    @property
    def _first_gap(self) -> float:
        return GAP if any(link.column == 0 for link in self.gaps) else 0.0

    @property
    def has_moving_walls(self) -> bool:
        """Whether a link ends at a support that moves."""
        return any(link.wall not in ("", GROUND) for link in self.gaps)

    @property
    def width(self) -> float:
        """Width of the drawing."""
        last = GAP if any(link.column == len(self.names) for link in self.gaps) else 0.0
        return self.left(len(self.names) - 1) + WIDE + last + EDGE


def draw(system: Record, name: str) -> str:
    """Draw a system.

    Parameters
    ----------
    system
        As ``system`` of a case in the result document.
    name
        What a screen reader says.
    """
    layout = _layout(system)
    top = ABOVE + LEVEL * (len(layout.above) + 1)
    below = BELOW if system["frictions"] or layout.below or layout.has_moving_walls else ABOVE
    parts = [
        *_gaps(layout, top),
        *(part for number, mass in enumerate(system["masses"]) for part in _mass(layout, number, mass, top)),
        *_arrows(layout, system, top),
        *_above(layout, top),
        *_below(layout, system, top + layout.high),
    ]
    return svg.drawing(layout.width, top + layout.high + below, name, parts, "sketch")


def _layout(system: Record) -> Layout:
    layout = Layout([mass["name"] for mass in system["masses"]])
    for kind, unit in (("springs", "N/m"), ("dampers", "N s/m")):
        for link in system[kind]:
            _place(layout, kind[:-1], link["ends"], f"{numbers.value(link['value'], 4)} {unit}")
    for stop in system["stops"]:
        _place_stop(layout, stop)
    for device in system["devices"]:
        _place(layout, "device", device["ends"], _short(device["type"].replace("-", " "), 24))
    for friction in system["frictions"]:
        if len(friction["ends"]) > 1:
            _place(layout, "slider", friction["ends"], _coefficients(friction))
    return layout


def _place(layout: Layout, kind: str, ends: Sequence[str], label: str) -> None:
    places = sorted(layout.names.index(name) for name in ends if name in layout.names)
    walls = [name for name in ends if name not in layout.names]
    if len(places) > 1:
        if places[1] - places[0] == 1:
            layout.gaps.append(Link(kind, label, places[1]))
        else:
            layout.above.append((places[0], places[1], kind, label))
    elif places:
        _place_at_wall(layout, kind, label, places[0], walls[0] if walls else GROUND)


def _place_at_wall(layout: Layout, kind: str, label: str, place: int, wall: str) -> None:
    """Lead to the wall at the near end of the line; from a mass within it, to the ground."""
    taken = {link.wall for link in layout.gaps if link.column == 0}
    if place == 0 and (len(layout.names) > 1 or taken <= {wall}):
        layout.gaps.append(Link(kind, label, 0, wall, faces_left=True))
    elif place == len(layout.names) - 1:
        layout.gaps.append(Link(kind, label, place + 1, wall))
    else:
        layout.below.append((place, kind, label))


def _place_stop(layout: Layout, stop: Element) -> None:
    label = f"δ = {numbers.value(stop['gap'], 4)} m, {numbers.value(stop['stiffness'], 4)} N/m"
    places = [layout.names.index(name) for name in stop["ends"] if name in layout.names]
    if len(places) > 1:
        _place(layout, "stop", stop["ends"], label)
    elif places:
        if stop["side"] in ("left", "both"):
            layout.gaps.append(Link("stop", label, places[0], GROUND, faces_left=True))
        if stop["side"] in ("right", "both"):
            layout.gaps.append(Link("stop", label, places[0] + 1, GROUND))


def _coefficients(friction: Element) -> str:
    static, kinetic = (numbers.value(friction[key], 4) for key in ("static", "kinetic"))
    return f"μ = {kinetic}" if static == kinetic else f"μs = {static}, μk = {kinetic}"


def _gaps(layout: Layout, top: float) -> Iterator[str]:
    middle = top + layout.high / 2
    for column in range(len(layout.names) + 1):
        links = [link for link in layout.gaps if link.column == column]
        first = middle - PITCH * (len(links) - 1) / 2
        for row, link in enumerate(links):
            yield from _link(layout, link, first + PITCH * row)
        for name in dict.fromkeys(link.wall for link in links if link.wall not in ("", GROUND)):
            x = layout.left(0) - GAP if column == 0 else layout.left(column - 1) + WIDE + GAP
            yield from _moving(x, first + PITCH * (len(links) - 0.5) + 2, _short(name, 16))


def _link(layout: Layout, link: Link, y: float) -> Iterator[str]:
    """Draw a link from its mass to the far end; a wall within the line stands short of the next mass."""
    inner = 0 < link.column < len(layout.names)
    length = 0.78 * GAP if inner and link.wall else GAP
    if link.faces_left:
        start, end = layout.left(link.column), layout.left(link.column) - length
    else:
        start = layout.left(link.column - 1) + WIDE
        end = start + length
    yield from _symbol(link.kind, start, end, y)
    yield svg.text((start + end) / 2, y - 12, link.label, LABEL)
    if link.wall:
        yield from _wall(end, y, 1.0 if end > start else -1.0)


def _symbol(kind: str, start: float, end: float, y: float) -> Iterator[str]:
    drawn = {"spring": _spring, "damper": _damper, "stop": _contact, "slider": _slider, "device": _box}[kind]
    yield from drawn(start, end, y)


def _spring(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a zigzag between two leads."""
    leads = [start + part * (end - start) for part in (0.18, 0.82)]
    teeth = [(leads[0] + (i + 0.5) / 8 * (leads[1] - leads[0]), y + (7 if i % 2 else -7)) for i in range(8)]
    yield svg.path([(start, y), (leads[0], y), *teeth, (leads[1], y), (end, y)], INK)


def _damper(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a piston in a cylinder."""
    a, b, c = (start + part * (end - start) for part in (0.38, 0.52, 0.62))
    yield svg.path([(start, y), (b, y)], INK)
    yield svg.path([(b, y - 6), (b, y + 6)], INK)
    yield svg.path([(a, y - 8), (c, y - 8), (c, y + 8), (a, y + 8)], INK)
    yield svg.path([(c, y), (end, y)], INK)


def _contact(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a spring that ends in a plate, short of the mass."""
    plate = start + 0.2 * (end - start)
    yield svg.path([(plate, y - 9), (plate, y + 9)], 'stroke="#D55E00" stroke-width="3" fill="none"')
    yield from _spring(plate, end, y)


def _slider(start: float, end: float, y: float) -> Iterator[str]:
    """Draw two plates that rub."""
    a, b = (start + part * (end - start) for part in (0.35, 0.65))
    yield svg.path([(start, y - 2), (b, y - 2)], INK)
    yield svg.path([(a, y + 2), (end, y + 2)], INK)


def _box(start: float, end: float, y: float) -> Iterator[str]:
    """Draw a closed box with a bent line in it: a law that is no straight one."""
    a, b, c, d = (start + part * (end - start) for part in (0.3, 0.42, 0.58, 0.7))
    yield svg.path([(start, y), (a, y)], INK)
    yield svg.path([(a, y - 8), (d, y - 8), (d, y + 8), (a, y + 8), (a, y - 8)], INK)
    yield svg.path([(d, y), (end, y)], INK)
    yield svg.path([(a, y + 5), (b, y - 3), (c, y - 3), (d, y + 2)], BLUE)


def _wall(x: float, y: float, side: float) -> Iterator[str]:
    """Draw a hatched wall; `side` is +1 if it stands right of what it holds."""
    low, high = y - PITCH / 2, y + PITCH / 2
    yield svg.path([(x, low), (x, high)], INK)
    for i in range(5):
        start = low + (i + 1) * PITCH / 5
        yield svg.path([(x, start), (x + 8 * side, start - 8)], THIN)


def _moving(x: float, y: float, name: str) -> Iterator[str]:
    """Draw a double arrow: this support moves."""
    yield svg.path([(x - 18, y + 6), (x + 18, y + 6)], BLUE)
    for tip, back in ((x - 18, x - 12), (x + 18, x + 12)):
        yield svg.path([(back, y + 2), (tip, y + 6), (back, y + 10)], BLUE)
    yield svg.text(x, y + 23, name, LABEL)


def _short(name: str, most: int) -> str:
    """Keep a name from running over its neighbours."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _mass(layout: Layout, number: int, mass: Element, top: float) -> Iterator[str]:
    x, middle = layout.left(number), top + layout.high / 2
    place = f'x="{svg.number(x)}" y="{svg.number(top)}" width="{WIDE:g}" height="{svg.number(layout.high)}" rx="4"'
    yield f"<rect {place} {MASS}/>"
    yield svg.text(x + WIDE / 2, middle - 3, _short(mass["name"], 8), NAME)
    yield svg.text(x + WIDE / 2, middle + 14, f"{numbers.value(mass['mass'], 4)} kg", LABEL)


def _arrows(layout: Layout, system: Record, top: float) -> Iterator[str]:
    """Draw loads and initial velocities over the masses."""
    for number, mass in enumerate(system["masses"]):
        said = ["F(t)"] if mass["name"] in system["loads"] else []
        speed = mass["velocity"]
        said += [f"v(0) = {numbers.value(speed, 4)} m/s"] if speed else []
        if said:
            x, back = layout.left(number) + WIDE / 2, speed < 0 and mass["name"] not in system["loads"]
            tip, tail = (x - 24, x + 24) if back else (x + 24, x - 24)
            hook = tip + (6 if back else -6)
            yield svg.path([(tail, top - 9), (tip, top - 9)], BLUE)
            yield svg.path([(hook, top - 13), (tip, top - 9), (hook, top - 5)], BLUE)
            yield svg.text(x, top - 18, ", ".join(said), LABEL)


def _above(layout: Layout, top: float) -> Iterator[str]:
    """Draw links between masses that are no neighbours, over the heads of those between."""
    for level, (first, last, kind, label) in enumerate(layout.above):
        y = top - LEVEL * (level + 1) - 6
        a, b = layout.left(first) + WIDE * 0.3, layout.left(last) + WIDE * 0.7
        yield svg.path([(a, top), (a, y)], INK)
        yield svg.path([(b, top), (b, y)], INK)
        yield from _symbol(kind, a, b, y)
        yield svg.text((a + b) / 2, y - 10, label, LABEL)


def _below(layout: Layout, system: Record, bottom: float) -> Iterator[str]:
    for friction in system["frictions"]:
        places = [layout.names.index(name) for name in friction["ends"] if name in layout.names]
        if len(places) == 1:
            yield from _plane(layout.left(places[0]), bottom + 3, friction)
    for place, kind, label in layout.below:
        yield from _held(layout.left(place) + WIDE / 4, bottom, kind, label)


def _plane(x: float, y: float, friction: Element) -> Iterator[str]:
    """Draw the plane that a mass rubs on, and that it moves."""
    yield svg.path([(x - 26, y), (x + WIDE + 26, y)], INK)
    for i in range(12):
        start = x - 26 + (i + 1) * (WIDE + 52) / 12
        yield svg.path([(start, y), (start - 8, y + 8)], THIN)
    said = _coefficients(friction)
    if friction["on"]:
        yield from _moving(x + WIDE / 2, y + 10, f"{_short(friction['on'], 16)}, {said}")
    else:
        yield svg.text(x + WIDE / 2, y + 24, said, LABEL)


def _held(x: float, y: float, kind: str, label: str) -> Iterator[str]:
    """Draw a link to the ground beneath: the symbol on its side."""
    yield f'<g transform="rotate(90 {svg.number(x)} {svg.number(y)})">'
    yield from _symbol(kind, x, x + 44, y)
    yield from _wall(x + 44, y, 1.0)
    yield "</g>"
    yield svg.text(x + 20, y + 26, label, LABEL.replace("middle", "start"))
