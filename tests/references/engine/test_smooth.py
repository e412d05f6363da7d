"""Smooth phases: pieces, states and readings against closed forms and mpmath; boxes that hold, and are not wide."""

from __future__ import annotations

from itertools import islice

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.engine import a_priori, skew, smooth
from veridyn.references.engine.enclosure import Absent, Undecided, ball, precision
from veridyn.references.engine.flows import WIDTH, Course, binary
from veridyn.references.engine.jets import Jet, value
from veridyn.references.engine.smooth import Smooth, restarted
from veridyn.references.parameters import exact

ONE, ZERO = arb(1), arb(0)


@pytest.fixture(autouse=True)
def _bits():
    with precision(160):
        yield


def logistic() -> Smooth:
    """x' = x (1 - x): x = x₀/(x₀ + (1 - x₀) e^-t)."""
    return Smooth(lambda _, y: (y[0] * (1 - y[0]),), ZERO)


def logistic_at(start, t):
    return start / (start + (1 - start) * (-t).exp())


def forced() -> Smooth:
    """x'' = -4 x + sin t, with the readings x² and t v; from rest at 1 it is cos 2t + (2 sin t - sin 2t)/6."""
    return Smooth(lambda t, y: (y[1], -4 * y[0] + t.sin()), ZERO, lambda t, y: (y[0] * y[0], t * y[1]))


def forced_at(t):
    x = (2 * t).cos() + (2 * t.sin() - (2 * t).sin()) / 6
    v = -2 * (2 * t).sin() + (t.cos() - (2 * t).cos()) / 3
    return x, v, x * x, t * v


def narrow(found, truth, bits=130) -> bool:
    return bool(found.overlaps(truth) and found.rad() < arb(2) ** -bits)


# ---- pieces


def test_polynomials_hold_the_motion_over_their_piece_and_a_little_longer():
    flow = forced()
    course = Course(flow, (ONE, ZERO))
    for begins, piece in islice(course.pieces(), 4):
        assert 0.25 < piece.length < 16
        for share in (0, "0.25", 1, WIDTH):
            truth = forced_at(begins + piece.length * arb(share))
            assert all(narrow(p(arb(share)), x, 125) for p, x in zip(piece.columns, truth, strict=True))
            both = piece.polynomial({0: arb(3), 3: -ONE})
            assert narrow(both(arb(share)), 3 * truth[0] - truth[3], 120)
            assert all(narrow(x, y, 125) for x, y in zip(piece.at(arb(share)), truth, strict=True))


def test_derivatives_of_polynomials_hold_the_rates():
    course = Course(logistic(), (arb("0.25"),))
    for begins, piece in islice(course.pieces(), 3):
        rate = piece.columns[0].derivative()(arb("0.5")) / piece.length
        x = logistic_at(arb("0.25"), begins + piece.length / 2)
        assert narrow(rate, x * (1 - x), 120)


@pytest.mark.parametrize("bits", [96, 160, 320])
def test_steps_are_as_long_as_the_precision_allows(bits):
    """More bits take longer series, not shorter steps, and leave the digits that they have."""
    with precision(bits):
        course = Course(forced(), (ONE, ZERO))
        x, v, *_ = course.at(arb(12))
        truth = forced_at(arb(12))
        assert narrow(x, truth[0], bits - 24)
        assert narrow(v, truth[1], bits - 24)
        assert len(course._kept) <= 12


def test_a_polynomial_motion_is_met_in_one_step():
    """x' = 1 + 2 t: no coefficient says how long a step may be."""
    course = Course(Smooth(lambda t, _: (1 + 2 * t,), ZERO), (arb(3),))
    (x,) = course.at(arb("0.75"))
    assert narrow(x, arb("4.3125"), 140)
    assert len(course._kept) == 1


def test_a_motion_next_to_a_pole():
    """x' = x² from 1 is 1/(1 - t)."""
    course = Course(Smooth(lambda _, y: (y[0] ** 2,), ZERO), (ONE,))
    found = course.at(arb("0.96875"))[0]
    assert found.contains(32)
    assert found.rel_accuracy_bits() > 100
    assert len(course._kept) < 25


