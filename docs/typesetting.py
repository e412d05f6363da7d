"""Equations of the site as MathML, which browsers typeset by themselves: no network, no script, no fonts."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

BAR = re.compile(r"<mo[^>]*>&#x0007C;</mo>")
TIGHT_BAR = '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'  # of an absolute value; bare ones are set apart
SIGN = re.compile(r"((?:&#x00028;|&#x0002C;|&#x0003D;)</mo>)<mo>&#x02212;</mo>")  # after a bracket, a comma or =
PREFIX = r'\1<mo form="prefix">&#x02212;</mo>'
LEFT_OVER = re.compile(r"<m[io]>(\\|&(?!#))|linebreak")  # commands, and marks of columns, that stand as they were


def typeset(equation: str, display: str) -> str:
    """Return an equation in LaTeX as MathML; raises ValueError for a part that the converter passes on as it is."""
    result: str = convert(equation, display=display)
    if LEFT_OVER.search(result):
        raise ValueError(f"not understood by what typesets it: {equation}")
    return SIGN.sub(PREFIX, BAR.sub(TIGHT_BAR, result))


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write an equation within a line."""
    _write(writer, typeset(node.astext(), "inline"))


def visit_display(writer: Any, node: nodes.math_block) -> None:
    """Write an equation on lines of its own; one that is wider than a phone scrolls."""
    _write(writer, f'<div class="equation" tabindex="0">{typeset(node.astext(), "block")}</div>')


def _write(writer: Any, text: str) -> None:
    writer.body.append(text)
    raise nodes.SkipNode
