"""What is read of a motion with events: values at instants, extremes, peaks and their instants."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import arb
from sympy import Expr

from veridyn.references.deadline import Depth, check_time
from veridyn.references.engine.enclosure import Absent, Undecided, less, sign
from veridyn.references.engine.events import roots
from veridyn.references.engine.flows import LinearFlow
from veridyn.references.engine.highs import find_high_turns
from veridyn.references.engine.jets import Ball, Jet, differentiated, hull, largest, value
from veridyn.references.engine.motion import Phase, PhaseEnd
from veridyn.references.engine.shares import NONE
from veridyn.references.parameters import ParameterSet
from veridyn.references.problems.hybrid_influence import is_independent
from veridyn.references.problems.hybrid_run import (
    find_next_phase,
    find_phase,
    follow_motion,
    follow_until,
    select_phases,
)
from veridyn.references.problems.hybrid_system import HybridPhase, HybridSystem, ParameterView

Size = Callable[[Ball], Ball] | None  # of a value, for which the largest is looked for


class Candidate(NamedTuple):
    """A value of what is watched, its instant (s), whether that is an end of the stretch of time, or a turn."""

    value: Ball
    time: Ball
    is_end: bool
    turns: bool = False


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
    """Return a value at an instant (s) in phases of which one holds there."""
    return hull(*(_read(system, o, expression, time, phase, phase.at(time)) for phase in phases))


def _read(
    system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball, phase: Phase, state: Sequence[Ball]
) -> Ball:
    result: Ball = system.values((system.read(expression, phase),), system.named(o, time, state))[0]
    return result


def read_at(system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball) -> Ball:
    """Return a value at an instant (s), in all phases that may hold there; `Absent` where none does."""
    (result,) = read_along(system, o, expression, [time])
    if isinstance(time, Jet) or not isinstance(result, Jet):
        return result
    run = list(follow_until(system, o, time))
    is_alone = [ended.phase for ended in run if ended.holds(time)] == [run[-1].phase]
    return Jet(result.value, arb(0), NONE) if is_alone and is_independent(system, o, run, expression) else result


def read_along(system: HybridSystem, o: ParameterSet, expression: Expr, times: Sequence[Ball]) -> list[Ball]:
    """Return values at instants (s), each in all phases that may hold there; `Absent` where none does."""
    if not times:
        return []
    start = system.instant(system.span[0], o)
    if any(time < start for time in times):
        raise Absent("the instant lies before the start of the motion")
    run = list(follow_until(system, o, largest(times)))
    return [read_in(system, o, expression, time, _find_holding(run, time)) for time in times]


def _find_holding(run: Sequence[PhaseEnd], time: Ball) -> list[Phase]:
    """Return the phases that may hold at an instant (s); raises `Absent` if none does."""
    # those before ``first`` end before the instant: ends follow each other, however wide the balls that hold them
    first = bisect_left(run, True, key=lambda each: each.end is None or not each.end < time)
    result = [ended.phase for ended in run[first:] if ended.holds(time)]
    if not result:
        raise Absent("the motion ends before that instant")
    return result


def read_at_event(
    system: HybridSystem, o: ParameterSet, expression: Expr, event: tuple[str, int], before: bool
) -> Ball:
    """Return a value just after an event by name and number, or just before it."""
    ended = find_event(system, o, *event)
    follows = None if before else find_next_phase(system, o, ended)
    if follows is None or follows is ended.phase:  # the motion ends, or an event marks an instant of a phase
        return _read_at_edge(system, o, expression, ended.end, ended)
    assert isinstance(follows, HybridPhase)
    result = _read(system, o, expression, ended.end, follows, follows.at(ended.end))
    return _read_by_facts(system, o, expression, follows, result, follows.facts)


def find_largest(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the largest value of what is watched between two instants (s)."""
    return largest(candidate.value for candidate in _candidates(system, o, after, until, _itself))


