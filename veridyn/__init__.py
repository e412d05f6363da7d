"""veridyn: verification of solvers of nonlinear dynamics.

The front door. `verify` runs a solver through the cases, `reference` gives certified values, `cases` lists what there
is. For a problem of your own: `MechanicalProblem` with its elements, `solve`, `compare`, `report`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veridyn.api.comparing import Comparison, compare, report
    from veridyn.api.front import cases, reference
    from veridyn.api.identifying import identify
    from veridyn.api.proving import names_of, prove
    from veridyn.api.solving import RecordedRun, Solution, read_run, solve
    from veridyn.api.verifying import verify
    from veridyn.files.records import read_acceleration
    from veridyn.identification.card import Card
    from veridyn.problem.as_initial_value import as_initial_value
    from veridyn.problem.baseline import correct_baseline
    from veridyn.problem.devices import BucklingStop, NonlinearDamper, NonlinearSpring, Zener
    from veridyn.problem.elements import Friction, Load, Stop, SupportMotion, TimeVarying
    from veridyn.problem.initial_value import InitialValueProblem
    from veridyn.problem.mechanical import MechanicalProblem
    from veridyn.problem.modal_basis import Modes
    from veridyn.problem.modes import Accumulation, Change, Condition, Mode
    from veridyn.problem.pieces import pieces
    from veridyn.problem.time_functions import Harmonic, Sum, Windowed, constant, polynomial, pulse, step, table
    from veridyn.solver.contract.protocol import Solver
    from veridyn.solver.postprocessing.spectra import ResponseSpectrum, response_spectrum
    from veridyn.solver.rewriting.condensed import Condensed, condensed
    from veridyn.version import __version__

PLACES = {
    "api.comparing": ("Comparison", "compare", "report"),
    "api.front": ("cases", "reference"),
    "api.identifying": ("identify",),
    "api.proving": ("names_of", "prove"),
    "files.records": ("read_acceleration",),
    "problem.as_initial_value": ("as_initial_value",),
    "problem.baseline": ("correct_baseline",),
    "identification.card": ("Card",),
    "solver.contract.protocol": ("Solver",),
    "solver.postprocessing.spectra": ("ResponseSpectrum", "response_spectrum"),
    "solver.rewriting.condensed": ("Condensed", "condensed"),
    "problem.devices": ("BucklingStop", "NonlinearDamper", "NonlinearSpring", "Zener"),
    "problem.elements": ("Friction", "Load", "Stop", "SupportMotion", "TimeVarying"),
    "problem.initial_value": ("InitialValueProblem",),
    "problem.modes": ("Accumulation", "Change", "Condition", "Mode"),
    "problem.mechanical": ("MechanicalProblem",),
    "problem.modal_basis": ("Modes",),
    "problem.pieces": ("pieces",),
    "problem.time_functions": (
        "Harmonic", "Sum", "Windowed", "constant", "polynomial", "pulse", "step", "table",
    ),
    "api.solving": ("RecordedRun", "Solution", "read_run", "solve"),
    "api.verifying": ("verify",),
    "version": ("__version__",),
}  # fmt: skip

__all__ = [
    "Accumulation", "BucklingStop", "Card", "Change", "Comparison", "Condensed", "Condition", "Friction",
    "Harmonic", "InitialValueProblem", "Load", "MechanicalProblem", "Mode", "Modes", "NonlinearDamper",
    "NonlinearSpring", "RecordedRun", "ResponseSpectrum", "Solution", "Solver", "Stop", "Sum", "SupportMotion",
    "TimeVarying", "Windowed", "Zener", "__version__", "as_initial_value", "cases", "compare", "condensed",
    "constant", "correct_baseline", "identify", "names_of", "pieces", "polynomial", "prove", "pulse",
    "read_acceleration", "read_run", "reference", "report", "response_spectrum", "solve", "step", "table", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the front door on first use: listing needs no numerical library."""
    place = next((place for place, names in PLACES.items() if name in names), "")
    if not place:
        raise AttributeError(f"module 'veridyn' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    return getattr(import_module(f"veridyn.{place}"), name)


def __dir__() -> list[str]:
    return __all__