@given(start=st.floats(0.02, 3), t=st.floats(0.01, 8))
@settings(max_examples=6, deadline=None, derandomize=True)
def test_a_logistic_curve_from_anywhere_to_any_instant(start, t):
    (x,) = Course(logistic(), (arb(start),)).at(arb(t))
    assert narrow(x, logistic_at(arb(start), arb(t)), 120)


def test_a_pendulum_keeps_its_digits_and_its_energy():
    flow = Smooth(lambda _, y: (y[1], -y[0].sin()), ZERO)
    course = Course(flow, (arb("0.125"), ZERO))
    x, v = course.at(arb(30))
    assert (v * v / 2 - x.cos()).overlaps(-arb("0.125").cos())
    assert x.rel_accuracy_bits() > 120
    assert len(course._kept) < 40
    with mpmath.workdps(40):
        half = mpmath.sin(mpmath.mpf("0.0625"))
        phase = mpmath.ellipk(half**2) - 30
        truth = 2 * mpmath.asin(half * mpmath.ellipfun("sn", phase, m=half**2))
    assert abs(x - arb(mpmath.nstr(truth, 38))) < arb(10) ** -34


# ---- starts that are balls


def test_a_start_that_is_a_ball_leads_to_all_that_follows_from_it():
    (x,) = Course(logistic(), (arb("0.5", "0.001"),)).at(arb(2))
    low, high = (logistic_at(arb(s), arb(2)) for s in ("0.499", "0.501"))
    assert x.contains(low.mid())
    assert x.contains(high.mid())
    assert x.rad() < 1.2 * (high - low)  # within a step, coefficients are balls


@pytest.mark.parametrize(("lapse", "reach"), [(1, 3e-6), (7, 8e-6), (20, 1e-4)])
def test_a_box_turns_with_the_motion_and_hardly_grows(lapse, reach):
    """Two radians a second: a box of intervals would grow by e in every half a second."""
    course = Course(forced(), (arb(1, "1e-6"), arb(0, "2e-6")))
    x, v, *_ = course.at(arb(lapse))
    c, s = (2 * arb(lapse)).cos(), (2 * arb(lapse)).sin()
    truth = forced_at(arb(lapse))
    for a, b in ((1e-6, 2e-6), (1e-6, -2e-6), (-1e-6, 2e-6), (-1e-6, -2e-6), (0, 0)):
        assert x.contains((truth[0] + a * c * 0.999 + b * s / 2 * 0.999).mid())
        assert v.contains((truth[1] - 2 * a * s * 0.999 + b * c * 0.999).mid())
    _, last = course._kept[-1]
    assert last.columns[0](ZERO).rad() < reach
    assert last.columns[1](ZERO).rad() < 2 * reach


def test_states_that_shear_apart_grow_as_they_do():
    """x' = v, v' = 0: the velocity's radius reaches x after a while."""
    x, v = Course(Smooth(lambda _, y: (y[1], 0 * y[1] + ZERO), ZERO), (arb(0, 1e-9), arb(1, 1e-9))).at(arb(10))
    assert x.contains(arb(10) + 11e-9 * 0.999)
    assert x.contains(arb(10) - 11e-9 * 0.999)
    assert x.rad() < 20.5e-9
    assert v.rad() < 2.05e-9


# ---- instants, readings, derivatives


def test_a_state_at_an_uncertain_instant_holds_all_of_them():
    course = Course(forced(), (ONE, ZERO))
    found = course.at(arb(3, "1e-6"))
    assert len(found) == 4
    for t in ("2.9999990001", "3", "3.0000009999"):
        assert all(x.contains(y.mid()) for x, y in zip(found, forced_at(arb(t)), strict=True))
    sharp = forced_at(arb(3))
    assert found[0].rad() < 1.01e-6 * abs(sharp[1])
    assert found[2].rad() < 2.1e-6 * abs(sharp[0] * sharp[1])
    assert all(narrow(x, y, 120) for x, y in zip(course.at(arb(3)), sharp, strict=True))


