"""The example harnesses, built and put under test; skipped where their language is missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

import veridyn as package

FOLDER = Path(__file__).parents[2] / "examples" / "harnesses"
BUILDS = {
    "newmark.c": (("cc", "gcc", "clang"), ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"), ("-lm",)),
    "verlet.cpp": (("c++", "g++", "clang++"), ("-std=c++17", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"), ()),
}
NAMES = {"newmark.c": "newmark-c", "verlet.cpp": "verlet-cpp", "runge_kutta.mjs": "runge-kutta-js"}


def tool(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    return found or pytest.skip(f"none of {', '.join(names)} is installed")


@pytest.fixture(scope="session")
def harness(tmp_path_factory):
    """Return the specification of a harness by the name of its source."""
    built = {}

    def build(source):
        if source in BUILDS:
            compilers, flags, libraries = BUILDS[source]
            program = tmp_path_factory.mktemp("harness") / Path(source).stem
            command = [tool(*compilers), *flags, "-o", program, FOLDER / source, *libraries]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return f"cmd:'{program}'"
        return f"cmd:'{tool('node')}' '{FOLDER / source}'"

    def specification(source):
        if source not in built:
            built[source] = build(source)
        return built[source]

    return specification


@pytest.mark.parametrize("source", NAMES)
class TestHarnesses:
    def test_doctor(self, veridyn, harness, source):
        seen = veridyn("doctor", "--solver", harness(source))
        assert (seen.status, seen.err) == (0, "")
        lines = seen.out.splitlines()
        assert lines[0] == f"{NAMES[source]} 1.0: contact, mechanical"
        assert seen.out.count(": ok, ") == 3
        assert lines[-1] == "healthy"

    def test_passes_sdnd101(self, harness, source):
        records = package.verify(harness(source), ["sdnd101"])
        assert len(records) == 21
        assert {(r.solver, r.verdict) for r in records} == {(NAMES[source], "pass")}

    def test_the_step_of_the_user(self, harness, source):
        records = package.verify(harness(source), ["sdnd101"], parameters={"v0": "2"}, settings={"step": 1e-6})
        assert {r.verdict for r in records} == {"pass"}
        assert records[0].settings == {"step": 1e-6}

    def test_other_cases_are_not_applicable(self, harness, source):
        assert {r.verdict for r in package.verify(harness(source), ["sdnd104"])} == {"not applicable"}
