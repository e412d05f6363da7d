"""Guards that swing about a line: where they may be zero, windows of a search, events far away and at a touch."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest
from flint import arb

from veridyn.references.engine.enclosure import Undecided, precision, to_mpf
from veridyn.references.engine.events import Guard, events
from veridyn.references.engine.flows import Course, LinearFlow
from veridyn.references.engine.swings import EVER, GuardSwing, find_windows

ONE, FAR = arb(1), 10**9


def swing(height, slope, size, **more):
    return GuardSwing(*map(arb, (height, slope, size)), **more)


@pytest.mark.parametrize(
    ("guard", "doubt"),
    [
        (swing(3, 0, 2), None),
        (swing(3, 1, 2), None),
        (swing(3, -1, 2), (1, None)),
        (swing(1, 2, 5), (0, 2)),
        (swing(1, 0, 5), (0, None)),
        (swing(1, -1, 5), (0, None)),
        (swing(2, 0, 2), (0, None)),
        (swing(2, 0, 2, touches=True), None),
        (swing("nan", 1, 2), (0, None)),
        (swing(3, "nan", 2), (0, None)),
        (GuardSwing(ONE, arb(0, 1), arb(0)), (1, None)),  # the slope is not known to be zero
    ],
)
def test_where_a_guard_may_be_zero(guard, doubt):
    found = guard.find_doubt()
    if doubt is None or found is None:
        assert found is doubt
        return
    begin, end = doubt
    assert begin * 0.999 <= found[0] <= begin
    assert (found[1] is None) if end is None else end <= found[1] <= end * 1.001


def test_a_window_for_each_stretch_of_doubt():
    doubts = [(arb(100), None), (arb(0), arb(30)), None, (arb(4), arb(50))]
    windows = find_windows(doubts, arb(5), None)
    assert [(b, e, p) for b, e, p in windows] == [(0, 30, [1, 3]), (30, 50, [3]), (100, None, [0])]
    assert len(find_windows(doubts, arb(5), arb(60))) == 2
    assert find_windows([None, None], arb(5), None) == []
    assert find_windows([EVER], arb(5), None) == [(0, None, [0])]


def course(rise, start=0):
    """Return the course of (x, x', s, 1) with x'' = -x, s' = rise, from (1, 0, start)."""
    flow = LinearFlow(({1: ONE}, {0: -ONE}, {3: arb(rise)}, {}))
    return Course(flow, (ONE, arb(0), arb(start), ONE))


def test_an_event_a_milliard_radians_away():
    """10^9 + 2 - t + cos t falls where t is 10^9 + 2 + cos t; no piece before is looked at."""
    with precision(192):
        there = course(-1, FAR + 2)
        event = next(events(there, [Guard("falls", {0: ONE, 2: ONE}, swing=swing(FAR + 2, -1, 1))]))
        lapse = to_mpf(event.lapse)
    with mpmath.workdps(40):
        ends = [t for t in _fixed_points(FAR + 2) if t > FAR]
        assert abs(lapse - min(ends)) < mpmath.mpf(10) ** -30
    assert there.parts < 100


def _fixed_points(start):
    """Return the solutions of t = start + cos t: one between turns of the difference, which are not farther than 2."""
    grid = [mpmath.mpf(start) + mpmath.mpf(k) / 64 for k in range(-70, 71)]

    def off(t):
        return t - start - mpmath.cos(t)

    pairs = [(a, b) for a, b in pairwise(grid) if off(a) * off(b) < 0]
    return [mpmath.findroot(off, pair, solver="anderson", tol=1e-70) for pair in pairs]


def test_the_first_of_two_guards_is_the_one_that_falls_first():
    """Each is searched in its own window: 10^9 - t + cos t, and 10^9/2 - t."""
    with precision(192):
        late = Guard("late", {0: ONE, 2: ONE}, swing=swing(FAR, -1, 1))
        early = Guard("early", {2: ONE, 3: -arb(FAR) / 2}, swing=swing(FAR // 2, -1, 0))
        event = next(events(course(-1, FAR), [late, early]))
        assert event.name == "early"
        assert float(to_mpf(event.lapse)) == FAR / 2


def test_a_guard_that_is_positive_for_ever_ends_nothing():
    guard = Guard("never", {0: ONE, 3: arb(2)}, swing=swing(2, 0, 1))
    assert list(events(course(0), [guard])) == []
    with pytest.raises(Undecided, match="touches zero"):
        list(events(course(0), [Guard("touch", {0: ONE, 3: ONE}, swing=swing(1, 0, 1))], arb(4)))
    assert list(events(course(0), [Guard("touch", {0: ONE, 3: ONE}, swing=swing(1, 0, 1, touches=True))])) == []
