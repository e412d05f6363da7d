"""From a check to a verdict."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

import mpmath
from msgspec import structs

from veridyn.problem.errors import SolverInputError
from veridyn.references.certified import Certified
from veridyn.results import ErrorKind, Layer, LevelRow, Record, Verdict
from veridyn.results.record import Setting
from veridyn.solver.contract.errors import CapabilityError, SolverCrash, SolverFailure
from veridyn.solver.contract.statements import DOUBLE_DIGITS
from veridyn.validation_cases.judgement.case import Case, Number, Quantity, Settings
from veridyn.validation_cases.judgement.runner import HarnessError, NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Requirement, Tolerance


@dataclass(frozen=True)
class Finding:
    """What a check found: answer, truth, error with the largest admissible one, and all that is needed to recompute it.

    ``levels`` is the level table, from coarse to fine. ``terms`` are the parts of the tolerance by name. ``run`` is
    what the answer comes from.
    """

    run: Run
    value: Number
    reference: Number | Certified
    error: float | None
    tolerance: Tolerance
    detail: str = ""
    levels: tuple[LevelRow, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict)
    counts_digits: bool = False

    @property
    def passes(self) -> bool:
        """Whether the error is admissible."""
        return self.error is not None and self.error <= self.tolerance.value


@dataclass(frozen=True, eq=False)
class Check:
    """One question to a solver; ``find`` answers it."""

    statement: Statement
    scheme: str
    layer: Layer
    name: str
    unit: str
    find: Callable[[Runner], Finding]

    @property
    def case(self) -> str:
        """Name of the case."""
        return self.statement.case.name

    @property
    def variant(self) -> str:
        """Name of the variant."""
        return self.statement.variant.name

    @property
    def id(self) -> str:
        """Stable name within the case, e.g. ``a0=1.5-wear_power-devogelaere`` of a criterion."""
        name = self.name if self.layer is Layer.CRITERION else f"{self.layer}:{self.name}"
        return "-".join(part for part in (self.variant, name.replace(" ", "_"), self.scheme) if part)


def explain(judged: Record) -> str:
    """Return why a check failed, in one message."""
    if judged.detail:
        return f"{judged.case} {judged.id}: {judged.detail}"
    return (
        f"{judged.case} {judged.id}: {judged.value} instead of {_short(judged.reference)} {judged.unit}: "
        f"{judged.error_kind} error "
        f"{judged.error} above {judged.tolerance} ({judged.reason})"
    )


def _short(reference: object) -> str:
    text = str(reference)
    return text if len(text) <= 20 else text[:20] + "…"


def judge(check: Check, runner: Runner) -> Record:
    """Measure, compare, decide. Never raises for what the solver did wrong.

    Raises
    ------
    SolverInputError
        If the run itself was asked for wrongly, by settings of the user; that is no verdict on the solver. Where there
        are none, it is one.
    """
    try:
        runner.subject.refuse_beyond(check.statement.needs)
        finding = check.find(runner)
    except (CapabilityError, NotJudged) as missed:
        return _record(check, runner, Verdict.NOT_APPLICABLE, str(missed))
    except SolverInputError as wrong:
        if runner.request.settings or runner.request.refinement:
            raise
        return _record(check, runner, Verdict.ERROR, f"refused without settings of the user: {wrong}")
    except SolverCrash as crash:
        return _record(check, runner, Verdict.ERROR, str(crash))
    except SolverFailure as failure:
        verdict = Verdict.ERROR if _no_response(check, runner) else Verdict.FAIL
        return _record(check, runner, verdict, str(failure))
    except HarnessError as broken:
        return _record(check, runner, Verdict.HARNESS_ERROR, str(broken))
    return _judged(check, runner, finding)


def _no_response(check: Check, runner: Runner) -> bool:
    """Whether the default run gave no response at all."""
    return runner.default_run(check.statement, check.scheme).key in runner.failures


def _judged(check: Check, runner: Runner, finding: Finding) -> Record:
    reference, tolerance, error = finding.reference, finding.tolerance, finding.error
    certified = reference if isinstance(reference, Certified) else None
    verdict = Verdict.PASS if finding.passes else Verdict.FAIL
    return structs.replace(
        _record(check, runner, verdict, finding.detail, finding.run),
        value=finding.value,
        reference=state_reference(reference),
        reference_digits=certified.digits if certified else None,
        error=error,
        error_kind=ErrorKind(tolerance.kind),
        tolerance=tolerance.value,
        reason=_state_reason(check, runner, tolerance),
        margin=tolerance.value / error if error else None,
        digits=correct_digits(finding.value, reference) if finding.counts_digits else None,
        levels=finding.levels,
        terms=dict(finding.terms),
    )


OBSERVED = "the claim was observed on simple problems, not stated"


def _state_reason(check: Check, runner: Runner, tolerance: Tolerance) -> str:
    """Return why a tolerance is as it is, and of a claim that nobody states, where it comes from."""
    is_observed = check.layer is Layer.CLAIM and check.scheme in runner.subject.observed
    return f"{tolerance.reason}; {OBSERVED}" if is_observed else tolerance.reason


def state_reference(reference: Number | Certified) -> Number:
    """Return a reference as it is recorded: a certified number with all its digits, as text."""
    if not isinstance(reference, Certified):
        return reference
    return None if reference.value is None else reference.text()


def measured_error(value: Number, truth: mpmath.mpf | Number, tolerance: Tolerance) -> float | None:
    """Return the error in the measure of the tolerance; None if the value is missing or no number.

    Values that must be equal have error 0 or 1.

    Raises
    ------
    ValueError
        If a truth of zero has a relative tolerance.
    """
    if tolerance.kind == "exact":
        return 0.0 if value == truth else 1.0
    if isinstance(value, str) or isinstance(truth, str) or value is None or truth is None:
        return None
    with mpmath.workdps(50):
        error = abs(mpmath.mpf(value) - truth)
        if tolerance.kind == "relative":
            if truth == 0:
                raise ValueError("a zero needs an absolute tolerance")
            error /= abs(truth)
    return float(error) if math.isfinite(error) else None


def required(quantity: Quantity, statement: Statement, requirement: Requirement | None) -> Tolerance:
    """Return the criterion of a quantity: the user's where it is a number with a scale, else that of the document."""
    tolerance = statement.tolerance(quantity)
    size = statement.size(quantity)
    if requirement is None or tolerance.kind == "exact" or not size or not quantity.converges:
        return tolerance
    return Tolerance(requirement.relative * size, "absolute", f"{requirement.text}, of {size:.3g} {quantity.unit}")


