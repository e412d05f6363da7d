"""The engine of proved enclosures: flows, events, derivatives, precision."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb, arb_series
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.certified import CertificationError, Route
from veridyn.references.coarse import Compiled
from veridyn.references.enclosure import Absent, Undecided, ball, decided, enclose, less, precision, sign_of, to_mpf
from veridyn.references.events import Guard, first_event, roots
from veridyn.references.flows import Course, Linear
from veridyn.references.jets import DERIVATIVES, Jet
from veridyn.references.motion import Phase, follow, proved, value_at
from veridyn.references.parameters import Exact, exact
from veridyn.references.series import Code, Tape, traced
from veridyn.references.smooth import Smooth

ONE = arb(1)
X, V = {0: ONE}, {1: ONE}


@pytest.fixture(autouse=True)
def _bits():
    with precision(192):
        yield


def oscillator(w2) -> Linear:
    """x'' = -w2 x."""
    return Linear(({1: ONE}, {0: -w2}))


def cube(*, sign: int = 1) -> Smooth:
    """x'' = -x³, or x³."""
    return Smooth(lambda _, y: (y[1], -sign * y[0] * y[0] * y[0]), arb(0))


def test_a_root_is_enclosed():
    event = first_event(Course(oscillator(arb(7)), (arb(0), ONE)), [Guard("back", X, zeros=1)])
    truth = arb.pi() / arb(7).sqrt()
    assert event.lapse.contains(truth)
    assert event.lapse.rel_accuracy_bits() > 180


@given(w2=st.floats(1e-30, 1e30), lapse=st.floats(0, 1e3), x=st.floats(-1e20, 1e20), v=st.floats(-1e20, 1e20))
@settings(max_examples=60, deadline=None)
def test_the_state_of_an_oscillator_at_any_scale_and_instant(w2, lapse, x, v):
    w, t = arb(w2).sqrt(), arb(lapse) / arb(w2).sqrt()
    found = oscillator(arb(w2)).after((arb(x), arb(v)), t)
    truth = arb(x) * arb(lapse).cos() + arb(v) / w * arb(lapse).sin()
    assert found[0].overlaps(truth)
    assert found[0].rad() < arb(2) ** -150 * (abs(arb(x)) + abs(arb(v)) / w + arb(2) ** -600)


def test_low_precision_contains_high():
    def at(bits):
        with precision(bits):
            return list(roots(Course(oscillator(arb(2)), (ONE, arb(0))), X, arb(30)))

    for low, high in zip(at(96), at(400), strict=True):
        assert low.contains(high)
        assert low.rad() > high.rad()


def test_all_roots_are_found_in_order():
    found = list(roots(Course(oscillator(arb(9)), (arb(0), ONE)), X, arb(50), zeros=1))
    assert len(found) == 47
    assert all(t.overlaps(arb.pi() / 3 * (k + 1)) for k, t in enumerate(found))


@pytest.mark.parametrize("depth", [10, 20, 40])
def test_a_dip_however_short_is_two_roots_and_a_near_miss_none(depth):
    """cos t + 1 ± 10^-depth near π: what any number of samples would pass over."""
    shift = arb(10) ** -depth
    flow = Linear(({1: ONE}, {0: -ONE}, {}))

    def lowered(by):
        return {0: ONE, 2: 1 + by}

    with precision(400):
        course = Course(flow, (ONE, arb(0), ONE))
        assert len(list(roots(course, lowered(-shift), arb(6)))) == 2
        assert list(roots(course, lowered(shift), arb(6))) == []


def test_a_touch_is_undecided():
    course = Course(Linear(({1: ONE}, {0: -ONE}, {})), (ONE, arb(0), ONE))
    with pytest.raises(Undecided, match="touches zero"):
        first_event(course, [Guard("graze", {0: ONE, 2: ONE})], arb(6))


def test_events_that_coincide_are_undecided():
    course = Course(oscillator(ONE), (ONE, arb(0)))
    with pytest.raises(Undecided, match="coincide"):
        first_event(course, [Guard("a", X), Guard("b", {0: arb(2)})])


def test_an_event_on_the_end_of_the_search_is_undecided_and_later_ones_are_none():
    def search(limit):
        return first_event(Course(oscillator(ONE), (ONE, arb(0))), [Guard("zero", X)], limit)

    with pytest.raises(Undecided, match="falls on the end"):
        search(arb.pi() / 2)
    assert search(arb(1.57)) is None
    assert search(arb(1.58)).name == "zero"


def test_a_guard_that_is_violated_at_the_start_is_said():
    with pytest.raises(Undecided, match="violated"):
        first_event(Course(oscillator(ONE), (-ONE, arb(0))), [Guard("gap", X)])


def test_a_constant_force_is_exact():
    falling = Linear(({1: ONE}, {2: -arb(10)}, {}), longest=arb(4))
    event = first_event(Course(falling, (arb(20), arb(0), ONE)), [Guard("ground", X)])
    assert event.lapse.overlaps(arb(2))
    assert event.lapse.rel_accuracy_bits() > 180


def test_smooth_motion_is_enclosed_to_its_period():
    """x'' = -x³ from 1: the period is 4 K with K = Γ(1/4)²/(4 √π)."""
    found = list(roots(Course(cube(), (ONE, arb(0))), X, arb(10)))
    quarter = arb("0.25").gamma() ** 2 / (4 * arb.pi().sqrt())
    assert len(found) == 3
    assert all(t.overlaps((2 * k + 1) * quarter) for k, t in enumerate(found))
    assert found[2].rel_accuracy_bits() > 120


def test_smooth_and_linear_flows_agree():
    smooth = Smooth(lambda t, y: (y[1], -4 * y[0] + t.sin()), arb(0))
    linear = Linear(({1: ONE}, {0: arb(-4), 2: ONE}, {3: ONE}, {2: -ONE}))
    a = Course(smooth, (ONE, arb(0))).at(arb(5))
    b = linear.after((ONE, arb(0), arb(0), ONE), arb(5))
    assert a[0].overlaps(b[0])
    assert a[1].overlaps(b[1])


def test_a_motion_that_leaves_every_bound_ends_in_a_word():
    """x'' = x³ from x = 1, x' = 1 is infinite before t = 2: its states are sharp, more bits would not help."""
    with pytest.raises(Absent, match="may grow beyond bounds"):
        Course(cube(sign=-1), (ONE, ONE)).at(arb(5))


