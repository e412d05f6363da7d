"""A modal basis: frequencies, damping, generalised masses and shapes, and the matrices that they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import keep_exact
from veridyn.problem.matrices import Matrix, read_matrix, read_square
from veridyn.problem.naming import Floats, vector
from veridyn.problem.sparse import diagonal, is_sparse

OUTSIDE = 1e-9  # relative; what projecting on the modes leaves of initial values is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class Modes:
    """A modal basis: omega (r,) in rad/s, damping ratios (r,), generalised masses (r,), shapes (n, r).

    ``coupling`` (r, r) in kg/s is what the damping matrix has beyond the ratios: its off-diagonal part, and the
    damping of rigid-body modes. A skew part of it is gyroscopic. Negative damping drives a mode, as a cross-flow does.
    ``stiffness_coupling`` (r, r) in N/m is what the stiffness matrix has beyond the frequencies; its skew part is
    circulatory.
    """

    omega: Floats
    damping: Floats
    masses: Floats
    shapes: Matrix
    coupling: Matrix | None = None
    stiffness_coupling: Matrix | None = None

    def __post_init__(self) -> None:
        keep_exact(self)
        for name in ("omega", "damping", "masses"):
            object.__setattr__(self, name, vector(f"Modes.{name}", getattr(self, name)))
        object.__setattr__(self, "shapes", read_matrix("Modes.shapes", self.shapes))
        r = self.omega.size
        if self.damping.size != r or self.masses.size != r or self.shapes.ndim != 2 or self.shapes.shape[1] != r:
            raise ProblemError(f"Modes: {r} frequencies need as many damping ratios, masses and shape columns")
        if np.any(self.omega < 0) or np.any(self.masses <= 0):
            raise ProblemError("Modes: frequencies must not be negative, masses positive")
        for name in ("coupling", "stiffness_coupling"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, read_square(f"Modes.{name}", given, r))

    @property
    def mass_matrix(self) -> Matrix:
        """The generalised masses as a matrix (r, r) in kg."""
        return self._with(self.masses, None)

    @property
    def damping_matrix(self) -> Matrix:
        """The modal damping matrix (r, r) in kg/s."""
        return self._with(2 * self.damping * self.omega * self.masses, self.coupling)

    @property
    def damping_diagonal(self) -> Floats:
        """The diagonal (r,) of the modal damping matrix in kg/s."""
        own = 2 * self.damping * self.omega * self.masses
        return own if self.coupling is None else np.asarray(own + self.coupling.diagonal())

    @property
    def damping_beside(self) -> Matrix | None:
        """What the modal damping matrix (r, r) in kg/s has beside its diagonal; None where nothing couples modes."""
        if self.coupling is None:
            return None
        own = self.coupling.diagonal()
        return self.coupling - (diagonal(own) if is_sparse(self.coupling) else np.diag(own))

    @property
    def damping_entries(self) -> Matrix:
        """The modal damping matrix; sparse where nothing couples the modes: of many, r² zeros fill the memory."""
        return diagonal(self.damping_diagonal) if self.coupling is None else self.damping_matrix

    @property
    def stiffness_entries(self) -> Matrix:
        """The modal stiffness matrix; sparse where nothing couples the modes."""
        return diagonal(self.omega**2 * self.masses) if self.stiffness_coupling is None else self.stiffness_matrix

    @property
    def stiffness_matrix(self) -> Matrix:
        """The modal stiffness matrix (r, r) in N/m."""
        return self._with(self.omega**2 * self.masses, self.stiffness_coupling)

    def _with(self, values: Floats, beside: Matrix | None) -> Matrix:
        """Return a diagonal (r,) and what stands beside it, sparse where the shapes are."""
        whole = diagonal(values) if is_sparse(self.shapes) else np.diag(values)
        return whole if beside is None else whole + beside

    def find_share_outside(self, given: Floats) -> float:
        """Return what share of a vector (n,) is no sum of the modes, 0 where that is rounding."""
        if not given.any():
            return 0.0
        left = given - self.shapes @ np.linalg.lstsq(self.shapes, given, rcond=None)[0]
        outside = np.abs(left).max() > OUTSIDE * np.abs(given).max()
        return float(np.linalg.norm(left) / np.linalg.norm(given)) if outside else 0.0
