"""Two cards side by side."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from veridyn.identification.card import Card
from veridyn.identification.changes import list_changes, read_cards
from veridyn.identification.reading import CardFigure, Reading
from veridyn.problem.errors import SolverInputError

FIGURES = (
    CardFigure(name="beta", value=0.25, uncertainty=1e-12, meaning="of Newmark"),
    CardFigure(name="order", value=2.0, meaning="of convergence"),
    CardFigure(name="precision", value="double", meaning="of numbers"),
    CardFigure(name="rounding", value=1e-16, meaning="of sums"),
)
READING = Reading(method="Newmark, beta 1/4", figures=FIGURES, deviations=("none of these",))


def card(**changes: object) -> Card:
    return Card("mine", "2", "", {}, {"mechanical": replace(READING, **changes)})


def change(name: str, value: float | str) -> tuple[CardFigure, ...]:
    return tuple(replace(figure, value=value) if figure.name == name else figure for figure in FIGURES)


@pytest.mark.parametrize(
    ("after", "lines"),
    [
        (card(), []),
        (card(figures=change("beta", 0.25 + 1.5e-12)), []),
        (card(figures=change("rounding", 7e-16)), []),
        (card(figures=change("order", 2.001)), []),
        (card(figures=change("order", 1.0)), ["mechanical: order is 1; it was 2"]),
        (card(figures=change("precision", "single")), ["mechanical: precision is single; it was double"]),
        (card(figures=change("beta", 0.26)), ["mechanical: beta is 0.26 within 1e-12; it was 0.25 within 1e-12"]),
        (card(method=""), ["mechanical: is no method that is known here; it was Newmark, beta 1/4"]),
        (card(deviations=("new",)), ["mechanical: new deviation: new", "mechanical: deviation gone: none of these"]),
        (card(figures=FIGURES[:3]), ["mechanical: rounding is not measured any more"]),
        (replace(card(), scheme="other"), ["other: has no earlier card", "the solver: is not measured any more"]),
    ],
)
def test_what_differs_beyond_uncertainty_is_named(after: Card, lines: list[str]) -> None:
    assert list(list_changes({"": card()}, [after])) == lines


def test_cards_are_read_from_the_file_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "cards.json"
    file.write_text(json.dumps([card().to_dict()]), encoding="utf-8")
    assert list(list_changes(read_cards(file), [card()])) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("[{}]", "holds no cards"), ("3", "holds no cards"), ("{", "is no JSON"), (None, "no such file")],
)
def test_a_file_without_cards_is_one_line(tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "cards.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(SolverInputError, match=words) as refused:
        read_cards(file)
    assert "\n" not in str(refused.value)
