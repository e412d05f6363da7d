"""Measure the cards of the page of cards anew: ``python docs/record_cards.py`` writes docs/cards.json.

Solvers whose library is not installed keep the cards that were recorded before.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from veridyn import Card, identify
from veridyn.problem.errors import SolverInputError

FILE = Path(__file__).parent / "cards.json"
OWN = ("symplectic_euler", "devogelaere", "newmark", "generalised_alpha", "runge_kutta_32")
SETTINGS = {"check_step": False}  # steps above the limits that the schemes set themselves are asked for, too
SOLVERS: Mapping[str, Sequence[str]] = {
    "exact": (),
    "moreau_jean": (),
    "scipy": ("RK45",),
    "sundials": (),
    "sundials_ida": (),
    "scipy_dae": (),
    "heyoka": (),
    "casadi": (),
    "exudyn": (),
    "opensees": (),
    "mujoco": (),
    "mujoco_scene": (),
    "drake": (),
    "pybullet": (),
    "diffrax": ("Tsit5",),  # JAX compiles each problem anew: minutes of CPU for a card
}
"""Schemes by solver; none: all of them."""


def to_data(card: Card) -> dict[str, Any]:
    """Return a card with as many digits in its curves as a drawing shows."""
    data = card.to_dict()
    for reading in data["readings"].values():
        for curve in reading["curves"]:
            curve.update({name: [shorten(value) for value in curve[name]] for name in curve.keys() - {"name"}})
    return data


def shorten(value: float | str) -> float | str:
    """Return a number with five digits; what JSON does not have as a number is text."""
    return value if isinstance(value, str) else float(f"{value:.5g}")


def record(solver: str, schemes: Sequence[str], before: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cards of a solver, or those of before where it cannot be loaded."""
    try:
        return [to_data(card) for card in identify(solver, schemes=schemes)]
    except (ImportError, SolverInputError) as missing:
        sys.stderr.write(f"{solver}: {missing}\n")
        return [card for card in before if card["solver"] == solver]


if __name__ == "__main__":
    earlier = json.loads(FILE.read_text(encoding="utf-8"))
    cards = [to_data(card) for card in identify(schemes=OWN, settings=SETTINGS)]
    for name, chosen in SOLVERS.items():
        cards += record(name, chosen, earlier)
    FILE.write_text(json.dumps(cards, indent=1) + "\n", encoding="utf-8")
