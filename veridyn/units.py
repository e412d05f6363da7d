"""Units of the columns of a table: SI symbols with prefixes, converted to what is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from veridyn.solver.errors import SolverInputError

PREFIXES: Mapping[str, int] = {
    "n": -9, "u": -6, "µ": -6, "μ": -6, "m": -3, "c": -2, "d": -1, "k": 3, "M": 6, "G": 9,
}  # fmt: skip

# symbol: powers of (kg, m, s, rad) and power of ten; the radian counts, so that Hz and rad/s are not mixed up
SYMBOLS: Mapping[str, tuple[tuple[int, int, int, int], int]] = {
    "g": ((1, 0, 0, 0), -3), "m": ((0, 1, 0, 0), 0), "s": ((0, 0, 1, 0), 0), "rad": ((0, 0, 0, 1), 0),
    "Hz": ((0, 0, -1, 0), 0), "N": ((1, 1, -2, 0), 0), "Pa": ((1, -1, -2, 0), 0), "J": ((1, 2, -2, 0), 0),
    "W": ((1, 2, -3, 0), 0),
}  # fmt: skip
NO_UNIT = frozenset({"", "-", "1"})

_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FACTOR = re.compile(r"([A-Za-zµμ]+)\^?([+-]?\d+)?")


class UnitError(SolverInputError):
    """A unit is unknown, or measures something else than what is asked for."""


@dataclass(frozen=True)
class Unit:
    """A unit as a multiple of SI: powers of (kg, m, s, rad) and the exact factor."""

    powers: tuple[int, int, int, int]
    factor: Fraction


def unit(text: str) -> Unit:
    """Read a unit: symbols with prefixes, ``/``, powers such as ``m/s^2``, ``m/s²``, ``m s-2``.

    Raises UnitError if a symbol is unknown.
    """
    plain = text.strip()
    if plain in NO_UNIT:
        return Unit((0, 0, 0, 0), Fraction(1))
    plain = plain.translate(_SUPERSCRIPTS).replace("**", "^")
    powers, factor, sign = [0, 0, 0, 0], Fraction(1), 1
    for part in re.findall(r"/|[^\s/*·.]+", plain):
        if part == "/":
            sign = -1  # of the next factor alone: m/s/s is an acceleration
            continue
        if part == "1":
            continue  # 1/s
        of_symbol, scale, power = _power_of_symbol(part, text)
        powers = [p + sign * power * q for p, q in zip(powers, of_symbol, strict=True)]
        factor *= Fraction(10) ** (scale * power * sign)
        sign = 1
    return Unit((powers[0], powers[1], powers[2], powers[3]), factor)


def _power_of_symbol(part: str, text: str) -> tuple[tuple[int, int, int, int], int, int]:
    """Return the powers and the power of ten of a symbol, and the power to which it is raised."""
    found = _FACTOR.fullmatch(part)
    symbol = found[1] if found else ""
    if found and symbol in SYMBOLS:
        return (*SYMBOLS[symbol], int(found[2] or 1))
    if found and symbol[:1] in PREFIXES and symbol[1:] in SYMBOLS:
        powers, ten = SYMBOLS[symbol[1:]]
        return powers, ten + PREFIXES[symbol[0]], int(found[2] or 1)
    known = "m, s, kg, N, J, W, Hz, rad and their multiples (mm, ms, kN) and products (mm/s, m/s^2, N s)"
    raise UnitError(f"unknown unit [{text.strip()}]; known are {known}")


def to_si(values: Any, stated: str, asked: str) -> Any:
    """Return numbers (a float or an array) of a stated unit in the unit that is asked for.

    One multiplication or one division: 1.5 mm becomes the double next to 0.0015 m. Raises UnitError if the stated unit
    is unknown or measures something else.
    """
    have, want = unit(stated), unit(asked)
    if have.powers != want.powers:
        raise UnitError(
            f"unit [{stated.strip()}] does not measure what is asked for in [{asked}]; convert to [{asked}]"
        )
    ratio = have.factor / want.factor
    if ratio == 1:
        return values
    scaled = values * float(ratio.numerator) if ratio.numerator != 1 else values
    return scaled / float(ratio.denominator) if ratio.denominator != 1 else scaled
