"""The second route of the driven chain: modal superposition with Duhamel integrals in closed form, in mpmath."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

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


class Modes(NamedTuple):
    """Circular frequencies (rad/s, ascending) and shapes, ΦᵀMΦ = 1; `shapes[r][i]`: mode r, mass i."""

    omegas: list[mpf]
    shapes: list[list[mpf]]


@per_precision
def solve_modes(c: Chain) -> Modes:
    """Eigenvalues and vectors of M^-½ K M^-½."""
    roots, stiffness = [mpmath.sqrt(m.mpf()) for m in c.masses], _stiffness(c)
    for i in range(c.n):
        for j in range(c.n):
            stiffness[i, j] /= roots[i] * roots[j]
    values, vectors = mpmath.eigsy(stiffness)
    shapes = [[vectors[i, r] / roots[i] for i in range(c.n)] for r in range(c.n)]
    return Modes([mpmath.sqrt(value) for value in values], shapes)


def _stiffness(c: Chain) -> mpmath.matrix:
    k, matrix = [spring.mpf() for spring in c.springs], mpmath.zeros(c.n)
    for i in range(c.n):
        matrix[i, i] = k[i] + k[i + 1]
        if i:
            matrix[i, i - 1] = matrix[i - 1, i] = -k[i]
    return matrix


@per_precision
def _static(c: Chain, side: int) -> list[mpf]:
    """Return the static mode of the left (0) or right (1) support at all nodes: K ψ = coupling forces."""
    force = mpmath.zeros(c.n, 1)
    force[(c.n - 1) * side] = c.springs[-side].mpf()
    return [mpmath.mpf(1 - side), *mpmath.lu_solve(_stiffness(c), force), mpmath.mpf(side)]


def displacement(c: Chain, part: str, node: int, time: Exact) -> mpf:
    """Return the displacement of a node (m): driven by the supports, relative to that, or absolute."""
    driven = mpmath.fsum(
        _static(c, side)[node - 1] * mpmath.fsum(term.displacement(time.mpf()) for term in (c.left, c.right)[side])
        for side in (0, 1)
    )
    if part == "driven" or node in (1, c.n + 2):
        return driven
    shapes = solve_modes(c).shapes
    relative = mpmath.fsum(s[node - 2] * q for s, q in zip(shapes, _coordinates(c, time), strict=True))
    return relative if part == "relative" else relative + driven


@per_precision
def _coordinates(c: Chain, time: Exact) -> list[mpf]:
    """Modal coordinates q_r at an instant: participation ΦᵀMψ times Duhamel integral."""
    t, modes = time.mpf(), solve_modes(c)

    def part(r: int, side: int) -> mpf:
        products = zip(c.masses, modes.shapes[r], _static(c, side)[1:-1], strict=True)
        share = mpmath.fsum(m.mpf() * shape * psi for m, shape, psi in products)
        return share * mpmath.fsum(term.duhamel(modes.omegas[r], t) for term in (c.left, c.right)[side])

    return [-part(r, 0) - part(r, 1) for r in range(c.n)]


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
