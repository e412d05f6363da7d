"""Who solves the chunks of a sweep: the threads of this machine, or the workers of a Dask scheduler."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from veridyn import __version__
from veridyn.sweep.request import Request, SweepError
from veridyn.validation_cases.core.sweeping import Columns

PATIENCE = "10s"  # for a scheduler to answer
INSTALL = 'pip install "veridyn[sweep]"'

Solved = Iterator[tuple[int, Columns]]


class WorkersFailed(RuntimeError):
    """The workers of a scheduler did not do their work."""


def on_threads(request: Request, todo: Sequence[int], threads: int) -> Solved:
    """Yield the chunks one after the other, each solved by all threads."""
    for chunk in todo:
        yield chunk, request.compute(chunk, threads)


def warm_up(request: Request, threads: int) -> None:
    """Load or compile the kernels, so that the time of the sweep is its own."""
    single = tuple(replace(axis, values=axis.values[:1]) for axis in request.axes)
    Request(request.case, single, request.fixed).compute(0, threads)


def _distributed() -> Any:
    """Import the optional package."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise SweepError(f"--scheduler needs the package dask[distributed]: {INSTALL}") from None


@contextmanager
def scheduler(address: str) -> Iterator[Any]:
    """Connect to a Dask scheduler whose workers have this version of veridyn.

    Raises SweepError if Dask is not installed, nobody answers, there is no worker, or one lacks veridyn.
    """
    distributed = _distributed()
    try:
        distributed.comm.get_address_host_port(address)  # a client that never came to be complains when it is deleted
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise SweepError(f"no Dask scheduler answers at {address!r}: {error}") from None
    with client:
        _refuse_workers(client, address)
        yield client


def _refuse_workers(client: Any, address: str) -> None:
    found = client.get_versions(packages=["veridyn"])["workers"]
    if not found:
        raise SweepError(f"the scheduler at {address} has no workers; start some with dask worker {address}")
    for worker, described in found.items():
        version = described["packages"].get("veridyn")
        if version != __version__:
            has = f"veridyn {version}" if version else "no veridyn"
            raise SweepError(f"worker {worker} has {has}, this is {__version__}; install the same there")


def on_workers(client: Any, request: Request, todo: Sequence[int]) -> Solved:
    """Yield the chunks as the workers solve them, each on one thread.

    Raises WorkersFailed if a worker raises or the scheduler gives a chunk up.
    """
    shared = client.scatter(request, broadcast=True, hash=False)
    futures = client.map(_compute, todo, request=shared, pure=False)
    chunks = dict(zip((future.key for future in futures), todo, strict=True))
    waiting = _distributed().as_completed(futures, loop=client.loop)
    del futures  # the workers forget what has been fetched
    for future in waiting:
        try:
            yield chunks[future.key], future.result()
        except Exception as error:
            raise WorkersFailed(f"the workers failed: {type(error).__name__}: {error}") from error


def _compute(chunk: int, request: Request) -> Columns:
    return request.compute(chunk, 1)
