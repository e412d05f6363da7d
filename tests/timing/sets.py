"""A million parameter sets of SDND104 in closed form: ``python -m tests.timing.sets``. CPU time (s) of the solving."""

from __future__ import annotations

import time

import numpy as np

from veridyn.solver.exact.solver import SOLVER

from .storing import store

FIXED = {"g": 10.0, "m": 1.0, "omega": 6.3, "t_start": 4.0, "t_end": 12.0}
REPEATS = 3


def main() -> None:
    """Print and store the least times on one thread and on two."""
    a0, mu = np.meshgrid(np.linspace(0.5, 20, 1000), np.linspace(0.1, 1, 1000))
    columns = {name: np.full(a0.size, value) for name, value in FIXED.items()} | {"a0": a0.ravel(), "mu": mu.ravel()}
    rows = []
    for threads in (1, 2):
        times = []
        for _ in range(REPEATS + 1):  # the first loads the kernel
            begin = time.process_time()
            SOLVER.solve_many("sdnd104", columns, threads)
            times.append(time.process_time() - begin)
        rows.append((threads, round(min(times[1:]), 2)))
        print(*rows[-1])
    store("sets", "python -m tests.timing.sets", ("threads", "CPU s"), rows)


if __name__ == "__main__":
    main()
