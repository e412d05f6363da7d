"""The command `identify`: the card of each scheme of a solver."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from veridyn.identification.card import Card, make_cards
from veridyn.identification.changes import list_changes, read_cards
from veridyn.identification.drawing import draw_card
from veridyn.identification.pages import write_card
from veridyn.outputs import open_folder
from veridyn.problem.printable import make_printable, print_line
from veridyn.reports.writer import save_all
from veridyn.run.exit_code import ExitCode
from veridyn.run.plan import Access
from veridyn.run.posed import settings_of
from veridyn.solver.contract.loading import OWN

FILES = ("cards.json", "cards.txt")


def identify(
    solver: str | None,
    schemes: Sequence[str],
    changed: Mapping[str, str],
    output: Path | None,
    against: Path | None,
    access: Access,
    *,
    as_json: bool,
) -> int:
    """Print the cards of a solver, of our own without any; with ``output`` they are written there, with drawings.

    With ``against`` what has changed since the cards of a file follows. Returns the status: 0 without deviations and
    changes, 1 with some. Raises SolverInputError if the specification leads nowhere, if a scheme or a setting is none
    of the solver's, or the file holds no cards; ReportError if the folder cannot be written.
    """
    before = read_cards(against) if against else None
    cards = make_cards(access.open(solver or OWN), schemes, settings_of(changed, changed))
    document = json.dumps([card.to_dict() for card in cards], indent=1, ensure_ascii=True, allow_nan=False)
    page = "\n".join(write_card(card) for card in cards)
    print(document) if as_json else print(*map(make_printable, page.splitlines()), sep="\n")
    if output:
        drawings = {_name_drawing(card): draw_card(card) for card in cards}
        texts = {"cards.json": f"{document}\n", "cards.txt": page, **drawings}
        with open_folder(output, "identify", {*FILES, *drawings}) as place:
            for file in save_all(place, {name: text.encode() for name, text in texts.items() if text}):
                if not as_json:
                    print_line(file)
    changes = [] if before is None else list(list_changes(before, cards))
    if before is not None and not as_json:
        print_line(f"Changed since {against}:" if changes else f"Nothing has changed since {against}")
        for change in changes:
            print_line(f"  {change}")
    return ExitCode.FAILED if changes or any(card.deviations for card in cards) else ExitCode.FINE


def _name_drawing(card: Card) -> str:
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', card.scheme) or 'card'}.svg"
