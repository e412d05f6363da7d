"""Time per step of the pipe on stops beside what memory and arithmetic allow: ``python tests/scale.py [STOPS…]``.

Each step projects modes on stops twice (displacements and velocities) and forces of stops on modes once while stops are
touched: six flops and three numbers to read for each mode and stop. CPU times of one thread: least of several, of a
long run less a short one.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.validation_cases.core.catalogue import load_case

STEP = 2e-6  # s
SHORT, LONG = 100, 2100  # steps
START = 0.0  # s, the only instant that is kept
SCHEMES = ("symplectic_euler", "devogelaere", "newmark")
REPEATS = 5


def least(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the least CPU time (s) of several calls."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def pipe(stops: int) -> MechanicalProblem:
    """Return the pipe with its gaps taken away, so that stops press all the time."""
    case = load_case("pipe_on_stops")
    posed = case.problem(case.values({"S": str(stops)}))
    return replace(posed, stops=tuple(replace(stop, gap=-1e-3) for stop in posed.stops), output_times=None)


def per_step(problem: MechanicalProblem, scheme: str) -> float:
    """Return the time of a step (s)."""

    def march(steps: int) -> Callable[[], object]:
        settings = {"scheme": scheme, "step": STEP, "archive_at": [START], "check_step": False}
        return lambda: SOLVER.solve(replace(problem, end=steps * STEP), settings)

    march(2)()  # compiles, or loads
    return (least(march(LONG), 2) - least(march(SHORT), 2)) / (LONG - SHORT)


def machine(modes: int, stops: int) -> tuple[float, float]:
    """Return bytes per second of a triad far beyond the caches, and the time (s) of a product with the matrix."""
    a, b, c = (np.ones(8_000_000) for _ in range(3))

    def triad() -> None:
        np.multiply(b, 3.0, out=a)
        np.add(a, c, out=a)

    matrix, vector = np.ones((stops, modes)), np.ones(modes)
    product = least(lambda: [matrix @ vector for _ in range(50)]) / 50
    return 5 * a.nbytes / least(triad), product


def report(stops: int) -> None:
    """Print the figures of one size."""
    problem = pipe(stops)
    modes = problem.size
    rate, product = machine(modes, stops)
    matrix = 8 * modes * stops
    print(f"{modes} modes, {stops} stops: a matrix of {matrix / 1e6:.3g} MB; triad {rate / 1e9:.3g} GB/s")
    bound, blas, flops = 3 * matrix / rate * 1e6, 3 * product * 1e6, 6 * modes * stops
    print(f"  three matrices from memory {bound:.1f} us")
    print(f"  three products of BLAS {blas:.1f} us, {flops / 1e6:.3g} Mflop, {flops / blas / 1e3:.3g} Gflop/s")
    for scheme in SCHEMES:
        found = per_step(problem, scheme) * 1e6
        print(f"  {scheme:18} {found:8.1f} us a step, {found / blas:.2f} times BLAS; 10^6 steps {found:.0f} s")
    print(f"  largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or ("1", "10", "100")):
        report(size)
