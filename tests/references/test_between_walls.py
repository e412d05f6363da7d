"""Mass between two walls: limits, balances, random parameters, what is refused."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.problems import between_walls as walls
from veridyn.references.problems import damped_stop

size = st.floats(0.1, 10).map(repr)
share = st.floats(0.05, 0.95)


@given(size, size, size, share, share)
@settings(max_examples=10, deadline=None)
def test_both_routes_agree(m, k, kc, first, second):
    reach = mpmath.sqrt(float(m) / float(k))
    parameters = {"m": m, "k": k, "kc": kc, "v0": 1, "a": repr(float(first * reach)), "b": repr(float(second * reach))}
    for number in (1, 2, 5, 8):
        for quantity in (walls.touch, walls.release, walls.peak_force, walls.impulse):
            quantity(number=number, **parameters).confirm()
    for time in ("0", "1/3", "17"):
        walls.displacement(time=time, **parameters).confirm()


def test_a_wall_without_a_gap_is_the_elastic_stop():
    shared = {"m": "100", "k": "1e4", "kc": "1e6", "v0": "1"}
    one, near = shared | {"cc": 0}, shared | {"a": "1e-30", "b": "1e-30"}
    assert float(walls.peak_force(**near)) == pytest.approx(float(damped_stop.peak_force(**one)), rel=1e-14)
    assert float(walls.impulse(**near)) == pytest.approx(float(damped_stop.impulse(**one)), rel=1e-14)
    lasts = float(walls.release(**near)) - float(walls.touch(**near))
    assert lasts == pytest.approx(float(damped_stop.force_duration(**one)), rel=1e-14)


def test_walls_of_no_stiffness_leave_a_free_swing():
    motion = walls.motion(kc="1e-30")
    assert float(motion("displacement", "0.4")) == pytest.approx(0.1 * float(mpmath.sin(4)), rel=1e-14)


def test_force_and_displacement_belong_together():
    motion = walls.motion()
    for time in ("0.06", "0.1", "0.17", "0.6", "3.21"):
        x = motion("displacement", time)
        pressed = max(x - mpmath.mpf("0.05"), -mpmath.mpf("0.03") - x, 0)
        assert float(motion("force", time)) == pytest.approx(2e4 * float(pressed), rel=1e-12, abs=1e-12)


def test_a_wall_out_of_reach_is_refused():
    with pytest.raises(ParameterError, match=r"a = 0.1 m: v0 = 1 m/s is too slow to reach this wall"):
        walls.touch(a="0.1")
