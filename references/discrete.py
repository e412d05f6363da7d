"""Exact discrete solutions of known time integrators on linear problems ``M x'' + C x' + K x = f(t)``.

A method with its parameters and a step gives one trajectory, whatever program computes it: a recurrence with constant
matrices. It is assembled to 50 digits and marched in extended precision, so that a program that implements the method
differs from it by its rounding alone, and one with another parameter by much more. What a method takes for the load
of a step and how it starts stands in `veridyn.references.integrators`.

The eigenvalues of the recurrence tell stability, damping and period error, its power series in the step the order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import mpmath
import numpy as np
from mpmath import mpf
from numpy.typing import NDArray

from veridyn.references.discrete_order import order, phase_order
from veridyn.references.integrators import METHODS, Discrete, Method, read_method
from veridyn.references.recurrences import Recurrence, System, assemble
from veridyn.references.tableaux import to_mpf

__all__ = [
    "METHODS",
    "Discrete",
    "Linear",
    "Method",
    "amplification",
    "march",
    "numerical_damping",
    "order",
    "period_error",
    "phase_order",
    "read_method",
    "spectral_radius",
    "stability_limit",
]

Floats: TypeAlias = NDArray[np.float64]

DIGITS = 50  # of the recurrence that is marched
SLACK = 1e-3  # of a step: times that a program counts differ from an even grid by rounding, not by more
FINE = 200  # digits where stability is decided
MARGIN = 40  # decimal digits: a spectral radius of 1 + 10^-40 still counts as stable
PER_DECADE = 30  # samples of omega h between which a limit of stability is looked for
SMALLEST, LARGEST = -3, 6  # decades of omega h


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear problem.

    Attributes
    ----------
    mass, damping, stiffness
        Matrices (n, n) in kg, N s/m, N/m; they need not be symmetric.
    force
        Load (n,) in N at an instant in s.
    displacement, velocity
        At the start, (n,) in m and m/s.
    start
        In s.
    """

    mass: Floats
    damping: Floats
    stiffness: Floats
    force: Callable[[float], Floats]
    displacement: Floats
    velocity: Floats
    start: float = 0.0


def march(
    method: Discrete, problem: Linear, step: float, count: int, times: Floats | None = None
) -> tuple[Floats, Floats]:
    """March a problem.

    Parameters
    ----------
    step
        In s.
    count
        Number of steps.
    times
        Instants (count + 1,) in s as a program counts them; default ``start + i step``. They differ by rounding, as
        steps that are summed do, and the loads with them. An instant within a step is counted from its start.

    Returns
    -------
    tuple
        Displacement and velocity (count + 1, n) in m and m/s at ``start + i step``. Where a method is unstable they may
        be infinite.

    Raises
    ------
    ValueError
        If step, count, sizes or times make no sense, or a matrix to be solved for is singular.
    """
    n = _check(problem, step, count)
    grid = _grid(problem.start, step, count, times)
    with mpmath.workdps(DIGITS):
        rule = method.rule(to_mpf)
        mass, damping, stiffness = (_precise(m) for m in (problem.mass, problem.damping, problem.stiffness))
        recurrence = assemble(rule, System(mass, damping, stiffness, mpf(step)))
        first = np.concatenate([np.asarray(x, float) for x in (problem.displacement, problem.velocity)])
        given = np.concatenate((first, np.asarray(problem.force(problem.start), float)))
        state = _extended(recurrence.start @ _precise(given))
        change = _extended(recurrence.step - np.eye(len(state), dtype=int).astype(object))
        loads = [_extended(load) for load in recurrence.loads]
        instants = [_extended(np.array(c, dtype=object))[()] for c in rule.instants]
    pushes = _pushes(problem.force, loads, instants, step, grid)
    states = np.empty((count + 1, 2 * n))
    states[0] = first
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(count):
            state = state + (change @ state + pushes[i])  # the change alone is small: nothing cancels
            states[i + 1] = state[: 2 * n]
    return states[:, :n], states[:, n:]


