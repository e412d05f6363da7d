"""Workers on other machines: jobs go through a Dask scheduler, and each is done there in a process of its own.

A `RemoteWorker` stands for a thread of a Dask worker. There a `Worker` does the job as it would here, so that a solver
that hangs or dies costs its own run and not the machine; what it tells comes back when the job is over.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol, TypeVar

from veridyn.problem.errors import SolverInputError
from veridyn.run.workers import PULSE, Job, Pool, Said, Worker
from veridyn.version import __version__

PATIENCE = "10s"  # for a scheduler to answer
INSTALL = 'pip install "veridyn[sweep]"'
LOOK = 5.0  # s, between two looks whether a machine is still there
ALONE = 15.0  # s without any machine, until a job is lost: one that fails may be started anew by its nanny
IDLE = 60.0  # s without a job, until a process there ends: of a client that was killed nobody else tells


T = TypeVar("T")


class Future(Protocol):
    """What is used of a future of Dask: of a job that goes on elsewhere."""

    def result(self) -> Sequence[Said]:
        """Return what the worker has said; raises what ended the job."""

    def add_done_callback(self, call: Callable[[Future], None], /) -> object:
        """Have a function called at the end of the job."""

    def cancel(self) -> object:
        """Take the job back."""


class Client(Protocol):
    """What is used of a client of Dask's scheduler."""

    @property
    def id(self) -> str:
        """Its name, another one for every run."""

    def submit(
        self,
        function: Callable[[str, Job[object]], list[Said]],
        run: str,
        job: Job[object],
        /,
        *,
        pure: bool,
        workers: str | None,
    ) -> Future:
        """Have a function called by a worker, or by any."""

    def nthreads(self) -> Mapping[str, int]:
        """Return the number of threads of each worker that is there, by its address."""

    def get_versions(self, *, packages: Sequence[str]) -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, str]]]]:
        """Return what is installed, under ``workers`` by their addresses."""

    def run(self, function: Callable[[str], None], run: str, /) -> object:
        """Have a function called by every worker."""


class RemoteWorker:
    """A thread of a Dask worker, in the place of a `Worker`; where its machine is gone, any other one."""

    def __init__(self, client: Client, address: str) -> None:
        self.pipe, self._answer = multiprocessing.Pipe(duplex=False)
        self.topics: set[str] = set()
        self._client = client
        self._address: str | None = address
        self._job: Job[object]
        self._future: Future | None = None
        self._look = 0.0
        self._seen = 0.0  # when any machine was there

    def begin(self, job: Job[object]) -> None:
        """Hand over a job."""
        if self.pipe.closed:
            self.pipe, self._answer = multiprocessing.Pipe(duplex=False)
        self.topics.add(job.topic)
        self._job = Job(_do_in_folder, (str(Path.cwd()), job), job.topic)
        self._seen = time.monotonic()
        self._submit()

    def _submit(self) -> None:
        self._look = time.monotonic() + LOOK
        try:
            self._future = self._client.submit(do_there, self._client.id, self._job, pure=False, workers=self._address)
        except Exception as error:  # noqa: BLE001 - whatever a client without its scheduler raises
            self._answer.send(("lost", _describe(error)))
            return
        self._future.add_done_callback(self._deliver)

    def _deliver(self, future: Future) -> None:
        """Pass on what was said, from a thread of Dask's client."""
        try:
            said = future.result()
        except Exception as error:  # noqa: BLE001 - whatever ends a job there is a loss here
            said = [("lost", _describe(error))]
        if future is not self._future:
            return  # taken back
        self._future = None  # or a machine that ends would have it done again
        with contextlib.suppress(OSError):  # nobody listens any more
            for item in said:
                self._answer.send(item)

    def receive(self) -> Said | None:
        """Return what the worker says next."""
        if self.pipe.poll():
            said: Said = self.pipe.recv()
            return said
        if self._future is not None and time.monotonic() > self._look:
            self._look = time.monotonic() + LOOK
            return self._look_for_machines()
        return None

    def _look_for_machines(self) -> Said | None:
        """Have the job done by any machine if its own is gone; tell that it is lost if all are."""
        there = _list_machines(self._client)
        if there:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > ALONE:
            self._take_back()
            return "lost", "neither a scheduler nor a worker is there any more"
        if self._address and self._address not in there:
            self._address = None
            self._take_back()
            self._submit()
        return None

    def _take_back(self) -> None:
        future, self._future = self._future, None
        if future is not None:
            future.cancel()

    def dismiss(self) -> None:
        """Do nothing: workers there are ended together."""

    def kill(self) -> None:
        """Take back the job; what does it there ends, or it would keep a thread from the next one."""
        if self._future is not None:
            self._take_back()
            _end_there(self._client)
        self.pipe.close()
        self._answer.close()


