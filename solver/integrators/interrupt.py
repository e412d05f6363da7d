"""Ctrl-C during a kernel: compiled code does not see it, so the kernel runs in a thread and is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Result = TypeVar("Result")

POLL = 0.2  # s


BRIEF = 100_000  # steps of one mode that end before anybody can press a key; a thread would cost more


def interruptible(work: Callable[[], Result], stop: Callable[[], None], *, steps: float) -> Result:
    """Return the result of ``work``; on Ctrl-C call ``stop`` and return what there is by then.

    Work of few ``steps`` is done without a thread. The caller must raise `KeyboardInterrupt` if ``stop`` was called.
    """
    if steps <= BRIEF:
        return work()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], POLL).done:  # without a time-out, some systems do not deliver Ctrl-C
                pass
        except KeyboardInterrupt:
            stop()
        return future.result()
