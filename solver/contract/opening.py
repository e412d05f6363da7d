"""Open the gate to a solver that is named by a specification; close those that are open, or out of date."""

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
from veridyn.solver.contract.sources import Stamp, stamp_files

TIME_OUT = 600.0  # s, for one call of a solver
MOST_OPEN = 12  # processes of solvers at once: each takes some 100 MB; the one used longest ago is ended for another


def open_gate(spec: str, time_out: float = TIME_OUT, *, in_process: bool = False) -> Gate:
    """Return the gate to the solver of a specification; a call takes ``time_out`` seconds at most.

    Raises `SolverNotFound`, see `load_solver`; SolverInputError if the solver does not introduce itself as a solver
    does, in time.
    """
    folder = str(Path.cwd())
    if not (in_process or spec.startswith(PROGRAM)):
        return _open_served(spec, time_out, folder)
    if spec.startswith(PROGRAM):
        _keep_stamp(spec, folder)
    with contextlib.redirect_stdout(io.StringIO()):
        return LocalGate(load_solver(spec, time_out), spec)


GATES: OrderedDict[tuple[str, float, str], ServedGate] = OrderedDict()  # those used last are at the end


STAMPS: dict[tuple[str, str], Stamp] = {}  # of what was loaded from files, by specification and folder


def _keep_stamp(spec: str, folder: str) -> None:
    if (spec, folder) not in STAMPS:
        with contextlib.suppress(ValueError):  # no words of a command line, no name of a module: loading says so
            STAMPS[spec, folder] = stamp_files(spec)


def _open_served(spec: str, time_out: float, folder: str) -> ServedGate:
    key = spec, time_out, folder
    if key not in GATES:
        _keep_stamp(spec, folder)
        GATES[key] = ServedGate(spec, time_out, Path(folder))
        if len(GATES) > MOST_OPEN:
            GATES.popitem(last=False)[1].close()
    GATES.move_to_end(key)
    return GATES[key]


def renew_gates() -> None:
    """End the processes of solvers of this folder whose files have changed since: opened again, they are loaded anew.

    This belongs to the start of a run. Within one, all that is judged is the solver of its start.
    """
    folder = str(Path.cwd())
    changed = {spec for (spec, place), stamp in STAMPS.items() if place == folder and stamp_files(spec) != stamp}
    for key in [key for key in GATES if key[0] in changed and key[2] == folder]:
        GATES.pop(key).close()
    if any(spec.startswith(PROGRAM) for spec in changed):
        forget_programs()
    for spec in changed:
        del STAMPS[spec, folder]


def close_gates() -> None:
    """End the processes of all solvers that this process has started; a gate that is opened again starts another."""
    GATES.clear()
    STAMPS.clear()
    for process in list(ServerProcess.running):
        process.close()
    forget_programs()
