"""The command `doctor`: small problems tell a broken adapter from an inaccurate solver, and what to mend."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from rich.text import Text

from veridyn.doctor.bodies import Bounce, Flight, Linear, PatientBody, Shake, Slider, Springs
from veridyn.doctor.method import Method, measure_method
from veridyn.doctor.misreadings import error_of, fault_of_displacement, fault_of_velocity, faults_of_arrays
from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Floats, Problem
from veridyn.problem.nearest import did_you_mean
from veridyn.problem.printable import print_line
from veridyn.run.execution import introduce_solvers
from veridyn.run.plan import Access
from veridyn.run.posed import settings_of
from veridyn.run.screen import console
from veridyn.run.workers import Pool
from veridyn.solver.contract.errors import CapabilityError, SettingsError, SolverFailure
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.loading import OWN
from veridyn.solver.contract.responses import AnyResponse, read_response
from veridyn.validation_cases.judgement.subject import Request, Subject


@dataclass(frozen=True)
class Patient:
    """A small problem, and where to look first if nothing is known about a gross error.

    ``simpler`` takes its place for a solver that offers or solves less.
    """

    body: PatientBody
    hint: str
    simpler: Patient | None = None

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self.body.name

    @property
    def chain(self) -> tuple[Patient, ...]:
        """The problem and what may take its place."""
        return (self, *(self.simpler.chain if self.simpler else ()))


def _one(value: float) -> np.ndarray[Any, Any]:
    return np.array([[value]])


FREE_MASS = Patient(
    Springs(name="free mass", mass=_one(2.0), stiffness=_one(0.0), x0=np.array([0.5]), v0=np.ones(1)),
    "initial values or units",
)
MATRICES = "stiffness or mass matrix (factor, sign, transposition)"
OSCILLATOR = Springs(name="oscillator", mass=_one(2.0), stiffness=_one(72.0), x0=np.array([0.1]), v0=np.ones(1))
# nothing is alike for the two masses: what mixes them up shows
TWO_MASSES = Springs(
    name="two degrees of freedom",
    mass=np.diag([2.0, 4.0]),
    stiffness=np.array([[96.0, -24.0], [-24.0, 72.0]]),
    x0=np.array([0.1, 0.0]),
    v0=np.array([0.0, -0.8]),
)
TOUCH = Patient(  # w = 20 rad/s: long enough for steps that are not small
    Flight(name="one touch of a stop", mass=_one(2.0), x0=np.zeros(1), v0=np.ones(1), gap=0.5, contact=800.0),
    "sign of the contact force, gap, or contact stiffness",
)

LAWS = "the friction force: sign, size, when it holds and when it lets go"
# slides until it rests at 0.42 s, is held, also beyond the kinetic limit, until 1.01 s, slips back, and shortly forward
PULLS = (
    *((0.0, 0.0), (0.5, 0.0), (0.55, -4.0), (0.8, -4.0), (0.85, -7.0)),
    *((1.0, -7.0), (1.05, -10.0), (1.15, -10.0), (1.2, 0.0)),
)
SHORT_PULL = ((1.4, 0.0), (1.42, 60.0), (1.44, 0.0))
SLIDER = Slider(
    name="friction",
    mass=_one(2.0),
    x0=np.array([0.05]),
    v0=np.ones(1),
    end=1.8,
    normal=12.0,
    static=0.65,
    kinetic=0.4,
    pulls=(*PULLS, *SHORT_PULL),
    held=(0.65, 0.8),
)
ONE_COEFFICIENT = replace(SLIDER, name="friction with one coefficient", static=0.4)
FRICTION = Patient(
    SLIDER,
    LAWS,
    Patient(
        ONE_COEFFICIENT,
        LAWS,
        Patient(replace(ONE_COEFFICIENT, name="friction without a load", pulls=(), held=(0.7, 1.7)), LAWS),
    ),
)

SHAKE = Shake(np.array([2 / 3]), amplitude=2.0, omega=9.0, phase=1.0)
FORCES = "the force of the support, -M influence a(t), and what is relative to it"
# a mass between a wall that moves and one that does not: the influence is the share of the spring at the moving one
SUPPORT = Patient(replace(OSCILLATOR, name="support", x0=np.array([0.02]), v0=np.array([0.1]), shakes=(SHAKE,)), FORCES)
# masses in a row, springs 72, 24, 48 N/m from wall to wall: the influences follow from the stiffness
TWO_SUPPORTS = Patient(
    replace(
        TWO_MASSES,
        name="two supports",
        x0=np.array([0.02, 0.0]),
        v0=np.array([0.0, 0.1]),
        shakes=(
            replace(SHAKE, influence=np.array([9.0, 3.0]) / 11),
            Shake(np.array([2.0, 8.0]) / 11, amplitude=3.0, omega=5.0, phase=0.5),
        ),
    ),
    FORCES,
    Patient(
        replace(
            OSCILLATOR,
            name="two supports of one mass",
            x0=np.array([0.02]),
            v0=np.array([0.1]),
            shakes=(SHAKE, Shake(np.array([1 / 3]), amplitude=3.0, omega=5.0, phase=0.5)),
        ),
        FORCES,
    ),
)
EQUATIONS = Patient(
    Linear(name="equations", initial=(0.5, -2.0), parameters=(40.0, 2.0, 60.0)),
    "the right-hand side, or initial values",
)
EVENTS = Patient(
    Bounce(name="equations with events", initial=(-0.2, 3.0), parameters=(8.0, 0.75, 2.0), end=3.0),
    "guards, resets and modes",
)
PATIENTS = (
    FREE_MASS,
    Patient(OSCILLATOR, MATRICES),
    Patient(TWO_MASSES, MATRICES),
    TOUCH,
    FRICTION,
    SUPPORT,
    TWO_SUPPORTS,
    EQUATIONS,
    EVENTS,
)
KINDS = frozenset({"mechanical", "initial-value"})


def patients_of(capabilities: Set[str]) -> tuple[Patient, ...]:
    """Return the problems of the kinds that a solver offers; all if it offers none."""
    return tuple(p for p in PATIENTS if p.body.problem.needs & KINDS & capabilities) or PATIENTS


# ---- the examination

HEALTHY, INACCURATE, BROKEN = 0, 1, 3
NOT_APPLICABLE = -1
GROSS = 0.5  # an error of half the amplitude is no inaccuracy: the adapter hands over something else
FAIR = 1e-2


@dataclass(frozen=True)
class Diagnosis:
    """What was found for one scheme on one patient."""

    scheme: str
    patient: str
    status: int
    text: str


def examine(solvers: Sequence[str], access: Access | None = None, changed: Mapping[str, str] | None = None) -> int:
    """Print a diagnosis of every solver, of our own without any; ``access`` says how they are reached.

    Returns 0 healthy, 1 inaccurate, 3 broken or not to be examined.

    Raises SolverInputError if a specification leads nowhere, or a change is no setting of any solver, or not a valid
    one.
    """
    access = access or Access()
    with Pool() as pool:
        described, refused = introduce_solvers(pool, access, solvers or [OWN])
        if refused and not described:
            raise SolverInputError("; ".join(refused.values()))
        _refuse_unknown(changed or {}, described.values())
        statuses = [
            _examine(
                access.open(spec), replace(subject, request=Request(settings_of(changed or {}, subject.all_settings)))
            )
            for spec, subject in described.items()
        ]
    for why in refused.values():
        print_line(f"veridyn: {why}", file=sys.stderr)
    return max([*statuses, *([BROKEN] if refused else [])])


def _refuse_unknown(changes: Mapping[str, str], described: Iterable[Subject]) -> None:
    known = sorted({name for subject in described for name in subject.all_settings})
    for name in changes:
        if name not in known:
            hint = did_you_mean(name, known, f"declared are {', '.join(known) or 'none'}")
            raise SettingsError(f"unknown setting {name!r}: {hint}")


def _examine(gate: Gate, subject: Subject) -> int:
    out = console()
    out.print(Text(f"{subject.name} {subject.version}: {', '.join(sorted(subject.capabilities))}", style="bold"))
    result: list[Diagnosis] = []
    for diagnosis in _consult(_Visit(gate, subject)):
        result.append(diagnosis)
        out.print(Text(f"  {diagnosis.scheme or subject.name}, {diagnosis.patient}: {diagnosis.text}"))
    missed = _never_examined(subject.capabilities, result)
    if missed:
        out.print(Text(f"never examined: {', '.join(missed)}"))
    worst = max((diagnosis.status for diagnosis in result), default=NOT_APPLICABLE)
    if worst in (HEALTHY, INACCURATE):
        methods = dict(_measure_methods(gate, subject, result))
        for scheme, method in methods.items():
            out.print(Text(f"  {scheme or subject.name}, method: {method.description}"))
        out.print(Text(_sum_up(worst, methods.values()), style="bold"))
        return max(worst, INACCURATE) if any(map(_is_wrong, methods.values())) else worst
    out.print(Text(_VERDICTS[worst], style="bold"))
    return BROKEN if worst == NOT_APPLICABLE else worst


def _measure_methods(gate: Gate, subject: Subject, found: Sequence[Diagnosis]) -> Iterator[tuple[str, Method]]:
    """Yield the method of each scheme that made no mistake: of others the mistake says more than a card."""
    for scheme in subject.schemes:
        statuses = {diagnosis.status for diagnosis in found if diagnosis.scheme == scheme}
        if HEALTHY in statuses and statuses <= {HEALTHY, NOT_APPLICABLE}:
            method = measure_method(gate, scheme, subject.chosen(scheme))
            if method:
                yield scheme, method


def _is_wrong(method: Method) -> bool:
    return bool(method.deviations) or method.is_diverging


def _sum_up(worst: int, methods: Iterable[Method]) -> str:
    """Return the verdict on a solver whose adapter works."""
    every = list(methods)
    if worst == HEALTHY and any(map(_is_wrong, every)):
        return "the adapter works, the method is not what it should be: veridyn identify shows its card"
    if worst == HEALTHY and any(method.is_first_order for method in every):
        return "healthy, but of order 1: the error only halves with the step"
    return _VERDICTS[worst]


_VERDICTS = {
    HEALTHY: "healthy",
    INACCURATE: "the adapter works, the solver is inaccurate: look at step, tolerance, events",
    BROKEN: "the adapter is broken: mend it before judging the solver",
    NOT_APPLICABLE: "nothing could be examined: the solver offers none of what the problems need",
}


def _never_examined(capabilities: Set[str], found: Iterable[Diagnosis]) -> list[str]:
    """Return the problems that no scheme solved, and what was taken instead of them."""
    examined = {diagnosis.patient for diagnosis in found if diagnosis.status != NOT_APPLICABLE}
    missed = []
    for patient in patients_of(capabilities):
        if patient.name not in examined:
            instead = [simpler.name for simpler in patient.chain if simpler.name in examined]
            missed.append(f"{patient.name} (but {instead[0]})" if instead else patient.name)
    return missed


def _consult(visit: _Visit) -> Iterator[Diagnosis]:
    """Yield what is found for every scheme on every patient, or on the next simpler one that the solver takes."""
    for scheme in visit.subject.schemes:
        for patient in patients_of(visit.subject.capabilities):
            for each in patient.chain:
                if each is not patient and _list_missing(visit.subject, each):
                    continue
                diagnosis = visit.diagnose(each, scheme)
                if diagnosis:
                    yield diagnosis
                if visit.found[scheme, each.name].status != NOT_APPLICABLE:
                    break


def _list_missing(subject: Subject, patient: Patient) -> list[str]:
    return sorted(patient.body.problem.needs - subject.capabilities)


@dataclass(frozen=True)
class _Visit:
    """A solver that is examined, with the settings of the user, and what was found before."""

    gate: Gate
    subject: Subject
    found: dict[tuple[str, str], Diagnosis] = field(default_factory=dict)

    def diagnose(self, patient: Patient, scheme: str) -> Diagnosis | None:
        """Return what is found for a scheme on a patient, None if it was found before."""
        if (scheme, patient.name) in self.found:
            return None
        diagnosis = Diagnosis(scheme, patient.name, *_diagnose(self, patient, scheme))
        self.found[scheme, patient.name] = diagnosis
        return diagnosis

    def answer(self, problem: Problem, scheme: str) -> Any:
        """Return what the solver answers, unchecked; raises what `Gate.solve` raises."""
        return self.gate.solve(problem, self.subject.default_settings(self.gate, problem, scheme)).content


def _diagnose(visit: _Visit, patient: Patient, scheme: str) -> tuple[int, str]:
    problem, answer = patient.body.problem, None
    missing = _list_missing(visit.subject, patient)
    if missing:
        return NOT_APPLICABLE, f"not applicable, the solver does not offer {', '.join(missing)}"
    try:
        answer = visit.answer(problem, scheme)
        response = read_response(problem, answer, visit.subject.name)
    except CapabilityError as missed:
        return NOT_APPLICABLE, f"not applicable, {missed}"
    except (SolverFailure, SolverInputError) as error:
        if visit.subject.request.settings and isinstance(error, SettingsError):
            raise
        return BROKEN, "; ".join([f"broken: {error}", *faults_of_arrays(problem, answer)])
    return _compare(patient, response)


def _compare(patient: Patient, response: AnyResponse) -> tuple[int, str]:
    body = patient.body
    t, displacement, velocity = body.seen(response)
    flaw, smooth = body.flaw(t, displacement), body.is_smooth(t)
    t, displacement, velocity = t[smooth], displacement[smooth], velocity[smooth]
    x, v = body.motion(t)
    error, of_velocity = error_of(displacement, x), error_of(velocity, v)
    if error > FAIR:
        return _wrong_displacement(patient, t, displacement, error, flaw)
    if of_velocity > GROSS:
        fault = fault_of_velocity(body, t, velocity)
        where = fault or "the velocity is not the derivative of the displacement: look at its sign, unit and instants"
        # a jump is soon missed by a sample or two
        status = BROKEN if fault or not isinstance(body, Flight) else INACCURATE
        return status, f"{_WORDS[status]}: error {of_velocity:.1e} of the velocity; {where}"
    if flaw:
        return INACCURATE, f"inaccurate: {flaw}"
    return HEALTHY, f"ok, error {error:.1e} of the amplitude"


_WORDS = {INACCURATE: "inaccurate", BROKEN: "broken"}


def _wrong_displacement(patient: Patient, t: Floats, found: Floats, error: float, flaw: str) -> tuple[int, str]:
    fault = fault_of_displacement(patient.body, t, found)
    size = f"error {error:.1e} of the amplitude"
    if fault:
        return BROKEN, f"broken: {size}; {fault}"
    if error > GROSS:
        return BROKEN, f"broken: {size}; look at {patient.hint}"
    return INACCURATE, "; ".join([f"inaccurate: {size}", *([flaw] if flaw else [])])
