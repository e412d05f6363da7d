"""Processes, pipes, imports, frozen values."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from veridyn.validation_cases import frozen
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import load_case
from veridyn.validation_cases.checks import checks
from veridyn.verification import Findings, run_tasks, subjects, tasks, verify
from veridyn.workers import Crew


def in_workers(jobs, *solvers):
    with Crew(jobs) as crew:
        todo = tasks(subjects(crew, solvers), ["sdnd101"], {"v0": "2"})
        findings = Findings([[] for _ in todo])
        run_tasks(crew, todo, findings)
    return compared(findings.records)


def compared(records):
    return [replace(record, wall_time=None) for record in records]


def test_workers_give_the_records_that_this_process_gives(foreign):
    solvers = ("veridyn", foreign("Foreign"))
    here = [record for solver in solvers for record in verify(solver, ["sdnd101"], parameters={"v0": "2"})]
    assert len(here) == 70
    assert in_workers(1, *solvers) == in_workers(2, *solvers) == compared(here)


def test_quiet_in_a_pipe(python):
    seen = python("-m", "veridyn.cli", "run", "sdnd101", "--set", "v0=2")
    assert (seen.status, seen.err) == (0, "")
    assert "\x1b" not in seen.out
    assert "\r" not in seen.out
    assert "63 pass" in seen.out


@pytest.mark.parametrize("arguments", [["reference", "sdld103", "--json"], ["show", "sdld103"]], ids=lambda a: a[0])
def test_a_reader_that_has_seen_enough(tmp_path, arguments):
    command = [sys.executable, "-u", "-m", "veridyn.cli", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)  # the console of rich says 1


LAZY = [
    ("import veridyn", {"numpy", "mpmath", "numba", "scipy", "matplotlib"}),
    ("import veridyn; veridyn.cases()", {"numba", "matplotlib"}),
    ("import veridyn; veridyn.reference('sdnd104', a0='1.2')", {"numba", "matplotlib"}),
    ("from veridyn.cli import main; main(['list'])", {"numba", "matplotlib"}),
    ("from veridyn.cli import main; main(['reference', 'sdnd101', '--json'])", {"numba", "matplotlib"}),
    ("from veridyn.cli import main; main(['show', 'sdnd101'])", {"numba", "matplotlib"}),
]


@pytest.mark.parametrize(("code", "unwanted"), LAZY, ids=[code for code, _ in LAZY])
def test_what_is_not_needed_is_not_imported(python, code, unwanted):
    seen = python("-c", f"import sys; {code}; print('\\n', *sorted(set(sys.modules) & {unwanted!r}))")
    assert (seen.status, seen.err) == (0, "")
    assert seen.out.splitlines()[-1].split() == []


@pytest.fixture
def frozen_copy(monkeypatch, tmp_path):
    """A copy of the frozen values of sdnd101, one changed, one missing, one too many."""
    original = frozen.frozen_file(load_case("sdnd101"))
    values = json.loads(original.read_text(encoding="utf-8"))
    values["2-shocks-peak_force-devogelaere"] = 1.5
    del values["2-shocks-impulse-devogelaere"]
    values["2-shocks-gone-devogelaere"] = 2.5
    copy = tmp_path / "frozen.json"
    copy.write_text(json.dumps(values), encoding="utf-8")
    monkeypatch.setattr(frozen, "frozen_file", lambda _: copy)
    return copy, original


def test_freeze_shows_old_and_new(veridyn, frozen_copy):
    copy, original = frozen_copy
    before = json.loads(original.read_text(encoding="utf-8"))
    seen = veridyn("freeze", "sdnd101")
    lines = seen.out.splitlines()
    assert (seen.status, seen.err) == (0, "")
    shown = [re.fullmatch(r"sdnd101 2-shocks-(\w+)-devogelaere: (\S+) -> (\S+)", line).groups() for line in lines[:3]]
    assert [(name, old) for name, old, _ in shown] == [("gone", "2.5"), ("impulse", "none"), ("peak_force", "1.5")]
    assert shown[0][2] == "none"
    for name, _, new in shown[1:]:
        assert float(new) == pytest.approx(before[f"2-shocks-{name}-devogelaere"], rel=1e-9)
    assert lines[3:] == ["sdnd101: 3 frozen values changed"]
    assert json.loads(copy.read_text(encoding="utf-8")) == pytest.approx(before, rel=1e-9)
    assert json.loads(original.read_text(encoding="utf-8")) == before


def test_only_freeze_writes(frozen_copy):
    copy, _ = frozen_copy
    before = copy.read_bytes()
    records = verify(cases=["sdnd101"])
    assert copy.read_bytes() == before
    wrong = [(record.quantity, record.scheme) for record in records if record.verdict == "fail"]
    assert wrong == [("peak_force", "devogelaere")]


def test_frozen_values_are_for_our_solver_with_its_own_settings():
    case = load_case("sdnd101")
    for subject in (
        Subject("x", ("",), own=False),
        Subject("veridyn", ("devogelaere",), own=True, overrides={"step": 1e-4}),
    ):
        assert "frozen" not in {check.kind for check in checks(case, subject)}
