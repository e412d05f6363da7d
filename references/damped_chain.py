"""Chain of eight masses with springs and dashpots between two walls, a rectangular force on one mass.

The dashpots at the two ends have constants of their own: unless all are equal the damping is not proportional, and the
modes are complex. With the leading and trailing minors L, T of the tridiagonal Z(s) = s² M + s C + K as polynomials
the receptance of mass 4 is H(s) = L(s) T(s)/det Z(s), and the response to a unit step from rest

    u(t) = H(0) + Σ_λ L(λ) T(λ)/(λ D'(λ)) e^{λt},    D = det Z, D(λ) = 0.

The force ends after a while: the response is u(t) - u(t - duration).

Source: EDF validation manuals V2.01.022 and V2.01.029 (SDLD22, SDLD29); K. A. Foss, Journal of Applied Mechanics 25,
1958 (complex modes).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpc, mpf

from veridyn.references import taylor
from veridyn.references.certified import (
    CertificationError,
    Certified,
    Route,
    certify,
    certify_all,
    exact_zero,
    per_precision,
    undefined,
)
from veridyn.references.parameters import Exact, Number, Parameter, checked, resolve

MASSES, LOADED = 8, 4  # the force acts on mass 4, counted from the left, whose displacement is observed

PARAMETERS = (
    Parameter("m", "kg", "each of the eight masses", "10"),
    Parameter("k", "N/m", "each of the nine springs", "1e5"),
    Parameter("c", "N s/m", "each of the seven inner dashpots", "50", "non-negative"),
    Parameter("c_left", "N s/m", "dashpot at the left wall", "250", "non-negative"),
    Parameter("c_right", "N s/m", "dashpot at the right wall", "25", "non-negative"),
    Parameter("F", "N", "force on mass 4", "1"),
    Parameter("duration", "s", "how long the force acts", "1"),
)

_TIME = Parameter("time", "s", "instant", "0", "non-negative")
MOST_ITERATIONS = 200  # of the search for all roots
RADIANS_PER_STEP = 16  # of the fastest oscillation, in the Taylor series

Polynomial = list[mpf]  # coefficients, lowest power first


@dataclass(frozen=True)
class Chain:
    """The parameters."""

    m: Exact
    k: Exact
    c: Exact
    c_left: Exact
    c_right: Exact
    F: Exact
    duration: Exact

    @property
    def dashpots(self) -> list[mpf]:
        """Return the nine dashpots (N s/m) from left to right."""
        return [self.c_left.mpf(), *[self.c.mpf()] * (MASSES - 1), self.c_right.mpf()]

    @property
    def damped(self) -> bool:
        """Whether any dashpot acts."""
        return any(self.dashpots)

    @property
    def unit(self) -> mpf:
        """Return sqrt(k/m) (rad/s), the unit of the roots."""
        return mpmath.sqrt((self.k / self.m).mpf())


def _chain(**given: Number) -> Chain:
    return Chain(**resolve(PARAMETERS, {"F": 1, "duration": 1, **given}))


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    product = [mpmath.mpf(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product


def _minor(pivots: Sequence[Polynomial], links: Sequence[Polynomial]) -> Polynomial:
    """Return the determinant of a tridiagonal matrix of polynomials, by its three-term recurrence."""
    before, now = [mpmath.mpf(0)], [mpmath.mpf(1)]
    for i, pivot in enumerate(pivots):
        grown = _times(pivot, now)
        lost = _times(_times(links[i - 1], links[i - 1]), before) if i else [mpmath.mpf(0)]
        before, now = now, [x - (lost[p] if p < len(lost) else 0) for p, x in enumerate(grown)]
    return now


@dataclass(frozen=True)
class Poles:
    """Roots λ of det Z and the coefficients L T/(λ D'), both in units of w = sqrt(k/m) and 1/k."""

    roots: tuple[mpc, ...]
    weights: tuple[mpc, ...]
    static: mpf


@per_precision
def _poles(o: Chain) -> Poles:
    w = o.unit
    scale = [d * w / o.k.mpf() for d in o.dashpots]  # s = w σ: Z/k has pivots σ² + (c c')σ + 2
    pivots = [[mpmath.mpf(2), scale[i] + scale[i + 1], mpmath.mpf(1)] for i in range(MASSES)]
    links = [[mpmath.mpf(1), scale[i + 1]] for i in range(MASSES - 1)]
    whole, left = _minor(pivots, links), _minor(pivots[: LOADED - 1], links[: LOADED - 2])
    right = _minor(pivots[LOADED:], links[LOADED:])
    across = _times(left, right)
    roots = _roots(whole)
    weights = [_horner(across, z)[0] / (z * _horner(whole, z)[1]) for z in roots]
    return Poles(tuple(roots), tuple(weights), across[0] / whole[0])


def _horner(a: Polynomial, z: mpc) -> tuple[mpc, mpc]:
    """Return a polynomial and its derivative."""
    value, slope = mpmath.mpc(a[-1]), mpmath.mpc(0)
    for coefficient in reversed(a[:-1]):
        slope = slope * z + value
        value = value * z + coefficient
    return value, slope


def _roots(a: Polynomial) -> list[mpc]:
    """Return all roots by the iteration of Ehrlich and Aberth, at twice the precision.

    Raises
    ------
    CertificationError
        If it does not converge: roots coincide.
    """
    wanted = mpmath.mpf(mpmath.eps)  # a number: the constant would follow the precision
    with mpmath.workdps(2 * mpmath.mp.dps):
        radius = 1 + max(map(abs, a[:-1]), default=0) ** (mpmath.mpf(1) / (len(a) - 1))
        count = len(a) - 1
        z = [radius * mpmath.expjpi(mpmath.mpf(2 * k) / count + mpmath.mpf("0.1")) for k in range(count)]
        for _ in range(MOST_ITERATIONS):
            largest = max(_improve(a, z, k) for k in range(count))
            if largest < wanted:  # the order is three: the error is far below
                return z
    raise CertificationError("complex modes: damping makes roots coincide")


def _improve(a: Polynomial, z: list[mpc], k: int) -> mpf:
    """Move one root; returns how far, over its size."""
    value, slope = _horner(a, z[k])
    if value == 0:
        return mpmath.mpf(0)
    newton = value / slope
    step = newton / (1 - newton * mpmath.fsum(1 / (z[k] - other) for i, other in enumerate(z) if i != k))
    z[k] -= step
    return abs(step) / abs(z[k])


def _step_response(o: Chain, t: mpf) -> mpf:
    """Displacement of mass 4 (m) under a step of 1 N that began t ago."""
    if t <= 0:
        return mpmath.mpf(0)
    poles, w = _poles(o), o.unit
    pairs = zip(poles.roots, poles.weights, strict=True)
    free = mpmath.re(mpmath.fsum(b * mpmath.exp(z * w * t) for z, b in pairs))
    return (free + poles.static) / o.k.mpf()


def _response(o: Chain, t: mpf) -> mpf:
    return o.F.mpf() * (_step_response(o, t) - _step_response(o, t - o.duration.mpf()))


def _rows(o: Chain) -> list[list[tuple[int, mpf]]]:
    """Rows of y' = A y for y = (x, v, force on mass 4)."""
    n, m, k, c = MASSES, o.m.mpf(), o.k.mpf(), o.dashpots
    rows = [[(n + i, mpmath.mpf(1))] for i in range(n)]
    for i in range(n):
        row = [(i, -2 * k / m), (n + i, -(c[i] + c[i + 1]) / m)]
        for j, dashpot in ((i - 1, c[i]), (i + 1, c[i + 1])):
            if 0 <= j < n:
                row += [(j, k / m), (n + j, dashpot / m)]
        rows.append([*row, (2 * n, 1 / m)] if i == LOADED - 1 else row)
    return [*rows, []]


@per_precision
def _state_after(o: Chain, steps: int) -> taylor.State:
    """State under a standing force after so many steps, from that with the last set bit of their number less."""
    if steps == 0:
        return (mpmath.mpf(0),) * (2 * MASSES) + (o.F.mpf(),)
    last, step = steps & -steps, _longest_step(o)
    return taylor.advance(_rows(o), _state_after(o, steps - last), last * step, step)


def _longest_step(o: Chain) -> mpf:
    ratio = max(d / mpmath.sqrt(o.k.mpf() * o.m.mpf()) for d in o.dashpots)
    return RADIANS_PER_STEP / (2 * o.unit * max(1, ratio))


def _stepped(o: Chain, t: mpf) -> mpf:
    """Displacement of mass 4 under a force that began t ago."""
    if t <= 0:
        return mpmath.mpf(0)
    step = _longest_step(o)
    whole = int(mpmath.floor(t / step))
    return taylor.series(_rows(o), _state_after(o, whole), t - whole * step).end()[LOADED - 1]


def _followed(o: Chain, t: mpf) -> mpf:
    return _stepped(o, t) - _stepped(o, t - o.duration.mpf())


def displacement(
    *,
    time: Number,
    m: Number,
    k: Number,
    c: Number,
    c_left: Number,
    c_right: Number,
    F: Number,
    duration: Number,
    digits: int = 30,
) -> Certified:
    """Displacement of mass 4 at an instant, in m.

    Parameters
    ----------
    time
        Instant, in s.
    m, k, c, c_left, c_right
        Masses (kg), springs (N/m), inner dashpots, dashpots at the walls (N s/m).
    F, duration
        Force on mass 4 (N), how long it acts (s).
    digits
        Digits wanted.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    CertificationError
        If damping makes roots coincide.
    """
    o = _chain(m=m, k=k, c=c, c_left=c_left, c_right=c_right, F=F, duration=duration)
    instant = checked(_TIME, time)
    return certify(
        Route("complex modes: poles and residues of the receptance", lambda: _response(o, instant.mpf())),
        Route("Taylor series of the coupled equations", lambda: _followed(o, instant.mpf())),
        digits=digits,
        kind="quasi-analytical",
        name=f"displacement@{time}",
    )


def complex_modes(
    *, m: Number, k: Number, c: Number, c_left: Number, c_right: Number, digits: int = 30
) -> tuple[tuple[Certified, ...], tuple[Certified, ...]]:
    """Damped frequencies Im λ/2π (Hz, ascending) and damping ratios -Re λ/|λ| of the eight complex modes.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    """
    o = _chain(m=m, k=k, c=c, c_left=c_left, c_right=c_right)
    with mpmath.workdps(30):
        if len(_upper(_poles(o).roots, o.unit)) < MASSES:
            none = (undefined("strong damping leaves fewer than eight modes that oscillate"),) * MASSES
            return none, none
    found = certify_all(
        Route("roots of det(s² M + s C + K)", lambda: _pairs(_upper(_poles(o).roots, o.unit), o.damped)),
        Route("eigenvalues of the state matrix (QR)", lambda: _pairs(_upper(_eigenvalues(o), mpmath.mpf(1)), o.damped)),
        digits=digits,
        kind="quasi-analytical",
        name="complex modes",
    )
    return found[:MASSES], found[MASSES:] or (exact_zero("no dashpot acts", digits),) * MASSES


def _upper(roots: Sequence[mpc], unit: mpf) -> list[mpc]:
    """Return the roots above the real axis, ascending."""
    floor = mpmath.sqrt(mpmath.eps)
    return sorted((unit * z for z in roots if mpmath.im(z) > floor * abs(z)), key=mpmath.im)


def _pairs(upper: Sequence[mpc], damped: bool) -> Iterator[mpf]:
    """Yield the frequencies, then the damping ratios, which without dashpots would be rounding noise."""
    yield from (mpmath.im(z) / (2 * mpmath.pi) for z in upper)
    if damped:
        yield from (-mpmath.re(z) / abs(z) for z in upper)


@per_precision
def _eigenvalues(o: Chain) -> tuple[mpc, ...]:
    matrix = mpmath.zeros(2 * MASSES)
    for i, row in enumerate(_rows(o)[:-1]):
        for j, a in row:
            if j < 2 * MASSES:
                matrix[i, j] = a
    return tuple(mpmath.eig(matrix, left=False, right=False))


@dataclass(frozen=True)
class Motion:
    """Histories for figures, to about `digits` digits."""

    chain: Chain
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement of mass 4 in m."""
        with mpmath.workdps(self.digits + 15):
            return _response(self.chain, checked(_TIME, t).mpf())


def motion(*, digits: int = 20, **given: Number) -> Motion:
    """Motion for figures; parameters and errors as `displacement`."""
    return Motion(_chain(**given), digits)
