"""Drawings that cases make of lines, circles and words."""

import math
from xml.etree import ElementTree

import pytest

from veridyn.reports.sketch_shapes import MARGIN, draw_sketch
from veridyn.results import Sketch, SketchDisc, SketchLine, SketchText, convert

SVG = "{http://www.w3.org/2000/svg}"


def size(drawn):
    root = ElementTree.fromstring(drawn)
    return float(root.get("width")) - 2 * MARGIN, float(root.get("height")) - 2 * MARGIN


def test_the_drawing_is_as_large_as_what_it_shows():
    line = SketchLine(points=((-1.0, 2.0), (2.0, 4.0)))
    assert size(draw_sketch(Sketch(shapes=(line,)), "")) == (120.0, 80.0)
    assert size(draw_sketch(Sketch(shapes=(line, SketchDisc(centre=(2.0, 4.0), radius=1.0))), "")) == (160.0, 120.0)


def test_what_is_large_shrinks_and_words_do_not():
    wide = Sketch(shapes=(SketchLine(points=((0.0, 0.0), (100.0, 0.0))), SketchText(at=(50.0, 0.0), words="k_c")))
    assert size(draw_sketch(wide, ""))[0] == pytest.approx(760.0)
    (text,) = ElementTree.fromstring(draw_sketch(wide, "")).iter(f"{SVG}text")
    assert text.get("font-size") == "11"
    assert text.text == "k"
    assert next(iter(text)).text == "c"


def test_words_of_a_document_stay_text(make_document, hostile):
    shapes = [
        {"shape": "text", "at": [0, 0], "words": hostile[:200]},
        {"shape": "disc", "centre": [0, 0], "radius": -1},
    ]
    case = {"case": "shoe", "title": "", "sketch": {"shapes": shapes}}
    drawn = draw_sketch(convert(make_document(cases=[case])).cases[0].sketch, hostile)
    assert "<script" not in drawn
    assert ElementTree.fromstring(drawn).get("aria-label") == hostile
    assert math.isfinite(size(drawn)[0])
