"""The solver of the tutorial: extracted, examined, run; what is stated passes and fails."""

import re
from collections import Counter
from pathlib import Path

import pytest

from veridyn import verify

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugging-in-a-solver.md").read_text(encoding="utf-8")


def code():
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    return block


@pytest.fixture
def spec(tmp_path):
    file = tmp_path / "my_solver.py"
    file.write_text(code(), encoding="utf-8")
    return f"{file}:Euler"


def test_is_healthy_and_broken_with_a_wrong_sign(spec, veridyn):
    assert veridyn("doctor", "--solver", spec).status == 0
    file = Path(spec.rpartition(":")[0])
    file.write_text(code().replace("force -= n", "force += n"), encoding="utf-8")
    seen = veridyn("doctor", "--solver", spec)
    assert seen.status == 3
    assert "sign of the contact force" in seen.out


def test_passes_all_layers(spec):
    records = verify(spec, ["sdnd101"])
    assert Counter(r.layer for r in records if r.verdict == "pass") == {
        "criterion": 21,
        "convergence": 15,
        "claim": 2,
        "invariance": 18,
    }
    left = {r.quantity for r in records if r.verdict != "pass"}
    assert "histories of the stop, which it does not" in PAGE
    assert left == {"stop_force_residual", "position_histories", "rate_histories", "permuted"}
    (order,) = (r for r in records if (r.variant, r.layer) == ("2-shocks", "claim"))
    assert f"an observed order of {order.value:.1f}" in PAGE


@pytest.mark.parametrize(
    ("right", "wrong", "layer"),
    [
        ("force = -k * x", "force = -1.0001 * k * x", "convergence"),
        ("max(0.0, -stop.stiffness", "max(0.0, 0.1 - stop.stiffness", "invariance"),
    ],
)
def test_mistakes_below_the_criteria_are_detected(spec, right, wrong, layer):
    assert wrong in PAGE
    assert right in code()
    Path(spec.rpartition(":")[0]).write_text(code().replace(right, wrong), encoding="utf-8")
    failed = [r for r in verify(spec, ["sdnd101"]) if r.verdict == "fail"]
    assert {r.layer for r in failed} == {layer}
    for levels in (r.levels for r in failed if (r.layer, r.quantity) == ("convergence", "flight_duration")):
        assert all(f"{level.value:.9g}  " in PAGE for level in levels)
