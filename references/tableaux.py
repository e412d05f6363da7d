"""Butcher tableaux, written in exact numbers.

An entry is a rational number plus square roots of integers, such as ``1/4 - sqrt(3)/6``: enough for the collocation
methods and diagonally implicit methods in use. It is kept exactly, so that an order is proved, not sampled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import mpmath
from mpmath import mpf

from veridyn.references.parameters import exact

Surd = Mapping[int, Fraction]  # the factor of the square root of each squarefree integer

_ROOT = re.compile(r"([+-]?)(?:([^*]+)\*)?sqrt\((\d+)\)(?:/(\d+))?")
_BETWEEN_TERMS = re.compile(r"(?<![eE])(?=[+-])")  # before a sign that does not belong to an exponent


def read_surd(value: Any, name: str) -> Surd:
    """Read a number, or text such as ``"1/4 - sqrt(3)/6"``, without rounding it.

    Raises
    ------
    ParameterError
        If it is no such number.
    """
    if not (isinstance(value, str) and "sqrt" in value):
        return rational(exact(value, name).rational)
    total: dict[int, Fraction] = {}
    for term in filter(None, _BETWEEN_TERMS.split("".join(value.split()))):
        for radicand, factor in _read_term(term, name).items():
            total[radicand] = total.get(radicand, Fraction(0)) + factor
    return total


def rational(value: Fraction) -> Surd:
    """Return a rational number in the form of a surd."""
    return {1: Fraction(value)}


def _read_term(term: str, name: str) -> Surd:
    match = _ROOT.fullmatch(term)
    if match is None:
        return rational(exact(term, name).rational)
    sign, factor, radicand, divisor = match.groups()
    outside, inside = squarefree(int(radicand))
    size = exact(factor or "1", name).rational * outside / exact(divisor or "1", name).rational
    return {inside: -size if sign == "-" else size}


def squarefree(number: int) -> tuple[int, int]:
    """Return a and b with ``number = a² b``, b without square divisors."""
    outside, inside = 1, number
    for divisor in range(2, math.isqrt(number) + 1):
        while inside % divisor**2 == 0:
            outside, inside = outside * divisor, inside // divisor**2
    return outside, inside


def to_mpf(number: Surd) -> mpf:
    """Round to the current mpmath precision."""
    return sum((mpf(f.numerator) / f.denominator * mpmath.sqrt(r) for r, f in number.items()), mpf(0))


@dataclass(frozen=True)
class Tableau:
    """A Runge-Kutta method with s stages: weights of the stages (s, s), of the step (s,), instants (s,) in steps."""

    stages: tuple[tuple[Surd, ...], ...]
    step: tuple[Surd, ...]
    instants: tuple[Surd, ...]
    source: str = "as given"


def read_tableau(
    stages: Sequence[Sequence[Any]], step: Sequence[Any], instants: Sequence[Any] | None = None, source: str = ""
) -> Tableau:
    """Read a tableau A, b, c. Rows of A may be cut after their last entry; c defaults to the sums of the rows.

    Raises
    ------
    ValueError
        If the sizes do not agree or an entry is no exact number.
    """
    s = len(step)
    if len(stages) != s or any(len(row) > s for row in stages) or (instants is not None and len(instants) != s):
        raise ValueError(f"A must have {s} rows of at most {s} entries and c {s} entries, as b has {s}")
    rows = tuple(
        tuple(read_surd(row[j], f"A[{i}][{j}]") if j < len(row) else rational(Fraction(0)) for j in range(s))
        for i, row in enumerate(stages)
    )
    weights = tuple(read_surd(value, f"b[{i}]") for i, value in enumerate(step))
    if instants is None:
        return Tableau(rows, weights, tuple(map(_total, rows)), source)
    return Tableau(rows, weights, tuple(read_surd(value, f"c[{i}]") for i, value in enumerate(instants)), source)


def _total(row: Sequence[Surd]) -> Surd:
    radicands = {radicand for entry in row for radicand in entry}
    return {r: sum((entry.get(r, Fraction(0)) for entry in row), Fraction(0)) for r in radicands}


def _named(source: str, step: str, *rows: str) -> Tableau:
    """Write a tableau as it is printed: weights and rows with entries apart by blanks."""
    return read_tableau([row.split() for row in rows], step.split(), None, source)


_ALEXANDER = "Alexander, SIAM J. Numer. Anal. 14, 1977"
_HAIRER = "Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.1"
_IMPLICIT = "Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.5"
_BANK = "Bank et al., IEEE Trans. Electron Devices 32, 1985"

TABLEAUX: Mapping[str, Tableau] = MappingProxyType(
    {
        "euler": _named(_HAIRER, "1", ""),
        "midpoint": _named(_HAIRER, "0 1", "", "1/2"),
        "heun": _named(_HAIRER, "1/2 1/2", "", "1"),
        "ralston": _named("Ralston, Math. Comp. 16, 1962", "1/4 3/4", "", "2/3"),
        "kutta-3": _named(_HAIRER, "1/6 2/3 1/6", "", "1/2", "-1 2"),
        "ssp-3": _named("Shu, Osher, J. Comput. Phys. 77, 1988", "1/6 1/6 2/3", "", "1", "1/4 1/4"),
        "rk4": _named(_HAIRER, "1/6 1/3 1/3 1/6", "", "1/2", "0 1/2", "0 0 1"),
        "three-eighths": _named(_HAIRER, "1/8 3/8 3/8 1/8", "", "1/3", "-1/3 1", "1 -1 1"),
        "bogacki-shampine": _named(
            "Bogacki, Shampine, Appl. Math. Lett. 2, 1989", "2/9 1/3 4/9 0", "", "1/2", "0 3/4", "2/9 1/3 4/9"
        ),
        "cash-karp": _named(
            "Cash, Karp, ACM Trans. Math. Softw. 16, 1990",
            "37/378 0 250/621 125/594 0 512/1771",
            "",
            "1/5",
            "3/40 9/40",
            "3/10 -9/10 6/5",
            "-11/54 5/2 -70/27 35/27",
            "1631/55296 175/512 575/13824 44275/110592 253/4096",
        ),
        "dormand-prince": _named(
            "Dormand, Prince, J. Comput. Appl. Math. 6, 1980",
            "35/384 0 500/1113 125/192 -2187/6784 11/84 0",
            "",
            "1/5",
            "3/40 9/40",
            "44/45 -56/15 32/9",
            "19372/6561 -25360/2187 64448/6561 -212/729",
            "9017/3168 -355/33 46732/5247 49/176 -5103/18656",
            "35/384 0 500/1113 125/192 -2187/6784 11/84",
        ),
        "implicit-euler": _named(_IMPLICIT, "1", "1"),
        "implicit-midpoint": _named(_IMPLICIT, "1", "1/2"),
        "trapezoidal": _named(_IMPLICIT, "1/2 1/2", "", "1/2 1/2"),
        "gauss-2": _named(_IMPLICIT, "1/2 1/2", "1/4 1/4-sqrt(3)/6", "1/4+sqrt(3)/6 1/4"),
        "gauss-3": _named(
            _IMPLICIT,
            "5/18 4/9 5/18",
            "5/36 2/9-sqrt(15)/15 5/36-sqrt(15)/30",
            "5/36+sqrt(15)/24 2/9 5/36-sqrt(15)/24",
            "5/36+sqrt(15)/30 2/9+sqrt(15)/15 5/36",
        ),
        "radau-iia-2": _named(_IMPLICIT, "3/4 1/4", "5/12 -1/12", "3/4 1/4"),
        "radau-iia-3": _named(
            _IMPLICIT,
            "4/9-sqrt(6)/36 4/9+sqrt(6)/36 1/9",
            "11/45-7*sqrt(6)/360 37/225-169*sqrt(6)/1800 -2/225+sqrt(6)/75",
            "37/225+169*sqrt(6)/1800 11/45+7*sqrt(6)/360 -2/225-sqrt(6)/75",
            "4/9-sqrt(6)/36 4/9+sqrt(6)/36 1/9",
        ),
        "lobatto-iiic-2": _named(_IMPLICIT, "1/2 1/2", "1/2 -1/2", "1/2 1/2"),
        "sdirk-2": _named(_ALEXANDER, "sqrt(2)/2 1-sqrt(2)/2", "1-sqrt(2)/2", "sqrt(2)/2 1-sqrt(2)/2"),
        "tr-bdf2": _named(
            _BANK,
            "sqrt(2)/4 sqrt(2)/4 1-sqrt(2)/2",
            "",
            "1-sqrt(2)/2 1-sqrt(2)/2",
            "sqrt(2)/4 sqrt(2)/4 1-sqrt(2)/2",
        ),
    }
)
