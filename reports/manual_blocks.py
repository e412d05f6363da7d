"""What a manual is made of, independent of markup: chapters of sections of blocks. Every string is plain text.

Typst sets them as PDF. All text reaches it as data, never as markup: nothing in it is evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

from veridyn.reports import mathml, prose
from veridyn.reports.errors import optional_package
from veridyn.reports.svg import clean
from veridyn.reports.writer import resource
from veridyn.results import ReportError
from veridyn.results.grouping import group


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; `tone` is the verdict whose colour it has."""

    kind: str = field(default="paragraph", init=False)
    text: str
    tone: str = ""


@dataclass(frozen=True)
class Formulas:
    """Formulas in one line of text each, in the notation of `mathml`."""

    kind: str = field(default="formulas", init=False)
    texts: Sequence[str]


@dataclass(frozen=True)
class Prose:
    """Paragraphs, or items of a list, in which formulas stand, in the notation of `prose`."""

    kind: str = field(default="prose", init=False)
    texts: Sequence[str]
    is_list: bool = False


@dataclass(frozen=True)
class Listing:
    """A list of sentences, with numbers that tables refer to or with bullets."""

    kind: str = field(default="listing", init=False)
    items: Sequence[str]
    numbered: bool = False


@dataclass(frozen=True)
class ManualTable:
    """A table below its caption; `tones` holds a verdict per row, which colours the last cell.

    `columns` has a letter per column: ``t`` text, which takes the width that is left, ``l`` text with links, ``q``
    text that must have a fifth of the width, ``s`` short text, ``n`` number.
    A row of one cell is a band over those that follow.
    """

    kind: str = field(default="table", init=False)
    caption: str
    head: Sequence[str]
    columns: str
    rows: Sequence[Sequence[str]]
    tones: Sequence[str] = ()


@dataclass(frozen=True)
class ManualFigure:
    """A drawing below its title; `svg` is markup of our own; `is_small`: it needs little height."""

    kind: str = field(default="figure", init=False)
    title: str
    caption: str
    svg: str
    is_small: bool = False


@dataclass(frozen=True)
class Pairs:
    """Names and what they stand for; with a title the PDF sets them one after another, to save room."""

    kind: str = field(default="pairs", init=False)
    pairs: Sequence[tuple[str, str]]
    title: str = ""


@dataclass(frozen=True)
class Signatures:
    """A statement with lines below it that are signed by hand, each with what belongs on it; they stay on one page."""

    kind: str = field(default="signatures", init=False)
    statement: Sequence[str]
    lines: Sequence[Sequence[str]]


Block = Paragraph | Formulas | Prose | Listing | ManualTable | ManualFigure | Pairs | Signatures


@dataclass(frozen=True)
class ManualSection:
    """Blocks below a heading; `number` is that of the contents."""

    title: str
    blocks: Sequence[Block]
    number: str = ""


@dataclass(frozen=True)
class Chapter:
    """Sections below a heading, for instance the sheet of a case; `flows`: it begins where the one before it ends."""

    title: str
    about: str
    sections: Sequence[ManualSection]
    number: str = ""
    flows: bool = False


@dataclass(frozen=True)
class Manual:
    """The whole manual; `date` is that of the recorded run, `gaps` says what is missing.

    `mark` stands on each page: number and revision of the document, or the begin of the digest of its results.
    `history` is the table of its revisions, before the contents.
    """

    title: str
    version: str
    date: str
    headline: str
    verdict: str
    gaps: Sequence[str]
    about: Pairs
    mark: str = ""
    history: Sequence[Block] = field(default=())
    chapters: Sequence[Chapter] = field(default=())


def listed(items: Sequence[str]) -> list[Block]:
    """Return a list of sentences, nothing without any."""
    return [Listing(items)] if items else []


def numbered(chapters: Sequence[Chapter]) -> list[Chapter]:
    """Give chapters and sections their numbers; sections without content fall away."""
    return [_numbered(chapter, str(number)) for number, chapter in enumerate(chapters, start=1)]


def _numbered(chapter: Chapter, number: str) -> Chapter:
    filled = [section for section in chapter.sections if section.blocks]
    sections = [replace(section, number=f"{number}.{place}") for place, section in enumerate(filled, start=1)]
    return replace(chapter, number=number, sections=sections)


