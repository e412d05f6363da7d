"""Quantities that driven oscillators with a stop have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from veridyn.references import impact_oscillator
from veridyn.references.certified import Certified, undefined
from veridyn.solver.errors import SolverFailure
from veridyn.validation_cases import impact_theory, vibro_impact
from veridyn.validation_cases.case import Number, Observation, Quantity, Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, exactly

Step = Callable[[Values], float]  # of our schemes, for the parameters of a case (s)


def where_decided(quantity: Quantity, step: Step, needed: Callable[[Values], int] | None = None) -> Quantity:
    """Return a quantity of the first instants of contact, as many as are ``needed``, or of all, if they are decided.

    Contacts may magnify errors until they decide how many contacts there are: from there on the truth is undefined,
    and whatever a response holds will do. It must hold nothing where there is no such contact, no touch.
    """

    def reference(*, digits: int = 30, **given: Any) -> Certified:
        decided = impact_theory.decided(given, step(given))
        if not (decided.all or (needed is not None and needed(given) <= decided.instants)):
            return undefined(f"errors decide on the contacts after the first {decided.instants // 2}")
        return quantity.reference(digits=digits, **given)

    def measure(o: Observation) -> Number:
        assert quantity.measure is not None
        try:
            return quantity.measure(o)
        except SolverFailure:
            if guarded.truth(o.values).value is not None:
                raise
            return None

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if guarded.truth(values).value is not None:
            return quantity.tolerance(values, scheme, chosen)
        if impact_theory.decided(values, step(values)).all:
            return exactly("what does not exist must not be found")
        return Tolerance(1.0, "exact", "theory: errors have grown so far that they decide on this contact")

    guarded = replace(quantity, reference=reference, measure=measure, tolerance=tolerance)
    return guarded


def instant(name: str, number: int, anyones: Tolerance, step: Step) -> Quantity:
    """Return an instant of contact, counted from 1; ``anyones``: what solvers without a theory are held to."""
    event, contact = name.split("_")

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        return impact_theory.of_instant(values, scheme, chosen, number) if scheme else anyones

    return where_decided(
        Quantity(
            name,
            "s",
            f"{event} of contact {contact}",
            partial(impact_oscillator.instant, number=number),
            partial(vibro_impact.instant, number=number),
            tolerance,
        ),
        step,
        lambda _: number,
    )


def largest_force(anyones: Tolerance, step: Step) -> Quantity:
    """Return the largest force of all contacts."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        return impact_theory.of_largest_force(values, scheme, chosen) if scheme else anyones

    return where_decided(
        Quantity(
            "largest_force",
            "N",
            "largest force of all contacts",
            impact_oscillator.largest_force,
            vibro_impact.largest_force,
            tolerance,
        ),
        step,
    )
