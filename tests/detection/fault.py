"""A seeded fault, and the solver that it is seeded into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PARTS = (
    "contact",
    "friction",
    "device",
    "load",
    "support",
    "modal",
    "event",
    "method",
    "output",
    "state",
    "precision",
    "protocol",
    "derivative",
)
"""Parts of a code that faults damage."""


def always(_: Any) -> bool:
    """Return True: a fault damages every problem."""
    return True


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a solver.

    Attributes
    ----------
    name, part, what
        Name, unique within a host; the part of a code that it damages, one of `PARTS`; what is wrong, in one sentence.
    make
        Return the solver with the fault of a size; the size is 0 for a fault that is there or not.
    touches
        Return whether a problem has anything that the fault damages.
    size, meaning, smallest
        How large it is, what that number means, and the smallest size to try; None, empty and None for a fault that is
        there or not.
    unseen
        Why no check can detect it; empty if one should.
    unclaimed
        Why none can where the solver claims nothing; empty if one should.
    """

    name: str
    part: str
    what: str
    make: Callable[[float], Any]
    touches: Callable[[Any], bool] = always
    size: float | None = None
    meaning: str = ""
    smallest: float | None = None
    unseen: str = ""
    unclaimed: str = ""

    def __post_init__(self) -> None:
        """Check the part and the size. Raises ValueError."""
        if self.part not in PARTS:
            raise ValueError(f"fault {self.name!r}: part is {self.part!r}; one of {', '.join(PARTS)} is needed")
        if len({self.size is None, self.smallest is None, not self.meaning}) != 1:
            raise ValueError(f"fault {self.name!r}: size, meaning and smallest go together; state all three or none")


@dataclass(frozen=True)
class Host:
    """A solver without fault, and the faults that are seeded into it.

    ``solver`` is an object of the contract, or anything that `load_solver` returns.
    """

    name: str
    solver: Any
    faults: tuple[Fault, ...]
