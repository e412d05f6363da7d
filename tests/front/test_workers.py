"""Solvers that hang or die: their checks are errors, everything else goes on, nothing is left behind."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from veridyn.run import workers
from veridyn.run.execution import Findings, introduce_solvers, judge_tasks
from veridyn.run.plan import Access, Plan
from veridyn.run.workers import Pool, WorkerLost

from ..processes import ends

LOST = {"hangs": "within 4 s", "dies": "killed by SIGSEGV"}


def test_only_the_checks_of_that_run_are_lost(veridyn, foreign):
    solvers = [word for name in ("Foreign", "Hangs", "Dies") for word in ("--solver", foreign(name))]
    few = ("--quantity", "impacts", "--quantity", "impacts_100")
    judged = ("run", "sdnd101", *few, *solvers, "--time-out", "4", "-n", "2")
    seen = veridyn(*judged, "--no-work-precision", "--json", "-")
    rows = seen.document["results"]
    assert (seen.status, seen.err) == (3, "")
    by_variant = {}
    for row in (row for row in rows if row["verdict"] != "not applicable"):
        by_variant.setdefault((row["solver"], row["variant"]), set()).add(row["verdict"])
        if row["verdict"] == "error":
            assert LOST[row["solver"]] in row["detail"]
    assert by_variant == {
        (name, variant): {"error" if variant == "100-shocks" and name in LOST else "pass"}
        for name in (*LOST, "foreign")
        for variant in ("2-shocks", "100-shocks")
    }
    order = [(row["solver"], row["variant"]) for row in rows]
    assert order == sorted(order, key=list(by_variant).index)


def test_figures_do_not_wait_for_a_lost_run_again(veridyn, foreign, tmp_path):
    file = tmp_path / "results.json"
    seen = veridyn("run", "sdnd101", "--solver", foreign("Leaves"), "--json", file, "--work-precision")
    messages = json.loads(file.read_text(encoding="utf-8"))["messages"]
    assert seen.status == 3
    assert len([message for message in messages if "exit status 3" in message["text"]]) == 1  # figures
    points = json.loads(file.read_text(encoding="utf-8"))["work_precision"]
    assert ["exit status 3" in point["detail"] for point in points] == [True]  # the first level, and no other


def test_a_rehearsal_that_dies_is_no_wrong_input(veridyn, foreign):
    seen = veridyn("run", "sdnd101", "--solver", foreign("Leaves"), "--set", "speed=1", "--json", "-")
    assert seen.status == 3
    assert {row["verdict"] for row in seen.document["results"] if row["quantity"] != "permuted"} == {"error"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import os; os._exit(7)", "exit status 7"),
        ("import os; os.abort()", "killed by SIGABRT"),
        ("import time; time.sleep(60)", "within 1 s"),
    ],
    ids=["exit", "abort", "hang"],
)
def test_a_module_that_hangs_or_dies_at_import(veridyn, tmp_path, text, message):
    file = tmp_path / "deadly_module.py"
    file.write_text(text, encoding="utf-8")
    seen = veridyn("run", "sdnd101", "--solver", f"{file}:X", "--time-out", "1")
    assert (seen.status, seen.out) == (2, "")
    assert f"{file}:X" in seen.err
    assert message in seen.err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon", ""])
@pytest.mark.parametrize("command", [("run", "sdnd101"), ("doctor",)], ids=lambda c: c[0])
def test_a_time_that_is_none(veridyn, command, seconds):
    seen = veridyn(*command, f"--time-out={seconds}")
    assert (seen.status, seen.out) == (2, "")
    assert f"--time-out: must be a positive number of seconds, got {seconds!r}" in seen.err


# Notes its own process and that of a child in a session of its own, then hangs, deaf to its input; the small motions of
# a card, which have no stops, it refuses.
PROGRAM = """
import json, os, subprocess, sys, time
from pathlib import Path

def note(pid):
    Path(sys.argv[1], str(pid)).touch()

