"""Where the figures of a report are drawn: here, or in processes beside this one while the rest is made."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

from veridyn.results import ReportError

WORTH = 8  # figures that take longer than a process needs to start

BRUSHES = "matplotlib.backends.backend_svg"
"""What takes long to load."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Here(Executor):
    """Does what it is given at once, in this process."""

    def submit(self, work: Callable[Given, Made], /, *given: Given.args, **named: Given.kwargs) -> Future[Made]:
        """Do it; unlike in a process beside this one, what it raises is raised here."""
        done: Future[Made] = Future()
        done.set_result(work(*given, **named))
        return done


HERE = Here()


@contextmanager
def studio(processes: int, figures: int) -> Iterator[Executor]:
    """Open a place to draw so many figures in; this process is one of the processes, and busy with the rest.

    Raises ReportError if a process that draws was ended from outside.
    """
    number = min(processes - 1, figures // WORTH)
    place = _beside(number) if number > 0 else HERE
    try:
        yield place
    except BrokenExecutor:
        raise ReportError("a process that draws figures was ended; is there enough memory?") from None
    finally:
        place.shutdown(cancel_futures=True)


def _beside(number: int) -> Executor:
    """Start processes: spawned, since threads of numerical libraries do not survive a fork, and deaf to Ctrl-C."""
    place = ProcessPoolExecutor(number, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN))
    for _ in range(number):  # they are ready when the first figure comes
        place.submit(import_module, BRUSHES)
    return place
