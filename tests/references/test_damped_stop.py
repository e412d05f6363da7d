"""Damped stop: every digit, the undamped limit, momentum and energy, what it refuses."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import exact
from veridyn.validation_cases.mechanics import test_damped_stop as case

stop = case.BOUNCES
CASE = {"m": 100, "k": "1e4", "kc": "2.4e5", "cc": 1000, "v0": 1}
positive = st.floats(0.1, 10)


@pytest.mark.parametrize(
    ("name", "which", "text"),
    [
        ("touch", {"contact": 1}, "0"),
        ("touch", {"contact": 2}, "0.377278505680161846170654231376"),
        ("opening", {"contact": 2}, "0.440397746001344368495044124424"),
        ("rebound", {"contact": 2}, "0.0554576885689419727275280923998"),
        ("peak_force", {"contact": 2}, "3151.47807256339085095504815375"),
        ("restitution", {}, "0.744699191411820808669096933090"),
        ("force_duration", {}, "0.0589549824113236799383720865780"),
    ],
)
def test_every_digit(name, which, text):
    assert getattr(stop, name)(**which)(**CASE).confirm().text() == text


def prove(digits=30, **p):
    """Return all quantities by the first route."""
    n = stop.touch(3), stop.opening(7), stop.rebound(400)
    more = (f(2) for f in (stop.peak_force, stop.impulse, stop.peak_time, stop.energy))
    functions = (*n, *more, stop.flight_duration(), stop.force_duration(), stop.restitution())
    return [f(digits=digits, **p) for f in functions]


def both(digits=30, **p):
    """Return all quantities, each confirmed by the second route."""
    return [each.confirm() for each in prove(digits, **p)]


@cache
def prove_nearly_critical():
    return both(**CASE | {"cc": 9999})


@pytest.mark.parametrize("function", [stop.touch, stop.opening, stop.rebound, stop.peak_force])
def test_the_first_contact_is_meant_where_none_is_named(function):
    assert function()(**CASE) == function(1)(**CASE)


def test_a_thousand_digits():
    assert {found.digits for found in prove(1000, **CASE)} == {1000}
    assert {found.digits for found in both(200, **CASE)} == {200}


@settings(max_examples=12, deadline=None, derandomize=True)
@given(*[st.integers(-30, 30)] * 3, st.floats(-12, 6))
def test_both_routes_agree_at_any_scale(m, k, kc, power):
    """Powers of ten, swinging and creeping contacts; what many digits confirm lies in the enclosure at few."""
    cc = mpmath.nstr(mpmath.mpf(10) ** (power + (m + max(k, kc)) / 2), 8)
    p = {"m": f"3e{m}", "k": f"7e{k}", "kc": f"1.1e{kc}", "cc": cc, "v0": 1}
    for few, many in zip(prove(15, **p), both(60, **p), strict=True):
        with mpmath.workdps(100):
            assert abs(few.value - many.value) <= few.radius + many.radius


@pytest.mark.parametrize("off", ["", "1e-10", "1e-40", "-1e-10", "-1e-40"])
def test_a_force_that_is_largest_at_the_touch_or_nearly(off):
    """cc² = kc m: the rate of the force vanishes where it begins, just after, or not at all."""
    cc = exact("1e3").rational * (1 + exact(off or 0).rational)
    p = CASE | {"kc": "1e4", "cc": cc}
    peak = stop.peak_force()(**p).confirm()
    with mpmath.workdps(120):
        assert (stop.peak_force()(**p, digits=90).value > exact(cc).mpf()) == off.startswith("-")
        assert float(peak) == pytest.approx(1e3)


@pytest.mark.parametrize("cc", [10000, "10000.0000000000000000000000000000000000000001", 10001, "1e7"])
def test_a_mass_that_creeps_in_contact_is_let_go_too(cc):
    """At the critical damping 2 sqrt((k + kc) m) and beyond, where it was refused: the spring pulls the mass away."""
    found = both(**CASE | {"cc": cc})
    if cc != "1e7":
        near = [float(x) for x in prove_nearly_critical()[:2]]
        assert [float(x) for x in found[:2]] == pytest.approx(near, rel=1e-3)
    assert 0 < float(stop.restitution()(**CASE | {"cc": cc})) < 0.2


@pytest.mark.parametrize("power", [40, 300])
def test_a_vanishing_dashpot_takes_its_share(power):
    """1 - e tends to π cc/(2 m ω); the end of the force and the opening are hardly apart."""
    digits = power + 30
    *_, e = both(digits, **CASE | {"cc": f"1e-{power}"})
    with mpmath.workdps(digits):
        assert float((1 - e.value) * mpmath.mpf(10) ** power) == pytest.approx(float(mpmath.pi) / 200 / 50, rel=1e-12)


def test_hardly_any_damping_is_an_elastic_stop():
    elastic, light = CASE | {"cc": 0}, CASE | {"cc": "1e-12"}
    assert float(stop.restitution()(**light)) == pytest.approx(1, abs=1e-12)
    assert float(stop.opening()(**light)) == pytest.approx(float(stop.opening()(**elastic)), rel=1e-12)
    assert float(stop.peak_force()(**light)) == pytest.approx(float(stop.peak_force()(**elastic)), rel=1e-12)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(positive, positive, positive, positive, st.floats(0.01, 0.95))
def test_the_stop_lets_go_before_the_gap_opens_for_any_parameters(m, k, kc, v0, ratio):
    p = {"m": m, "k": k, "kc": kc, "cc": 2 * ratio * ((k + kc) * m) ** 0.5, "v0": v0}
    assert 0 < float(stop.force_duration()(**p)) < float(stop.opening()(**p)) < float(stop.touch(2)(**p))
    assert 0 < float(stop.restitution()(**p)) < 1


@settings(max_examples=4, deadline=None, derandomize=True)
@given(positive, positive, positive, positive, st.floats(0.01, 0.95))
def test_the_stop_takes_the_energy_that_is_lost(m, k, kc, v0, ratio):
    """The work of the force over the first contact, by quadrature, is the loss of kinetic energy."""
    p = {"m": m, "k": k, "kc": kc, "cc": 2 * ratio * ((k + kc) * m) ** 0.5, "v0": v0}
    motion, end = case.HISTORY(**p, digits=15), float(stop.force_duration()(**p))
    nodes = [(motion("displacement", t), motion("force", t)) for t in mpmath.linspace(0, end, 401)]
    work = sum((g + f) / 2 * (y - x) for (x, f), (y, g) in pairwise(nodes))
    lost = m * v0**2 / 2 * (1 - float(stop.restitution()(**p)) ** 2)
    assert float(work) == pytest.approx(lost, rel=2e-4)


def test_the_force_of_a_strong_dashpot_only_falls():
    assert float(stop.peak_force()(**CASE | {"cc": 9000})) == 9000


@pytest.mark.parametrize("change", [{"cc": -1}, {"kc": -1}])
def test_parameters_out_of_range(change):
    with pytest.raises(ParameterError, match=next(iter(change))):
        stop.restitution()(**CASE | change)


def test_no_time_before_the_launch():
    with pytest.raises(ParameterError, match="t must be non-negative"):
        case.HISTORY(**CASE)("displacement", -1)


def test_a_stop_that_never_pulls_gives_back_more_than_one_that_does():
    """One that pulls until the gap opens holds on for half a period of the damped contact: e = exp(-π β/ωd)."""
    pulling = mpmath.exp(-mpmath.pi * 5 / mpmath.sqrt(2500 - 25))
    assert float(pulling) == pytest.approx(0.729, abs=5e-4)
    assert float(stop.restitution()(**CASE)) == pytest.approx(0.745, abs=5e-4)


@pytest.mark.parametrize("name", ["m", "k", "kc", "cc"])
def test_derivatives_are_those_of_neighbouring_parameters(name):
    at = exact(CASE[name])
    step = at.rational / 10**12
    for function in (stop.touch(3), stop.peak_force(2), stop.restitution()):
        derivative = function(**CASE | {name: at.varied()}).derivative.value
        low, high = (function(**CASE | {name: at.rational + side * step}).value for side in (-1, 1))
        assert float(derivative) == pytest.approx(float(high - low) / float(2 * step), rel=1e-6)


def test_what_is_seen_from_a_passing_support_is_the_same_motion():
    """Its own problem is followed: the second touch is that of the stop at rest, at v0/4 less."""
    seen = make_quantities(case.state_passing, case.PARAMETERS)
    closes, there = seen.event("stop_closes")().value, seen.value("v_x", ("stop_closes", 1))().value
    with mpmath.workdps(30):
        assert abs(closes - stop.touch(2)().value) < mpmath.mpf(10) ** -28
        assert abs(there + mpmath.mpf(1) / 4 - stop.restitution()().value) < mpmath.mpf(10) ** -28
