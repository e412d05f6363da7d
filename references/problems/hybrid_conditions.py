"""What defines the modes of a problem as data: that each begins as stated, and holds until an event ends it.

A motion is one of the problem only as long as every mode holds what it states: no event of it lies behind it where it
begins, and no condition falls below zero before an event. Where that is not so, nothing is said of what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice, zip_longest
from typing import Any

from sympy import Expr

from veridyn.references.engine.enclosure import Absent, Undecided, sign
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import PhaseEnd
from veridyn.references.problems.hybrid_modes import SymbolicMode, differentiate_along


def name_end(condition: Any) -> str:
    """Return the name of the event that a condition holds no longer; events of problems have none with spaces."""
    return f"the end of: {condition.meaning}"


def refuse_end(mode: SymbolicMode, event: str, time: Ball) -> None:
    """Raise `Absent` if what has ended a mode is a condition and no event."""
    for condition in mode.conditions:
        if event == name_end(condition):
            until = f"{mode.name}: up to t = {_write(time)} s {condition.meaning}"
            raise Absent(f"{until}, then no longer, and no mode is stated for what follows")


def refuse_start(mode: SymbolicMode, zeros: Sequence[int], time: Ball, read: Callable[[Expr], Ball]) -> None:
    """Raise `Absent` if a mode begins past one of its events or where one of its conditions does not hold.

    A guard that is zero where the mode begins lies on the side to which its first derivative that is not zero leads it:
    ``zeros`` says how many Taylor coefficients of each guard vanish there exactly, and ``read`` encloses expressions.
    Raises `Undecided` if the precision does not tell.
    """
    for change, guard, count in zip(mode.events, mode.guards, zeros, strict=False):
        if change.direction and not (change.is_marker or change.waits) and _is_below(mode, guard, count, read):
            raise Absent(
                f"{mode.name} begins at t = {_write(time)} s past its event {change.name}: no mode is stated for that"
            )
    first = len(mode.events)
    for condition, guard, count in zip(mode.conditions, mode.guards[first:], zeros[first:], strict=False):
        if _is_below(mode, guard, count, read):
            raise Absent(f"{mode.name} begins at t = {_write(time)} s, but not so that {condition.meaning}")


def check_order(
    phases: Iterable[PhaseEnd], order: Sequence[str], markers: Collection[str], close: Ball | None = None
) -> None:
    """Raise `Absent` if the events of a motion, markers left out, do not begin in this order.

    With ``close`` also if the last of them is proved not to be at that instant (s).
    """
    ends = (ended for ended in phases if ended.by is not None and ended.by not in markers)
    events = list(islice(ends, len(order)))
    for place, (name, ended) in enumerate(zip_longest(order, events)):
        if ended is None or name != ended.by:
            there = f"event {place + 1} is {ended.by}" if ended else f"there are {place} events"
            raise Absent(f"presumes the orbit {', '.join(order)}, but {there}")
    if close is not None and sign(events[-1].end - close):
        instants = f"at t = {_write(close)} s, but it is at {_write(events[-1].end)} s"
        raise Absent(f"presumes the orbit {', '.join(order)}, the last {instants}")


def check_last(phases: Iterable[PhaseEnd]) -> None:
    """Raise `Absent` if the last phase of a motion is not proved to last for ever, from its start on."""
    *_, last = phases
    if last.end is None and not last.phase.lasts:
        begins = _write(last.start)
        raise Absent(f"the motion goes on: {last.phase.kind}, from t = {begins} s on, is not proved to last for ever")


def _is_below(mode: SymbolicMode, guard: Expr, count: int, read: Callable[[Expr], Ball]) -> bool:
    for _ in range(count):
        guard = differentiate_along(guard, mode.states, mode.rates)
    side = sign(read(guard))
    if not side:
        raise Undecided(f"the side of {guard} on which {mode.name} begins")
    return side < 0


def _write(time: Ball) -> str:
    return f"{float(value(time)):.9g}"
