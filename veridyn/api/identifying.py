"""Say what a solver is: what `veridyn identify` does, as a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veridyn.identification.card import Card, make_cards
from veridyn.solver.contract.loading import OWN
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.opening import open_gate, renew_gates
from veridyn.solver.contract.protocol import Solver


def identify(
    solver: Solver | str | None = None, *, schemes: Sequence[str] = (), settings: Mapping[str, Any] | None = None
) -> list[Card]:
    """Return the card of each scheme of a solver: its method with parameters, deviations, figures, what is missing.

    Parameters
    ----------
    solver
        A specification (see `load_solver`), whose solver gets a process of its own, and is loaded anew if its files
        have changed; or an object, which is called in this process; our own if None.
    schemes
        Names of schemes; all if empty.
    settings
        Settings that the solver declares, beside its step.

    Raises
    ------
    SolverNotFound, SolverInputError
        See `load_solver`; also if the solver has no such scheme or setting.
    """
    renew_gates()
    gate = open_gate(solver or OWN) if solver is None or isinstance(solver, str) else LocalGate(solver)
    return make_cards(gate, schemes, settings)
