"""Measure the cards of the page of cards anew: ``python docs/record_cards.py`` writes docs/cards.json."""

import json
from pathlib import Path

from veridyn import identify

FILE = Path(__file__).parent / "cards.json"
SCHEMES = ("symplectic_euler", "devogelaere", "newmark", "generalised_alpha", "runge_kutta_32")
SETTINGS = {"check_step": False}  # steps above the limits that the schemes set themselves are asked for, too

if __name__ == "__main__":
    cards = [*identify(schemes=SCHEMES, settings=SETTINGS), *identify("scipy", schemes=("RK45",))]
    FILE.write_text(json.dumps([card.to_dict() for card in cards], indent=1) + "\n", encoding="utf-8")
