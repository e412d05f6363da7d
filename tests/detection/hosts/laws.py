"""Laws of elements that both time-stepping solvers have, compiled by Numba: one number in, one number out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

Law = Callable[..., Any]
F = TypeVar("F", bound=Law)
Floats = np.ndarray[Any, np.dtype[Any]]

jit: Any = njit
compiled: Callable[[F], F] = jit
part: Callable[[F], F] = jit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
SPRING, ZENER = 0, 1  # kinds of devices
STICK = 0.0  # status of a friction; +1 and -1: it slips along or against its tangent


@compiled
def gap(y: float, size: float, two_sided: bool) -> float:
    """Distance (m) to a plane at ``size``, or to the nearer of two at ``-size`` and ``size``."""
    return size - abs(y) if two_sided else size - y


@compiled
def side(y: float, two_sided: bool) -> float:
    """Direction of the outward normal: -1 at the lower of two planes."""
    return -1.0 if two_sided and y < 0.0 else 1.0


@compiled
def slip_force(direction: float, normal: float, kinetic: float) -> float:
    """Force on the structure along the tangent (N) while it slips in a direction."""
    return -direction * kinetic * normal


@compiled
def piece(u: float, breaks: Floats) -> int:
    """Return the number of the polynomial of a spring that holds at an elongation (m)."""
    i = 0
    while i < breaks.size and u >= breaks[i]:
        i += 1
    return i


@compiled
def spring_force(u: float, breaks: Floats, coefficients: Floats) -> float:
    """Force (N) of a spring whose force is a polynomial between breaks (m)."""
    i = piece(u, breaks)
    tau, value = u - breaks[max(i - 1, 0)], 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        value = value * tau + coefficients[i, k]
    return value


@compiled
def spring_tangent(u: float, breaks: Floats, coefficients: Floats) -> float:
    """Return the derivative of `spring_force` (N/m)."""
    i = piece(u, breaks)
    tau, value = u - breaks[max(i - 1, 0)], 0.0
    for k in range(coefficients.shape[1] - 1, 0, -1):
        value = value * tau + k * coefficients[i, k]
    return value


@compiled
def dashpot_rate(force: float, damping: float, power: float) -> float:
    """Rate (m/s) of a dashpot under a force (N)."""
    return math.copysign(abs(force / damping) ** power, force)


@compiled
def dashpot_slope(force: float, damping: float, power: float) -> float:
    """Return the derivative of `dashpot_rate` (m/(s N))."""
    return power / damping if power == 1.0 else power / damping * abs(force / damping) ** (power - 1.0)


@part
def along(directions: Floats, e: int, vector: Floats) -> float:
    """Component of a vector along the direction of an element."""
    total = 0.0
    for i in range(vector.size):
        total += directions[e, i] * vector[i]
    return total


@part
def dashpot_force(numbers: Floats, d: int, u: float, path: float) -> float:
    """Force (N) of the dashpot of a Zener device at an elongation and a path (m)."""
    k1, k2, k3 = numbers[d, 1], numbers[d, 2], numbers[d, 3]
    return float(k3 * (k1 * u - (k1 + k2) * path) / (k1 + k2 + k3))
