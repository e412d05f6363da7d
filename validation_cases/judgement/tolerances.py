"""Acceptance criteria: what a document, or the user, asks; no bare float says how wrong a solver may be."""

import re
from dataclasses import dataclass
from typing import Literal

from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.statements import DOUBLE_DIGITS

ErrorKind = Literal["relative", "absolute", "exact"]

# Codes print from single-precision listings and binary-decimal conversions: a value half-way between two
# printed digits may round either way.
HALF_UNIT = 0.500001

REQUIRED = "required: "  # before what a user requires, in the reason of a tolerance


@dataclass(frozen=True)
class Tolerance:
    """Largest admissible error, how the error is measured, and why this much is admissible."""

    value: float
    kind: ErrorKind
    reason: str

    def __post_init__(self) -> None:
        if not self.value >= 0 or not self.reason:
            raise ValueError(f"a tolerance needs a value >= 0 and a reason, got {self.value} and {self.reason!r}")


@dataclass(frozen=True)
class Requirement:
    """What the user requires of every number: an error relative to the truth, or to the scale where that is larger."""

    relative: float
    text: str


def read_requirement(text: str) -> Requirement:
    """Read ``digits=6`` or ``rel=1e-6``.

    Raises
    ------
    SettingsError
        If it is neither, no positive number, or more than a double holds.
    """
    name, _, value = (part.strip() for part in text.partition("="))
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if name not in ("digits", "rel") or not 0 < number < 1e3:
        raise SettingsError(f"requirement {text!r}: write digits=6 or rel=1e-6, a positive number")
    relative = 10**-number if name == "digits" else number
    if relative < 10**-DOUBLE_DIGITS:
        raise SettingsError(f"requirement {text!r}: a double has {DOUBLE_DIGITS} digits at most; ask for fewer")
    return Requirement(relative, f"{REQUIRED}{name}={value}")


def cited(source: str, value: float, *, kind: ErrorKind = "relative") -> Tolerance:
    """Return the tolerance that a document asks for."""
    return Tolerance(value, kind, f"cited: {source}")


def exactly(what: str) -> Tolerance:
    """Return the tolerance of values that must be equal."""
    return Tolerance(0.0, "exact", what)


def unit_in_last_place(printed: str) -> float:
    """Return the weight of the last printed digit: 1e-5 for "0.40907", 1e-9 for "2.26326E-4".

    Raises
    ------
    ValueError
        If the text is not a decimal number.
    """
    match = re.fullmatch(r"[+-]?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?", printed.strip())
    if match is None:
        raise ValueError(f"{printed!r} is not a printed decimal number")
    return float(10.0 ** (int(match[3] or 0) - len(match[2] or "")))


def printed_digits(printed: str, units: float = HALF_UNIT, *, why: str = "") -> Tolerance:
    """Return half a unit in the last printed digit (or ``units`` of them, for a stated reason).

    Raises
    ------
    ValueError
        If more than half a unit is granted without a reason.
    """
    if units > HALF_UNIT and not why:
        raise ValueError("more than half a unit of the last digit needs a reason")
    text = (
        "half a unit of the last printed digit"
        if units <= HALF_UNIT
        else f"{units:g} units of the last printed digit: {why}"
    )
    return Tolerance(units * unit_in_last_place(printed), "absolute", text)
