"""The second route of the driven chain: modal superposition with Duhamel integrals in closed form, in mpmath."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, agreeing_digits, per_precision
from veridyn.references.parameters import Exact
from veridyn.references.support_motion import Acceleration

MOST_GUARD = 8000  # digits that cancellation may cost


@dataclass(frozen=True)
class Chain:
    """Masses (kg) and springs (N/m) from left to right, accelerations of the two supports."""

    masses: tuple[Exact, ...]
    springs: tuple[Exact, ...]
    left: Acceleration = ()
    right: Acceleration = ()

    @property
    def n(self) -> int:
        """Number of masses."""
        return len(self.masses)


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
    shapes = [_oriented([vectors[i, r] / roots[i] for i in range(c.n)]) for r in range(c.n)]
    return Modes(tuple(mpmath.sqrt(value) for value in values), tuple(shapes))


def _oriented(shape: Sequence[mpf]) -> tuple[mpf, ...]:
    """Make the first component positive, and components that vanish at this precision zero."""
    sign, floor = mpmath.sign(shape[0]), max(map(abs, shape)) * mpmath.eps * 2**20
    return tuple(sign * x if abs(x) > floor else mpmath.mpf(0) for x in shape)


@per_precision
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


def _static(c: Chain, side: int) -> list[mpf]:
    """Return the static mode of a support at all nodes."""
    return [mpmath.mpf(1 - side), *solved_static(c, side), mpmath.mpf(side)]


def duhamel(acceleration: Acceleration, omega: mpf, t: mpf, rate: bool = False) -> mpf:
    """Return 1/ω ∫ sin ω(t-s) a(s) ds, or its derivative."""
    return mpmath.fsum(x.duhamel_velocity(omega, t) if rate else x.duhamel(omega, t) for x in acceleration)


def driven(c: Chain, node: int, t: mpf, rate: bool) -> mpf:
    """Return the sum of static modes × support displacements (or velocities) at a node."""
    moved = [
        mpmath.fsum(x.velocity(t) if rate else x.displacement(t) for x in acceleration)
        for acceleration in (c.left, c.right)
    ]
    return mpmath.fsum(_static(c, side)[node - 1] * moved[side] for side in (0, 1))


@per_precision
def _coordinates(c: Chain, time: Exact, rate: bool) -> tuple[mpf, ...]:
    """Modal coordinates q_r at an instant, or their rates: participation ΦᵀMψ times Duhamel integral."""
    t, modes = time.mpf(), solve_modes(c)

    def part(r: int, side: int) -> mpf:
        products = zip(c.masses, modes.shapes[r], solved_static(c, side), strict=True)
        share = mpmath.fsum(m.mpf() * shape * psi for m, shape, psi in products)
        return share * duhamel((c.left, c.right)[side], modes.omegas[r], t, rate)

    return tuple(-part(r, 0) - part(r, 1) for r in range(c.n))


def relative(c: Chain, node: int, time: Exact, rate: bool) -> mpf:
    """Return Σ φ_r q_r, or its rate, of a mass."""
    shapes = solve_modes(c).shapes
    return mpmath.fsum(s[node - 2] * q for s, q in zip(shapes, _coordinates(c, time, rate), strict=True))


def settled(compute: Callable[[], mpf]) -> mpf:
    """Compute with more and more guard digits until the present precision is there; what cancels costs digits.

    Raises
    ------
    CertificationError
        If it is not there with thousands of them.
    """
    wanted, guard = mpmath.mp.dps, 5
    last = None
    while guard < MOST_GUARD:
        with mpmath.workdps(wanted + guard):
            value = compute()
        if last is not None and agreeing_digits(value, last) >= wanted:
            return value
        last, guard = value, 2 * guard
    raise CertificationError(f"modal superposition: lost in rounding noise with {guard} guard digits")
