"""Processes that judge: one job after another, beside each other. Solvers live in others, behind the gate."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Generic, NoReturn, Protocol, Self, TypeVar, cast

from veridyn.problem.errors import SolverInputError
from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.reports.studio import cores
from veridyn.solver.contract.opening import close_gates
from veridyn.solver.contract.processes import MUCH_MEMORY, measure_peak_memory, name_ending

REFUSALS = (SolverInputError, ParameterError, CertificationError)
PATIENCE = 3.0  # s, for a process to end once it was told to
PULSE = 0.2  # s, between two looks at silent workers
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")  # of numerical libraries, read when they load
TRIES = 2  # of a job whose worker was lost


class WorkerLost(RuntimeError):
    """A process that judges has ended, which is no solver's fault."""


class Stopped(BaseException):
    """The parent has stopped this worker."""


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Job(Generic[T_co]):
    """A call in a worker: a generator function with its arguments, whose items go to the parent as they come.

    Jobs of one topic share what a worker has computed before, and go to the same one where that costs no waiting.
    ``skip`` items have been delivered before.
    """

    function: Callable[..., Iterator[T_co]]
    arguments: tuple[object, ...]
    topic: str = ""
    skip: int = 0

    def items(self) -> Iterator[T_co]:
        """Yield what the parent does not have yet."""
        return islice(self.function(*self.arguments), self.skip, None)


Said = tuple[str, object]
"""An ``item``; that a worker is ``done``, or has ``grown`` too; ``refused``, ``raised``, ``lost``, and why."""


class AnyWorker(Protocol):
    """Who does jobs one after another."""

    pipe: Connection
    topics: set[str]

    def begin(self, job: Job[object]) -> None:
        """Begin a job."""

    def receive(self) -> Said | None:
        """Return what is said next, if anything is; ``"lost"`` if nobody does the job any more."""

    def dismiss(self) -> None:
        """Let it end by itself: there are no more jobs."""

    def kill(self) -> None:
        """End it."""


class Worker:
    """A process that does jobs one after another; after a loss the next job gets a fresh one."""

    def __init__(self, threads: int | None = None) -> None:
        self.pipe: Connection
        self.topics: set[str] = set()
        self._threads = threads
        self._process: BaseProcess | None = None

    def begin(self, job: Job[object]) -> None:
        """Begin a job."""
        if self._process is None or not self._process.is_alive():
            self.pipe, self._process = _start_process(self._threads)
            self.topics = set()
        self.topics.add(job.topic)
        with contextlib.suppress(OSError):  # dead already: the next look will tell
            self.pipe.send(job)

    def receive(self) -> Said | None:
        """Return what the worker says next, if anything is; ``"lost"`` if it is no more."""
        assert self._process is not None
        alive = self._process.is_alive()  # before looking into the pipe: last words may still come
        try:
            if self.pipe.poll():
                said: Said = self.pipe.recv()
                return said
        except (EOFError, OSError):
            alive = False
        return None if alive else ("lost", self._end())

    def _end(self) -> str:
        process = self._process
        assert process is not None
        wait([process.sentinel], PATIENCE)
        self.kill()
        return name_ending(process.exitcode or 0)

    def dismiss(self) -> None:
        """Let the process end by itself: at the end of its input."""
        if self._process is not None:
            self.pipe.close()

    def kill(self) -> None:
        """End the process and its children.

        It is told first, so that it ends the solvers that it has started in sessions of their own.
        """
        process, self._process = self._process, None
        if process is None:
            return
        if process.is_alive() and not self.pipe.closed:
            process.terminate()
        try:
            wait([process.sentinel], PATIENCE)
        finally:
            _kill_group(process)
            process.join()
            self.pipe.close()