def correct_digits(value: Number, reference: Certified | float | str | None) -> float | None:
    """Return the number of correct digits (LRE, -log10 of the relative error), at most what both can hold.

    For a truth of zero: None, unless the value is exactly zero. What is not finite has no correct digit.
    """
    truth = reference.value if isinstance(reference, Certified) else reference
    if isinstance(value, str) or isinstance(truth, str) or value is None or truth is None:
        return None
    if not math.isfinite(value):
        return 0.0
    most = DOUBLE_DIGITS
    if isinstance(reference, Certified) and reference.digits is not None:
        most = min(most, float(reference.digits))
    with mpmath.workdps(50):
        error = abs(mpmath.mpf(value) - truth)
        if error == 0:
            return most
        if truth == 0:
            return None
        return max(0.0, min(most, float(-mpmath.log10(error / abs(truth)))))


def _record(check: Check, runner: Runner, verdict: Verdict, detail: str, run: Run | None = None) -> Record:
    """Return the record of a check that was not measured; without a run, of the one with default settings."""
    run = run or runner.default_run(check.statement, check.scheme)
    return structs.replace(
        leave_out(check, runner.subject.name, detail),
        verdict=verdict,
        settings=recorded(run.settings),
        wall_time=runner.wall_times.get(run.key),
        counters=dict(runner.counters.get(run.key, {})),
    )


def leave_out(check: Check, solver: str, why: str) -> Record:
    """Return the record of a check that is not asked of a solver: it does not apply."""
    return Record(
        case=check.case,
        variant=check.variant,
        solver=solver,
        scheme=check.scheme,
        layer=check.layer,
        quantity=check.name,
        unit=check.unit,
        verdict=Verdict.NOT_APPLICABLE,
        detail=why,
        id=check.id,
    )


def recorded(settings: Settings) -> dict[str, Setting]:
    """Return settings as a record holds them; a document is refused that has others than numbers and words."""
    return cast(dict[str, Setting], dict(settings))


def verifies(case: Case) -> Callable[[Record], None]:
    """Return the function that pytest turns into one test per check of a case."""

    def every_check_passes(record: Record) -> None:
        assert record.verdict is Verdict.PASS, explain(record)

    every_check_passes.verifies = case.name  # type: ignore[attr-defined]  # read by the plugin
    return every_check_passes
