"""What one part of an identification hands to the card: figures, the nearest known method, deviations, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class CardFigure:
    """A measured number, or a word, with the uncertainty of the number and what it means in one line."""

    name: str
    value: float | str
    meaning: str
    unit: str = ""
    uncertainty: float | None = None


@dataclass(frozen=True)
class Gap:
    """What could not be measured, and why, so that nobody takes silence for soundness."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A claim that measured answers contradict, once for each claim.

    ``error`` follows from what is stated and measured as in a check of the claim, and exceeds what is ``allowed``, in
    which the uncertainty is contained. ``line`` says it in words.
    """

    claim: str
    stated: float
    measured: float
    error: float
    allowed: float
    line: str


@dataclass(frozen=True, kw_only=True)
class Curve:
    """What the drawings of the textbooks show over step/period: spectral radius, damping ratio, period error."""

    name: str
    ratio: tuple[float, ...]
    radius: tuple[float, ...]
    damping: tuple[float, ...]
    period_error: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one part of an identification measured.

    Attributes
    ----------
    method
        The known method that agrees with all that was measured, with its parameters; empty where none does.
    figures
        What was measured, in the order of the card.
    deviations
        One line each: what differs from the known method, or from a claim, by more than the uncertainty.
    contradictions
        The claims among them, with their numbers.
    gaps
        What was not measured.
    curves
        Of the solver, and of the nearest known method.
    solves
        How many problems the solver was given.
    """

    method: str = ""
    figures: tuple[CardFigure, ...] = ()
    deviations: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    curves: tuple[Curve, ...] = ()
    solves: int = 0
    contradictions: tuple[Contradiction, ...] = ()

    def with_contradictions(self, contradictions: Iterable[Contradiction]) -> Reading:
        """Return the reading with claims that do not hold, of each claim the first."""
        every = (*self.contradictions, *contradictions)
        first = tuple({each.claim: each for each in reversed(every)}.values())[::-1]
        lines = dict.fromkeys((*self.deviations, *(each.line for each in every)))
        return replace(self, contradictions=first, deviations=tuple(lines))


def join(parts: Sequence[Reading]) -> Reading:
    """Return several readings as one."""
    joined = Reading(
        method=next((part.method for part in parts if part.method), ""),
        figures=tuple(figure for part in parts for figure in part.figures),
        deviations=tuple(line for part in parts for line in part.deviations),
        gaps=tuple(gap for part in parts for gap in part.gaps),
        curves=tuple(curve for part in parts for curve in part.curves),
    )
    return joined.with_contradictions(each for part in parts for each in part.contradictions)
