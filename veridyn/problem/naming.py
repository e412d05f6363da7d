"""Directions by the names of degrees of freedom: ``"x2"``, ``"-x2"``, ``{"x2": 1, "x1": -1}``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import EXACT, carry_exact
from veridyn.problem.nearest import nearest
from veridyn.problem.scalars import is_finite

Floats = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True)
class NamedDirection:
    """A direction by names, until the problem that has these degrees of freedom makes a vector of it."""

    owner: str
    shares: Mapping[str, float]

    def vector(self, names: tuple[str, ...]) -> Floats:
        """Return the direction (n,) for the degrees of freedom of a problem.

        Raises `ProblemError` if it has none of that name.
        """
        result = np.zeros(len(names))
        for name, share in self.shares.items():
            if name not in names:
                raise ProblemError(f"{self.owner}: there is no degree of freedom {name!r}; {nearest(name, names)}")
            result[names.index(name)] = share
        result.flags.writeable = False
        return result


def direction(owner: str, value: Any) -> Any:
    """Return a direction as a vector, or as names to be resolved by the problem.

    Raises `ProblemError` if it is neither a vector of numbers, nor a name, nor names with numbers.
    """
    if isinstance(value, str):
        return NamedDirection(owner, {value.removeprefix("-"): -1.0 if value.startswith("-") else 1.0})
    if isinstance(value, Mapping):
        if not all(is_finite(share) for share in value.values()):
            raise ProblemError(f"{owner}: write names with numbers, e.g. {{'x2': 1, 'x1': -1}}; got {dict(value)!r}")
        return NamedDirection(owner, {str(name): float(share) for name, share in value.items()})
    return value if isinstance(value, NamedDirection) else vector(owner, value)


def vector(owner: str, value: ArrayLike) -> Floats:
    """Return a read-only vector of finite floats.

    Raises `ProblemError` if it is not one-dimensional or holds NaN or infinity.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"{owner} must be a vector of numbers") from None
    if array.ndim != 1:
        raise ProblemError(f"{owner} must be a vector, got shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ProblemError(f"{owner} holds a value that is not finite")
    array.flags.writeable = False
    return array


def resolved(element: T, names: tuple[str, ...]) -> T:
    """Return an element with vectors in place of names; itself if it has no names.

    Raises what `NamedDirection.vector` raises.
    """
    fields = {field: _vectors(value, names) for field, value in vars(element).items() if field != EXACT}
    changed = {field: value for field, value in fields.items() if value is not getattr(element, field)}
    if not changed:
        return element
    return carry_exact(replace(element, **changed), element, changed)  # type: ignore[type-var]


def _vectors(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, NamedDirection):
        return value.vector(names)
    if isinstance(value, tuple) and any(isinstance(part, NamedDirection) for part in value):
        return tuple(_vectors(part, names) for part in value)
    return value
