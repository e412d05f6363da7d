"""What one part of an identification hands to the card: figures, the nearest known method, deviations, gaps."""

from __future__ import annotations

from dataclasses import dataclass


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