def table(
    caption: str, columns: Sequence[tuple[str, str, str]], records: Sequence[object], keep: int = 0
) -> list[ManualTable]:
    """Return a table of records, none without any; columns are (attribute, head, letter), None is printed as a dash.

    Columns in which every record is empty are left out, but for the first `keep`.
    """
    cells = [[attrgetter(name)(record) for record in records] for name, _, _ in columns]
    filled = [any(cell not in ("", None) for cell in column) for column in cells]
    used = [place for place, _ in enumerate(columns) if place < keep or filled[place]]
    rows = [
        ["–" if cells[place][row] is None else str(cells[place][row]) for place in used]
        for row, _ in enumerate(records)
    ]
    letters = "".join(columns[place][2] for place in used)
    return [ManualTable(caption, [columns[place][1] for place in used], letters, rows)] if rows else []


def banded(one: ManualTable) -> ManualTable:
    """Return a table with its first column as bands over the rows that share it; `tones` go with the rows."""
    lines = group(zip(one.rows, one.tones, strict=True), lambda line: line[0][0])
    rows: list[Sequence[str]] = []
    tones: list[str] = []
    for name, members in lines.items():
        rows += [(name,), *(row[1:] for row, _ in members)]
        tones += ["", *(tone for _, tone in members)]
    return replace(one, head=one.head[1:], columns=one.columns[1:], rows=rows, tones=tones)


# ---- as PDF

BREAK = "\u200b"
JOINTS = "_@,=/:"
SHORT = 12  # characters; such words stay whole
RUN = 48  # characters without a joint, after which a break is allowed all the same
WRAPPED = ("rows", "pairs", "about", "text", "items", "caption", "title", "headline", "gaps", "statement", "words")


def render(manual: Manual) -> bytes:
    """Typeset a manual; the same manual gives the same bytes.

    Raises ReportError if typst or matplotlib, whose fonts the drawings take, is not installed, or typst fails.
    """
    compiler, mpl = typesetter()
    data = asdict(manual) | {"about": manual.about.pairs, "created": _instant(manual.date)}
    sources = {
        "main.typ": resource("manual.typ").encode("utf-8"),
        "manual.json": json.dumps(_plain(data)).encode("ascii"),
    }
    fonts = [str(Path(mpl.get_data_path()) / "fonts" / "ttf")]
    try:
        return bytes(compiler.compile(sources, format="pdf", font_paths=fonts, ignore_system_fonts=True))
    except compiler.TypstError as error:
        raise ReportError(f"typst could not set the manual ({error}); --no-pdf leaves the PDF out") from None


def typesetter() -> tuple[ModuleType, ModuleType]:
    """Return the packages that make the PDF: Typst, and matplotlib for the fonts of the drawings.

    Raises ReportError if one of them is not installed.
    """
    with optional_package("manual"):
        import matplotlib as mpl
        import typst
    return typst, mpl


def _instant(date: str) -> list[int] | None:
    """Return an ISO date as numbers; None if it is none."""
    try:
        when = datetime.fromisoformat(date)
    except ValueError:
        return None
    return [when.year, when.month, when.day, when.hour, when.minute, when.second]


Node = dict[str, object]


def formula(text: str) -> Node:
    """Return a formula, in the notation of `mathml`, as a tree of elements: tag, text, parts, width of a space."""
    return _element(ElementTree.fromstring(mathml.math(text)))


def _element(element: ElementTree.Element) -> Node:
    width = element.get("width", "0em").removesuffix("em")
    parts = [_element(part) for part in element]
    return {"tag": element.tag, "text": element.text or "", "parts": parts, "width": float(width)}


def _split(text: str) -> list[Node]:
    """Return the parts of a sentence: words, and formulas as trees."""
    return [formula(part) if is_formula else {"words": part} for part, is_formula in prose.split(text)]


def _plain(node: object, key: str = "") -> object:
    """Take away what no text may hold, make places to break in long words, and trees of formulas."""
    if isinstance(node, dict):
        if node.get("kind") == Formulas.kind:
            node = node | {"texts": [formula(text) for text in node["texts"]]}
        if node.get("kind") == Prose.kind:
            node = node | {"texts": [_split(text) for text in node["texts"]]}
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
