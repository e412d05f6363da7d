"""A run that is ended goes on where it was; what was judged before is neither lost nor judged again."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from veridyn.outputs import OutputFile, open_file, open_folder
from veridyn.run import journal, workers

# Notes every solve; where the environment says so, it waits in the long run until somebody ends it.
SOLVER = """
import os, sys, time
sys.path.insert(0, {folder!r})
from foreign import Foreign


class Noting(Foreign):
    name = "noting"

    def solve(self, problem, settings):
        if problem.stops:  # of the case, not of the small motions that a card is made of
            with open({notes!r}, "a") as notes:
                notes.write(f"{{problem.end:.0f}}\\n")
        if problem.stops and problem.end > 10.0 and "VERIDYN_TEST_WAITS" in os.environ:
            time.sleep(600)
        return super().solve(problem, settings)
"""


def journal_of(results):
    return OutputFile(results).work / "journal"


@dataclass(frozen=True)
class Noting:
    """A solver that notes what it solves, and what it has noted."""

    spec: str
    file: Path

    @property
    def notes(self):
        return self.file.read_text().split() if self.file.exists() else []


@pytest.fixture(scope="module")
def noting(tmp_path_factory, foreign):
    folder, notes = Path(foreign("Foreign").rpartition(":")[0]).parent, tmp_path_factory.mktemp("noting") / "notes"
    file = notes.with_name("noting.py")
    file.write_text(SOLVER.format(folder=str(folder), notes=str(notes)), encoding="utf-8")
    return Noting(f"{file}:Noting", notes)


@pytest.fixture(scope="module")
def left_behind(noting, tmp_path_factory):
    """Journal and notes of a run that was killed in its second variant."""
    results = tmp_path_factory.mktemp("killed") / "results.json"
    solver = ["--in-process", "--solver", noting.spec, "-n", "1"]
    command = [sys.executable, "-m", "veridyn", "run", "sdnd101", *solver, "--json", str(results)]
    environment = {**os.environ, "VERIDYN_TEST_WAITS": "yes"}
    noting.file.unlink(missing_ok=True)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=results.parent, env=environment) as process:
        while "35" not in noting.notes:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert not results.exists()
    return journal_of(results).read_bytes(), noting.file.read_text()


@pytest.fixture
def killed(noting, left_behind, tmp_path):
    """The result file of that run, as the run left it."""
    leave_journal(tmp_path / "results.json", left_behind)
    noting.file.write_text(left_behind[1])
    return tmp_path / "results.json"


def leave_journal(results, left_behind):
    """Lay the journal of that run where a run with these results looks for it; return the journal."""
    file = journal_of(results)
    file.parent.mkdir(parents=True)
    file.write_bytes(left_behind[0])
    return file


def test_what_was_judged_is_not_judged_again_and_the_rest_is_said_as_ever(
    veridyn, noting, killed, left_behind, tmp_path
):
    before = noting.notes
    assert before.count("35") == 1
    seen = veridyn("run", "sdnd101", "--in-process", "--solver", noting.spec, "--json", killed, "--resume")
    assert (seen.status, seen.err) == (0, "")
    assert noting.notes[len(before)] == "35"  # the hundred shocks that were cut short; the two were judged before
    assert {row["variant"] for row in judged(killed)} == {"2-shocks", "100-shocks"}
    assert {file.name for file in tmp_path.iterdir()} == {"results.json"}
    whole = tmp_path / "whole" / "results.json"
    old = leave_journal(whole, left_behind)
    seed = json.loads(killed.read_text())["solvers"][0]["seed"]
    veridyn("run", "sdnd101", "--in-process", "--solver", noting.spec, "--seed", seed, "--json", whole)
    assert judged(killed) == judged(whole)
    assert old.with_name(old.name + ".old").read_bytes() == left_behind[0], "an unfinished run is kept aside"


def judged(file):
    """Records without the times that they took."""
    return [{**row, "wall_time": None} for row in json.loads(file.read_text())["results"]]


def test_a_report_can_be_resumed_too(veridyn, noting, tmp_path):
    seen = veridyn(
        "run", "sdnd101", "--in-process", "--solver", noting.spec, "--report", tmp_path / "report", "--resume"
    )
    assert (seen.status, seen.out) == (2, "")
    assert "there is no unfinished run" in seen.err


def test_resuming_needs_a_place(veridyn, no_work):
    seen = veridyn("run", "sdnd101", "--resume")
    assert (seen.status, seen.out) == (2, "")
    assert "--resume" in seen.err


def test_another_run_is_not_resumed(veridyn, noting, killed):
    seen = veridyn(
        "run", "sdnd101", "--in-process", "--solver", noting.spec, "--set", "v0=2", "--json", killed, "--resume"
    )
    assert (seen.status, seen.out) == (2, "")
    assert "belongs to a run of other solvers, versions, cases or parameters" in seen.err


def test_a_journal_that_was_cut_short_is_used_as_far_as_it_goes(veridyn, noting, killed):
    file, before = journal_of(killed), noting.notes
    file.write_bytes(file.read_bytes()[:-40])
    seen = veridyn("run", "sdnd101", "--in-process", "--solver", noting.spec, "--json", killed, "--resume")
    assert (seen.status, seen.err) == (0, "")
    again = noting.notes[len(before) :]
    assert again.index("35") <= 3 < before.index("35")  # at most the last relation is tried again


def test_a_journal_without_a_beginning_is_refused(veridyn, noting, killed):
    file = journal_of(killed)
    file.write_bytes(b"\0" + file.read_bytes())
    seen = veridyn("run", "sdnd101", "--in-process", "--solver", noting.spec, "--json", killed, "--resume")
    assert (seen.status, seen.out) == (2, "")
    assert "is damaged from its beginning" in seen.err
    assert file.exists()


@pytest.mark.parametrize("command", [("run", "--json"), ("run", "--report"), ("baseline", "save")], ids=" ".join)
def test_two_commands_do_not_write_to_one_place(veridyn, no_work, tmp_path, command):
    place = tmp_path / "results"
    with open_folder(place, "report") if "--report" in command else open_file(place, bool):
        seen = veridyn(*command, place, "sdnd101")
    assert (seen.status, seen.out) == (2, "")
    assert "another run writes to" in seen.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_ends_the_journal_and_not_the_run(tmp_path):
    kept = journal.Journal(tmp_path, {"solver": "x"}, [].append)
    kept.begin(resume=False)
    kept.close()
    with Path("/dev/full").open("wb", buffering=0) as kept._stream:
        kept.keep({"task": 0})
    assert "ends early: No space left on device" in kept.trouble


def test_a_journal_begins_wholly_or_not_at_all(tmp_path, monkeypatch):
    """A kill before its first line is in its place leaves nothing that a later command must go on with."""

    def end(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", end)
    with pytest.raises(KeyboardInterrupt):
        journal.Journal(tmp_path, {}, [].append).begin(resume=False)
    monkeypatch.undo()
    assert not (tmp_path / "journal").exists()
    again = journal.Journal(tmp_path, {}, [].append)
    again.begin(resume=False)
    again.close()
    assert [file.name for file in tmp_path.iterdir()] == ["journal"]


def fill_up(stream, content):
    stream.write(content[:100])
    raise OSError(28, "No space left on device")


def test_results_that_do_not_fit_keep_their_journal(veridyn, noting, tmp_path, monkeypatch):
    results = tmp_path / "results.json"
    run = ("run", "sdnd101", "--in-process", "--solver", noting.spec, "--set", "v0=2", "--json", results)
    with monkeypatch.context() as patch:
        patch.setattr("veridyn.outputs._fill", fill_up)
        seen = veridyn(*run)
    assert seen.status == 2
    assert "No space left on device; --resume writes what was judged" in seen.err
    assert not results.exists()
    solved = len(noting.notes)
    assert veridyn(*run, "--resume").status == 0
    assert len(judged(results)) > 10
    assert len(noting.notes) - solved <= 2  # the figures ask once more


MEMORY = """
import os


