"""Ctrl-C during a kernel: compiled code does not see it, so the kernel runs in a thread and is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Result = TypeVar("Result")

POLL = 0.2  # s


def interruptible(work: Callable[[], Result], stop: Callable[[], None]) -> Result:
    """Return the result of ``work``; on Ctrl-C call ``stop`` and return what there is by then.

    The caller must raise `KeyboardInterrupt` if ``stop`` was called.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], POLL).done:  # without a time-out, some systems do not deliver Ctrl-C
                pass
        except KeyboardInterrupt:
            stop()
        return future.result()
