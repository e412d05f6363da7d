"""Where errors stop following a tolerance: what a solver bounds by another number that nobody moves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from veridyn.identification.claimed import STILL
from veridyn.identification.reading import CardFigure

BEYOND = 2.0  # decades below the floor that must have been tried: errors in proportion fall by a hundred there


def find_floor(tolerances: Sequence[float], errors: Sequence[float], *, rounding: float) -> float | None:
    """Return the tolerance below which nothing improves; None if errors fall to the last one, or to rounding.

    Tolerances go from coarse to fine. An error is at its floor from where on none is smaller by a factor of three. A
    floor at the last tolerance, or less than two decades above it, is none: nothing beyond it was tried.
    """
    least = min(errors, default=math.inf)
    if not rounding < least < math.inf:
        return None
    floor = next(t for t, error in zip(tolerances, errors, strict=True) if error < STILL * least)
    return floor if math.log10(floor / tolerances[-1]) > BEYOND - 1e-9 else None


def show_floor(
    key: str, tolerances: Sequence[float], errors: Sequence[float], *, rounding: float, where: str
) -> tuple[CardFigure, ...]:
    """Return the line of the card on the floor of a tolerance ``key``; nothing where none is seen."""
    floor = find_floor(tolerances, errors, rounding=rounding)
    if floor is None:
        return ()
    meaning = f"errors stop following it: {min(errors):.1e} remains down to {tolerances[-1]:g}, {where}"
    return (CardFigure(name=f"floor of {key}", value=floor, meaning=meaning),)
