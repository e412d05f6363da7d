"""Events of a phase: each root enclosed, in order, the first one proved; undecided where two may be or none."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace

import pytest
from flint import arb, arb_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.engine.enclosure import Undecided, ball, precision
from veridyn.references.engine.events import Event, Guard, events, newton, roots
from veridyn.references.engine.flows import Course, LinearFlow
from veridyn.references.engine.jets import Jet
from veridyn.references.parameters import exact

ONE, ZERO = arb(1), arb(0)
X, V = {0: ONE}, {1: ONE}
LINES = LinearFlow(({1: ONE}, {}), longest=ONE)  # x' = c: pieces of one second


@pytest.fixture(autouse=True)
def _bits():
    with precision(192):
        yield


def first_event(course, guards, limit=None) -> Event | None:
    return next(events(course, guards, limit), None)


def oscillator(square=1) -> LinearFlow:
    """x'' = -square x, the constant 1, and the time t as its third and fourth state."""
    return LinearFlow(({1: ONE}, {0: -arb(square)}, {}, {2: ONE}))


def swing(x=0, v=0, square=1) -> Course:
    return Course(oscillator(square), (arb(x), arb(v), ONE, ZERO))


def until(instant) -> Guard:
    """End a phase at an instant."""
    return Guard("end", {2: arb(instant), 3: -ONE})


def narrow(lapse, truth) -> bool:
    """Tell whether a ball holds a number and little beside it."""
    return bool(lapse.overlaps(truth) and lapse.rad() < arb(2) ** -150)


class Pieces:
    """A polynomial of the time in pieces of given lengths, each as long as it may be looked at."""

    def __init__(self, zeros, lengths):
        self.lengths, self.function = [arb(length) for length in lengths], arb_poly([1])
        for zero in zeros:
            self.function *= arb_poly([-arb(zero), 1])

    def pieces(self, _state):
        begin = arb(0)
        for length in self.lengths:
            yield SimpleNamespace(
                length=length, polynomial=lambda _, at=begin, by=length: self.function(arb_poly([at, by]))
            )
            begin += length

    def find_order(self, _state):
        return 0


@pytest.mark.parametrize("lengths", [(1, 2, 2, 2), (2, 1, 2, 2), (1, "0.0625", "0.03125", 2, 4), (4, "0.125", 2, 1)])
@pytest.mark.parametrize("behind", ["0.04", "0.09", "0.2"])
def test_no_root_at_a_seam_of_pieces_is_lost_or_doubled(lengths, behind):
    """A root on a seam lets its piece end later, so that the next one begins later, by seconds and not by a share."""
    seam = arb(lengths[0])
    zeros = [seam, seam + arb(behind), arb(5)]
    found = list(roots(Course(Pieces(zeros, lengths), (ZERO,)), X, arb(6)))
    assert len(found) == 3
    assert all(narrow(root, zero) for root, zero in zip(found, zeros, strict=True))


# ---- which roots are events


def test_the_first_root_is_enclosed():
    event = first_event(swing(v=1, square=7), [Guard("back", X, zeros=1)])
    assert event.name == "back"
    assert event.ends
    assert narrow(event.lapse, arb.pi() / arb(7).sqrt())


def test_of_several_guards_the_first_that_falls_ends_the_phase():
    guards = [Guard("late", {0: ONE, 2: ONE / 2}), Guard("early", {0: ONE, 2: -ONE / 2})]
    found = list(events(swing(x=1), guards))
    assert [event.name for event in found] == ["early"]
    assert narrow(found[0].lapse, arb.pi() / 3)


@pytest.mark.parametrize(("x", "thirds"), [(1, [3, 15]), (-1, [9, 21])])
def test_a_guard_that_may_be_negative_counts_where_it_falls(x, thirds):
    """±cos t falls through zero at π/2 or 3π/2, and a period later."""
    guard = Guard("top", X, passes="falls", marks=True)
    found = list(events(swing(x), [guard], arb(12)))
    assert [narrow(e.lapse, arb.pi() * k / 6) for e, k in zip(found, thirds, strict=True)] == [True, True]
    first = first_event(swing(x), [Guard("top", X, passes="falls")])
    assert narrow(first.lapse, arb.pi() * thirds[0] / 6)


@pytest.mark.parametrize("x", [1, -1])
def test_a_guard_that_crosses_counts_every_root(x):
    found = list(events(swing(x), [Guard("zero", X, passes="crosses", marks=True)], arb(12)))
    assert [narrow(e.lapse, arb.pi() * (2 * k + 1) / 2) for k, e in enumerate(found)] == [True] * 4
    assert not any(event.ends for event in found)


def test_marks_come_in_order_up_to_the_event_that_ends_the_phase():
    watched = [
        until(5),
        Guard("turn", V, passes="crosses", marks=True, zeros=1),
        Guard("zero", X, passes="crosses", marks=True),
    ]
    found = list(events(swing(x=1), watched))
    assert [event.name for event in found] == ["zero", "turn", "zero", "end"]
    assert [event.ends for event in found] == [False, False, False, True]
    truth = (arb.pi() / 2, arb.pi(), 3 * arb.pi() / 2, arb(5))
    assert all(narrow(event.lapse, t) for event, t in zip(found, truth, strict=True))


def test_marks_do_not_end_a_motion():
    endless = events(swing(x=1), [Guard("zero", X, passes="crosses", marks=True)])
    assert [narrow(e.lapse, arb.pi() * (2 * k + 1) / 2) for k, e in enumerate(islice(endless, 5))] == [True] * 5


def test_a_guard_that_is_negative_at_the_start_is_undecided():
    for guards in ([Guard("gap", X)], [Guard("gap", X), until(1)], [until(1), Guard("gap", X)]):
        with pytest.raises(Undecided, match="gap is violated"):
            first_event(swing(x=-1), guards)


def test_no_event_up_to_a_limit_is_none():
    guard = Guard("zero", X)
    assert first_event(swing(x=1), [guard], arb("1.5707")) is None
    assert first_event(swing(x=1), [guard], arb("1.5708")).name == "zero"
    assert list(events(swing(x=1), [guard], arb(0.25))) == []


def test_an_event_on_the_limit_is_undecided():
    with pytest.raises(Undecided):
        first_event(swing(x=1), [Guard("zero", X)], arb.pi() / 2)


def test_what_comes_after_the_limit_does_not_matter():
    """At t = 2π, sin² (t/2) touches zero; the search ends before, within a piece or where one ends."""
    touching = Guard("touch", {0: -ONE, 2: ONE}, zeros=2)
    course = swing(x=1)
    ends = [begins for begins, _ in islice(course.pieces(), 4)]
    assert arb(6) in ends
    for limit in (*ends[1:], arb("5.9"), arb("6.1")):
        assert first_event(course, [touching], limit) is None
    with pytest.raises(Undecided, match="touch touches zero"):
        first_event(swing(x=1), [touching], arb(7))


@pytest.mark.parametrize("marks", [True, False])
def test_events_that_may_coincide_are_undecided(marks):
    with pytest.raises(Undecided, match="coincide"):
        list(events(swing(x=1), [Guard("a", X), Guard("b", {0: arb(2)}, marks=marks)]))
    with pytest.raises(Undecided, match="coincide"):
        list(events(swing(x=1), [until(arb.pi() / 2), Guard("b", X, marks=marks)]))


def test_events_next_to_each_other_are_told_apart():
    near = arb.pi() / 2 + arb(10) ** -40
    found = list(events(swing(x=1), [until(near), Guard("zero", X, marks=True)]))
    assert [event.name for event in found] == ["zero", "end"]


# ---- where a phase begins


@pytest.mark.parametrize(
    ("zeros", "state", "root"),
    [(1, (0, -1, 1), 2), (2, (0, 0, -1, 1), 3), (3, (0, 0, 0, -1, 1), 4)],
)
def test_a_guard_that_vanishes_at_the_start_has_its_later_roots(zeros, state, root):
    """-t + t²/2, -t²/2 + t³/6 and so on."""
    n = len(state)
    power = LinearFlow(tuple({i + 1: ONE} if i + 1 < n else {} for i in range(n)), longest=arb(8))
    guard = Guard("zero", X, zeros=zeros, passes="crosses")
    event = first_event(Course(power, tuple(map(arb, state))), [guard])
    assert narrow(event.lapse, arb(root))


def test_a_guard_that_is_zero_at_the_start_unsaid_is_undecided():
    with pytest.raises(Undecided, match="zero where a phase begins"):
        first_event(swing(v=1), [Guard("back", X)])


def test_a_guard_that_is_said_to_vanish_and_does_not_is_undecided():
    with pytest.raises(Undecided, match="does not begin at zero"):
        first_event(swing(x=1), [Guard("back", X, zeros=1)])


@given(late=st.floats(-1e-20, 1e-20))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_a_guard_may_vanish_next_to_the_start(late):
    state = (-arb(late).sin() + arb(0, 1e-40), arb(late).cos(), ONE, ZERO)
    event = first_event(Course(oscillator(), state), [Guard("back", X, 1, arb(late) + arb(0, 1e-39))])
    assert event.lapse.overlaps(arb.pi() + arb(late))


# ---- where a piece ends


def test_a_root_where_a_piece_ends_is_met_once():
    for instants in ([1], [2], [1, 3], [1, 2], [arb(17) / 16], [1, arb(17) / 16]):
        marks = [Guard(str(t), {0: -ONE, 1: arb(t)}, passes="crosses", marks=True) for t in instants]
        found = list(events(Course(LINES, (ZERO, ONE)), marks, arb(10)))
        assert [narrow(event.lapse, arb(t)) for event, t in zip(found, instants, strict=True)] == [True] * len(instants)


def test_guards_that_vanish_wherever_a_piece_may_end_are_undecided():
    marks = [Guard("a", {0: -ONE, 1: arb(t)}, passes="crosses", marks=True) for t in (1, arb(17) / 16, arb(9) / 8)]
    with pytest.raises(Undecided, match="stays near zero"):
        list(events(Course(LINES, (ZERO, ONE)), marks, arb(10)))


@given(phase=st.floats(0.01, 3.13), rate=st.floats(0.1, 30.0))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_all_roots_of_an_oscillator(phase, rate):
    """sin(w t + a) is zero at (k π - a)/w, as often as that is below the limit."""
    w, a, limit = arb(rate), arb(phase), 20 / arb(rate)
    found = list(roots(Course(oscillator(w * w), (a.sin(), w * a.cos(), ONE, ZERO)), X, limit))
    count = int((20 + phase) / 3.141592653589793)
    assert len(found) == count
    assert all(narrow(w * t, (k + 1) * arb.pi() - a) for k, t in enumerate(found))


@pytest.mark.parametrize("depth", [10, 40])
def test_a_dip_however_short_is_two_roots_and_a_near_miss_none(depth):
    """cos t + 1 ± 10^-depth near π: what any number of samples would pass over."""
    shift = arb(10) ** -depth
    with precision(400):
        below, above = list(roots(swing(x=1), {0: ONE, 2: 1 - shift}, arb(6)))
        assert below < arb.pi() < above
        assert (above - below).overlaps(2 * (1 - shift).acos()) or (above + below).overlaps(2 * arb.pi())
        assert list(roots(swing(x=1), {0: ONE, 2: 1 + shift}, arb(6))) == []


def test_a_touch_is_undecided():
    with pytest.raises(Undecided, match="touches zero"):
        list(roots(swing(x=1), {0: ONE, 2: ONE}, arb(6)))


# ---- roots up to a limit, of a rate, with a derivative


def test_a_root_that_may_lie_beyond_the_limit_is_undecided_or_yielded():
    assert len(list(roots(swing(x=1), X, arb(5)))) == 2
    limit = arb.pi() / 2
    with pytest.raises(Undecided):
        list(roots(swing(x=1), X, limit))
    (found,) = roots(swing(x=1), X, limit, inside=False)
    assert narrow(found, limit)
    assert list(roots(swing(x=1), X, limit - arb(10) ** -30, inside=False)) == []


def test_roots_of_a_rate_are_turns():
    turns = list(roots(swing(x=1, square=4), X, arb(5), order=1, zeros=1))
    assert [narrow(t, arb.pi() * (k + 1) / 2) for k, t in enumerate(turns)] == [True] * 3


@pytest.mark.parametrize(("row", "order", "share"), [(X, 0, ONE / 2), (V, 0, ONE), (X, 1, ONE)])
def test_a_root_moves_with_a_parameter_of_the_motion(row, order, share):
    """cos(sqrt(p) t) is zero at π/(2 sqrt p), its rate at π/sqrt(p)."""
    square = ball(exact("4").varied())
    course = Course(LinearFlow(({1: ONE}, {0: -square})), (ONE, ZERO))
    terms = {"order": order} if order else {}
    (root,) = roots(course, row, arb(2), zeros=int(row is V or order), **terms)
    assert narrow(root.value, share * arb.pi() / 2)
    assert narrow(root.slope, -share * arb.pi() / 16)


def test_a_root_moves_with_the_level_that_it_reaches():
    """cos t = p first at acos p, the motion itself knowing nothing of p."""
    level = ball(exact("0.6").varied())
    event = first_event(swing(x=1), [Guard("level", {0: ONE, 2: -level})])
    assert narrow(event.lapse.value, arb("0.6").acos())
    assert narrow(event.lapse.slope, -1 / arb("0.8"))
    assert first_event(swing(x=1), [Guard("level", {0: ONE, 2: -level})], Jet(arb("0.9"), ONE)) is None


# ---- how roots are shrunk


def test_low_precision_contains_high():
    def at(bits):
        with precision(bits):
            return list(roots(swing(x=1, square=2), X, arb(30)))

    for low, high in zip(at(96), at(400), strict=True):
        assert low.contains(high)
        assert low.rad() > high.rad()


def test_interval_newton_shrinks_to_the_root():
    found = newton(lambda x: x * x - 2, lambda x: 2 * x, arb("1.5", "0.5"))
    assert narrow(found, arb(2).sqrt())
    wide = arb(2, "0.25")
    found = newton(lambda x: x - wide, lambda _: ONE, arb("1.5", 1.5))
    assert found.contains(arb("1.75"))
    assert found.contains(arb("2.25"))


def test_what_a_proof_took_is_counted():
    course = Course(LINES, (ZERO, ONE))
    assert isinstance(first_event(course, [Guard("end", {0: -ONE, 1: ONE / 2})]), Event)
    assert course.parts == 1
    first_event(course, [Guard("end", {0: -ONE, 1: arb(5) / 2})])
    assert course.parts == 1 + 3


def test_newton_needs_no_root_of_the_middle():
    p = arb_poly([-2, 0, 1])
    assert narrow(newton(p, p.derivative(), arb("1.4375", "0.4375")), arb(2).sqrt())
