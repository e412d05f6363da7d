"""The solver of the tutorial: extracted, examined, run; exactly the stated checks fail."""

import re
from pathlib import Path

import pytest

import veridyn
from veridyn import cli
from veridyn.solver.modal import SOLVER

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


def test_is_healthy(spec):
    assert cli.main(["doctor", "--solver", spec]) == 0


def test_wrong_sign_is_broken(spec, capsys):
    file = Path(spec.rpartition(":")[0])
    file.write_text(code().replace("force -= n", "force += n"), encoding="utf-8")
    assert cli.main(["doctor", "--solver", spec]) == 3
    assert "sign of the contact force" in capsys.readouterr().out


def test_energy_alone_fails(spec):
    records = veridyn.verify(spec, ["sdnd101"])
    failed = [(r.variant, r.quantity) for r in records if r.verdict == "fail"]
    assert len(records) == 21
    assert failed == [("2-shocks", "energy_residual"), ("100-shocks", "energy_residual")]


def test_smaller_step_passes(spec):
    records = veridyn.verify(spec, ["sdnd101"], settings={"step": 2e-4})
    assert {r.quantity for r in records if r.verdict != "pass"} == {"stop_force_residual"}  # not reported


def test_capability_table_is_complete():
    section = PAGE.partition("## Capabilities")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)) == SOLVER.capabilities
