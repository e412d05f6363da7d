"""The page of identity cards shows what is measured now; that its drawings are there, the build of the site sees."""

import json
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
