"""Processes that solve: a solver that hangs or dies there costs its own checks and nothing else."""

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
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol, Self

from veridyn.problem.errors import SolverInputError
from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.reports.studio import cores
from veridyn.run.screen import printable
from veridyn.solver.contract.errors import SolverFailure
from veridyn.validation_cases.judgement.runner import SolverCrash

REFUSALS = (SolverInputError, ParameterError, CertificationError)
TIME_OUT = 600.0  # s, for one solve
PATIENCE = 3.0  # s, for a process to end once it was told to; it gives programs of its own 2 s
PULSE = 0.2  # s, between two looks at silent workers
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")  # of numerical libraries, read when they load
STDERR_LINES = 20  # that are passed on of what the solvers of a run write to standard error
LONGEST_LINE = 500  # characters of one of them
MUCH = 2 << 30  # bytes that a worker may have used at most; one that has had more is replaced after its job

Act = Literal["load", "solve"]


@dataclass(frozen=True)
class Watch:
    """What a worker has begun: loading or solving, whose, and the key of the run."""

    act: Act
    solver: str
    key: str = ""


@dataclass(frozen=True)
class Loss:
    """The end of a worker: what it had begun last (None: nothing yet), and how it ended."""

    watch: Watch | None
    ending: str
    hung: bool = False

    @property
    def text(self) -> str:
        """What happened, in one line."""
        if self.watch is None:
            return f"a worker process did not begin: {self.ending}"
        if self.hung:
            what = {"load": "was not loaded", "solve": "gave no answer"}[self.watch.act]
            return f"{self.watch.solver} {what} {self.ending}; --time-out sets the time"
        when = {"load": "while it was loaded", "solve": "while solving"}[self.watch.act]
        return f"{self.watch.solver} ended the process {when}: {self.ending}"


class WorkerLost(SolverFailure):
    """A worker ended where no run of a solver can be blamed."""


class Stopped(BaseException):
    """The parent has stopped this worker; a solver that catches every `Exception` does not catch this."""


@dataclass(frozen=True)
class Channel:
    """The way from a job to the parent."""

    pipe: Connection

    def tell(self, item: Any) -> None:
        """Deliver something."""
        self.pipe.send(("told", item))

    @contextlib.contextmanager
    def watched(self, watch: Watch) -> Iterator[None]:
        """Let the parent end this process if what follows takes too long.

        Raises SolverInputError, SolverCrash if a solver raises KeyboardInterrupt while it is loaded, or while solving:
        no key was pressed, a worker does not hear them.
        """
        self.pipe.send(("begun", watch))
        try:
            yield
        except KeyboardInterrupt as error:
            blame = SolverCrash if watch.act == "solve" else SolverInputError
            raise blame(f"{watch.solver} raised KeyboardInterrupt: {error}".rstrip(": ")) from None
        finally:
            self.pipe.send(("over", None))


@dataclass(frozen=True)
class Job:
    """A call in a worker: ``function(channel, *arguments)``, which delivers by ``channel.tell``.

    Jobs of one topic share what a worker has computed before, and go to the same one where that costs no waiting.
    """

    function: Callable[..., None]
    arguments: tuple[Any, ...]
    topic: str = ""


class AnyWorker(Protocol):
    """Who does jobs one after another."""

    pipe: Connection
    topics: set[str]

    def begin(self, job: Job) -> None:
        """Begin a job."""

    def hear(self) -> tuple[str, Any] | None:
        """Return what is said next, if that is anything for the caller; ``"lost"`` if nobody does the job any more."""

    def dismiss(self) -> None:
        """Let it end by itself: there are no more jobs."""

    def kill(self) -> None:
        """End it."""


