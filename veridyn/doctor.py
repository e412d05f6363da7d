"""The command `doctor`: three small problems tell a broken adapter from an inaccurate solver, and what to mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.text import Text

from veridyn.changes import settings_of
from veridyn.faults import Body, error_of, fault_of_displacement, fault_of_velocity, faults_of_arrays, motion
from veridyn.solver.errors import CapabilityError, SettingsError, SolverFailure, SolverInputError
from veridyn.solver.modal import known_to
from veridyn.solver.response import Response
from veridyn.solver.schemes import SCHEMES
from veridyn.texts import console
from veridyn.validation_cases.case import Run, Settings, Subject
from veridyn.validation_cases.workbench import Workbench
from veridyn.verification import Reasons, load_watched, subjects, watched_bench
from veridyn.workers import TIME_OUT, Crew, Job, Line, Loss

HEALTHY, INACCURATE, BROKEN = 0, 1, 3
NOT_APPLICABLE = -1
STEP = 1e-3  # s, for our own schemes
GROSS = 0.5  # an error of half the amplitude is no inaccuracy: the adapter hands over something else
FAIR = 1e-2


@dataclass(frozen=True)
class Patient:
    """A small problem, and where to look first if nothing is known about a gross error."""

    body: Body
    hint: str

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self.body.name


@dataclass(frozen=True)
class Diagnosis:
    """What was found for one scheme on one patient."""

    scheme: str
    patient: str
    status: int
    text: str


def _one(value: float) -> np.ndarray[Any, Any]:
    return np.array([[value]])


FREE_MASS = Patient(
    Body("free mass", _one(2.0), _one(0.0), x0=np.array([0.5]), v0=np.ones(1)), "initial values or units"
)
OSCILLATOR = Patient(
    Body("oscillator", _one(2.0), _one(72.0), x0=np.array([0.1]), v0=np.ones(1)),
    "stiffness or mass matrix (factor, sign, transposition)",
)
# for solvers of several degrees of freedom, which can also be mixed up
COUPLED = Patient(
    replace(
        OSCILLATOR.body,
        mass=np.diag([2.0, 4.0]),
        stiffness=np.array([[96.0, -24.0], [-24.0, 72.0]]),
        x0=np.array([0.1, 0.0]),
        v0=np.array([1.0, 0.0]),
    ),
    OSCILLATOR.hint,
)
TOUCH = Patient(  # w = 20 rad/s: long enough for steps that are not small
    replace(FREE_MASS.body, name="one touch of a stop", x0=np.zeros(1), gap=0.5, contact=800.0),
    "sign of the contact force, gap, or contact stiffness",
)


def patients(capabilities: Iterable[str]) -> tuple[Patient, ...]:
    """Return the three problems for a solver."""
    return FREE_MASS, COUPLED if "multi-dof" in capabilities else OSCILLATOR, TOUCH


def examine(spec: str, changes: Mapping[str, str] | None = None, time_out: float = TIME_OUT) -> int:
    """Print a diagnosis of a solver; see `examine_all`."""
    return examine_all([spec], changes, time_out)


def examine_all(specs: Sequence[str], changes: Mapping[str, str] | None = None, time_out: float = TIME_OUT) -> int:
    """Print a diagnosis of every solver; returns 0 healthy, 1 inaccurate, 3 broken or not to be examined.

    Raises
    ------
    SolverInputError
        If a specification leads nowhere, or a change is no setting of any solver, or not a valid one.
    """
    with Crew(1, time_out) as crew:
        described = subjects(crew, specs)
        _refuse_unknown(changes or {}, described.values())
        return max(
            _examine(crew, spec, replace(subject, overrides=settings_of(changes or {}, subject.known)))
            for spec, subject in described.items()
        )


def _refuse_unknown(changes: Mapping[str, str], described: Iterable[Subject]) -> None:
    known = sorted({name for subject in described for name in subject.known})
    for name in changes:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise SettingsError(f"unknown setting {name!r}: {hint}declared are {', '.join(known) or 'none'}")


def _examine(crew: Crew, spec: str, subject: Subject) -> int:
    out = console()
    lost: dict[str, str] = {}
    found: list[Diagnosis] = []

    def renewed(_: int, loss: Loss) -> Job:
        if loss.watch is None or loss.watch.act != "solve":
            raise SolverInputError(loss.text)
        lost[loss.watch.key] = loss.text
        return Job(_consult, (spec, subject, dict(lost), len(found)))

    for _, told in crew.share([Job(_consult, (spec, subject, {}, 0))], renewed):
        if isinstance(told, str):
            out.print(Text(told, style="bold"))
            continue
        found.append(told)
        out.print(Text(f"  {told.scheme or subject.name}, {told.patient}: {told.text}"))
    worst = _worst(found)
    out.print(Text(_VERDICTS[worst], style="bold"))
    return BROKEN if worst == NOT_APPLICABLE else worst


_VERDICTS = {
    HEALTHY: "healthy",
    INACCURATE: "the adapter works, the solver is inaccurate: look at step, tolerance, events",
    BROKEN: "the adapter is broken: mend it before judging the solver",
    NOT_APPLICABLE: "nothing could be examined: the solver offers none of what the three problems need",
}


def _worst(found: Iterable[Diagnosis]) -> int:
    return max((diagnosis.status for diagnosis in found), default=NOT_APPLICABLE)


@dataclass
class _Overheard:
    """A solver whose last answer is kept as it came, before it is checked."""

    solver: Any
    answer: Any = None

    @property
    def name(self) -> str:
        return str(self.solver.name)

    def solve(self, problem: Any, settings: Settings) -> Any:
        self.answer = None
        self.answer = self.solver.solve(problem, settings)
        return self.answer


def _consult(line: Line, spec: str, subject: Subject, lost: Reasons, skip: int) -> None:
    """Examine a solver in a worker; the first so many diagnoses have been told before."""
    solver = load_watched(line, spec)
    if not skip and not lost:
        line.tell(f"{solver.name} {solver.version}: {', '.join(sorted(solver.capabilities))}")
    bench = watched_bench(line, _Overheard(solver), lost)
    visits = [(scheme, patient) for scheme in subject.schemes for patient in patients(solver.capabilities)]
    for scheme, patient in visits[skip:]:
        status, text = _diagnose(bench, patient, subject, scheme)
        line.tell(Diagnosis(scheme, patient.name, status, text))


def _settings(subject: Subject, scheme: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {"scheme": scheme} if scheme else {}
    if not subject.own:
        return {**chosen, **subject.overrides}
    fixed = {"step": STEP, **SCHEMES[scheme].only_shorter}
    return {**chosen, **fixed, **{k: v for k, v in subject.overrides.items() if k in known_to(scheme)}}


def _diagnose(bench: Workbench, patient: Patient, subject: Subject, scheme: str) -> tuple[int, str]:
    problem = patient.body.problem
    missing = sorted(problem.needs - frozenset(bench.solver.solver.capabilities))
    if missing:
        return NOT_APPLICABLE, f"not applicable, the solver does not offer {', '.join(missing)}"
    run = Run(f"{scheme}/{patient.name}", {}, lambda _: problem, _settings(subject, scheme))
    try:
        response = bench.observe(run).response
    except CapabilityError as missed:
        return NOT_APPLICABLE, f"not applicable, {missed}"
    except (SolverFailure, SolverInputError) as error:
        if subject.overrides and isinstance(error, SettingsError):
            raise
        return BROKEN, "; ".join([f"broken: {error}", *faults_of_arrays(problem, bench.solver.answer)])
    return _compare(patient, response)


def _compare(patient: Patient, response: Response) -> tuple[int, str]:
    t, body = response.time, patient.body
    x, v = motion(body, t)
    error, of_velocity = error_of(response.displacement, x), error_of(response.velocity, v)
    if error > FAIR:
        return _wrong_displacement(patient, response, error)
    if of_velocity > GROSS:
        fault = fault_of_velocity(body, t, response.velocity)
        where = fault or "the velocity is not the derivative of the displacement: look at its sign, unit and instants"
        # a jump is soon missed by a sample or two
        status = BROKEN if fault or not body.problem.stops else INACCURATE
        return status, f"{_WORDS[status]}: error {of_velocity:.1e} of the velocity; {where}"
    return HEALTHY, f"ok, error {error:.1e} of the amplitude"


_WORDS = {INACCURATE: "inaccurate", BROKEN: "broken"}


def _wrong_displacement(patient: Patient, response: Response, error: float) -> tuple[int, str]:
    fault = fault_of_displacement(patient.body, response.time, response.displacement)
    size = f"error {error:.1e} of the amplitude"
    if fault:
        return BROKEN, f"broken: {size}; {fault}"
    if error > GROSS:
        return BROKEN, f"broken: {size}; look at {patient.hint}"
    return INACCURATE, f"inaccurate: {size}"
