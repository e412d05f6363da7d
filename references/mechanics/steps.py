"""The second route of a mechanical motion: steps in mpmath, through modes that are written elsewhere or were proved.

Where the laws allow it, the modes are those of the initial value problem that solvers get, which another module writes.
Elsewhere the steps go through the modes whose order was proved: they confirm instants and states, not what follows an
event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from veridyn.references.engine.enclosure import Absent, Undecided, ladder, precision
from veridyn.references.engine.motion import Phase, PhaseEnd
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_modes import insert_numbers
from veridyn.references.problems.hybrid_run import find_next_phase, follow_motion
from veridyn.references.problems.hybrid_system import HybridPhase, HybridSystem
from veridyn.references.second_routes.hybrid_steps import HybridEvent, HybridMode, falling

THROUGH = "extrapolated midpoint steps through the modes that were proved, with their own search for events"
DIGITS, MOST_BITS = 30, 512  # wanted of the modes, and after which what is undecided stays so
ELSEWHERE = "no mode was proved"  # where an event would lead that was not proved to be the next


@dataclass(frozen=True, eq=False)
class ProvedModes:
    """The modes of a proved motion, one after the other, as steps follow them; a phase is a mode of its own."""

    states: tuple[str, ...]
    initial: tuple[Expr, ...]
    modes: tuple[HybridMode, ...]
    start: Expr
    end: Expr
    parameters: tuple[str, ...] = ()
    mode: str = "0"

    @cached_property
    def event_names(self) -> tuple[str, ...]:
        """Names of the events on the way."""
        return tuple(dict.fromkeys(event.name for mode in self.modes for event in mode.events))


def write_modes(system: HybridSystem, o: ParameterSet) -> ProvedModes:
    """Return the modes of a motion up to its end, or to where it cannot be followed with `MOST_BITS`.

    Raises
    ------
    Undecided
        If no precision is tried.
    """
    for bits in ladder(DIGITS):
        with precision(bits):
            run = follow_motion(system, o)
            try:
                for _ in run:
                    pass
            except (Absent, Undecided) as doubt:
                if isinstance(doubt, Undecided) and bits < MOST_BITS:
                    continue
                return _write(system, o, run.kept, is_open=True)
            return _write(system, o, run.kept, is_open=False)
    raise Undecided("no precision was tried")


def _write(system: HybridSystem, o: ParameterSet, run: Sequence[PhaseEnd], *, is_open: bool) -> ProvedModes:
    """Return the modes of phases; ``is_open``: one more follows, of which no end is proved."""
    phases: list[Phase | None] = [ended.phase for ended in run]
    if is_open:
        with suppress(Absent, Undecided):
            phases.append(find_next_phase(system, o, run[-1]) if run else system.first(o))
    start, end = (insert_numbers(instant, o) for instant in system.span)
    begin = phases[0].reset if phases and isinstance(phases[0], HybridPhase) else {}  # a memory may be set at the start
    stated = dict(zip(system.states, system.problem.initial, strict=False))
    initial = tuple(insert_numbers(begin.get(x.name, e).xreplace(stated), o) for x, e in stated.items())
    ends = [*(ended.by for ended in run), None]
    parts = enumerate(zip(phases, ends, [*phases[1:], None], strict=False))
    modes = tuple(_write_mode(o, number, *part) for number, part in parts)
    return ProvedModes(system.problem.states, initial, modes, start, end)


def _write_mode(
    o: ParameterSet, number: int, phase: Phase | None, by: str | None, following: Phase | None
) -> HybridMode:
    assert isinstance(phase, HybridPhase)
    reset: Mapping[str, Expr] = following.reset if isinstance(following, HybridPhase) else {}
    events = []
    for change in phase.mode.events:
        guard = insert_numbers(falling(change), o)
        if change.name == by and following is not None:
            jumps = {name: insert_numbers(e, o) for name, e in reset.items()}
            events.append(HybridEvent(change.name, guard, str(number + 1), reset=jumps))
        else:
            events.append(HybridEvent(change.name, guard, ELSEWHERE))
    rates = tuple(insert_numbers(rate, o) for rate in phase.mode.rates)
    readings = {symbol: insert_numbers(e, o) for symbol, e in phase.mode.readings.items()}
    return HybridMode(str(number), rates, events, readings)