@pytest.mark.parametrize("place", range(0, 400, 20))
def test_an_instant_is_no_share_of_a_piece_rounded(place):
    """x' = 1000 beside an oscillation that sets the pieces: x = 1000 (t - instant), where nothing but t is rounded."""
    flow = Smooth(lambda _, y: (arb(1000) + 0 * y[0], -3 * y[2], 3 * y[1]), ZERO)
    with precision(96):
        instant = (arb(place + 7) * arb(2).sqrt() / 70).mid()
        start = (-1000 * instant).mid()
        found = Course(flow, (start, ONE, ZERO)).at(instant)[0]
    with precision(400):
        assert found.contains(start + 1000 * instant)


def test_the_start_is_read_too():
    course = Course(forced(), (ONE, ZERO))
    assert [float(x) for x in course.at(ZERO)] == [1, 0, 1, 0]
    assert all(x.contains(y) for x, y in zip(course.at(arb(0, 1e-9)), (1, 0, 1, 0), strict=True))


def test_instants_count_from_the_start_of_the_phase():
    """x'' = -4 x + sin t from t = 1 on."""
    x, v, *_ = forced_at(ONE)
    later = Smooth(forced().rates, ONE, forced().readings)
    found = Course(later, (x, v)).at(ONE)
    assert all(narrow(a, b, 115) for a, b in zip(found, forced_at(arb(2)), strict=True))


@pytest.mark.parametrize("lapse", [0, "0.75", 4])
def test_rates_of_states_and_readings(lapse):
    flow = forced()
    t = arb(lapse)
    x, v, *_ = forced_at(t)
    a = -4 * x + t.sin()
    found = flow.speed(Course(flow, (ONE, ZERO)), t)
    truth = (v, a, 2 * x * v, v + t * a)
    assert all(narrow(value(r), s, 115) for r, s in zip(found, truth, strict=True))


def test_derivatives_with_respect_to_start_parameter_and_instant():
    p = ball(exact("0.5").varied())
    (x,) = Course(logistic(), (p,)).at(arb(2))
    e = (-arb(2)).exp()
    assert narrow(x.value, logistic_at(arb("0.5"), arb(2)), 120)
    assert narrow(x.slope, e / (arb("0.5") + arb("0.5") * e) ** 2, 115)
    decay = Smooth(lambda _, y: (-p * y[0],), ZERO, lambda _, y: (p * y[0] * y[0],))
    course = Course(decay, (arb(3),))
    assert course.varies
    x, r = course.at(arb(2))
    assert narrow(x.slope, -2 * 3 * (-ONE).exp(), 115)
    assert narrow(r.value, arb("4.5") * (-arb(2)).exp(), 115)
    assert narrow(r.slope, 9 * (-arb(2)).exp() * (1 - arb("0.5") * 4), 110)
    (x,) = Course(logistic(), (arb("0.5"),)).at(Jet(arb(2), arb(3)))
    there = logistic_at(arb("0.5"), arb(2))
    assert narrow(x.slope, 3 * there * (1 - there), 115)
    speed, _ = decay.speed(course, arb(2))
    assert narrow(speed.value, -arb("1.5") * (-ONE).exp(), 115)
    assert narrow(speed.slope, 3 * (-ONE).exp() * (-1 + arb("0.5") * 2), 110)


