"""What the card of a solver says of it before the first case is judged: claims that do not hold, and deviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridyn.identification.card import Card, make_cards
from veridyn.identification.limited import HasTime, LimitedGate, always
from veridyn.identification.reading import Contradiction
from veridyn.results import ErrorKind, Layer, Record, Verdict
from veridyn.results.words import CARD
from veridyn.solver.contract.gate import Gate
from veridyn.validation_cases.judgement.judge import recorded
from veridyn.validation_cases.judgement.stated import list_stated, name_check
from veridyn.validation_cases.judgement.subject import Subject

REASON = "a claim against the card of the solver, which small problems show; uncertainty is contained"


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


def measure_cards(gate: Gate, subject: Subject, has_time: HasTime = always) -> CardFindings:
    """Return what the cards of all schemes of a solver say of it, whether it states claims or not.

    A card takes a hundred solves or more. Where a budget has no time for them, a part is measured.
    """
    return _join([_measure_scheme(gate, subject, scheme, has_time) for scheme in subject.schemes])


def contradict_claims(gate: Gate, subject: Subject) -> CardFindings:
    """Return what the cards of those schemes say of a solver of which somebody states claims; see `measure_cards`."""
    return _join([_measure_scheme(gate, subject, scheme) for scheme in list_stated(subject)])


def _join(parts: Sequence[CardFindings]) -> CardFindings:
    return CardFindings(
        contradictions=tuple(record for part in parts for record in part.contradictions),
        deviations=tuple(line for part in parts for line in part.deviations),
        remarks=tuple(remark for part in parts for remark in part.remarks),
    )


def _measure_scheme(gate: Gate, subject: Subject, scheme: str, has_time: HasTime = always) -> CardFindings:
    who = f"{subject.name} {scheme}".strip()
    limited = LimitedGate(gate, has_time)
    stated = {scheme: subject.claims[scheme]} if scheme in list_stated(subject) else {}
    try:
        (card,) = make_cards(limited, (scheme,), subject.chosen(scheme), stated)
    except Exception as error:  # noqa: BLE001 - a card that cannot be made must not cost the checks of the cases
        return CardFindings(remarks=(f"{who}: its card could not be measured: {type(error).__name__}: {error}",))
    contradictions = card.contradictions if stated else ()
    said = {each.line for each in contradictions}
    remark = f"{who}: only a part of its card was measured: {limited.ending}"
    return CardFindings(
        contradictions=tuple(_make_record(subject, card, each) for each in contradictions),
        deviations=tuple(f"{who}: {line}" for line in card.deviations if line not in said),
        remarks=(remark,) if limited.ending else (),
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