def grows():
    import veridyn.run.workers

    veridyn.run.workers.MUCH_MEMORY = 0  # in this worker only
    yield os.getpid()


def stays():
    yield os.getpid()
"""


def test_a_worker_of_a_large_parent_has_not_grown(tmp_path, monkeypatch):
    (tmp_path / "growing_jobs_of_a_large_one.py").write_text(MEMORY.replace("= 0 ", "= 1 << 30 "))
    monkeypatch.syspath_prepend(tmp_path)
    jobs = importlib.import_module("growing_jobs_of_a_large_one")
    large = bytearray(b"1") * (3 << 29)  # 1.5 GiB, which a process that is started from here holds for a moment
    with workers.Pool(2) as pool:
        first, again = (list(pool.ask(job)) for job in (jobs.grows, jobs.stays))
    assert first == again
    assert len(large) > 1 << 30


def test_a_worker_that_has_grown_is_replaced(tmp_path, monkeypatch):
    (tmp_path / "growing_jobs.py").write_text(MEMORY)
    monkeypatch.syspath_prepend(tmp_path)
    jobs = importlib.import_module("growing_jobs")
    with workers.Pool(2) as pool:
        first, again, grown, after = (list(pool.ask(job)) for job in (jobs.stays, jobs.stays, jobs.grows, jobs.stays))
    assert first == again == grown != after


@pytest.mark.parametrize("damage", ["twice", "changed", "elsewhere"])
def test_a_line_that_is_damaged_or_out_of_its_place_ends_what_is_taken(tmp_path, damage):
    kept = journal.Journal(tmp_path, {}, lambda entry: None)
    kept.begin(resume=False)
    for number in range(4):
        kept.keep({"number": number})
    kept.close()
    lines = kept.file.read_bytes().splitlines(keepends=True)  # of the request, then of the entries
    lines[3:4] = {
        "twice": [lines[2], lines[3]],
        "changed": [lines[3].replace(b'"number": 2', b'"number": 7')],
        "elsewhere": [lines[4]],
    }[damage]
    kept.file.write_bytes(b"".join(lines))
    taken = []
    resumed = journal.Journal(tmp_path, {}, taken.append)
    resumed.begin(resume=True)
    resumed.close()
    assert taken == [{"number": 0}, {"number": 1}]
