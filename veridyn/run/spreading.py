"""Workers on other machines: jobs go through a Dask scheduler, and each is done there in a process of its own.

A `RemoteWorker` stands for a thread of a Dask worker. There a `Worker` does the job as it would here, so that a solver
that hangs or dies costs its own run and not the machine; what it tells comes back when the job is over.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import wait
from pathlib import Path
from types import ModuleType
from typing import Protocol, TypeVar

from veridyn.problem.errors import SolverInputError
from veridyn.run.workers import PULSE, Job, Pool, Said, Worker
from veridyn.version import __version__

PATIENCE = "10s"  # for a scheduler to answer
INSTALL = 'pip install "veridyn[sweep]"'
LOOK = 5.0  # s, between two looks whether a machine is still there

_residents: dict[str, dict[int, Worker]] = defaultdict(dict)  # on the other machine: by run and thread


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

    def begin(self, job: Job[object]) -> None:
        """AnyWorker over a job."""
        self.topics.add(job.topic)
        self._job = Job(_do_in_folder, (str(Path.cwd()), job), job.topic)
        self._submit()

    def _submit(self) -> None:
        self._future = self._client.submit(do_there, self._client.id, self._job, pure=False, workers=self._address)
        self._future.add_done_callback(self._deliver)
        self._look = time.monotonic() + LOOK

    def _deliver(self, future: Future) -> None:
        """Pass on what was said, from a thread of Dask's client."""
        try:
            said = future.result()
        except Exception as error:  # noqa: BLE001 - whatever ends a job there is a loss here
            said = [("lost", " ".join(f"{type(error).__name__}: {error}".split()))]
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
        if self._future is not None and self._address and time.monotonic() > self._look:
            self._look = time.monotonic() + LOOK
            if self._address not in self._client.nthreads():
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
        """Take back the job."""
        self._take_back()
        self.pipe.close()


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
            client.run(leave, client.id)


def do_there(run: str, job: Job[object]) -> list[Said]:
    """Do a job in a process beside this thread, and return what it says; the process stays for the next one."""
    worker = _residents[run].setdefault(threading.get_ident(), Worker(1))
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
    return said


def leave(run: str) -> None:
    """End the processes of a run on this machine."""
    for worker in _residents.pop(run, {}).values():
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
