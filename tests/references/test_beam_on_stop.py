"""Beam on a stop: roots proved, phases that join, special cases."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

from veridyn.references import beam_on_stop
from veridyn.references.beam_waves import Waves, beam, phases, roots
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import ParameterError, resolve

DEFAULT = resolve(beam_on_stop.PARAMETERS, {})
WHAT = ("touch", "release", "peak", "impulse")


def given(**changes):
    return resolve(beam_on_stop.PARAMETERS, changes)


def wave(*terms, constant=0):
    rates, weights = zip(*((mpmath.mpc(r), mpmath.mpc(w)) for r, w in terms), strict=True)
    return Waves(mpmath.mpf(constant), rates, weights)


def test_all_roots_of_a_sine_are_found():
    found = list(roots(wave((1j, -1j)), mpmath.mpf(20), from_zero=True))
    assert [float(t) for t in found] == pytest.approx([k * np.pi for k in range(1, 7)])


def test_a_near_touch_is_told_apart():
    """1 + a + cos t: two roots near pi for a < 0, none for a > 0."""
    assert list(roots(wave((1j, 1), constant=1.000001), mpmath.mpf(6), from_zero=False)) == []
    two = list(roots(wave((1j, 1), constant=0.999999), mpmath.mpf(6), from_zero=False))
    assert len(two) == 2
    assert float(two[1] - two[0]) == pytest.approx(2 * np.sqrt(2e-6), rel=1e-6)


def test_a_touch_is_refused():
    with pytest.raises(CertificationError, match="touch"):
        list(roots(wave((1j, 1), constant=1), mpmath.mpf(6), from_zero=False))


def test_phases_join_and_alternate():
    with mpmath.workdps(25):
        found = phases(beam(**DEFAULT))
        assert [p.closed for p in found] == [k % 2 == 1 for k in range(11)]
        for a, b in pairwise(found):
            assert a.end == b.start
            for f, g in zip(a.states, b.states, strict=True):
                assert abs(f(a.end - a.start) - g(mpmath.mpf(0))) < mpmath.mpf(10) ** -20
            assert abs(a.gap(a.end - a.start)) < mpmath.mpf(10) ** -20


def test_flight_of_one_undamped_looking_mode():
    """Before the first touch mode 1 alone is q'(0)/wd e^{-ξwt} sin wd t."""
    value = float(beam_on_stop.mid_span(time="0.01", **given(N=1)))
    w = np.pi**2
    wd = w * np.sqrt(1 - 0.02**2)
    expected = -np.sqrt(2) * 2 * np.sqrt(2) / np.pi / wd * np.exp(-0.02 * w * 0.01) * np.sin(wd * 0.01)
    assert value == pytest.approx(expected, rel=1e-14)


def test_contact_follows_the_matrix_exponential():
    """From touch to release of contact 2 in doubles."""
    b = beam(**DEFAULT)
    with mpmath.workdps(20):
        contact = phases(b)[3]
        start, end = ([float(f(t)) for f in contact.states] for t in (mpmath.mpf(0), contact.end - contact.start))
    w, shape = np.array([1.0, 9.0, 25.0]) * np.pi**2, np.sqrt(2) * np.array([1.0, -1.0, 1.0])
    A = np.zeros((7, 7))
    A[:3, 3:6] = np.eye(3)
    A[3:6, :3] = -np.diag(w**2) - 1e4 * np.outer(shape, shape)
    A[3:6, 3:6] = -0.04 * np.diag(w)
    A[3:6, 6] = -1e4 * shape * 0.02
    moved = expm(A * float(contact.end - contact.start)) @ [*start, 1.0]
    assert moved[:6] == pytest.approx(end, rel=1e-9)


@pytest.mark.parametrize(("N", "count"), [(1, 2), (2, 2), (3, 4), (5, 5)])
def test_even_modes_change_nothing_and_odd_ones_do(N, count):
    assert beam_on_stop.contacts(**given(N=N), digits=12).value == count


def test_energy_only_falls():
    energies = [float(beam_on_stop.energy(**given(T=T, N=3), digits=12)) for T in ("0.03", "0.07", "0.3", "0.5")]
    assert energies == sorted(energies, reverse=True)


def test_a_wide_gap_is_never_closed():
    far = given(gap=1, N=3)
    assert beam_on_stop.contacts(**far, digits=12).value == 0
    assert beam_on_stop.peak_force(**far, digits=12).value is None
    assert beam_on_stop.contact("touch", 1, **far, digits=12).value is None


@pytest.mark.parametrize(
    ("change", "match"), [({"N": "2.5"}, "whole number"), ({"N": 99}, "whole number"), ({"xi": 1}, "below 1")]
)
def test_bad_parameters(change, match):
    with pytest.raises(ParameterError, match=match):
        beam_on_stop.contacts(**given(**change))


def test_beyond_the_end():
    with pytest.raises(ParameterError, match="within T"):
        beam_on_stop.mid_span(time=1, **DEFAULT)


def test_the_four_numbers_of_a_contact_are_told_apart():
    contacts = int(float(beam_on_stop.contacts(**DEFAULT)))
    kept = [[float(beam_on_stop.contact(w, i + 1, **DEFAULT)) for w in WHAT] for i in range(contacts)]
    assert all(touch < release for touch, release, *_ in kept)
    assert all(a[1] < b[0] for a, b in pairwise(kept))
    assert all(impulse < peak * (release - touch) < 3 * impulse for touch, release, peak, impulse in kept)
    assert float(beam_on_stop.peak_force(**DEFAULT)) == max(peak for _, _, peak, _ in kept)
