"""A motion as phases, each with its flow, each ended by a proved event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.deadline import Depth, check_time
from veridyn.references.engine.enclosure import Absent, Undecided, ball, decided, to_mpf
from veridyn.references.engine.events import Event, Guard, events, roots
from veridyn.references.engine.flows import Course, Flow, Row, State, apply
from veridyn.references.engine.jets import Ball, hull, value
from veridyn.references.parameters import Number, Parameter, ParameterError, check_digits, checked

MOST_PHASES = 5000
EVER, HALT = 40, arb(2) ** -40  # phases, each shorter than the one before, and of the time: what goes on has no end
INSTANT = Parameter("t", "s", "instant", "", "non-negative")
LATER = 1 + arb(2) ** -20  # beyond the end of a search, to have what straddles it


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase: kind, flow, start (s), state there, guards that may end it, instant at which it ends at the latest."""

    kind: str
    flow: Flow
    start: Ball
    state: State
    guards: Sequence[Guard] = ()
    limit: Ball | None = None  # an instant (s), not a lapse

    def __post_init__(self) -> None:
        object.__setattr__(self, "course", Course(self.flow, self.state))
        object.__setattr__(self, "instants", ((self.start, arb(0)),))

    course: Course = None  # type: ignore[assignment]
    instants: tuple[tuple[Ball, Ball], ...] = ()  # whose lapses are known better than as differences

    @property
    def words(self) -> str:
        """Its kind and its start, for a reader."""
        return f"({self.kind}) from t = {float(value(self.start)):.6g} s on"

    @property
    def lasts(self) -> bool:
        """Tell whether it is proved to last for ever."""
        return self.limit is None and all(guard.find_doubt() is None for guard in self.guards)

    def at(self, time: Ball) -> State:
        """Return the state at an instant (s)."""
        return self.course.at(next((lapse for at, lapse in self.instants if time is at), time - self.start))

    def after(self, lapse: Ball, instant: Ball | None = None) -> Ball:
        """Return the instant (s) a while after the start, from which `at` gets that while back, unrounded.

        That is ``instant`` where it is given: start and while may both depend on a parameter of which it is free.
        """
        time = self.start + lapse if instant is None else instant
        object.__setattr__(self, "instants", ((self.start, arb(0)), (time, lapse)))
        return time

    def read(self, row: Row, time: Ball) -> Ball:
        """Return a linear function of the state at an instant (s)."""
        return apply(row, self.at(time))


@dataclass(frozen=True, eq=False)
class PhaseEnd:
    """A phase with its end (s; None: it lasts) and the guard that ended it (None: the limit, or nothing).

    Where an event only marked an instant, it is the part of the phase up to there, or from there on.

    ``known``: instant (s) up to which it is proved to last; None: for ever, or up to its end.
    ``marked``: instant (s) of the mark with which it begins; None: it begins with the phase.
    """

    phase: Phase
    end: Ball
    by: str | None
    known: Ball | None = None
    marked: Ball | None = None

    @property
    def start(self) -> Ball:
        """The instant (s) with which it begins."""
        return self.phase.start if self.marked is None else self.marked

    def holds(self, time: Ball) -> bool:
        """Tell whether the phase may hold at an instant."""
        beyond = self.end if self.end is not None else self.known
        return not (time < self.start) and (beyond is None or not (time > beyond))

    def extremes(self, slope: Row, *, until: Ball | None = None, zeros: int = 0, order: int = 0) -> Iterator[Ball]:
        """Yield the instants (s) within the phase at which a slope is zero, or its derivative of an order.

        It raises `ValueError` for a phase that lasts, if no end of the search is given.
        """
        end = self.end if until is None else until
        if end is None:
            raise ValueError("a phase that lasts needs an end of the search")
        start = self.phase.start
        yield from (
            start + r for r in roots(self.phase.course, slope, end - start, zeros=zeros, order=order, name="an extreme")
        )


Following = Callable[[Phase, Event | None, Ball, State], Phase | None]  # from ended phase, event, instant, state there


def follow(first: Phase, following: Following, until: Ball | None = None) -> tuple[PhaseEnd, ...]:
    """Follow a motion from phase to phase.

    Parameters
    ----------
    first
        The first phase.
    following
        Returns the phase after an event (None: after the limit of the phase), or None where the motion ends.
    until
        Instant (s) beyond which no event is looked for; the phase that holds it is the last. An event that cannot be
        told from it belongs to the motion.

    Raises
    ------
    Undecided
        If an event cannot be proved; see `events.events`.
    Absent
        If events follow one another ever faster, as impacts do before a rest.
    ParameterError
        If there are too many phases.
    """
    return tuple(followed(first, following, until))


