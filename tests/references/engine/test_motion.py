"""Motions as phases: where they end and begin, what is read at an instant, what has no end."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from veridyn.references.engine import motion
from veridyn.references.engine.enclosure import Absent, Undecided, ball, precision
from veridyn.references.engine.events import Guard
from veridyn.references.engine.flows import LinearFlow
from veridyn.references.engine.jets import Jet
from veridyn.references.engine.motion import (
    Motion,
    Phase,
    PhaseEnd,
    follow,
    followed,
    holding,
    proved,
    read_each,
    value_at,
)
from veridyn.references.parameters import ParameterError, exact

ONE, ZERO = arb(1), arb(0)
X, V = {0: ONE}, {1: ONE}
FALL = LinearFlow(({1: ONE}, {2: -arb(2)}, {}), longest=arb(4))  # x'' = -2
SWING = LinearFlow(({1: ONE}, {0: -ONE}))
GROUND = Guard("ground", X, 1)


@pytest.fixture(autouse=True)
def _bits():
    with precision(192):
        yield


def bouncing(height, count, share=ONE / 2):
    """A ball that falls and keeps a share of its speed at each of the first bounces: the first phase, what follows."""

    def following(phase, event, time, state):
        number = int(phase.kind) + 1
        assert event.name == "ground"
        there = (ZERO, -state[1] * share, ONE)
        return Phase(str(number), FALL, time, there, (GROUND,)) if number <= count else None

    return Phase("0", FALL, ZERO, (height, ZERO, ONE), (Guard("ground", X),)), following


def swinging(*guards, limit=None, start=ZERO):
    """cos(t - start)."""
    return Phase("free", SWING, start, (ONE, ZERO), guards, limit)


def test_phases_follow_each_other_and_carry_derivatives():
    """Bounce n is at sqrt(p) (1 + 1 + 1/2 + …): its derivative is half of that over p."""
    phases = follow(*bouncing(ball(exact("1/4").varied()), 5))
    last = phases[-1].end
    assert last.value.overlaps(arb(0.5) * (1 + 2 * (1 - arb(2) ** -5)))
    assert last.slope.overlaps(2 * last.value)
    assert last.slope.rel_accuracy_bits() > 150
    assert [phase.by for phase in phases] == ["ground"] * 6
    assert proved(phases).startswith("6 phases, 6 events, ")


def test_events_count_from_the_start_of_their_phase_and_ends_from_that_of_the_motion():
    lapses = []
    first, following = bouncing(ONE / 4, 2)

    def watching(phase, event, time, state):
        lapses.append(event.lapse)
        return following(phase, event, time, state)

    phases = follow(first, watching)
    assert [t.overlaps(arb(x) / 4) for t, x in zip(lapses, (2, 2, 1), strict=True)] == [True] * 3
    assert [p.end.overlaps(arb(x) / 4) for p, x in zip(phases, (2, 4, 5), strict=True)] == [True] * 3
    (top,) = phases[1].extremes(V)
    assert top.overlaps(arb(3) / 4)


def test_events_ever_faster_have_no_end():
    """Each flight is half as long as the one before: more than forty, and 2^-40 of the time."""
    found = followed(*bouncing(ONE / 4, 10**6))
    phases = []
    with pytest.raises(Absent, match=r"t = 1\.5 s"):
        phases.extend(found)  # what was found before the end stays
    first, following = bouncing(ONE / 4, 30)
    assert len(follow(first, following)) == 31


def test_flights_that_are_as_long_as_the_one_before_may_go_on():
    phases = follow(*bouncing(ONE / 4, 60, ONE), until=arb(50))
    assert len(phases) == 51
    assert phases[-1].end is None


def test_flights_that_shorten_slowly_may_go_on():
    assert len(follow(*bouncing(ONE, 60, arb("0.9")))) == 61


def test_too_many_phases_are_refused(monkeypatch):
    monkeypatch.setattr(motion, "MOST_PHASES", 4)
    assert len(follow(*bouncing(ONE / 4, 3))) == 4
    with pytest.raises(ParameterError):
        follow(*bouncing(ONE / 4, 4))


# ---- ends of phases


def test_a_phase_ends_at_its_limit():
    def then(phase, event, time, state):
        assert event is None
        assert state[0].overlaps(arb(2).cos())
        return

    (found,) = follow(swinging(limit=arb(2)), then)
    assert (found.end, found.by) == (2, None)
    (found,) = follow(swinging(Guard("zero", X, passes="crosses"), limit=ONE), lambda *_: None)
    assert (found.end, found.by) == (1, None)


def test_an_event_before_the_limit_ends_the_phase_and_one_behind_it_does_not():
    for limit, by in ((arb(2), "zero"), (arb("1.5"), None)):
        (found,) = follow(swinging(Guard("zero", X), limit=limit), lambda *_: None)
        assert found.by == by
        assert found.end.overlaps(arb.pi() / 2 if by else limit)


def test_limits_are_instants_not_lapses():
    (found,) = follow(swinging(Guard("zero", X), limit=arb(4), start=arb(3)), lambda *_: None)
    assert (found.end, found.by) == (4, None)


@pytest.mark.parametrize(("until", "count"), [("1.5", 0), ("2", 1)])
def test_a_search_ends_where_it_is_said_to(until, count):
    phases = follow(swinging(Guard("zero", X)), lambda *_: None, arb(until))
    assert sum(phase.by == "zero" for phase in phases) == count
    if not count:
        (found,) = phases
        assert found.end is None
        assert arb(until) < found.known < arb(until) * 1.00001


def test_a_limit_before_the_end_of_the_search_is_an_end_and_one_beyond_is_none():
    limited = swinging(Guard("low", {0: ONE, 1: arb(0)}), limit=ONE)
    (found,) = follow(limited, lambda *_: None, arb("1.25"))
    assert found.end == 1
    (found,) = follow(limited, lambda *_: None, arb("0.5"))
    assert found.end is None
    (found,) = follow(limited, lambda *_: None, ONE)
    assert found.end == 1


def test_marks_part_a_phase():
    mark = Guard("top", X, passes="crosses", marks=True)
    parts = follow(swinging(mark, limit=arb(5)), lambda *_: None)
    assert [part.by for part in parts] == ["top", "top", None]
    assert parts[0].start == 0
    assert parts[1].start.overlaps(arb.pi() / 2)
    assert parts[2].start.overlaps(3 * arb.pi() / 2)
    assert [part.end is not None for part in parts] == [True] * 3
    assert proved(parts).startswith("1 phase, 2 events, ")


def test_without_guards_nothing_is_searched():
    endless = Phase("free", LinearFlow(({1: ONE}, {}), ONE), ZERO, (ZERO, ONE), (), arb(10) ** 30)
    (found,) = follow(endless, lambda *_: None)
    assert found.end == arb(10) ** 30
    assert proved([found]) == "1 phase, 0 events, 0 parts"


# ---- what holds when


def test_a_phase_holds_from_its_start_to_its_end():
    ended = PhaseEnd(swinging(start=ONE), arb(3), "zero")
    assert [ended.holds(arb(t)) for t in ("0.9", "1", "2", "3", "3.1")] == [False, True, True, True, False]
    assert ended.holds(arb(3, 0.5))
    assert ended.holds(arb(1, 0.5))
    lasting = PhaseEnd(swinging(), None, None, known=arb(2))
    assert [lasting.holds(arb(t)) for t in ("1", "2", "2.1")] == [True, True, False]
    assert PhaseEnd(swinging(), None, None).holds(arb(10) ** 9)
    marked = PhaseEnd(swinging(), arb(3), None, marked=arb(2))
    assert [marked.holds(arb(t)) for t in ("1", "2.5")] == [False, True]


def test_at_an_event_both_sides_are_read():
    phases = follow(*bouncing(ONE / 4, 3))
    speed = value_at(phases, V, phases[0].end)
    assert speed.contains(-1)
    assert speed.contains(ONE / 2)
    assert not speed.contains(ONE)
    assert len(holding(phases, phases[0].end)) == 2
    assert len(holding(phases, arb("0.75"))) == 1
    assert value_at(phases, X, arb("0.75")).overlaps(arb("0.0625"))


def test_a_row_may_depend_on_the_phase():
    phases = follow(*bouncing(ONE / 4, 3))
    rows = {"0": X, "1": V}
    assert value_at(phases, lambda phase: rows[phase.kind], arb("0.25")).overlaps(arb("0.1875"))
    assert value_at(phases, lambda phase: rows[phase.kind], arb("0.625")).overlaps(arb("0.25"))


def test_beyond_the_motion_nothing_is_read():
    phases = follow(swinging(Guard("zero", X)), lambda *_: None, arb(1))
    assert value_at(phases, X, arb(1)).overlaps(arb(1).cos())
    with pytest.raises(Undecided):
        value_at(phases, X, arb(2))


def test_states_are_read_at_instants_of_the_motion():
    phase = swinging(start=arb(2))
    assert phase.at(arb(3))[1].overlaps(-ONE.sin())
    assert phase.read({0: arb(2), 1: ONE}, arb(3)).overlaps(2 * ONE.cos() - ONE.sin())


def test_extremes_lie_within_the_phase_or_up_to_an_end():
    ended = PhaseEnd(swinging(start=ONE), arb(8), None)
    turns = list(ended.extremes(V, zeros=1))
    assert [t.overlaps(1 + arb.pi() * k) for t, k in zip(turns, (1, 2), strict=True)] == [True, True]
    assert len(list(ended.extremes(V, zeros=1, until=arb(5)))) == 1
    inflections = list(ended.extremes(V, order=1, until=arb(5)))
    assert [t.overlaps(1 + arb.pi() / 2) for t in inflections] == [True]
    with pytest.raises(ValueError, match="end"):
        list(PhaseEnd(swinging(), None, None).extremes(V, zeros=1))


# ---- motions for figures


def wave(digits=30):
    return Motion({"x": read_each(lambda t: t.sin())}, lambda: [(arb.pi(), "back"), (2 * arb.pi(), "again")], digits)


def test_a_reading_has_its_digits():
    with mpmath.workdps(40):
        assert abs(wave()("x", "1.25") - mpmath.sin(mpmath.mpf("1.25"))) < mpmath.mpf(10) ** -29
    assert abs(wave()("x", 0)) == 0
    with pytest.raises(ParameterError):
        wave()("x", "-1")


def test_events_have_their_digits_and_kinds():
    (first, back), (second, again) = wave().events()
    assert (back, again) == ("back", "again")
    with mpmath.workdps(40):
        assert abs(first - mpmath.pi) < mpmath.mpf(10) ** -28
        assert abs(second - 2 * mpmath.pi) < mpmath.mpf(10) ** -28


def test_what_has_no_digits_is_undecided():
    for radius, enough in ((1.5e-30, False), (0.5e-30, True)):
        rough = Motion({"x": read_each(lambda _, radius=radius: arb(1, radius))}, list)
        if enough:
            assert abs(rough("x", 1) - 1) < 1e-28
        else:
            with pytest.raises(Undecided):
                rough("x", 1)


def test_digits_of_large_numbers_are_relative_and_of_small_ones_absolute():
    large = Motion({"x": read_each(lambda _: arb(10**20, 1e-12))}, list)
    assert float(large("x", 1)) == 1e20
    small = Motion({"x": read_each(lambda _: arb(1e-20, 1e-31))}, list)
    assert abs(float(small("x", 1)) - 1e-20) < 1e-30


def test_figures_of_a_motion_leave_derivatives_out():
    varied = Jet(arb(2), ONE)
    shown = Motion({"x": read_each(lambda _: varied)}, lambda: [(varied, "free")], 12)
    assert shown.events() == ((2, "free"),)
    assert shown("x", 1) == 2
