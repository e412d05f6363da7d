"""Processes, pipes, imports."""

import re
import subprocess
import sys

import pytest
from msgspec import structs

from veridyn.api.verifying import verify
from veridyn.run.execution import Findings, introduce_solvers, judge_tasks
from veridyn.run.plan import Access, Plan, list_tasks
from veridyn.run.workers import Pool


def in_workers(jobs, *solvers):
    with Pool(jobs) as pool:
        subjects, _ = introduce_solvers(pool, Access(), solvers)
        plan = Plan(subjects, {}, tuple(list_tasks(subjects, ["sdnd101"], {"v0": "2"})))
        findings = Findings([[] for _ in plan.tasks])
        judge_tasks(pool, plan, findings)
    return compared(findings.records)


def compared(records):
    return [structs.replace(record, wall_time=None) for record in records]


def test_workers_give_the_records_that_this_process_gives(foreign):
    solvers = ("exact", foreign("Foreign"))
    here = [record for solver in solvers for record in verify(solver, ["sdnd101"], parameters={"v0": "2"})]
    assert {record.solver for record in here} == {"exact", "foreign"}
    assert len(here) > 50
    assert in_workers(1, *solvers) == in_workers(2, *solvers) == compared(here)


def test_quiet_in_a_pipe(python):
    seen = python("-m", "veridyn", "run", "sdnd101", "--set", "v0=2", "--solver", "exact")
    assert seen.status == 0
    line = re.compile(r"veridyn: \d+ s, [01] of 1 variant, (sdnd101|first solution)")
    assert all(map(line.match, seen.err.splitlines()))
    assert "\x1b" not in seen.out
    assert "\r" not in seen.out
    assert re.search(r"\d\d pass", seen.out)


@pytest.mark.parametrize("arguments", [["reference", "sdld103", "--json"], ["show", "sdld103"]], ids=lambda a: a[0])
def test_a_reader_that_has_seen_enough(tmp_path, arguments):
    command = [sys.executable, "-u", "-m", "veridyn", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)  # the console of rich says 1


NUMERICAL = {"numpy", "mpmath", "flint", "sympy", "numba", "scipy", "matplotlib"}
LAZY = [
    ("import veridyn", NUMERICAL | {"rich", "argparse"}),
    ("import veridyn; veridyn.cases()", {"numba", "matplotlib"}),
    ("import veridyn; veridyn.reference('sdnd104', a0='1.2')", {"numba", "matplotlib"}),
    ("from veridyn.cli.main import main; main(['list'])", NUMERICAL),
    ("from veridyn.cli.main import main; main(['run', '--help'])", NUMERICAL | {"rich", "ast"}),
    ("from veridyn.cli.main import main; main(['reference', 'sdnd101', '--json'])", {"numba", "matplotlib"}),
    ("from veridyn.cli.main import main; main(['show', 'sdnd101'])", {"numba", "matplotlib"}),
]


@pytest.mark.parametrize(("code", "unwanted"), LAZY, ids=[code for code, _ in LAZY])
def test_what_is_not_needed_is_not_imported(python, code, unwanted):
    tell = f"lambda: print('\\n', *sorted(set(sys.modules) & {unwanted!r}))"  # at the end: help ends the interpreter
    seen = python("-c", f"import atexit, sys; atexit.register({tell}); {code}")
    assert (seen.status, seen.err) == (0, "")
    assert seen.out.splitlines()[-1].split() == []
