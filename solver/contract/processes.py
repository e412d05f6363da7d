"""Processes of solvers: they lead a group of their own, are watched while they work, and end with who started them."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

from veridyn.problem.printable import make_printable

PATIENCE = 2.0  # s, for a process to end once it was told to, or has closed its output
LONGEST_LINE = 4096  # bytes of standard error taken as one line
MUCH_MEMORY = 2 * 1024**3  # bytes that a process may have had at most; one that has had more is replaced

Process = subprocess.Popen[bytes]

# It reads which groups there are, until its pipe ends with the process that has started it, however that ended.
KEEPER = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""


class Keeper:
    """A process that kills the groups of the processes of this one once this one is gone, killed or not.

    A solver that hangs does not see that its pipe has ended, and who is killed can end nobody.
    """

    def __init__(self) -> None:
        nothing = subprocess.DEVNULL  # whoever reads what this process prints need not wait for the keeper
        command = [sys.executable, "-I", "-S", "-c", KEEPER]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, start_new_session=True
        )
        atexit.register(self.end, os.getpid())

    def tell(self, sign: str, process: Process) -> None:
        """Add (``+``) or take away (``-``) the group that a process leads."""
        with contextlib.suppress(OSError, ValueError):  # somebody has killed it; or this process ends, and it has ended
            stream = stream_of(self.process.stdin)
            stream.write(f"{sign}{process.pid}\n".encode())
            stream.flush()

    def end(self, kept: int) -> None:
        """End the keeper with the process of number ``kept``; in a fork of it there is nothing to end."""
        if os.getpid() == kept:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self.process.communicate(timeout=PATIENCE)


KEEPERS: dict[int, Keeper] = {}  # by number of the process that it keeps: a fork needs one of its own


def keep(sign: str, process: Process) -> None:
    """Tell the keeper of this process that a group is there (``+``), or gone (``-``)."""
    if sys.platform == "win32":  # no groups to kill
        return
    if os.getpid() not in KEEPERS:
        KEEPERS[os.getpid()] = Keeper()
    KEEPERS[os.getpid()].tell(sign, process)


def start_process(arguments: Sequence[str], folder: Path) -> Process:
    """Start a process with pipes in a session of its own: no key that is pressed in a terminal reaches it.

    It ends with this process, see `Keeper`. Raises OSError, ValueError if it cannot be started.
    """
    pipe = subprocess.PIPE
    process = subprocess.Popen(arguments, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    keep("+", process)
    return process


def wait_for(process: Process) -> None:
    """Wait for the end of a process that `start_process` has started and that was told to end, or killed."""
    process.wait()
    keep("-", process)


def listen(process: Process, hear: Callable[[str], None]) -> threading.Thread:
    """Read standard error line by line for as long as it lasts, so that the process never waits for a reader."""

    def drain(stream: IO[bytes]) -> None:
        with stream, contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_LINE):
                hear(read_line(line))

    assert process.stderr is not None
    thread = threading.Thread(target=drain, args=(process.stderr,), daemon=True)
    thread.start()
    return thread


@contextlib.contextmanager
def end_after(process: Process, seconds: float) -> Iterator[threading.Event]:
    """Kill a process after some time: reading from it and writing to it then come to an end by themselves.

    The event tells whether that has happened.
    """
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        kill(process)

    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), expire)
    timer.daemon = True
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()
        timer.join()


def kill(process: Process) -> None:
    """Kill a process with the processes that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)  # the session leader leads the group of the same number


def name_ending(status: int) -> str:
    """Return how a process ended, by its exit status: negative for a signal."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def stream_of(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream that is there."""
    assert stream is not None
    return stream


def read_line(line: bytes) -> str:
    """Return a line as text that does nothing to a terminal."""
    return make_printable(line.decode("utf-8", errors="replace").strip())


def measure_peak_memory() -> int:
    """Return how much memory this process has had at most (bytes); 0 where the system does not tell."""
    status = Path("/proc/self/status")  # what Linux says of resources holds the peak of the parent, too
    if status.exists():
        with status.open(encoding="utf-8") as lines:
            return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0
