"""A card as text: one page of eighty columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

from veridyn.identification.card import Card
from veridyn.identification.reading import CardFigure, Gap, Reading
from veridyn.version import __version__

WIDTH = 80
NAMES = 32  # columns of a name and its indent
LONGEST_REASON = 150
PLACES = 6  # digits of a number without an uncertainty


def write_card(card: Card) -> str:
    """Return a card as lines of text."""
    return "\n".join(_write_lines(card)) + "\n"


def _write_lines(card: Card) -> Iterator[str]:
    title = " ".join(filter(None, (card.solver, card.version, card.scheme)))
    yield from textwrap.wrap(f"{title}: identity card by veridyn {__version__}", WIDTH)
    yield "=" * WIDTH
    if not card.readings:
        yield "It offers no problems that are measured."
    for kind, reading in card.readings.items():
        yield from _write_reading(kind, reading)
    yield f"{card.solves} problems were solved."


def _write_reading(kind: str, reading: Reading) -> Iterator[str]:
    yield f"{kind.capitalize()} problems"
    yield from _wrap(f"is {reading.method or 'no method that is known here'}", "  ")
    if reading.deviations:
        yield "  Deviations"
        for line in reading.deviations:
            yield from _wrap(f"! {line}", "    ", hanging="      ")
    for figure in reading.figures:
        yield from _write_figure(figure)
    if reading.gaps:
        yield "  Not measured"
        for names, reason in _gather(reading.gaps):
            yield from _wrap(f"{names}: {reason}", "    ", hanging="      ")
    yield ""


def _write_figure(figure: CardFigure) -> Iterator[str]:
    value = " ".join(filter(None, (say_value(figure), figure.unit)))
    yield from _wrap(f"{figure.name:<{NAMES - 2}}{value} ({figure.meaning})", "  ", hanging=" " * NAMES)


def say_value(figure: CardFigure) -> str:
    """Return the value of a figure with its uncertainty, no digits beyond it."""
    if isinstance(figure.value, str):
        return figure.value
    if not figure.uncertainty:
        return f"{figure.value:.{PLACES}g}"
    if abs(figure.value) <= figure.uncertainty:
        return f"0 within {figure.uncertainty:.0e}"
    digits = math.floor(math.log10(abs(figure.value))) - math.floor(math.log10(figure.uncertainty)) + 1
    return f"{figure.value:.{min(max(digits, 1), 12)}g} within {figure.uncertainty:.0e}"


def _gather(gaps: Sequence[Gap]) -> list[tuple[str, str]]:
    """Return gaps with one reason together; numbers in a reason do not make another one."""
    reasons: dict[str, tuple[list[str], str]] = {}
    for gap in gaps:
        key = "".join(c for c in gap.reason if not (c.isdigit() or c in ".,-"))
        names, _ = reasons.setdefault(key, ([], gap.reason))
        names.append(gap.name)
    return [(", ".join(names), textwrap.shorten(reason, LONGEST_REASON)) for names, reason in reasons.values()]


def _wrap(text: str, indent: str, hanging: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
