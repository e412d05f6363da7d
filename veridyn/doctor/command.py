"""The command `doctor`: small problems tell a broken adapter from an inaccurate solver, and what to mend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from rich.text import Text

from veridyn.changes import settings_of
from veridyn.doctor.bodies import Flight, Floats
from veridyn.doctor.faults import error_of, fault_of_displacement, fault_of_velocity, faults_of_arrays
from veridyn.doctor.patients import Patient, patients_of
from veridyn.nearest import did_you_mean
from veridyn.screen import console
from veridyn.solver.errors import CapabilityError, SettingsError, SolverFailure, SolverInputError
from veridyn.solver.loading import OWN
from veridyn.solver.problem.mechanical import Problem
from veridyn.solver.response import AnyResponse, read_response
from veridyn.validation_cases.core.runner import SolverCrash, translated
from veridyn.validation_cases.core.subject import Request, Subject
from veridyn.verification import Reasons, load_watched, subjects
from veridyn.workers import TIME_OUT, Crew, Job, Line, Loss, Watch

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


def examine(solvers: Sequence[str], changed: Mapping[str, str] | None = None, time_out: float = TIME_OUT) -> int:
    """Print a diagnosis of every solver, of our own without any.

    Returns 0 healthy, 1 inaccurate, 3 broken or not to be examined.

    Raises SolverInputError if a specification leads nowhere, or a change is no setting of any solver, or not a valid
    one.
    """
    with Crew(1, time_out) as crew:
        described = subjects(crew, solvers or [OWN])
        _refuse_unknown(changed or {}, described.values())
        return max(
            _examine(crew, spec, replace(subject, request=Request(settings_of(changed or {}, subject.known))))
            for spec, subject in described.items()
        )


def _refuse_unknown(changes: Mapping[str, str], described: Iterable[Subject]) -> None:
    known = sorted({name for subject in described for name in subject.known})
    for name in changes:
        if name not in known:
            hint = did_you_mean(name, known, f"declared are {', '.join(known) or 'none'}")
            raise SettingsError(f"unknown setting {name!r}: {hint}")


def _examine(crew: Crew, spec: str, subject: Subject) -> int:
    out = console()
    lost: dict[str, str] = {}
    found: list[Diagnosis] = []

    def renewed(_: int, loss: Loss) -> Job:
        if loss.watch is None or loss.watch.act != "solve":
            raise SolverInputError(loss.text)
        lost[loss.watch.key] = loss.text
        return Job(_consult, (spec, subject, dict(lost), tuple(found)))

    for _, told in crew.share([Job(_consult, (spec, subject, {}, ()))], renewed):
        if isinstance(told, str):
            out.print(Text(told, style="bold"))
            continue
        found.append(told)
        out.print(Text(f"  {told.scheme or subject.name}, {told.patient}: {told.text}"))
    missed = _never_examined(subject.capabilities, found)
    if missed:
        out.print(Text(f"never examined: {', '.join(missed)}"))
    worst = max((diagnosis.status for diagnosis in found), default=NOT_APPLICABLE)
    out.print(Text(_VERDICTS[worst], style="bold"))
    return BROKEN if worst == NOT_APPLICABLE else worst


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


def _consult(line: Line, spec: str, subject: Subject, lost: Reasons, found: tuple[Diagnosis, ...]) -> None:
    """Examine a solver in a worker; what was found has been told before."""
    solver = load_watched(line, spec)
    if not found and not lost:
        line.tell(f"{solver.name} {solver.version}: {', '.join(sorted(solver.capabilities))}")
    visit = _Visit(line, solver, subject, lost)
    known = {(diagnosis.scheme, diagnosis.patient): diagnosis for diagnosis in found}
    for scheme in subject.schemes:
        for patient in patients_of(subject.capabilities):
            for each in patient.chain:
                diagnosis = known.get((scheme, each.name))
                if not diagnosis and (each is patient or not _missing(solver, each)):
                    diagnosis = Diagnosis(scheme, each.name, *_diagnose(visit, each, scheme))
                    line.tell(diagnosis)
                if diagnosis and diagnosis.status != NOT_APPLICABLE:
                    break


def _missing(solver: Any, patient: Patient) -> list[str]:
    return sorted(patient.body.problem.needs - frozenset(solver.capabilities))


@dataclass(frozen=True)
class _Visit:
    """A solver in a worker, with the user's settings and what is known to end its process."""

    line: Line
    solver: Any
    subject: Subject
    lost: Reasons

    def answer(self, problem: Problem, patient: Patient, scheme: str) -> Any:
        """Return what the solver answers, unchecked; raises errors of ours, whatever the solver raises."""
        key = f"{scheme}/{patient.name}"
        if key in self.lost:
            raise SolverCrash(self.lost[key])
        settings = self.subject.default_settings(self.solver, problem, scheme)
        with translated(self.solver), self.line.watched(Watch("solve", self.solver.name, key)):
            return self.solver.solve(problem, dict(settings))


def _diagnose(visit: _Visit, patient: Patient, scheme: str) -> tuple[int, str]:
    problem, answer = patient.body.problem, None
    missing = _missing(visit.solver, patient)
    if missing:
        return NOT_APPLICABLE, f"not applicable, the solver does not offer {', '.join(missing)}"
    try:
        answer = visit.answer(problem, patient, scheme)
        response = read_response(problem, answer, visit.solver.name)
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
