"""Ten workers of Dask beside one: ``python -m tests.timing.workers``.

The solver sleeps, so that ten of them find room on one core: what is measured is what our distribution costs. Seconds
on the wall of `Pool.share` over equal jobs, after a first that starts the processes.
"""

from __future__ import annotations

import time

from distributed import LocalCluster

from veridyn.run import spreading
from veridyn.run.workers import Job, Pool

from .sleeping import sleep
from .storing import store

JOBS, SECONDS = 30, 1.0
NUMBERS = (1, 10)


def share(pool: Pool, count: int, seconds: float) -> float:
    """Return how long a pool takes for some jobs (s)."""
    begin = time.perf_counter()
    assert len(list(pool.share([Job(sleep, (seconds,)) for _ in range(count)]))) == count
    return time.perf_counter() - begin


def measure(workers: int) -> float:
    """Return how long so many workers take for all jobs (s)."""
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=workers, processes=False, protocol="tcp", dashboard_address=":0"
        ) as c,
        spreading.pool(1, c.scheduler_address) as pool,
    ):
        share(pool, workers, 0.1)
        return share(pool, JOBS, SECONDS)


def main() -> None:
    """Print and store the times."""
    times = {number: measure(number) for number in NUMBERS}
    rows = [(number, round(taken, 1), round(times[1] / taken, 1)) for number, taken in times.items()]
    print(*rows, sep="\n")
    store("workers", "python -m tests.timing.workers", ("workers", "s", "times as fast as one"), rows)


if __name__ == "__main__":
    main()
