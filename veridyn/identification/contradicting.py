"""Claims of a solver that its card contradicts, as failed checks: found before the first case is judged."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veridyn.identification.card import Card, make_cards
from veridyn.identification.examinee import TimeSpent
from veridyn.identification.reading import Contradiction
from veridyn.problem.mechanical import Problem
from veridyn.problem.tangent import Tangent
from veridyn.results import ErrorKind, Layer, Record, Verdict
from veridyn.results.words import CARD
from veridyn.solver.contract.gate import Columns, Gate, TimedAnswer
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.judge import recorded
from veridyn.validation_cases.judgement.stated import list_stated, name_check
from veridyn.validation_cases.judgement.subject import Subject

PATIENCE = 20.0  # s, for the card of a scheme; what is not measured by then contradicts nothing
REASON = "a claim against the card of the solver, which small problems show; uncertainty is contained"


@dataclass(frozen=True)
class HurriedGate:
    """A gate to a solver that gives no answer after an instant (s, of the monotonic clock)."""

    gate: Gate
    end: float

    @property
    def introduction(self) -> Introduction:
        """See `Gate.introduction`."""
        return self.gate.introduction

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        """See `Gate.solve`; raises `TimeSpent` after the end."""
        if time.monotonic() > self.end:
            raise TimeSpent(f"not measured: {PATIENCE:g} s were spent")
        return self.gate.solve(problem, settings)

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Settings) -> TimedAnswer:
        """See `Gate.solve_tangent`."""
        return self.gate.solve_tangent(problem, tangent, settings)

    def solve_cotangent(
        self, problem: Problem, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> TimedAnswer:
        """See `Gate.solve_cotangent`."""
        return self.gate.solve_cotangent(problem, cotangents, numbers, settings)

    def state_levels(self, problem: Problem, scheme: str) -> object:
        """See `Gate.state_levels`."""
        return self.gate.state_levels(problem, scheme)

    def state_defaults(self, problem: Problem, scheme: str) -> object:
        """See `Gate.state_defaults`."""
        return self.gate.state_defaults(problem, scheme)

    def warm_up(self, settings: Settings) -> None:
        """See `Gate.warm_up`."""
        self.gate.warm_up(settings)

    def solve_many(self, family: str, parameters: Columns, threads: int) -> Columns:
        """See `Gate.solve_many`."""
        return self.gate.solve_many(family, parameters, threads)


def contradict_claims(gate: Gate, subject: Subject) -> tuple[list[Record], list[str]]:
    """Return a failed check for each stated claim that the card of its scheme contradicts; and what was not measured.

    A card takes a hundred solves or more. Of a solver that is slow, what the time allows is measured.
    """
    records, remarks = list[Record](), list[str]()
    for scheme in list_stated(subject):
        further, remark = _contradict_scheme(gate, subject, scheme)
        records += further
        remarks += filter(None, [remark])
    return records, remarks


def _contradict_scheme(gate: Gate, subject: Subject, scheme: str) -> tuple[list[Record], str]:
    who = f"{subject.name} {scheme}".strip()
    hurried = HurriedGate(gate, time.monotonic() + PATIENCE)
    try:
        (card,) = make_cards(hurried, (scheme,), subject.chosen(scheme), {scheme: subject.claims[scheme]})
    except Exception as error:  # noqa: BLE001 - a card that cannot be made must not cost the checks of the cases
        return [], f"{who}: its card could not be measured: {type(error).__name__}: {error}"
    is_spent = time.monotonic() > hurried.end
    remark = f"{who}: only a part of its card was measured in {PATIENCE:g} s, and claims were held against that part"
    return [_make_record(subject, card, each) for each in card.contradictions], remark if is_spent else ""


def _make_record(subject: Subject, card: Card, contradiction: Contradiction) -> Record:
    return Record(
        case=CARD,
        variant="",
        solver=subject.name,
        scheme=card.scheme,
        layer=Layer.CLAIM,
        quantity=contradiction.claim,
        value=contradiction.measured,
        reference=contradiction.stated,
        error=contradiction.error,
        error_kind=ErrorKind.ABSOLUTE,
        tolerance=contradiction.allowed,
        reason=REASON,
        margin=contradiction.allowed / contradiction.error,
        verdict=Verdict.FAIL,
        detail=contradiction.line,
        settings=recorded({**({"scheme": card.scheme} if card.scheme else {}), **card.settings}),
        id=name_check(contradiction.claim, card.scheme),
    )