def test_balls_grow_as_motions_part():
    """The pendulum x'' = -sin x over a hundred radians: motions shear apart, and few digits are lost."""
    flow = Smooth(lambda _, y: (y[1], -y[0].sin()), arb(0))
    x, v = Course(flow, (arb("0.125"), arb(0))).at(arb(100))
    assert (v * v / 2 - x.cos()).overlaps(-arb("0.125").cos())
    assert x.rel_accuracy_bits() > 145


def test_series_of_a_function():
    """Products, powers, sums and waves of a function against flint's series."""
    tape = Tape()
    t = tape.note(Code.GIVEN)
    f = 3 - (t * 2).sin() * t**3 + (t * t).cos() - 1
    found = tape.run({t.place: [arb(2) / 7, ONE, *[arb(0)] * 7]}, {}, 8)[f.place]
    s = arb_series([arb(2) / 7, 1], 9)
    with_flint = 3 - (s * 2).sin() * s**3 + (s * s).cos() - 1
    assert all(found[k].overlaps(with_flint[k]) and found[k].rel_accuracy_bits() > 150 for k in range(9))


def strange(t, y):
    """Rates with every operation that has a series."""
    x, v = y
    first = (t * 3).sin() * x + (v * x).exp() / (2 + x * x) - v.atan() + 1 / (v + 3) - ONE / 7
    return first, (x * x + 1).sqrt() ** ONE.exp() - v.tanh() * t + (x + 2).log() * 0.5 - (x / 9).asin() + (v / 9).tan()


@given(
    x=st.floats(-1.75, 2),  # the logarithm of x + 2 ends at -2
    v=st.floats(-2, 2),
    spread=st.sampled_from([0, 1e-20, 1e-3]),
    unit=st.sampled_from([2.0**-6, 1.0, 6.0]),
)
@settings(max_examples=12, deadline=None)
def test_doubles_enclose_series_and_their_derivatives(x, v, spread, unit):
    """What is computed in doubles holds the same in balls of 160 bits, of sharp states anywhere in those given."""
    order, edges = 20, [[ONE, arb(0)], [arb(1) / 3, arb(-2)]]
    with precision(64):
        program = Compiled(traced(strange, lambda t, y: (t * y[0] - y[1],), 2, 2))
        m, r = run = program.run(arb(1), [arb(x, spread), arb(v, spread)], unit, order)
        program.part(run, edges, unit, order)
    with precision(160):
        found = traced(strange, lambda t, y: (t * y[0] - y[1],), 2, 2)
        starts = [(arb(x) + spread * 0.75, arb(v) - spread * 0.75), (arb(x), arb(v))]
        rates = {place: rate for part in (found, *found.along) for place, rate in part.rates.items()}
        given_ = {found.now: [ONE, ONE, *[arb(0)] * order]}
        for start in starts:
            states = dict(zip(rates, ([z] for z in (*start, *edges[0], *edges[1])), strict=True))
            truth = found.tape.run({**given_, **states}, rates, order)
            for place in (*found.asked, *(place for part in found.along for place in part.asked)):
                for k in range(order + 1):
                    term = (truth[place][k] * arb(unit) ** k).mid()
                    assert arb(m[place, k], r[place, k]).contains(term)
                    few = 1e-6 * (abs(m[place]).max() + 1e-200)  # boxes ask for few digits
                    assert spread or unit > 1 or r[place, k] <= few


