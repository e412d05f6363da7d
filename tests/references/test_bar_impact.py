"""The elastic bar: one mass is an oscillator, many come near d'Alembert's bar, energy is shared."""

import mpmath
import pytest

from veridyn.references.problems import bar_impact as bar


def test_one_mass_bounces_like_an_oscillator():
    half_period = mpmath.pi * 10 / mpmath.sqrt(2 * 900)  # half a cell is twice as stiff as the bar
    assert abs(bar.duration(N=1).value - half_period) < mpmath.mpf(10) ** -14
    assert abs(bar.rebound(N=1).value - 10) < mpmath.mpf(10) ** -25
    assert bar.vibration(N=1).value == 0


def test_more_masses_come_nearer_to_the_continuum():
    errors = [abs(bar.excess_duration(N=n).value) for n in (2, 4, 8)]
    assert errors[0] > errors[1] > errors[2]
    assert bar.wave_duration().value == pytest.approx(2 / 3, abs=1e-14)
    assert bar.wave_force().value == pytest.approx(300, abs=1e-12)


@pytest.mark.parametrize("n", [2, 5])
def test_impulse_turns_the_momentum_and_the_rest_vibrates(n):
    v, left = bar.rebound(N=n).value, bar.vibration(N=n).value
    with mpmath.workdps(30):
        assert abs(bar.impulse(N=n).value - 10 * (10 + v)) < mpmath.mpf(10) ** -24
        assert abs(left - (1 - (v / 10) ** 2)) < mpmath.mpf(10) ** -24
