"""CalculiX, a finite element code, by input decks (`calculix_deck`) and the program ``ccx``.

What ``ccx`` prints has seven digits; the claim ``printed`` says so to whoever judges. Only fixed increments are taken:
automatic ones skip impacts. An error in the log is a failure, whatever the exit status, and so is output that is
missing or at other instants.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from veridyn.problem.basis import modal_state
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.calculix_deck import CAPABILITIES, Increments, deck, forces_at_start, increments
from veridyn.solver.adapters.stepping import Grid, StepControls, Stepper, substeps_of
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.loading import SolverNotFound
from veridyn.solver.contract.responses import Response

PROGRAM_VARIABLE = "VERIDYN_CCX"
ALPHAS = {"alpha-0": 0.0, "alpha-0.05": -0.05}  # the second one is what CalculiX takes of itself
PRINTED = 7  # digits
HEADER = re.compile(r" (displacements|velocities|forces) .* for set (\w+) and time\s+(\S+)")
EXPONENT = re.compile(r"(?<=\d)(?=[-+]\d{3})")  # Fortran leaves the E out before three digits
WORDS = 300  # characters of the log that a message shows


@dataclass(frozen=True)
class CalculixControls(StepControls):
    """Increments and a limit."""

    substeps: int = number(2, "increments between two outputs")
    time_limit: float = number(600.0, "time (s) that ccx is given for one run")


class Calculix(Stepper):
    """Direct implicit dynamics of CalculiX; `version` and `solve` raise `SolverNotFound` if there is no program."""

    name = "calculix"
    controls = CalculixControls
    schemes = tuple(ALPHAS)
    capabilities = CAPABILITIES
    substeps = (1, 2, 4)  # every increment costs two milliseconds

    @property
    def version(self) -> str:
        """Version that the program states."""
        said = subprocess.run([_program(), "-v"], capture_output=True, text=True, check=False, timeout=60).stdout
        result = re.search(r"Version\s+(\S+)", said)
        return result[1] if result else "unknown"

    def claims(self, _: str) -> dict[str, Any]:
        """Return what the manual says of the alpha method, and the digits of the printed output."""
        return {"order": 2, "printed": PRINTED}

    def stepped(self, problem: MechanicalProblem, controls: CalculixControls, _: Grid) -> Response:
        """Return the response at equal instants, as CalculiX takes no others; see `Library` for what it raises."""
        steps = increments(problem, substeps_of(problem, controls))
        text = deck(problem, steps, ALPHAS[controls.scheme])
        program = _program()
        with TemporaryDirectory() as folder:
            Path(folder, "problem.inp").write_text(text, encoding="ascii", errors="replace")
            _run(program, Path(folder), controls.time_limit)
            printed = Path(folder, "problem.dat")
            if not printed.is_file():
                raise SolverFailure("CalculiX printed nothing")
            return _response(problem, steps, _tables(problem, steps, printed))


def _program() -> str:
    """Return the program; SolverNotFound if there is none."""
    named = os.environ.get(PROGRAM_VARIABLE, "ccx")
    result = shutil.which(named)
    if result is None:
        remedy = f"apt install calculix-ccx, or name it in {PROGRAM_VARIABLE}"
        raise SolverNotFound(f"solver 'calculix' needs the program {named}; {remedy}")
    return result


def _run(program: str, folder: Path, limit: float) -> None:
    """Run the deck; SolverFailure for an error in the log, an exit status, or a run that takes too long."""
    log = folder / "log"
    with log.open("wb") as out:
        try:
            command, one = [program, "problem"], {**os.environ, "OMP_NUM_THREADS": "1"}
            status = subprocess.run(
                command, cwd=folder, env=one, stdout=out, stderr=out, timeout=limit, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            raise SolverFailure(f"CalculiX was stopped after time_limit = {limit:g} s") from None
    said = log.read_text(errors="replace")
    place = said.find("*ERROR")
    if place >= 0 or status:
        words = said[place : place + WORDS] if place >= 0 else said[-WORDS:]
        raise SolverFailure(f"CalculiX gave up with exit status {status}: {' '.join(words.split())}")


def _tables(problem: MechanicalProblem, steps: Increments, printed: Path) -> dict[str, Floats]:
    """Return displacements, velocities and forces of the elements (m, k) at the outputs."""
    elements = len(problem.stops) + len(problem.devices)
    size = problem.size if problem.modes is None else problem.modes.omega.size
    widths = {"displacements": size, "velocities": size, **({"forces": elements} if elements else {})}
    blocks: dict[str, list[list[float]]] = {kind: [] for kind in widths}
    times: dict[str, list[float]] = {kind: [] for kind in widths}
    for kind, time, values in _blocks(printed):
        blocks[kind].append(values)
        times[kind].append(time)
    for kind, width in widths.items():
        rows = {len(values) for values in blocks[kind]}
        if len(blocks[kind]) != steps.outputs or rows != {width}:
            raise SolverFailure(f"CalculiX printed {len(blocks[kind])} of {steps.outputs} tables of {kind}")
        late = np.abs(np.array(times[kind]) - (steps.printed - steps.start)).max()
        if late > 1e-6 * (steps.end - steps.start):
            raise SolverFailure(f"CalculiX printed {kind} up to {late:.3g} s off the instants that were asked for")
    return {kind: np.array(values) for kind, values in blocks.items()}


def _blocks(printed: Path) -> Iterator[tuple[str, float, list[float]]]:
    """Yield kind, time and first components of every table."""
    kind, time, values = "", 0.0, list[float]()
    for line in printed.read_text(encoding="ascii", errors="replace").splitlines():
        if header := HEADER.match(line):
            if kind:
                yield kind, time, values
            kind, time, values = header[1], float(header[3]), []
        elif line.strip():
            values.append(_value(line.split()[1]))
    if kind:
        yield kind, time, values


def _value(text: str) -> float:
    try:
        value = float(EXPONENT.sub("E", text))
    except ValueError:  # stars, where a number does not fit
        value = np.nan
    if not np.isfinite(value):
        raise SolverFailure(f"CalculiX printed {text}, which is no finite number")
    return value


def _response(problem: MechanicalProblem, steps: Increments, tables: Mapping[str, Floats]) -> Response:
    """Return the response, the initial values of the problem before what was printed."""
    shapes = np.eye(problem.size) if problem.modes is None else problem.modes.shapes
    start = (problem.initial_displacement, problem.initial_velocity)
    if problem.modes is not None:
        start = tuple(shapes @ part for part in modal_state(problem, problem.modes))  # type: ignore[assignment]
    x, v = (
        np.vstack((first, tables[kind] @ shapes.T))
        for first, kind in zip(start, ("displacements", "velocities"), strict=True)
    )
    time = np.concatenate(([problem.start], steps.printed))
    forces = [*np.vstack((forces_at_start(problem), -tables["forces"])).T] if "forces" in tables else []
    count = len(problem.stops)
    elements = {
        **{stop.name: {"normal_force": abs(f)} for stop, f in zip(problem.stops, forces[:count], strict=True)},
        **{device.name: {"force": f} for device, f in zip(problem.devices, forces[count:], strict=True)},
    }
    return Response(time, x, v, elements, {"steps": float(steps.count)})


SOLVER = Calculix()
