"""Processes of solvers: they lead a group of their own, are watched while they work, and end with who started them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

PATIENCE = 2.0  # s, for a process to end once it was told to, or has closed its output
LONGEST_LINE = 4096  # bytes of standard error taken as one line

Process = subprocess.Popen[bytes]


def start_process(arguments: Sequence[str], folder: Path) -> Process:
    """Start a process with pipes in a session of its own: no key that is pressed in a terminal reaches it.

    Raises OSError, ValueError if it cannot be started.
    """
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)


def listen(process: Process, hear: Callable[[str], None]) -> threading.Thread:
    """Read standard error line by line for as long as it lasts, so that the process never waits for a reader."""

    def drain(stream: IO[bytes]) -> None:
        with stream, contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_LINE):
                hear(make_printable(line))

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


def make_printable(line: bytes) -> str:
    """Return a line as text that does nothing to a terminal."""
    text = line.decode("utf-8", errors="replace").strip()
    return "".join(c if c.isprintable() else " " for c in text)
