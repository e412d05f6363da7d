"""Public functions about cases and references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veridyn.references.certified import Certified
from veridyn.references.parameters import check_digits
from veridyn.validation_cases.catalogue import case_names, load_case


def cases() -> tuple[str, ...]:
    """Return the names of all cases."""
    return case_names()


def reference(case: str, *, digits: int = 30, **parameters: Any) -> Mapping[str, Certified]:
    """Return the certified reference values of a case by quantity name.

    Parameters
    ----------
    case
        Name of the case, e.g. ``"sdnd104"``.
    digits
        Significant digits wanted, 1 to 1000.
    parameters
        Physical parameters that differ from the defaults; text keeps decimals exact: ``a0="1.01"``.

    Raises
    ------
    UnknownCase
        If there is no such case.
    ParameterError
        If a parameter is unknown or out of range, or digits is.
    CertificationError
        If the routes to a value disagree.
    """
    chosen = load_case(case)
    values = chosen.values(parameters)
    check_digits(digits)
    return {quantity.name: quantity.truth(values, digits) for quantity in chosen.quantities}
