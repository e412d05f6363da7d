"""Least times of works within one run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

ROUNDS, CALLS = 20, 50  # what follows other work finds its caches cold, and takes up to three times as long


def least(works: Mapping[str, Callable[[], object]], rounds: int = ROUNDS, calls: int = CALLS) -> dict[str, float]:
    """Return the least times (µs) of works that take turns, each with several calls."""
    times = dict.fromkeys(works, math.inf)
    for name, work in [*works.items()] * rounds:
        for _ in range(calls):
            begin = time.perf_counter()
            work()
            times[name] = min(times[name], 1e6 * (time.perf_counter() - begin))
    return times


def measure_cpu(work: Callable[[], object], repeats: int) -> float:
    """Return the least CPU time (s) of several calls."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)
