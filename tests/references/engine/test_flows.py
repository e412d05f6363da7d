"""Linear flows and courses: states and polynomials against matrix exponentials in mpmath, bounds, pieces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import mpmath
import pytest
from flint import arb, arb_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.engine import flows
from veridyn.references.engine.enclosure import Absent, Undecided, precision, to_mpf
from veridyn.references.engine.flows import WIDTH, Course, LinearFlow, apply, binary, bound_of_exponential
from veridyn.references.engine.jets import Jet

ONE = arb(1)
SPREAD = ((-1.5, 2.0, 0.25), (0.5, -0.75, -3.0), (1.0, 0.125, 0.5))
STATE = (1.0, -0.5, 2.0)
entries = st.floats(-3, 3).filter(lambda x: x == 0 or abs(x) > 1e-3)
matrices = st.lists(st.lists(entries, min_size=3, max_size=3), min_size=3, max_size=3)


@pytest.fixture(autouse=True)
def _bits():
    with precision(192):
        yield


def linear(matrix, **more) -> LinearFlow:
    return LinearFlow(tuple({j: arb(x) for j, x in enumerate(row) if x} for row in matrix), **more)


def exponential(matrix, lapse, state):
    """Return exp(A t) y to seventy digits."""
    with mpmath.workdps(70):
        found = mpmath.expm(mpmath.matrix([list(row) for row in matrix]) * lapse) * mpmath.matrix(list(state))
        return [found[i] for i in range(len(state))]


def holds(ball, number, radius=2.0**-140) -> bool:
    """Tell whether a ball holds a number, which is known to more digits, and is narrow."""
    with mpmath.workdps(70):
        off = abs(to_mpf(ball) - number)
        return bool(off <= to_mpf(ball.rad()) + mpmath.mpf(10) ** -62 * (1 + abs(number)) and ball.rad() < radius)


@given(matrix=matrices, lapse=st.floats(0, 20))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_states_are_those_of_the_matrix_exponential(matrix, lapse):
    found = linear(matrix, longest=ONE).after(tuple(map(arb, STATE)), arb(lapse))
    truth = exponential(matrix, mpmath.mpf(lapse), STATE)
    size = max(1, *map(abs, truth))
    assert all(holds(x, y, 2.0**-130 * float(size)) for x, y in zip(found, truth, strict=True))


@pytest.mark.parametrize("square", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("turns", [0.0, 0.3, 700.0])
def test_an_oscillator_at_any_scale(square, turns):
    w = arb(square).sqrt()
    x, v = linear(((0, 1), (-square, 0))).after((arb(2), 3 * w), turns / w)
    assert x.overlaps(2 * arb(turns).cos() + 3 * arb(turns).sin())
    assert (v / w).overlaps(3 * arb(turns).cos() - 2 * arb(turns).sin())
    assert x.rad() < arb(2) ** -160


def test_a_state_after_an_uncertain_while_holds_all_of_them():
    flow = linear(SPREAD)
    state = tuple(map(arb, STATE))
    found = flow.after(state, arb(3, 1e-3))
    for lapse in ("2.999", "3", "3.001"):
        truth = exponential(SPREAD, mpmath.mpf(lapse), STATE)
        assert all(x.contains(arb(str(y))) or x.overlaps(arb(str(y))) for x, y in zip(found, truth, strict=True))
    rates = exponential(SPREAD, mpmath.mpf(3), flow_rates(STATE))
    assert all(x.rad() < 1.1e-3 * abs(float(rate)) + 1e-4 for x, rate in zip(found, rates, strict=True))
    with pytest.raises(Undecided):
        flow.after(state, arb(3, 2))


def flow_rates(state):
    return [sum(a * x for a, x in zip(row, state, strict=True)) for row in SPREAD]


def test_rates_are_the_matrix_times_the_state():
    flow = linear(SPREAD)
    course = Course(flow, tuple(map(arb, STATE)))
    truth = exponential(SPREAD, mpmath.mpf("1.5"), flow_rates(STATE))
    assert all(holds(x, y) for x, y in zip(flow.speed(course, arb("1.5")), truth, strict=True))
    assert all(x.overlaps(y) for x, y in zip(course.at(arb(2)), flow.after(course.state, arb(2)), strict=True))


def test_derivatives_with_respect_to_factor_start_and_instant():
    """x'' = -p x from x = q: x = q cos(sqrt(p) t)."""
    w, t = arb(3), arb("0.7")
    flow = LinearFlow(({1: ONE}, {0: -Jet(w * w, ONE)}))
    assert flow.find_order((ONE, arb(0))) == 1
    x, v = flow.after((ONE, arb(0)), t)
    assert x.value.overlaps((w * t).cos())
    assert x.slope.overlaps(-(w * t).sin() * t / (2 * w))
    assert v.slope.overlaps(-(w * t).sin() / (2 * w) - (w * t).cos() * t / 2)
    plain = linear(((0, 1), (-9, 0)))
    assert plain.find_order((ONE, arb(0))) == 0
    (x, _) = plain.after((Jet(ONE, ONE), arb(0)), t)
    assert plain.find_order((Jet(ONE, ONE), arb(0))) == 1
    assert x.slope.overlaps((w * t).cos())
    (x, _) = plain.after((ONE, arb(0)), Jet(t, arb(2)))
    assert x.slope.overlaps(-2 * w * (w * t).sin())
    assert x.slope.rad() < arb(2) ** -150


def test_second_derivatives_with_respect_to_factor_start_and_instant():
    """x'' = -p x from x = q: x = q cos(sqrt(p) t), all three depending on one parameter."""

    def moved(s):
        return (2 + s) * mpmath.cos(mpmath.sqrt(9 + 2 * s * s + s) * (mpmath.mpf(7) / 10 + 2 * s + 3 * s * s))

    flow = LinearFlow(({1: ONE}, {0: -Jet(arb(9), ONE, None, arb(4))}))
    start = (Jet(arb(2), ONE, None, arb(0)), arb(0))
    assert flow.find_order(start) == 2
    lapse = Jet(arb("0.7"), arb(2), None, arb(6))
    x, _ = flow.after(start, lapse)
    with mpmath.workdps(60):
        assert abs(x.curve - arb(mpmath.nstr(mpmath.diff(moved, 0, 2), 40))) < arb(10) ** -25
    assert flow.after(start, Jet(arb("0.7"), arb(2)))[0].curve is None  # the instant carries none


def test_rates_have_derivatives_too():
    w, t = arb(3), arb("0.7")
    flow = LinearFlow(({1: ONE}, {0: -Jet(w * w, ONE)}))
    course = Course(flow, (ONE, arb(0)))
    assert course.varies
    x, v = flow.speed(course, t)
    assert x.value.overlaps(-w * (w * t).sin())
    assert v.slope.overlaps(-(w * t).cos() + w * t * (w * t).sin() / 2)


# ---- pieces


def test_polynomials_hold_the_motion_over_their_piece_and_a_little_longer():
    course = Course(linear(SPREAD), tuple(map(arb, STATE)))
    row = {0: arb(2), 2: -ONE}
    for begins, piece in islice(course.pieces(), 4):
        p = piece.polynomial(row)
        for share in (0, "0.3125", 1, WIDTH):
            truth = exponential(SPREAD, to_mpf(begins + piece.length * arb(share)), STATE)
            with mpmath.workdps(70):
                assert holds(p(arb(share)), 2 * truth[0] - truth[2], 1e-45)


def test_derivatives_of_polynomials_hold_the_rates():
    course = Course(linear(SPREAD), tuple(map(arb, STATE)))
    ((_, first),) = islice(course.pieces(), 1)
    rate = first.polynomial({1: ONE}).derivative()(arb("0.5")) / first.length
    truth = exponential(SPREAD, to_mpf(first.length / 2), flow_rates(STATE))
    assert holds(rate, truth[1], 1e-40)


def test_pieces_follow_each_other_and_are_as_long_as_the_fastest_motion_allows():
    course = Course(linear(((0, 1), (-16, 0))), (ONE, arb(0)))
    begins = [begin for begin, _ in islice(course.pieces(), 5)]
    assert begins == [arb(k) / 2 for k in range(5)]  # two radians of four a second
    assert [begin for begin, _ in islice(course.pieces(), 3)] == begins[:3]


@pytest.mark.parametrize(("longest", "length"), [(None, 0.5), (arb(4), 0.5), (arb("0.3"), 0.296875)])
def test_a_length_is_never_more_than_the_longest(longest, length):
    assert linear(((0, 1), (-16, 0)), longest=longest).system.length == length


def test_a_constant_rate_needs_a_longest_piece():
    falling = LinearFlow(({1: ONE}, {2: -arb(10)}, {}), longest=arb(4))
    x, v, _ = falling.after((arb(20), arb(0), ONE), arb(100))
    assert (x, v) == (20 - 50000, -1000)
    assert falling.system.length == 4


def test_too_many_pieces_are_undecided(monkeypatch):
    monkeypatch.setattr(flows, "MOST_PIECES", 5)
    with pytest.raises(Undecided, match="5 pieces"):
        list(linear(SPREAD).pieces(tuple(map(arb, STATE))))
    monkeypatch.setattr(flows, "MOST_PIECES", 6)
    assert len(list(islice(linear(SPREAD).pieces(tuple(map(arb, STATE))), 6))) == 6


@dataclass
class Stretch:
    length: arb


@dataclass
class Steps:
    """A flow that is not linear, of pieces with stated lengths."""

    lengths: list

    def pieces(self, _state):
        return (Stretch(arb(length)) for length in self.lengths)


@pytest.mark.parametrize(
    ("lengths", "until", "ends"),
    [
        ([1] * 150, 150, True),
        ([1] * 150, 200_000, True),
        ([1] * 150, 200_090, True),
        ([1] * 150, 300_000, False),
        ([1] * 150, None, True),
        ([0.5, *[1] * 60, *[1.5] * 90], 10**6, True),
        ([1, *[2.0] * 98, 2.5, *[1] * 50], 10**6, True),
        ([*[1] * 50, *[1.75] * 100], 10**6, False),
        ([2.0**-k for k in range(150)], 10**6, True),  # they shrink, as before a passage close by a pole
        ([2.0 ** -abs(k - 50) for k in range(150)], 10**6, True),  # of which this is the middle
    ],
)
def test_steps_that_do_not_grow_and_would_be_too_many_have_no_end(lengths, until, ends):
    course = Course(Steps(lengths), ())
    walk = course.pieces(None if until is None else arb(until))
    if ends:
        assert len(list(islice(walk, 140))) == 140
    else:
        with pytest.raises(Absent):
            list(islice(walk, 140))


def test_steps_are_watched_again_and_again():
    """They grow over the first hundred, and would be too many from the second on."""
    course = Course(Steps([1.0, *[2.5] * 99, *[1e-3] * 150]), ())
    walk = course.pieces(arb(10**6))
    assert len(list(islice(walk, 200))) == 200
    with pytest.raises(Absent):
        next(walk)


# ---- parts


def test_a_row_applied():
    assert apply({0: arb(2), 2: arb(-1)}, (arb(3), arb(5), arb(7))) == -1
    assert apply({}, (ONE,)) == 0


@given(matrix=matrices)
@settings(max_examples=15, deadline=None, derandomize=True)
def test_the_bound_of_an_exponential_holds_it_and_is_near(matrix):
    sizes = [[abs(x) for x in row] for row in matrix]
    bound = bound_of_exponential(arb_mat(sizes)).tolist()
    with mpmath.workdps(40):
        truth = mpmath.expm(mpmath.matrix(sizes))
        for i in range(3):
            for j in range(3):
                found = to_mpf(bound[i][j])
                assert found >= truth[i, j] * (1 - mpmath.mpf(10) ** -30)
                assert found <= truth[i, j] * 2 + mpmath.mpf(10) ** -30


def test_states_in_turn_have_a_bound_too():
    """Of a cycle of three every power has other zeros."""
    bound = bound_of_exponential(arb_mat([[0, 1, 0], [0, 0, 1], [1, 0, 0]])).tolist()
    with mpmath.workdps(30):
        thirds = [sum(1 / mpmath.factorial(k) for k in range(first, 60, 3)) for first in range(3)]
    for i in range(3):
        for j in range(3):
            assert thirds[(j - i) % 3] <= float(bound[i][j]) * (1 + 1e-15)
            assert float(bound[i][j]) <= 2 * thirds[(j - i) % 3]


def test_an_exponential_beyond_all_terms_is_undecided():
    with pytest.raises(Undecided):
        bound_of_exponential(arb_mat([[1000]]))


@given(x=st.floats(1e-300, 1e300))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_a_length_of_six_bits_is_a_little_less(x):
    found = binary(x)
    assert arb(x) * 31 / 32 <= found <= arb(x)
    mantissa, _ = found.man_exp()
    assert abs(int(mantissa)).bit_length() <= 6
    assert binary(found) == found


def test_states_far_apart_in_size_keep_their_digits():
    """Entries of 1e-40 beside such of 1: a bound of the norm alone would drown them."""
    x, y = linear(((-1, 0), (1e-40, -2))).after((ONE, arb(0)), arb(3))
    truth = arb(1e-40) * ((-arb(3)).exp() - (-arb(6)).exp())
    assert y.overlaps(truth)
    assert y.rel_accuracy_bits() > 150
    assert x.overlaps((-arb(3)).exp())
