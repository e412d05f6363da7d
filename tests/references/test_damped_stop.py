"""Damped stop: every digit, the undamped limit, momentum and energy, what it refuses."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError, elastic_stop
from veridyn.references import damped_stop as stop

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
    assert getattr(stop, name)(**which, **CASE).text() == text


def test_sixty_digits():
    assert stop.peak_force(contact=3, **CASE, digits=60).digits == 60


def test_hardly_any_damping_is_an_elastic_stop():
    elastic = {name: value for name, value in CASE.items() if name != "cc"}
    light = CASE | {"cc": "1e-12"}
    assert float(stop.restitution(**light)) == pytest.approx(1, abs=1e-12)
    assert float(stop.opening(**light)) == pytest.approx(float(elastic_stop.contact_duration(**elastic)), rel=1e-12)
    assert float(stop.peak_force(**light)) == pytest.approx(float(elastic_stop.peak_force(**elastic)), rel=1e-12)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(positive, positive, positive, positive, st.floats(0.01, 0.95))
def test_the_stop_lets_go_before_the_gap_opens_for_any_parameters(m, k, kc, v0, ratio):
    p = {"m": m, "k": k, "kc": kc, "cc": 2 * ratio * ((k + kc) * m) ** 0.5, "v0": v0}
    assert 0 < float(stop.force_duration(**p)) < float(stop.opening(**p)) < float(stop.touch(contact=2, **p))
    assert 0 < float(stop.restitution(**p)) < 1


@settings(max_examples=10, deadline=None, derandomize=True)
@given(positive, positive, positive, positive, st.floats(0.01, 0.95))
def test_the_stop_takes_the_energy_that_is_lost(m, k, kc, v0, ratio):
    """The work of the force over the first contact, by quadrature, is the loss of kinetic energy."""
    p = {"m": m, "k": k, "kc": kc, "cc": 2 * ratio * ((k + kc) * m) ** 0.5, "v0": v0}
    motion, end = stop.motion(**p, digits=15), float(stop.force_duration(**p))
    nodes = [(motion.displacement(t), motion.stop_force(t)) for t in mpmath.linspace(0, end, 401)]
    work = sum((g + f) / 2 * (y - x) for (x, f), (y, g) in pairwise(nodes))
    lost = m * v0**2 / 2 * (1 - float(stop.restitution(**p)) ** 2)
    assert float(work) == pytest.approx(lost, rel=2e-4)


def test_the_force_of_a_strong_dashpot_only_falls():
    assert float(stop.peak_force(**CASE | {"cc": 9000})) == 9000


@pytest.mark.parametrize("change", [{"cc": 10001}, {"cc": 0}, {"kc": -1}])
def test_parameters_out_of_range(change):
    with pytest.raises(ParameterError, match=next(iter(change))):
        stop.restitution(**CASE | change)


def test_no_time_before_the_launch():
    with pytest.raises(ParameterError, match="t must be non-negative"):
        stop.motion(**CASE).displacement(-1)


def test_a_stop_that_never_pulls_gives_back_more_than_one_that_does():
    """One that pulls until the gap opens holds on for half a period of the damped contact: e = exp(-π β/ωd)."""
    pulling = mpmath.exp(-mpmath.pi * 5 / mpmath.sqrt(2500 - 25))
    assert float(pulling) == pytest.approx(0.729, abs=5e-4)
    assert float(stop.restitution(**CASE)) == pytest.approx(0.745, abs=5e-4)
