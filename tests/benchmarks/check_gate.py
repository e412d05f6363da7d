"""The gate on speed names a kernel that got slower, and no other."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks import gate
from tests.benchmarks.kernels import KERNELS

ROOT = Path(__file__).parents[2]
TIMED = "stating a problem"


def run(*arguments):
    """Run Python in a process of its own: pytest-benchmark times nothing in the workers of xdist."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_the_gate_names_a_kernel_that_is_slower_than_it_was(tmp_path):
    now, stored = tmp_path / "now.json", tmp_path / "stored.json"
    chosen = ("-q", "--benchmark-only", f"--benchmark-json={now}")
    assert run("-m", "pytest", f"tests/benchmarks/check_kernels.py::test_kernel[{TIMED}]", *chosen).returncode == 0
    assert run("-m", "tests.benchmarks.gate", str(now), str(stored), "--store").returncode == 0
    same = run("-m", "tests.benchmarks.gate", str(now), str(stored))
    assert (same.returncode, same.stdout) == (0, "no kernel got slower by more than a fifth, of 1\n")
    quicker = json.loads(stored.read_text(encoding="utf-8"))
    quicker["benchmarks"][0]["stats"]["min"] /= 1.3
    stored.write_text(json.dumps(quicker), encoding="utf-8")
    slower = run("-m", "tests.benchmarks.gate", str(now), str(stored))
    assert slower.returncode == 1
    assert slower.stdout.startswith(f"{TIMED}: 1.30 times as long as before")


def test_a_machine_that_is_half_as_fast_changes_nothing():
    fast = {"benchmarks": [{"extra_info": {"kernel": "a", "turn": 1e-3}, "stats": {"min": 2e-3}}]}
    slow = {"benchmarks": [{"extra_info": {"kernel": "a", "turn": 2e-3}, "stats": {"min": 4e-3}}]}
    assert gate.find_slower(gate.read_measures(slow), gate.read_measures(fast)) == []


def test_kernels_that_came_and_went_are_named():
    assert gate.find_slower({"new": 1.0}, {"old": 1.0}) == [
        "old: not timed in this run",
        "new: has no stored time; write it with --store",
    ]


def test_every_kernel_has_a_stored_time():
    stored = gate.read_measures(json.loads(gate.STORED.read_text(encoding="utf-8")))
    assert stored.keys() == KERNELS.keys()
