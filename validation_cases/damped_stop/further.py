"""Damped stop: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Case, Check, Observation, Subject, Variant
from veridyn.validation_cases.consistency import residuals, velocities
from veridyn.validation_cases.damped_stop import measures, theory
from veridyn.validation_cases.making import always, check_of, count_check, quantity_of, reading
from veridyn.validation_cases.tolerances import Tolerance, exactly

CONTACTS = 5


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the contacts by count, and that the stop never pulls."""
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        yield count_check(case, variant, scheme, run, "contacts", partial(measures.passages, side=1), CONTACTS)
    never = exactly("the force of a stop is never tensile")
    yield from residuals(case, subject, variant, "largest_pull", "N", measures.largest_pull, lambda *_: never, never)


def first_contact(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the errors of order 1 of the first contact, sign included, of the schemes whose dampers see the past."""
    if not subject.own or subject.overrides:
        return
    for scheme in subject.schemes:
        if not SCHEMES[scheme].force_lag:
            continue
        run = case.run(subject, variant, scheme)
        step = theory.step_of(run.settings)
        first, more = theory.leading(run.values, scheme, step), theory.second_order(run.values, scheme, step)
        rebound, opening = (float(quantity_of(case, name).truth(run.values)) for name in ("rebound_1", "opening_1"))
        make = partial(check_of, case, variant, scheme, run, kind="order")
        yield make(
            quantity="leading_error_of_rebound_1",
            unit="",
            measure=reading(run, partial(_rebound_error, rebound)),
            reference=always(first.speed),
            tolerance=always(_next(more.speed, "kinks and period errors, (w_c h)²")),
        )
        yield make(
            quantity="leading_error_of_opening_1",
            unit="s",
            measure=reading(run, partial(_opening_error, opening)),
            reference=always(first.opened),
            tolerance=always(_next(more.opened, "period errors and touches inside a step, (w_c h)²")),
        )


def _rebound_error(true: float, o: Observation) -> float:
    return measures.rebound(o, 1) / true - 1


def _opening_error(true: float, o: Observation) -> float:
    return measures.opening(o, 1) - true


def _next(value: float, what: str) -> Tolerance:
    return Tolerance(value, "absolute", f"theory, order 2: {what}")


MAKERS = (events, first_contact, velocities)
