"""Drawings of what moves, put together by a case from parts: bodies, springs, floors, arrows, names.

Every function returns shapes; `sketch` puts them together. Places are pairs (x, y) with y up; a body is about one unit
wide, which a page draws 40 pixels long. Angles are in degrees, counted from the x axis to the y axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from veridyn.results import Anchor, Ink, Sketch, SketchDisc, SketchLine, SketchShape, SketchText

Place = tuple[float, float]
Shapes = tuple[SketchShape, ...]
ASIDE = 0.38  # of a name from its line
HATCH = 0.2


def sketch(*parts: Shapes) -> Sketch:
    """Return a drawing of parts, from back to front."""
    return Sketch(shapes=tuple(shape for part in parts for shape in part))


def line(*places: Place, ink: Ink = Ink.LINE) -> Shapes:
    """Return a broken line."""
    return (SketchLine(points=places, ink=ink),)


def thin(*places: Place) -> Shapes:
    """Return a broken line that is no part of what moves."""
    return line(*places, ink=Ink.THIN)


def dashed(*places: Place) -> Shapes:
    """Return a broken line of dashes: an axis, a path, a place that something will have."""
    return line(*places, ink=Ink.DASHED)


def graph(*places: Place) -> Shapes:
    """Return a broken line of a diagram."""
    return line(*places, ink=Ink.MOTION)


def edge(*places: Place) -> Shapes:
    """Return a thick line where something is touched."""
    return line(*places, ink=Ink.CONTACT)


def curve(at: Callable[[float], Place], begin: float, end: float, ink: Ink = Ink.MOTION, pieces: int = 60) -> Shapes:
    """Return a curve through the places that a function gives between two arguments."""
    return line(*(at(begin + (end - begin) * i / pieces) for i in range(pieces + 1)), ink=ink)


def path(at: Callable[[float], Place], begin: float, end: float) -> Shapes:
    """Return a curve of dashes: the way that something goes."""
    return curve(at, begin, end, Ink.DASHED)


def outline(*places: Place, ink: Ink = Ink.BODY) -> Shapes:
    """Return a closed, filled body."""
    return (SketchLine(points=places, ink=ink, closed=True),)


def plane(*places: Place) -> Shapes:
    """Return the outline of a plane that is seen from above."""
    return outline(*places, ink=Ink.PLANE)


def words(at: Place, text: str, anchor: Anchor = Anchor.MIDDLE) -> Shapes:
    """Return a name at a place; none for an empty text."""
    return (SketchText(at=at, words=text, anchor=anchor),) if text else ()


def disc(centre: Place, radius: float, name: str = "", ink: Ink = Ink.BODY) -> Shapes:
    """Return a round body with its name on it."""
    return (SketchDisc(centre=centre, radius=radius, ink=ink), *words(centre, name))


def dot(centre: Place, radius: float = 0.07) -> Shapes:
    """Return a black point: a joint, or a centre of mass."""
    return disc(centre, radius, ink=Ink.DOT)


def box(centre: Place, width: float, height: float, name: str = "", angle: float = 0.0) -> Shapes:
    """Return a rectangular body with its name on it, turned about its centre."""
    half, up = width / 2, height / 2
    corners = [(-half, -up), (half, -up), (half, up), (-half, up)]
    return (*outline(*(_add(centre, _turn(corner, angle)) for corner in corners)), *words(centre, name))


def bar(begin: Place, end: Place, name: str = "", thick: float = 0.16) -> Shapes:
    """Return a rod between two places, with a name beside it."""
    along, across = _directions(begin, end)
    middle, length = _between(begin, end, 0.5), math.dist(begin, end)
    angle = math.degrees(math.atan2(along[1], along[0]))
    return (*box(middle, length, thick, angle=angle), *words(_shift(middle, across, ASIDE + thick / 2), name))


def ground(begin: Place, end: Place) -> Shapes:
    """Return a floor, or a wall, that does not move: hatched on the right of who goes from begin to end."""
    along, across = _directions(begin, end)
    count = max(2, round(math.dist(begin, end) / HATCH))
    feet = (_between(begin, end, (i + 1) / count) for i in range(count))
    hatches = [(foot, _shift(_shift(foot, along, -0.7 * HATCH), across, -0.8 * HATCH)) for foot in feet]
    return (*line(begin, end), *(shape for hatch in hatches for shape in line(*hatch, ink=Ink.THIN)))


def pivot(at: Place, angle: float = 0.0) -> Shapes:
    """Return a hinge on a small floor beneath it; an angle of 180 puts the floor above."""
    left, right = (_add(at, _turn((side, -0.3), angle)) for side in (-0.2, 0.2))
    floor = (_add(at, _turn((side, -0.3), angle)) for side in (-0.4, 0.4))
    return (*line(at, left, right, at), *ground(*floor), *dot(at, 0.05))


def spring(begin: Place, end: Place, name: str = "", teeth: int = 8) -> Shapes:
    """Return a zigzag between two leads."""
    _, across = _directions(begin, end)
    shares = [0.18 + 0.64 * (i + 0.5) / teeth for i in range(teeth)]
    zigzag = [_shift(_between(begin, end, s), across, 0.16 if i % 2 else -0.16) for i, s in enumerate(shares)]
    leads = _between(begin, end, 0.18), _between(begin, end, 0.82)
    return (*line(begin, leads[0], *zigzag, leads[1], end), *_name_beside(begin, end, name))


def damper(begin: Place, end: Place, name: str = "") -> Shapes:
    """Return a piston in a cylinder, with its name below: above is room for that of a spring beside it."""
    _, across = _directions(begin, end)
    piston, back, mouth = (_between(begin, end, share) for share in (0.5, 0.62, 0.38))
    cylinder = [
        _shift(place, across, side) for place, side in ((mouth, 0.18), (back, 0.18), (back, -0.18), (mouth, -0.18))
    ]
    head = (_shift(piston, across, side) for side in (0.13, -0.13))
    return (
        *line(begin, piston),
        *line(*head),
        *line(*cylinder),
        *line(back, end),
        *_name_beside(begin, end, name, side=-1.0),
    )


def slider(begin: Place, end: Place, name: str = "") -> Shapes:
    """Return two plates that rub on each other."""
    _, across = _directions(begin, end)
    first, last = _between(begin, end, 0.35), _between(begin, end, 0.65)
    upper = (_shift(place, across, 0.05) for place in (begin, last))
    lower = (_shift(place, across, -0.05) for place in (first, end))
    return (*line(*upper), *line(*lower), *_name_beside(begin, end, name))


def stop(at: Place, angle: float = 0.0, name: str = "", wide: float = 0.8) -> Shapes:
    """Return a rigid stop: a thick edge on a wall, whose face looks along an angle."""
    low, high = (_add(at, _turn((0.0, side), angle)) for side in (-wide / 2, wide / 2))
    behind = _add(at, _turn((-0.45, 0.0), angle))
    return (*ground(high, low), *line(low, high, ink=Ink.CONTACT), *words(behind, name))


def arrow(tail: Place, tip: Place, name: str = "", ink: Ink = Ink.MOTION) -> Shapes:
    """Return an arrow with a name beyond its tip."""
    along, _ = _directions(tail, tip)
    beyond = _shift(tip, along, 0.22 + 0.08 * len(name) * abs(along[0]))
    return (*line(tail, tip, ink=ink), *_head(tip, along, ink), *words(beyond, name))


def span(begin: Place, end: Place, name: str) -> Shapes:
    """Return a length between two places, with its name."""
    along, _ = _directions(begin, end)
    back = (-along[0], -along[1])
    ends = (*_head(begin, back, Ink.THIN), *_head(end, along, Ink.THIN))
    return (*line(begin, end, ink=Ink.THIN), *ends, *_name_beside(begin, end, name))


def arc(centre: Place, radius: float, begin: float, end: float, name: str = "", *, turns: bool = False) -> Shapes:
    """Return an angle between two others with its name, or a turning, as an arrow."""
    ink = Ink.MOTION if turns else Ink.THIN
    middle = _polar(centre, radius + ASIDE, (begin + end) / 2)
    sign = 1.0 if end > begin else -1.0
    tangent = _turn((0.0, sign), end - sign * 8.0)
    head = _head(_polar(centre, radius, end), tangent, ink) if turns else ()
    return (*curve(lambda a: _polar(centre, radius, a), begin, end, ink), *head, *words(middle, name))


def wave(begin: Place, end: Place, high: float, count: int) -> Shapes:
    """Return a sine of dashes between two places."""
    _, across = _directions(begin, end)

    def at(share: float) -> Place:
        return _shift(_between(begin, end, share), across, high * math.sin(2 * math.pi * count * share))

    return curve(at, 0.0, 1.0, Ink.DASHED, 40 * count)


def oscillator(stiffness: str = "k", damping: str = "", name: str = "m") -> Shapes:
    """Return a mass at (2.5, 0), one unit wide, on a spring, and a damper if it has a name, to a wall at the origin."""
    high, level = (1.4, 0.35) if damping else (0.9, 0.0)
    held = spring((0, level), (2, level), stiffness)
    damped = damper((0, -level), (2, -level), damping) if damping else ()
    return (*ground((0, high / 2 + 0.1), (0, -high / 2 - 0.1)), *held, *damped, *box((2.5, 0), 1, high, name))


def axes(origin: Place, across: float, up: float, names: tuple[str, str]) -> Shapes:
    """Return two axes of a diagram with their names."""
    x, y = origin
    right = arrow(origin, (x + across, y), names[0], Ink.THIN)
    return (*right, *arrow(origin, (x, y + up), names[1], Ink.THIN))


def turned(shapes: Shapes, angle: float, about: Place = (0.0, 0.0)) -> Shapes:
    """Return shapes that are turned about a place; text stays level."""
    return tuple(
        _move(shape, lambda p: _add(about, _turn((p[0] - about[0], p[1] - about[1]), angle))) for shape in shapes
    )


def shifted(shapes: Shapes, across: float, up: float = 0.0) -> Shapes:
    """Return shapes at another place."""
    return tuple(_move(shape, lambda p: (p[0] + across, p[1] + up)) for shape in shapes)


def _move(shape: SketchShape, to: Callable[[Place], Place]) -> SketchShape:
    match shape:
        case SketchLine():
            return SketchLine(points=tuple(map(to, _pairs(shape.points))), ink=shape.ink, closed=shape.closed)
        case SketchDisc():
            return SketchDisc(centre=to(_pair(shape.centre)), radius=shape.radius, ink=shape.ink)
        case SketchText():
            return SketchText(at=to(_pair(shape.at)), words=shape.words, anchor=shape.anchor)


def _head(tip: Place, along: Place, ink: Ink) -> Shapes:
    wings = (_add(tip, _turn((-0.17 * along[0], -0.17 * along[1]), side)) for side in (25.0, -25.0))
    first, last = wings
    return line(first, tip, last, ink=ink)


def _name_beside(begin: Place, end: Place, name: str, side: float = 1.0) -> Shapes:
    """Return a name beside the middle of a line: above one that is level, right of one that is upright.

    With ``side`` -1 it stands below or left.
    """
    along, across = _directions(begin, end)
    up = side if (across[1], across[0]) > (0.0, 0.0) else -side
    room = ASIDE + 0.07 * len(name) * abs(along[1])
    return words(_shift(_between(begin, end, 0.5), across, up * room), name)


def _directions(begin: Place, end: Place) -> tuple[Place, Place]:
    """Return the unit vectors along a line and to the left of it."""
    length = math.dist(begin, end)
    x, y = (end[0] - begin[0]) / length, (end[1] - begin[1]) / length
    return (x, y), (-y, x)


def _between(begin: Place, end: Place, share: float) -> Place:
    return begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])


def _shift(place: Place, direction: Place, length: float) -> Place:
    return place[0] + length * direction[0], place[1] + length * direction[1]


def _add(one: Place, other: Place) -> Place:
    return one[0] + other[0], one[1] + other[1]


def _turn(place: Place, angle: float) -> Place:
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return c * place[0] - s * place[1], s * place[0] + c * place[1]


def _polar(centre: Place, radius: float, angle: float) -> Place:
    return _add(centre, _turn((radius, 0.0), angle))


def _pair(place: tuple[float, float]) -> Place:
    return float(place[0]), float(place[1])


def _pairs(places: Iterable[tuple[float, float]]) -> Iterable[Place]:
    return map(_pair, places)
