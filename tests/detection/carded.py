"""What the identity card of a solver says, as a trial; and solvers that state nothing of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from veridyn.identification.card import make_cards
from veridyn.identification.limited import LimitedGate
from veridyn.identification.observing import observe_claims
from veridyn.problem.errors import SolverInputError
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.gate import Gate
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request

from .faults.tools import Standing
from .trial import CARD, Trial


class Silent(Standing):
    """A solver that states neither claims nor refinement, as most users' do."""

    claims: ClassVar[dict[str, object]] = {}
    refinement = ()


def open_runner(gate: Gate) -> Runner:
    """Return what judges a solver as a run does: what its answers show stands in for claims that it does not state."""
    return Runner(gate, observe_claims(gate, Request()))


def judge_card(gate: Gate, sound: Trial | None, **named: Any) -> Trial:
    """Return the trial that a card amounts to: deviations and claims that it contradicts, but those of the sound one.

    Raises nothing: a card that cannot be made detects nothing.
    """
    try:
        failures = dict(_list_failures(gate))
    except (SolverInputError, SolverFailure) as error:
        return Trial(failures={}, broken={"card": str(error)}, place=CARD, **named)
    new = {line: layer for line, layer in failures.items() if not (sound and line in sound.failures)}
    return Trial(failures=new, place=CARD, judged={"card": 1}, **named)


def _list_failures(gate: Gate) -> Iterator[tuple[str, tuple[str, float | None]]]:
    for card in make_cards(LimitedGate(gate)):
        for line in card.deviations:
            yield line, ("card", None)
        for each in card.contradictions:
            yield each.line, ("claim", each.error / each.allowed if each.allowed else None)
