"""The solver of the tutorial: extracted, examined, run; what is stated passes and fails."""

import re
from collections import Counter
from pathlib import Path

import pytest

import veridyn
from veridyn import cli
from veridyn.solver.contract import KEYS, STEPS_PER_PERIOD, TOLERANCES
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugging-in-a-solver.md").read_text(encoding="utf-8")
LONGEST = 30  # lines


def code():
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    return block


@pytest.fixture
def spec(tmp_path):
    file = tmp_path / "my_solver.py"
    file.write_text(code(), encoding="utf-8")
    return f"{file}:Euler"


def test_is_short():
    assert len(code().splitlines()) <= LONGEST


def test_imports_nothing_of_ours():
    assert "veridyn" not in code()


def test_is_healthy(spec, one_core):
    assert cli.main(["doctor", "--solver", spec]) == 0


def test_wrong_sign_is_broken(spec, one_core, capsys):
    file = Path(spec.rpartition(":")[0])
    file.write_text(code().replace("force -= n", "force += n"), encoding="utf-8")
    assert cli.main(["doctor", "--solver", spec]) == 3
    assert "sign of the contact force" in capsys.readouterr().out


def test_passes_all_layers(spec):
    records = veridyn.verify(spec, ["sdnd101"])
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
    failed = [r for r in veridyn.verify(spec, ["sdnd101"]) if r.verdict == "fail"]
    assert {r.layer for r in failed} == {layer}
    for levels in (r.levels for r in failed if (r.layer, r.quantity) == ("convergence", "flight_duration")):
        assert all(f"{level['value']:.9g}  " in PAGE for level in levels)


def test_every_claim_is_listed():
    section = PAGE.partition("**Claims** are a mapping")[2].partition("\n## ")[0]
    listed = "".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", listed)) == set(KEYS)


def test_what_the_suite_chooses_is_stated():
    assert STEPS_PER_PERIOD == (50, 100, 200, 400)
    assert TOLERANCES == (1e-5, 1e-7, 1e-9, 1e-11)
    assert "50, 100, 200 and 400 steps in the shortest period" in PAGE
    assert "1e-5, 1e-7, 1e-9 and 1e-11" in PAGE


def test_capability_table_is_complete():
    section = PAGE.partition("## Capabilities")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)) == SOLVER.capabilities | EXACT.capabilities
