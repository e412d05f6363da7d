"""What a manual is made of, independent of markup: chapters of sections of blocks. Every string is plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from veridyn.reports.tally import group


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; `tone` is the verdict whose colour it has."""

    kind: ClassVar = "paragraph"
    text: str
    tone: str = ""


@dataclass(frozen=True)
class Formulas:
    """Formulas in one line of text each, in the notation of `mathml`."""

    kind: ClassVar = "formulas"
    texts: Sequence[str]


@dataclass(frozen=True)
class Listing:
    """A list of sentences, with numbers that tables refer to or with bullets."""

    kind: ClassVar = "listing"
    items: Sequence[str]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    """A table below its caption; `tones` holds a verdict per row, which colours the last cell.

    `columns` has a letter per column: ``t`` text, which takes the width that is left, ``l`` text with links, ``s``
    short text, ``n`` number.
    A row of one cell is a band over those that follow.
    """

    kind: ClassVar = "table"
    caption: str
    head: Sequence[str]
    columns: str
    rows: Sequence[Sequence[str]]
    tones: Sequence[str] = ()


@dataclass(frozen=True)
class Figure:
    """A drawing below its title; `svg` is markup of our own."""

    kind: ClassVar = "figure"
    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Pairs:
    """Names and what they stand for."""

    kind: ClassVar = "pairs"
    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Blanks:
    """Lines to be filled in by hand, with what belongs on each."""

    kind: ClassVar = "blanks"
    names: Sequence[str]


Block = Paragraph | Formulas | Listing | Table | Figure | Pairs | Blanks


@dataclass(frozen=True)
class Section:
    """Blocks below a heading; `number` is that of the contents."""

    title: str
    blocks: Sequence[Block]
    number: str = ""


@dataclass(frozen=True)
class Chapter:
    """Sections below a heading, for instance the sheet of a case."""

    title: str
    about: str
    sections: Sequence[Section]
    number: str = ""


@dataclass(frozen=True)
class Manual:
    """The whole manual; `date` is that of the recorded run, `gaps` says what is missing."""

    title: str
    version: str
    date: str
    headline: str
    verdict: str
    gaps: Sequence[str]
    about: Pairs
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
    caption: str, columns: Sequence[tuple[str, str, str]], records: Sequence[dict[str, Any]], keep: int = 0
) -> list[Table]:
    """Return a table of records, none without any; columns are (key, head, letter), None is printed as a dash.

    Columns in which every record is empty are left out, but for the first `keep`.
    """
    filled = [any(record[key] not in ("", None) for record in records) for key, _, _ in columns]
    used = [column for place, column in enumerate(columns) if place < keep or filled[place]]
    rows = [["–" if record[key] is None else str(record[key]) for key, _, _ in used] for record in records]
    letters = "".join(letter for _, _, letter in used)
    return [Table(caption, [head for _, head, _ in used], letters, rows)] if rows else []


def banded(one: Table) -> Table:
    """Return a table with its first column as bands over the rows that share it; `tones` go with the rows."""
    lines = group(zip(one.rows, one.tones, strict=True), lambda line: line[0][0])
    rows: list[Sequence[str]] = []
    tones: list[str] = []
    for name, members in lines.items():
        rows += [(name,), *(row[1:] for row, _ in members)]
        tones += ["", *(tone for _, tone in members)]
    return replace(one, head=one.head[1:], columns=one.columns[1:], rows=rows, tones=tones)
