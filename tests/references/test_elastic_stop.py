"""SDND101, a stop without a dashpot: every printed digit, balances, any contact."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.parameters import exact
from veridyn.validation_cases.mechanics import test_sdnd101 as case

stop = case.BOUNCES
CASE = {"m": 100, "k": "1e4", "kc": "1e6", "v0": 1}
KC, M = exact("1e6").varied(), exact(100).varied()
positive = st.floats(1e-3, 1e3)


@pytest.mark.parametrize(
    ("name", "contact", "text"),
    [
        ("peak_time", {"contact": 1}, "0.0156300076340616580131028152821"),
        ("peak_time", {"contact": 2}, "0.361049288261164297885572784174"),
        ("peak_force", {}, "9950.37190209989135665273753739"),
        ("force_duration", {}, "0.0312600152681233160262056305642"),
        ("flight_duration", {}, "0.314159265358979323846264338328"),
        ("impulse", {}, "198.019801980198019801980198020"),
        ("impact_velocity", {}, "-1.00000000000000000000000000000"),
        ("energy", {}, "50.0000000000000000000000000000"),
        ("touch", {"contact": 1}, "0"),
        ("touch", {}, "0"),
        ("peak_time", {}, "0.0156300076340616580131028152821"),
        ("opening", {}, "0.0312600152681233160262056305642"),
        ("touch", {"contact": 2}, "0.345419280627102639872469968892"),
    ],
)
def test_every_digit(name, contact, text):
    result = getattr(stop, name)(**contact)(**CASE).confirm()
    assert result.text() == text
    assert result.kind == "closed form"
    assert len(result.routes) == 2


def test_hundred_digits_of_the_impulse():
    result = stop.impulse()(**CASE, digits=100)
    assert result.digits == 100
    assert result.text().replace(".", "") == ("1980" * 25)


def test_a_soft_stop_holds_for_half_a_cycle_and_the_run_sees_two_impacts():
    values = case.CASE.values({"kc": "1", "m": "1000"})
    assert case.outputs(values, case.FEW, case.CYCLES_SHORT)[-1] > case.true_instants(values, case.FEW)[-1]
    default = case.outputs(case.CASE.values({}), case.FEW, case.CYCLES_SHORT)
    assert default[-1] == pytest.approx(0.5, rel=2e-3)


def test_contacts_repeat():
    with mpmath.workdps(40):
        contact, flight = (f()(**CASE, digits=40).value for f in (stop.force_duration, stop.flight_duration))
        lapse = stop.peak_time(100)(**CASE, digits=40).value - stop.peak_time()(**CASE, digits=40).value
        assert abs(lapse - 99 * (contact + flight)) < mpmath.mpf(10) ** -37


@given(positive, positive, positive, positive)
@settings(max_examples=15, deadline=None)
def test_momentum_and_energy_for_any_parameters(m, k, kc, v0):
    p = {"m": m, "k": k, "kc": kc, "v0": v0}
    assert float(stop.impulse()(**p)) == pytest.approx(2 * m * v0 / (1 + k / kc), rel=1e-14)
    compression = float(stop.peak_force()(**p)) / kc
    assert (k + kc) * compression**2 / 2 == pytest.approx(float(stop.energy()(**p)), rel=1e-13)


SCALES = st.integers(-30, 30)


@given(SCALES, SCALES, SCALES, SCALES, st.integers(1, 10**6))
@settings(max_examples=10, deadline=None, derandomize=True)
def test_both_routes_agree_at_any_scale(m, k, kc, v0, n):
    """Powers of ten; the enclosure at few digits holds the one at many."""
    p = {"m": f"3e{m}", "k": f"7e{k}", "kc": f"1.1e{kc}", "v0": f"1.3e{v0}"}
    functions = (stop.peak_force, stop.flight_duration, stop.impulse, stop.impact_velocity, stop.energy)
    for function in (*(f() for f in functions), stop.opening(n), stop.peak_time(n)):
        few, many = (function(digits=digits, **p).confirm() for digits in (15, 80))
        with mpmath.workdps(120):
            assert abs(few.value - many.value) <= few.radius + many.radius


def test_a_contact_of_a_stop_that_hardly_pushes_is_told_from_the_flight():
    """They differ by 5e-31 of their duration, and each has thirty digits."""
    soft = {"m": 1, "k": 1, "kc": "1e-30", "v0": 1}
    assert stop.force_duration()(**soft).text() == "3.14159265358979323846264338328"
    assert stop.flight_duration()(**soft).value > stop.force_duration()(**soft).value


def test_motion_is_continuous_and_conserves_energy():
    motion = case.HISTORY(**CASE)
    for t in ("0", "0.01", "0.0312", "0.2", "0.3455", "34.2"):
        x, v, force = (motion(name, t) for name in ("displacement", "velocity", "force"))
        energy = 50 * v**2 + 5000 * x**2 + force**2 / 2e6
        assert float(energy) == pytest.approx(50, rel=1e-13)
        assert (force > 0) == (x > 0)


def test_motion_meets_the_certified_numbers():
    motion = case.HISTORY(**CASE, digits=30)
    peak = stop.peak_time(100)(**CASE, digits=60).value
    impact = stop.touch(2)(**CASE, digits=60).value
    with mpmath.workdps(30):
        assert abs(motion("force", peak) / stop.peak_force()(**CASE).value - 1) < mpmath.mpf(10) ** -28
        assert abs(motion("velocity", impact) - 1) < mpmath.mpf(10) ** -28


@pytest.mark.parametrize("name", ["m", "k", "kc", "v0"])
@pytest.mark.parametrize("value", [0, -1, "nan"])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        stop.peak_force()(**CASE | {name: value})


@pytest.mark.parametrize("contact", [0, -1, 1.5, "first"])
def test_wrong_contacts_are_refused(contact):
    with pytest.raises(ParameterError, match="contact must be an integer not below 1"):
        stop.peak_time(contact)


def test_negative_time_is_refused():
    with pytest.raises(ParameterError, match="t must be non-negative"):
        case.HISTORY(**CASE)("velocity", -1)


def test_derivatives():
    """Of kc v0 sqrt(m/(k + kc)) to kc, and of 3 (π/ωc + π/ω0) to m."""
    force, time = stop.peak_force()(**CASE | {"kc": KC}), stop.touch(4)(**CASE | {"m": M})
    assert float(force.derivative.value) == pytest.approx(float(force) * (1e-6 - 0.5 / 1.01e6), rel=1e-14)
    assert float(time.derivative.value) == pytest.approx(float(time) / 200, rel=1e-14)
