"""A run through a Dask cluster on this machine: the same results; what hangs or dies costs its own run there too."""

from __future__ import annotations

import importlib
import json

import pytest

from veridyn.run import spreading
from veridyn.run.workers import WorkerLost

distributed = pytest.importorskip("distributed", reason='Dask is not installed; pip install "veridyn[sweep]"')

pytestmark = [
    # sockets of a cluster that ends are closed by its event loop, perhaps after the test
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
OWN_TO_A_RUN = ("environment", "digest")


@pytest.fixture(scope="module")
def address():
    """One worker with two threads, in a process that is a daemon, as Dask starts them."""
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, protocol="tcp", dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


def test_the_document_is_the_same_and_what_is_lost_is_its_own(veridyn, foreign, tmp_path, address):
    solvers = [part for name in ("Foreign", "Hangs", "Dies") for part in ("--solver", foreign(name))]

    def found(file, *means):
        judged = ("run", "sdnd101", *solvers, "--time-out", "5", "--seed", "1", "--no-work-precision")
        seen = veridyn(*judged, *means, "--json", tmp_path / file)
        assert (seen.status, seen.err) == (3, "")
        document = json.loads((tmp_path / file).read_text(encoding="utf-8"))
        for row in document["results"]:
            row["levels"] = [level | {"wall_time": None} for level in row["levels"]]
            row["wall_time"] = None
        return {name: part for name, part in document.items() if name not in OWN_TO_A_RUN}

    here, there = found("here.json", "-n", "1"), found("there.json", "--scheduler", address)
    assert there == here
    lost = {row["solver"] for row in there["results"] if row["verdict"] == "error"}
    assert lost == {"hangs", "dies"}


JOBS = """
import os
import time


def where():
    yield os.getpid(), os.getcwd()


def leaves():
    os._exit(0)
    yield


def ends_its_machine(once):
    if not os.path.exists(once):
        open(once, "x").close()
        os.kill(os.getppid(), 9)
        time.sleep(60)
    yield "done elsewhere"
"""


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """A module that the workers can import, too: it stands where the processes of the cluster look."""
    (tmp_path / "spread_jobs.py").write_text(JOBS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("spread_jobs")


def test_a_process_stays_for_the_next_job_and_goes_with_the_run(jobs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0"
    ) as near:
        with spreading.pool(1, near.scheduler_address) as there:
            first, second = (list(there.ask(jobs.where)) for _ in range(2))
            assert first == second
            assert first[0][1] == str(tmp_path)
            with pytest.raises(WorkerLost, match="exit status 0"):
                list(there.ask(jobs.leaves))
        with spreading.pool(1, near.scheduler_address) as again:
            assert next(iter(again.ask(jobs.where)))[0] != first[0][0]


def test_a_machine_that_is_gone_costs_nothing(jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(spreading, "LOOK", 0.5)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, protocol="tcp", dashboard_address=":0") as cluster,
        spreading.pool(1, cluster.scheduler_address) as there,
    ):
        assert list(there.ask(jobs.ends_its_machine, str(tmp_path / "once"))) == ["done elsewhere"]


def test_processes_of_this_machine_are_not_counted_then(veridyn):
    seen = veridyn("run", "sdnd101", "-n", "1", "--scheduler", "tcp://127.0.0.1:1")
    assert (seen.status, seen.out) == (2, "")
    assert "a scheduler has workers of its own: leave one out" in seen.err


def test_without_dask(veridyn, monkeypatch):
    monkeypatch.setitem(importlib.import_module("sys").modules, "distributed", None)
    seen = veridyn("run", "sdnd101", "--scheduler", "tcp://127.0.0.1:1")
    assert (seen.status, seen.out) == (2, "")
    assert seen.err == 'veridyn: --scheduler needs the package dask[distributed]: pip install "veridyn[sweep]"\n'
