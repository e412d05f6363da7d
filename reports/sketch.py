"""A drawing of the mechanical system of a case, as SVG, from its description in the result document.

Masses stand in a line, with springs, dampers and stops in the gaps between them and to the walls, dry friction beneath,
loads and initial velocities above. Whatever a description holds, it is drawn without asking what case it belongs to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from veridyn.reports import numbers, svg, symbols
from veridyn.reports.symbols import BLUE, INK, LABEL, MASS, WALL

Element = dict[str, Any]
Record = dict[str, Any]

GAP, WIDE, PITCH, HIGH = 150.0, 70.0, WALL, 56.0
EDGE, ABOVE, LEVEL, BELOW = 34.0, 18.0, 34.0, 62.0
GROUND = "ground"

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
    """Draw a system, ``system`` of a case in the result document; `name` is what a screen reader says."""
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
        _place_device(layout, device)
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
    parts = [("stop", symbols.gap(stop))]
    if stop["damping"]:
        parts.append(("dashpot", f"{numbers.value(stop['damping'], 4)} N s/m"))
    places = [layout.names.index(name) for name in stop["ends"] if name in layout.names]
    for kind, label in parts:
        if len(places) > 1:
            _place(layout, kind, stop["ends"], label)
        elif places:
            if stop["side"] in ("left", "both"):
                layout.gaps.append(Link(kind, label, places[0], GROUND, faces_left=True))
            if stop["side"] in ("right", "both"):
                layout.gaps.append(Link(kind, label, places[0] + 1, GROUND))


def _place_device(layout: Layout, device: Element) -> None:
    label = _short(device["type"].replace("-", " "), 24)
    places = [layout.names.index(name) for name in device["ends"] if name in layout.names]
    if len(places) == 1 and device["side"] == "right":
        layout.gaps.append(Link("device", label, places[0] + 1, GROUND))
    else:
        _place(layout, "device", device["ends"], label)


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
    yield from symbols.draw(link.kind, start, end, y)
    yield svg.text((start + end) / 2, y - 12, link.label, LABEL)
    if link.wall:
        yield from symbols.wall(end, y, 1.0 if end > start else -1.0)


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
        yield from symbols.draw(kind, a, b, y)
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
    yield from symbols.ground(x - 26, x + WIDE + 26, y, 12)
    said = _coefficients(friction)
    if friction["on"]:
        yield from _moving(x + WIDE / 2, y + 10, f"{_short(friction['on'], 16)}, {said}")
    else:
        yield svg.text(x + WIDE / 2, y + 24, said, LABEL)


def _held(x: float, y: float, kind: str, label: str) -> Iterator[str]:
    """Draw a link to the ground beneath: the symbol on its side."""
    yield f'<g transform="rotate(90 {svg.number(x)} {svg.number(y)})">'
    yield from symbols.draw(kind, x, x + 44, y)
    yield from symbols.wall(x + 44, y, 1.0)
    yield "</g>"
    yield svg.text(x + 20, y + 26, label, LABEL.replace("middle", "start"))
