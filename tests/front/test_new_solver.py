"""The skeletons of `veridyn new-solver`: built as it says, each is healthy and passes the checks of what it offers."""

import shlex
import shutil
import subprocess

import pytest

import veridyn as package
from veridyn.cli.new_solver import CLIENT, LANGUAGES

TOOLS = {
    "mine.c": ("cc",),
    "mine.cpp": ("c++",),
    "mine.f90": ("cc", "gfortran"),
    "mine.jl": ("julia",),
    "mine.m": ("octave-cli",),
    "mine.mjs": ("node",),
    "mine.py": (),
}
STRICT = "-Wall -Wextra -Werror"


def write_solver(veridyn, folder, name, *options):
    """Write a skeleton, build it as is printed; return how it is named to veridyn."""
    seen = veridyn("new-solver", folder / name, *options)
    assert (seen.status, seen.err) == (0, "")
    *builds, doctor, run = [line.strip() for line in seen.out.splitlines() if line.startswith("  ")]
    for build in builds:
        compiler, *rest = shlex.split(build)
        done = subprocess.run(
            [compiler, *STRICT.split(), *rest], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    (spec,) = {shlex.split(command)[-1] for command in (doctor, run)}
    assert run.startswith("veridyn run --quick --solver ")
    return spec


def list_wrong(records):
    return [record for record in records if record.verdict not in ("pass", "not applicable")]


@pytest.mark.parametrize("name", TOOLS)
def test_a_skeleton_is_healthy_and_passes_what_it_offers(veridyn, tmp_path, monkeypatch, name):
    for tool in TOOLS[name]:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    monkeypatch.chdir(tmp_path)
    spec = write_solver(veridyn, tmp_path, name)
    seen = veridyn("doctor", "--solver", spec)
    assert (seen.status, seen.out.splitlines()[-1]) == (0, "healthy")
    records = package.verify(spec, ["sdnd101"], parameters={"v0": "1"})
    assert list_wrong(records) == []
    assert {record.layer for record in records if record.verdict == "pass"} == {
        *("criterion", "convergence", "claim", "invariance")
    }


def test_a_skeleton_for_initial_value_problems_finds_events(veridyn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spec = write_solver(veridyn, tmp_path, "mine.py", "--kind", "initial-value")
    records = package.verify(spec, ["belt_stick_slip"], parameters={"v_b": "0.2"})
    assert list_wrong(records) == []
    assert {"criterion", "convergence", "invariance"} <= {r.layer for r in records if r.verdict == "pass"}


def test_files_of_the_user_stay(veridyn, tmp_path):
    (tmp_path / "a.c").write_text("mine")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / CLIENT).write_text("of another version")
    for name, said in (("a.c", "is there already"), ("other/b.c", "not that of this version")):
        seen = veridyn("new-solver", tmp_path / name)
        assert (seen.status, said in seen.err) == (2, True)
    assert (tmp_path / "a.c").read_text() == "mine"
    assert not (tmp_path / "other" / "b.c").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.rs"], "no language has the suffix '.rs'"),
        (["a.c", "--kind", "initial-value"], "a skeleton in Python alone"),
        (["a b.py"], "cannot name a solver"),
    ],
)
def test_what_there_is_no_skeleton_of_is_refused(veridyn, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    seen = veridyn("new-solver", *arguments)
    assert (seen.status, said in seen.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_every_language_has_a_skeleton():
    assert {language.suffix for language in LANGUAGES.values()} == {name.removeprefix("mine") for name in TOOLS}
