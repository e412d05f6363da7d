"""Workers for tests: forked from a process that has loaded what each would load, which takes a second."""

import multiprocessing
import os
import sys
from functools import cache
from multiprocessing import forkserver
from typing import Any
from unittest import mock

from veridyn import workers


def serve(environment: dict[str, str], *pipes: Any) -> None:
    """Do jobs as a worker that was spawned: in the environment of its parent."""
    os.environ.clear()
    os.environ.update(environment)
    workers._serve(*pipes)


class Forking:
    """A context of `multiprocessing` that starts workers in this way."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self.Pipe = self._context.Pipe

    def Process(self, target: Any, args: tuple[Any, ...]) -> Any:  # noqa: N802 - its name in every context
        """Return a process that does what a spawned one would."""
        assert target is workers._serve
        return self._context.Process(target=serve, args=(dict(os.environ), *args))


@cache
def forking() -> Forking:
    """Start the process that others are forked from: with one thread, since others do not survive a fork."""
    found = Forking()
    found._context.set_forkserver_preload(["__main__", "loaded"])
    once = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **dict.fromkeys(workers.THREADS, "1")}
    with mock.patch.dict(os.environ, once), workers._deaf_to(workers.signal.SIGINT):
        forkserver.ensure_running()
    return found
