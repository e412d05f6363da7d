"""Work-precision: how long a solver takes for how many digits, from its coarsest settings to its finest."""

from __future__ import annotations

import contextlib
import io
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from veridyn.references.certified import Certified
from veridyn.solver.errors import CapabilityError, SolverFailure, SolverInputError, StepError
from veridyn.validation_cases.case import Case, Check, Run, Settings, Subject, Variant
from veridyn.validation_cases.checks import truth_checks
from veridyn.validation_cases.judge import Record, judge
from veridyn.validation_cases.workbench import Workbench

STEP_FACTORS = (4.0, 2.0, 1.0, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32)
"""The ladder of our own schemes, times the step of the case."""

SHARP = 1.001e-3
"""A quantity counts if any solver is held to a thousandth of it, or to a relative error."""


@dataclass(frozen=True)
class Limits:
    """How long is too long for a ladder to go on (s), how long (s) and how often to repeat a solve."""

    slow: float = 10.0
    budget: float = 0.3
    most: int = 100


LIMITS = Limits()


@dataclass(frozen=True)
class Point:
    """One rung of the ladder of a solver; `as_dict` is an entry of the result file.

    Attributes
    ----------
    first_call
        Seconds to the first answer: what had still to be compiled or loaded, the solve, the check of the response.
    wall_time, repeats
        Shortest of so many further solves (s); the first one itself if it was too slow to be repeated.
    error, quantity, digits
        Worst relative error of the quantities that count, whose it is, correct digits (LRE).
    passed, checks
        How many of the comparisons with the truth pass at this rung, and how many there are.
    detail
        Why something is missing, or why the ladder ends here.
    """

    case: str
    variant: str
    solver: str
    version: str
    scheme: str
    settings: dict[str, Any]
    first_call: float | None = None
    wall_time: float | None = None
    repeats: int = 0
    error: float | None = None
    quantity: str = ""
    digits: float | None = None
    passed: int = 0
    checks: int = 0
    counters: dict[str, float] = field(default_factory=dict)
    detail: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of the result file."""
        return asdict(self)


def variants(case: Case) -> tuple[str, ...]:
    """Return the variants that have a diagram."""
    return case.work_precision or (case.benchmark_variant,)


def work_precision(
    solver: Any, subject: Subject, case: Case, variant: Variant, limits: Limits = LIMITS
) -> Iterator[Point]:
    """Yield the points of all schemes of a solver; none where no quantity has a truth to relate an error to."""
    if not compared(case, variant):
        return
    for scheme in subject.schemes:
        yield from climb(solver, replace(subject, schemes=(scheme,)), case, variant, limits)


def climb(solver: Any, subject: Subject, case: Case, variant: Variant, limits: Limits = LIMITS) -> Iterator[Point]:
    """Yield the points of the only scheme of a subject, from coarse to fine, up to the first that is too slow.

    A step that the scheme refuses is no rung. What fails gives a point without values; the climb goes on, unless
    the problem itself is more than the solver offers.
    """
    warm: set[str] = set()
    names = compared(case, variant)
    ladder = rungs(subject, case, variant)
    for rung in ladder:
        asked = replace(subject, overrides={**subject.overrides, **rung})
        checks = list(truth_checks(case, asked, variant))
        blank = _blank(solver, checks[0])
        try:
            point = _measured(Workbench(solver, warm=warm), checks, names, blank, limits)
        except StepError:
            continue
        except CapabilityError as missed:
            yield replace(blank, detail=f"not applicable: {missed}")
            return
        except (SolverFailure, SolverInputError) as failure:
            point = replace(blank, detail=str(failure))
        if rung is not ladder[-1] and (point.wall_time or 0.0) > limits.slow:
            yield replace(point, detail="; ".join(filter(None, (point.detail, SLOW))))
            return
        yield point


SLOW = "so slow that finer settings were not tried"


def rungs(subject: Subject, case: Case, variant: Variant) -> Sequence[Settings]:
    """Return the settings from coarse to fine; a solver without a ladder has one rung, its defaults."""
    if not subject.own:
        return subject.ladder or ({},)
    step = case.run(subject, variant, subject.schemes[0]).settings["step"]
    return [{"step": factor * step} for factor in STEP_FACTORS]


def _blank(solver: Any, check: Check) -> Point:
    settings = dict(check.run.settings)
    return Point(check.case, check.variant, solver.name, str(solver.version), check.scheme, settings)


def _measured(bench: Workbench, checks: Sequence[Check], names: frozenset[str], blank: Point, limits: Limits) -> Point:
    """Return the point of one rung.

    Raises
    ------
    SolverInputError, SolverFailure
        See `Workbench.observe`; `CapabilityError` also if the solver does not offer what the problem needs.
    """
    run = checks[0].run
    _require(bench.solver, run)
    start = time.perf_counter()
    counters = bench.observe(run).response.counters
    first_call = time.perf_counter() - start
    once = bench.wall_time()
    assert once is not None
    records = [judge(check, bench) for check in checks]
    bench.answers.clear()  # a large response that is held slows the next solve down
    times = repeated(bench.solver, run, limits) if once <= limits.slow else []
    return replace(
        blank,
        first_call=first_call,
        wall_time=min(times, default=once),
        repeats=len(times),
        passed=sum(record.verdict == "pass" for record in records),
        checks=len(records),
        counters=_numbers(counters),
        **worst([record for record in records if record.quantity in names]),
    )


def _numbers(counters: Mapping[str, Any]) -> dict[str, float]:
    """Keep what is a finite number: foreign counters may be anything."""
    return {
        str(name): value
        for name, value in counters.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }


def _require(solver: Any, run: Run) -> None:
    missing = sorted(run.problem.needs - frozenset(solver.capabilities))
    if missing:
        raise CapabilityError(f"the solver does not offer {', '.join(missing)}")


def repeated(solver: Any, run: Run, limits: Limits) -> list[float]:
    """Return the times (s) of repeated solves: as many as fit into the budget, at least one.

    Raises
    ------
    SolverFailure
        If a solver that has answered before now does not.
    """
    times: list[float] = []
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            while not times or (len(times) < limits.most and sum(times) + min(times) < limits.budget):
                start = time.perf_counter()
                solver.solve(run.problem, dict(run.settings))
                times.append(time.perf_counter() - start)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything; the other rungs must go on
        raise SolverFailure(f"solve {len(times) + 2} raised {type(error).__name__}: {error}") from None
    return times


def compared(case: Case, variant: Variant) -> frozenset[str]:
    """Return the quantities whose relative error says something: the same ones for every solver.

    It does where any solver is judged by it, or by an absolute error of at most a thousandth of the truth. It does
    not for a truth of zero, words, roughly read instants, small differences of large numbers.
    """
    anyone = Subject("", ("",), own=False)
    return frozenset(check.quantity for check in truth_checks(case, anyone, variant) if _says_something(check))


def _says_something(check: Check) -> bool:
    reference = check.reference()
    truth = reference.value if isinstance(reference, Certified) else reference
    if truth is None or isinstance(truth, str) or truth == 0:
        return False
    tolerance = check.tolerance()
    return tolerance.kind == "relative" or (tolerance.kind == "absolute" and tolerance.value <= SHARP * abs(truth))


def worst(records: Sequence[Record]) -> Mapping[str, Any]:
    """Return error, quantity and digits of the record with the largest relative error, or why there is none."""
    broken = next((record for record in records if record.error is None), None)
    if broken is not None:
        return {"quantity": broken.quantity, "detail": broken.detail or f"{broken.quantity} is {broken.value}"}
    errors = {record.quantity: relative_error(record) for record in records}
    name = max(errors, key=errors.__getitem__)
    digits = min((record.digits for record in records if record.digits is not None), default=None)
    return {"error": errors[name], "quantity": name, "digits": digits}


def relative_error(record: Record) -> float:
    """Return the error of a record in terms of the truth, whatever it is judged by."""
    assert record.error is not None
    assert record.reference is not None
    return record.error if record.error_kind == "relative" else record.error / abs(float(record.reference))
