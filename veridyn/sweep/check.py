"""Points of a sweep, taken at random and compared with the certified reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Exact, ParameterError
from veridyn.sweep.request import Request, sweep_of
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.judge import correct_digits
from veridyn.validation_cases.core.sweeping import Columns, Swept

ASKED = 17  # digits of the reference: all that a double can have, and one more


@dataclass(frozen=True)
class Finding:
    """One point: its parameters, and the correct digits of every number that exists there.

    ``wrong`` are the quantities that are plainly wrong; ``unknown`` says why there is no truth to compare with.
    """

    parameters: Mapping[str, float]
    digits: Mapping[str, float]
    wrong: tuple[str, ...] = ()
    unknown: str = ""


def check(request: Request, columns: Columns, count: int) -> list[Finding]:
    """Compare some points with the truth. The same request gives the same points."""
    chance = np.random.default_rng(int(request.hash(), 16))
    points = np.sort(chance.choice(request.size, min(count, request.size), replace=False))
    parameters = request.columns(points)
    return [
        _compare(
            sweep_of(load_case(request.case)).quantities,
            {name: float(column[i]) for name, column in parameters.items()},
            {name: column.ravel()[point].item() for name, column in columns.items()},
        )
        for i, point in enumerate(points)
    ]


def _compare(quantities: Sequence[Swept], parameters: Mapping[str, float], found: Mapping[str, Any]) -> Finding:
    # the kernel takes doubles as they are, and so must the truth: 0.1 is here not one tenth
    values = {name: Exact(Fraction(value)) for name, value in parameters.items()}
    digits: dict[str, float] = {}
    wrong: list[str] = []
    for quantity in quantities:
        try:
            right = _digits(quantity, values, found[quantity.name])
        except (ParameterError, CertificationError) as limit:  # of the reference; the sweep may go further
            return Finding(parameters, digits, tuple(wrong), f"{quantity.name}: {limit}")
        if right is None:
            wrong.append(quantity.name)
        elif right < math.inf:
            digits[quantity.name] = right
    return Finding(parameters, digits, tuple(wrong))


def _digits(quantity: Swept, values: Mapping[str, Exact], found: Any) -> float | None:
    """Return the correct digits, infinite where there is nothing to measure; None for what is plainly wrong."""
    truth = quantity.truth(values, ASKED)
    if truth.value is None:
        return math.inf if math.isnan(found) else None
    if quantity.labels or quantity.counted:
        same = (quantity.labels[found] if quantity.labels else found) == truth.value
        return math.inf if same else None
    return correct_digits(found, truth)


def verdict(findings: Sequence[Finding], wanted: float) -> dict[str, Any]:
    """Return what was found, for the document of a sweep."""
    digits = [d for finding in findings for d in finding.digits.values()]
    worst = min(digits, default=None)
    wrong = any(finding.wrong for finding in findings)
    return {
        "points": len(findings),
        "worst_digits": worst,
        "median_digits": float(np.median(digits)) if digits else None,
        "wanted_digits": wanted,
        "passed": not wrong and (worst is None or worst >= wanted),
        "findings": [asdict(finding) for finding in findings],
    }
