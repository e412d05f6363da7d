"""Equations of the site as MathML, which browsers typeset by themselves: no network, no script, no fonts."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write an equation within a line."""
    _write(writer, convert(node.astext()))


def visit_display(writer: Any, node: nodes.math_block) -> None:
    """Write an equation on lines of its own; one that is wider than a phone scrolls."""
    _write(writer, f'<div class="equation" tabindex="0">{convert(node.astext(), display="block")}</div>')


def _write(writer: Any, text: str) -> None:
    writer.body.append(text)
    raise nodes.SkipNode