class Worker:
    """A process that does jobs one after another; after a loss the next job finds a fresh one."""

    def __init__(self, time_out: float, relay: Relay, threads: int | None = None) -> None:
        self.pipe: Connection
        self._relay = relay
        self._threads = threads
        self._process: BaseProcess | None = None
        self._time_out = time_out
        self._watch: Watch | None = None
        self._deadline: float | None = None
        self.topics: set[str] = set()

    def begin(self, job: Job) -> None:
        """AnyWorker over a job."""
        if self._process is None or not self._process.is_alive():
            self.pipe, self._process = _started(self._threads, self._relay)
            self.topics = set()
        self.topics.add(job.topic)
        self._watch = self._deadline = None
        with contextlib.suppress(OSError):  # dead already: the next look will tell
            self.pipe.send(job)

    def hear(self) -> tuple[str, Any] | None:
        """Return what the worker says next, if that is anything for the caller; ``"lost"`` if it is no more."""
        assert self._process is not None
        alive = self._process.is_alive()  # before looking into the pipe: last words may still come
        try:
            if not self.pipe.poll():
                return self._silence(alive=alive)
            kind, content = self.pipe.recv()
        except (EOFError, OSError):
            return "lost", Loss(self._watch, self._ended())
        if kind == "begun":
            self._watch, self._deadline = content, time.monotonic() + self._time_out
        elif kind == "over":
            self._deadline = None
        return None if kind in ("begun", "over") else (kind, content)

    def _silence(self, *, alive: bool) -> tuple[str, Any] | None:
        if not alive:
            return "lost", Loss(self._watch, self._ended())
        if self._deadline is None or time.monotonic() < self._deadline:
            return None
        self.kill()
        return "lost", Loss(self._watch, f"within {self._time_out:g} s and was stopped", hung=True)

    def _ended(self) -> str:
        process = self._process
        assert process is not None
        wait([process.sentinel], PATIENCE)
        self.kill()
        return _ending(process.exitcode)

    def dismiss(self) -> None:
        """Let the process end by itself: at the end of its input."""
        if self._process is not None:
            self.pipe.close()

    def kill(self) -> None:
        """End the process and its children.

        It is told first, so that it ends the programs that it has started in sessions of their own.
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


@dataclass
class Relay:
    """Passes on what workers write to standard error: its first lines, so that it does not run over the verdict."""

    left: int = STDERR_LINES
    lock: threading.Lock = field(default_factory=threading.Lock)

    def listen(self, pipe: Connection) -> None:
        """Pass on what comes through a pipe until its other ends are closed."""
        threading.Thread(target=self._listen, args=(pipe,), daemon=True).start()

    def _listen(self, pipe: Connection) -> None:
        with pipe, open(pipe.fileno(), encoding="utf-8", errors="replace", closefd=False) as lines:
            while line := lines.readline(LONGEST_LINE):
                self._pass_on(line)

    def _pass_on(self, line: str) -> None:
        with self.lock:
            self.left -= 1
            if self.left >= 0:
                print(printable(line.rstrip()), file=sys.stderr)
            elif self.left == -1:
                print("veridyn: what solvers write to standard error beyond that is not shown", file=sys.stderr)


def _started(threads: int | None, relay: Relay) -> tuple[Connection, BaseProcess]:
    """Start a process; spawned, since threads of numerical libraries do not survive a fork."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    heard, said = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(theirs, said))
    # an interrupt from the terminal is the business of the parent, who ends the workers
    with _deaf_to(signal.SIGINT), _limited(threads):
        process.start()
    theirs.close()
    said.close()
    relay.listen(heard)
    return ours, process


@contextlib.contextmanager
def _deaf_to(interrupt: signal.Signals) -> Iterator[None]:
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
def _limited(threads: int | None) -> Iterator[None]:
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


