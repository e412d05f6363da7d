"""A run that is ended goes on where it was; what was judged before is neither lost nor judged again."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from veridyn import journal, workers

# Notes every solve; where the environment says so, it waits in the long run until somebody ends it.
SOLVER = """
import os, sys, time
sys.path.insert(0, {folder!r})
from foreign import Foreign


class Noting(Foreign):
    name = "noting"

    def solve(self, problem, settings):
        with open({notes!r}, "a") as notes:
            notes.write(f"{{problem.end:.0f}}\\n")
        if problem.end > 10.0 and "VERIDYN_TEST_WAITS" in os.environ:
            time.sleep(600)
        return super().solve(problem, settings)
"""


@pytest.fixture
def noting(tmp_path, foreign):
    """The specification of a solver that notes what it solves, and what it has noted."""
    file, notes = tmp_path / "noting.py", tmp_path / "notes"
    folder = Path(foreign("Foreign").rpartition(":")[0]).parent
    file.write_text(SOLVER.format(folder=str(folder), notes=str(notes)), encoding="utf-8")
    return f"{file}:Noting", lambda: notes.read_text().split() if notes.exists() else []


@pytest.fixture
def killed(noting, tmp_path):
    """The result file of a run that was killed in its second variant."""
    results = tmp_path / "results.json"
    solver = ["--solver", noting[0], "-n", "1"]
    command = [sys.executable, "-m", "veridyn.cli", "run", "sdnd101", *solver, "--json", str(results)]
    environment = {**os.environ, "VERIDYN_TEST_WAITS": "yes"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=tmp_path, env=environment) as process:
        while "35" not in noting[1]():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    return results


def test_what_was_judged_is_not_judged_again(veridyn, noting, killed):
    assert not killed.exists()
    before = noting[1]()
    assert before.count("35") == 1
    seen = veridyn("run", "sdnd101", "--solver", noting[0], "--json", killed, "--resume")
    assert (seen.status, seen.err) == (0, "")
    assert noting[1]()[len(before)] == "35"  # the hundred shocks that were cut short; the two were judged before
    assert {row["variant"] for row in judged(killed)} == {"2-shocks", "100-shocks"}


def test_a_resumed_run_says_the_same(veridyn, noting, killed, tmp_path):
    veridyn("run", "sdnd101", "--solver", noting[0], "--json", killed, "--resume")
    whole = tmp_path / "whole.json"
    veridyn("run", "sdnd101", "--solver", noting[0], "--json", whole)
    assert judged(killed) == judged(whole)


def judged(file):
    """Records without the times that they took."""
    return [{**row, "wall_time": None} for row in json.loads(file.read_text())["results"]]


def test_the_journal_goes_when_the_results_are_there(veridyn, noting, tmp_path):
    results = tmp_path / "results.json"
    veridyn("run", "sdnd101", "--solver", noting[0], "--json", results)
    assert {file.name for file in tmp_path.glob("results.*")} == {"results.json"}


def test_a_report_can_be_resumed_too(veridyn, noting, tmp_path):
    seen = veridyn("run", "sdnd101", "--solver", noting[0], "--report", tmp_path / "report", "--resume")
    assert (seen.status, seen.out) == (2, "")
    assert "there is no unfinished run" in seen.err


def test_resuming_needs_a_place(veridyn, no_work):
    seen = veridyn("run", "sdnd101", "--resume")
    assert (seen.status, seen.out) == (2, "")
    assert "--resume needs the --json file or the --report folder" in seen.err


def test_another_run_is_not_resumed(veridyn, noting, killed):
    seen = veridyn("run", "sdnd101", "--solver", noting[0], "--set", "v0=2", "--json", killed, "--resume")
    assert (seen.status, seen.out) == (2, "")
    assert "belongs to a run of other solvers, versions, cases or parameters" in seen.err


def test_an_unfinished_run_is_kept_aside(veridyn, noting, killed):
    old = killed.with_name("results.json.journal")
    before = old.read_text()
    assert veridyn("run", "sdnd101", "--solver", noting[0], "--json", killed).status == 0
    assert old.with_name(old.name + ".old").read_text() == before


@pytest.mark.parametrize("cut", [1, 40])
def test_a_journal_that_was_cut_short_is_used_as_far_as_it_goes(veridyn, noting, killed, cut):
    file, before = killed.with_name("results.json.journal"), noting[1]()
    file.write_bytes(file.read_bytes()[:-cut])
    seen = veridyn("run", "sdnd101", "--solver", noting[0], "--json", killed, "--resume")
    assert (seen.status, seen.err) == (0, "")
    again = noting[1]()[len(before) :]
    assert again.index("35") <= 3 < before.index("35")  # at most the last relation is tried again


def test_a_journal_without_a_beginning_is_refused(veridyn, noting, killed):
    file = killed.with_name("results.json.journal")
    file.write_bytes(b"\0" + file.read_bytes())
    seen = veridyn("run", "sdnd101", "--solver", noting[0], "--json", killed, "--resume")
    assert (seen.status, seen.out) == (2, "")
    assert "is damaged from its beginning" in seen.err
    assert file.exists()


@pytest.mark.parametrize("option", ["--json", "--report"])
def test_two_runs_do_not_write_to_one_place(veridyn, no_work, tmp_path, option):
    place = tmp_path / "results"
    with FileLock(journal.lock_of(place if option == "--json" else place / "run")):
        seen = veridyn("run", "sdnd101", option, place)
    assert (seen.status, seen.out) == (2, "")
    assert "another run writes to" in seen.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_ends_the_journal_and_not_the_run(tmp_path):
    kept = journal.Journal(tmp_path / "results.json", {"solver": "x"}, [].append)
    kept.begin(resume=False)
    kept.close()
    with Path("/dev/full").open("w") as kept._stream:
        kept.keep({"lost": ["x", "key", "why"]})
    assert "ends early: No space left on device" in kept.trouble


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_results_that_do_not_fit_keep_their_journal(veridyn, noting, tmp_path):
    results = tmp_path / "results.json"
    Path(tmp_path / "results.json.part").symlink_to("/dev/full")
    seen = veridyn("run", "sdnd101", "--solver", noting[0], "--json", results)
    assert seen.status == 2
    assert "No space left on device; --resume writes what was judged" in seen.err
    Path(tmp_path / "results.json.part").unlink()
    solved = len(noting[1]())
    assert veridyn("run", "sdnd101", "--solver", noting[0], "--json", results, "--resume").status == 0
    assert len(judged(results)) > 10
    assert len(noting[1]()) - solved <= 2  # the figures ask once more


MEMORY = """
import os


