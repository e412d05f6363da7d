"""The command `identify`: the card of each scheme of a solver."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from veridyn.identification.card import make_cards
from veridyn.identification.pages import write_card
from veridyn.problem.printable import make_printable
from veridyn.run.exit_code import ExitCode
from veridyn.run.plan import Access
from veridyn.run.posed import settings_of
from veridyn.solver.contract.loading import OWN


def identify(
    solver: str | None,
    schemes: Sequence[str],
    changed: Mapping[str, str],
    access: Access,
    *,
    as_json: bool,
) -> int:
    """Print the cards of a solver, of our own without any.

    Returns the status: 0 without deviations, 1 with some. Raises SolverInputError if the specification leads nowhere,
    or if a scheme or a setting is none of the solver's.
    """
    gate = access.open(solver or OWN)
    cards = make_cards(gate, schemes, settings_of(changed, changed))
    if as_json:
        print(json.dumps([card.to_dict() for card in cards], indent=1, ensure_ascii=True, allow_nan=False))
    else:
        for card in cards:
            print(*map(make_printable, write_card(card).splitlines()), sep="\n", end="\n\n")
    return ExitCode.FAILED if any(card.deviations for card in cards) else ExitCode.FINE
