"""Small parts from which checks are made."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, TypeVar

from veridyn.validation_cases.case import Bench, Case, Check, Number, Observation, Quantity, Run, Subject, Variant
from veridyn.validation_cases.tolerances import Tolerance, exactly

T = TypeVar("T")


def reading(run: Run, read: Callable[[Observation], Number]) -> Callable[[Bench], Number]:
    """Return the measurement that reads something from the response to a run."""
    return lambda bench: read(bench.observe(run))


def always(value: T) -> Callable[[], T]:
    """Return a function that gives this value."""
    return lambda: value


def quantity_of(case: Case, name: str) -> Quantity:
    """Return a quantity by name; raises KeyError."""
    return {quantity.name: quantity for quantity in case.quantities}[name]


def asked_of(subject: Subject, ours: Tolerance, anyones: Tolerance) -> Callable[[], Tolerance]:
    """Return the sharp tolerance for our own schemes, whose theory we know, and the cited one for others."""
    return always(ours if subject.own else anyones)


def order_check(
    case: Case,
    variant: Variant,
    base: Run,
    of: str,
    measure: Callable[[Bench], Number],
    expected: float,
    allowed: Tolerance,
) -> Check:
    """Return the comparison of an observed order of convergence with the theoretical one."""
    return check_of(
        case,
        variant,
        str(base.settings["scheme"]),
        base,
        quantity=f"order_of_{of}",
        kind="order",
        unit="",
        measure=measure,
        reference=always(expected),
        tolerance=always(allowed),
    )


def count_check(
    case: Case,
    variant: Variant,
    scheme: str,
    run: Run,
    quantity: str,
    find: Callable[[Observation], Sized],
    number: int,
) -> Check:
    """Return the comparison of how many events are found with how many there are."""
    return check_of(
        case,
        variant,
        scheme,
        run,
        quantity=quantity,
        kind="events",
        unit="",
        measure=reading(run, lambda o: float(len(find(o)))),
        reference=always(float(number)),
        tolerance=always(exactly(f"{quantity} are counted")),
    )


def check_of(case: Case, variant: Variant, scheme: str, run: Run, **fields: Any) -> Check:
    """Return a check of a case; the remaining fields by keyword."""
    return Check(case=case.name, variant=variant.name, scheme=scheme, run=run, **fields)
