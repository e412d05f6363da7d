"""Oscillator under a sine force: closed forms of special cases, limits, what it refuses."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references.engine import highs
from veridyn.references.parameters import ParameterError, exact
from veridyn.validation_cases.mechanics import test_sdld31 as sdld31

STEP = Fraction(1, 10**10)
RESONANCE = {"m": 10, "omega0": 50, "F": 5, "omega": 50}


def displacement(time, **given):
    """Return the displacement at an instant, within a time span that holds it."""
    return sdld31.find_displacement(str(exact(time).rational))(T=span(time), **given)


def velocity(time, **given):
    """Return the velocity at an instant, as `displacement`."""
    return sdld31.find_velocity(str(exact(time).rational))(T=span(time), **given)


def span(time):
    return max(exact(time).rational, 1)


def peak(**given):
    """Return the peak and its instant, confirmed where they exist."""
    return tuple(r if r.value is None else r.confirm() for r in (sdld31.PEAK(**given), sdld31.PEAK_TIME(**given)))


def test_undamped_resonance_grows():
    """x = F/(2 m w²) (sin wt - wt cos wt)."""
    value = displacement(time="1.3", xi=0, **RESONANCE, digits=40).value
    with mpmath.workdps(45):
        u = mpmath.mpf(50) * 13 / 10
        assert abs(value - (mpmath.sin(u) - u * mpmath.cos(u)) / 10000) < 1e-42


def test_critical_damping():
    """At resonance x = F/(2 m w²) ((1 + wt) e^{-wt} - cos wt)."""
    value = displacement(time="0.31", xi=1, **RESONANCE, digits=40).value
    with mpmath.workdps(45):
        u = mpmath.mpf(50) * 31 / 100
        assert abs(value - ((1 + u) * mpmath.exp(-u) - mpmath.cos(u)) / 10000) < 1e-42


@pytest.mark.parametrize("limit", [0, 1])
def test_coinciding_roots_are_the_limit(limit):
    near = velocity(time=2, xi=limit + mpmath.mpf(10) ** -12, **RESONANCE)
    assert float(velocity(time=2, xi=limit, **RESONANCE)) == pytest.approx(float(near), rel=1e-8)


@pytest.mark.parametrize("xi", ["0", "0.003", "1", "1.7"])
@pytest.mark.parametrize("read", [displacement, velocity])
def test_it_starts_at_rest(xi, read):
    start = read(time=0, xi=xi, m=2, omega0=10, F=3, omega=1)
    assert (start.value, start.digits) == (0, 30)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    xi=st.sampled_from(["0", "0.003", "0.2", "1", "1.7"]),
    ratio=st.integers(1, 30),
    time=st.integers(0, 40),
)
def test_both_routes_agree_for_any_oscillator(xi, ratio, time):
    given = {"m": 2, "omega0": 10, "xi": xi, "F": 3, "omega": ratio}
    assert displacement(time=time / 10, **given, digits=25).confirm().digits == 25
    assert velocity(time=time / 10, **given, digits=25).confirm().digits == 25


def test_the_peak_of_resonance_lies_near_its_envelope():
    """T = 2 s, ξ = 0.01: F/(2 ξ m w²) (1 - e^{-ξ w t})."""
    height, time = peak(xi="0.01", T=2, **RESONANCE)
    assert float(height) == pytest.approx(0.01 * (1 - mpmath.exp(-0.5 * float(time))), rel=1e-3)
    assert float(velocity(time=time.value, xi="0.01", **RESONANCE, digits=15)) == pytest.approx(0, abs=1e-25)


def test_of_nearly_equal_peaks_the_last_one_of_resonance_is_the_largest():
    """T = 1.55 s, ξ = 0.1: by then e^{-ξ w t} is 4e-4, and each peak exceeds the one before by less."""
    height, time = peak(xi="0.1", T="1.55", **RESONANCE, digits=15)
    assert 1.55 - mpmath.pi / 50 < time.value < 1.55
    assert float(height) == pytest.approx(0.001, rel=5e-4)


def test_a_peak_at_the_end_is_none():
    height, time = peak(xi=0, T="0.05", **RESONANCE)
    assert height.value is None
    assert "at an end of the span" in time.routes[0]


@pytest.mark.parametrize("change", [{"xi": -1}, {"omega": 0}, {"m": "heavy"}])
def test_parameters_out_of_range(change):
    with pytest.raises(ParameterError, match=next(iter(change))):
        displacement(**{"time": 1, "xi": 0, **RESONANCE, **change})


@pytest.mark.parametrize("xi", ["0", "0.1", "1", "1.7"])
def test_let_go_it_starts_where_it_was_held(xi):
    given = {"xi": xi, **RESONANCE, "x0": "0.3"}
    assert (float(displacement(time=0, **given)), float(velocity(time=0, **given))) == (0.3, 0.0)


def test_let_go_without_damping_it_swings_as_a_cosine():
    """What x0 adds to the response is x0 cos wt."""
    with mpmath.workdps(45):
        value = displacement(time="0.7", xi=0, **RESONANCE, x0="0.3", digits=40).value
        rest = displacement(time="0.7", xi=0, **RESONANCE, digits=40).value
        assert abs(value - rest - mpmath.mpf(3) / 10 * mpmath.cos(35)) < 1e-39


def test_a_peak_at_the_start_is_none():
    height, time = peak(xi="0.1", T="0.5", **RESONANCE, x0=1)
    assert height.value is None
    assert "at an end of the span" in time.routes[0]


def test_without_force_there_is_no_later_peak():
    height, time = peak(xi=0, T=1, **RESONANCE | {"F": 0}, x0=1)
    assert (height.value, time.value) == (None, None)


def test_where_the_velocity_touches_zero_there_is_no_peak():
    """x = (sin t - sin(2t)/2)/3: the velocity touches zero at each 2 pi; |x| is largest, sqrt(3)/4, six times."""
    height, time = peak(m=1, omega0=2, omega=1, F=1, xi=0, T=20)
    with mpmath.workdps(40):
        assert abs(height.value - mpmath.sqrt(3) / 4) < mpmath.mpf(10) ** -30
    assert "equally high" in time.routes[0]


def test_a_thousand_radians_of_a_lazy_oscillator_are_no_work():
    """It creeps to its largest displacement at T: this took 26 s."""
    height, _ = peak(xi=1, omega0="1e-3", omega="1e3", m="1e6", T=1)
    assert "at an end of the span" in height.routes[0]


def test_a_peak_is_not_looked_for_without_end(monkeypatch):
    monkeypatch.setattr(highs, "MOST_PIECES", 100)
    height, time = peak(xi=0, T="1e9", **RESONANCE)
    assert "shorten the time" in height.routes[0]
    assert time.value is None


@settings(max_examples=12, deadline=None, derandomize=True)
@given(*[st.integers(-30, 30)] * 3, st.sampled_from(["0", "1e-9", "1", "1e5"]), st.integers(-3, 6))
def test_any_scale(mass, speed, ratio, xi, late):
    given = {"m": f"1e{mass}", "omega0": f"1e{speed}", "omega": f"{ratio + 31}e{speed}", "xi": xi, "F": 1}
    assert displacement(time=f"1e{late - speed}", **given).confirm().digits == 30


@pytest.mark.truth
@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(1, 40), st.integers(0, 60), st.floats(-0.1, 0.1), st.integers(5, 30))
def test_any_peak(ratio, damping, x0, span):
    given = {"m": 2, "omega0": 10, "xi": f"{damping}/40", "F": 300, "omega": ratio, "x0": x0, "T": f"{span}/10"}
    height, time = peak(**given, digits=20)
    if time.value is not None:
        moved = [
            displacement(time=time.value + late, **{n: v for n, v in given.items() if n != "T"}) for late in (0, 1e-6)
        ]
        assert float(height) == pytest.approx(abs(float(moved[0])), rel=1e-15)
        assert abs(float(moved[1])) <= float(height)


def test_more_digits_stay_inside():
    coarse, fine = (sdld31.PEAK(**RESONANCE, xi="0.01", T=2, digits=d) for d in (10, 100))
    assert abs(coarse.value - fine.value) <= coarse.radius


@pytest.mark.parametrize("name", ["omega0", "xi", "F", "omega", "x0"])
def test_derivatives_of_a_peak_are_slopes(name):
    chosen = {p.name: exact(p.default) for p in sdld31.PARAMETERS} | {"x0": exact("1e-4")}
    for read in (sdld31.PEAK, sdld31.PEAK_TIME):
        low, high = (read(**chosen | {name: chosen[name].rational + d}, digits=40).value for d in (-STEP, STEP))
        found = read(**chosen | {name: chosen[name].varied()}).derivative
        assert abs(float(found) - float((high - low) / (2 * mpmath.mpf(10) ** -10))) < 1e-8 * max(1, abs(float(found)))
