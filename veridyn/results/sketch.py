"""A drawing made of lines, circles and words, for what is no line of masses: lengths in units of the drawing, y up."""

from typing import Annotated

from msgspec import Meta, Struct

from veridyn.results.record import Number
from veridyn.results.words import Anchor, Ink

Point = tuple[Number, Number]


class SketchLine(Struct, frozen=True, kw_only=True, tag_field="shape", tag="line"):
    """A broken line, or the outline of a body."""

    points: Annotated[tuple[Point, ...], Meta(min_length=1, max_length=2000, description="Pairs of x and y.")]
    ink: Annotated[Ink, Meta(description="What the line is.")] = Ink.LINE
    closed: Annotated[bool, Meta(description="Whether it returns to its first point.")] = False


class SketchDisc(Struct, frozen=True, kw_only=True, tag_field="shape", tag="disc"):
    """A circle."""

    centre: Annotated[Point, Meta(description="x and y.")]
    radius: Annotated[Number, Meta(description="As long as other lengths.")]
    ink: Annotated[Ink, Meta(description="What the circle is.")] = Ink.BODY


class SketchText(Struct, frozen=True, kw_only=True, tag_field="shape", tag="text"):
    """A few words."""

    at: Annotated[Point, Meta(description="x and y of the middle of the line, or of one of its ends.")]
    words: Annotated[str, Meta(max_length=200, description="One line of plain text.")]
    anchor: Annotated[Anchor, Meta(description="Which part of the line stands at the place.")] = Anchor.MIDDLE


SketchShape = SketchLine | SketchDisc | SketchText


class Sketch(Struct, frozen=True, kw_only=True):
    """What moves, drawn by the case."""

    shapes: Annotated[tuple[SketchShape, ...], Meta(min_length=1, description="From back to front.")]