def followed(first: Phase, following: Following, until: Ball | None = None) -> Iterator[PhaseEnd]:
    """Yield the phases of a motion as `follow` finds them; raises as it does (`ParameterError`, `Undecided`)."""
    phase, shorter, last = first, 0, arb(0)
    for number in range(MOST_PHASES):
        check_time("phase", number + 1, phase.words, depth=Depth.PHASE)
        for ended in _parts(phase, until):
            yield ended
        if ended.end is None:
            return
        length = value(ended.end) - value(phase.start)
        shorter, last = shorter + 1 if length < last else 0, length
        # A ball that keeps a share e of its speed hops for times T, e T, e² T …: infinitely many events by T/(1 - e),
        # so that no number of phases passes that instant. Forty phases, each shorter than the one before, the last
        # 2^-40 of the time, count as such. This is a refusal and no proof: nothing is claimed of what is beyond.
        if shorter >= EVER and length < HALT * abs(value(phase.start)):
            at = float(value(ended.end))
            raise Absent(f"events follow one another ever faster about t = {at:.9g} s: no motion beyond is found")
        event = Event(ended.by, ended.end - phase.start) if ended.by else None
        after = following(phase, event, ended.end, phase.at(ended.end))
        if after is None:
            return
        phase = after
    raise ParameterError(f"more than {MOST_PHASES} phases: shorten the motion")


def _parts(phase: Phase, until: Ball | None) -> Iterator[PhaseEnd]:
    """Yield a phase in parts from mark to mark, up to its end; events surely beyond `until` are left out."""
    # The search goes a little beyond ``until``. An event whose ball straddles it might otherwise be cut off with the
    # sign of its guard open. So it is seen, and belongs to the motion.
    limit = None if phase.limit is None else phase.limit - phase.start
    horizon = limit
    if until is not None and (limit is None or not (phase.limit < until)):
        horizon = value(until - phase.start).abs_upper() * LATER
        if limit is not None and not (horizon < limit):
            horizon = limit
    marked = None
    for event in events(phase.course, phase.guards, horizon) if phase.guards else ():
        end = phase.after(event.lapse, event.instant)
        yield PhaseEnd(phase, end, event.name, marked=marked)
        if event.ends:
            return
        marked = end
    if horizon is limit:
        yield PhaseEnd(phase, phase.limit, None, marked=marked)
    else:
        yield PhaseEnd(phase, None, None, phase.start + horizon, marked)


def proved(phases: Sequence[PhaseEnd]) -> str:
    """Say what a motion took: phases, events proved to be the first, parts of pieces that were looked at."""
    whole = {id(p.phase): p.phase for p in phases}.values()
    events, parts = sum(p.by is not None for p in phases), sum(phase.course.parts for phase in whole)
    counts = {"phase": len(whole), "event": events, "part": parts}
    return ", ".join(f"{count} {what}{'s' * (count != 1)}" for what, count in counts.items())


def holding(phases: Sequence[PhaseEnd], time: Ball) -> list[Phase]:
    """Return the phases that may hold at an instant: one, or those whose common event cannot be told from it.

    It raises `Undecided` for an instant beyond the motion.
    """
    result = [p.phase for p in phases if p.holds(time)]
    if not result:
        raise Undecided("the instant lies beyond the motion")
    return result


def value_at(phases: Sequence[PhaseEnd], row: Row | Callable[[Phase], Row], time: Ball) -> Ball:
    """Return a linear function of the state at an instant (s); at an event, what holds both before and after."""
    # An instant that cannot be told from an event may lie on either side of it. Each phase encloses the state
    # on its side, and goes on smoothly beyond; so the hull holds the true value. If the state jumps there, the
    # hull is as wide as the jump.
    values = [phase.read(row(phase) if callable(row) else row, time) for phase in holding(phases, time)]
    return hull(*values)


Reading = Callable[[Sequence[Ball]], Sequence[Ball]]  # values at instants (s)


def read_each(read: Callable[[Ball], Ball]) -> Reading:
    """Return the reading that takes one instant (s) after the other."""
    return lambda times: [read(time) for time in times]


@dataclass(frozen=True)
class Motion:
    """A motion for figures and comparison of histories: what can be read at any instant (s), by name.

    ``readings``: functions of instants that return balls; ``changes``: instants (s) of the events, with the kind of
    the phase that begins.
    """

    readings: Mapping[str, Reading]
    changes: Callable[[], Sequence[tuple[Ball, str]]]
    digits: int = 30

    def _known(self, found: Ball) -> arb:
        """Return a number whose radius leaves the digits, of itself or of one; else more precision is tried.

        Figures need no derivative: where a parameter is varied it is left out.
        """
        b: arb = value(found)
        if not b.rad() * arb(10) ** self.digits < arb(1).max(abs(b.mid())):
            raise Undecided(f"nothing more than {b.str(5)} is known of the motion")
        return b

    def __call__(self, name: str, t: Number) -> mpf:
        """Return a reading at an instant (s); raises as `sample`."""
        return self.sample(name, [t])[0]

    def sample(self, name: str, instants: Sequence[Number]) -> list[mpf]:
        """Return a reading at instants (s), which share what is computed.

        Raises
        ------
        ParameterError
            For a negative instant.
        Undecided
            If the largest precision does not leave the digits.
        """
        times = [checked(INSTANT, each) for each in instants]
        result = decided(
            lambda: [self._known(each) for each in self.readings[name]([ball(time) for time in times])],
            check_digits(self.digits),
        )
        with mpmath.workdps(self.digits):
            return [+to_mpf(each) for each in result]

    def events(self) -> tuple[tuple[mpf, str], ...]:
        """Return the instants (s) of all events and the phases that begin."""
        result = decided(lambda: [(self._known(time), kind) for time, kind in self.changes()], self.digits)
        with mpmath.workdps(self.digits):
            return tuple((+to_mpf(time), kind) for time, kind in result)
