"""Bodies that slide on planes and on each other: straight paths, climbs, stacks that go together."""

import mpmath
import pytest

from veridyn.references.problems import hodograph
from veridyn.validation_cases.mechanics import test_block_stack as stack
from veridyn.validation_cases.mechanics import test_incline_block as incline

G = mpmath.mpf("9.81")
TINY = mpmath.mpf(10) ** -14


def test_on_a_level_plane_the_path_is_straight():
    given = {"s": 0, "mu": "0.4", "v_x": "0.6", "v_y": "0.8"}
    assert abs(hodograph.stop_time(**given).value - 1 / (mpmath.mpf("0.4") * G)) < TINY
    way = 1 / (2 * mpmath.mpf("0.4") * G)
    assert abs(hodograph.stop_x(**given).value - mpmath.mpf("0.6") * way) < TINY
    assert abs(hodograph.stop_y(**given).value - mpmath.mpf("0.8") * way) < TINY


def test_across_a_slope_the_body_turns_downwards():
    assert hodograph.stop_x(s="0.2").value > hodograph.stop_x(s="0.1").value > 0
    assert hodograph.turn_x(s="0.2").value < hodograph.stop_x(s="0.2").value


def test_on_level_ground_a_block_slides_to_a_stop():
    assert abs(incline.STOP_TIME(s=0).value - 2 / (mpmath.mpf("0.4") * G)) < TINY
    assert abs(incline.STOP_PLACE(s=0).value - 4 / (2 * mpmath.mpf("0.4") * G)) < TINY


@pytest.mark.parametrize(
    ("given", "order"),
    [({"v0": 0}, "stick"), ({}, "slip+ stick"), ({"s": "0.5"}, "slip+"), ({"s": "0.5", "v0": -2}, "slip- slip+")],
)
def test_a_block_holds_stops_or_comes_back(given, order):
    assert incline.ORDER(**given).value == order


def test_friction_that_just_holds_gravity_holds_it():
    given = {"s": "0.4", "mu_s": "0.4", "mu_d": "0.39", "v0": -3}
    stop = -9 / (2 * G * (mpmath.mpf("0.4") + mpmath.mpf("0.39")) / mpmath.sqrt(1 + mpmath.mpf("0.16")))
    values = {quantity.name: quantity.reference for quantity in incline.CASE.quantities}
    assert incline.ORDER(**given).value == "slip- stick"
    assert abs(values["x@1.75"](**given).confirm().value - stop) < TINY
    assert values["v@1.75"](**given | {"v0": 0}).confirm().value == 0


def test_blocks_that_go_together_stop_together():
    lower, upper = (f(F=10).value for f in (stack.LOWER_STOP, stack.UPPER_STOP))
    speed = (10 - mpmath.mpf("0.6") * G) / 3 / 4
    assert lower == upper
    assert abs(lower - (mpmath.mpf("0.25") + speed / (mpmath.mpf("0.2") * G))) < TINY
    assert stack.LOWER_WAY(F=10).value == stack.UPPER_WAY(F=10).value


def test_the_upper_block_lags_behind_a_strong_pull():
    assert stack.LOWER_WAY(F=30).value > stack.UPPER_WAY(F=30).value
