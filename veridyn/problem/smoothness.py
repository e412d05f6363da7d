"""How smooth the forces of a problem are: what caps the order of a method that steps over events."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from veridyn.problem.devices import BucklingStop, Device, PiecewiseLaw, Zener
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, Windowed

SAME = 1e-9  # relative; polynomials that meet in floating point
SMOOTH = math.inf
KINK, JUMP = 2.0, 1.0  # of a force: order that is left to a method that steps over it


@singledispatch
def regularity(problem: Problem) -> float:
    """Return the order that steps across events leave to any method: 1 where a force jumps, 2 where it has a kink.

    Of a problem that is not mechanical 1 if it has events: its states jump, or its rates may.

    A jump of the k-th derivative of a force (k = 0: of the force itself) inside a step leaves an error of the order
    k + 1. Infinite where no force has any.
    """
    return JUMP if "hybrid" in problem.needs else SMOOTH


@regularity.register
def _(problem: MechanicalProblem) -> float:
    return min([SMOOTH, *_of_elements(problem), *_of_functions(problem.functions, problem.start, problem.end)])


def jumps(problem: MechanicalProblem) -> Iterator[float]:
    """Yield the instants (s) inside the span at which a drive jumps, in order."""
    for at in sorted(set(_edges(problem))):
        before, after = (float(np.nextafter(at, side)) for side in (-math.inf, math.inf))
        if problem.start < at < problem.end and min(_of_functions(problem.drives, before, after)) <= JUMP:
            yield at


def _edges(problem: MechanicalProblem) -> Iterator[float]:
    """Yield the instants (s) at which drives may change their formula."""
    for function in problem.drives:
        for summand in _summands(function):
            if isinstance(summand, Windowed):
                yield from map(to_float, (summand.start, summand.end))
            yield from (to_float(b) for term in summand.terms() if isinstance(term, Piecewise) for b in term.breaks)


def _of_elements(problem: MechanicalProblem) -> Iterator[float]:
    # a rigid stop makes the velocity jump: what steps over an impact is off by a step's way
    yield from (JUMP if stop.damping or stop.rigid else KINK for stop in problem.stops)
    # a regularised stick begins and ends with a kink, but the anchor of its spring jumps
    yield from (JUMP for _ in problem.frictions)
    yield from map(_of_device, problem.devices)


def _of_device(device: Device) -> float:
    if isinstance(device, PiecewiseLaw):
        return _of_pieces(device.breaks, device.coefficients, device.origins)
    if isinstance(device, BucklingStop):
        return JUMP if device.softening == 0 and device.post_force < device.critical_force else KINK
    # a dashpot of a power has an infinite slope of force, or of rate, where its rate turns
    return KINK if isinstance(device, Zener) and device.alpha != 1.0 else SMOOTH


def _of_functions(functions: Iterable[TimeFunction], start: float, end: float) -> Iterator[float]:
    """Yield the regularity of every part of functions between two instants (s)."""
    for summand in (summand for function in functions for summand in _summands(function)):
        if isinstance(summand, Windowed):
            yield _of_window(summand, start, end)
        else:
            yield from (_of_term(term, start, end) for term in summand.terms())


def _summands(function: TimeFunction) -> Iterator[TimeFunction]:
    if isinstance(function, Sum):
        for summand in function.summands:
            yield from _summands(summand)
    else:
        yield function


def _of_window(window: Windowed, start: float, end: float) -> float:
    """Return the regularity of what is cut out: its edges cost less where waves vanish there, or were integrated."""
    edges = [edge for edge in map(to_float, (window.start, window.end)) if start < edge < end]
    if not edges:
        return SMOOTH
    if not all(isinstance(term, Harmonic) for term in window.function.terms()):
        return JUMP
    first = max(window.order, 0)
    derivatives = _derivatives(window.function, first, WAVE)
    vanish = next((k for k, f in enumerate(derivatives) if any(_is_there(f, edge) for edge in edges)), WAVE)
    return 1.0 + first - window.order + vanish


WAVE = 4  # derivatives of waves that are looked at: of one wave two in succession never vanish together


def _derivatives(function: TimeFunction, first: int, count: int) -> Iterator[TimeFunction]:
    for _ in range(first):
        function = function.derivative()
    for _ in range(count):
        yield function
        function = function.derivative()


def _is_there(function: TimeFunction, edge: float) -> bool:
    """Tell whether a sum of waves is more than rounding at an instant."""
    turn = min(2 * math.pi / to_float(term.omega) for term in function.terms() if isinstance(term, Harmonic))
    size = np.abs(function(edge + turn * np.linspace(0.0, 1.0, 9))).max()
    return bool(abs(function(edge)) > SAME * size)


def _of_term(term: TimeFunction, start: float, end: float) -> float:
    if isinstance(term, Piecewise):
        breaks = tuple(map(to_float, term.breaks))
        rows = [tuple(map(to_float, row)) for row in term.coefficients]
        return _of_pieces(breaks, ((0.0,), *rows), (breaks[0], *breaks), (start, end))
    return SMOOTH


def _of_pieces(
    breaks: Iterable[float],
    rows: Iterable[Any],
    origins: Iterable[float],
    span: tuple[float, float] = (-math.inf, math.inf),
) -> float:
    """Return the regularity of polynomials, each about its origin, that follow one another at the breaks in a span."""
    pieces = [
        np.polynomial.Polynomial(row, domain=(o, o + 1), window=(0, 1)) for row, o in zip(rows, origins, strict=True)
    ]
    met = zip(breaks, itertools.pairwise(pieces), strict=True)
    return min((_meeting(at, *pair) for at, pair in met if span[0] < at < span[1]), default=SMOOTH)


def _meeting(at: float, left: Any, right: Any) -> float:
    for order in range(max(left.degree(), right.degree()) + 1):
        a, b = float(left(at)), float(right(at))
        if abs(a - b) > SAME * max(abs(a), abs(b), *map(abs, left.coef), *map(abs, right.coef)):
            return order + 1.0
        left, right = left.deriv(), right.deriv()
    return SMOOTH
