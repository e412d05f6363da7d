"""Modes and static shapes of a chain, each by two routes that share nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.chain_series import Chain, stiffest
from veridyn.references.parameters import Exact


@dataclass(frozen=True)
class Modes:
    """Circular frequencies (rad/s, ascending) and shapes, ΦᵀMΦ = 1; `shapes[r][i]`: mode r, mass i."""

    omegas: tuple[mpf, ...]
    shapes: tuple[tuple[mpf, ...], ...]


@per_precision
def solve_modes(c: Chain) -> Modes:
    """Eigenvalues and vectors of M^-½ K M^-½; the first component of a shape is positive."""
    roots = [mpmath.sqrt(m.mpf()) for m in c.masses]
    k = [spring.mpf() for spring in c.springs]
    matrix = mpmath.zeros(c.n)
    for i in range(c.n):
        matrix[i, i] = (k[i] + k[i + 1]) / roots[i] ** 2
        if i:
            matrix[i, i - 1] = matrix[i - 1, i] = -k[i] / (roots[i - 1] * roots[i])
    values, vectors = mpmath.eigsy(matrix)
    shapes = [[vectors[i, r] / roots[i] for i in range(c.n)] for r in range(c.n)]
    return Modes(tuple(mpmath.sqrt(value) for value in values), tuple(map(_oriented, shapes)))


def _oriented(shape: Sequence[mpf]) -> tuple[mpf, ...]:
    """Make the first component positive, and components that vanish at this precision zero."""
    sign, floor = mpmath.sign(shape[0]), max(map(abs, shape)) * mpmath.eps * 2**20
    return tuple(sign * x if abs(x) > floor else mpmath.mpf(0) for x in shape)


def _below(k: Sequence[mpf], m: Sequence[mpf], square: mpf) -> int:
    """Count the squared circular frequencies below `square`: negative pivots of K - ω² M (Sturm)."""
    pivot, count = mpmath.inf, 0
    for i, mass in enumerate(m):
        pivot = k[i] + k[i + 1] - square * mass - k[i] ** 2 / pivot
        pivot = pivot or mpmath.eps * k[i]
        count += bool(pivot < 0)
    return count


@per_precision
def sturm_omega(c: Chain, r: int) -> mpf:
    """Circular frequency r (from 0) by bisection between Sturm counts, which isolate it."""
    k, m = [spring.mpf() for spring in c.springs], [mass.mpf() for mass in c.masses]
    low, high = mpmath.mpf(0), stiffest(c)
    while high - low > 4 * mpmath.eps * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _below(k, m, middle) > r else (middle, high)
    return mpmath.sqrt((low + high) / 2)


def recurred_shape(c: Chain, r: int) -> tuple[mpf, ...]:
    """Shape r from equilibrium of one mass after the other."""
    square = sturm_omega(c, r) ** 2
    k, m = [spring.mpf() for spring in c.springs], [mass.mpf() for mass in c.masses]
    shape = [mpmath.mpf(0), mpmath.mpf(1)]
    for i in range(c.n - 1):
        shape.append(((k[i] + k[i + 1] - square * m[i]) * shape[-1] - k[i] * shape[-2]) / k[i + 1])
    norm = mpmath.sqrt(mpmath.fsum(mass * x**2 for mass, x in zip(m, shape[1:], strict=True)))
    return _oriented([x / norm for x in shape[1:]])


def static_shape(c: Chain) -> list[mpf]:
    """Give the static mode of the left support at all nodes: compliance still to go over the whole."""
    one = Exact(Fraction(1))
    compliances = [(one / spring).mpf() for spring in c.springs]
    whole = mpmath.fsum(compliances)
    return [mpmath.fsum(compliances[i:]) / whole for i in range(c.n + 2)]


def solved_static(c: Chain, side: int) -> list[mpf]:
    """Solve K ψ = coupling forces of the left (0) or right (1) support."""
    k = [spring.mpf() for spring in c.springs]
    matrix, force = mpmath.zeros(c.n), mpmath.zeros(c.n, 1)
    for i in range(c.n):
        matrix[i, i] = k[i] + k[i + 1]
        if i:
            matrix[i, i - 1] = matrix[i - 1, i] = -k[i]
    force[(c.n - 1) * side] = k[-1] if side else k[0]
    return list(mpmath.lu_solve(matrix, force))


@per_precision
def participations(c: Chain) -> tuple[tuple[mpf, mpf], ...]:
    """ΦᵀMψ of each mode, for the left and the right support."""
    psi = static_shape(c)[1:-1]
    weighted = [[m.mpf() * x for m, x in zip(c.masses, s, strict=True)] for s in solve_modes(c).shapes]
    return tuple((_dot(row, psi), _dot(row, [1 - p for p in psi])) for row in weighted)


def _dot(left: Sequence[mpf], right: Sequence[mpf]) -> mpf:
    return add_up([a * b for a, b in zip(left, right, strict=True)])


def add_up(terms: Sequence[mpf]) -> mpf:
    """Add up; what cancels to the working precision is zero."""
    total = mpmath.fsum(terms)
    floor = max(map(abs, terms), default=0) * mpmath.eps * 2**20
    return total if abs(total) > floor else mpmath.mpf(0)
