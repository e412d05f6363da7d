"""The proved derivative of a quantity by a parameter, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from veridyn.references.certified import CertificationError, Certified, exact_zero, undefined
from veridyn.validation_cases.judgement.case import Quantity, Values


def differentiate_truth(
    quantity: Quantity, values: Values, name: str, digits: int, settle: Callable[[Callable[[], Certified]], Certified]
) -> Certified:
    """Return the proved derivative of a quantity by a parameter; undefined with the reason where there is none.

    ``settle`` computes the value.
    """
    varied = {**values, name: values[name].varied()}
    try:
        if all(parameter.name != name for parameter in quantity.reference.parameters) and quantity.exists(varied):
            return exact_zero(f"{quantity.name} does not depend on {name}", digits)
        truth = settle(partial(quantity.truth, varied, digits))
    except CertificationError as reason:  # a boundary of regimes, met before anything is enclosed
        return undefined(str(reason))
    return take_derivative(truth, name)


def take_derivative(truth: Certified, name: str) -> Certified:
    """Return the derivative that a value carries, or why there is none."""
    if truth.derivative is not None or truth.value is None:
        return truth.derivative or truth
    return undefined(f"{name} does not enter the formula that holds here: no derivative is given")
