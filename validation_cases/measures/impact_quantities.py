"""Quantities and residuals that driven oscillators with a stop have in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import mpmath

from veridyn.references import impact_oscillator
from veridyn.references.certified import Certified, exact_zero, undefined
from veridyn.references.parameters import Number as Given
from veridyn.references.parameters import check_digits
from veridyn.solver.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.consistency import stop_force_residual
from veridyn.validation_cases.core.case import Criterion, Number, Observation, Quantity, Values
from veridyn.validation_cases.core.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.core.uncertainty import ROUNDING
from veridyn.validation_cases.measures import impact_conditioning, impacts, vibro_impact
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, velocities

KINK = 2.0  # regularity: the force of an undamped stop has a kink
COUNTED = 1.0  # whatever is counted is right or wrong: no order is observed

ASTER_INSTANTS = "tolerance of Code_Aster's test sdnd121a for instants, 2e-4 of them"
ASTER_LAW = cited("tolerance of Code_Aster's test sdnd121a for force against penetration", 1e-8, kind="absolute")
ASTER_ENERGY = cited("tolerance of Code_Aster's test sdnd121a for the energy balance", 0.1, kind="absolute")


def where_decided(
    quantity: Quantity, needed: Callable[[Values], int] | None = None, resolution: float = 0.0
) -> Quantity:
    """Return a quantity of the first instants of contact, as many as are ``needed``, or of all, if they are decided.

    Contacts may magnify perturbations of `ROUNDING` until they decide how many contacts there are: from there on the
    truth is undefined, and nothing can be asked: the measure raises CapabilityError. Where there is no such contact a
    response must not show one either.

    What is counted is right or wrong, however near a solver comes to the truth. So that is asked only where the errors
    of a method of second order do not decide either, with steps of ``resolution``/ω_c: those of the output asked for.
    """

    def decided(values: Values) -> bool:
        found = impact_conditioning.decided(values, resolution)
        return found.all or (needed is not None and needed(values) <= found.instants)

    def reference(*, digits: int = 30, **given: Any) -> Certified:
        if decided(given):
            return quantity.reference(digits=digits, **given)
        return undefined(_undecided(given, resolution))

    def measure(o: Observation) -> Number:
        assert quantity.measure is not None
        if not decided(o.values):
            raise CapabilityError(_undecided(o.values, resolution))
        try:
            return quantity.measure(o)
        except SolverFailure:
            if guarded.truth(o.values).value is not None:
                raise
            return None

    def criterion(values: Values) -> Tolerance:
        exists = guarded.truth(values).value is not None
        return quantity.tolerance(values) if exists else exactly("what does not exist must not be found")

    guarded = replace(quantity, reference=reference, measure=measure, criterion=criterion)
    return guarded


def _undecided(values: Values, resolution: float) -> str:
    contacts = impact_conditioning.decided(values, resolution).instants // 2
    steps = f", or the errors of {2 * math.pi / resolution:.0f} steps in a period of contact," if resolution else ""
    return f"perturbations of {ROUNDING:g} of data or state{steps} decide on the contacts after the first {contacts}"


def _complete(number: int) -> int:
    """Return the number of the release that ends the contact of an instant."""
    return number + number % 2


def _instant(number: int, *, digits: int = 30, **given: Given) -> Certified:
    found = impact_oscillator.instants(digits=digits, **given)
    if _complete(number) > len(found):
        return undefined(f"only {len(found) // 2} contacts end before t_end")
    return found[number - 1]


def instant(name: str, number: int, criterion: Criterion) -> Quantity:
    """Return an instant of contact, counted from 1, of the contacts that end before t_end."""
    event, contact = name.split("_")
    return where_decided(
        Quantity(
            name,
            "s",
            f"{event} of contact {contact}",
            partial(_instant, number),
            partial(vibro_impact.instant, number=number),
            criterion,
            regularity=KINK,
            rounded=lambda values: impact_conditioning.rounded(values, number),
        ),
        lambda _: _complete(number),
    )


def peak_force(contact: int, criterion: Criterion) -> Quantity:
    """Return the largest force of one contact, counted from 1."""
    return where_decided(
        Quantity(
            f"peak_force_{contact}",
            "N",
            f"largest force of contact {contact}",
            partial(impact_oscillator.peak_force, contact=contact),
            lambda o: impacts.impact(o, contact).peak_force,
            criterion,
            regularity=KINK,
        ),
        lambda _: 2 * contact,
    )


def largest_force(criterion: Criterion) -> Quantity:
    """Return the largest force of all contacts."""
    return where_decided(
        Quantity(
            "largest_force",
            "N",
            "largest force of all contacts",
            impact_oscillator.largest_force,
            vibro_impact.largest_force,
            criterion,
            regularity=KINK,
        )
    )


def _count(*, digits: int = 30, **given: Given) -> Certified:
    ended = len(impact_oscillator.instants(digits=digits, **given)) // 2
    return Certified(mpmath.mpf(ended), check_digits(digits), "quasi-analytical", ("proved roots of the gap",))


def _no_error(*, digits: int = 30, **given: Given) -> Certified:
    if len(impact_oscillator.instants(digits=digits, **given)) < 2:
        return undefined("no contact ends before t_end")
    return exact_zero("every instant against its own truth", digits, "quasi-analytical")


def _of_last(values: Values) -> Tolerance:
    """Return the criterion of the worst instant: that of the last one."""
    return cited(ASTER_INSTANTS, 2e-4 * float(vibro_impact.true_instants(values)[-1]), kind="absolute")


def _span(values: Values) -> float:
    return float(values["t_end"])


CONTACTS = (
    where_decided(
        Quantity(
            "contacts",
            "",
            "contacts that end before t_end",
            _count,
            lambda o: float(len(impacts.impacts(o))),
            exactly("contacts are counted"),
            regularity=COUNTED,
        ),
        resolution=vibro_impact.OUTPUT_NUMBER,
    ),
    where_decided(
        Quantity(
            "contact_instants",
            "s",
            "largest error of all touches and releases, each against its own truth",
            _no_error,
            vibro_impact.worst_instant,
            _of_last,
            _span,
            KINK,
        ),
        resolution=vibro_impact.OUTPUT_NUMBER,
    ),
)


def _force_law(o: Observation) -> float:
    return stop_force_residual(o.problem, o.response)


def _hundredth(o: Observation) -> float:
    masses = int(o.problem.size)
    return impact_conditioning.touch_energy(o.values) * masses / 100


RESIDUALS = (
    residual(
        "force_law",
        "of the largest force",
        "largest difference of the stop's force and stiffness times penetration",
        _force_law,
        ASTER_LAW,
    ),
    energy("% of the energy at the fastest touch", _hundredth, ASTER_ENERGY),
    velocities(),
    positions(),
    rates(),
)
