"""Guards that swing about a straight line: where they are surely positive, nothing is looked for.

A guard g with g'' + c (g - a - b τ) = 0 and c > 0 is a + b τ + R cos(√c τ + φ), for ever: so it is positive wherever
a + b τ > R. Roots are looked for elsewhere only, and a guard that is positive everywhere ends no phase.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from flint import arb

Doubt = tuple[arb, arb | None]  # lapses (s), exact, between which a guard may be zero; None: for ever
EVER: Doubt = (arb(0), None)
SPARE = arb(2) ** -20  # of a lapse, by which more is in doubt: there the guard is positive, not nearly zero


class Window(NamedTuple):
    """A stretch of time (lapses in s; None: for ever), and the places of the guards that may be zero in it."""

    begin: arb
    end: arb | None
    places: list[int]


@dataclass(frozen=True)
class GuardSwing:
    """A guard between a + b τ - R and a + b τ + R, with the lapse τ since the start of its phase (s).

    ``touches``: that it is proved to touch zero and to fall nowhere below.
    """

    height: arb
    slope: arb
    size: arb
    touches: bool = False

    def find_doubt(self) -> Doubt | None:
        """Return where the guard may be zero, None if it is positive, or touches zero, for ever."""
        # For lapses τ >= 0 the line with the lower ends of both balls lies below a + b τ - R. It is exact, and so is
        # the comparison with zero; only its root is rounded, each time to the side on which more is in doubt.
        low, slope = (self.height - self.size).lower(), self.slope.lower()
        if self.touches or (low > 0 and slope >= 0):
            return None
        root = -low / slope
        if not root.is_finite():  # a level, or one of which nothing is known
            return EVER
        if low > 0:
            return (root * (1 - SPARE)).lower(), None
        return (arb(0), (root * (1 + SPARE)).upper()) if slope > 0 else EVER


def find_windows(doubts: Sequence[Doubt | None], worth: arb, limit: arb | None) -> list[Window]:
    """Return windows of time, in order, with the places of the guards that may be zero there.

    A start without doubt that is not longer than ``worth`` (s) is not left out. No window begins beyond a limit (s).
    """
    wide = {i: (d[0] if d[0] > worth else arb(0), d[1]) for i, d in enumerate(doubts) if d is not None}
    cuts = sorted([begin for begin, _ in wide.values()] + [end for _, end in wide.values() if end is not None])
    ends: list[arb | None] = [*cuts[1:], None]
    windows = []
    for begin, end in zip(cuts, ends, strict=False):
        places = [i for i, (a, b) in wide.items() if a <= begin and (b is None or (end is not None and b >= end))]
        if places and begin != end and (limit is None or begin < limit):
            windows.append(Window(begin, end, places))
    return windows