def _check(problem: Linear, step: float, count: int) -> int:
    n = len(problem.displacement)
    for name in ("mass", "damping", "stiffness"):
        if np.shape(getattr(problem, name)) != (n, n):
            raise ValueError(
                f"{name} has shape {np.shape(getattr(problem, name))}, the displacement asks for ({n}, {n})"
            )
    if np.shape(problem.velocity) != (n,):
        raise ValueError(f"velocity has shape {np.shape(problem.velocity)}, the displacement asks for ({n},)")
    if not (np.isfinite(step) and step > 0 and count >= 0):
        raise ValueError(f"a march needs a positive step and a count not below 0, got {step} s and {count}")
    return n


def _precise(values: Any) -> Any:
    return np.vectorize(lambda value: mpmath.mpf(float(value)), otypes=[object])(values)


def _extended(values: Any) -> Any:
    """Round to NumPy's longest floating-point type."""
    return np.vectorize(lambda x: np.longdouble(mpmath.nstr(mpmath.mpf(x), 25)), otypes=[np.longdouble])(values)


def _grid(start: float, step: float, count: int, times: Floats | None) -> Any:
    """Return the instants (count + 1,) of the states in extended precision."""
    even = start + np.arange(count + 1, dtype=np.longdouble) * step
    if times is None:
        return even
    given = np.asarray(times, dtype=np.longdouble)
    if given.shape != even.shape or not np.abs(given - even).max() <= SLACK * step:
        raise ValueError(f"times must be the {count + 1} instants {start:g} s + i × {step:g} s up to rounding")
    return given


def _pushes(force: Callable[[float], Floats], loads: list[Any], instants: list[Any], step: float, grid: Any) -> Any:
    """Return what the loads add to the state (count, k n) in every step."""
    at = cache(force)  # the end of a step is the start of the next
    total = np.zeros((len(grid) - 1, len(loads[0])), dtype=np.longdouble)
    for load, instant in zip(loads, instants, strict=True):
        times = grid[1:] if instant == 1 else grid[:-1] + instant * step
        total += np.array([at(float(t)) for t in times], dtype=np.longdouble).reshape(-1, load.shape[1]) @ load.T
    return total


def recurrence_of_oscillator(method: Discrete, omega_h: float, ratio: float) -> Recurrence:
    """Return the recurrence of ``x'' + 2 ξ w x' + w² x = f`` in units of the step, to the current mpmath precision."""
    w = mpf(omega_h)
    mass, damping, stiffness = (np.array([[entry]], dtype=object) for entry in (mpf(1), 2 * mpf(ratio) * w, w * w))
    return assemble(method.rule(to_mpf), System(mass, damping, stiffness, mpf(1)))


def amplification(method: Discrete, omega_h: float, ratio: float = 0.0) -> Floats:
    """Return the amplification matrix (k, k) of a step of an oscillator.

    The state is displacement, velocity × h, and what else the method carries, in units of the step.

    Parameters
    ----------
    omega_h
        Circular frequency × step.
    ratio
        Damping ratio.
    """
    with mpmath.workdps(DIGITS):
        return np.asarray(recurrence_of_oscillator(method, omega_h, ratio).step, dtype=np.float64)


def spectral_radius(method: Discrete, omega_h: float, ratio: float = 0.0) -> float:
    """Return the largest modulus of an eigenvalue of the amplification matrix."""
    with mpmath.workdps(FINE):
        polynomial = _characteristic(method, omega_h, ratio)
        low, high = mpf(0), 1 + max(abs(c) for c in polynomial)  # Cauchy's bound
        while high - low > mpf(10) ** -18 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if _inside(polynomial, middle) else (middle, high)
        return float(high)


