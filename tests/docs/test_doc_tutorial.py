"""The solver of the tutorial with the mistakes that the page makes in it; test_doc_commands runs it without."""

import re
from pathlib import Path

import pytest

from veridyn import verify

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugging-in-a-solver.md").read_text(encoding="utf-8")
SHORT = {"v0": "2"}  # the first variant, which is the shorter one; test_doc_commands runs both


def code(place=0):
    return re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)[place]


@pytest.fixture
def spec(tmp_path):
    file = tmp_path / "my_solver.py"
    file.write_text(code(), encoding="utf-8")
    return f"{file}:Euler"


def test_the_doctor_knows_a_wrong_sign(spec, veridyn):
    Path(spec.rpartition(":")[0]).write_text(code().replace("force -= n", "force += n"), encoding="utf-8")
    seen = veridyn("doctor", "--solver", spec)
    assert seen.status == 3
    assert "sign of the contact force" in seen.out


def test_its_order_is_the_one_stated_and_it_reports_no_histories(spec):
    records = verify(spec, ["sdnd101"], parameters=SHORT)
    left = {r.quantity for r in records if r.verdict != "pass"}
    assert left == {"stop_force_residual", "position_histories", "rate_histories", "permuted"}
    (order,) = (r for r in records if r.layer == "claim")
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
    failed = [r for r in verify(spec, ["sdnd101"], parameters=SHORT) if r.verdict == "fail"]
    assert {r.layer for r in failed} == {layer}
    for levels in (r.levels for r in failed if (r.layer, r.quantity) == ("convergence", "flight_duration")):
        assert all(f"{level.value:.9g}  " in PAGE for level in levels)


def test_the_initial_value_solver_keeps_its_order(tmp_path):
    file = tmp_path / "my_rates.py"
    file.write_text(code(1), encoding="utf-8")
    records = verify(f"{file}:RungeKutta", ["duffing_free"])
    assert {record.verdict for record in records} <= {"pass", "not applicable"}
    assert any(record.layer == "claim" and record.verdict == "pass" for record in records)
