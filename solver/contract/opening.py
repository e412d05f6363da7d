"""Open the gate to a solver that is named by a specification, and close all that are open."""

from __future__ import annotations

import contextlib
import io
from collections import OrderedDict
from pathlib import Path

from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.programs import PROGRAM, forget_programs
from veridyn.solver.contract.served_gate import ServedGate, ServerProcess

TIME_OUT = 600.0  # s, for one call of a solver
MOST_OPEN = 12  # processes of solvers at once: each takes some 100 MB; the one used longest ago is ended for another


def open_gate(spec: str, time_out: float = TIME_OUT, *, in_process: bool = False) -> Gate:
    """Return the gate to the solver of a specification; a call takes ``time_out`` seconds at most.

    Raises `SolverNotFound`, see `load_solver`; SolverInputError if the solver does not introduce itself as a solver
    does, in time.
    """
    if not (in_process or spec.startswith(PROGRAM)):
        return _open_served(spec, time_out, str(Path.cwd()))
    with contextlib.redirect_stdout(io.StringIO()):
        return LocalGate(load_solver(spec, time_out), spec)


GATES: OrderedDict[tuple[str, float, str], ServedGate] = OrderedDict()  # those used last are at the end


def _open_served(spec: str, time_out: float, folder: str) -> ServedGate:
    key = spec, time_out, folder
    if key not in GATES:
        GATES[key] = ServedGate(spec, time_out, Path(folder))
        if len(GATES) > MOST_OPEN:
            GATES.popitem(last=False)[1].close()
    GATES.move_to_end(key)
    return GATES[key]


def close_gates() -> None:
    """End the processes of all solvers that this process has started; a gate that is opened again starts another."""
    GATES.clear()
    for process in list(ServerProcess.running):
        process.close()
    forget_programs()
