"""Damped chain: against matrix exponentials, closed frequencies, and limits."""

import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.references import damped_chain
from veridyn.references.parameters import ParameterError, resolve


def given(**changes):
    return resolve(damped_chain.PARAMETERS, changes)


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
    assert float(damped_chain.displacement(time=time, **values, digits=15)) == pytest.approx(expected, rel=1e-9)


def test_an_undamped_chain_is_the_sum_of_its_modes():
    """φ_n ~ sin(nπi/9), w_n = 2 sqrt(k/m) sin(nπ/18)."""
    n = np.arange(1, 9)
    w, shape = 200 * np.sin(n * np.pi / 18), np.sqrt(2 / 9 / 10) * np.sin(4 * n * np.pi / 9)
    expected = np.sum(shape**2 / w**2 * (1 - np.cos(w * 0.7)))
    undamped = given(c=0, c_left=0, c_right=0)
    assert float(damped_chain.displacement(time="0.7", **undamped, digits=15)) == pytest.approx(expected, rel=1e-12)


def test_proportional_damping_has_closed_ratios():
    """C = c/k K: the frequencies w_n sqrt(1 - ξ²) with ξ = c w_n/2k."""
    names = ("m", "k", "c", "c_left", "c_right")
    equal = {name: value for name, value in given(c_left=50, c_right=50).items() if name in names}
    frequencies, ratios = damped_chain.complex_modes(**equal, digits=20)
    for n, (f, xi) in enumerate(zip(frequencies, ratios, strict=True), start=1):
        w = 200 * np.sin(n * np.pi / 18)
        assert float(xi) == pytest.approx(50 * w / 2e5, rel=1e-13)
        assert float(f) == pytest.approx(w * np.sqrt(1 - float(xi) ** 2) / (2 * np.pi), rel=1e-13)


def test_without_dashpots_frequencies_are_closed_and_no_mode_is_damped():
    names = ("m", "k", "c", "c_left", "c_right")
    undamped = {name: value for name, value in given(c=0, c_left=0, c_right=0).items() if name in names}
    frequencies, ratios = damped_chain.complex_modes(**undamped, digits=12)
    expected = 200 * np.sin(np.arange(1, 9) * np.pi / 18) / (2 * np.pi)
    assert [float(f) for f in frequencies] == pytest.approx(expected, rel=1e-11)
    assert [ratio.text() for ratio in ratios] == ["0"] * 8


def test_strong_damping_leaves_fewer_modes():
    names = ("m", "k", "c", "c_left", "c_right")
    strong = {name: value for name, value in given(c=3000).items() if name in names}
    frequencies, _ = damped_chain.complex_modes(**strong, digits=10)
    assert all(f.value is None for f in frequencies)


def test_nothing_moves_before_the_force():
    assert damped_chain.displacement(time=0, **given(), digits=10).value == 0


def test_negative_damping_is_refused():
    with pytest.raises(ParameterError, match="c_left"):
        damped_chain.displacement(time=1, **given(c_left=-1))
