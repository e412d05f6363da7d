"""A step of the pipe on stops beside memory and arithmetic: ``python -m tests.timing.scale [STOPS…]``.

And of a sparse chain of 10 000 masses on ten stops: ``python -m tests.timing.scale chain [MASSES…]``.

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
from scipy import sparse

from veridyn.problem.elements import Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.integrators.modal import SOLVER
from veridyn.validation_cases.judgement.catalogue import load_case

from .storing import Cell, store

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


def chain(masses: int) -> MechanicalProblem:
    """Return a chain of masses of 1 kg on springs of 1e4 N/m, with sparse matrices, pressed on ten stops."""
    ends = np.full(masses - 1, -1e4)
    return MechanicalProblem(
        mass=sparse.eye_array(masses),
        stiffness=sparse.diags_array([-np.convolve(ends, [1, 1]), ends, ends], offsets=[0, 1, -1]),
        initial_velocity=np.linspace(0.0, 1.0, masses),
        stops=tuple(Stop(f"{i}", f"x{i + 1}", gap=-1e-3, stiffness=1e4) for i in range(0, masses, masses // 10)),
        end=1.0,
    )


def per_step(problem: MechanicalProblem, scheme: str, long: int = LONG, short: int = SHORT) -> float:
    """Return the time of a step (s)."""

    def march(steps: int) -> Callable[[], object]:
        settings = {"scheme": scheme, "step": STEP, "archive_at": [START], "check_step": False}
        return lambda: SOLVER.solve(replace(problem, end=steps * STEP), settings)

    march(2)()  # compiles, or loads
    return (least(march(long), 2) - least(march(short), 2)) / (long - short)


def machine(modes: int, stops: int) -> tuple[float, float]:
    """Return bytes per second of a triad far beyond the caches, and the time (s) of a product with the matrix."""
    a, b, c = (np.ones(8_000_000) for _ in range(3))

    def triad() -> None:
        np.multiply(b, 3.0, out=a)
        np.add(a, c, out=a)

    matrix, vector = np.ones((stops, modes)), np.ones(modes)
    product = least(lambda: [matrix @ vector for _ in range(50)]) / 50
    return 5 * a.nbytes / least(triad), product


def report(stops: int) -> tuple[Cell, ...]:
    """Print and return the figures of one size: times of a step, in µs, and what bounds them."""
    problem = pipe(stops)
    modes = problem.size
    rate, product = machine(modes, stops)
    matrix = 8 * modes * stops
    bound, blas, flops = 3 * matrix / rate * 1e6, 3 * product * 1e6, 6 * modes * stops
    print(f"{modes} modes, {stops} stops: a matrix of {matrix / 1e6:.3g} MB; triad {rate / 1e9:.3g} GB/s")
    print(f"  three products of BLAS {flops / 1e6:.3g} Mflop, {flops / blas / 1e3:.3g} Gflop/s")
    steps = [per_step(problem, scheme) * 1e6 for scheme in SCHEMES]
    row = (f"{modes} × {stops}", *(round(each, 1) for each in (bound, blas, *steps)))
    print(" ", *row)
    print(f"  largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", flush=True)
    return row


def report_chain(masses: int) -> None:
    """Print the figures of a chain: a step reads the entries, and reads and writes displacement, velocity and force."""
    problem = chain(masses)
    stiffness: sparse.csr_array = problem.stiffness
    numbers = sum(part.nbytes for part in (stiffness.data, stiffness.indices, stiffness.indptr)) + 6 * 8 * masses
    rate, _ = machine(1, 1)
    print(f"{masses} masses, 10 stops: a step moves {numbers / masses:.0f} bytes a mass; triad {rate / 1e9:.3g} GB/s")
    print(f"  from memory {numbers / rate / masses * 1e9:.1f} ns a mass")
    for scheme in ("symplectic_euler", "newmark"):
        found = per_step(problem, scheme, 4_000_000 // masses, 2) / masses * 1e9
        print(f"  {scheme:18} {found:.1f} ns a step and mass")
    print(f"  largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[:1] == ["chain"]:
        for size in map(int, given[1:] or ("10000",)):
            report_chain(size)
    else:
        head = ("modes × stops", "memory", "products", *SCHEMES)
        store(
            "modal", "python -m tests.timing.scale", head, [report(int(size)) for size in given or ("1", "10", "100")]
        )
