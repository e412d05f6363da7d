"""What the card of a scheme says to the doctor: its method, its order, and what deviates."""

from __future__ import annotations

from dataclasses import dataclass

from veridyn.identification.card import Card, make_cards
from veridyn.identification.limited import LimitedGate
from veridyn.problem.errors import SolverInputError
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.statements import Settings

FIRST_ORDER, NO_ORDER = 1.5, 0.5  # below: of order 1; does not converge


@dataclass(frozen=True)
class Method:
    """The method of a scheme in words, its lowest measured order, and deviations.

    ``order`` is None where none was measured; ``gap`` says why, if there should be one.
    """

    words: str
    order: float | None = None
    gap: str = ""
    deviations: tuple[str, ...] = ()

    @property
    def is_diverging(self) -> bool:
        """Whether a smaller step does not lessen the error."""
        return self.order is not None and self.order < NO_ORDER

    @property
    def is_first_order(self) -> bool:
        """Whether the error only halves with the step."""
        return self.order is not None and NO_ORDER <= self.order < FIRST_ORDER

    @property
    def description(self) -> str:
        """One line: deviations if there are some, else method and order."""
        if self.deviations:
            return f"deviates: {'; '.join(self.deviations)}"
        if self.order is None:
            return f"{self.words}; order: {self.gap}" if self.gap else self.words
        meaning = ""
        if self.is_diverging:
            meaning = ": a smaller step does not lessen the error"
        elif self.is_first_order:
            meaning = ": half the step only halves the error"
        return f"{self.words}, order {self.order:.2f}{meaning}"


def measure_method(gate: Gate, scheme: str, settings: Settings) -> Method | None:
    """Return what the card of a scheme says, as far as it can be measured; None if nothing can."""
    try:
        (card,) = make_cards(LimitedGate(gate), (scheme,), settings)
    except (SolverFailure, SolverInputError):
        return None
    return _read_method(card) if any(reading.figures for reading in card.readings.values()) else None


def _read_method(card: Card) -> Method:
    readings = card.readings.values()
    orders = [
        figure.value
        for reading in readings
        for figure in reading.figures
        if figure.name == "order" and isinstance(figure.value, float)
    ]
    gaps = [gap.reason for reading in readings for gap in reading.gaps if gap.name == "order"]
    return Method(
        words=card.method or "no method that is known here",
        order=min(orders, default=None),
        gap=next(iter(gaps), ""),
        deviations=card.deviations,
    )
