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
from veridyn.references.parameters import Exact
from veridyn.references.roots import sign_changes


@dataclass(frozen=True)
class Beam:
    """The parameters."""

    N: Exact
    xi: Exact
    kc: Exact
    gap: Exact
    v0: Exact
    T: Exact

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

    @property
    def start(self) -> tuple[mpf, ...]:
        """Return modal displacements and velocities at the start."""
        speeds = [-2 * mpmath.sqrt(2) * self.v0.mpf() / (n * mpmath.pi) for n in self.numbers]
        return (*[mpmath.mpf(0)] * len(speeds), *speeds)


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


def _spectrum(b: Beam, closed: bool) -> tuple[list[mpc], list[list[mpc]], list[mpf]]:
    """Return the roots, the vectors (one per root) and the equilibrium of a phase."""
    m, xi = len(b.omegas), b.xi.mpf()
    if not closed:
        roots, vectors = [], []
        for i, w in enumerate(b.omegas):
            for sign in (1, -1):
                root = w * mpmath.mpc(-xi, sign * mpmath.sqrt(1 - xi**2))
                roots.append(root)
                vectors.append([mpmath.mpc(1 if j == i else root if j == m + i else 0) for j in range(2 * m)])
        return roots, vectors, [mpmath.mpf(0)] * (2 * m)
    matrix, pushed = _closed_matrix(b), _push(b)
    roots, columns = mpmath.eig(matrix)
    vectors = [[columns[i, j] for i in range(2 * m)] for j in range(2 * m)]
    rest = mpmath.lu_solve(matrix, -pushed)
    return list(roots), vectors, list(rest)


def _closed_matrix(b: Beam) -> mpmath.matrix:
    m, shapes, kc = len(b.omegas), b.shapes, b.kc.mpf()
    matrix = mpmath.zeros(2 * m)
    for i, w in enumerate(b.omegas):
        matrix[i, m + i] = mpmath.mpf(1)
        matrix[m + i, m + i] = -2 * b.xi.mpf() * w
        for j in range(m):
            matrix[m + i, j] = -kc * shapes[i] * shapes[j] - (w**2 if i == j else 0)
    return matrix


def _push(b: Beam) -> mpmath.matrix:
    m = len(b.omegas)
    pushed = mpmath.zeros(2 * m, 1)
    for i, shape in enumerate(b.shapes):
        pushed[m + i] = -b.kc.mpf() * shape * b.gap.mpf()
    return pushed


@per_precision
def _cached_spectrum(b: Beam, closed: bool) -> tuple[list[mpc], list[list[mpc]], list[mpf], mpmath.matrix]:
    roots, vectors, rest = _spectrum(b, closed)
    n = len(roots)
    inverse = mpmath.inverse(mpmath.matrix([[vectors[j][i] for j in range(n)] for i in range(n)]))
    return roots, vectors, rest, inverse


def _states(b: Beam, closed: bool, state: Sequence[mpf]) -> tuple[Waves, ...]:
    """Return the states that follow a state."""
    roots, vectors, rest, inverse = _cached_spectrum(b, closed)
    n = len(roots)
    shares = inverse * mpmath.matrix([x - e for x, e in zip(state, rest, strict=True)])
    return tuple(
        Waves(mpmath.re(rest[i]), tuple(roots), tuple(shares[j] * vectors[j][i] for j in range(n))) for i in range(n)
    )


def _gap(b: Beam, states: Sequence[Waves]) -> Waves:
    """Return gap + w."""
    shapes = b.shapes
    moving = states[: len(shapes)]
    constant = b.gap.mpf() + mpmath.fsum(s * f.constant for s, f in zip(shapes, moving, strict=True))
    weights = tuple(
        mpmath.fsum(s * f.weights[j] for s, f in zip(shapes, moving, strict=True)) for j in range(len(moving[0].rates))
    )
    return Waves(constant, moving[0].rates, weights)


@per_precision
def phases(b: Beam) -> tuple[Phase, ...]:
    """Return all phases up to T.

    Raises
    ------
    CertificationError
        If a gap merely touches zero.
    """
    found: list[Phase] = []
    start, state, closed, end = mpmath.mpf(0), b.start, False, b.T.mpf()
    while True:
        states = _states(b, closed, state)
        gap = _gap(b, states)
        span = next(gap.roots(end - start, from_zero=bool(found)), None)
        found.append(Phase(start, end if span is None else start + span, closed, states, gap))
        if span is None:
            return tuple(found)
        start, state, closed = start + span, tuple(f(span) for f in states), not closed


def contacts(b: Beam) -> list[Phase]:
    """Return the contacts that are over by T."""
    return [p for p in phases(b) if p.closed and p.end < b.T.mpf()]


@per_precision
def contact(b: Beam, number: int) -> tuple[mpf, mpf, mpf, mpf]:
    """Return touch, release (s), largest force (N) and impulse (N s) of a contact, counted from 0."""
    p, kc = contacts(b)[number], b.kc.mpf()
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
