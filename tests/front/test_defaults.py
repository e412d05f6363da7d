"""Defaults of the command line from veridyn.toml or pyproject.toml, and completion scripts."""

import json
import subprocess

import pytest

from veridyn.cli import main as cli


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reference(capsys, *arguments):
    """Return what `veridyn reference sdnd101 --json` prints."""
    assert cli.main(["reference", "sdnd101", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("file", "head"), [("veridyn.toml", "[reference]"), ("pyproject.toml", "[tool.veridyn.reference]")]
)
def test_options_come_from_a_file(folder, capsys, file, head):
    (folder / file).write_text(f'{head}\ndigits = 7\nset = {{k = "2e4"}}\n', encoding="utf-8")
    found = reference(capsys)
    assert found["parameters"]["k"] == "20000"
    assert {q["digits"] for q in found["quantities"]} <= {7, None}
    assert {q["digits"] for q in reference(capsys, "--digits", "9")["quantities"]} <= {9, None}
    assert reference(capsys, "--set=k=3e4")["parameters"]["k"] == "30000"


def test_veridyn_toml_comes_before_pyproject(folder, capsys):
    (folder / "veridyn.toml").write_text("[reference]\ndigits = 5\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text("[tool.veridyn.reference]\ndigits = 8\n", encoding="utf-8")
    assert {q["digits"] for q in reference(capsys)["quantities"]} <= {5, None}


def test_flags_and_lists():
    from veridyn.cli.configuration import completed

    _write('[run]\nquiet = true\nfail-fast = false\nsolver = ["exact", "scipy"]\njobs = 2\n')
    commands = cli._commands(cli._parser())
    assert completed(["run", "sdnd101"], commands) == [
        *("run", "--quiet", "--solver=exact", "--solver=scipy", "--jobs=2", "sdnd101"),
    ]
    assert completed(["run", "--solver", "exact", "-n1", "-q"], commands) == ["run", "--solver", "exact", "-n1", "-q"]
    assert completed(["run", "--help"], commands) == ["run", "--help"]
    assert completed(["list"], commands) == ["list"]


def _write(text):
    from pathlib import Path

    Path("veridyn.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "culprits"),
    [
        ("[run]\nsolvr = 1\n", ("veridyn.toml", "run has no option 'solvr'", "did you mean solver")),
        ("[rnu]\njobs = 1\n", ("no command 'rnu'", "did you mean run")),
        ("run = 1\n", ("run must be a table",)),
        ("[list]\njson = 2020-01-01\n", ("json = 2020-01-01", "must be a text")),
        ("[run\n", ("veridyn.toml", "line 1")),
    ],
)
def test_wrong_files_end_with_one_line(text, culprits, capsys):
    _write(text)
    assert cli.main(["list"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert all(culprit in said for culprit in culprits)


def test_wrong_values_are_refused_as_on_the_command_line(capsys):
    _write("[reference]\ndigits = 0\n")
    with pytest.raises(SystemExit) as ended:
        cli.main(["reference", "sdnd101"])
    assert ended.value.code == 2
    assert "--digits: must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_names_commands_and_options(shell, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--print-completion", shell])
    assert not ended.value.code
    script = capsys.readouterr().out
    assert "reference" in script
    assert "derivative" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_completion_without_its_package(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shtab", None)
    with pytest.raises(SystemExit) as ended:
        cli.main(["--print-completion", "bash"])
    assert ended.value.code == 2
    assert 'pip install "veridyn[completion]"' in capsys.readouterr().err
