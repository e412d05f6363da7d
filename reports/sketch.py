"""A drawing of the mechanical system of a case, a line of masses or a beam, as SVG, from the result document.

Masses stand in a line, with springs, dampers and stops in the gaps between them and to the walls, dry friction beneath,
loads and initial velocities above. Whatever a description holds, it is drawn without asking what case it belongs to.

Of a beam, from top to bottom: the shapes it moves in; the beam with its supports, its velocities at the start above it,
and the stops that it meets; its length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from veridyn.reports import numbers, style, svg
from veridyn.reports.svg import BLUE, INK, LABEL, MASS, THIN, WALL
from veridyn.results import (
    BeamSide,
    BeamStop,
    DrawnBeam,
    DrawnDevice,
    DrawnFriction,
    DrawnMass,
    DrawnStop,
    DrawnSystem,
    Holding,
    Side,
)

GAP, WIDE, PITCH, HIGH = 150.0, 70.0, WALL, 56.0
EDGE, ABOVE, LEVEL, BELOW = 34.0, 18.0, 34.0, 62.0
GROUND = "ground"

NAME = 'font-size="13" font-weight="600" text-anchor="middle" fill="#1f2933"'


@dataclass(frozen=True)
class GapSymbol:
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
    gaps: list[GapSymbol] = field(default_factory=list)
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


def draw(system: DrawnSystem, name: str) -> str:
    """Draw a system, ``system`` of a case in the result document; `name` is what a screen reader says."""
    layout = _layout(system)
    top = ABOVE + LEVEL * (len(layout.above) + 1)
    below = BELOW if system.frictions or layout.below or layout.has_moving_walls else ABOVE
    parts = [
        *_gaps(layout, top),
        *(part for number, mass in enumerate(system.masses) for part in _mass(layout, number, mass, top)),
        *_arrows(layout, system, top),
        *_above(layout, top),
        *_below(layout, system, top + layout.high),
    ]
    return svg.drawing(layout.width, top + layout.high + below, name, parts, "sketch")


def _layout(system: DrawnSystem) -> Layout:
    layout = Layout([mass.name for mass in system.masses])
    for kind, links, unit in (("spring", system.springs, "N/m"), ("damper", system.dampers, "N s/m")):
        for link in links:
            _place(layout, kind, link.ends, f"{numbers.value(link.value, 4)} {unit}")
    for stop in system.stops:
        _place_stop(layout, stop)
    for device in system.devices:
        _place_device(layout, device)
    for friction in system.frictions:
        if len(friction.ends) > 1:
            _place(layout, "slider", friction.ends, _coefficients(friction))
    return layout


def _place(layout: Layout, kind: str, ends: Sequence[str], label: str) -> None:
    places = sorted(layout.names.index(name) for name in ends if name in layout.names)
    walls = [name for name in ends if name not in layout.names]
    if len(places) > 1:
        if places[1] - places[0] == 1:
            layout.gaps.append(GapSymbol(kind, label, places[1]))
        else:
            layout.above.append((places[0], places[1], kind, label))
    elif places:
        _place_at_wall(layout, kind, label, places[0], walls[0] if walls else GROUND)


def _place_at_wall(layout: Layout, kind: str, label: str, place: int, wall: str) -> None:
    """Lead to the wall at the near end of the line; from a mass within it, to the ground."""
    taken = {link.wall for link in layout.gaps if link.column == 0}
    if place == 0 and (len(layout.names) > 1 or taken <= {wall}):
        layout.gaps.append(GapSymbol(kind, label, 0, wall, faces_left=True))
    elif place == len(layout.names) - 1:
        layout.gaps.append(GapSymbol(kind, label, place + 1, wall))
    else:
        layout.below.append((place, kind, label))


def _place_stop(layout: Layout, stop: DrawnStop) -> None:
    parts = [(svg.choose_stop(stop), svg.gap(stop))]
    if stop.damping:
        parts.append(("dashpot", f"{numbers.value(stop.damping, 4)} N s/m"))
    places = [layout.names.index(name) for name in stop.ends if name in layout.names]
    for kind, label in parts:
        if len(places) > 1:
            _place(layout, kind, stop.ends, label)
        elif places:
            if stop.side in (Side.LEFT, Side.BOTH):
                layout.gaps.append(GapSymbol(kind, label, places[0], GROUND, faces_left=True))
            if stop.side in (Side.RIGHT, Side.BOTH):
                layout.gaps.append(GapSymbol(kind, label, places[0] + 1, GROUND))


def _place_device(layout: Layout, device: DrawnDevice) -> None:
    label = _short(device.type.replace("-", " "), 24)
    places = [layout.names.index(name) for name in device.ends if name in layout.names]
    if len(places) == 1 and device.side is Side.RIGHT:
        layout.gaps.append(GapSymbol("device", label, places[0] + 1, GROUND))
    else:
        _place(layout, "device", device.ends, label)


def _coefficients(friction: DrawnFriction) -> str:
    static, kinetic = (numbers.value(number, 4) for number in (friction.static, friction.kinetic))
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


def _link(layout: Layout, link: GapSymbol, y: float) -> Iterator[str]:
    """Draw a link from its mass to the far end; a wall within the line stands short of the next mass."""
    inner = 0 < link.column < len(layout.names)
    length = 0.78 * GAP if inner and link.wall else GAP
    if link.faces_left:
        start, end = layout.left(link.column), layout.left(link.column) - length
    else:
        start = layout.left(link.column - 1) + WIDE
        end = start + length
    yield from svg.symbol(link.kind, start, end, y)
    yield svg.text((start + end) / 2, y - 12, link.label, LABEL)
    if link.wall:
        yield from svg.wall(end, y, 1.0 if end > start else -1.0)


def _moving(x: float, y: float, name: str) -> Iterator[str]:
    """Draw a double arrow: this support moves."""
    yield svg.path([(x - 18, y + 6), (x + 18, y + 6)], BLUE)
    for tip, back in ((x - 18, x - 12), (x + 18, x + 12)):
        yield svg.path([(back, y + 2), (tip, y + 6), (back, y + 10)], BLUE)
    yield svg.text(x, y + 23, name, LABEL)


def _short(name: str, most: int) -> str:
    """Keep a name from running over its neighbours."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _mass(layout: Layout, number: int, mass: DrawnMass, top: float) -> Iterator[str]:
    x, middle = layout.left(number), top + layout.high / 2
    place = f'x="{svg.number(x)}" y="{svg.number(top)}" width="{WIDE:g}" height="{svg.number(layout.high)}" rx="4"'
    yield f"<rect {place} {MASS}/>"
    yield svg.text(x + WIDE / 2, middle - 3, _short(mass.name, 8), NAME)
    yield svg.text(x + WIDE / 2, middle + 14, f"{numbers.value(mass.mass, 4)} kg", LABEL)


