"""Siconos in a Python of its own, through the command protocol; `siconos_program` says how it is used."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.adapters.stepping import StepControls, Stepper, substeps_of
from veridyn.solver.contract.controls import read_controls
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.loading import SolverNotFound
from veridyn.solver.contract.programs import ExternalSolver, shared_solver

PYTHON_VARIABLE = "VERIDYN_SICONOS_PYTHON"
SYSTEM_PYTHON = "/usr/bin/python3"  # where Debian and Ubuntu install Siconos
PROGRAM = Path(__file__).with_name("siconos_program.py")


class Siconos(Stepper):
    """Nonsmooth time stepping of Siconos; the program starts when it is first needed.

    `version`, `capabilities` and `solve` raise `SolverNotFound` if no Python has Siconos.
    """

    name = "siconos"
    schemes = ("theta-0.5", "theta-1")

    @property
    def version(self) -> str:
        """Version of the library."""
        return _program().version

    @property
    def capabilities(self) -> frozenset[str]:
        """Tags of what it can solve."""
        return _program().capabilities

    def claims(self, scheme: str) -> dict[str, Any]:
        """Return what a scheme claims: the theta method on smooth problems; stops and friction are exact laws."""
        return {"order": 2 if scheme == "theta-0.5" else 1}

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Any:
        """Return the response at the output instants; errors as `Library` says, also if no equal steps meet them."""
        controls = read_controls(StepControls, settings, self.schemes)
        substeps = {"substeps": substeps_of(problem, controls)}  # the program knows no other step
        return _program().solve(problem, {"scheme": controls.scheme, **substeps})


def _program() -> ExternalSolver:
    """Return the running program, by the first Python that has Siconos."""
    reasons = []
    for python in _pythons():
        try:
            return shared_solver(shlex.join([python, str(PROGRAM)]), PROGRAM.parent)
        except SolverFailure as failure:
            reasons.append(f"{python}: {failure}")
    remedy = f"apt install python3-siconos, or name a Python that has it in {PYTHON_VARIABLE}"
    raise SolverNotFound(f"solver 'siconos' needs a Python with Siconos ({'; '.join(reasons)}); {remedy}")


def _pythons() -> list[str]:
    """Return the Pythons to try: the one that the user names, or the usual ones."""
    named = os.environ.get(PYTHON_VARIABLE)
    usual = [SYSTEM_PYTHON, shutil.which("python3") or SYSTEM_PYTHON]
    return [named] if named else list(dict.fromkeys(usual))


SOLVER = Siconos()
