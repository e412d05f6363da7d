"""Whatever is lost of a Dask cluster, a run ends in one line; nothing stays on its machines. No Dask is needed here."""

import contextlib
import os
import time
from pathlib import Path

import pytest

from veridyn.cli import commands, main
from veridyn.run import spreading
from veridyn.run.workers import Job, WorkerLost


class Done:
    """A future that has come."""

    def __init__(self, said):
        self.said = said

    def result(self):
        return self.said

    def add_done_callback(self, call):
        call(self)

    def cancel(self):
        pass


class Never(Done):
    """A future that does not come."""

    def add_done_callback(self, call):
        pass


class Cluster:
    """A client of a cluster with one machine."""

    id = "a run"

    def submit(self, function, run, job, **named):
        return Done([("item", item) for item in job.items()] + [("done", "")])

    def nthreads(self):
        return {"machine": 1}

    def run(self, function, run):
        function(run)


class WithoutScheduler(Cluster):
    """A client that loses its scheduler after it has told which machines there are."""

    told = False

    def submit(self, *_, **named):
        raise RuntimeError("client is closed")

    def nthreads(self):
        if self.told:
            raise OSError("no connection")
        self.told = True
        return super().nthreads()

    def run(self, *_):
        raise AttributeError("'NoneType' object has no attribute 'broadcast'")


class WithoutMachines(Cluster):
    """A scheduler that loses its workers."""

    told = False

    def submit(self, *_, **named):
        return Never([])

    def nthreads(self):
        there, self.told = {} if self.told else super().nthreads(), True
        return there


class Silent(WithoutScheduler):
    """A client that has not noticed yet."""

    submit = WithoutMachines.submit


def count():
    yield 1
    yield 2


def tell_process():
    yield os.getpid()


@pytest.fixture
def spread(monkeypatch):
    """Return a pool of a cluster."""

    def lead(cluster):
        monkeypatch.setattr(spreading, "connected", lambda _: contextlib.nullcontext(cluster))
        return spreading.pool(1, "tcp://address")

    return lead


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(spreading, "LOOK", 0.0)
    monkeypatch.setattr(spreading, "ALONE", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (WithoutScheduler, "RuntimeError: client is closed"),
        (WithoutMachines, "neither a scheduler"),
        (Silent, "neither a scheduler"),
    ],
)
def test_a_cluster_that_is_gone_is_a_loss(spread, lost, why):
    with pytest.raises(WorkerLost, match=why), spread(lost()) as pool:
        list(pool.ask(count))


def test_workers_that_were_ended_begin_again(spread):
    """After Ctrl-C, or the first failure, there are still figures and documents to make."""
    with spread(Cluster()) as pool:
        assert list(pool.ask(count)) == [1, 2]
        pool.kill()
        assert list(pool.ask(count)) == [1, 2]


@pytest.mark.parametrize("ends", [lambda: time.sleep(0.5), lambda: spreading.leave("a run")], ids=["idle", "told"])
def test_no_process_stays_on_a_machine(monkeypatch, ends):
    """A client that was killed tells nobody: then the processes of its run end after a while."""
    monkeypatch.setattr(spreading, "IDLE", 0.1 if "sleep" in ends.__code__.co_names else 60.0)
    (_, process), *_ = spreading.do_there("a run", Job(tell_process, ()))
    ends()
    end = time.monotonic() + 5.0
    while Path(f"/proc/{process}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{process}").exists()


def test_a_loss_outside_of_the_checks_is_one_line(monkeypatch, capsys):
    def lose(*_):
        raise WorkerLost("a process that judges ended twice in one job: why")

    monkeypatch.setattr(commands, "run", lose)
    assert main.main(["list"]) == 3
    assert capsys.readouterr().err == "veridyn: a process that judges ended twice in one job: why\n"
