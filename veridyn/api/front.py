"""Public functions about cases and references."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from veridyn.api.limits import MORE, SECONDS
from veridyn.references.certified import Certified, compute_in_time
from veridyn.references.derivatives import Compute, check_names
from veridyn.references.parameters import check_digits
from veridyn.validation_cases.judgement.case import Case, Values, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, load_case
from veridyn.validation_cases.judgement.proved_derivatives import differentiate_truth


def cases() -> tuple[str, ...]:
    """Return the names of all cases."""
    return case_names()


def reference(
    case: str,
    *,
    digits: int = 30,
    derivative: str | Sequence[str] = (),
    seconds: float = SECONDS,
    **parameters: Any,
) -> Mapping[str, Certified]:
    """Return the certified reference values of a case by quantity name.

    Each is an enclosure: the truth lies within `radius` of `value`, and its second routes give the same. Where one
    gives another value, the quantity is undefined.

    Parameters
    ----------
    case
        Name of the case, e.g. ``"sdnd104"``.
    digits
        Significant digits wanted, 1 to 1000.
    derivative
        A parameter of the case, or two: the derivatives with respect to it, or the second ones with respect to both
        (the same twice, too), are returned instead, undefined with the reason where one does not exist or is not given.
    seconds
        That a value may take: beyond them it is undefined, and says how far the work came.
    parameters
        Physical parameters that differ from the defaults; text keeps decimals exact: ``a0="1.01"``.

    Raises
    ------
    UnknownCase
        If there is no such case.
    ParameterError
        If a parameter is unknown or out of range, or digits is.
    """
    chosen = load_case(case)
    values = chosen.values(parameters)
    return references(chosen, values, check_digits(digits), derivative, seconds=seconds)


def references(
    case: Case,
    values: Values,
    digits: int,
    derivative: str | Sequence[str] = (),
    of: Variant | None = None,
    seconds: float = SECONDS,
) -> dict[str, Certified]:
    """Return the references of all quantities, or of those of a variant, for complete parameters; as `reference`."""
    quantities = case.select_quantities(of) if of else case.quantities
    names = check_names(derivative, values, fixed={p.name: p.allowed for p in case.parameters if p.is_discrete})
    if not names:
        return {q.name: settle_in_time(q.name, partial(q.truth, values, digits), seconds) for q in quantities}
    return {
        q.name: differentiate_truth(q, values, names, digits, settle_until(q.name, q.truth, seconds))
        for q in quantities
    }


def settle_in_time(name: str, compute: Callable[[], Certified], seconds: float) -> Certified:
    """Return a value that its second routes have settled, or how far it came in the time that it has.

    What is left of the time is for each of the second routes; the value stands without one that takes longer.
    """
    begin = time.monotonic()
    return compute_in_time(compute, seconds, MORE).settle(name, seconds - (time.monotonic() - begin))


def settle_until(name: str, compute: Compute, seconds: float) -> Compute:
    """Return what gives values as `settle_in_time`, all of them together within some seconds from now on."""
    ends = time.monotonic() + seconds

    def settle(values: Values, digits: int) -> Certified:
        return settle_in_time(name, partial(compute, values, digits), round(ends - time.monotonic(), 1))

    return settle
