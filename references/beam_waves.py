"""The beam on a stop in sums of exponentials: modal roots in flight, eigenvalues of the closed system in contact.

Roots of the gap and of its rate are proved: an interval is left behind only if a bound of the second derivative
excludes a root in it, and taken only if the slope cannot vanish in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Exact, Number, Parameter, ParameterError, resolve

PARAMETERS = (
    Parameter("N", "1", "number of modes kept", "5"),
    Parameter("xi", "1", "damping ratio of every mode, below 1", "0.02"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e4"),
    Parameter("gap", "m", "gap under mid-span", "0.02"),
    Parameter("v0", "m/s", "initial velocity, downwards", "1"),
    Parameter("T", "s", "time span", "0.5"),
)

MOST_MODES = 41
ROUNDINGS = 1000  # of the terms of a sum, whose sign counts
NARROW = 0.25  # radians of the fastest root: longest interval of a search


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


def beam(*, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number) -> Beam:
    """Make a beam.

    Raises
    ------
    ParameterError
        If a parameter is not positive, N is no whole number or too large, or xi is not below 1.
    """
    b = Beam(**resolve(PARAMETERS, {"N": N, "xi": xi, "kc": kc, "gap": gap, "v0": v0, "T": T}))
    if b.N.pi or b.N.rational.denominator != 1 or b.N.rational > MOST_MODES:
        raise ParameterError(f"N must be a whole number from 1 to {MOST_MODES}, got {N}")
    if float(b.xi) >= 1:
        raise ParameterError(f"xi must be below 1, got {xi}")
    return b


@dataclass(frozen=True)
class Jet:
    """A function at an instant: value, slope, bound of the second derivative from there on, rounding of the value."""

    value: mpf
    slope: mpf
    curvature: mpf
    noise: mpf


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

    def jet(self, t: mpf) -> Jet:
        """Return value, slope, and a bound of the second derivative from t on: all terms decay."""
        terms = [(r, w * mpmath.exp(r * t)) for r, w in zip(self.rates, self.weights, strict=True)]
        return Jet(
            mpmath.re(mpmath.fsum(x for _, x in terms)) + self.constant,
            mpmath.re(mpmath.fsum(r * x for r, x in terms)),
            mpmath.fsum(abs(r) ** 2 * abs(x) for r, x in terms),
            ROUNDINGS * mpmath.eps * (abs(self.constant) + mpmath.fsum(abs(x) for _, x in terms)),
        )

    def integral(self, t: mpf) -> mpf:
        """Return the integral from 0 to t."""
        terms = (w * (mpmath.exp(r * t) - 1) / r for r, w in zip(self.rates, self.weights, strict=True))
        return mpmath.re(mpmath.fsum(terms)) + self.constant * t

    def rate(self) -> Waves:
        """Return the derivative."""
        weights = tuple(w * r for r, w in zip(self.rates, self.weights, strict=True))
        return Waves(mpmath.mpf(0), self.rates, weights)


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


def roots(f: Waves, end: mpf, *, from_zero: bool) -> Iterator[mpf]:
    """Yield all roots of a function in (0, end], proved one by one.

    ``from_zero``: whether it begins at a root, which is not counted.

    Raises
    ------
    CertificationError
        If neither a root nor its absence can be proved in an interval: a touch.
    """
    widest = NARROW / max(abs(r) for r in f.rates)
    t, here = mpmath.mpf(0), f.jet(mpmath.mpf(0))
    if from_zero:
        t = widest
        while abs(here.slope) <= here.curvature * t:  # the slope keeps its sign until t
            t /= 2
        here = f.jet(t)
    while t < end:
        length, there, found = _decided(f, t, here, min(widest, end - t))
        if found:
            yield _newton(f, t, t + length)
        t, here = t + length, there


def _decided(f: Waves, t: mpf, here: Jet, length: mpf) -> tuple[mpf, Jet, bool]:
    """Return an interval from t that holds one root or none, the jet at its end, and which of both."""
    shortest = mpmath.sqrt(mpmath.eps) * length  # beyond it the value is rounding
    while length > shortest:
        there = f.jet(t + length)
        both, least = here.value * there.value, min(abs(here.value), abs(there.value)) - here.noise
        if both > 0 and least > here.curvature * length**2 / 8:
            return length, there, False
        same = here.slope * there.slope > 0
        if both < 0 < least and same and min(abs(here.slope), abs(there.slope)) > here.curvature * length / 2:
            return length, there, True
        length /= 2
    raise CertificationError("gap: a touch can be told neither from a root nor from none")


def _newton(f: Waves, low: mpf, high: mpf) -> mpf:
    """Refine the only root of an interval: bisection first, then Newton's iteration."""
    rising = f(high) > 0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if (f(middle) > 0) == rising else (middle, high)
    t = (low + high) / 2
    for _ in range(mpmath.mp.prec.bit_length() + 2):
        t -= f(t) / f(t, 1)
    return t


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
        span = next(roots(gap, end - start, from_zero=bool(found)), None)
        found.append(Phase(start, end if span is None else start + span, closed, states, gap))
        if span is None:
            return tuple(found)
        start, state, closed = start + span, tuple(f(span) for f in states), not closed


def _turning_points(phase: Phase) -> Iterator[mpf]:
    """Yield the instants (since the phase began) at which the gap is stationary."""
    yield from roots(phase.gap.rate(), phase.end - phase.start, from_zero=False)


def _contacts(b: Beam) -> list[Phase]:
    """Return the contacts that are over by T."""
    return [p for p in phases(b) if p.closed and p.end < b.T.mpf()]


@per_precision
def summary(b: Beam) -> list[mpf]:
    """Return touch, release (s), largest force (N) and impulse (N s) of all contacts that are over by T."""
    numbers: list[mpf] = []
    for p in _contacts(b):
        peak = max(-b.kc.mpf() * p.gap(t) for t in _turning_points(p))
        numbers += [p.start, p.end, peak, -b.kc.mpf() * p.gap.integral(p.end - p.start)]
    return numbers
