"""The manual as PDF, typeset by Typst. All text reaches it as data, never as markup: nothing in it is evaluated."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from veridyn.reports import mathml
from veridyn.reports.errors import ReportError, optional_package
from veridyn.reports.html import resource
from veridyn.reports.manual_blocks import Block, Formulas, Manual
from veridyn.reports.svg import clean

BREAK = "\u200b"
JOINTS = "_@,=/:"
SHORT = 12  # characters; such words stay whole
RUN = 48  # characters without a joint, after which a break is allowed all the same
WRAPPED = ("rows", "pairs", "about", "text", "items", "caption", "title", "headline", "gaps")


def render(manual: Manual) -> bytes:
    """Typeset a manual; the same manual gives the same bytes.

    Raises ReportError if typst or matplotlib, whose fonts the drawings take, is not installed, or typst fails.
    """
    compiler, mpl = typesetter()
    sources = {
        "main.typ": resource("manual.typ").encode("utf-8"),
        "manual.json": json.dumps(_plain(_data(manual))).encode("ascii"),
    }
    fonts = [str(Path(mpl.get_data_path()) / "fonts" / "ttf")]
    try:
        return bytes(compiler.compile(sources, format="pdf", font_paths=fonts, ignore_system_fonts=True))
    except compiler.TypstError as error:
        raise ReportError(f"typst could not set the manual ({error}); --no-pdf leaves the PDF out") from None


def typesetter() -> tuple[Any, Any]:
    """Return the packages that make the PDF: Typst, and matplotlib for the fonts of the drawings.

    Raises ReportError if one of them is not installed.
    """
    with optional_package("manual"):
        import matplotlib as mpl
        import typst
    return typst, mpl


def _data(manual: Manual) -> dict[str, Any]:
    chapters = [
        {"title": one.title, "number": one.number, "about": one.about, "sections": [
            {"title": section.title, "number": section.number, "blocks": [_block(block) for block in section.blocks]}
            for section in one.sections
        ]}
        for one in manual.chapters
    ]  # fmt: skip
    return asdict(manual) | {"chapters": chapters, "about": manual.about.pairs, "created": _instant(manual.date)}


def _block(block: Block) -> dict[str, Any]:
    drawn = {"texts": [formula(text) for text in block.texts]} if isinstance(block, Formulas) else {}
    return {"kind": block.kind, **asdict(block), **drawn}


def _instant(date: str) -> list[int] | None:
    """Return an ISO date as numbers; None if it is none."""
    try:
        when = datetime.fromisoformat(date)
    except ValueError:
        return None
    return [when.year, when.month, when.day, when.hour, when.minute, when.second]


def formula(text: str) -> dict[str, Any]:
    """Return a formula, in the notation of `mathml`, as a tree of elements: tag, text, parts, width of a space."""
    return _element(ElementTree.fromstring(mathml.math(text)))


def _element(element: ElementTree.Element) -> dict[str, Any]:
    width = element.get("width", "0em").removesuffix("em")
    parts = [_element(part) for part in element]
    return {"tag": element.tag, "text": element.text or "", "parts": parts, "width": float(width)}


def _plain(node: Any, key: str = "") -> Any:
    """Take away what no text may hold, and make places to break in long words."""
    if isinstance(node, dict):
        return {name: _plain(part, name) for name, part in node.items()}
    if isinstance(node, list | tuple):
        return [_plain(part, key) for part in node]
    if isinstance(node, str):
        return breakable(clean(node)) if key in WRAPPED else clean(node)
    return node


def breakable(text: str) -> str:
    """Let long words break after joints and, without any, after many characters; numbers as a rule stay whole."""
    return " ".join(map(_breakable, text.split(" ")))


def _breakable(word: str) -> str:
    pieces, run = [], 0
    for character in word:
        run += 1
        pieces.append(character)
        if run >= RUN or (len(word) > SHORT and character in JOINTS):
            pieces.append(BREAK)
            run = 0
    return "".join(pieces)
