"""Mass between two walls: limits, balances, random parameters, walls of all shapes, what is refused."""

from __future__ import annotations

from functools import partial

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import veridyn
from veridyn.references import ParameterError
from veridyn.references.mechanics.motions import make_quantities
from veridyn.validation_cases.mechanics import test_obstacles as case

size = st.floats(0.1, 10).map(repr)
share = st.floats(0.05, 0.95)


@given(size, size, size, share, share)
@settings(max_examples=6, deadline=None)
def test_both_routes_agree(m, k, kc, first, second):
    reach = mpmath.sqrt(float(m) / float(k))
    parameters = {"m": m, "k": k, "kc": kc, "v0": 1, "a": repr(float(first * reach)), "b": repr(float(second * reach))}
    for number in (1, 2, 4):
        for find in (case.touch, case.release, case.peak_force, case.impulse):
            find(number)(**parameters).confirm()
    for time in ("0", "0.3", "0.9"):
        case.displacement(time)(**parameters).confirm()


def test_a_wall_without_a_gap_is_the_elastic_stop():
    shared = {"m": "100", "k": "1e4", "kc": "1e6", "v0": "1"}
    one, near = veridyn.reference("sdnd101", **shared), veridyn.reference("obstacles", **shared, a="1e-30", b="1e-30")
    assert float(near["peak_force_1"]) == pytest.approx(float(one["peak_force"]), rel=1e-14)
    assert float(near["impulse_1"]) == pytest.approx(float(one["impulse"]), rel=1e-14)
    lasts = float(near["release_1"]) - float(near["touch_1"])
    assert lasts == pytest.approx(float(one["contact_duration"]), rel=1e-14)


def test_walls_of_no_stiffness_leave_a_free_swing():
    motion = case.HISTORY(kc="1e-30")
    assert float(motion("displacement", "0.4")) == pytest.approx(0.1 * float(mpmath.sin(4)), rel=1e-14)


def test_force_and_displacement_belong_together():
    motion = case.MOTION.history(displacement=case.PLACE, force=case.PUSH)()
    for time in ("0.06", "0.1", "0.17", "0.6", "2.21"):
        x = motion("displacement", time)
        pressed = max(x - mpmath.mpf("0.05"), -mpmath.mpf("0.03") - x, 0)
        assert float(motion("force", time)) == pytest.approx(2e4 * float(pressed), rel=1e-12, abs=1e-12)


TURNED = {"skewed": "3/5*(x1 + x2/2) + 4/5*x2"}  # the place along the line, where coordinates are others
WALLS = {
    "two-stops": partial(case.state, walls=case._two_stops),
    "circle": partial(case.state, walls=case._circle),
    "annulus": partial(case.state, walls=case._annulus),
    "skewed": case.skewed,
    "spring": case.sprung,
}


@pytest.mark.parametrize("name", WALLS)
def test_walls_of_any_shape_have_the_same_proved_motion(name):
    """Each variant's own problem is followed: after two contacts the mass is where it is between planes."""
    motion = make_quantities(WALLS[name], case.PARAMETERS)
    there = motion.value(TURNED.get(name, case.PLACE), "0.25")().value
    with mpmath.workdps(30):
        assert abs(there - case.displacement("0.25")().value) < mpmath.mpf(10) ** -27


def test_a_wall_out_of_reach_is_refused():
    with pytest.raises(ParameterError, match=r"a = 0.1: the mass is too slow to reach this wall"):
        veridyn.reference("obstacles", a="0.1")
