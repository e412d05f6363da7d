"""Two cards of one solver side by side: what a release has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from veridyn.identification.card import Card, read_card
from veridyn.identification.pages import say_value
from veridyn.identification.reading import CardFigure, Reading
from veridyn.inputs import explain_error, parse_json, read_text
from veridyn.problem.errors import SolverInputError

SAME = (
    1e-3  # of a number without an uncertainty: times and errors at defaults scatter so much with versions of libraries
)
COUNTED = "rounding"  # a figure whose digits are chance


def read_cards(path: Path) -> dict[str, Card]:
    """Return the cards of a file that `veridyn identify --json` wrote, by scheme.

    Raises SolverInputError if it cannot be read, or holds no cards.
    """
    try:
        content = parse_json(read_text(path))
    except OSError as error:
        raise SolverInputError(f"{path}: {explain_error(error)}") from None
    except ValueError as error:
        raise SolverInputError(f"{path}: is no JSON: {error}") from None
    try:
        cards = [read_card(one) for one in (content if isinstance(content, list) else [content])]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SolverInputError(f"{path}: holds no cards; write them with: veridyn identify --json > {path}") from None
    return {card.scheme: card for card in cards}


def list_changes(before: Mapping[str, Card], after: Sequence[Card]) -> Iterator[str]:
    """Yield what differs between cards, a line each; numbers count where they differ by more than their uncertainty."""
    for card in after:
        earlier = before.get(card.scheme)
        who = f"{card.scheme}: " if card.scheme else ""
        if earlier is None:
            yield f"{who}has no earlier card"
            continue
        for kind in dict.fromkeys((*earlier.readings, *card.readings)):
            readings = earlier.readings.get(kind, Reading()), card.readings.get(kind, Reading())
            yield from (f"{who}{kind}: {line}" for line in _compare_readings(*readings))
    for scheme in before.keys() - {card.scheme for card in after}:
        yield f"{scheme or 'the solver'}: is not measured any more"


def _compare_readings(before: Reading, after: Reading) -> Iterator[str]:
    if before.method != after.method:
        yield f"is {after.method or 'no method that is known here'}; it was {before.method or 'none'}"
    yield from (f"new deviation: {line}" for line in after.deviations if line not in before.deviations)
    yield from (f"deviation gone: {line}" for line in before.deviations if line not in after.deviations)
    earlier = {figure.name: figure for figure in before.figures}
    for figure in after.figures:
        was = earlier.pop(figure.name, None)
        if was is None:
            yield f"{figure.name} is {say_value(figure)}; it was not measured"
        elif _differ(was, figure):
            yield f"{figure.name} is {say_value(figure)}; it was {say_value(was)}"
    yield from (f"{name} is not measured any more" for name in earlier)


def _differ(before: CardFigure, after: CardFigure) -> bool:
    if isinstance(before.value, str) or isinstance(after.value, str):
        return before.value != after.value
    if after.name == COUNTED:
        return False
    least = (before.uncertainty or 0.0) + (after.uncertainty or 0.0)
    return abs(before.value - after.value) > (least or SAME * max(abs(before.value), abs(after.value)))