def stability_limit(method: Discrete, ratio: float = 0.0) -> float:
    """Return the largest ω h up to which a method is stable: the spectral radius does not exceed 1.

    Searched on 30 values of ω h in each decade from 1e-3 to 1e6, then by bisection.

    Returns
    -------
    float
        Infinite where no sample is unstable, 0 where the first is.
    """
    with mpmath.workdps(FINE):
        below = 0.0
        for i in range(SMALLEST * PER_DECADE, LARGEST * PER_DECADE + 1):
            above = 10 ** (i / PER_DECADE)
            if not _stable(method, above, ratio):
                return _bisected(method, below, above, ratio) if below else 0.0
            below = above
        return float("inf")


def _bisected(method: Discrete, below: float, above: float, ratio: float) -> float:
    while below < (middle := (below + above) / 2) < above:
        below, above = (middle, above) if _stable(method, middle, ratio) else (below, middle)
    return below


def _stable(method: Discrete, omega_h: float, ratio: float) -> bool:
    return _inside(_characteristic(method, omega_h, ratio), 1 + mpf(10) ** -MARGIN)


def _characteristic(method: Discrete, omega_h: float, ratio: float) -> list[mpf]:
    """Return the characteristic polynomial, leading coefficient 1 last (Faddeev and LeVerrier)."""
    matrix = recurrence_of_oscillator(method, omega_h, ratio).step
    one = np.eye(len(matrix), dtype=int).astype(object)
    coefficients, power = [mpf(1)], one * mpf(0)
    for i in range(1, len(matrix) + 1):
        power = matrix @ power + one * coefficients[-1]
        coefficients.append(-np.trace(matrix @ power) / i)
    return coefficients[::-1]


def _inside(polynomial: list[mpf], radius: mpf) -> bool:
    """Tell whether all roots lie within a circle around zero (Schur and Cohn)."""
    p = [c * radius**i for i, c in enumerate(polynomial)]
    while len(p) > 1:
        if abs(p[0]) >= abs(p[-1]):
            return False
        p = [p[-1] * c - p[0] * d for c, d in zip(p[1:], p[-2::-1], strict=True)]
        size = max(map(abs, p))
        p = [c / size for c in p]
    return True


def numerical_damping(method: Discrete, omega_h: float, ratio: float = 0.0) -> float:
    """Return the damping ratio of the discrete oscillation, ``-ln|z| / arg z`` of its eigenvalue z.

    Raises
    ------
    ValueError
        If the discrete solution does not oscillate.
    """
    with mpmath.workdps(DIGITS):
        z = _principal(method, omega_h, ratio)
        return float(-mpmath.log(abs(z)) / mpmath.arg(z))


def period_error(method: Discrete, omega_h: float, ratio: float = 0.0) -> float:
    """Return the relative error of the period of an oscillation, positive where the discrete one is too long.

    Raises
    ------
    ValueError
        If the discrete or the exact solution does not oscillate.
    """
    with mpmath.workdps(DIGITS):
        z = _principal(method, omega_h, ratio)
        return float(mpf(omega_h) * mpmath.sqrt(1 - mpf(ratio) ** 2) / mpmath.arg(z) - 1)


def _principal(method: Discrete, omega_h: float, ratio: float) -> Any:
    """Return the eigenvalue in the upper half-plane next to the exact one, refined by Newton's method."""
    if not (omega_h > 0 and 0 <= ratio < 1):
        raise ValueError(f"an oscillation needs omega h > 0 and 0 <= ratio < 1, got {omega_h} and {ratio}")
    polynomial = _characteristic(method, omega_h, ratio)
    exact = np.exp(omega_h * complex(-ratio, np.sqrt(1 - ratio**2)))
    upper = [z for z in np.roots([float(c) for c in polynomial[::-1]]) if z.imag > 1e-7 * abs(z)]
    if not upper:
        raise ValueError(f"{method.name} does not oscillate at omega h = {omega_h:g}: take a smaller step")
    z = mpmath.mpc(min(upper, key=lambda each: abs(each - exact)))
    for _ in range(8):
        value = sum(c * z**i for i, c in enumerate(polynomial))
        z -= value / sum(i * c * z ** (i - 1) for i, c in enumerate(polynomial) if i)
    return z
