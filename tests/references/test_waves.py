"""Sums of exponentials: derivatives, integrals, all their roots, flights and contacts that join."""

from itertools import pairwise

import mpmath
import pytest

from veridyn.references.second_routes.waves import Waves, alternating, holding

TURNING = Waves(mpmath.mpf("0.3"), (mpmath.mpc(-1, 9), mpmath.mpc(0, 4)), (mpmath.mpc(1, 2), mpmath.mpc(0, 1)), 2)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_are_those_of_the_values(order):
    with mpmath.workdps(40):
        at = mpmath.mpf("0.7")
        assert abs(TURNING(at, order) - mpmath.diff(TURNING, at, order)) < mpmath.mpf(10) ** -15


def test_the_integral_is_that_of_the_values():
    still = Waves(mpmath.mpf(1), (mpmath.mpc(0),), (mpmath.mpc(3),))
    for waves in (TURNING, still):
        assert abs(waves.integral(mpmath.mpf(2)) - mpmath.quad(waves, mpmath.linspace(0, 2, 9))) < 1e-12


def test_every_root_is_found_but_that_of_the_start():
    sine = Waves(mpmath.mpf(0), (mpmath.mpc(0, 1),), (mpmath.mpc(0, -1),))
    found = list(sine.roots(mpmath.mpf(10), from_zero=True))
    assert [float(t) for t in found] == pytest.approx([float(n * mpmath.pi) for n in (1, 2, 3)])
    turns = list(sine.roots(mpmath.mpf(10), from_zero=False, order=1))
    assert [float(t) for t in turns] == pytest.approx([float((n + 0.5) * mpmath.pi) for n in range(3)])


def bounced(gap, end):
    """Return x'' = -x, on a spring 99 times as stiff where x < -gap, begun at 0 with velocity -1."""

    def law(closed):
        stop = [[0, 1, 0], [-100, 0, -99], [0, 0, 0]]
        return mpmath.matrix(stop if closed else [[0, 1, 0], [-1, 0, 0], [0, 0, 0]])

    return alternating(law, mpmath.matrix([[1, 0, 1]]), [mpmath.mpf(0), mpmath.mpf(-1), gap], mpmath.mpf(end))


def test_flights_and_contacts_join_and_keep_the_energy():
    phases = bounced(mpmath.mpf("0.5"), 20)
    assert [p.closed for p in phases] == [bool(k % 2) for k in range(len(phases))]
    assert len(phases) > 5
    for a, b in pairwise(phases):
        assert all(abs(f(a.end - a.start) - g(mpmath.mpf(0))) < 1e-13 for f, g in zip(a.states, b.states, strict=True))
    for time in (1, 2, 9, 20):
        phase, lapse = holding(phases, mpmath.mpf(time))
        x, v, _ = (f(lapse) for f in phase.states)
        assert abs(v**2 + x**2 + 99 * min(x + mpmath.mpf("0.5"), 0) ** 2 - 1) < 1e-12
    depth = phases[1].deepest()
    assert abs((depth + mpmath.mpf("0.5")) ** 2 + 99 * depth**2 - 1) < 1e-12
