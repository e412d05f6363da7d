"""Sparse matrices of a structure: compressed rows (`scipy.sparse.csr_array`), so that memory grows with the entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.errors import ProblemError

Floats = NDArray[np.float64]

DENSE = 5000  # degrees of freedom whose matrices may be written out as arrays: 200 MB each


def is_sparse(matrix: Any) -> bool:
    """Tell whether a matrix is sparse, without importing scipy.sparse for those that are not."""
    return hasattr(matrix, "tocsr")


def compressed(owner: str, matrix: Any) -> Any:
    """Return a matrix by compressed rows, without zeros, entries in order; its arrays are read-only.

    Raises `ProblemError` if an entry is no finite number.
    """
    from scipy import sparse  # late: a tenth of a second, and few problems are sparse

    try:
        result = sparse.csr_array(matrix, dtype=float, copy=True)
    except (TypeError, ValueError):
        raise ProblemError(f"{owner} must be a matrix of numbers") from None
    result.sum_duplicates()
    result.eliminate_zeros()
    if not np.all(np.isfinite(result.data)):
        raise ProblemError(f"{owner} holds a value that is not finite")
    for part in (result.data, result.indices, result.indptr):
        part.flags.writeable = False
    return result


def diagonal(values: Floats) -> Any:
    """Return a sparse diagonal matrix (n, n)."""
    from scipy import sparse

    return sparse.csr_array(sparse.diags_array(values))


def row_sums(matrix: Any, masses: Floats) -> Floats:
    """Return ``Σ_j |A_ij| / sqrt(m_i m_j)`` (n,): no eigenvalue of ``M⁻¹ A`` is larger than the largest (Gershgorin).

    Coordinates may have different units, such as places and angles.
    """
    roots = np.sqrt(masses)
    return np.asarray(abs(matrix) @ (1 / roots)) / roots


def least_masses(mass: Any) -> Floats:
    """Return masses (n,) that a symmetric sparse matrix is nowhere below: ``λ M_ii``, ``xᵀ M x >= λ Σ M_ii x_i²``.

    λ is 1 less the largest sum beside the diagonal of a row of M, scaled to ones on it (Gershgorin); where that leaves
    nothing, the smallest eigenvalue then. It is not positive if the matrix is not positive definite.
    """
    own = mass.diagonal()
    if own.min() <= 0:
        return np.zeros_like(own)
    share = 1.0 - float(row_sums(mass - diagonal(own), own).max())
    if share <= 0:
        from scipy.sparse.linalg import eigsh

        unit = diagonal(1 / np.sqrt(own))
        share = float(eigsh(unit @ mass @ unit, 1, which="SA", return_eigenvectors=False)[0])
    return np.asarray(own * share)


def to_entries(matrix: Any) -> dict[str, Any]:
    """Return the JSON form of a sparse matrix: its size, and row, column (from 0) and value of each entry."""
    entries = matrix.tocoo()
    rows, columns = entries.coords
    size = matrix.shape[0]
    return {"size": size, "rows": rows.tolist(), "columns": columns.tolist(), "values": entries.data.tolist()}


def from_entries(data: Any) -> Any:
    """Read the JSON form; what is no object of entries, a list of rows say, is returned as it is.

    Raises `ProblemError` if the entries are incomplete or malformed.
    """
    if not isinstance(data, Mapping):
        return data
    from scipy import sparse

    try:
        size = int(data["size"])
        return sparse.coo_array((data["values"], (data["rows"], data["columns"])), shape=(size, size))
    except (TypeError, ValueError, KeyError) as error:
        raise ProblemError(f"a sparse matrix needs size, rows, columns and values of its entries: {error}") from None
