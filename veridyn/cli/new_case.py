"""The command `new-case`: a running skeleton of a case, to be filled in."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from veridyn.problem.errors import SolverInputError
from veridyn.problem.expressions import is_name
from veridyn.problem.printable import print_line
from veridyn.run.exit_code import ExitCode
from veridyn.validation_cases.judgement.catalogue import case_names

INITIAL_VALUE = '''"""{title}: say in one line what moves, and what it shows."""

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("w", "rad/s", "circular frequency", "2"),
    Parameter("a", "m", "initial displacement", "1/2"),
)
PROBLEM = InitialValueProblem(
    name="{name}",
    states=("x", "v"),
    parameters={{p.name: p.default for p in PARAMETERS}},
    modes=(Mode(name="swings", rates=("v", "-w**2*x"), events=(Change(name="turn", guard="v", direction=-1),)),),
    initial=("a", 0),
    end=5.0,
    output_times=evenly(5.0, 500),
    invariants={{"energy": "v**2/2 + w**2*x**2/2"}},
)


def swing(p):
    """Return the displacement at 4 s in mpmath: a second route that shares nothing with the proved motion."""
    return p.a * mpmath.cos(4 * p.w)


of = Quantities(hybrid.motion(PROBLEM, PARAMETERS), 1e-6, "name the document that asks for it")
CASE = Case(
    name="{name}",
    title="{title}",
    document="author and year",
    topics=("limit cycle",),
    summary="One sentence for the list of cases.",
    statement=("What is given, in plain words.", "What follows from it."),
    equations=of.equations("x = a cos(w t)"),
    parameters=PARAMETERS,
    problem=PROBLEM.with_parameters,
    variants=(Variant("slow", {{}}), Variant("fast", {{"w": "3"}})),
    quantities=(
        of.event("turn", second=lambda p: 2 * mpmath.pi / p.w, how="2 pi/w"),
        of.value("x", "4", "m", scale="a", second=swing, how="a cos(w t)"),
    ),
    modelling=("What a response is read with.",),
    remarks=("How solvers fail here.",),
    sources=("Authors: Title. Journal volume (year) pages. https://doi.org/...",),
)

test_{name} = verifies(CASE)
'''

MECHANICAL = '''"""{title}: say in one line what moves, and what it shows."""

from functools import partial
from typing import Any

import mpmath
import numpy as np

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.validation_cases.judgement.case import Case, Observation, Quantity, Values, Variant, numbers
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures.consistency import energy, velocities
from veridyn.validation_cases.measures.quantities import displacement_at, share_of, size

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("k", "N/m", "stiffness of the spring", "8"),
    Parameter("a", "m", "initial displacement", "1/2"),
)
END = 5.0  # s
INSTANTS = ("1", "4")  # s
DOCUMENT = "name the document that asks for it"


def problem(values: Values) -> MechanicalProblem:
    """Return the problem, once: solvers get it in doubles, and it is proved with exact numbers."""
    m, k, a = numbers(values, "m", "k", "a")
    return MechanicalProblem(
        name="{name}",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_displacement=np.array([a]),
        end=END,
        output_times=np.linspace(0.0, END, 501),
        coordinates=("x",),
    )


MOTION = make_quantities(problem, PARAMETERS)


def swing(p: Any, time: str) -> Any:
    """Return the displacement (m) at an instant (s) in mpmath: a second route that shares nothing with the first."""
    return p.a * mpmath.cos(mpmath.sqrt(p.k / p.m) * mpmath.mpf(time))


def spring_energy(o: Observation) -> float:
    """Return the energy at the start (J)."""
    return o["k"] * o["a"] ** 2 / 2


def displacement_quantity(t: str) -> Quantity:
    """Return the displacement at an instant (s)."""
    return Quantity(
        name=f"x@{{t}}",
        unit="m",
        definition=f"displacement at {{t}} s",
        reference=MOTION.value("x", t, second=partial(swing, time=t), how="a cos(sqrt(k/m) t)"),
        measure=partial(displacement_at, time=float(t)),
        criterion=share_of(size("a"), 1e-3, DOCUMENT),
        scale=size("a"),
    )


CASE = Case(
    name="{name}",
    title="{title}",
    document="author and year",
    topics=("modal superposition",),
    summary="One sentence for the list of cases.",
    statement=("What is given, in plain words.", "What follows from it."),
    equations=("m x'' + k x = 0", "x = a cos(sqrt(k/m) t)"),
    parameters=PARAMETERS,
    problem=problem,
    variants=(Variant("slow", {{}}), Variant("fast", {{"k": "18"}})),
    quantities=tuple(map(displacement_quantity, INSTANTS)),
    residuals=(energy("of k a²/2", spring_energy, cited(DOCUMENT, 1e-3, kind="absolute")), velocities()),
    linear=True,
    modelling=("What a response is read with.",),
    remarks=("How solvers fail here.",),
    sources=("Authors: Title. Journal volume (year) pages. https://doi.org/...",),
)

test_{name} = verifies(CASE)
'''


def new_case(*, name: str, room: str, output: Path | None) -> int:
    """Write ``test_NAME.py`` where cases of a room live, or into a folder; returns the exit status 0.

    Raises
    ------
    SolverInputError
        If the name cannot name a module, a case has it, or the file cannot be written.
    """
    if not is_name(name) or name != name.lower():
        raise SolverInputError(f"{name!r} cannot name a case: small letters, digits and _, e.g. bouncing_ball")
    if name in case_names():
        raise SolverInputError(f"there is a case {name} already; choose another name")
    folder = output or Path(import_module(f"veridyn.validation_cases.{room}").__path__[0])
    file = folder / f"test_{name}.py"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as new:
            skeleton = MECHANICAL if room == "mechanics" else INITIAL_VALUE
            new.write(skeleton.format(name=name, title=name.replace("_", " ").capitalize()))
    except OSError as error:
        raise SolverInputError(f"cannot write {file}: {error.strerror or error}; choose another --output") from None
    print_line(file)
    return ExitCode.FINE
