"""A job that costs no work, in a module of its own: the processes of workers import it by name."""

from __future__ import annotations

import time
from collections.abc import Iterator


def sleep(seconds: float) -> Iterator[float]:
    """Do nothing for some time."""
    time.sleep(seconds)
    yield seconds