def _start_process(threads: int | None) -> tuple[Connection, BaseProcess]:
    """Start a process; spawned, since threads of numerical libraries do not survive a fork."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    # an interrupt from the terminal is the business of the parent, who ends the workers
    with _ignore(signal.SIGINT), _limit(threads):
        process.start()
    theirs.close()
    return ours, process


@contextlib.contextmanager
def _ignore(interrupt: signal.Signals) -> Iterator[None]:
    """Ignore a signal, here and in the processes that are started meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(interrupt, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(interrupt, before)


@contextlib.contextmanager
def _limit(threads: int | None) -> Iterator[None]:
    """Limit the threads of numerical libraries in the processes that are started meanwhile; the user's limits stay."""
    free = [name for name in THREADS if name not in os.environ] if threads else []
    os.environ.update(dict.fromkeys(free, str(threads)))
    try:
        yield
    finally:
        for name in free:
            del os.environ[name]


def _kill_group(process: BaseProcess) -> None:
    assert process.pid is not None
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


class Pool:
    """Who does the jobs of a run: this process, or several workers; as a context it ends them, and the solvers.

    A pool of one needs no worker. Workers start when there is work. Several share the cores: the threads of their
    numerical libraries, which wait by spinning, would keep each other from work. Workers elsewhere can take their
    place.
    """

    def __init__(self, size: int = 1, workers: Sequence[AnyWorker] = ()) -> None:
        self.share_cores = size > 1 and not workers
        threads = max(1, cores() // size)
        self._workers = workers or [Worker(threads) for _ in range(size if size > 1 else 0)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            for worker in self._workers:
                worker.dismiss()
        self.kill()

    def kill(self) -> None:
        """End all workers and solvers."""
        for worker in self._workers:
            worker.kill()
        close_gates()

    def ask(self, function: Callable[..., Iterator[T]], *arguments: object) -> Iterator[T]:
        """Yield the items of one job, as they come; raises what `share` raises."""
        for _, item in self.share([Job(function, arguments)]):
            yield item

    def share(self, jobs: Sequence[Job[T]]) -> Iterator[tuple[int, T]]:
        """Do jobs; yield (number of the job, item) as it comes.

        Raises SolverInputError if a job was asked for something that cannot be; `WorkerLost` if a worker ends in the
        middle of a job, and the next one with the same job, too.
        """
        if self._workers:
            yield from self._spread(jobs)
            return
        for number, job in enumerate(jobs):
            for item in job.items():
                yield number, item

    def _spread(self, jobs: Sequence[Job[T]]) -> Iterator[tuple[int, T]]:
        waiting, busy = deque(range(len(jobs))), dict[AnyWorker, int]()
        delivered, losses = [0] * len(jobs), [0] * len(jobs)
        while waiting or busy:
            for worker in [w for w in self._workers if w not in busy][: len(waiting)]:
                number = min(waiting, key=lambda number: self._strangeness(worker, jobs[number].topic))
                waiting.remove(number)
                busy[worker] = number
                worker.begin(_skip(jobs[number], delivered[number]))
            for worker, kind, content in _receive(busy):
                number = busy[worker]
                if kind == "item":
                    delivered[number] += 1
                    yield number, cast(T, content)
                    continue
                del busy[worker]
                if kind == "lost":
                    losses[number] += 1
                    if losses[number] == TRIES:
                        raise WorkerLost(f"a process that judges ended twice in one job: {content}")
                    waiting.appendleft(number)
                elif kind == "grown":
                    worker.kill()
                elif kind != "done":
                    _raise(kind, content)

    def _strangeness(self, worker: AnyWorker, topic: str) -> int:
        """Return 0 for a topic that a worker knows, 1 for one that nobody knows, 2 for one that another knows."""
        return 0 if topic in worker.topics else 1 + any(topic in other.topics for other in self._workers)


def _skip(job: Job[T], delivered: int) -> Job[T]:
    return Job(job.function, job.arguments, job.topic, job.skip + delivered)


def _receive(workers: dict[AnyWorker, int]) -> Iterator[tuple[AnyWorker, str, object]]:
    wait([worker.pipe for worker in workers], PULSE)
    for worker in list(workers):
        said = worker.receive()
        if said:
            yield (worker, *said)


def _raise(kind: str, text: object) -> NoReturn:
    if kind == "refused":
        raise SolverInputError(text)
    raise RuntimeError(f"in a worker process:\n{text}")


def _serve(pipe: Connection) -> None:
    """Do jobs until there are no more: the life of a worker."""
    _settle()
    with contextlib.suppress(Stopped, EOFError, OSError):
        try:
            while True:
                pipe.send(do_job(pipe.recv(), lambda item: pipe.send(("item", item))))
        finally:  # at the end the solvers are ended, which no second call to end may cut short
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            close_gates()


def do_job(job: Job[T], deliver: Callable[[T], None]) -> Said:
    """Do a job and deliver its items; return how it ended."""
    try:
        for item in job.items():
            deliver(item)
    except REFUSALS as error:
        return "refused", str(error)
    except Exception:  # noqa: BLE001 - the parent raises it
        return "raised", traceback.format_exc()
    return "grown" if measure_peak_memory() > MUCH_MEMORY else "done", ""


def _settle() -> None:
    """Lead a process group, end when told to or with the parent, and keep compiled code from printing into results."""
    if sys.platform != "win32":
        os.setsid()
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)


def _stop(*_: object) -> NoReturn:
    raise Stopped


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    if sys.platform == "win32":
        os.kill(os.getpid(), signal.SIGTERM)
    else:
        os.killpg(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)
        os.killpg(os.getpid(), signal.SIGKILL)