note(os.getpid())
for line in sys.stdin:
    asked = json.loads(line)
    if asked["command"] == "start":
        print(json.dumps({"name": "p", "version": "1", "capabilities": ["mechanical", "contact"]}), flush=True)
    elif not asked.get("problem", {}).get("stops"):
        print(json.dumps({"error": "no stop"}), flush=True)
    else:
        note(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid)
        Path(sys.argv[1]).with_name("hangs").touch()
        time.sleep(60)
"""
# The same in the process of the solver, with a child that does not end by itself.
MODULE = """
import os, subprocess, sys, time
from pathlib import Path

class Solver:
    name, version, capabilities = "m", "1", {"mechanical", "contact"}

    def solve(self, problem, settings):
        if not problem.stops:
            raise ValueError("no stop")
        Path(FOLDER, str(os.getpid())).touch()
        Path(FOLDER, str(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid)).touch()
        Path(FOLDER).with_name("hangs").touch()
        if problem.end < 10.0 and SIGNAL:
            import ctypes
            ctypes.PyDLL(None).sleep(60)  # holds the interpreter: no signal handler runs
        time.sleep(60)
"""


@pytest.fixture
def hanging(tmp_path):
    """Return the specification of a solver that hangs: a program, a module, one that is deaf to signals."""

    def written(kind):
        (tmp_path / "pids").mkdir()
        file = tmp_path / f"{kind}_solver.py"
        text = MODULE.replace("FOLDER", repr(str(tmp_path / "pids"))).replace("SIGNAL", str(kind == "deaf"))
        file.write_text(PROGRAM if kind == "program" else text, encoding="utf-8")
        return f"cmd:{sys.executable} {file} {tmp_path / 'pids'}" if kind == "program" else f"{file}:Solver"

    return written


def noted(folder):
    return [int(file.name) for file in (folder / "pids").iterdir()]


@pytest.mark.parametrize("kind", ["program", "module", "deaf"])
def test_nothing_is_left_behind_after_a_time_out(veridyn, hanging, tmp_path, kind):
    seen = veridyn("run", "sdnd101", "--set", "v0=2", "--solver", hanging(kind), "--time-out", "1", "--json", "-")
    assert seen.status == 3
    assert "within 1 s" in seen.document["results"][0]["detail"]
    assert len(noted(tmp_path)) >= 2
    assert all(ends(pid) for pid in noted(tmp_path))


@pytest.mark.parametrize("kind", ["program", "module"])
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_nothing_is_left_behind_after_the_parent(foreign, hanging, tmp_path, kind, end):
    # only Ctrl-C tells how much was judged before: all of a first solver, whom one worker has done with
    first = ("-n", "1", "--solver", foreign("Foreign")) if end is signal.SIGINT else ()
    solvers = (*first, "--solver", hanging(kind))
    command = [sys.executable, "-m", "veridyn", "run", "sdnd101", "--set", "v0=2", *solvers]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True
    ) as process:
        while not (tmp_path / "hangs").exists():
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, end) if end is signal.SIGINT else process.send_signal(end)
        out, err = process.communicate(timeout=30)
    assert all(ends(pid, within=10.0) for pid in noted(tmp_path))
    if end is signal.SIGINT:  # as from the keyboard
        told = r"^(?:veridyn: \d+ s, .*\n)*veridyn: interrupted; (\d+) checks judged before\n$"  # progress, if slow
        (judged,) = re.findall(told, err)
        assert process.returncode == 130
        assert re.search(rf"{judged} checks: \d+ not applicable, \d+ pass", out)
        assert re.search(r"^Incomplete: \d+ of \d+ checks are missing: interrupted", out, re.MULTILINE)


WORKER = """
import sys
from veridyn.solver.contract.opening import open_gate
from veridyn.validation_cases.judgement.catalogue import load_case

case = load_case("sdnd101")
open_gate(sys.argv[1], 60.0).solve(case.problem(case.values()), {})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL and groups of processes")
@pytest.mark.parametrize("kind", ["program", "deaf"])
def test_nothing_is_left_behind_after_a_worker(hanging, tmp_path, kind):
    """Who is killed ends nobody, and what hangs sees no end of its pipe."""
    solver = hanging(kind)
    with subprocess.Popen([sys.executable, "-c", WORKER, solver], cwd=tmp_path, stdout=subprocess.PIPE) as process:
        while len(noted(tmp_path)) < 2:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    assert all(ends(pid, within=10.0) for pid in noted(tmp_path))


