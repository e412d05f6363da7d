"""Faults of event handling that show where events are close: one step, one instant, one mark passed twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..fault import Fault, Host
from ..hosts.field import hybrid

TWENTY = 20  # bisections of a step: a millionth of it is left


def changing(problem: Any) -> list[Any]:
    """Return the events of all modes that change anything."""
    return [change for mode in problem.modes for change in mode.events if not change.is_marker]


def has_changes(problem: Any) -> bool:
    """Return whether an event changes anything."""
    return bool(changing(problem))


def has_several(problem: Any) -> bool:
    """Return whether a mode has several events that change anything."""
    return any(sum(not change.is_marker for change in mode.events) > 1 for mode in problem.modes)


def has_directions(problem: Any) -> bool:
    """Return whether an event that changes anything counts one way only."""
    return any(change.direction for change in changing(problem))


def first_of_list(hits: hybrid.Hits) -> hybrid.Hits:
    """Return the first event of the list, even if another comes earlier."""
    return hits[:1]


def last_at_once(hits: hybrid.Hits) -> hybrid.Hits:
    """Return the last of the events that come at once."""
    return hybrid.at_the_earliest(hits)[-1:]


def both_sides(_: int) -> tuple[int, ...]:
    """Return both signs, whatever the direction of an event."""
    return (1, -1)


def in_single(states: hybrid.Floats) -> hybrid.Floats:
    """Return states in single precision."""
    return states.astype(np.float32).astype(float)


def by_single_clock(*bounds: Any) -> float:
    """Return the instant of an event in single precision."""
    return float(np.float32(hybrid.root(*bounds)))


def wrong(
    name: str, part: str, what: str, touches: Callable[[Any], bool], *, unclaimed: str = "", **changes: Any
) -> Fault:
    """Return a fault that is there or not, and why none sees it where nothing is claimed."""
    return Fault(name, part, what, lambda _: replace(SOLVER, **changes), touches, unclaimed=unclaimed)


SOLVER = replace(hybrid.LOCATING, name="close-events")
FAULTS = (
    wrong("blind_after_event", "event", "The rest of a step after an event is not looked at.", has_several, blind=1.0),
    wrong("last_at_once", "event", "Of events at one instant the last in the list happens.", has_several, choose=last_at_once),
    wrong("first_of_list", "event", "Of events in one step the first in the list happens.", has_several, choose=first_of_list),
    wrong("directions_ignored", "event", "Events happen whichever way a guard passes zero.", has_directions, sides=both_sides),
    wrong("signs_at_ends", "event", "Guards are compared at the ends of steps.", has_changes, shares=hybrid.AT_ENDS, dips=False),
    wrong("asleep_at_start", "event", "Guards are looked at from a thousandth of a second after a start.", has_changes, asleep=1e-3),
    wrong("guards_single", "precision", "Guards are evaluated in single precision.", has_changes, seen=in_single),
    wrong("instants_single", "precision", "Instants of events are kept in single precision.", has_changes, locate=by_single_clock),
    wrong("twenty_bisections", "precision", "Events are located by twenty bisections of a step.", has_changes, locate=partial(hybrid.root, bisections=TWENTY), unclaimed="A millionth of a step is left, below every criterion; the card says so, and who claims no tolerance may locate events so."),
)  # fmt: skip
HOSTS = (Host(SOLVER.name, SOLVER, FAULTS),)