def _arrows(layout: Layout, system: DrawnSystem, top: float) -> Iterator[str]:
    """Draw loads and initial velocities over the masses."""
    for number, mass in enumerate(system.masses):
        said = ["F(t)"] if mass.name in system.loads else []
        speed = mass.velocity
        said += [f"v(0) = {numbers.value(speed, 4)} m/s"] if speed else []
        if said:
            x, back = layout.left(number) + WIDE / 2, speed < 0 and mass.name not in system.loads
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
        yield from svg.symbol(kind, a, b, y)
        yield svg.text((a + b) / 2, y - 10, label, LABEL)


def _below(layout: Layout, system: DrawnSystem, bottom: float) -> Iterator[str]:
    for friction in system.frictions:
        places = [layout.names.index(name) for name in friction.ends if name in layout.names]
        if len(places) == 1:
            yield from _plane(layout.left(places[0]), bottom + 3, friction)
    for place, kind, label in layout.below:
        yield from _held(layout.left(place) + WIDE / 4, bottom, kind, label)


def _plane(x: float, y: float, friction: DrawnFriction) -> Iterator[str]:
    """Draw the plane that a mass rubs on, and that it moves."""
    yield from svg.ground(x - 26, x + WIDE + 26, y, 12)
    said = _coefficients(friction)
    if friction.on:
        yield from _moving(x + WIDE / 2, y + 10, f"{_short(friction.on, 16)}, {said}")
    else:
        yield svg.text(x + WIDE / 2, y + 24, said, LABEL)


def _held(x: float, y: float, kind: str, label: str) -> Iterator[str]:
    """Draw a link to the ground beneath: the symbol on its side."""
    yield f'<g transform="rotate(90 {svg.number(x)} {svg.number(y)})">'
    yield from svg.symbol(kind, x, x + 44, y)
    yield from svg.wall(x + 44, y, 1.0)
    yield "</g>"
    yield svg.text(x + 20, y + 26, label, LABEL.replace("middle", "start"))


# ---- a beam

LEFT, SPAN, RIGHT = 60.0, 480.0, 150.0
SHAPES, SWING = 48.0, 28.0  # level of the shapes, and how far they reach from it
UPPER, DEEP, SPEED = 142.0, 8.0, 30.0  # of the beam: its upper edge, its depth; length of the longest velocity
FOOT, STOP = 16.0, 64.0  # height of a support, length of a stop
BOTTOM, HEIGHT = 248.0, 264.0
HALF = 9.0  # width of a support
ASIDE = LABEL.replace("middle", "start")


