"""Matrices of a structure: how they are read, their symmetric and skew parts, whether damping couples modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from veridyn.problem.errors import ProblemError
from veridyn.problem.naming import Floats
from veridyn.problem.sparse import diagonal, is_sparse

Matrix = Any  # Floats, or scipy.sparse of that shape
SYMMETRY = 1e-12  # relative; what assembly in floating point leaves of a skew part is less
COUPLING = 1e-9  # relative; coupling of modes by damping below this is rounding


def symmetric_part(matrix: Matrix) -> Matrix:
    """Return the symmetric part of a matrix (n, n): dampers and springs."""
    return 0.5 * (matrix + matrix.T)


def skew_part(matrix: Matrix) -> Matrix:
    """Return the skew part of a matrix (n, n): gyroscopic of a damping, circulatory of a stiffness matrix."""
    return 0.5 * (matrix - matrix.T)


def is_skewed(matrix: Matrix) -> bool:
    """Tell whether a matrix (n, n) has a skew part that is more than rounding."""
    return bool(abs(matrix - matrix.T).max() > SYMMETRY * abs(matrix).max())


def is_coupled(modal_damping: Floats) -> bool:
    """Tell whether a modal damping matrix (r, r) has, beside its diagonal, a symmetric part that is not rounding."""
    others = symmetric_part(modal_damping - np.diag(np.diag(modal_damping)))
    return bool(np.abs(others).max() > COUPLING * np.abs(modal_damping).max())


def couples_modes(mass: Matrix, damping: Matrix, stiffness: Matrix) -> bool:
    """Tell whether damping couples the modes: C M⁻¹ K is not symmetric (Caughey and O'Kelly, 1965).

    C and K are the symmetric parts; what is left of them beside skew ones may be rounding. Matrices are arrays.
    """
    product = symmetric_part(damping) @ divide_by_mass(mass, symmetric_part(stiffness))
    size = np.abs(damping @ divide_by_mass(mass, stiffness)).max()
    return bool(np.abs(product - product.T).max() > COUPLING * size)


def divide_by_mass(mass: Matrix, matrix: Matrix) -> Matrix:
    """Return ``M⁻¹ A`` for a mass matrix (n, n) and a matrix (n, k), sparse if they are."""
    if not is_sparse(mass):
        return np.linalg.solve(mass, matrix)
    if mass.nnz <= mass.shape[0]:  # nothing beside the diagonal
        return diagonal(1 / mass.diagonal()) @ matrix
    from scipy.sparse.linalg import spsolve

    return spsolve(mass.tocsc(), matrix).reshape(matrix.shape)


def read_square(owner: str, value: Any, n: int) -> Matrix:
    """Return a matrix (n, n) of finite numbers; raises `ProblemError` if it is none."""
    matrix = read_matrix(owner, value)
    if matrix.shape != (n, n):
        raise ProblemError(f"{owner} has shape {matrix.shape}, the problem needs ({n}, {n})")
    return matrix


def read_matrix(owner: str, value: Any) -> Matrix:
    """Return a matrix of finite numbers that nobody can write to; raises `ProblemError` if it is none."""
    if is_sparse(value):
        return value
    try:
        matrix = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"{owner} must be a matrix of numbers") from None
    if not np.all(np.isfinite(matrix)):
        raise ProblemError(f"{owner} holds a value that is not finite")
    matrix.flags.writeable = False
    return matrix