def test_second_derivatives_with_respect_to_parameter_and_instant():
    """y' = -p t y with p = 1/2 + s: y = 3 exp(-p t²/2), at the instant 2 + 3 s + 2 s²."""

    def at(s):
        return 3 * mpmath.exp(-(0.5 + s) * (2 + 3 * s + 2 * s * s) ** 2 / 2)

    def read(s):
        return (0.5 + s) * at(s) ** 2

    p = ball(exact("0.5").varied(2))
    decay = Smooth(lambda t, y: (-p * t * y[0],), ZERO, lambda _, y: (p * y[0] * y[0],))
    assert decay.find_order((arb(3),)) == 2
    course, instant = Course(decay, (arb(3),)), Jet(arb(2), arb(3), None, arb(4))
    with mpmath.workdps(60):
        for ball_, law in zip(course.at(instant), (at, read), strict=True):
            assert abs(ball_.curve - arb(mpmath.nstr(mpmath.diff(law, 0, 2), 40))) < arb(10) ** -25
    rest, _ = decay.speed(course, arb(2))  # -p t y at t = 2: d²/dp² of -6 p exp(-2 p)
    assert narrow(rest.curve, 24 * (-ONE).exp() - 12 * (-ONE).exp(), 105)


def test_without_anything_that_varies_there_is_no_derivative():
    assert forced().find_order((ONE, ZERO)) == 0
    assert forced().find_order((Jet(ONE, ONE), ZERO)) == 1
    p = Jet(ONE, ONE)
    assert Smooth(lambda _, y: (p * y[0],), ZERO).find_order((ONE,)) == 1
    assert Smooth(lambda _, y: (y[0],), ZERO, lambda _, y: (p * y[0],)).find_order((ONE,)) == 1


# ---- motions that end


def test_a_motion_that_leaves_every_bound_is_absent_where_it_is_sharp():
    """x' = x² from 1 is infinite at t = 1: more bits would not help."""
    with pytest.raises(Absent):
        Course(Smooth(lambda _, y: (y[0] ** 2,), ZERO), (ONE,)).at(arb(2))


def test_a_motion_that_may_leave_every_bound_is_undecided():
    with pytest.raises(Undecided):
        Course(Smooth(lambda _, y: (y[0] ** 2,), ZERO), (arb(1, 1e-6),)).at(arb(2))


def test_a_rate_without_a_value_is_undecided():
    with pytest.raises(Undecided):
        Course(Smooth(lambda _, y: (y[0].sqrt(),), ZERO), (arb(0, 1e-3),)).at(ONE)


def test_too_many_steps_are_absent(monkeypatch):
    monkeypatch.setattr(smooth, "MOST_PIECES", 2)
    course = Course(forced(), (ONE, ZERO))
    assert len(list(islice(course.pieces(), 2))) == 2
    with pytest.raises(Absent):
        course.at(arb(40))


def test_a_passage_close_by_a_pole_is_followed():
    """x' = -2 (t - 1) x² has the solution 1/((t - 1)² + d²), with poles at 1 ± i d."""
    near = arb(10) ** -9
    flow = Smooth(lambda t, y: (-2 * (t - 1) * y[0] ** 2,), ZERO)
    course = Course(flow, (1 / (1 + near**2),))
    assert course.at(ONE)[0].overlaps(near**-2)
    (x,) = course.at(arb(2))
    assert x.overlaps(1 / (1 + near**2))
    assert x.rel_accuracy_bits() > 20


