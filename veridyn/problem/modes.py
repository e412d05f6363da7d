"""What an initial value problem moves in: modes with their equations, the changes that end them, what defines them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from veridyn.problem.expressions import Expr


@dataclass(frozen=True, kw_only=True)
class Change:
    """What happens where ``guard`` passes zero: falling (direction -1), rising (+1) or either way (0).

    A mode that begins with the guard past zero already is not what the problem states, unless ``waits`` says why
    nothing happens until the guard has come back and passes again.
    States in ``reset`` jump to expressions in the states just before; ``mode`` begins (empty: the same goes on).
    ``terminal``: the motion ends there.
    """

    name: str
    guard: Expr
    direction: int = 0
    reset: Mapping[str, Expr] = field(default_factory=dict)
    mode: str = ""
    terminal: bool = False
    waits: str = ""

    @property
    def is_marker(self) -> bool:
        """Whether it only marks an instant: nothing changes."""
        return not (self.reset or self.mode or self.terminal)


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What defines a mode beside its equations: an expression that is not below zero while the mode holds.

    ``meaning`` says what that is: "the stop pushes". No event ends the mode there: a motion that gets so far leaves
    what the problem states.
    """

    expression: Expr
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Mode:
    """One set of smooth equations: the rate of every state, the changes that end it, and what defines it."""

    name: str
    rates: tuple[Expr, ...]
    events: tuple[Change, ...] = ()
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Accumulation:
    """Events of a name accumulate at an instant; after it ``mode`` holds, the states in ``reset`` set anew (Zeno)."""

    event: str
    mode: str
    reset: Mapping[str, Expr] = field(default_factory=dict)
