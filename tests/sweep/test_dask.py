"""The same sweep through a Dask cluster on this machine."""

from __future__ import annotations

import importlib

import pytest
from numpy.testing import assert_equal

from veridyn.sweep import command

distributed = pytest.importorskip("distributed", reason='Dask is not installed; pip install "veridyn[sweep]"')

pytestmark = [
    pytest.mark.usefixtures("small_chunks"),
    # sockets of a cluster that ends are closed by its event loop, perhaps after the test
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def address():
    """One worker with two threads, in this process: there the small chunks are known."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


def test_bits_are_the_same(sweep, out, address):
    sweep()
    here = out.table()
    seen = sweep("--scheduler", address)
    assert (seen.status, seen.err) == (0, "")
    assert_equal(out.table(), here)
    assert out.document()["timing"]["solved_by"] == f"scheduler {address}"


ENDING = """
import os
from veridyn.sweep.points import solve_chunk


def end_at_six(access, request, chunk, threads):
    if chunk == 6:
        os._exit(1)
    yield from solve_chunk(access, request, chunk, threads)
"""


def test_what_is_missing_goes_to_the_workers(sweep, out, address, monkeypatch, tmp_path):
    """A process beside a thread of Dask ends, and the next one that tries the same chunk, too."""
    (tmp_path / "ending_jobs.py").write_text(ENDING, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(command, "solve_chunk", importlib.import_module("ending_jobs").end_at_six)
        seen = sweep("--scheduler", address)
    assert seen.status == 3
    last = seen.err.splitlines()[-1]
    assert last.startswith("veridyn: a process that judges ended twice in one job: exit status 1; ")
    assert last.endswith("of 7 chunks are kept, --resume goes on")
    assert sweep("--scheduler", address, "--resume").status == 0
    assert out.table()["wear_power"].shape == (12, 10)


def test_no_scheduler(sweep, out, monkeypatch):
    monkeypatch.setattr("veridyn.run.spreading.PATIENCE", "1s")
    for address in ("nowhere", "tcp://127.0.0.1:1"):
        seen = sweep("--scheduler", address)
        assert seen.status == 2
        assert seen.err.startswith(f"veridyn: no Dask scheduler answers at {address!r}: ")
        assert seen.err.count("\n") == 1
    assert not (out / ".veridyn" / "chunks").exists()


def test_no_workers(sweep):
    with distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=":0") as cluster:
        seen = sweep("--scheduler", cluster.scheduler_address)
    assert seen.status == 2
    assert "has no workers" in seen.err


def test_workers_of_another_version(sweep, address, monkeypatch):
    monkeypatch.setattr("veridyn.run.spreading.__version__", "99")
    seen = sweep("--scheduler", address)
    assert seen.status == 2
    assert "this is 99; install the same there" in seen.err