def _ending(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


class Pool:
    """The workers of a run, no more than a number; as a context it ends them.

    They start when there is work. Several share the cores: the threads of their numerical libraries, which wait by
    spinning, would keep each other from work. A solve, or the loading of a solver, counts as hung after ``time_out`` s.
    Workers elsewhere can take their place.
    """

    def __init__(self, size: int = 1, time_out: float = TIME_OUT, workers: Sequence[AnyWorker] = ()) -> None:
        self.share_cores = size > 1 and not workers
        threads = max(1, cores() // size) if size > 1 else None
        relay = Relay()
        self._workers = workers or [Worker(time_out, relay, threads) for _ in range(size)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            for worker in self._workers:
                worker.dismiss()
        self.kill()

    def kill(self) -> None:
        """End all workers and what they have started."""
        for worker in self._workers:
            worker.kill()

    def ask(self, function: Callable[..., None], *arguments: Any) -> Iterator[Any]:
        """Yield what one job tells, as it comes.

        Raises WorkerLost if it hangs or ends its process; SolverInputError if it was asked for something that cannot
        be.
        """
        for _, item in self.share([Job(function, arguments)], give_up):
            yield item

    def share(self, jobs: Sequence[Job], renew: Callable[[int, Loss], Job]) -> Iterator[tuple[int, Any]]:
        """Spread jobs over the workers; yield (number of the job, what it tells) as it comes.

        ``renew`` returns the job to do instead of one that was lost with its worker. Raises SolverInputError if a job
        was asked for something that cannot be.
        """
        waiting, busy = deque(enumerate(jobs)), dict[AnyWorker, int]()
        while waiting or busy:
            for worker in [w for w in self._workers if w not in busy][: len(waiting)]:
                chosen = min(waiting, key=lambda numbered: self._strangeness(worker, numbered[1].topic))
                waiting.remove(chosen)
                busy[worker], job = chosen
                worker.begin(job)
            for worker, kind, content in _heard(busy):
                if kind == "told":
                    yield busy[worker], content
                    continue
                number = busy.pop(worker)
                if kind == "lost":
                    waiting.appendleft((number, renew(number, content)))
                elif kind == "grown":
                    worker.kill()
                elif kind != "done":
                    _raise(kind, content)

    def _strangeness(self, worker: AnyWorker, topic: str) -> int:
        """Return 0 for a topic that a worker knows, 1 for one that nobody knows, 2 for one that another knows."""
        return 0 if topic in worker.topics else 1 + any(topic in other.topics for other in self._workers)


def _heard(workers: dict[AnyWorker, int]) -> Iterator[tuple[AnyWorker, str, Any]]:
    wait([worker.pipe for worker in workers], PULSE)
    for worker in list(workers):
        heard = worker.hear()
        if heard:
            yield (worker, *heard)


def give_up(_: int, loss: Loss) -> NoReturn:
    """Do without a job whose worker was lost: raise `WorkerLost`."""
    raise WorkerLost(loss.text)


def nothing(channel: Channel) -> None:
    """Do nothing in the place of a job that was lost."""


def _raise(kind: str, text: str) -> NoReturn:
    if kind == "refused":
        raise SolverInputError(text)
    raise RuntimeError(f"in a worker process:\n{text}")


def _serve(pipe: Connection, errors: Connection) -> None:
    """Do jobs until there are no more: the life of a worker."""
    _settle(errors)
    with contextlib.suppress(Stopped, EOFError, OSError):
        try:
            while True:
                pipe.send(_outcome(pipe.recv(), Channel(pipe)))
        finally:  # at the end the programs are ended, which no second call to end may cut short
            signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _outcome(job: Job, channel: Channel) -> tuple[str, str]:
    try:
        job.function(channel, *job.arguments)
    except REFUSALS as error:
        return "refused", str(error)
    except Exception:  # noqa: BLE001 - the parent raises it
        return "raised", traceback.format_exc()
    return "grown" if _peak_memory() > MUCH else "done", ""


def _peak_memory() -> int:
    """Return how much memory this process has had at most (bytes); 0 where the system does not tell."""
    status = Path("/proc/self/status")  # what Linux says of resources holds the peak of the parent, too
    if status.exists():
        peaks = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        return 1024 * int(peaks[0]) if peaks else 0
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0


def _settle(errors: Connection) -> None:
    """Lead a process group, end when told to or with the parent, and keep compiled code from printing into results."""
    if sys.platform != "win32":
        os.setsid()
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
    if sys.platform != "win32":
        os.dup2(errors.fileno(), 2)
    errors.close()


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
