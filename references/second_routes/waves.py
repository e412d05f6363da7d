"""Second routes of linear phases in mpmath: sums of exponentials, whose roots are proved by bounds of the curvature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpc, mpf

from veridyn.references.second_routes.roots import sign_changes

Matrix = Any  # of mpmath


@dataclass(frozen=True)
class Waves:
    """``constant + drift t + Re Σ weights e^{rates t}``, which decay or go on: a function of the time of a phase."""

    constant: mpf
    rates: tuple[mpc, ...]
    weights: tuple[mpc, ...]
    drift: mpf = 0

    def __call__(self, t: mpf, order: int = 0) -> mpf:
        """Return the value or a derivative."""
        terms = (w * r**order * mpmath.exp(r * t) for r, w in zip(self.rates, self.weights, strict=True))
        rest = self.drift if order else self.constant + self.drift * t
        return mpmath.re(mpmath.fsum(terms)) + (rest if order < 2 else 0)

    def bound(self, t: mpf, order: int) -> mpf:
        """Bound a derivative of order 2 or more from t on."""
        terms = zip(self.rates, self.weights, strict=True)
        return mpmath.fsum(abs(r) ** order * abs(w * mpmath.exp(r * t)) for r, w in terms)

    def roots(self, end: mpf, *, from_zero: bool, order: int = 0) -> Iterator[mpf]:
        """Yield all roots of the function or a derivative in (0, end], proved one by one.

        ``from_zero``: whether it begins at a root, which is not counted.
        """

        def f(t: mpf) -> tuple[mpf, mpf]:
            return self(t, order), self(t, order + 1)

        def bounds(t: mpf, _: mpf) -> tuple[mpf, mpf]:
            return self.bound(t, order + 2), self.bound(t, order + 3)

        value, slope = f(mpmath.mpf(0))
        first = mpmath.mpf(0) if from_zero else value, slope
        return sign_changes(f, bounds, mpmath.mpf(0), end, first, "gap")

    def integral(self, t: mpf) -> mpf:
        """Return the integral from 0 to t."""
        terms = (w * (mpmath.expm1(r * t) / r if r else t) for r, w in zip(self.rates, self.weights, strict=True))
        return mpmath.re(mpmath.fsum(terms)) + self.constant * t + self.drift * t**2 / 2


@dataclass(frozen=True)
class WavePhase:
    """A flight or a contact: when it begins and ends (s), the states, and the gap, which is zero at its end."""

    start: mpf
    end: mpf
    closed: bool
    states: tuple[Waves, ...]
    gap: Waves

    def deepest(self) -> mpf:
        """Return the largest depth behind the gap, at one of its turning points."""
        return max(-self.gap(t) for t in self.gap.roots(self.end - self.start, from_zero=False, order=1))


def alternating(law: Callable[[bool], Matrix], row: Matrix, state: Sequence[mpf], end: mpf) -> tuple[WavePhase, ...]:
    """Return all flights and contacts of y' = A y from 0 to an instant, by the eigenvalues of A.

    Parameters
    ----------
    law
        Returns A in contact, or in flight.
    row
        The gap as a linear function of the state.

    Raises
    ------
    CertificationError
        If the gap merely touches zero.
    """
    laws = [_spectrum(law(closed)) for closed in (False, True)]
    result: list[WavePhase] = []
    start, closed = mpmath.mpf(0), False
    while True:
        rates, vectors, inverse = laws[closed]
        shares = inverse * mpmath.matrix(state)
        spread = vectors * mpmath.diag(list(shares))
        *states, gap = (Waves(mpf(0), rates, tuple(line)) for line in (*spread.tolist(), *(row * spread).tolist()))
        span = next(gap.roots(end - start, from_zero=bool(result)), None)
        result.append(WavePhase(start, end if span is None else start + span, closed, tuple(states), gap))
        if span is None:
            return tuple(result)
        start, state, closed = start + span, [f(span) for f in states], not closed


def _spectrum(matrix: Matrix) -> tuple[tuple[mpc, ...], Matrix, Matrix]:
    """Return eigenvalues, vectors (columns) and their inverse."""
    rates, vectors = mpmath.eig(matrix)
    return tuple(rates), vectors, mpmath.inverse(vectors)


def holding(phases: Sequence[WavePhase], time: mpf) -> tuple[WavePhase, mpf]:
    """Return the phase of an instant, and how long it has gone."""
    phase = next(phase for phase in phases if time <= phase.end)
    return phase, time - phase.start
