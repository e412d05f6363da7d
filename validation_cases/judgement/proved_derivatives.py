"""The proved derivatives of a quantity by parameters, or why there are none."""

from __future__ import annotations

from veridyn.references.certified import Certified, exact_zero
from veridyn.references.derivatives import Compute, differentiate
from veridyn.validation_cases.judgement.case import Quantity, Values


def differentiate_truth(
    quantity: Quantity, values: Values, names: tuple[str, ...], digits: int, compute: Compute
) -> Certified:
    """Return the proved derivative of a quantity by one parameter or two; undefined with the reason without one.

    ``compute`` gives values of the quantity at parameters.
    """
    entering = {parameter.name for parameter in quantity.reference.parameters}
    for name in names:
        if name not in entering and quantity.exists(values):
            return exact_zero(f"{quantity.name} does not depend on {name}", digits)
    return differentiate(compute, values, names, digits)
