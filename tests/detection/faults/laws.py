"""Wrong laws of elements that both time-stepping hosts can have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit


def lawful(with_law: Any, host: Any, **make: Callable[[float], Any]) -> Callable[[float], Any]:
    """Return what makes a host with other laws, each made for a size."""
    return lambda size: with_law(host, **{name: law(size) for name, law in make.items()})


def touched_early(size: float) -> Any:
    """Return the distance to a stop that is too small by an absolute length (m)."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return (width - abs(y) if two_sided else width - y) - size

    return law


def touched_by_single(_: float) -> Any:
    """Return the distance to a stop as a number of single precision."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return np.float64(np.float32(width - abs(y) if two_sided else width - y))

    return law


def slip_one_sided(size: float) -> Any:
    """Return the force of slip, too large against the tangent."""

    @njit
    def law(direction: float, normal: float, kinetic: float) -> float:
        return -direction * kinetic * normal * (1.0 + size if direction < 0.0 else 1.0)

    return law


def dashpot_power(size: float) -> Any:
    """Return the rate of a dashpot with another exponent."""

    @njit
    def law(force: float, damping: float, power: float) -> float:
        return math.copysign(abs(force / damping) ** (power * (1.0 + size)), force)

    return law


@njit
def one_plane(y: float, size: float, _: bool) -> float:
    """Distance to the upper plane alone."""
    return size - y


@njit
def upward(y: float, _: bool) -> float:
    """Direction of the outward normal of the upper plane."""
    return 1.0