def find_where_largest(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the instant (s) at which what is watched is largest between two instants (s).

    Raises
    ------
    Absent
        If the motion ends before.
    Undecided
        If more than one instant may be it.
    """
    candidates = _candidates(system, o, after, until, _itself)
    return _single_out(candidates, _itself, "at which of several instants the value is largest").time


def find_peak(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the largest magnitude of what is watched between two instants (s); raises as `_list_peaks`."""
    return largest(each.value for each in _list_peaks(system, o, after, until))


def find_peak_time(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the instant (s) of the peak; raises as `_list_peaks`, `Undecided` too where two are equally high."""
    return _single_out(_list_peaks(system, o, after, until), _itself, "two peaks are equally high, or nearly").time


def _list_peaks(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> list[Candidate]:
    """Return magnitudes of what is watched between two instants (s), the largest of all among them.

    Raises
    ------
    Absent
        If the magnitude at one of the two instants is larger than all between.
    Undecided
        If the precision does not tell.
    """
    seen = [each._replace(value=abs(each.value)) for each in _candidates(system, o, after, until, abs)]
    inner = [each for each in seen if not each.is_end]
    height = largest([arb(0), *(each.value for each in inner)])
    rivals = (each.value for each in seen if each.is_end)
    if not all(less(rival, height, "a peak and the value at an end of the span differ") for rival in rivals):
        raise Absent("the largest magnitude lies at an end of the span, at no turning point between")
    return inner


def find_turn(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return what is watched at the turn of largest magnitude between two instants (s); raises as `_find_turn`."""
    return _find_turn(system, o, after, until).value


def find_turn_time(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Ball:
    """Return the instant (s) of the turn of largest magnitude between two instants (s); raises as `_find_turn`."""
    return _find_turn(system, o, after, until).time


def _find_turn(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball) -> Candidate:
    """Return the turn of largest magnitude, whatever the values at ends of the stretch and of phases.

    Raises
    ------
    Absent
        If nothing turns.
    Undecided
        If two turns may be it.
    """
    turns = [each for each in _candidates(system, o, after, until, None) if each.turns]
    if not turns:
        raise Absent("there is no turning point in that stretch of time")
    return _single_out(turns, abs, "two turns are equally high, or nearly")


def find_nearest_turns(system: HybridSystem, o: ParameterSet, until: Ball) -> list[Ball | None]:
    """Return the least magnitude at the turns of what is watched in every phase; None where it does not turn.

    A turn that cannot be told from the end of its phase, or from ``until`` (s), is among them.
    """
    (expression,), result = system.watched, list[Ball | None]()
    for ended in follow_until(system, o, until):
        phase, end = ended.phase, until if ended.end is None or ended.end > until else ended.end
        assert isinstance(phase, HybridPhase)
        times = [phase.start + lapse for lapse in _turns(phase, ended.start, end, None)]
        values = [abs(read_in(system, o, expression, time, [phase])) for time in times if not time < ended.start]
        result.append(-largest([-each for each in values]) if values else None)
        if ended.end is None or not ended.end < until:
            break
    return result


def _single_out(candidates: Sequence[Candidate], size: Callable[[Ball], Ball], doubt: str) -> Candidate:
    """Return the candidate of largest size; raises `Undecided` with the doubt if more than one may be it."""
    least = largest([value(size(each.value)).lower() for each in candidates])
    result = [each for each in candidates if not value(size(each.value)) < least]
    if len(result) > 1:
        raise Undecided(doubt)
    return result[0]


def _itself(ball: Ball) -> Ball:
    return ball


def _candidates(system: HybridSystem, o: ParameterSet, after: Ball, until: Ball, size: Size) -> list[Candidate]:
    """Return the values of what is watched between two instants among which those of largest size are; None: all."""
    result: list[Candidate] = []
    for ended in follow_until(system, o, until):
        end = until if ended.end is None or ended.end > until else ended.end
        # After an event, a phase that it has ended is over: its last value is that before the reset.
        if not (end < after or ended.end is after):
            begin = after if ended.start < after else ended.start
            result += _of_phase(system, o, ended, (begin, end), (not result, end is until), size)
        if ended.end is None or not ended.end < until:
            break
    if not result:
        raise Absent("the motion ends before that stretch of time")
    return _join_ends(result)


def _of_phase(
    system: HybridSystem,
    o: ParameterSet,
    ended: PhaseEnd,
    stretch: tuple[Ball, Ball],
    are_ends: tuple[bool, bool],
    size: Size,
) -> Iterator[Candidate]:
    """Yield the values of what is watched at both ends of a stretch of a phase, and where it turns between."""
    phase, (begin, end) = ended.phase, stretch
    assert isinstance(phase, HybridPhase)
    check_time("a phase", phase.words, depth=Depth.PHASE)
    (expression,) = system.watched
    first, last = (
        Candidate(_read_at_edge(system, o, expression, time, ended), time, is_end)
        for time, is_end in zip(stretch, are_ends, strict=True)
    )
    yield first
    for lapse in _turns(phase, begin, end, size):
        time = phase.start + lapse
        if not time < begin:
            turned = read_in(system, o, expression, time, [phase])
            # A turn that cannot be told from an end lies on either side of it: then the end has the extreme itself.
            near = [each.value for each, apart in ((first, begin < time), (last, time < end)) if not apart]
            yield Candidate(hull(turned, *near), time, is_end=False, turns=True)
    yield last


def _turns(phase: HybridPhase, begin: Ball, end: Ball, size: Size) -> Iterator[Ball]:
    """Yield the lapses (s) at which what is watched turns up to an instant (s), but surely smaller turns of a flow."""
    (watched,) = phase.watched
    if watched is None:
        return
    after, until = begin - phase.start, end - phase.start
    if isinstance(phase.flow, LinearFlow) and size is not None:
        yield from find_high_turns(phase.course, watched.row, after, until, size, watched.zeros)
    else:
        zeros, late = watched.zeros, watched.late
        yield from roots(phase.course, watched.row, until, zeros=zeros, late=late, order=1, inside=False)


def _join_ends(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with one in place of two where a phase ends and the next begins: the larger one."""
    result: list[Candidate] = []
    for each in candidates:
        shares = result and result[-1].time is each.time and not each.is_end
        result.append(each._replace(value=largest([result.pop().value, each.value])) if shares else each)
    return result


def _read_at_edge(system: HybridSystem, o: ParameterSet, expression: Expr, time: Ball, ended: PhaseEnd) -> Ball:
    """Return a value where a stretch of a phase begins or ends: an exact zero where it is one, as a force that ends."""
    phase = ended.phase
    assert isinstance(phase, HybridPhase)
    state: Sequence[Ball] = phase.at(time)
    facts: Mapping[Expr, Expr] = phase.facts if time is phase.start else {}
    if time is ended.end and (place := phase.mode.find_place(ended.by)) is not None:
        facts = system.read_relations(o, phase.mode, place)
        state = system.sharpen(o, phase.mode, place, state)
    return _read_by_facts(system, o, expression, phase, _read(system, o, expression, time, phase, state), facts)


def _read_by_facts(
    system: HybridSystem, o: ParameterSet, expression: Expr, phase: HybridPhase, value: Ball, facts: Mapping[Expr, Expr]
) -> Ball:
    """Return a value in a phase where some expressions are exact: an exact zero where they say so."""
    if sign(value) or differentiated(value):
        return value
    return arb(0) if facts and system.is_zero(o, system.read(expression, phase), facts) else value


def with_slope(read: Callable[[Any], Ball]) -> Callable[[Any], Ball]:
    """Return a reading whose derivative is zero where the parameter that is varied does not enter."""

    # Parameters of a motion are read as balls alone, with their slopes: what comes without one does not depend on them.
    def read_all(o: Any) -> Ball:
        result = read(o)
        return Jet(result, arb(0), NONE) if o.varied and not differentiated(result) else result

    return read_all
