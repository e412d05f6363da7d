"""What an element is in each of its places: forces, constraints, and the inequalities that hold while it is there.

An element is a small automaton. A place of it holds as long as none of its bounds falls below zero; a place with a
constraint has a multiplier, an unknown force that the constraint gives. What follows a place is not written here: it
is decided by proof, for all elements together, see `deciding`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Symbol


@dataclass(frozen=True)
class Bound:
    """An expression that is not below zero while a place holds; where it falls, the event of this name happens.

    ``is_impact``: the velocities jump there. ``touches``: it may touch zero and rise again, and the place goes on.
    """

    event: str
    expression: Expr
    is_impact: bool = False
    touches: bool = False


@dataclass(frozen=True)
class Push:
    """Forces ``direction × force`` on the coordinates; direction (r,)."""

    direction: tuple[Expr, ...]
    force: Expr


@dataclass(frozen=True)
class Constraint:
    """A rate that stays zero, and the multiplier: the force along the constraint that keeps it so."""

    multiplier: Symbol
    rate: Expr


@dataclass(frozen=True)
class Place:
    """One state of an element.

    Attributes
    ----------
    bounds
        What is not below zero while it holds.
    pushes
        Forces on the coordinates; they may contain multipliers and readings of other elements.
    constraints
        Rates that it keeps at zero, if any.
    zeros
        Expressions in the states that are exactly zero while it holds.
    rates
        Rates of what the element remembers; what is not named does not change.
    resets
        What it remembers jumps to, where the place begins.
    readings
        What can be read of the element, by name.
    otherwise
        A place that comes before this one where both would be consistent: friction at rest sticks if it can.
    starts
        Expressions that are exactly zero where a motion starts in this place.
    idle
        A place in which the motion is the same as long as the bounds of this one stay zero: a body that touches a stop
        which does not push moves as a free one.
    moves
        An expression that is not zero where this place begins: its forces have no formula there.
    """

    name: str
    bounds: tuple[Bound, ...] = ()
    pushes: tuple[Push, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    zeros: tuple[Expr, ...] = ()
    rates: Mapping[Symbol, Expr] = field(default_factory=dict)
    resets: Mapping[Symbol, Expr] = field(default_factory=dict)
    readings: Mapping[Symbol, Expr] = field(default_factory=dict)
    otherwise: str = ""
    starts: tuple[Expr, ...] = ()
    idle: str = ""
    moves: Expr | None = None


@dataclass(frozen=True)
class Touch:
    """A side of a rigid stop: its gap and the rate of it, the direction of its push, the coefficient of restitution.

    ``push`` is the reading of its force.
    """

    event: str
    gap: Expr
    rate: Expr
    direction: tuple[Expr, ...]
    restitution: Expr
    push: Symbol


@dataclass(frozen=True)
class Element:
    """An element by its places.

    Attributes
    ----------
    memory
        States of its own, with their initial values.
    touches
        The sides on which it is rigid.
    stays
        That a place lasts until a bound of its own falls: its past, not the state alone, says where it is.
    """

    name: str
    places: tuple[Place, ...]
    memory: Mapping[Symbol, Expr] = field(default_factory=dict)
    touches: tuple[Touch, ...] = ()
    stays: bool = False