JOBS = """
import os


def raises():
    yield "before"
    raise KeyError("bug")


def leaves():
    yield "before"
    os._exit(0)
"""


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """A module that a worker can import too: it takes over the path of its parent."""
    (tmp_path / "jobs_of_this_test.py").write_text(JOBS)
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("jobs_of_this_test")


def test_an_error_of_our_own_is_not_hidden(jobs):
    with Pool(2) as pool, pytest.raises(RuntimeError, match="KeyError: 'bug'"):
        list(pool.ask(jobs.raises))


def test_a_worker_that_ends_is_replaced_once_and_tells_nothing_twice(jobs):
    told = []
    with Pool(2) as pool, pytest.raises(WorkerLost):
        told += pool.ask(jobs.leaves)
    assert told == ["before"]


SECOND_TIME = """
import os
from pathlib import Path

if Path({memory!r}).exists():
    os._exit(9)
Path({memory!r}).touch()


class Solver:
    name, version, capabilities = "once", "1", {{"mechanical", "contact"}}

    def solve(self, problem, settings):
        os._exit(7)
"""


def test_a_solver_that_can_be_loaded_only_once(veridyn, foreign, tmp_path):
    file = tmp_path / "once.py"
    file.write_text(SECOND_TIME.format(memory=str(tmp_path / "memory")), encoding="utf-8")
    solvers = ("--solver", foreign("Foreign"), "--solver", f"{file}:Solver")
    seen = veridyn("run", "sdnd101", "--set", "v0=2", *solvers, "--json", "-")
    rows = seen.document["results"]
    assert (seen.status, seen.err) == (3, "")
    verdicts = {(row["solver"], row["verdict"]) for row in rows if row["verdict"] != "not applicable"}
    assert verdicts == {("foreign", "pass"), ("once", "error")}
    assert seen.document["planned"] == len(rows)


THREADS = """
import os

from veridyn.run.workers import THREADS


def limits():
    yield [os.environ.get(name) for name in THREADS]
"""


def test_several_workers_share_the_cores_unless_the_user_says_otherwise(tmp_path, monkeypatch):
    (tmp_path / "thread_jobs.py").write_text(THREADS)
    monkeypatch.syspath_prepend(tmp_path)
    for name in workers.THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("veridyn.run.workers.cores", lambda: 6)
    limits = importlib.import_module("thread_jobs").limits

    def found(size):
        with workers.Pool(size) as pool:
            return list(pool.ask(limits))

    assert found(1) == [[None, None, None]]
    assert found(2) == [["3", "3", "3"]]
    assert found(20) == [["1", "1", "1"]]
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert found(2) == [["3", "3", "5"]]
    assert "MKL_NUM_THREADS" not in os.environ


COMPILES = """
import os, pathlib
class Compiles:
    name, version, capabilities = "compiles", "1", frozenset({"mechanical"})
    schemes, settings = ("first", "second", "raises", "dies"), {}
    def solve(self, problem, settings):
        raise NotImplementedError("nothing")
    def warm_up(self, settings):
        if settings["scheme"] == "raises":
            raise ValueError("no compiler")
        if settings["scheme"] == "dies":
            os._exit(3)
        pathlib.Path(__file__).with_name(settings["scheme"]).write_text(str(os.getpid()))
"""


@pytest.mark.parametrize("size", [1, 2])
def test_several_workers_compile_each_scheme_once(tmp_path, size):
    """A single one compiles when it needs to; what cannot be compiled will be a verdict."""
    (tmp_path / "compiles.py").write_text(COMPILES)
    spec = f"{tmp_path / 'compiles.py'}:Compiles"
    with Pool(size) as pool:
        subjects, _ = introduce_solvers(pool, Access(), [spec])
        judge_tasks(pool, Plan(subjects, {}, ()), Findings([]))
    compiled = {path.name: path.read_text() for path in tmp_path.iterdir() if path.name in ("first", "second")}
    assert len(set(compiled.values())) == (2 if size > 1 else 0)
