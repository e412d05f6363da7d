"""What the card of a solver says of it before the first case is judged: claims that do not hold, and deviations."""

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
from veridyn.solver.contract.errors import SolverLost
from veridyn.solver.contract.gate import Columns, Gate, TimedAnswer
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.judge import recorded
from veridyn.validation_cases.judgement.stated import list_stated, name_check
from veridyn.validation_cases.judgement.subject import Subject

PATIENCE = 20.0  # s, for the card of a scheme; what is not measured by then contradicts nothing
REASON = "a claim against the card of the solver, which small problems show; uncertainty is contained"


@dataclass
class HurriedGate:
    """A gate to a solver that gives no answer after an instant (s, of the monotonic clock), or once it has died.

    Each process of a solver that dies costs its start, or a time-out if it hangs: one tells enough.
    """

    gate: Gate
    end: float
    is_lost: bool = False

    @property
    def introduction(self) -> Introduction:
        """See `Gate.introduction`."""
        return self.gate.introduction

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        """See `Gate.solve`; raises `TimeSpent` after the end."""
        if self.is_lost:
            raise TimeSpent("not measured: the process of the solver ended in another motion")
        if time.monotonic() > self.end:
            raise TimeSpent(f"not measured: {PATIENCE:g} s were spent")
        try:
            return self.gate.solve(problem, settings)
        except SolverLost:
            self.is_lost = True
            raise

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


@dataclass(frozen=True)
class CardFindings:
    """What cards say of a solver.

    Attributes
    ----------
    contradictions
        A failed check for each stated claim that a card contradicts.
    deviations
        A line each: what else is on the cards that fits no known method, or not together.
    remarks
        What could not be measured.
    """

    contradictions: tuple[Record, ...] = ()
    deviations: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def measure_cards(gate: Gate, subject: Subject) -> CardFindings:
    """Return what the cards of all schemes of a solver say of it, whether it states claims or not.

    A card takes a hundred solves or more. Of a solver that is slow, what the time allows is measured.
    """
    return _join([_measure_scheme(gate, subject, scheme) for scheme in subject.schemes])


def contradict_claims(gate: Gate, subject: Subject) -> CardFindings:
    """Return what the cards of those schemes say of a solver of which somebody states claims; see `measure_cards`."""
    return _join([_measure_scheme(gate, subject, scheme) for scheme in list_stated(subject)])


def _join(parts: Sequence[CardFindings]) -> CardFindings:
    return CardFindings(
        contradictions=tuple(record for part in parts for record in part.contradictions),
        deviations=tuple(line for part in parts for line in part.deviations),
        remarks=tuple(remark for part in parts for remark in part.remarks),
    )


def _measure_scheme(gate: Gate, subject: Subject, scheme: str) -> CardFindings:
    who = f"{subject.name} {scheme}".strip()
    hurried = HurriedGate(gate, time.monotonic() + PATIENCE)
    stated = {scheme: subject.claims[scheme]} if scheme in list_stated(subject) else {}
    try:
        (card,) = make_cards(hurried, (scheme,), subject.chosen(scheme), stated)
    except Exception as error:  # noqa: BLE001 - a card that cannot be made must not cost the checks of the cases
        return CardFindings(remarks=(f"{who}: its card could not be measured: {type(error).__name__}: {error}",))
    contradictions = card.contradictions if stated else ()
    said = {each.line for each in contradictions}
    remark = f"{who}: only a part of its card was measured in {PATIENCE:g} s, and claims were held against that part"
    return CardFindings(
        contradictions=tuple(_make_record(subject, card, each) for each in contradictions),
        deviations=tuple(f"{who}: {line}" for line in card.deviations if line not in said),
        remarks=(remark,) if stated and time.monotonic() > hurried.end else (),
    )


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
