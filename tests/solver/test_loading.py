"""A solver is found by name, by module or by file; what is found nowhere, or is none, is refused with the reason."""

import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.solver.contract import loading
from veridyn.solver.contract.errors import Interrupted
from veridyn.solver.contract.loading import SolverNotFound, load_solver

ROOMS = ("docs", "references", "reports", "solver", "validation_cases", "veridyn")
FILE = """
import os

class Fake:
    name, version, capabilities = "fake", "1", {"mechanical"}

    def solve(self, problem, settings):
        return {}

class Broken(Fake):
    def __init__(self):
        raise OSError("no licence")

class Leaving(Fake):
    def __init__(self):
        raise SystemExit(3)

class Unversioned:
    name, capabilities = "fake", {"mechanical"}

    def solve(self, problem, settings):
        return {}

fake = Fake()
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fakes.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def refusal(spec):
    with pytest.raises(SolverNotFound) as refused:
        load_solver(spec)
    return str(refused.value)


def test_an_object_and_a_class_of_a_file(file):
    assert load_solver(f"{file}:fake").name == "fake"
    assert load_solver(f"{file}:Fake").version == "1"


def test_an_attribute_of_a_module(file, monkeypatch):
    monkeypatch.syspath_prepend(file.parent)
    assert load_solver("fakes:fake").name == "fake"
    assert "no attribute 'nobody'" in refusal("fakes:nobody")
    sys.modules.pop("fakes", None)


def test_an_installed_solver():
    assert load_solver("exact").name == "exact"
    assert "did you mean exact" in refusal("exatc")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Broken", "OSError: no licence"),
        ("Leaving", "SystemExit"),
        ("Unversioned", "lacks version"),
        ("os", "is no solver"),
    ],
)
def test_what_is_no_solver(file, name, words):
    assert words in refusal(f"{file}:{name}")


def test_files_and_modules_that_are_not_there(tmp_path):
    assert "there is no file" in refusal(f"{tmp_path / 'none.py'}:solver")
    assert "the name of the solver in it" in refusal("none.py")
    assert "is it installed" in refusal("no_such_package.solvers:solver")


@pytest.mark.parametrize(
    ("text", "words"),
    [("raise SystemExit", "__main__"), ("1/0", "ZeroDivisionError"), ("import no_such_package", "is it installed")],
)
def test_files_that_cannot_be_imported(tmp_path, text, words):
    path = tmp_path / "breaks.py"
    path.write_text(text, encoding="utf-8")
    assert words in refusal(f"{path}:solver")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("heyoka", "veridyn.x:y", 'pip install "veridyn[heyoka]"'),
        ("mujoco_scene", "veridyn.x:y", 'pip install "veridyn[mujoco]"'),
        ("calculix", "veridyn.x:y", "installed?"),
        ("heyoka", "other:y", "installed?"),
    ],
)
def test_an_installed_solver_whose_library_is_missing(monkeypatch, name, value, words):
    def load():
        raise ImportError("no module")

    monkeypatch.setattr(loading, "_installed", lambda: {name: SimpleNamespace(value=value, load=load)})
    assert words in refusal(name)


def test_each_hint_of_an_extra_names_one_that_exists():
    root = Path(__file__).parents[2]
    declared = {
        *tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    }
    written = [file for room in ROOMS for end in ("py", "md") for file in (root / room).rglob(f"*.{end}")]
    hints = {
        name
        for file in written
        for name in re.findall(r"(?:veridyn\[|optional_package\(\")([\w,-]+)", file.read_text(encoding="utf-8"))
    }
    assert {"report", "heyoka"} <= {name for hint in hints for name in hint.split(",")} <= declared
    foreign = [name for name in loading._installed() if name.split("_")[0] in declared]
    assert [name for name in foreign if loading.find_extra(name) not in declared] == []


def test_programs_that_do_not_start_and_units_that_are_not_there(tmp_path):
    assert "cannot start" in refusal(f"cmd:{tmp_path / 'none'}")
    assert "there is no file" in refusal(f"fmu:{tmp_path / 'none.fmu'}")


def test_a_unit_that_cannot_be_read(tmp_path):
    unit, names = tmp_path / "empty.fmu", tmp_path / "names.toml"
    unit.write_bytes(b"")
    names.write_text("", encoding="utf-8")
    assert "empty.fmu" in refusal(f"fmu:{unit}")
    assert "there is no file" in refusal(f"fmu:{unit},{tmp_path / 'none.toml'}")


def test_what_cannot_be_loaded_is_a_wrong_input():
    assert issubclass(SolverNotFound, SolverInputError)


def test_an_interruption_keeps_what_was_computed():
    stopped = Interrupted("interrupted at t = 1 s", response=(1, 2))
    assert stopped.response == (1, 2)
    assert str(stopped) == "interrupted at t = 1 s"


def test_a_file_imports_what_lies_beside_it_and_that_hides_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "lies_beside.py").write_text("NAME = 'stepper'\n")
    (tmp_path / "csv.py").write_text("raise ImportError('hidden')\n")
    text = "import csv\nimport lies_beside\n\n\nclass Solver:\n    name, version = lies_beside.NAME, csv.__doc__[:3]\n"
    (tmp_path / "mine.py").write_text(f"{text}    capabilities = {{'mechanical'}}\n\n    def solve(self, *_): ...\n")
    solver = load_solver(f"{tmp_path / 'mine.py'}:Solver")
    assert (solver.name, solver.version) == ("stepper", "CSV")
