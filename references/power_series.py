"""Power series in a step h whose coefficients are polynomials, exact: the order of a method is read from them.

A term is ``factor × h^i c^j k^l s^m √d`` with damping c, stiffness k and rate s of the load ``exp(s t)``, all of a unit
mass; d is a squarefree integer from the constants of the method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from veridyn.references.tableaux import Surd

Array: TypeAlias = Any  # NumPy array of series and numbers; its operators have no static type
Term: TypeAlias = tuple[int, int, int, int, int]  # powers of h, c, k, s; radicand

ONE: Term = (0, 0, 0, 0, 1)


@dataclass(frozen=True, eq=False)
class Series:
    """A series up to and including the power ``top`` of h. Numbers that meet it count as constants."""

    terms: Mapping[Term, Fraction]
    top: int

    def __add__(self, other: Any) -> Series:
        """Add; so do the operators below, as their names say."""
        right = _terms(other)
        if right is None:
            return NotImplemented
        total = dict(self.terms)
        for term, factor in right.items():
            total[term] = total.get(term, Fraction(0)) + factor
        return Series({term: factor for term, factor in total.items() if factor}, self.top)

    def __mul__(self, other: Any) -> Series:
        right = _terms(other)
        if right is None:
            return NotImplemented
        total: dict[Term, Fraction] = {}
        for a, x in self.terms.items():
            for b, y in right.items():
                if a[0] + b[0] <= self.top:
                    term, whole = _product(a, b)
                    total[term] = total.get(term, Fraction(0)) + x * y * whole
        return Series({term: factor for term, factor in total.items() if factor}, self.top)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Series:
        return self.scaled(-1)

    def __sub__(self, other: Any) -> Series:
        return self.__add__(other * -1)

    def __rsub__(self, other: Any) -> Series:
        return self.scaled(-1).__add__(other)

    def __truediv__(self, other: Any) -> Series:
        if isinstance(other, Series):
            return self.__mul__(other.inverse())
        return self.scaled(1 / Fraction(other))

    def __rtruediv__(self, other: Any) -> Series:
        return self.inverse().__mul__(other)

    def scaled(self, by: int | Fraction) -> Series:
        """Multiply by a rational number other than zero."""
        return Series({term: factor * by for term, factor in self.terms.items()}, self.top)

    def __abs__(self) -> Fraction:
        """Return the size of the rational constant: pivots are chosen by it."""
        return abs(self.terms.get(ONE, Fraction(0)))

    def inverse(self) -> Series:
        """Return 1/self by Newton's geometric series; the coefficient of h^0 must be a rational number.

        Raises
        ------
        ZeroDivisionError
            If it is not.
        """
        constant = {term: factor for term, factor in self.terms.items() if term[0] == 0}
        if set(constant) != {ONE}:
            raise ZeroDivisionError("a series without a rational constant has no inverse")
        rest, total = 1 - self.scaled(1 / constant[ONE]), Series({ONE: Fraction(1)}, self.top)
        for _ in range(self.top):
            total = 1 + rest * total
        return total.scaled(1 / constant[ONE])

    def valuation(self) -> int:
        """Return the least power of h, ``top + 1`` where nothing is left."""
        return min((term[0] for term in self.terms), default=self.top + 1)

    def constant(self) -> Series:
        """Return the coefficient of h^0."""
        return Series({term: factor for term, factor in self.terms.items() if term[0] == 0}, self.top)


def _terms(value: Any) -> Mapping[Term, Fraction] | None:
    if isinstance(value, Series):
        return value.terms
    return {ONE: Fraction(value)} if isinstance(value, int | Fraction) else None


def _product(a: Term, b: Term) -> tuple[Term, int]:
    """Multiply two terms; ``√d √e = g √(d e/g²)`` with the greatest common divisor g of d and e."""
    common = math.gcd(a[4], b[4])
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] * b[4] // common**2), common


def symbol(place: int, top: int) -> Series:
    """Return h, c, k or s (places 0 to 3)."""
    return Series({(*(int(i == place) for i in range(4)), 1): Fraction(1)}, top)  # type: ignore[dict-item]


def constant(number: Surd, top: int) -> Series:
    """Return a constant of a method."""
    return Series({(0, 0, 0, 0, radicand): factor for radicand, factor in number.items() if factor}, top)


def exponential(matrix: Array, top: int) -> Array:
    """Return ``exp(matrix)`` of a square matrix without constant terms."""
    total = term = np.eye(len(matrix), dtype=int).astype(object) + matrix * 0
    for i in range(1, top + 1):
        term = (term @ matrix) * Fraction(1, i)
        total = total + term
    return total


def least_power(matrix: Array, top: int) -> int:
    """Return the least power of h in any entry."""
    return min((entry.valuation() if isinstance(entry, Series) else _of_number(entry, top)) for entry in matrix.flat)


def _of_number(value: Any, top: int) -> int:
    return 0 if value else top + 1


def invariant(blocks: tuple[Array, Array, Array, Array], solve: Callable[[Array, Array], Array], top: int) -> Array:
    """Return G such that ``w = G y`` stays true from step to step.

    Parameters
    ----------
    blocks
        a, b, e, d of ``y' = a y + b w, w' = e y + d w``; at h = 0, a is the identity and b vanishes.
    """
    a, b, e, d = blocks
    still = np.vectorize(_at_zero, otypes=[object])(d) if d.size else d
    one = np.eye(len(a), dtype=int).astype(object)
    left = np.eye(len(d), dtype=int).astype(object) - still
    graph = e * 0
    for _ in range(top + 1):  # each pass makes one more power of h right
        graph = solve(left, e + (d - still) @ graph - graph @ (a - one + b @ graph))
    return graph


def _at_zero(value: Any) -> Any:
    return value.constant() if isinstance(value, Series) else value


def constants(matrix: Array) -> NDArray[np.float64]:
    """Return the rational parts at h = 0 as floats."""
    return np.array([_rational_constant(value) for value in matrix.flat], dtype=float).reshape(matrix.shape)


def _rational_constant(value: Any) -> float:
    return float(value.terms.get(ONE, 0)) if isinstance(value, Series) else float(value)


def fading_part(flow: Array, coupling: Array, fading: Array, solve: Callable[[Array, Array], Array], top: int) -> Array:
    """Return H such that ``y + H u`` follows the flow alone, u being what is off the invariant set ``w = G y``.

    From ``y' = flow y + coupling u, u' = fading u``.
    """
    still = np.vectorize(_at_zero, otypes=[object])(fading) if fading.size else fading
    one = np.eye(len(flow), dtype=int).astype(object)
    left = np.eye(len(fading), dtype=int).astype(object) - still
    shift = coupling * 0
    for _ in range(top + 1):
        right = coupling + shift @ (fading - still) - (flow - one) @ shift
        shift = solve(left.T, right.T).T
    return shift