def test_a_motion_next_to_a_pole():
    """x' = x² from 1 is 1/(1 - t)."""
    found = Course(Smooth(lambda _, y: (y[0] ** 2,), arb(0)), (ONE,)).at(arb("0.96875"))[0]
    assert found.contains(32)
    assert found.rel_accuracy_bits() > 100


@given(late=st.floats(-1e-20, 1e-20))
@settings(max_examples=10, deadline=None)
def test_a_guard_that_vanishes_next_to_the_start(late):
    flow = Smooth(lambda _, y: (y[1], -y[0]), arb(0))
    state = (-arb(late).sin() + arb(0, 1e-40), arb(late).cos())
    event = first_event(Course(flow, state), [Guard("back", X, 1, arb(late) + arb(0, 1e-39))])
    assert event.lapse.overlaps(arb.pi() + arb(late))


def bouncing(p: Exact, count: int):
    """A ball that falls from the height p and keeps half of its speed at each of the first bounces."""
    flow = Linear(({1: ONE}, {2: -arb(2)}, {}), longest=arb(4))

    def following(phase, _event, time, state):
        number = int(phase.kind) + 1
        there = (arb(0), -state[1] / 2, ONE)
        return Phase(str(number), flow, time, there, (Guard("ground", X, 1),)) if number <= count else None

    return follow(Phase("0", flow, arb(0), (ball(p), arb(0), ONE), (Guard("ground", X),)), following)


def test_phases_follow_each_other_and_carry_derivatives():
    """Bounce n is at sqrt(p) (1 + 1 + 1/2 + …): its derivative is half of that over p."""
    phases = bouncing(exact("1/4").varied(), 5)
    last = phases[-1].end
    assert last.value.overlaps(arb(0.5) * (1 + 2 * (1 - arb(2) ** -5)))
    assert last.slope.overlaps(2 * last.value)
    assert last.slope.rel_accuracy_bits() > 150
    assert proved(phases).startswith("6 phases, 6 events, ")


def test_instants_of_a_later_phase_count_from_the_start_of_the_motion():
    """A ball from the height 1/4 is on the ground at 1/2 s and highest at 3/4 s; each bounce lasts half as long."""
    lapses = []

    def following(phase, event, time, state):
        lapses.append(event.lapse)
        rising = Linear(({1: ONE}, {2: -arb(2)}, {}), longest=arb(4))
        there = (arb(0), -state[1] / 2, ONE)
        return Phase("up", rising, time, there, (Guard("ground", X, 1),)) if len(lapses) < 3 else None

    phases = follow(bouncing(exact("1/4"), 0)[0].phase, following)
    assert [t.overlaps(arb(x) / 4) for t, x in zip(lapses, (2, 2, 1), strict=True)] == [True] * 3
    (top,) = phases[1].extremes(V)
    assert top.overlaps(arb(3) / 4)


def test_pairs_compare_by_their_values():
    two = Jet(arb(2), ONE)
    assert not two < 2
    assert not two > 2
    assert two <= 2 <= two
    assert Jet(arb(1), ONE) < two > 1


def test_beyond_what_was_searched_nothing_is_known():
    free = Phase("free", oscillator(ONE), arb(0), (ONE, arb(0)), (Guard("wall", {0: -ONE}),))
    with pytest.raises(Undecided, match="violated"):
        follow(free, lambda *_: None, arb(1))
    swinging = Phase("free", oscillator(ONE), arb(0), (ONE, arb(0)), (Guard("zero", X),))
    phases = follow(swinging, lambda *_: None, arb(1))
    assert value_at(phases, X, arb(1)).overlaps(arb(1).cos())
    with pytest.raises(Undecided, match="beyond the motion"):
        value_at(phases, X, arb(2))


def test_an_event_moves_with_the_level_that_it_reaches():
    """cos t = p first at acos p, the motion itself knowing nothing of p."""
    course = Course(Linear(({1: ONE}, {0: -ONE}, {})), (ONE, arb(0), ONE))
    event = first_event(course, [Guard("level", {0: ONE, 2: -ball(exact("0.6").varied())})])
    assert event.lapse.slope.overlaps(-1 / arb("0.8"))


