"""The elastic bar: one mass is an oscillator, many come near d'Alembert's bar, energy is shared."""

import mpmath
import pytest
import sympy

import veridyn
from veridyn.references import ParameterError
from veridyn.validation_cases.mechanics import test_bar_impact as bar


def test_one_mass_bounces_like_an_oscillator():
    half_period = mpmath.pi * 10 / mpmath.sqrt(2 * 900)  # half a cell is twice as stiff as the bar
    assert abs(bar.LASTS(N=1).value - half_period) < mpmath.mpf(10) ** -14
    assert abs(bar.REBOUND(N=1).value - 10) < mpmath.mpf(10) ** -25
    assert bar.VIBRATION(N=1).value == 0
    assert bar.EXCESS_REBOUND(N=1).value == 0


def test_more_masses_come_nearer_to_the_continuum():
    errors = [abs(bar.EXCESS_DURATION(N=n).value) for n in (2, 4, 8)]
    assert errors[0] > errors[1] > errors[2]
    assert bar.WAVE_DURATION().value == pytest.approx(2 / 3, abs=1e-14)
    assert bar.WAVE_FORCE().value == pytest.approx(300, abs=1e-12)


@pytest.mark.parametrize("n", [2, 5])
def test_impulse_turns_the_momentum_and_the_rest_vibrates(n):
    """The velocity of the centre after the release is read of the masses themselves."""
    masses = [f"v_x{i}" for i in range(1, n)] + ["v_tip"]
    motion = bar.make_quantities(lambda values: bar.state({**values, "N": sympy.Integer(n)}), bar.PARAMETERS)
    v, left = motion.value(f"({' + '.join(masses)})/{n}", ("wall_opens", 1))().value, bar.VIBRATION(N=n).value
    with mpmath.workdps(30):
        assert abs(bar.REBOUND(N=n).value - v) < mpmath.mpf(10) ** -28
        assert abs(bar.IMPULSE(N=n).value - 10 * (10 + v)) < mpmath.mpf(10) ** -24
        assert abs(left - (1 - (v / 10) ** 2)) < mpmath.mpf(10) ** -24


@pytest.mark.parametrize(("n", "words"), [("2.5", "N must be a whole number"), (33, "N = 33: chains are proved up to")])
def test_numbers_of_masses_that_are_refused(n, words):
    with pytest.raises(ParameterError, match=words):
        veridyn.reference("bar_impact", N=n)