def _describe(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _list_machines(client: Client) -> Mapping[str, int]:
    """Return the threads of each worker by its address; none where the scheduler is gone."""
    try:
        return client.nthreads()
    except Exception:  # noqa: BLE001 - whatever a client without its scheduler raises
        return {}


def distributed() -> ModuleType:
    """Import the optional package; raises SolverInputError if it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise SolverInputError(f"--scheduler needs the package dask[distributed]: {INSTALL}") from None


@contextlib.contextmanager
def connected(address: str) -> Iterator[Client]:
    """Connect to a Dask scheduler whose workers have this version of veridyn.

    Raises SolverInputError if Dask is not installed, nobody answers, there is no worker, or one lacks veridyn.
    """
    dask = distributed()
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is said in one line, by us
    try:
        dask.comm.get_address_host_port(address)  # a client that never came to be complains when it is deleted
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise SolverInputError(f"no Dask scheduler answers at {address!r}: {error}") from None
    with client:
        _refuse_workers(client, address)
        yield client


def _refuse_workers(client: Client, address: str) -> None:
    result = client.get_versions(packages=["veridyn"])["workers"]
    if not result:
        raise SolverInputError(f"the scheduler at {address} has no workers; start some with dask worker {address}")
    for worker, described in result.items():
        version = described["packages"].get("veridyn")
        if version != __version__:
            has = f"veridyn {version}" if version else "no veridyn"
            raise SolverInputError(f"worker {worker} has {has}, this is {__version__}; install the same there")


@contextlib.contextmanager
def pool(jobs: int, scheduler: str | None) -> Iterator[Pool]:
    """Lead a pool of this machine, or one of the workers of a Dask scheduler.

    Raises SolverInputError if Dask is not installed, or there are no workers with this version of veridyn.
    """
    if scheduler is None:
        with Pool(jobs) as here:
            yield here
        return
    with connected(scheduler) as client:
        names = [name for name, threads in client.nthreads().items() for _ in range(threads)]
        try:
            with Pool(workers=[RemoteWorker(client, name) for name in names]) as there:
                yield there
        finally:
            _end_there(client)


def _end_there(client: Client) -> None:
    with contextlib.suppress(Exception):  # the scheduler is gone: processes there end by themselves, see IDLE
        client.run(leave, client.id)


# ---- on the other machine

Key = tuple[str, int]
"""A run and a thread of a Dask worker, which has a process for it."""


class Resident(NamedTuple):
    """A process that waits for the next job of its run and thread, and what ends it after a while."""

    worker: Worker
    end: threading.Timer


# A process is in one of the two: whoever takes it out, which is one operation, decides about it.
_waiting: dict[Key, Resident] = {}
_busy: dict[Key, Worker] = {}


def do_there(run: str, job: Job[object]) -> list[Said]:
    """Do a job in a process beside this thread, and return what it says; the process stays for the next one."""
    key = run, threading.get_ident()
    worker = _busy[key] = _take(key) or Worker(1)
    with _may_have_children():
        worker.begin(job)
    said: list[Said] = []
    while not said or said[-1][0] == "item":
        wait([worker.pipe], PULSE)
        if latest := worker.receive():
            said.append(latest)
    if said[-1][0] == "grown":
        worker.kill()
        said[-1] = "done", ""
    if _busy.pop(key, None):
        _keep(key, worker)
    return said


def _take(key: Key) -> Worker | None:
    resident = _waiting.pop(key, None)
    if resident is None:
        return None
    resident.end.cancel()
    return resident.worker


def _keep(key: Key, worker: Worker) -> None:
    """Let a process wait for the next job, but not for ever."""
    end = threading.Timer(IDLE, _end_waiting, (key,))
    end.daemon = True
    _waiting[key] = Resident(worker, end)
    end.start()


def _end_waiting(key: Key) -> None:
    if worker := _take(key):
        worker.kill()


def leave(run: str) -> None:
    """End the processes of a run on this machine."""
    for key in [key for key in (*_waiting, *_busy) if key[0] == run]:
        _end_waiting(key)
        if worker := _busy.pop(key, None):
            worker.kill()


@contextlib.contextmanager
def _may_have_children() -> Iterator[None]:
    """Let a daemon, as Dask's workers are, start processes: ours end with their parent by themselves."""
    config = multiprocessing.current_process()._config  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
    daemon = config.pop("daemon", None)
    try:
        yield
    finally:
        if daemon is not None:
            config["daemon"] = daemon


def _do_in_folder(folder: str, job: Job[T]) -> Iterator[T]:
    """Do a job where the user stands, if that place is there: solvers are named by files."""
    with contextlib.suppress(OSError):
        os.chdir(folder)
    yield from job.items()
