"""A step of modes on stops beside memory and arithmetic: ``python -m tests.timing.scale [MODESxSTOPS…]``.

How it grows: ``python -m tests.timing.scale growth``. The memory of many: ``python -m tests.timing.scale memory``. A
sparse chain of 10 000 masses on ten stops: ``python -m tests.timing.scale chain [MASSES…]``.

Each step projects modes on stops twice (displacements and velocities) and forces of stops on modes once while stops are
touched: six flops and three numbers to read for each mode and stop. CPU times of one thread: least of several, of a
long run less a short one.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import math
import resource
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import sparse

from veridyn.problem.elements import Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.integrators.modal import SOLVER

from .storing import Cell, store
from .turns import measure_cpu

STEP = 2e-6  # s
SHORT, LONG = 100, 2100  # steps
START = 0.0  # s, the only instant that is kept
SCHEMES = ("symplectic_euler", "devogelaere", "newmark")
REPEATS = 5
SIZES = ("1x1", "50x5", "500x20", "1000x100")


def grid(modes: int, stops: int) -> MechanicalProblem:
    """Return modes that are seen at as many points as there are stops, each pressed all the time."""
    shapes = np.random.default_rng(0).standard_normal((stops, modes)) / np.sqrt(modes)
    basis = Modes(
        omega=np.linspace(1.0, 1e3, modes), damping=np.full(modes, 0.02), masses=np.ones(modes), shapes=shapes
    )
    pressed = tuple(Stop(f"{i}", f"x{i + 1}", gap=-1e-3, stiffness=1e4) for i in range(stops))
    return MechanicalProblem(modes=basis, stops=pressed, end=1.0)


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
    return (measure_cpu(march(long), 2) - measure_cpu(march(short), 2)) / (long - short)


def machine(modes: int, stops: int) -> tuple[float, float]:
    """Return bytes per second of a triad far beyond the caches, and the time (s) of a product with the matrix."""
    a, b, c = (np.ones(8_000_000) for _ in range(3))

    def triad() -> None:
        np.multiply(b, 3.0, out=a)
        np.add(a, c, out=a)

    matrix, vector = np.ones((stops, modes)), np.ones(modes)
    product = measure_cpu(lambda: [matrix @ vector for _ in range(50)], REPEATS) / 50
    return 5 * a.nbytes / measure_cpu(triad, REPEATS), product


def report(modes: int, stops: int) -> tuple[Cell, ...]:
    """Print and return the figures of one size: times of a step, in µs, and what bounds them."""
    rate, product = machine(modes, stops)
    matrix = 8 * modes * stops
    bound, blas, flops = 3 * matrix / rate * 1e6, 3 * product * 1e6, 6 * modes * stops
    print(f"{modes} modes, {stops} stops: a matrix of {matrix / 1e6:.3g} MB; triad {rate / 1e9:.3g} GB/s")
    print(f"  three products of BLAS {flops / 1e6:.3g} Mflop, {flops / blas / 1e3:.3g} Gflop/s")
    steps = [per_step(grid(modes, stops), scheme) * 1e6 for scheme in SCHEMES]
    row = (f"{modes} × {stops}", *(round(each, 2) for each in (bound, blas, *steps)))
    print(" ", *row, flush=True)
    return row


def report_growth() -> None:
    """Print and store how the time of symplectic Euler grows where one of modes, stops and steps is doubled."""
    scheme = SCHEMES[0]
    base = per_step(grid(500, 20), scheme)
    doubled = {
        "modes, 500 to 1000 on 20 stops": per_step(grid(1000, 20), scheme) / base,
        "stops, 20 to 40 under 500 modes": per_step(grid(500, 40), scheme) / base,
        "steps, 2100 to 4200": 2 * per_step(grid(500, 20), scheme, 4200) / base,
    }
    rows = [(what, round(math.log2(ratio), 2)) for what, ratio in doubled.items()]
    print(*rows, sep="\n")
    store("growth", "python -m tests.timing.scale growth", ("doubled", "exponent"), rows)


def report_memory() -> None:
    """Print and store the most memory that this process had with 10 000 modes on 1000 stops, all of it."""
    SOLVER.solve(
        replace(grid(10_000, 1000), end=20 * STEP), {"scheme": SCHEMES[0], "step": STEP, "archive_at": [START]}
    )
    peak = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(peak, "MiB")
    store("memory", "python -m tests.timing.scale memory", ("modes × stops", "MiB"), [("10000 × 1000", peak)])


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
    elif given == ["growth"]:
        report_growth()
    elif given == ["memory"]:
        report_memory()
    else:
        head = ("modes × stops", "memory", "products", *SCHEMES)
        sizes = [[int(number) for number in size.split("x")] for size in given or SIZES]
        store("modal", "python -m tests.timing.scale", head, [report(modes, stops) for modes, stops in sizes])
