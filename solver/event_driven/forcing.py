"""Loads and support accelerations as plain numbers: waves and polynomials, smooth on each segment of time."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Harmonic, Piecewise, Windowed

Floats = NDArray[np.float64]

DERIVATIVES = 4  # value and three rates: what the one-sided test of a guard looks at


@dataclass(frozen=True)
class Wave:
    """``amplitude sin(omega t + phase)`` in a channel."""

    channel: int
    amplitude: float
    omega: float
    phase: float


@dataclass(frozen=True)
class Polynomial:
    """``Σ coefficients[k] (t - origin)**k`` in a channel."""

    channel: int
    origin: float
    coefficients: tuple[float, ...]

    @cached_property
    def rates(self) -> tuple[tuple[float, ...], ...]:
        """Coefficients of the polynomial and its derivatives, highest power first."""
        series = np.polynomial.Polynomial(self.coefficients)
        return tuple(tuple(series.deriv(k).coef[::-1]) if k else self.coefficients[::-1] for k in range(DERIVATIVES))


@dataclass(frozen=True)
class Forcing:
    """All driving functions u(t) of a problem on one segment, where none of them has a kink.

    Channels are those of `functions`.
    """

    start: float
    end: float
    channels: int
    waves: tuple[Wave, ...]
    polynomials: tuple[Polynomial, ...]

    @property
    def constant(self) -> bool:
        """Whether nothing changes with time."""
        still = all(wave.amplitude * wave.omega == 0 for wave in self.waves)
        return still and not any(any(piece.coefficients[1:]) for piece in self.polynomials)

    def value(self, t: float, order: int = 0) -> Floats:
        """Return u(t) or its derivative of an order below DERIVATIVES, (channels,)."""
        u = [0.0] * self.channels
        quarter = order * math.pi / 2
        for wave in self.waves:
            u[wave.channel] += wave.amplitude * wave.omega**order * math.sin(wave.omega * t + wave.phase + quarter)
        for piece in self.polynomials:
            tau, total = t - piece.origin, 0.0
            for c in piece.rates[order]:
                total = total * tau + c
            u[piece.channel] += total
        return np.array(u)

    def rates(self, t: float) -> Floats:
        """Return u and its derivatives, (DERIVATIVES, channels)."""
        return np.array([self.value(t, k) for k in range(DERIVATIVES)])

    def values(self, times: Floats) -> Floats:
        """Return u at several instants, (m, channels)."""
        u = np.zeros((times.size, self.channels))
        for wave in self.waves:
            u[:, wave.channel] += wave.amplitude * np.sin(wave.omega * times + wave.phase)
        for piece in self.polynomials:
            u[:, piece.channel] += np.polyval(piece.rates[0], times - piece.origin)
        return u


def is_carried(problem: MechanicalProblem) -> bool:
    """Tell whether an element sees the displacement of moving supports."""
    return bool(problem.supports) and any(element.frame == "absolute" for element in problem.elements)


def functions(problem: MechanicalProblem) -> list[TimeFunction]:
    """Return the driving functions: loads (N per unit direction), accelerations of the supports (m/s²).

    If an element sees the supports, displacements (m) and velocities (m/s) of the supports follow.
    """
    result = list(problem.drives)
    if is_carried(problem):
        result += [s.displacement for s in problem.supports] + [s.velocity for s in problem.supports]
    return result


def segments(problem: MechanicalProblem) -> tuple[Forcing, ...]:
    """Cut the time span where a driving function has a kink or a jump, and read the functions on each part."""
    driving = functions(problem)
    terms = [(channel, term) for channel, function in enumerate(driving) for term in function.terms()]
    edges = {problem.start, problem.end}
    for _, term in terms:
        breaks = term.breaks if isinstance(term, Piecewise) else ()
        breaks = (term.start, term.end) if isinstance(term, Windowed) else breaks
        edges |= {b for b in map(to_float, breaks) if problem.start < b < problem.end}
    times = sorted(edges)
    return tuple(_segment(a, b, len(driving), terms) for a, b in pairwise(times))


def _segment(start: float, end: float, channels: int, terms: list[tuple[int, TimeFunction]]) -> Forcing:
    # At an edge a function with a jump has two values, and which one a comparison of doubles picks is chance. In the
    # middle of a segment there is no doubt.
    inside = 0.5 * (start + end)
    waves = [_wave(channel, term) for channel, term in terms if isinstance(term, Harmonic)]
    waves += [_windowed(channel, term, inside) for channel, term in terms if isinstance(term, Windowed)]
    pieces = [_piece(channel, term, inside) for channel, term in terms if isinstance(term, Piecewise)]
    return Forcing(start, end, channels, tuple(waves), tuple(pieces))


def _wave(channel: int, term: Harmonic) -> Wave:
    omega = to_float(term.omega)
    phase = to_float(term.phase) + term.order * math.pi / 2
    return Wave(channel, to_float(term.amplitude) * omega**term.order, omega, phase)


def _windowed(channel: int, term: Windowed, inside: float) -> Wave:
    """Return the wave of a window; without amplitude where it is shut, so that every segment has the same structure."""
    assert isinstance(term.function, Harmonic)
    wave = _wave(channel, term.function)
    opened = to_float(term.start) <= inside < to_float(term.end)
    return wave if opened else replace(wave, amplitude=0.0)


def _piece(channel: int, term: Piecewise, inside: float) -> Polynomial:
    starts = [to_float(b) for b in term.breaks]
    i = int(np.searchsorted(starts, inside, side="right")) - 1
    width = max(len(row) for row in term.coefficients)
    row = [to_float(c) for c in term.coefficients[i]] if i >= 0 else []
    # padded to one length, so that every segment has the same structure (heyoka compiles it once)
    return Polynomial(channel, starts[max(i, 0)], tuple(row + [0.0] * (width - len(row))))
