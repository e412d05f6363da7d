"""From a check to a verdict."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import mpmath

from veridyn.references.certified import Certified
from veridyn.solver.errors import CapabilityError, SolverFailure, SolverInputError
from veridyn.validation_cases.case import Check, Number
from veridyn.validation_cases.tolerances import Tolerance
from veridyn.validation_cases.workbench import Workbench

Verdict = Literal["pass", "fail", "expected failure", "not applicable", "error"]

DOUBLE_DIGITS = 15.95  # -log10 of half a unit in the last place of a double


@dataclass(frozen=True)
class Record:
    """One judged check; `as_dict` is a row of the result file."""

    case: str
    variant: str
    solver: str
    scheme: str
    quantity: str
    kind: str
    unit: str
    value: Number
    reference: Number
    reference_digits: int | None
    error: float | None
    error_kind: str
    tolerance: float | None
    reason: str
    margin: float | None
    digits: float | None
    verdict: Verdict
    detail: str
    published: str
    settings: dict[str, Any]
    wall_time: float | None
    id: str

    def as_dict(self) -> dict[str, Any]:
        """Return the row of the result file."""
        return asdict(self)


def judge(check: Check, bench: Workbench) -> Record:
    """Measure, compare, decide. Never raises for what the solver did wrong.

    Raises
    ------
    SolverInputError
        If the run itself was asked for wrongly (settings of the user); that is no verdict on the solver.
    """
    missing = sorted(check.run.problem.needs - frozenset(bench.solver.capabilities))
    if missing:
        return _record(check, bench, "not applicable", detail=f"the solver does not offer {', '.join(missing)}")
    try:
        value = check.measure(bench)
    except CapabilityError as missed:
        return _record(check, bench, "not applicable", detail=str(missed))
    except SolverInputError:
        raise
    except SolverFailure as failure:
        return _record(check, bench, "error" if bench.crashed() else "fail", detail=str(failure))
    except Exception as broken:  # noqa: BLE001 - a response without impacts, say, breaks what is measured in it
        detail = f"the response cannot be measured: {type(broken).__name__}: {broken}"
        return _record(check, bench, "fail", detail=detail)
    reference = check.reference()
    truth = reference.value if isinstance(reference, Certified) else reference
    tolerance = check.tolerance()
    error = measured_error(value, truth, tolerance)
    verdict: Verdict = "pass" if error is not None and error <= tolerance.value else "fail"
    return _record(
        check,
        bench,
        verdict,
        value=value,
        reference=reference.text() if isinstance(reference, Certified) and truth is not None else truth,
        reference_digits=reference.digits if isinstance(reference, Certified) else None,
        error=error,
        error_kind=tolerance.kind,
        tolerance=tolerance.value,
        reason=tolerance.reason,
        margin=tolerance.value / error if error else None,
        digits=correct_digits(value, reference),
        wall_time=bench.wall_time(),
    )


def measured_error(value: Number, truth: Any, tolerance: Tolerance) -> float | None:
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


def correct_digits(value: Number, reference: Certified | float | str) -> float | None:
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


def _record(check: Check, bench: Workbench, verdict: Verdict, **found: Any) -> Record:
    blank: dict[str, Any] = {
        "value": None,
        "reference": None,
        "reference_digits": None,
        "error": None,
        "error_kind": "",
        "tolerance": None,
        "reason": "",
        "margin": None,
        "digits": None,
        "detail": "",
        "wall_time": None,
    }
    return Record(
        case=check.case,
        variant=check.variant,
        solver=bench.solver.name,
        scheme=check.scheme,
        quantity=check.quantity,
        kind=check.kind,
        unit=check.unit,
        verdict=verdict,
        published=check.published,
        settings=dict(check.run.settings),
        id=check.id,
        **(blank | found),
    )
