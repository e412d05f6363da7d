"""Time scales of a problem, for whoever has to choose a step without knowing the solver."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.basis import in_modal_coordinates, undamped_modes
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.matrices import Matrix, skew_part, symmetric_part
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.scalars import to_float
from veridyn.problem.sparse import diagonal, is_sparse, row_sums
from veridyn.problem.time_functions import Harmonic

SAMPLES = 1000  # of a function of time, for its largest value


@singledispatch
def shortest_period(problem: Problem) -> float:
    """Return the shortest period (s) that a problem tells: of one that tells none, its time span."""
    return problem.end - problem.start


def longest_interval(problem: Problem) -> float:
    """Return the longest interval (s) between two output instants, the time span if there are none."""
    span = problem.end - problem.start
    return span if problem.output_times is None else float(np.diff(problem.output_times).max(initial=0.0)) or span


@shortest_period.register
def _(problem: MechanicalProblem) -> float:
    """Return that of the structure with all stops closed and all devices stiff, or of a drive.

    A problem without any has its time span. Damping is left aside; beside gyroscopic and circulatory forces it is a
    bound, see `whirling`.
    """
    matrices = in_modal_coordinates(problem) if problem.modes is not None else problem
    square = _largest_square(matrices)
    rates = [matrices.over_mass(part.matrix) for part in matrices.varying]
    square += largest_variation(matrices, "stiffness", rates)
    mass = diagonal(matrices.least_masses) if matrices.sparse else matrices.mass
    gyroscopic, circulatory = (largest_skew(m, mass) for m in (matrices.damping, matrices.stiffness))
    fastest = whirling(math.sqrt(math.hypot(square, circulatory)), gyroscopic)
    driven = max((wave for function in problem.functions for wave in _frequencies(function)), default=0.0)
    highest = max(fastest, driven)
    return 2 * np.pi / highest if highest > 0 else problem.end - problem.start


def _largest_square(problem: MechanicalProblem) -> float:
    """Return the largest squared frequency (1/s²) with all springs; of sparse matrices a bound, see `row_sums`."""
    springs = _springs(problem)
    if problem.sparse:
        sizes = ((k, np.abs(d) / np.sqrt(problem.least_masses)) for k, d in springs)
        own = row_sums(symmetric_part(problem.stiffness), problem.least_masses)
        return float((own + sum(k * d * d.sum() for k, d in sizes)).max())
    stiffened = problem.stiffness + sum(k * np.outer(d, d) for k, d in springs)
    return max(float(undamped_modes(stiffened, problem.mass)[0][-1]), 0.0)


def largest_skew(matrix: Matrix, mass: Matrix) -> float:
    """Return the largest modulus of an eigenvalue of ``M⁻¹ S``, S being the skew part of a matrix (n, n).

    Of a sparse one a bound, see `row_sums`.
    """
    skew = skew_part(matrix)
    if is_sparse(skew):
        return float(row_sums(skew, mass.diagonal()).max())
    return float(np.abs(np.linalg.eigvals(np.linalg.solve(mass, skew))).max()) if skew.any() else 0.0


def largest_variation(problem: MechanicalProblem, of: str, rates: Iterable[NDArray[Any]]) -> float:
    """Return a bound of what the varying parts add to a squared frequency (1/s²), or to a rate of decay (1/s).

    Their functions are sampled; ``rates`` are their matrices over the mass, ``M⁻¹ K_j``, in any coordinates.
    """
    times, total = np.linspace(problem.start, problem.end, SAMPLES), 0.0
    for part, rate in zip(problem.varying, rates, strict=True):
        if part.of == of:
            total += float(np.abs(np.linalg.eigvals(rate)).max() * np.abs(part.function(times)).max())
    return total


def whirling(frequency: float, gyroscopic: float) -> float:
    """Return a bound of the frequencies (rad/s) of a structure whose gyroscopic forces reach g (1/s).

    Damping is left aside. On any mode φ of ``λ² M + λ G + K`` the quadratic form has ``|λ|² <= g |λ| + w²``, w being
    the fastest frequency without them: equality is forward whirl of a body with ``w² + g w_f = w_f²``.
    """
    return 0.5 * gyroscopic + math.hypot(0.5 * gyroscopic, frequency)


def _springs(problem: MechanicalProblem) -> list[tuple[float, Floats]]:
    elastic = [stop for stop in problem.stops if not stop.rigid]  # a rigid one gives no frequency
    stops = [(stop.stiffness, direction) for stop in elastic for direction in stop.directions]
    return stops + [(device.stiffness, device.direction) for device in problem.devices]


def _frequencies(function: TimeFunction) -> list[float]:
    return [abs(to_float(term.omega)) for term in function.terms() if isinstance(term, Harmonic)]
