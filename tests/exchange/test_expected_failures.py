"""Expected failures: a list with reasons, strict in both directions."""

import json
import os
import subprocess
import sys

import pytest

from veridyn import verify
from veridyn.solver.contract.loading import load_solver
from veridyn.validation_cases.judgement import plugin

SOLVER = '''
import math


class Scaled:
    """The exact motion of sdnd101, one percent too large; no other problem."""

    name, version, capabilities = "scaled", "1", {"mechanical", "contact"}

    def solve(self, problem, settings):
        if problem.end - problem.start > 1.1:
            raise RuntimeError("too long")
        m, k, kc = problem.mass[0][0], problem.stiffness[0][0], problem.stops[0].stiffness
        v0, w, wc = problem.initial_velocity[0], math.sqrt(k / m), math.sqrt((k + kc) / m)
        touch, cycle = math.pi / wc, math.pi / wc + math.pi / w
        t = [float(s) for s in problem.output_times]
        x = []
        for s in t:
            s = s % cycle
            x.append(1.01 * (v0 / wc * math.sin(wc * s) if s < touch else -v0 / w * math.sin(w * (s - touch))))
        return {"time": t, "displacement": x, "velocity": [0.0] * len(t)}
'''
SEED = 7  # of the copy at moved parameters
SHORT = ["peak_force", "impulse", "impact_velocity", "balance:energy_residual"]
LIST = """
# what is known of it
sdnd101/2-shocks-peak_force: forces are one percent too large
sdnd101/2-shocks-imp*: the same
scaled/sdnd101/2-shocks-balance:*: energies: two percent

sdnd101/100-shocks-*: it gives up: too long
"""


@pytest.fixture(scope="module")
def solver(tmp_path_factory):
    file = tmp_path_factory.mktemp("solver") / "scaled_solver.py"
    file.write_text(SOLVER, encoding="utf-8")
    return f"{file}:Scaled"


@pytest.fixture
def run(command, solver, tmp_path):
    """Run the scaled solver with a list; returns the outcome and the rows by check."""

    def verified(text, *arguments):
        file = tmp_path / "expected.txt"
        file.write_text(text, encoding="utf-8")
        given = ("run", "sdnd101", "--solver", solver, "--seed", SEED, "--expected-failures", file, "--json", "-")
        seen = command(*given, *arguments)
        return seen, {r["id"]: r for r in json.loads(seen.out)["results"]} if seen.out else {}

    return verified


@pytest.fixture(scope="module")
def failing(solver):
    """The ids of what fails or breaks without a list."""
    return {
        r.id: r.verdict for r in verify(load_solver(solver), ["sdnd101"], seed=SEED) if r.verdict in ("fail", "error")
    }


@pytest.fixture(scope="module")
def whole_list(failing):
    return "".join(f"sdnd101/{name}: known\n" for name in failing)


def test_what_fails_without_a_list(failing):
    assert {f"2-shocks-{name}" for name in SHORT[:3]} <= failing.keys()
    assert set(failing.values()) == {"fail", "error"}


def test_failures_and_errors_become_expected(run, whole_list, failing):
    """In several processes, and beside one of another case for another day."""
    seen, rows = run(whole_list + "sdld103/A-relative_NO2@0.1: not yet\n", "-n", "2")
    assert (seen.status, seen.err) == (0, "")
    assert {name for name, row in rows.items() if row["verdict"] == "expected failure"} == failing.keys()
    assert rows["2-shocks-peak_force"]["detail"] == "known"
    assert rows["2-shocks-peak_force"]["value"] > 0
    assert "known (" in rows["100-shocks-peak_force_100"]["detail"]
    assert "too long" in rows["100-shocks-peak_force_100"]["detail"]


def test_patterns(run, failing):
    seen, rows = run("sdnd101/*-peak_force*: forces\n*/100-shocks-[!p]*: it gives up\n*/100-shocks-pos*: it gives up\n")
    assert seen.status == 1
    expected = {name for name, row in rows.items() if row["verdict"] == "expected failure"}
    assert "2-shocks-peak_force" in expected
    assert {name for name in failing if name.startswith("100")} <= expected


def test_the_name_of_a_solver_and_colons(run):
    seen, rows = run("scaled/sdnd101/2-shocks-peak_force: one: two\n")
    assert (seen.status, rows["2-shocks-peak_force"]["detail"]) == (3, "one: two")
    seen, _ = run("others/sdnd101/2-shocks-peak_force: one\n")
    assert (seen.status, "others/sdnd101/2-shocks-peak_force" in seen.err) == (2, True)