def test_an_instant_that_is_an_event_reads_what_holds_on_both_sides():
    phases = bouncing(exact("1/4"), 3)
    assert value_at(phases, X, phases[0].end).contains(0)
    speed = value_at(phases, V, phases[0].end)
    assert speed.contains(-1)
    assert speed.contains(arb(1) / 2)


@pytest.mark.parametrize("name", sorted(DERIVATIVES))
def test_derivatives_of_functions(name):
    h = arb(2) ** -60
    x = arb("0.3")
    found = getattr(Jet(x, ONE), name)()
    quotient = (getattr(x + h, name)() - getattr(x - h, name)()) / (2 * h)
    assert abs(found.slope - quotient) < arb(2) ** -100


def test_arithmetic_of_pairs():
    x, y = Jet(arb(3), ONE), Jet(arb(2), arb(5))
    for found, truth in (
        (x * y, (6, 17)),
        (x / y, (arb(3) / 2, arb(-13) / 4)),
        (1 / x, (arb(1) / 3, -arb(1) / 9)),
        (x**3 - 1, (26, 27)),
        (x**0, (1, 0)),
        (Jet(arb(0), ONE) ** 2, (0, 0)),
        (abs(-x), (3, 1)),
        (x.max(y), (3, 1)),
        (x.min(4), (3, 1)),
        (2 - x, (-1, -1)),
    ):
        assert found.value.overlaps(arb(truth[0]))
        assert found.slope.overlaps(arb(truth[1]))


def test_exact_numbers_differentiate():
    k, m = exact("2*pi").varied(), exact("3")
    assert ball(m / k / k).slope.overlaps(-2 * arb(3) / (2 * arb.pi()) ** 3)


def test_what_is_undecided_at_any_precision_is_undefined_with_its_reason():
    found = enclose(
        lambda: arb(1) if less(arb(2).sqrt() ** 2, arb(2), "it grazes") else arb(2),
        digits=10,
        kind="closed form",
        name="q",
    )
    assert found.value is None
    assert "it grazes within" in found.routes[0]
    with pytest.raises(Undecided):
        decided(lambda: less(arb(2).sqrt() ** 2, arb(2), "it grazes"))


@pytest.mark.parametrize(
    ("share", "found"),
    [("1e-60", "1.00000000000000000000000000000e-60"), ("0", "it seems to vanish (with 384 bits)")],
)
def test_a_derivative_that_vanishes_ends_the_search(share, found):
    """Of sin² p + cos² p + share p: a small one gets its digits, zero would get none from any precision."""

    def read():
        p = ball(exact("1/3").varied())
        return p.sin() ** 2 + p.cos() ** 2 + p * arb(share)

    truth = enclose(read, digits=30, kind="closed form", name="one")
    assert found in (truth.derivative.text() if truth.derivative else truth.routes[0])


def test_precision_rises_until_the_digits_are_there():
    found = enclose(lambda: 1 - (1 - arb(10) ** -200), digits=30, kind="closed form", name="q")
    assert found.text() == "1.00000000000000000000000000000e-200"
    assert "bits" in found.proved
    assert found.radius < mpmath.mpf(10) ** -230


def test_a_second_route_that_disagrees_is_said():
    good, bad = Route("by mpmath", lambda: mpmath.pi), Route("by Archimedes", lambda: mpmath.mpf(22) / 7)
    assert enclose(arb.pi, good, digits=50, kind="closed form", name="pi").confirm().digits == 50
    with pytest.raises(CertificationError, match="pi: by Archimedes agrees on 3 digits, 50 wanted"):
        enclose(arb.pi, bad, digits=50, kind="closed form", name="pi").confirm("pi")


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=50, deadline=None)
def test_conversion_is_exact(x):
    assert to_mpf(arb(x)) == x


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (("1/3", "2/3", "-1"), 0),
        (("pi", "-pi"), 0),
        (("2*pi", "-6.28318530717958647692528676655900576839433879875"), 1),
        (("1", "-1", "1e-900"), 1),
        (("pi", "-1e-900", "-pi"), -1),
        (("0", "0"), 0),
    ],
)
def test_the_sign_of_a_sum_is_exact(terms, expected):
    assert sign_of(*map(exact, terms)) == expected


def test_what_is_absent_is_undefined_with_its_reason():
    def read() -> arb:
        raise Absent("nothing moves")

    found = enclose(read, digits=30, kind="closed form", name="x")
    assert (found.text(), found.routes) == ("undefined", ("nothing moves",))


def test_a_phase_without_guards_is_not_searched():
    with precision(128):
        endless = Phase("free", Linear(({1: arb(1)}, {}), arb(1)), arb(0), (arb(0), arb(1)), (), arb(10) ** 30)
        (found,) = follow(endless, lambda *_: None)
        assert found.end == arb(10) ** 30
