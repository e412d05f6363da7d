"""The second route of the beam on a stop: sums of exponentials from event to event, in mpmath.

Modal roots in flight, eigenvalues of the closed system in contact. Roots of the gap and of its rate are proved by
bounds of the next derivatives: all terms decay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.parameters import ParameterError, Record
from veridyn.references.roots import sign_changes

MOST_MODES = 41


class Beam(Record):
    """The parameters, and the modes at the current precision."""

    def check(self) -> None:
        """Refuse numbers of modes that are not whole or too large, and overdamped modes."""
        if self.N.pi or self.N.rational.denominator != 1 or self.N.rational > MOST_MODES:
            raise ParameterError(f"N must be a whole number from 1 to {MOST_MODES}, got {self.N}")
        if float(self.xi) >= 1:
            raise ParameterError(f"xi must be below 1, got {self.xi}")

    @property
    def numbers(self) -> range:
        """Return the numbers of the modes that move: odd ones."""
        return range(1, int(self.N.rational) + 1, 2)

    @property
    def omegas(self) -> list[mpf]:
        """Return their circular frequencies (rad/s)."""
        return [(n * mpmath.pi) ** 2 for n in self.numbers]

    @property
    def shapes(self) -> list[mpf]:
        """Return their shapes at mid-span."""
        return [mpmath.sqrt(2) * (-1) ** ((n - 1) // 2) for n in self.numbers]


@dataclass(frozen=True)
class Waves:
    """``constant + Re Σ weights e^{rates t}``: a smooth function of the time since the phase began."""

    constant: mpf
    rates: tuple[mpc, ...]
    weights: tuple[mpc, ...]

    def __call__(self, t: mpf, order: int = 0) -> mpf:
        """Return the value or a derivative."""
        terms = (w * r**order * mpmath.exp(r * t) for r, w in zip(self.rates, self.weights, strict=True))
        return mpmath.re(mpmath.fsum(terms)) + (0 if order else self.constant)

    def bound(self, t: mpf, order: int) -> mpf:
        """Bound a derivative from t on: all terms decay."""
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
        terms = (w * (mpmath.exp(r * t) - 1) / r for r, w in zip(self.rates, self.weights, strict=True))
        return mpmath.re(mpmath.fsum(terms)) + self.constant * t


@dataclass(frozen=True)
class Phase:
    """A flight or a contact: when it begins and ends (s), the modal states, the gap (m)."""

    start: mpf
    end: mpf
    closed: bool
    states: tuple[Waves, ...]
    gap: Waves


@per_precision
def _spectrum(b: Beam, closed: bool) -> tuple[list[mpc], mpmath.matrix, mpmath.matrix, mpmath.matrix]:
    """Return the roots, the vectors (columns), their inverse and the equilibrium of a phase."""
    m, kc = len(b.omegas), b.kc.mpf() if closed else mpmath.mpf(0)
    matrix, push = mpmath.zeros(2 * m), mpmath.zeros(2 * m, 1)
    for i, (w, shape) in enumerate(zip(b.omegas, b.shapes, strict=True)):
        matrix[i, m + i] = mpmath.mpf(1)
        matrix[m + i, m + i] = -2 * b.xi.mpf() * w
        push[m + i] = -kc * shape * b.gap.mpf()
        for j, other in enumerate(b.shapes):
            matrix[m + i, j] = -kc * shape * other - (w**2 if i == j else 0)
    roots, vectors = mpmath.eig(matrix)
    return roots, vectors, mpmath.inverse(vectors), mpmath.lu_solve(matrix, -push)


def _states(b: Beam, closed: bool, state: Sequence[mpf]) -> tuple[Waves, ...]:
    """Return the states that follow a state."""
    roots, vectors, inverse, rest = _spectrum(b, closed)
    places = range(len(roots))
    shares = inverse * (mpmath.matrix(state) - rest)
    return tuple(Waves(rest[i].real, tuple(roots), tuple(vectors[i, j] * shares[j] for j in places)) for i in places)


def _gap(b: Beam, states: Sequence[Waves]) -> Waves:
    """Return gap + w."""
    moving = list(zip(b.shapes, states, strict=False))
    weights = [mpmath.fsum(s * f.weights[j] for s, f in moving) for j in range(len(states))]
    return Waves(b.gap.mpf() + mpmath.fsum(s * f.constant for s, f in moving), states[0].rates, tuple(weights))


@per_precision
def phases(b: Beam) -> tuple[Phase, ...]:
    """Return all phases up to T.

    Raises
    ------
    CertificationError
        If a gap merely touches zero.
    """
    found: list[Phase] = []
    speeds = [-2 * mpmath.sqrt(2) * b.v0.mpf() / (n * mpmath.pi) for n in b.numbers]
    start, closed, end = mpmath.mpf(0), False, b.T.mpf()
    state = [*[mpmath.mpf(0)] * len(speeds), *speeds]
    while True:
        states = _states(b, closed, state)
        gap = _gap(b, states)
        span = next(gap.roots(end - start, from_zero=bool(found)), None)
        found.append(Phase(start, end if span is None else start + span, closed, states, gap))
        if span is None:
            return tuple(found)
        start, state, closed = start + span, [f(span) for f in states], not closed


def contacts(b: Beam) -> list[Phase]:
    """Return the contacts that are over by T."""
    return [p for p in phases(b) if p.closed and p.end < b.T.mpf()]


@per_precision
def contact(b: Beam, number: int) -> tuple[mpf, mpf, mpf, mpf]:
    """Return touch, release (s), largest force (N) and impulse (N s) of a contact, counted from 1."""
    p, kc = contacts(b)[number - 1], b.kc.mpf()
    span = p.end - p.start
    peak = max(-kc * p.gap(t) for t in p.gap.roots(span, from_zero=False, order=1))
    return p.start, p.end, peak, -kc * p.gap.integral(span)


def _phase(b: Beam, t: mpf) -> Phase:
    return next(phase for phase in phases(b) if t <= phase.end)


def mid_span(b: Beam, t: mpf) -> mpf:
    """Return the displacement of mid-span at an instant up to T."""
    phase = _phase(b, t)
    return phase.gap(t - phase.start) - b.gap.mpf()


def energy(b: Beam) -> mpf:
    """Return the energy at T, of the beam and of the stop."""
    end, m = b.T.mpf(), len(b.omegas)
    phase = _phase(b, end)
    state = [f(end - phase.start) for f in phase.states]
    modal = mpmath.fsum((w * q) ** 2 + v**2 for w, q, v in zip(b.omegas, state[:m], state[m:], strict=True))
    return (modal + b.kc.mpf() * min(mid_span(b, end) + b.gap.mpf(), mpmath.mpf(0)) ** 2) / 2
