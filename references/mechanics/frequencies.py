"""Frequencies and damping ratios of the matrices of a problem: eigenvalues, enclosed one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from flint import acb, acb_mat, arb

from veridyn.references.engine.enclosure import Absent, Undecided, less
from veridyn.references.engine.jets import Ball, Jet, curve, differentiated, find_order, slope, value

Matrix = Sequence[Sequence[Ball]]  # (n, n)


class Root(NamedTuple):
    """Real and imaginary part (1/s) of an eigenvalue above the real axis."""

    real: Ball
    imaginary: Ball


def find_roots(stiffness: Matrix, damping: Matrix) -> list[Root]:
    """Return the eigenvalues with which a motion oscillates, by ascending frequency; both matrices (n, n) over mass.

    Raises
    ------
    Absent
        If fewer than n modes oscillate.
    Undecided
        If eigenvalues cannot be told apart, or from real ones.
    """
    unit = _find_unit(stiffness)
    if all(c == 0 and slope(c) == 0 for row in damping for c in row):
        squares = _eigenvalues([[k / (unit * unit) for k in row] for row in stiffness])
        roots = [Root(arb(0), _real_part(square).sqrt()) for square in squares if value(square).real > 0]
    else:
        above = _eigenvalues(_write_states(stiffness, damping, unit))
        roots = [_split(z) for z in above if value(z).imag > 0]
    if len(roots) < len(stiffness):
        raise Absent(f"fewer than {len(stiffness)} modes oscillate: the damping is strong, or no spring holds a mode")
    ordered = sorted(roots, key=lambda root: float(value(root.imaginary).mid()))
    if not all(less(a.imaginary, b.imaginary, "two frequencies agree") for a, b in pairwise(ordered)):
        raise Undecided("two frequencies agree, or nearly")
    return [Root(real * unit, imaginary * unit) for real, imaginary in ordered]


def _find_unit(stiffness: Matrix) -> arb:
    """Return a power of two (rad/s) near the fastest frequency: with it as unit the entries are of one size."""
    sizes = [value(k).abs_upper() for row in stiffness for k in row if value(k).abs_upper() > 0]
    return arb(2) ** round(float(max(sizes).log()) / (2 * math.log(2))) if sizes else arb(1)


def _write_states(stiffness: Matrix, damping: Matrix, unit: arb) -> list[list[Ball]]:
    """Return the matrix (2n, 2n) of displacements, and velocities over the unit."""
    n = len(stiffness)
    rows: list[list[Ball]] = [[arb(int(j == n + i)) for j in range(2 * n)] for i in range(n)]
    for k_row, c_row in zip(stiffness, damping, strict=True):
        rows.append([*(-k / (unit * unit) for k in k_row), *(-c / unit for c in c_row)])
    return rows


def _eigenvalues(matrix: Matrix) -> list[Ball]:
    """Return all eigenvalues, apart from each other, with their derivatives where entries have some."""
    plain = acb_mat([[acb(value(a)) for a in row] for row in matrix])
    try:
        if not any(differentiated(*row) for row in matrix):
            result = plain.eig()
            _refuse_nearly_real(result)
            return list(result)
        roots, left, right = plain.eig(left=True, right=True)
    except ValueError as error:
        raise Undecided("two modes coincide, or nearly") from error
    _refuse_nearly_real(roots)
    return _move(matrix, roots, left, right)


def _move(matrix: Matrix, roots: Sequence[acb], left: acb_mat, right: acb_mat) -> list[Ball]:
    """Return simple eigenvalues with their derivatives, from rows l with l A = z l and columns r with A r = z r."""
    # With l r = 1 in a base of these vectors: z_i' = l_i A' r_i, and the second derivative is
    # l_i A'' r_i + 2 Σ_(j≠i) (l_i A' r_j)(l_j A' r_i)/(z_i - z_j).
    places = range(len(roots))
    norms = [(left * right)[i, i] for i in places]
    slopes = left * acb_mat([[acb(slope(a)) for a in row] for row in matrix]) * right
    if find_order(*(a for row in matrix for a in row)) < 2:
        return [Jet(roots[i], slopes[i, i] / norms[i]) for i in places]
    bends = left * acb_mat([[acb(curve(a)) for a in row] for row in matrix]) * right
    others = [
        sum((slopes[i, j] * slopes[j, i] / (norms[j] * (roots[i] - roots[j])) for j in places if j != i), acb(0))
        for i in places
    ]
    return [Jet(roots[i], slopes[i, i] / norms[i], None, (bends[i, i] + 2 * others[i]) / norms[i]) for i in places]


def _refuse_nearly_real(roots: Sequence[acb]) -> None:
    """Raise `Undecided` for an eigenvalue that may be real or not.

    Those of a real matrix come in pairs: one that is no real number has its mirror image among the others.
    """
    for root in roots:
        if root.imag.contains(0) and sum(root.conjugate().overlaps(other) for other in roots) > 1:
            raise Undecided("a mode oscillates slowly or not at all")


def _split(z: Ball) -> Root:
    return Root(_real_part(z), _apply(z, lambda part: part.imag))


def _real_part(z: Ball) -> Ball:
    return _apply(z, lambda part: part.real)


def _apply(z: Ball, read: Callable[[acb], arb]) -> Ball:
    if not isinstance(z, Jet):
        return read(z)
    return Jet(read(z.value), read(z.slope), None, None if z.curve is None else read(z.curve))
