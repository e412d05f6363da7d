"""The equations of one element in each of its states, and what joins the two sides of a stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from veridyn.problem.expressions import Expr
from veridyn.problem.formulas import NOTHING
from veridyn.problem.modes import Change


@dataclass(frozen=True)
class Place:
    """One state of an element: its forces (n,), the rate of its memory, and its events.

    The ``mode`` of an event is here the place of the element that begins.
    """

    name: str
    forces: tuple[Expr, ...] = ()
    rate: Expr = NOTHING
    events: tuple[Change, ...] = ()


@dataclass(frozen=True)
class ElementEquations:
    """An element: its places, what tells the place at the start, and its memory with initial values.

    ``choice``: expressions that are all negative at the start, or just after, if the place with this number begins;
    the first that fits counts. "Just after" looks at so many ``terms`` of a series in time.
    """

    places: tuple[Place, ...]
    choice: tuple[tuple[tuple[Expr, ...], int], ...] = ()
    otherwise: int = 0
    terms: int = 3
    memory: Mapping[str, Expr] = field(default_factory=dict)


# ---- helpers


def join_sides(name: str, touches: Sequence[ElementEquations]) -> ElementEquations:
    """Return the stop of two sides: they share the place in between."""
    free = f"{name}_free"
    swap = {side.places[0].name: free for side in touches}
    closes = tuple(change for side in touches for change in side.places[0].events)
    places = [replace(touches[0].places[0], name=free, events=closes)]
    choice = []
    for side in touches:
        choice += [(signs, i + len(places) - 1) for signs, i in side.choice]
        for place in side.places[1:]:
            events = tuple(replace(c, mode=swap.get(c.mode, c.mode)) for c in place.events)
            places.append(replace(place, events=events))
    return ElementEquations(tuple(places), tuple(choice))


def replace_guard(part: ElementEquations, guard: Expr, other: Expr) -> ElementEquations:
    """Return an element with another guard of the same sign."""
    places = []
    for place in part.places:
        events = tuple(replace(c, guard=other) if c.guard == guard else c for c in place.events)
        places.append(replace(place, events=events))
    choice = tuple((tuple(other if e == guard else e for e in signs), i) for signs, i in part.choice)
    return replace(part, places=tuple(places), choice=choice)
