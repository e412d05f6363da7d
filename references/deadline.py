"""A limit of time for what may take long: whoever marches, searches or raises the precision looks at it.

Nothing is interrupted from outside: what is kept of a motion stays whole. Where the time is up, `OutOfTime` leaves what
was begun; who has set the limit lets go of what is kept and says how far it came.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ENDS: ContextVar[float | None] = ContextVar("ends", default=None)


class OutOfTime(Exception):
    """The time that was set is up; the text says how far the work came."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Let `check_time` raise `OutOfTime` after some seconds; None: there is no limit of its own."""
    outer = _ENDS.get()
    ends = outer if seconds is None else time.monotonic() + seconds
    token = _ENDS.set(ends if outer is None or ends is None else min(ends, outer))
    try:
        yield
    finally:
        _ENDS.reset(token)


def check_time(*reached: object) -> None:
    """Raise `OutOfTime` if the time is up; ``reached`` are the words for how far the work has come."""
    ends = _ENDS.get()
    if ends is not None and time.monotonic() > ends:
        raise OutOfTime(" ".join(map(str, reached)))
