"""The worked case of the guide: its files, written where cases live, are discovered, pass and freeze."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding-a-case.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`([\w/]+\.py)`:\n\n```python\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)

# A fresh process, in which the two rooms also look into the folder of the example.
START = """
import sys
import veridyn.references, veridyn.validation_cases
for room in (veridyn.references, veridyn.validation_cases):
    room.__path__.append(sys.argv[1] + "/" + room.__name__.rpartition(".")[2])
if __name__ == "__main__":  # the processes that solve come by here too
    from veridyn.cli import main

    sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def run(tmp_path):
    for name, code in FILE.findall(PAGE):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")

    start = tmp_path / "start.py"
    start.write_text(START, encoding="utf-8")

    def run(*arguments):
        command = [sys.executable, str(start), str(tmp_path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path)

    return run


def test_has_all_files():
    case = "validation_cases/struck"
    assert [name for name, _ in FILE.findall(PAGE)] == [
        "references/struck_oscillator.py",
        f"{case}/measures.py",
        f"{case}/__init__.py",
        f"{case}/case.py",
        f"{case}/test_struck.py",
    ]


def test_is_discovered(run):
    listed = json.loads(run("list", "--json").stdout)["cases"]
    assert "struck" in {case["case"] for case in listed}


def test_reference_is_certified(run):
    answer = json.loads(run("reference", "struck", "--json").stdout)
    (quantity,) = answer["quantities"]
    assert quantity["value"] == "0.523598775598298873077107230547"
    assert len(quantity["routes"]) == 2


def test_passes_and_freezes(run):
    first = run("run", "struck")
    assert (first.returncode, "All 18 checks passed" in first.stdout) == (0, True)
    assert "struck: 18 frozen values changed" in run("freeze", "struck").stdout
    assert "All 36 checks passed" in run("run", "struck").stdout
