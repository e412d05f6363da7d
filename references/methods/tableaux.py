"""Butcher tableaux, written in exact numbers: rational ones and square roots of integers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import mpmath
import numpy as np
from mpmath import mpf

from veridyn.references.parameters import exact

DIGITS = 50  # to which numbers are evaluated

Array: TypeAlias = Any  # NumPy array of numbers of mpmath; its operators have no static type

_ROOT = re.compile(r"([+-]?)(?:([^*]+)\*)?sqrt\((\d+)\)(?:/([1-9]\d*))?")
_BETWEEN_TERMS = re.compile(r"(?<![eE])(?=[+-])")  # before a sign that does not belong to an exponent


def read_entry(value: Any, name: str) -> mpf:
    """Read a number, or text such as ``"1/4 - sqrt(3)/6"``.

    Raises
    ------
    ParameterError
        If it is no such number.
    """
    with mpmath.workdps(DIGITS):
        if not (isinstance(value, str) and "sqrt" in value):
            return exact(value, name).mpf()
        terms = filter(None, _BETWEEN_TERMS.split("".join(value.split())))
        return sum((_read_term(term, name) for term in terms), mpf(0))


def _read_term(term: str, name: str) -> mpf:
    match = _ROOT.fullmatch(term)
    if match is None:
        return exact(term, name).mpf()
    sign, factor, radicand, divisor = match.groups()
    size = exact(factor or "1", name).mpf() * mpmath.sqrt(int(radicand)) / int(divisor or "1")
    return -size if sign == "-" else size


@dataclass(frozen=True, eq=False)
class Tableau:
    """A Runge-Kutta method with s stages: weights of the stages (s, s), of the step (s,), instants (s,) in steps."""

    stages: Array
    step: Array
    instants: Array


def read_tableau(a: Sequence[Sequence[Any]], b: Sequence[Any], c: Sequence[Any] | None = None) -> Tableau:
    """Read a tableau A, b, c. Rows of A may be cut after their last entry; c defaults to the sums of the rows.

    Raises
    ------
    ValueError
        If the sizes do not agree or an entry is no exact number.
    """
    s = len(b)
    if len(a) != s or any(len(row) > s for row in a) or (c is not None and len(c) != s):
        raise ValueError(f"A must have {s} rows of at most {s} entries and c {s} entries, as b has {s}")
    rows = [_read_row([*row, *[0] * (s - len(row))], f"A[{i}]") for i, row in enumerate(a)]
    stages = np.array(rows, dtype=object)
    with mpmath.workdps(DIGITS):
        instants = stages.sum(axis=1) if c is None else _read_row(c, "c")
    return Tableau(stages, _read_row(b, "b"), instants)


def _read_row(values: Sequence[Any], name: str) -> Array:
    return np.array([read_entry(value, f"{name}[{i}]") for i, value in enumerate(values)], dtype=object)


# name: weights of the step | rows of the stages
_PRINTED = """
# Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.1
euler: 1 |
midpoint: 0 1 | | 1/2
heun: 1/2 1/2 | | 1
kutta-3: 1/6 2/3 1/6 | | 1/2 | -1 2
rk4: 1/6 1/3 1/3 1/6 | | 1/2 | 0 1/2 | 0 0 1
three-eighths: 1/8 3/8 3/8 1/8 | | 1/3 | -1/3 1 | 1 -1 1
heun-3: 1/4 0 3/4 | | 1/3 | 0 2/3
# Ralston, Math. Comp. 16, 1962
ralston: 1/4 3/4 | | 2/3
# Gill, Proc. Cambridge Philos. Soc. 47, 1951
gill: 1/6 1/3-sqrt(2)/6 1/3+sqrt(2)/6 1/6 | | 1/2 | -1/2+sqrt(2)/2 1-sqrt(2)/2 | 0 -sqrt(2)/2 1+sqrt(2)/2
# Merson, Proc. Symp. Data Processing, Weapons Research Establishment, Salisbury, 1957
merson: 1/6 0 0 2/3 1/6 | | 1/3 | 1/6 1/6 | 1/8 0 3/8 | 1/2 0 -3/2 2
# Shu, Osher, J. Comput. Phys. 77, 1988
ssp-3: 1/6 1/6 2/3 | | 1 | 1/4 1/4
# Bogacki, Shampine, Appl. Math. Lett. 2, 1989
bogacki-shampine: 2/9 1/3 4/9 0 | | 1/2 | 0 3/4 | 2/9 1/3 4/9
bogacki-shampine-2: 7/24 1/4 1/3 1/8 | | 1/2 | 0 3/4 | 2/9 1/3 4/9
# Fehlberg, NASA TR R-315, 1969, formula 2: the rows of order 5 and 4
fehlberg-5: 16/135 0 6656/12825 28561/56430 -9/50 2/55 | | 1/4 | 3/32 9/32 | 1932/2197 -7200/2197 7296/2197 \
    | 439/216 -8 3680/513 -845/4104 | -8/27 2 -3544/2565 1859/4104 -11/40
fehlberg-4: 25/216 0 1408/2565 2197/4104 -1/5 0 | | 1/4 | 3/32 9/32 | 1932/2197 -7200/2197 7296/2197 \
    | 439/216 -8 3680/513 -845/4104 | -8/27 2 -3544/2565 1859/4104 -11/40
