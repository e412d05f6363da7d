"""Recipes for continuous integration: they parse, their commands exist, and what they read is written."""

import re
import shlex
from pathlib import Path

import pytest

from veridyn.cli import main as cli

yaml = pytest.importorskip("yaml", reason="pip install 'veridyn[docs]'")

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "continuous-integration.md").read_text(encoding="utf-8")


def read_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


def read_lines():
    """Return the shell lines of all recipes, those of GitHub and GitLab as their runners read them."""
    github, gitlab = map(yaml.safe_load, read_blocks("yaml"))
    steps = [step["run"] for step in github["jobs"]["veridyn"]["steps"] if "run" in step]
    plain = next(block for block in read_blocks("bash") if "environment=" in block)
    return [line for text in (*steps, *gitlab["verification"]["script"], plain) for line in text.splitlines()]


def split_commands():
    """Return the words of each command of the recipes; those after || are commands of their own."""
    return [shlex.split(part) for line in read_lines() for part in line.split(" || ")]


def test_each_recipe_installs_and_runs():
    ours = [(Path(words[0]).name, words[1:]) for words in split_commands() if "/bin/" in words[0]]
    runs = [arguments for program, arguments in ours if program == "veridyn"]
    installs = [arguments for program, arguments in ours if program == "pip"]
    assert installs == [["install", "veridyn[report] @ git+ADDRESS@VERSION"]] * 3
    assert len(runs) == 3
    for arguments in runs:
        cli._parser().parse_args(arguments)


def test_other_commands_are_those_of_a_shell():
    others = {words[0] for words in split_commands() if "/bin/" not in words[0]}
    assert others <= {"python", "python3", "test", "cat", "environment=$HOME/.cache/verification/VERSION"}


def test_what_recipes_read_is_written(tmp_path, monkeypatch, veridyn):
    solver = re.search(
        r"^```python\n(.*?)^```", (DOCS / "plugging-in-a-solver.md").read_text("utf-8"), re.DOTALL | re.M
    )
    (tmp_path / "my_solver.py").write_text(solver[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert veridyn("run", "sdnd101", "--quick", "--solver", "my_solver.py:Euler", "--report", "report").status == 0
    read = set(re.findall(r"report/([\w.]+)", PAGE)) | {"badge.svg", "index.html"}
    assert read >= {"summary.md", "junit.xml"}
    assert read <= {file.name for file in (tmp_path / "report").iterdir()}
