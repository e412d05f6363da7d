"""Workers on other machines: jobs go through a Dask scheduler, and each is done there in a process of its own.

A post stands for a thread of a Dask worker. There a `Worker` does the job as it would here, so that a solver that hangs
or dies costs its own run and not the machine; what it tells comes back when the job is over.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from veridyn.workers import PULSE, Crew, Job, Line, Loss, Relay, Worker

Said = list[tuple[str, Any]]
"""What a worker said of a job: what it told, and how it ended."""

_residents: dict[str, dict[int, Worker]] = defaultdict(dict)  # on the other machine: by run and thread


class Post:
    """A thread of a Dask worker, in the place of a `Worker`."""

    def __init__(self, client: Any, address: str, time_out: float) -> None:
        self.pipe, self._answer = multiprocessing.Pipe(duplex=False)
        self.topics: set[str] = set()
        self._client, self._address, self._time_out = client, address, time_out
        self._future: Any = None

    def begin(self, job: Job) -> None:
        """Hand over a job."""
        self.topics.add(job.topic)
        asked = self._client.id, Job(_in_folder, (str(Path.cwd()), job), job.topic), self._time_out
        # where its machine is gone another may do it
        where = {"workers": [self._address], "allow_other_workers": True}
        self._future = self._client.submit(do_there, *asked, pure=False, **where)
        self._future.add_done_callback(self._deliver)

    def _deliver(self, future: Any) -> None:
        """Pass on what was said, from a thread of Dask's client."""
        try:
            said = future.result()
        except Exception as error:  # noqa: BLE001 - whatever ends a job there is a loss here
            said = [("lost", Loss(None, f"{type(error).__name__}: {error}"))]
        with contextlib.suppress(OSError):  # nobody listens any more
            for item in said:
                self._answer.send(item)

    def hear(self) -> tuple[str, Any] | None:
        """Return what the worker says next."""
        return self.pipe.recv() if self.pipe.poll() else None

    def dismiss(self) -> None:
        """Do nothing: workers there are ended together."""

    def kill(self) -> None:
        """Take back the job that has not begun."""
        if self._future is not None:
            self._future.cancel()
        self.pipe.close()


@contextlib.contextmanager
def crew(jobs: int, time_out: float, scheduler: str | None) -> Iterator[Crew]:
    """Lead a crew of this machine, or one of the workers of a Dask scheduler.

    Raises SolverInputError if Dask is not installed, or there are no workers with this version of veridyn.
    """
    if scheduler is None:
        with Crew(jobs, time_out) as here:
            yield here
        return
    from veridyn.sweep.runs import scheduler as connected

    with connected(scheduler) as client:
        posts = [Post(client, name, time_out) for name, threads in client.nthreads().items() for _ in range(threads)]
        try:
            with Crew(workers=posts) as there:
                yield there
        finally:
            client.run(leave, client.id)


def do_there(run: str, job: Job, time_out: float) -> Said:
    """Do a job in a process beside this thread, and return what it says; the process stays for the next one."""
    worker = _residents[run].setdefault(threading.get_ident(), Worker(time_out, Relay(), 1))
    with _may_have_children():
        worker.begin(job)
    said: Said = []
    while not said or said[-1][0] == "told":
        wait([worker.pipe], PULSE)
        if heard := worker.hear():
            said.append(heard)
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


def _in_folder(line: Line, folder: str, job: Job) -> None:
    """Do a job where the user stands, if that place is there: solvers are named by files."""
    with contextlib.suppress(OSError):
        os.chdir(folder)
    job.function(line, *job.arguments)
