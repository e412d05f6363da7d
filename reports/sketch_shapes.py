"""Lines, circles and words of a case's own drawing as SVG; the size follows from what is drawn."""

import math
from collections.abc import Iterator

from veridyn.reports import svg
from veridyn.results import Anchor, Ink, Sketch, SketchDisc, SketchLine, SketchShape, SketchText

UNIT = 40.0  # pixels
MARGIN = 12.0
LETTER, HALF_LINE = 6.4, 7.0  # width of a letter and half the height of a line of text, in pixels
WIDEST, HIGHEST = 760.0, 420.0  # beyond, all lengths shrink, and letters do not

INKS = {
    Ink.LINE: svg.INK,
    Ink.THIN: svg.THIN,
    Ink.DASHED: f'{svg.THIN} stroke-dasharray="4 3"',
    Ink.BODY: f'{svg.MASS} stroke-linejoin="round"',
    Ink.PLANE: 'fill="#f5f7fa" stroke="#52606d" stroke-width="1"',
    Ink.DOT: 'fill="#1f2933" stroke="none"',
    Ink.MOTION: svg.BLUE,
    Ink.CONTACT: 'stroke="#D55E00" stroke-width="2.5" fill="none"',
}
Box = tuple[float, float, float, float]


def draw_sketch(sketch: Sketch, name: str) -> str:
    """Draw a sketch, ``sketch`` of a case in the result document; `name` is what a screen reader says."""
    unit = _choose_unit(sketch)
    left, low, right, high = _find_box(sketch, unit)
    across, up = MARGIN - left, MARGIN + high
    parts = (part for shape in sketch.shapes for part in _draw(shape, unit, across, up))
    return svg.drawing(right - left + 2 * MARGIN, high - low + 2 * MARGIN, name, parts, "sketch")


def _choose_unit(sketch: Sketch) -> float:
    """Return how many pixels a unit is, so that the drawing fits a page."""
    left, low, right, high = _find_box(sketch, UNIT)
    return UNIT * min(1.0, WIDEST / max(right - left, 1.0), HIGHEST / max(high - low, 1.0))


def _find_box(sketch: Sketch, unit: float) -> Box:
    """Return left, lower, right and upper end of all shapes, in pixels, y up."""
    boxes = [_enclose(shape, unit) for shape in sketch.shapes]
    lefts, lows, rights, highs = zip(*boxes, strict=True)
    return min(lefts), min(lows), max(rights), max(highs)


def _enclose(shape: SketchShape, unit: float) -> Box:
    match shape:
        case SketchLine():
            xs, ys = ([unit * float(value) for value in axis] for axis in zip(*shape.points, strict=True))
            return min(xs), min(ys), max(xs), max(ys)
        case SketchDisc():
            (x, y), r = (unit * float(value) for value in shape.centre), unit * float(shape.radius)
            return x - r, y - r, x + r, y + r
        case SketchText():
            x, y = (unit * float(value) for value in shape.at)
            left = (
                x - LETTER * len(shape.words) * {Anchor.START: 0.0, Anchor.MIDDLE: 0.5, Anchor.END: 1.0}[shape.anchor]
            )
            return left, y - HALF_LINE, left + LETTER * len(shape.words), y + HALF_LINE


def _draw(shape: SketchShape, unit: float, across: float, up: float) -> Iterator[str]:
    def place(x: float, y: float) -> tuple[float, float]:
        return across + unit * x, up - unit * y

    match shape:
        case SketchLine():
            points = [place(float(x), float(y)) for x, y in shape.points]
            yield svg.path([*points, points[0]] if shape.closed else points, INKS[shape.ink])
        case SketchDisc():
            x, y = place(*map(float, shape.centre))
            radius = svg.number(math.fabs(unit * float(shape.radius)))
            yield f'<circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="{radius}" {INKS[shape.ink]}/>'
        case SketchText():
            x, y = place(*map(float, shape.at))
            yield svg.symbols(x, y + 4, shape.words, svg.LABEL.replace("middle", shape.anchor))
