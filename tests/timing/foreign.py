"""What a sweep costs beside a foreign solver: ``python -m tests.timing.foreign``. CPU time (s) in one process.

The points of a sweep are solved and measured as a worker does it; what SciPy takes itself is counted apart.
"""

from __future__ import annotations

import time

import numpy as np

from veridyn.solver.contract.loading import load_solver
from veridyn.sweep.points import solve_point
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.runner import Runner

from .judging import CountingGate
from .storing import Cell, store

SWEPT = {"sdnd104": ("a0", 1.2, 15.0), "bouncing_ball": ("h", 0.5, 2.0), "belt_stick_slip": ("v_b", 0.1, 0.4)}
POINTS = 40


def measure(name: str, parameter: str, first: float, last: float) -> tuple[float, float]:
    """Return the CPU times (s) of a sweep over a parameter: what is ours, and what the solver takes."""
    case = load_case(name)
    gate = CountingGate(load_solver("scipy"))
    runner = Runner(gate)
    solve_point(runner, case, {parameter: first})  # what is imported and compiled once does not count
    begin, before = time.process_time(), gate.seconds
    for value in np.linspace(first, last, POINTS).tolist():
        solve_point(runner, case, {parameter: value})
    solving = gate.seconds - before
    return time.process_time() - begin - solving, solving


def main() -> None:
    """Print and store a line a case."""
    rows = list[tuple[Cell, ...]]()
    for name, swept in SWEPT.items():
        ours, solving = measure(name, *swept)
        rows.append((name, POINTS, round(ours, 2), round(solving, 2), f"{100 * ours / solving:.0f} %"))
        print(*rows[-1], flush=True)
    head = ("case", "points", "ours", "scipy", "ours over scipy's")
    store("foreign", "python -m tests.timing.foreign", head, rows)


if __name__ == "__main__":
    main()
