"""The second route of a mechanical motion: steps in mpmath, through modes that are written elsewhere or were proved.

Where the laws allow it, the modes are those of the initial value problem that solvers get, which another module writes.
Elsewhere the steps go through the modes whose order was proved: they confirm instants and states, not what follows an
event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr

from veridyn.references.engine.motion import PhaseEnd
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_modes import insert_numbers
from veridyn.references.problems.hybrid_system import HybridPhase, HybridSystem, follow_motion
from veridyn.references.second_routes.hybrid_steps import HybridEvent, HybridMode, falling

THROUGH = "extrapolated midpoint steps through the modes that were proved, with their own search for events"
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
    """Return the modes of a motion up to its end; raises what the motion raises."""
    run = list(follow_motion(system, o))
    start, end = (insert_numbers(instant, o) for instant in system.span)
    initial = tuple(insert_numbers(e, o) for e in system.problem.initial)
    modes = tuple(_write(number, run, o) for number in range(len(run)))
    return ProvedModes(system.problem.states, initial, modes, start, end)


def _write(number: int, run: Sequence[PhaseEnd], o: ParameterSet) -> HybridMode:
    ended = run[number]
    phase = ended.phase
    assert isinstance(phase, HybridPhase)
    after = run[number + 1].phase if number + 1 < len(run) else None
    reset: Mapping[str, Expr] = after.reset if isinstance(after, HybridPhase) else {}
    events = []
    for change in phase.mode.events:
        guard = insert_numbers(falling(change), o)
        if change.name == ended.by and after is not None:
            jumps = {name: insert_numbers(e, o) for name, e in reset.items()}
            events.append(HybridEvent(change.name, guard, str(number + 1), reset=jumps))
        else:
            events.append(HybridEvent(change.name, guard, ELSEWHERE))
    rates = tuple(insert_numbers(rate, o) for rate in phase.mode.rates)
    readings = {symbol: insert_numbers(e, o) for symbol, e in phase.mode.readings.items()}
    return HybridMode(str(number), rates, events, readings)
