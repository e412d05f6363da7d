"""The command `doctor`: three small problems tell a broken adapter from an inaccurate solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.text import Text

from veridyn.solver.elements import Stop
from veridyn.solver.errors import SolverFailure, SolverInputError
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response, read_response
from veridyn.solver.schemes import SCHEMES
from veridyn.texts import console
from veridyn.validation_cases.case import Subject
from veridyn.verification import load_quietly

HEALTHY, INACCURATE, BROKEN = 0, 1, 3
NOT_APPLICABLE = -1
STEP = 1e-3  # s, for our own schemes
GROSS = 0.5  # an error of half the amplitude is no inaccuracy: the adapter hands over something else
FAIR = 1e-2


@dataclass(frozen=True)
class Patient:
    """A smoke problem: its truth as a function of time, and what a gross error hints at."""

    name: str
    problem: MechanicalProblem
    truth: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]
    hint: str


def _oscillator(name: str, stiffness: float, stops: tuple[Stop, ...] = ()) -> MechanicalProblem:
    return MechanicalProblem(
        name=name,
        mass=np.array([[2.0]]),
        stiffness=np.array([[stiffness]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.ones(1),
        end=1.0,
        output_times=np.linspace(0.0, 1.0, 101),
        stops=stops,
    )


def _touch(t: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the path of a body that meets a stop of 2e4 N/m (w = 100 rad/s) after 0.5 s."""
    w, reach = 100.0, 0.5
    leave = reach + math.pi / w
    return np.where(
        t < reach,
        t,
        np.where(t < leave, reach + np.sin(w * (t - reach)) / w, reach - (t - leave)),
    )


PATIENTS = (
    Patient("free mass", _oscillator("free mass", 0.0), lambda t: t, "initial velocity or units"),
    Patient(
        "oscillator",
        _oscillator("oscillator", 2.0 * 36.0),
        lambda t: np.sin(6.0 * t) / 6.0,
        "stiffness or mass matrix (factor, sign, transposition)",
    ),
    Patient(
        "one touch of a stop",
        _oscillator("one touch", 0.0, (Stop("stop", np.ones(1), gap=0.5, stiffness=2e4),)),
        _touch,
        "sign of the contact force, gap, or contact stiffness",
    ),
)


def examine(spec: str) -> int:
    """Print a diagnosis of a solver; returns 0 healthy, 1 inaccurate, 3 broken or not to be examined.

    Raises
    ------
    SolverNotFound
        If the specification leads nowhere.
    """
    solver = load_quietly(spec)
    subject = Subject.of(solver)
    out = console()
    out.print(Text(f"{solver.name} {solver.version}: {', '.join(sorted(solver.capabilities))}", style="bold"))
    worst, examined = HEALTHY, 0
    for scheme in subject.schemes:
        for patient in PATIENTS:
            status, text = _diagnose(solver, patient, _settings(subject, scheme))
            out.print(Text(f"  {scheme or solver.name}, {patient.name}: {text}"))
            worst, examined = max(worst, status), examined + (status != NOT_APPLICABLE)
    if not examined:
        out.print(
            Text("nothing could be examined: the solver offers none of what the three problems need", style="bold")
        )
        return BROKEN
    verdicts = {
        HEALTHY: "healthy",
        INACCURATE: "the adapter works, the solver is inaccurate: look at step, tolerance, events",
        BROKEN: "the adapter is broken: mend it before judging the solver",
    }
    out.print(Text(verdicts[worst], style="bold"))
    return worst


def _settings(subject: Subject, scheme: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {"scheme": scheme} if scheme else {}
    return {**chosen, "step": STEP, **SCHEMES[scheme].only_shorter} if subject.own else chosen


def _diagnose(solver: Any, patient: Patient, settings: dict[str, Any]) -> tuple[int, str]:
    missing = sorted(patient.problem.needs - frozenset(solver.capabilities))
    if missing:
        return NOT_APPLICABLE, f"not applicable, the solver does not offer {', '.join(missing)}"
    try:
        response = read_response(patient.problem, solver.solve(patient.problem, settings), solver.name)
    except (SolverFailure, SolverInputError) as error:
        return BROKEN, f"broken: {error}"
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything
        return BROKEN, f"broken: solve raised {type(error).__name__}: {error}"
    return _compare(patient, response)


def _compare(patient: Patient, response: Response) -> tuple[int, str]:
    truth = patient.truth(response.time)
    error = float(np.abs(response.displacement[:, 0] - truth).max() / np.abs(truth).max())
    if error > GROSS:
        return BROKEN, f"broken: error {error:.1e} of the amplitude; look at {patient.hint}"
    if error > FAIR:
        return INACCURATE, f"inaccurate: error {error:.1e} of the amplitude"
    return HEALTHY, f"ok, error {error:.1e} of the amplitude"
