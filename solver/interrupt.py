"""Ctrl-C during a kernel: compiled code does not see it, so the kernel runs in a thread and is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def interruptible(work: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Return the result of ``work``; on Ctrl-C call ``stop`` and return what there is by then.

    The caller must raise `KeyboardInterrupt` if ``stop`` was called.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            stop()
            return future.result()