def draw_beam(beam: DrawnBeam, name: str) -> str:
    """Draw a beam, ``beam`` of a case in the result document; `name` is what a screen reader says."""
    parts = [
        *_shapes(beam),
        *_velocities(beam),
        f'<rect x="{LEFT:g}" y="{UPPER:g}" width="{SPAN:g}" height="{DEEP:g}" {MASS}/>',
        *(part for support in beam.supports for part in _support(_along(beam, support.at), support.kind)),
        *(part for stop in beam.stops for part in _stop(_along(beam, stop.at), stop)),
        *_length(beam),
    ]
    return svg.drawing(LEFT + SPAN + RIGHT, HEIGHT, name, parts, "sketch")


def _along(beam: DrawnBeam, at: float) -> float:
    """Return where a place of the beam is drawn; what lies beyond an end, at the end."""
    return LEFT + SPAN * min(max(at / float(beam.length), 0.0), 1.0)


def _shapes(beam: DrawnBeam) -> Iterator[str]:
    """Draw the shapes over each other about a common line, each as far as the others."""
    if beam.shapes:
        yield svg.path([(LEFT, SHAPES), (LEFT + SPAN, SHAPES)], THIN)
    for row, shape in enumerate(beam.shapes):
        colour, y = style.CYCLE[row], shape.y
        largest = max(map(abs, y)) or 1.0
        points = [(LEFT + SPAN * i / (len(y) - 1), SHAPES - SWING * v / largest) for i, v in enumerate(y)]
        yield svg.path(points, f'stroke="{colour}" stroke-width="1.6" fill="none"')
        first = SHAPES + 4 - 8.0 * (len(beam.shapes) - 1)
        yield svg.text(LEFT + SPAN + 16, first + 16 * row, shape.name, f'{ASIDE} style="fill:{colour}"')


def _velocities(beam: DrawnBeam) -> Iterator[str]:
    """Draw the velocities at the start as arrows, away from the beam if they rise and to it if they fall."""
    speeds = beam.velocities
    largest = max((abs(one.value) for one in speeds), default=0.0)
    for one in speeds:
        x, long = _along(beam, one.at), SPEED * abs(one.value) / (largest or 1.0)
        near, far = (x, UPPER - 4), (x, UPPER - 4 - long)
        yield from svg.arrow(far, near, BLUE) if one.value < 0 else svg.arrow(near, far, BLUE)
    if largest:
        yield svg.text(LEFT + SPAN + 16, UPPER - 16, f"v(0) up to {numbers.value(largest, 3)} m/s", ASIDE)


def _support(x: float, kind: Holding) -> Iterator[str]:
    """Draw a pin (triangle), a roller (circle), each on a floor, or a clamp (wall)."""
    top = UPPER + DEEP
    if kind is Holding.CLAMP:
        side = -1.0 if x < LEFT + SPAN / 2 else 1.0
        yield from svg.wall(x, UPPER + DEEP / 2, side)
        return
    if kind is Holding.PIN:
        yield svg.path([(x, top), (x - HALF, top + FOOT), (x + HALF, top + FOOT), (x, top)], INK)
    else:
        centre, radius = svg.number(top + FOOT / 2), svg.number(FOOT / 2)
        yield f'<circle cx="{svg.number(x)}" cy="{centre}" r="{radius}" {INK}/>'
    yield from svg.ground(x - 2 * HALF, x + 2 * HALF, top + FOOT, 5)


def _stop(x: float, stop: BeamStop) -> Iterator[str]:
    """Draw a stop on its side, beneath the beam or above it."""
    below = stop.side is BeamSide.BELOW
    y, turn, away = (UPPER + DEEP, 90, 1) if below else (UPPER, -90, -1)
    yield f'<g transform="rotate({turn} {svg.number(x)} {svg.number(y)})">'
    yield from svg.symbol(svg.choose_stop(stop), x, x + STOP, y)
    yield from svg.wall(x + STOP, y, 1.0)
    yield "</g>"
    yield svg.text(x + 18, y + away * STOP / 2 + 4, svg.gap(stop), ASIDE)


def _length(beam: DrawnBeam) -> Iterator[str]:
    middle = LEFT + SPAN / 2
    for end in (LEFT, LEFT + SPAN):
        yield svg.path([(end, BOTTOM - 6), (end, BOTTOM + 6)], THIN)
        yield from svg.arrow((middle, BOTTOM), (end, BOTTOM), THIN)
    yield svg.text(middle, BOTTOM - 5, f"{numbers.value(beam.length, 4)} m", LABEL)
