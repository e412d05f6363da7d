"""Quantities that are alike, said once: at several instants, numbered; criteria and readings that many cases share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.core.case import Observation, Quantity, Values
from veridyn.validation_cases.core.tolerances import Tolerance, cited

NEAR = 1e-3  # spacings; a requested instant that is so near to another is not requested again


def at_instants(quantity: Quantity, instants: Iterable[str], **fields: Callable[[str], Any]) -> tuple[Quantity, ...]:
    """Return a quantity at several instants (s), named ``name@instant``: reference and measure take it as ``time``.

    ``fields`` are those that depend on the instant.
    """
    return tuple(
        _copy(quantity, f"@{t}", f"{quantity.definition} at {t} s", {"time": t}, {"time": float(t)}, fields, t)
        for t in instants
    )


def numbered(quantity: Quantity, numbers: Iterable[int], **fields: Callable[[int], Any]) -> tuple[Quantity, ...]:
    """Return a quantity for several numbers, named ``name_number``: reference and measure take it as ``number``.

    The definition says ``{number}`` where it stands; ``fields`` are those that depend on the number.
    """
    return tuple(
        _copy(quantity, f"_{n}", quantity.definition.format(number=n), {"number": n}, {"number": n}, fields, n)
        for n in numbers
    )


def _copy(
    quantity: Quantity, suffix: str, definition: str, true: Any, seen: Any, fields: dict[str, Any], place: Any
) -> Quantity:
    assert quantity.measure is not None
    return replace(
        quantity,
        name=quantity.name + suffix,
        definition=definition,
        reference=partial(quantity.reference, **true),
        measure=partial(quantity.measure, **seen),
        **{name: made(place) for name, made in fields.items()},
    )


def share_of(size: Callable[[Values], float], share: float, source: str) -> Callable[[Values], Tolerance]:
    """Return the criterion that an error is at most a share of a size, which is a function of the parameters."""
    return lambda values: cited(source, share * size(values), kind="absolute")


def displacement(o: Observation, time: float, place: int = 0, samples: int = 4) -> float:
    """Displacement of a coordinate (m) at an instant (s), between the samples."""
    return value_at(o.response.time, o.response.displacement[:, place], time, samples)


def velocity(o: Observation, time: float, place: int = 0, samples: int = 4) -> float:
    """Velocity of a coordinate (m/s) at an instant (s), between the samples, as the solver states it."""
    return value_at(o.response.time, o.response.velocity[:, place], time, samples)


def final_displacement(o: Observation) -> float:
    """Displacement of the first coordinate at the end (m)."""
    return float(o.response.displacement[-1, 0])


def outputs(end: float, spacing: float, instants: Iterable[str]) -> NDArray[np.float64]:
    """Return output instants (m,) in s: evenly spread about so far apart, and those of values that are asked for."""
    even = np.linspace(0.0, end, round(end / spacing) + 1)
    between = [t for t in map(float, instants) if t < end and np.abs(even - t).min() > NEAR * spacing]
    return np.union1d(even, between)
