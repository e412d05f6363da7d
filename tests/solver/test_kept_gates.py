"""Gates that a process keeps: loaded anew where another run begins and files have changed; ended with the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import veridyn
from veridyn.solver.contract.opening import close_gates

SOLVER = """
import helper

class Mine:
    name, version, capabilities = "mine", f"1.{helper.MINOR}", {"mechanical"}

    def solve(self, problem, settings):
        raise NotImplementedError("no motion")
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"name": "mine", "version": "1", "capabilities": ["mechanical"]}), flush=True)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which solvers are written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "helper.py").write_text("MINOR = 1")
    (tmp_path / "mine.py").write_text(SOLVER)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def find_version(spec: str) -> str:
    (card,) = veridyn.identify(spec)
    return card.version


def change(file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text().replace(old, new))


def test_files_that_changed_are_loaded_anew(folder: Path) -> None:
    assert find_version("mine.py:Mine") == "1.1"
    change(folder / "mine.py", "1.{", "2.{")  # as long as before, and in the same second
    assert find_version("mine.py:Mine") == "2.1"
    change(folder / "helper.py", "1", "21")  # a module beside it
    assert find_version("mine.py:Mine") == "2.21"
    close_gates()


def test_a_module_on_the_path_is_loaded_anew(folder: Path) -> None:
    assert find_version("mine:Mine") == "1.1"
    change(folder / "mine.py", '"1.', '"31.')
    assert find_version("mine:Mine") == "31.1"
    close_gates()


def test_a_program_that_changed_is_started_anew(folder: Path) -> None:
    spec = f"cmd:{sys.executable} program.py"
    assert find_version(spec) == "1"
    change(folder / "program.py", '"1"', '"2"')
    assert find_version(spec) == "2"
    close_gates()


ENDS_LATE = """
import weakref

class Early: pass

early = Early()
weakref.finalize(early, print, end="")  # so that finalisers run after what is registered from now on
from veridyn.solver.contract.opening import open_gate

print(open_gate("mine.py:Mine").introduction.name)
"""


def test_a_process_that_leaves_a_gate_open_ends_without_a_word(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ENDS_LATE], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "mine\n", "")
