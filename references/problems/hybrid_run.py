"""The phases of a motion, one after the other, as far as they are asked for; kept, since quantities share a motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from flint import arb

from veridyn.references.engine.enclosure import Absent, Undecided, per_bits
from veridyn.references.engine.events import Event
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import Phase, PhaseEnd, followed
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_system import HybridSystem


@dataclass(frozen=True, eq=False)
class PhaseCache:
    """A motion as far as it was looked at; what stopped it is raised again."""

    source: Iterator[PhaseEnd]
    kept: list[PhaseEnd] = field(default_factory=list)
    doubts: list[Exception] = field(default_factory=list)

    def __iter__(self) -> Iterator[PhaseEnd]:
        place = 0
        while True:
            if place == len(self.kept):
                try:
                    self.kept.append(self._next())
                except StopIteration:
                    return
            yield self.kept[place]
            place += 1

    def _next(self) -> PhaseEnd:
        if self.doubts:
            raise self.doubts[0]
        try:
            return next(self.source)
        except StopIteration:
            raise
        except Exception as doubt:  # a generator that has raised only ends: the motion would seem to end there
            self.doubts.append(doubt.with_traceback(None))
            raise


@per_bits
def follow_motion(system: HybridSystem, o: ParameterSet) -> PhaseCache:
    """Return a motion up to the end of its problem."""
    return PhaseCache(followed(system.first(o), system.following(o), system.end(o)))


def follow_until(system: HybridSystem, o: ParameterSet, time: Ball) -> Iterator[PhaseEnd]:
    """Yield the phases up to the one that holds an instant; what cannot be decided beyond it does not matter."""
    ended: PhaseEnd | None = None
    try:
        for ended in follow_motion(system, o):
            yield ended
            if ended.end is None or ended.end > time:
                return
    except (Absent, Undecided):
        yield from _follow_on(system, o, ended, value(time))


def _follow_on(system: HybridSystem, o: ParameterSet, last: PhaseEnd | None, time: arb) -> Iterator[PhaseEnd]:
    """Yield the phases after one, of which the next was not decided, with a search that ends at an instant (s)."""
    if last is None:
        yield from followed(system.first(o), system.following(o), time)
    elif any(guard.marks for guard in last.phase.guards):  # the phase may go on behind it
        every = followed(system.first(o), system.following(o), time)
        yield from islice(every, len(follow_motion(system, o).kept), None)
    elif (following := find_next_phase(system, o, last)) is not None:
        yield from followed(following, system.following(o), time)


def select_phases(run: Iterable[PhaseEnd], name: str) -> Iterator[PhaseEnd]:
    """Yield the phases that events of a name end, or of several: ``"stop_parts or stop_opens"``."""
    names = name.split(" or ")
    return (ended for ended in run if ended.end is not None and ended.by in names)


def find_phase(run: PhaseCache, name: str, number: int) -> PhaseEnd:
    """Return the phase that an event ends, counted from 1; what follows it is not looked at."""
    result = next(islice(select_phases(run, name), number - 1, None), None)
    if result is None:
        raise Absent(f"there is no event {name} number {number} up to the end of the motion")
    return result


def find_next_phase(system: HybridSystem, o: ParameterSet, ended: PhaseEnd) -> Phase | None:
    """Return the phase after another, if the motion goes on; how it ends does not matter."""
    phases = iter(follow_motion(system, o))
    while next(phases) is not ended:
        pass
    try:
        following = next(phases, None)
    except (Absent, Undecided):
        event = Event(ended.by, ended.end - ended.phase.start) if ended.by else None
        return system.following(o)(ended.phase, event, ended.end, ended.phase.at(ended.end))
    return following.phase if following else None
