"""The worked case of the guide: its files, written where cases live, are discovered and pass for several solvers."""

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
import veridyn.references.problems, veridyn.validation_cases.mechanics
for room in (veridyn.references.problems, veridyn.validation_cases.mechanics):
    room.__path__.append(sys.argv[1] + "/" + room.__name__.partition(".")[2].replace(".", "/"))
if __name__ == "__main__":  # the processes that solve come by here too
    from veridyn.cli.main import main

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
        return subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path)

    return run


def test_reference_is_certified(run):
    answer = json.loads(run("reference", "struck", "--json").stdout)
    (quantity,) = answer["quantities"]
    assert quantity["value"] == "0.523598775598298873077107230547"
    assert len(quantity["routes"]) == 2


def shown(command):
    """Return the summary that the page shows under a command."""
    (summary,) = re.findall(rf"^\$ {command}\n.*?^(All .*?)$", PAGE, flags=re.DOTALL | re.MULTILINE)[:1]
    return summary


@pytest.mark.parametrize(
    "arguments", [pytest.param("run struck", marks=pytest.mark.all_schemes), "run struck --solver exact"]
)
def test_passes(run, arguments):
    first = run(*arguments.split())
    assert first.returncode == 0
    assert all(line.startswith("veridyn: ") for line in first.stderr.splitlines())  # progress, on a slow machine
    assert shown(f"veridyn {arguments}") in first.stdout
