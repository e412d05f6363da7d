"""What MuJoCo 4.0.0 makes of contacts, each by a small script that shows it; it fails where that is mended."""

import runpy
from pathlib import Path

import pytest

mujoco = pytest.importorskip("mujoco")

SCRIPTS = Path(__file__).parents[2] / "examples" / "findings" / "mujoco"
VERSION = "4.0.0"
pytestmark = pytest.mark.skipif(mujoco.__version__ != VERSION, reason=f"findings are those of MuJoCo {VERSION}")


def script(name):
    return runpy.run_path(str(SCRIPTS / f"{name}.py"))


@pytest.mark.parametrize(
    ("options", "velocity"), [("", 1.76e-3), ('cone="elliptic"', 8.24e-4), ('cone="elliptic" impratio="100"', 8.24e-6)]
)
def test_what_should_hold_creeps_for_ever(options, velocity):
    assert script("creep_on_an_incline")["held"](options)[1] == pytest.approx(velocity, rel=5e-3)


def test_noslip_does_nothing_for_a_body_that_is_guided_along_a_line():
    held = script("creep_on_an_incline")["held"]
    assert held('cone="elliptic" noslip_iterations="10"') == pytest.approx(held('cone="elliptic"'), rel=1e-6)


def test_a_pyramid_turns_the_way():
    stopped = script("pyramid_on_a_plane")["stopped"]
    assert stopped("pyramidal") == pytest.approx((0.5121, 0.4856), abs=1e-3)
    assert stopped("elliptic") == pytest.approx((0.4077, 0.3058), abs=1e-3)


def test_a_drop_does_not_return_and_the_recipe_of_a_damper_returns_too_much():
    found = script("restitution_of_a_drop")
    assert found["bounce"](1.0, 1e-3) < 1e-4
    shares = [found["bounce"](h, 1e-5, found["recipe"](0.25)) / (0.0625 * h) for h in (1.0, 0.01)]
    assert shares == pytest.approx([2.017, 1.501], rel=1e-2)


def test_what_slides_hops():
    forces = script("hop_of_a_sliding_block")["pressed"]()
    assert (forces == 0).mean() == pytest.approx(0.85, abs=0.02)
    assert forces.max() == pytest.approx(8.12, rel=1e-2)
    assert forces.mean() == pytest.approx(1.0, abs=0.03)