# Verner, SIAM J. Numer. Anal. 15, 1978 (DVERK): the rows of order 6 and 5
verner-6: 3/40 0 875/2244 23/72 264/1955 0 125/11592 43/616 | | 1/6 | 4/75 16/75 | 5/6 -8/3 5/2 \
    | -165/64 55/6 -425/64 85/96 | 12/5 -8 4015/612 -11/36 88/255 \
    | -8263/15000 124/75 -643/680 -81/250 2484/10625 0 \
    | 3501/1720 -300/43 297275/52632 -319/2322 24068/84065 0 3850/26703
verner-5: 13/160 0 2375/5984 5/16 12/85 3/44 0 0 | | 1/6 | 4/75 16/75 | 5/6 -8/3 5/2 \
    | -165/64 55/6 -425/64 85/96 | 12/5 -8 4015/612 -11/36 88/255 \
    | -8263/15000 124/75 -643/680 -81/250 2484/10625 0 \
    | 3501/1720 -300/43 297275/52632 -319/2322 24068/84065 0 3850/26703
# Cash, Karp, ACM Trans. Math. Softw. 16, 1990
cash-karp: 37/378 0 250/621 125/594 0 512/1771 | | 1/5 | 3/40 9/40 | 3/10 -9/10 6/5 | -11/54 5/2 -70/27 35/27 \
    | 1631/55296 175/512 575/13824 44275/110592 253/4096
cash-karp-4: 2825/27648 0 18575/48384 13525/55296 277/14336 1/4 | | 1/5 | 3/40 9/40 | 3/10 -9/10 6/5 \
    | -11/54 5/2 -70/27 35/27 | 1631/55296 175/512 575/13824 44275/110592 253/4096
# Dormand, Prince, J. Comput. Appl. Math. 6, 1980
dormand-prince: 35/384 0 500/1113 125/192 -2187/6784 11/84 0 | | 1/5 | 3/40 9/40 | 44/45 -56/15 32/9 \
    | 19372/6561 -25360/2187 64448/6561 -212/729 | 9017/3168 -355/33 46732/5247 49/176 -5103/18656 \
    | 35/384 0 500/1113 125/192 -2187/6784 11/84
dormand-prince-4: 5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40 | | 1/5 | 3/40 9/40 \
    | 44/45 -56/15 32/9 | 19372/6561 -25360/2187 64448/6561 -212/729 | 9017/3168 -355/33 46732/5247 49/176 -5103/18656 \
    | 35/384 0 500/1113 125/192 -2187/6784 11/84
# Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.5
implicit-euler: 1 | 1
implicit-midpoint: 1 | 1/2
trapezoidal: 1/2 1/2 | | 1/2 1/2
gauss-2: 1/2 1/2 | 1/4 1/4-sqrt(3)/6 | 1/4+sqrt(3)/6 1/4
gauss-3: 5/18 4/9 5/18 | 5/36 2/9-sqrt(15)/15 5/36-sqrt(15)/30 | 5/36+sqrt(15)/24 2/9 5/36-sqrt(15)/24 \
    | 5/36+sqrt(15)/30 2/9+sqrt(15)/15 5/36
radau-iia-2: 3/4 1/4 | 5/12 -1/12 | 3/4 1/4
radau-iia-3: 4/9-sqrt(6)/36 4/9+sqrt(6)/36 1/9 | 11/45-7*sqrt(6)/360 37/225-169*sqrt(6)/1800 -2/225+sqrt(6)/75 \
    | 37/225+169*sqrt(6)/1800 11/45+7*sqrt(6)/360 -2/225-sqrt(6)/75 | 4/9-sqrt(6)/36 4/9+sqrt(6)/36 1/9
lobatto-iiic-2: 1/2 1/2 | 1/2 -1/2 | 1/2 1/2
lobatto-iiia-3: 1/6 2/3 1/6 | | 5/24 1/3 -1/24 | 1/6 2/3 1/6
lobatto-iiib-3: 1/6 2/3 1/6 | 1/6 -1/6 0 | 1/6 1/3 0 | 1/6 5/6 0
lobatto-iiic-3: 1/6 2/3 1/6 | 1/6 -1/3 1/6 | 1/6 5/12 -1/12 | 1/6 2/3 1/6
# Norsett, Semi explicit Runge-Kutta methods, University of Trondheim, 1974
norsett-3: 1/2 1/2 | 1/2+sqrt(3)/6 | -sqrt(3)/3 1/2+sqrt(3)/6
# Alexander, SIAM J. Numer. Anal. 14, 1977
sdirk-2: sqrt(2)/2 1-sqrt(2)/2 | 1-sqrt(2)/2 | sqrt(2)/2 1-sqrt(2)/2
# Bank et al., IEEE Trans. Electron Devices 32, 1985
tr-bdf2: sqrt(2)/4 sqrt(2)/4 1-sqrt(2)/2 | | 1-sqrt(2)/2 1-sqrt(2)/2 | sqrt(2)/4 sqrt(2)/4 1-sqrt(2)/2
"""


def _named(line: str) -> tuple[str, Tableau]:
    name, entries = line.split(":")
    step, *rows = (row.split() for row in entries.split("|"))
    return name, read_tableau(rows, step)


TABLEAUX: Mapping[str, Tableau] = MappingProxyType(
    dict(_named(line) for line in _PRINTED.splitlines() if line and not line.startswith("#"))
)
