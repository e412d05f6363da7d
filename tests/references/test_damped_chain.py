"""Damped chain: against matrix exponentials, closed frequencies, and limits."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from scipy.linalg import expm

from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import ParameterError, exact, resolve
from veridyn.validation_cases.mechanics import test_sdld29 as sdld29


def given(**changes):
    return resolve(sdld29.PARAMETERS, changes)


def displacement(time, **values):
    """Return the displacement at an instant, of a motion that lasts longer."""
    motion = make_quantities(partial(sdld29.chain, end=1.25 * float(exact(time)) + 1e-40), sdld29.PARAMETERS)
    return sdld29.find_displacement(motion, str(exact(time)))(**values)


def modes(digits=30, **changes):
    """Return the frequencies and damping ratios of all modes, confirmed where they exist."""
    found = [
        [find(n)(digits=digits, **given(**changes)) for n in range(1, 9)]
        for find in (sdld29.find_frequency, sdld29.find_damping)
    ]
    return [[r if r.value is None else r.confirm() for r in part] for part in found]


def by_exponential(time, m, k, dashpots, F, duration):
    n = 8
    row = [np.zeros((n + 2, n + 2)) for _ in range(2)]
    for i in range(n + 1):
        for matrix, value in zip(row, (k, dashpots[i]), strict=True):
            matrix[i : i + 2, i : i + 2] += value * np.array([[1, -1], [-1, 1]])
    K, C = (matrix[1:-1, 1:-1] for matrix in row)
    rates = np.block([[np.zeros((n, n)), np.eye(n)], [-K / m, -C / m]])
    static = np.append(np.linalg.solve(K, F * np.eye(n)[3]), np.zeros(n))

    def stepped(t):
        return (static - expm(rates * t) @ static)[3] if t > 0 else 0.0

    return stepped(time) - stepped(time - duration)


@pytest.mark.parametrize("time", ["0.09", "0.91", "1.45"])
@pytest.mark.parametrize(
    "changes", [{}, {"c_left": 0, "c_right": 400, "k": "3e5"}, {"duration": "0.3", "m": 4, "F": 7}]
)
def test_displacement(time, changes):
    values = given(**changes)
    m, k, c, left, right, F, duration = (float(v) for v in values.values())
    expected = by_exponential(float(time), m, k, [left, *[c] * 7, right], F, duration)
    assert float(displacement(time=time, **values).confirm()) == pytest.approx(expected, rel=1e-9)


def test_an_undamped_chain_is_the_sum_of_its_modes():
    """φ_n ~ sin(nπi/9), w_n = 2 sqrt(k/m) sin(nπ/18)."""
    n = np.arange(1, 9)
    w, shape = 200 * np.sin(n * np.pi / 18), np.sqrt(2 / 9 / 10) * np.sin(4 * n * np.pi / 9)
    expected = np.sum(shape**2 / w**2 * (1 - np.cos(w * 0.7)))
    undamped = given(c=0, c_left=0, c_right=0)
    assert float(displacement(time="0.7", **undamped, digits=15)) == pytest.approx(expected, rel=1e-12)


def test_proportional_damping_has_closed_ratios():
    """C = c/k K: the frequencies w_n sqrt(1 - ξ²) with ξ = c w_n/2k."""
    frequencies, ratios = modes(c_left=50, c_right=50)
    for n, (f, xi) in enumerate(zip(frequencies, ratios, strict=True), start=1):
        w = 200 * np.sin(n * np.pi / 18)
        assert float(xi) == pytest.approx(50 * w / 2e5, rel=1e-13)
        assert float(f) == pytest.approx(w * np.sqrt(1 - float(xi) ** 2) / (2 * np.pi), rel=1e-13)


def test_without_dashpots_frequencies_are_closed_and_no_mode_is_damped():
    frequencies, ratios = modes(c=0, c_left=0, c_right=0)
    expected = 200 * np.sin(np.arange(1, 9) * np.pi / 18) / (2 * np.pi)
    assert [float(f) for f in frequencies] == pytest.approx(expected, rel=1e-11)
    assert [ratio.text() for ratio in ratios] == ["0"] * 8


def test_strong_damping_leaves_fewer_modes():
    frequencies, _ = modes(c=3000)
    assert all(f.value is None for f in frequencies)


def test_nothing_moves_before_the_force():
    assert displacement(time=0, **given(), digits=10).value == 0


def test_negative_damping_is_refused():
    with pytest.raises(ParameterError, match="c_left"):
        displacement(time=1, **given(c_left=-1))


def test_every_digit():
    assert displacement(time="0.09", **given()).text() == "3.95408516104881779355769927929e-5"
    frequencies, ratios = modes()
    assert frequencies[0].text() == "5.52914723981111733298869832649"
    assert ratios[7].text() == "0.0502964288445751445035575847853"


@pytest.mark.truth
def test_a_mode_of_critical_damping():
    """c = 2 sqrt(k m) everywhere: mode 3, w_3 = sqrt(k/m), has a double root; the displacement is certain."""
    critical = {"m": 1, "k": 1, "c": 2, "c_left": 2, "c_right": 2}
    expected = by_exponential(3.0, 1.0, 1.0, [2.0] * 9, 1.0, 1.0)
    assert float(displacement(time=3, **given(**critical), digits=10).confirm()) == pytest.approx(expected)
    assert "coincide" in sdld29.find_frequency(1)(**critical).routes[0]


def test_the_end_of_the_force_belongs_to_both():
    at_end, before = (displacement(time=t, **given(duration="pi")).value for t in ("pi", "3.14159265358979"))
    assert float(at_end) == pytest.approx(float(before), rel=1e-9)


@pytest.mark.truth
@settings(max_examples=4, deadline=None, derandomize=True)
@drawn(*[st.integers(-30, 30)] * 2, *[st.sampled_from(["0", "1e-9", "0.3", "1.7"])] * 3, st.integers(1, 30))
def test_any_scale(mass, speed, c, left, right, late):
    """Masses, stiffnesses and dashpots of any size, after up to thirty radians; the last force outlasts the motion."""
    size = {"m": f"1e{mass}", "k": f"1e{mass + 2 * speed}", "duration": f"5e{-speed}"}
    values = {n: exact(v) * exact(f"1e{mass + speed}") for n, v in (("c", c), ("c_left", left), ("c_right", right))}
    assert displacement(time=f"{late}e{-speed}", **given(**size, **values)).confirm().digits == 30


def test_derivatives_with_respect_to_the_end_of_the_force():
    """From its end on a force of 1 N does what it did, the other way round."""
    values, step = given(), exact("1e-10").rational
    low, high = (displacement(time="1.45", **values | {"duration": 1 + d}, digits=40).value for d in (-step, step))
    slope = displacement(time="1.45", **values | {"duration": exact(1).varied()}).derivative
    assert float(slope) == pytest.approx(float(high - low) / 2e-10, rel=1e-8)


def test_more_digits_stay_inside():
    coarse, fine = (displacement(time="1.45", **given(), digits=d) for d in (5, 300))
    assert abs(coarse.value - fine.value) <= coarse.radius


def test_derivatives_of_modes():
    """Frequencies and ratios of equal dashpots: ξ = c w/2k, so that k dξ/dk = -ξ/2, with w ~ sqrt(k)."""
    values = given(c_left=50, c_right=50)
    varied = values | {"k": values["k"].varied()}
    for n in range(1, 9):
        ratio = sdld29.find_damping(n)(**varied)
        assert float(ratio.derivative) * 1e5 == pytest.approx(-float(ratio) / 2, rel=1e-12)
        frequency = sdld29.find_frequency(n)(**varied)
        assert float(frequency.derivative) * 1e5 == pytest.approx(
            float(frequency) * (1 + float(ratio) ** 2 / (1 - float(ratio) ** 2)) / 2, rel=1e-12
        )