def grows(line):
    import veridyn.workers

    veridyn.workers.MUCH = 0  # in this worker only
    line.tell(os.getpid())


def stays(line):
    line.tell(os.getpid())
"""


def test_a_worker_of_a_large_parent_has_not_grown(tmp_path, monkeypatch):
    (tmp_path / "growing_jobs_of_a_large_one.py").write_text(MEMORY.replace("= 0 ", "= 1 << 30 "))
    monkeypatch.syspath_prepend(tmp_path)
    jobs = importlib.import_module("growing_jobs_of_a_large_one")
    large = bytearray(b"1") * (3 << 29)  # 1.5 GiB, which a process that is started from here holds for a moment
    with workers.Pool() as pool:
        first, again = (list(pool.ask(job)) for job in (jobs.grows, jobs.stays))
    assert first == again
    assert len(large) > 1 << 30


def test_a_worker_that_has_grown_is_replaced(tmp_path, monkeypatch):
    (tmp_path / "growing_jobs.py").write_text(MEMORY)
    monkeypatch.syspath_prepend(tmp_path)
    jobs = importlib.import_module("growing_jobs")
    with workers.Pool() as pool:
        first, again, grown, after = (list(pool.ask(job)) for job in (jobs.stays, jobs.stays, jobs.grows, jobs.stays))
    assert first == again == grown != after
