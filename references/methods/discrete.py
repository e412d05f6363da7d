"""Exact discrete solutions of known time integrators on linear problems ``M x'' + C x' + K x = f(t)``.

A method with its parameters and a step gives one trajectory, whatever program computes it: a recurrence with constant
matrices. It is assembled to 50 digits and marched in extended precision, so that a program that implements the method
differs from it by its rounding alone, and one with another parameter by much more. What a method takes for the load
of a step and how it starts stands in `veridyn.references.methods.integrators`.
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

from veridyn.references.methods.integrators import METHODS, Discrete, Method, read_method
from veridyn.references.methods.recurrences import MatrixSystem, assemble
from veridyn.references.methods.tableaux import DIGITS

__all__ = ["METHODS", "Discrete", "LinearProblem", "Method", "march", "read_method"]

Floats: TypeAlias = NDArray[np.float64]

SLACK = 1e-3  # of a step: times that a program counts differ from an even grid by rounding, not by more


@dataclass(frozen=True, eq=False)
class LinearProblem:
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
    method: Discrete, problem: LinearProblem, step: float, count: int, times: Floats | None = None
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
        rule = method.rule()
        mass, damping, stiffness = (_precise(m) for m in (problem.mass, problem.damping, problem.stiffness))
        recurrence = assemble(rule, MatrixSystem(mass, damping, stiffness, mpf(step)))
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


def _check(problem: LinearProblem, step: float, count: int) -> int:
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
