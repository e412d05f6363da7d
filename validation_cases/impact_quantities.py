"""Quantities that driven oscillators with a stop have in common."""

from __future__ import annotations

from functools import partial

from veridyn.references import impact_oscillator
from veridyn.validation_cases import impact_theory, vibro_impact
from veridyn.validation_cases.case import Quantity, Settings, Values
from veridyn.validation_cases.tolerances import Tolerance


def instant(name: str, number: int, anyones: Tolerance) -> Quantity:
    """Return an instant of contact, counted from 1; ``anyones``: what solvers without a theory are held to."""
    event, contact = name.split("_")

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        return impact_theory.of_instant(values, scheme, chosen, number) if scheme else anyones

    return Quantity(
        name,
        "s",
        f"{event} of contact {contact}",
        partial(impact_oscillator.instant, number=number),
        partial(vibro_impact.instant, number=number),
        tolerance,
    )


def largest_force(anyones: Tolerance) -> Quantity:
    """Return the largest force of all contacts."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        return impact_theory.of_largest_force(values, scheme, chosen) if scheme else anyones

    return Quantity(
        "largest_force",
        "N",
        "largest force of all contacts",
        impact_oscillator.largest_force,
        vibro_impact.largest_force,
        tolerance,
    )