def test_what_passes_unexpectedly_is_a_failure(run, whole_list):
    seen, rows = run(whole_list + "sdnd101/2-shocks-contact_duration: was wrong once\n")
    row = rows["2-shocks-contact_duration"]
    assert (seen.status, row["verdict"]) == (1, "fail")
    assert row["detail"].startswith("unexpectedly passes, remove expected.txt line")
    assert row["detail"].endswith(": was wrong once")
    assert row["margin"] > 1


def test_what_is_not_applicable_stays_so(command, solver, tmp_path):
    file = tmp_path / "expected.txt"
    file.write_text("sdld103/A-relative_*: known\n", encoding="utf-8")
    given = ("run", "sdld103", "--solver", solver, "--expected-failures", file, "--json", "-")
    rows = json.loads(command(*given).out)["results"]
    assert {row["verdict"] for row in rows} == {"not applicable"}


WRONG = {
    "no check": (
        "sdnd101/2-shocks-peak_forse: x\n",
        "match no check: sdnd101/2-shocks-peak_forse (expected.txt line 1)",
    ),
    "suggestion": ("sdnd101/2-shocks-peak_forse: x\n", "did you mean sdnd101/2-shocks-peak_force?"),
    "several": ("sdnd1/x: a\nsdnd2/*: b\n", "sdnd1/x (expected.txt line 1), sdnd2/* (expected.txt line 2)"),
    "no reason": ("# x\nsdnd101/2-shocks-peak_force\n", "line 2: 'sdnd101/2-shocks-peak_force' has no reason; write"),
    "empty reason": ("sdnd101/2-shocks-peak_force: \n", "line 1: 'sdnd101/2-shocks-peak_force:' has no reason"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_wrong_lists(run, text, message, monkeypatch):
    monkeypatch.setattr("veridyn.run.execution.judge_all", None)  # nothing may begin
    seen, _ = run(text)
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert message in seen.err


def test_a_list_that_is_not_there(command):
    seen = command("run", "sdnd101", "--expected-failures", "none.txt")
    assert (seen.status, seen.err) == (2, "veridyn: cannot read none.txt: no such file or directory\n")


def test_verify_takes_a_list(solver, whole_list, tmp_path):
    file = tmp_path / "expected.txt"
    file.write_text(whole_list, encoding="utf-8")
    found = verify(load_solver(solver), ["sdnd101"], expected_failures=file)
    assert {record.verdict for record in found} - {"not applicable"} == {"pass", "expected failure"}


@pytest.fixture
def pytest_run(solver, tmp_path):
    """Run the checks of sdnd101 as tests, in a process of their own."""

    def tested(text, *arguments):
        file = tmp_path / "expected.txt"
        file.write_text(text, encoding="utf-8")
        given = [
            "--pyargs",
            "veridyn.validation_cases.mechanics.test_sdnd101",
            "--solver",
            solver,
            "--expected-failures",
            file,
        ]
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, given), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTEST_ADDOPTS": ""},
        )

    return tested


def test_pytest_marks_them_and_is_strict(pytest_run, whole_list):
    lines = [line for line in whole_list.splitlines(keepends=True) if "moved_copy" not in line]  # pytest has no seed
    done = pytest_run("".join(lines) + "sdnd101/2-shocks-contact_duration: was wrong once\n")
    assert done.returncode == 1, done.stdout
    assert "1 failed, " in done.stdout
    assert f"{len(lines)} xfailed" in done.stdout
    assert "[XPASS(strict)] was wrong once" in done.stdout


class Asked:
    """A session of pytest that was given a solver and a list."""

    def __init__(self, solver, file):
        self.config, self.given = self, {"veridyn_solver": [solver], "veridyn_expected_failures": str(file)}

    def getoption(self, name):
        return self.given.get(name, "")


def test_pytest_refuses_unknown_names(solver, tmp_path, monkeypatch):
    monkeypatch.setattr(plugin, "case_names", lambda: ("sdnd101",))  # to load all takes seconds
    file = tmp_path / "expected.txt"
    file.write_text("sdnd101/x: y\n", encoding="utf-8")
    with pytest.raises(pytest.UsageError, match=r"match no check: sdnd101/x \(expected.txt line 1\)"):
        plugin.pytest_collection(Asked(solver, file))
