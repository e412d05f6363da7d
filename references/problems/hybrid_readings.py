"""What is read of a proved motion: values at instants and at the edges of phases, extremes and where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import arb
from sympy import Expr

from veridyn.references.engine.enclosure import Absent, Undecided, less, sign
from veridyn.references.engine.events import roots
from veridyn.references.engine.jets import Ball, Jet, differentiated, hull, largest, value
from veridyn.references.engine.motion import Phase, PhaseEnd
from veridyn.references.engine.shares import NONE
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_system import (
    HybridPhase,
    HybridSystem,
    ParameterView,
    find_phase,
    follow_motion,
    follow_until,
    select_phases,
)


class Candidate(NamedTuple):
    """An instant (s) at which an extreme may be, and the value there."""

    time: Ball
    value: Ball


@dataclass(frozen=True)
class PartView(ParameterView):
    """Parameters and quantities as attributes, made where they are read."""

    _parts: Mapping[str, Callable[[ParameterSet], Any]]

    def __getattr__(self, name: str) -> Any:
        return self._parts[name](self._record) if name in self._parts else super().__getattr__(name)


def find_event(system: HybridSystem, o: ParameterSet, name: str, number: int) -> PhaseEnd:
    """Return the phase that an event ends, counted from 1, or -1 for the last before the end; else raises `Absent`."""
    run = follow_motion(system, o)
    if number > 0:
        return find_phase(run, name, number)
    end = system.end(o)
    every = [p for p in select_phases(run, name) if less(p.end, end, f"{name} and the end of the motion agree")]
    if not every:
        raise Absent(f"there is no event {name} up to the end of the motion")
    return every[-1]


def read_in(system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball, phases: Sequence[Phase]) -> Ball:
    """Return a value at an instant, in whichever of some phases holds."""
    result = [
        system.values((system.read(expression, phase),), system.named(o, time, phase.at(time)))[0] for phase in phases
    ]
    return hull(*result)


def read_at(system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball) -> Ball:
    """Return a value at an instant, in all phases that may hold there; raises `Absent` beyond the motion."""
    phases = [ended.phase for ended in follow_until(system, o, time) if ended.holds(time)]
    if not phases:
        raise Absent("the motion ends before that instant")
    return read_in(system, o, expression, time, phases)


def find_largest(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the largest value of what is watched between two instants; raises `Absent` beyond the motion."""
    return largest([each.value for each in _find_candidates(system, o, after, until)])


def find_where_largest(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the instant (s) at which what is watched is largest between two instants.

    Raises
    ------
    Absent
        If the motion ends before.
    Undecided
        If more than one instant may be it.
    """
    candidates = _find_candidates(system, o, after, until)
    least = largest([value(each.value).lower() for each in candidates])
    result = [each for each in candidates if not value(each.value) < least]
    if len(result) > 1:
        raise Undecided("at which of several instants the value is largest")
    return result[0].time


def _find_candidates(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> list[Candidate]:
    """Return the candidates for the largest value of what is watched between two instants."""
    result: list[Candidate] = []
    for ended in follow_until(system, o, until):
        end = until if ended.end is None or ended.end > until else ended.end
        if not end < after:
            begin = after if ended.start < after else ended.start
            result += _in_phase(system, o, ended, begin, end)
        if ended.end is None or not ended.end < until:
            break
    if not result:
        raise Absent("the motion ends before that stretch of time")
    return result


def _in_phase(system: HybridSystem, o: ParameterSet, ended: PhaseEnd, begin: Ball, end: Ball) -> Iterator[Candidate]:
    """Yield the values of what is watched at both ends of a stretch of a phase, and where it turns between."""
    phase = ended.phase
    assert isinstance(phase, HybridPhase)
    (expression,), (watched,) = system.watched, phase.watched
    ends = [Candidate(time, _read_at_edge(system, o, expression, time, ended)) for time in (begin, end)]
    yield from ends
    if watched is None:
        return
    for lapse in roots(
        phase.course, watched.row, end - phase.start, zeros=watched.zeros, late=watched.late, order=1, inside=False
    ):
        time = phase.start + lapse
        if not time < begin:
            turned = read_in(system, o, expression, time, [phase])
            # A turn that cannot be told from an end lies on either side of it: then the end has the extreme itself.
            near = [e.value for e, apart in zip(ends, (begin < time, time < end), strict=True) if not apart]
            yield Candidate(time, hull(turned, *near))


def _read_at_edge(system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball, ended: PhaseEnd) -> Ball:
    """Return a value where a stretch of a phase begins or ends: an exact zero where it is one, as a force that ends."""
    phase = ended.phase
    assert isinstance(phase, HybridPhase)
    result = read_in(system, o, expression, time, [phase])
    if sign(result) or differentiated(result):
        return result
    facts = phase.facts if time is phase.start else system.read_facts(o, phase, ended.by) if time is ended.end else {}
    return arb(0) if facts and system.is_zero(o, system.read(expression, phase), facts) else result


def with_slope(read: Callable[[Any], Ball]) -> Callable[[Any], Ball]:
    """Return a reading whose derivative is zero where the parameter that is varied does not enter."""

    # Parameters of a motion are read as balls alone, with their slopes: what comes without one does not depend on them.
    def read_all(o: Any) -> Ball:
        result = read(o)
        return Jet(result, arb(0), NONE) if o.varied and not differentiated(result) else result

    return read_all
