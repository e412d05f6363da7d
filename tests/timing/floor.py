"""The exact solver on SDND104 beside a loop in C that knows this problem alone: ``python -m tests.timing.floor``.

`floor.c` is compiled by ``cc -O3 -march=native``. It writes the events, no histories, and is called through ctypes.
Least times (µs) of many calls in turn, within one run.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.exact.solver import SOLVER, ExactComputation
from veridyn.validation_cases.judgement.catalogue import load_case

from .storing import store
from .turns import least

SOURCE = Path(__file__).with_name("floor.c")
A0, OMEGA, CONE, END = 1.5, 2 * math.pi, 1.0, 12.0  # m/s^2, 1/s, m/s^2, s
DOUBLE = ctypes.c_double


def state_problem() -> MechanicalProblem:
    """Return SDND104 of 12 s with two instants of output."""
    case = load_case("sdnd104")
    posed: MechanicalProblem = case.problem(case.values({"a0": str(A0)}))
    return replace(posed, end=END, output_times=np.array([0.0, END]))


def compile_loop(folder: Path) -> Callable[[], tuple[int, float]]:
    """Return the loop: the number of events and the last place (m)."""
    library = folder / "floor.so"
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", SOURCE, "-o", library, "-lm"], check=True)
    march = ctypes.CDLL(str(library)).march
    march.argtypes = [DOUBLE, DOUBLE, DOUBLE, DOUBLE, ctypes.POINTER(DOUBLE), ctypes.POINTER(DOUBLE)]
    events, place = (DOUBLE * 1000)(), DOUBLE()

    def solve() -> tuple[int, float]:
        return march(A0, OMEGA, CONE, END, events, ctypes.byref(place)), place.value

    return solve


def main() -> None:
    """Print and store the times."""
    posed = state_problem()
    with tempfile.TemporaryDirectory() as folder:
        solve = compile_loop(Path(folder))
    prepared, response = ExactComputation(posed), SOLVER.solve(posed, {})
    count, place = solve()
    assert count == response.instants.size, (count, response.instants.size)
    np.testing.assert_allclose(place, response.displacement[-1, 0], rtol=1e-12)
    works: dict[str, Callable[[], object]] = {
        "loop in C, called through ctypes": solve,
        "ExactComputation.run": lambda: prepared.run(prepared.outputs),
        "solve": lambda: SOLVER.solve(posed, {}),
    }
    rows = [(name, round(microseconds, 1)) for name, microseconds in least(works).items()]
    print(*rows, sep="\n")
    store("floor", "python -m tests.timing.floor", (f"SDND104 of 12 s, {count} events", "µs"), rows)


if __name__ == "__main__":
    main()