@pytest.mark.parametrize("bits", [96, 128])
def test_steps_halt_at_a_pole_at_any_precision(bits):
    """Of x'' = 2 x³ from (1, 1), 1/(1 - t), half of the bits are lost on the way."""
    with precision(bits):
        course = Course(Smooth(lambda _, y: (y[1], 2 * y[0] ** 3), ZERO), (ONE, ONE))
        with pytest.raises(Absent, match=r"about t = 1 s"):
            course.at(arb(2))
        assert 1 - arb(2) ** (-bits // 2 + 8) < course._kept[-1][0] < 1


# ---- states at rest


PENDULUM = Smooth(lambda _, y: (y[1], -y[0].sin()), ZERO)


@pytest.mark.parametrize("turns", [0, 1, 10**6])
@pytest.mark.parametrize("off", ["0", "1e-30", "1e-6"])
def test_a_motion_next_to_rest_away_from_zero(turns, off):
    """A pendulum that is upright to within off falls as off cosh t at first."""
    upright = (2 * turns + 1) * arb.pi()
    x, v = Course(PENDULUM, (upright + arb(off), ZERO)).at(arb(3))
    grown = arb(off) * arb(3).cosh()
    assert abs(x - upright - grown) < 1e3 * arb(off) ** 3 + arb(2) ** -110
    assert abs(v - arb(off) * arb(3).sinh()) < 1e3 * arb(off) ** 3 + arb(2) ** -110


def test_a_chain_at_rest_away_from_zero():
    """Five pendulums in a row, pulled by a constant couple at the first: each rests at its own angle or at zero."""

    def rates(_, y):
        rest = [y[1], -(y[0].sin()) + arb(1).sin() + (y[2]).sin()]
        return (*rest, y[3], -(y[2].sin()) + y[4].sin(), y[5], -(y[4].sin()))

    found = Course(Smooth(rates, ZERO), (ONE, *[ZERO] * 5)).at(arb(4))
    assert all(narrow(x, y, 120) for x, y in zip(found, (1, 0, 0, 0, 0, 0), strict=True))


def test_an_event_may_leave_a_state_at_rest():
    """x'' = x - x³ rests at 1; the instant of the event is a ball."""

    def flow(start):
        return Smooth(lambda _, y: (y[1], y[0] - y[0] ** 3), start)

    _, there, _ = restarted(flow, arb(2, 1e-20), (ONE, ZERO))
    assert all(x.contains(y) and x.rad() < 1e-20 for x, y in zip(there, (1, 0), strict=True))


# ---- after an event


def test_a_phase_begins_at_an_exact_instant_next_to_its_event():
    """An event at 1 ± 1e-9 s leaves (2, 3): x' = v, v' = -x from there on, taken back to the middle."""
    made = []

    def flow(start):
        made.append(start)
        return Smooth(lambda t, y: (y[1], -y[0] + t - t), start)

    after, there, late = restarted(flow, arb(1, 1e-9), (arb(2), arb(3)))
    assert made == [1]
    assert after.start == 1
    assert late.contains(0.9e-9)
    assert not late.contains(2e-9)
    for off in (-1e-9, 0, 1e-9):  # back by off: (2 cos - 3 sin, 3 cos + 2 sin)
        c, s = arb(off).cos(), arb(off).sin()
        assert there[0].contains((2 * c - 3 * s).mid())
        assert there[1].contains((3 * c + 2 * s).mid())
    assert there[0].rad() < 3.01e-9
    assert there[1].rad() < 2.01e-9


def test_a_phase_after_an_exact_event_begins_there():
    after, there, late = restarted(lambda start: Smooth(lambda _, y: (y[0],), start), arb(2), (arb(5),))
    assert (after.start, late) == (2, 0)
    assert there[0] == 5


def test_an_event_that_moves_moves_the_start():
    """At a fixed instant the state after an event that comes later by dp is behind by the rate times dp."""
    _, (x,), _ = restarted(lambda start: Smooth(lambda _, y: (y[0] * 2,), start), Jet(ONE, arb(3)), (Jet(arb(5), ONE),))
    assert x.value.contains(5)
    assert x.slope.contains(1 - 10 * 3)
    assert x.slope.rad() < 1e-30


def test_a_state_that_no_parameter_has_moved_follows_rates_that_it_moves():
    """y' = p x and x' = p y from (5, 4) at 1 ± 1e-9 s, p = 2: at an exact instant next to it both move with p."""

    def flow(start):
        return Smooth(lambda _, y: (y[1] * Jet(arb(2), ONE), y[0] * Jet(arb(2), ONE)), start)

    _, (y, x), _ = restarted(flow, arb(1, 1e-9), (arb(5), arb(4)))
    for off in (-1e-9, 1e-9):
        assert y.value.contains(5 + 8 * off)
        assert y.slope.contains(4 * off)
        assert x.slope.contains(5 * off)
    assert y.slope.rad() < 5e-9
    assert x.slope.rad() < 6e-9


def test_an_event_that_moves_with_a_second_derivative():
    """y' = t y from y = 5 + s + 7 s²/2 at the event 1 + 3 s + 5 s²/2: what it is at the instant 1, by s."""

    def at_one(s):
        return (5 + s + 7 * s * s / 2) * mpmath.exp((1 - (1 + 3 * s + 5 * s * s / 2) ** 2) / 2)

    event, state = Jet(ONE, arb(3), None, arb(5)), (Jet(arb(5), ONE, None, arb(7)),)
    _, (x,), _ = restarted(lambda start: Smooth(lambda t, y: (t * y[0],), start), event, state)
    with mpmath.workdps(60):
        for derivative, order in ((x.slope, 1), (x.curve, 2)):
            assert abs(derivative - arb(mpmath.nstr(mpmath.diff(at_one, 0, order), 40))) < arb(10) ** -25


def test_an_event_that_is_too_uncertain_is_undecided():
    with pytest.raises(Undecided):
        restarted(lambda start: Smooth(lambda _, y: (y[0] ** 2,), start), arb(1, 0.5), (arb(5),))


# ---- parts


def test_axes_have_their_inverse_and_follow_the_longest_edge():
    turned = arb_mat([[3, 1, 0], [4, 0, 0], [0, 0, 2]])
    parts, errors = (arb_mat(3, 1, [arb(0, x) for x in radii]) for radii in ((1e-3, 1e-6, 1e-5), (1e-9, 1e-9, 1e-9)))
    axes, back = skew.find_axes(turned, parts, errors)
    unit = (axes * back).tolist()
    assert all(unit[i][j].contains(int(i == j)) and unit[i][j].rad() < 1e-40 for i in range(3) for j in range(3))
    x, y, z = (float(axes[i, 0]) for i in range(3))
    assert abs(x / y) == pytest.approx(3 / 4)
    assert z == 0
    units = np.array([[float(binary(arb(x)))] for x in (3e-3, 4e-3, 2e-5)])
    scaled = np.array([[float(axes[i, j]) for j in range(3)] for i in range(3)]) / units
    assert scaled.T @ scaled == pytest.approx(np.eye(3), abs=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_the_inverse_of_the_axes_is_enclosed_for_any_units(seed):
    with precision(64):
        random = np.random.default_rng(seed)
        size = arb(3).sqrt()
        turned = arb_mat(3, 3, [size * arb(float(x)) for x in (random.random(9) * 10.0 ** random.integers(-3, 4, 9))])
        parts, errors = (arb_mat(3, 1, [arb(0, x) for x in radii]) for radii in ((1e-15, 1e-17, 1e-18), (1e-40,) * 3))
        axes, back = skew.find_axes(turned, parts, errors)
    with precision(400):
        true = axes.inv()
        assert all(back[i, j].contains(true[i, j]) for i in range(3) for j in range(3))


def test_axes_of_sharp_states_are_those_of_the_states():
    axes, back = skew.find_axes(arb_mat([[2, 0], [0, 3]]), arb_mat(2, 1, [0, 0]), arb_mat(2, 1, [0, 0]))
    assert abs(axes.det()).overlaps(ONE)
    assert all(x.is_finite() for x in back.entries())


def test_a_skew_box_moves_with_all_that_it_holds():
    box = skew.SkewBox.around([arb(1, "0.01"), arb(2, "0.03")])
    assert box.centre == (1, 2)
    assert all(a.contains(b) for a, b in zip(box.hull(), (1.01, 1.97), strict=True))
    assert not box.hull()[0].contains(1.02)
    turned = arb_mat([[0, 2], [-1, 1]])  # (p, q) becomes (2 q, q - p)
    moved = box.moved([arb(5, "0.001"), arb(7)], turned)
    x, y = moved.hull()
    for p, q in ((0.01, 0.03), (-0.01, 0.03), (0.01, -0.03), (-0.01, -0.03)):
        assert x.contains(5 + 2 * q * 0.99 + 0.0009)
        assert y.contains(7 + (q - p) * 0.99)
    assert x.rad() < 0.12
    assert y.rad() < 0.08


@pytest.mark.parametrize("x", [arb(3), arb(0), arb(-2, 0.5), arb(0, 1)])
def test_an_inflated_ball_is_larger_and_no_point(x):
    found = a_priori.inflate(x)
    assert found.contains_interior(x)
    assert found.rad() < 1.2 * x.rad() + abs(x) * 1e-5 + 1e-100
    pair = a_priori.inflate(Jet(x, arb(4)))
    assert pair.slope.contains_interior(4)


def test_what_lies_within_another_ball():
    found = a_priori.clip(arb(1, 1), arb(2, "0.5"))
    assert found.contains(1.75)
    assert not found.contains(1.25)
    pair = a_priori.clip(Jet(arb(1, 1), arb(7)), arb(2, "0.5"))
    assert not pair.value.contains(1.25)
    assert pair.slope == 7
    assert a_priori.is_inside(arb(1), arb(1, 1))
    assert not a_priori.is_inside(arb(1, 1), arb(1, 1))
    assert a_priori.is_inside(Jet(arb(1), arb(2)), Jet(arb(1, 1), arb(2, 1)))
    assert not a_priori.is_inside(Jet(arb(1), arb(4)), Jet(arb(1, 1), arb(2, 1)))
    assert not a_priori.is_inside(Jet(arb(3), arb(2)), Jet(arb(1, 1), arb(2, 1)))


def test_the_step_at_which_series_vanish():
    """Of c_k = 2^k the last two terms are 2^-bits of the largest of the first three, whichever begins earlier."""
    powers, steep = ([arb(base) ** k for k in range(41)] for base in (2, 8))
    just = 2.0 ** -((ctx.prec + 39 - 2) / 39)
    assert smooth._radius([powers]) == pytest.approx(just)
    assert smooth._radius([[*powers[:-1], ZERO]]) == pytest.approx(just)
    assert smooth._radius([[*powers[:-1], powers[-1] * 2**20]]) == pytest.approx(2.0 ** -((ctx.prec + 60 - 2) / 40))
    assert smooth._radius([powers, steep]) == smooth._radius([steep, powers]) == smooth._radius([steep])
    assert smooth._radius([[ONE, *[ZERO] * 40]]) == 1.0


def test_how_much_longer_a_step_may_be():
    """A remainder of 2^8 units of the last place beside the largest of the first terms is just right."""
    column = [ONE, arb(2), *[ZERO] * 39]
    just = arb(2) ** (8 - ctx.prec) * 2
    assert smooth._fits([just], [column]) == pytest.approx(1, rel=1e-6)
    assert smooth._fits([just * 2**40], [column]) == pytest.approx(0.5)
    assert smooth._fits([just / 2**400], [column]) == pytest.approx(np.e)
    assert smooth._fits([ZERO], [column]) == pytest.approx(np.e)
    assert smooth._fits([just, just * 2**40], [column, column]) == pytest.approx(0.5)


def test_polynomials_end_with_their_remainders():
    (p,) = smooth._scaled([[ONE, arb(2), arb(3), arb(99)]], [arb(7)], arb("0.5"))
    assert [float(c) for c in p.coeffs()] == [1, 1, 0.75, 7]


def test_instants_at_which_a_box_is_looked_at():
    """The powers of k/16 up to 9/8."""
    found = smooth._vandermonde(4)
    assert (found.nrows(), found.ncols()) == (4, 19)
    assert [float(found[k, 18]) for k in range(4)] == [1, 1.125, 1.265625, 1.423828125]
    assert [float(found[k, 8]) for k in range(4)] == [1, 0.5, 0.25, 0.125]


def test_edges_have_their_lengths():
    lengths, edges = skew.split_edges(arb_mat([[3, 0], [-4, 0.5]]))
    assert [float(x) for x in lengths] == [4, 0.5]
    assert [[float(x) for x in edge] for edge in edges] == [[0.75, -1], [0, 1]]
