"""Sparse matrices and factors as arrays of the kernels, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from veridyn.solver.integrators.kernels.newmark_balance import Factors
from veridyn.solver.integrators.kernels.system import Entries, Floats, System

THRESHOLD = 0.1  # of a pivot on the diagonal, relative to the largest of its column, below which another is taken
NOTHING = Entries(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint32), np.empty(0))
DIAGONAL = Factors(NOTHING, NOTHING, np.empty(0), NOTHING.first, NOTHING.first)


def entries(matrix: Any) -> Entries:
    """Return a matrix (n, m), sparse or not, by compressed rows; its numbers may carry a derivative."""
    from scipy import sparse

    result = sparse.csr_array(matrix)
    result.eliminate_zeros()
    first, column = (part.astype(np.uint32) for part in (result.indptr, result.indices))
    return Entries(first, column, np.array(result.data, dtype=np.result_type(result.data, float)))


def matrix(given: Entries, columns: int, value: Floats | None = None) -> Any:
    """Return what `entries` was made of as a sparse matrix, with other values if there are any."""
    from scipy import sparse

    if given.first.size == 0:
        return sparse.csr_array((columns, columns))
    data = given.value if value is None else value
    first, column = (part.astype(np.int32) for part in (given.first, given.column))
    return sparse.csr_array((data, column, first), shape=(first.size - 1, columns))


def rows_of(system: System) -> tuple[Any, Any]:
    """Return the rows (p, r) of the local coordinates, and the same over the masses; sparse if the matrices are."""
    if system.along.first.size == 0:
        return system.rows.T, system.back
    r = system.masses.size
    return matrix(system.along, r), matrix(system.along, r, system.push)


def factors(matrix: Any) -> tuple[Factors, Any]:
    """Return sparse factors of a matrix (r, r), for kernels and as scipy has them.

    X. S. Li, ACM Trans. Math. Softw. 31, 2005 (SuperLU), in the mode for patterns that are nearly symmetric.
    """
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    result = splu(
        csc_array(matrix), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=THRESHOLD, options={"SymmetricMode": True}
    )
    pivot = result.U.diagonal()
    beside = result.L - diags_array(np.ones(pivot.size)), result.U - diags_array(pivot)
    lower, upper = map(entries, beside)
    return Factors(lower, upper, 1 / pivot, result.perm_r.astype(np.uint32), result.perm_c.astype(np.uint32)), result
