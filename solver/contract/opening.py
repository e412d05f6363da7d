"""Open the gate to a solver that is named by a specification, and close all that are open."""

from __future__ import annotations

import contextlib
import functools
import io
from pathlib import Path

from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.programs import PROGRAM, forget_programs
from veridyn.solver.contract.served_gate import ServedGate, ServerProcess

TIME_OUT = 600.0  # s, for one call of a solver


def open_gate(spec: str, time_out: float = TIME_OUT, *, in_process: bool = False) -> Gate:
    """Return the gate to the solver of a specification; a call takes ``time_out`` seconds at most.

    Raises `SolverNotFound`, see `load_solver`; SolverInputError if the solver does not introduce itself as a solver
    does, in time.
    """
    if not (in_process or spec.startswith(PROGRAM)):
        return _open_served(spec, time_out, str(Path.cwd()))
    with contextlib.redirect_stdout(io.StringIO()):
        return LocalGate(load_solver(spec, time_out), spec)


@functools.lru_cache(maxsize=16)
def _open_served(spec: str, time_out: float, folder: str) -> ServedGate:
    return ServedGate(spec, time_out, Path(folder))


def close_gates() -> None:
    """End the processes of all solvers that this process has started; a gate that is opened again starts another."""
    _open_served.cache_clear()
    for process in list(ServerProcess.running):
        process.close()
    forget_programs()
