"""Sparse matrices of a structure: compressed rows (`scipy.sparse.csr_array`), so that memory grows with the entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import ProblemError

Floats = NDArray[np.float64]

DENSE = 5000  # degrees of freedom whose matrices may be written out as arrays: 200 MB each


def is_sparse(matrix: Any) -> bool:
    """Tell whether a matrix is sparse, without importing scipy.sparse for those that are not."""
    return hasattr(matrix, "tocsr")


def compressed(owner: str, matrix: Any) -> Any:
    """Return a matrix by compressed rows, without zeros, entries in order; its arrays are read-only.

    Raises
    ------
    ProblemError
        If an entry is no finite number.
    """
    from scipy import sparse  # late: a tenth of a second, and few problems are sparse

    try:
        found = sparse.csr_array(matrix, dtype=float, copy=True)
    except (TypeError, ValueError):
        raise ProblemError(f"{owner} must be a matrix of numbers") from None
    found.sum_duplicates()
    found.eliminate_zeros()
    if not np.all(np.isfinite(found.data)):
        raise ProblemError(f"{owner} holds a value that is not finite")
    for part in (found.data, found.indices, found.indptr):
        part.flags.writeable = False
    return found


def diagonal(values: Floats) -> Any:
    """Return a sparse diagonal matrix (n, n)."""
    from scipy import sparse

    return sparse.csr_array(sparse.diags_array(values))


def row_sums(matrix: Any, masses: Floats) -> Floats:
    """Return ``Σ_j |A_ij| / m_i`` (n,): no eigenvalue of ``M⁻¹ A`` is larger than the largest (Gershgorin)."""
    return np.asarray(abs(matrix).sum(axis=1)) / masses


def to_entries(matrix: Any) -> dict[str, Any]:
    """Return the JSON form of a sparse matrix: its size, and row, column (from 0) and value of each entry."""
    entries = matrix.tocoo()
    rows, columns = entries.coords
    size = matrix.shape[0]
    return {"size": size, "rows": rows.tolist(), "columns": columns.tolist(), "values": entries.data.tolist()}


def from_entries(data: Any) -> Any:
    """Read the JSON form; what is no object of entries, a list of rows say, is returned as it is.

    Raises
    ------
    ProblemError
        If the entries are incomplete or malformed.
    """
    if not isinstance(data, Mapping):
        return data
    from scipy import sparse

    try:
        size = int(data["size"])
        return sparse.coo_array((data["values"], (data["rows"], data["columns"])), shape=(size, size))
    except (TypeError, ValueError, KeyError) as error:
        raise ProblemError(f"a sparse matrix needs size, rows, columns and values of its entries: {error}") from None
