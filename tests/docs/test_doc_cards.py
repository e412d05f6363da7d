"""The page of identity cards shows what is measured now."""

import json
import sys
from pathlib import Path

from veridyn import identify
from veridyn.solver.integrators.schemes import SCHEMES

DOCS = Path(__file__).parents[2] / "docs"
FIRST = next(iter(SCHEMES))
RECORDED = json.loads((DOCS / "cards.json").read_text(encoding="utf-8"))


def test_recorded_card_is_measured_again():
    (recorded,) = (card for card in RECORDED if card["scheme"] == FIRST)  # others compile for half a minute
    (card,) = identify(schemes=[FIRST], settings=recorded["settings"])
    assert (card.method, list(card.deviations), card.solves) == (
        recorded["method"],
        recorded["deviations"],
        recorded["solves"],
    )
    figures = [figure["name"] for figure in recorded["readings"]["mechanical"]["figures"]]
    assert [figure.name for figure in card.readings["mechanical"].figures] == figures


def test_page_has_every_card_and_drawing(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import generated

    made = generated.cards()
    sys.modules.pop("generated")
    page = made.pop("cards.md")
    assert page.count("identity card by veridyn") == len(RECORDED)
    assert sorted(made) == sorted(name for name in made if f"]({name})" in page)
    assert len(made) == page.count("![")
