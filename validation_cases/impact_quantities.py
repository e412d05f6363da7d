"""Quantities that driven oscillators with a stop have in common."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from veridyn.references import impact_oscillator
from veridyn.solver.errors import SolverFailure
from veridyn.validation_cases import impact_theory, vibro_impact
from veridyn.validation_cases.case import Number, Observation, Quantity, Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, exactly


def where_defined(quantity: Quantity) -> Quantity:
    """Return a quantity that must be missing in a response where its truth is undefined: no such contact, no touch."""

    def measure(o: Observation) -> Number:
        assert quantity.measure is not None
        try:
            return quantity.measure(o)
        except SolverFailure:
            if quantity.truth(o.values).value is not None:
                raise
            return None

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if quantity.truth(values).value is None:
            return _undecided(values, scheme, chosen) or exactly("what does not exist must not be found")
        return quantity.tolerance(values, scheme, chosen)

    return replace(quantity, measure=measure, tolerance=tolerance)


def _undecided(values: Values, scheme: str, chosen: Settings) -> Tolerance | None:
    """Allow anything where deviations have grown so far that they decide how many contacts there are."""
    times = vibro_impact.true_instants(values)
    if not scheme or times.size < 4:
        return None
    last = impact_theory.of_instant(values, scheme, chosen, times.size - 1).value
    apart = float(times[-2] - times[-4])
    what = f"theory: the last contacts are {apart:.3g} s apart and known to {last:.3g} s: their number is not decided"
    return Tolerance(1.0, "exact", what) if last > apart else None


def instant(name: str, number: int, anyones: Tolerance) -> Quantity:
    """Return an instant of contact, counted from 1; ``anyones``: what solvers without a theory are held to."""
    event, contact = name.split("_")

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        return impact_theory.of_instant(values, scheme, chosen, number) if scheme else anyones

    return where_defined(
        Quantity(
            name,
            "s",
            f"{event} of contact {contact}",
            partial(impact_oscillator.instant, number=number),
            partial(vibro_impact.instant, number=number),
            tolerance,
        )
    )


def largest_force(anyones: Tolerance) -> Quantity:
    """Return the largest force of all contacts."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        return impact_theory.of_largest_force(values, scheme, chosen) if scheme else anyones

    return where_defined(
        Quantity(
            "largest_force",
            "N",
            "largest force of all contacts",
            impact_oscillator.largest_force,
            vibro_impact.largest_force,
            tolerance,
        )
    )
