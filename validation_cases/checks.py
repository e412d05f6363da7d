"""The one generator of checks: it serves `verify`, the command line and pytest alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from veridyn.validation_cases.case import Case, Check, Quantity, Run, Subject, Variant
from veridyn.validation_cases.frozen import frozen_checks
from veridyn.validation_cases.making import reading


def checks(
    case: Case, subject: Subject, variants: Iterable[Variant] | None = None, only: str | None = None
) -> Iterator[Check]:
    """Yield every check of a case for a solver, grouped by run.

    Parameters
    ----------
    case, subject
        What is verified and who is under test.
    variants
        Those of the case if None; a parameter set of the user otherwise, for which only the truth is asked.
    only
        One variant of the case, by name.
    """
    if variants is not None:
        for variant in variants:
            yield from truth_checks(case, subject, variant)
        return
    for variant in case.variants if only is None else (case.variant(only),):
        truth = list(truth_checks(case, subject, variant))
        yield from truth
        if subject.ours and not subject.overrides:
            yield from frozen_checks(case, truth)
        for make in case.further_checks:
            yield from make(case, subject, variant)


def truth_checks(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of every measured quantity with its certified reference."""
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        for quantity in case.asked(variant):
            if quantity.measure is not None:
                yield truth_check(case, subject, variant, scheme, run, quantity)


def truth_check(case: Case, subject: Subject, variant: Variant, scheme: str, run: Run, quantity: Quantity) -> Check:
    """Return one comparison with a certified reference."""
    assert quantity.measure is not None
    judged_as = scheme if subject.own else ""
    return Check(
        case=case.name,
        variant=variant.name,
        quantity=quantity.name,
        scheme=scheme,
        kind="truth",
        unit=quantity.unit,
        run=run,
        measure=reading(run, quantity.measure),
        reference=partial(quantity.truth, run.values),
        tolerance=partial(quantity.tolerance, run.values, judged_as, run.settings),
    )
