"""Work-precision: how long a solver takes for how many digits, from its coarsest settings to its finest."""

import contextlib
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import mpmath
from msgspec import structs

from veridyn.problem.errors import SolverInputError
from veridyn.references.certified import Certified
from veridyn.results import WorkPrecisionPoint
from veridyn.solver.contract.errors import CapabilityError, SettingsError, SolverFailure, SolverLost, StepError
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.output_grid import refine_outputs
from veridyn.solver.contract.statements import DOUBLE_DIGITS
from veridyn.validation_cases.judgement.case import Case, Quantity
from veridyn.validation_cases.judgement.judge import correct_digits, measured_error, recorded
from veridyn.validation_cases.judgement.levels import level_runs
from veridyn.validation_cases.judgement.runner import Answer, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request


@dataclass(frozen=True)
class Limits:
    """How long is too long to go on with finer levels (s), how long (s) and how often to repeat a solve."""

    slow: float = 10.0
    budget: float = 0.3
    most: int = 100


LIMITS = Limits()


def variants(case: Case) -> tuple[str, ...]:
    """Return the variants that have a diagram."""
    return case.work_precision or (case.default_variant.name,)


def work_precision(
    gate: Gate, request: Request, statement: Statement, limits: Limits = LIMITS
) -> Iterator[WorkPrecisionPoint]:
    """Yield the points of all schemes of a solver; none where no number has a scale to relate an error to."""
    if not compared(statement):
        return
    for scheme in Runner(gate, request).subject.schemes:
        yield from points(Runner(gate, request), statement, scheme, limits)


def points(runner: Runner, statement: Statement, scheme: str, limits: Limits = LIMITS) -> Iterator[WorkPrecisionPoint]:
    """Yield the points of one scheme, from coarse to fine, up to the first that is too slow.

    A step that the scheme refuses gives no point. What fails gives one without values; finer levels go on, unless the
    problem itself is more than the solver offers, or its process was lost: each
    level could take as long as the time-out.
    """
    runs = _runs(runner, statement, scheme)
    for run in runs:
        blank = _blank(runner, run)
        try:
            point = _measured(runner, run, blank, limits)
        except StepError:
            continue
        except CapabilityError as missed:
            yield structs.replace(blank, detail=f"not applicable: {missed}")
            return
        except SolverLost as lost:
            yield structs.replace(blank, detail=str(lost))
            return
        except (SolverFailure, SolverInputError) as failure:
            point = structs.replace(blank, detail=str(failure))
        if run is not runs[-1] and (point.wall_time or 0.0) > limits.slow:
            yield structs.replace(point, detail="; ".join(filter(None, (point.detail, SLOW))))
            return
        yield point


SLOW = "so slow that finer settings were not tried"


def _runs(runner: Runner, statement: Statement, scheme: str) -> Sequence[Run]:
    """Return the runs of the levels; a solver without refinement has one, its default."""
    if runner.subject.refined:
        with contextlib.suppress(SolverFailure, SettingsError):
            return level_runs(runner, statement, scheme)[2]
    return (runner.default_run(statement, scheme),)


def _blank(runner: Runner, run: Run) -> WorkPrecisionPoint:
    return WorkPrecisionPoint(
        case=run.statement.case.name,
        variant=run.statement.variant.name,
        solver=runner.subject.name,
        version=runner.subject.version,
        scheme=run.scheme,
        settings=recorded(run.settings),
    )


def _measured(runner: Runner, run: Run, blank: WorkPrecisionPoint, limits: Limits) -> WorkPrecisionPoint:
    """Return the point of one level.

    Raises
    ------
    SolverInputError, SolverFailure
        See `Runner.observe`; `CapabilityError` also if the solver does not offer what the problem needs.
    """
    missing = sorted(run.statement.problem.needs - runner.subject.capabilities)
    if missing:
        raise CapabilityError(f"the solver does not offer {', '.join(missing)}")
    start = time.perf_counter()
    counters = runner.observe(run).response.counters
    first_call = time.perf_counter() - start
    once = runner.wall_times[run.key]
    result = runner.measured(run)
    runner.answers.clear()  # a large response that is held slows the next solve down
    times = repeated(runner.gate, run, limits) if once <= limits.slow else []
    return structs.replace(
        blank,
        first_call=first_call,
        wall_time=min(times, default=once),
        repeats=len(times),
        counters=_numbers(counters),
        **_judged(run, result),
    )


def _numbers(counters: Mapping[str, object]) -> dict[str, float]:
    """Keep what is a finite number: foreign counters may be anything."""
    return {
        str(name): value
        for name, value in counters.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }


def repeated(gate: Gate, run: Run, limits: Limits) -> list[float]:
    """Return the times (s) of repeated solves: as many as fit into the budget, at least one.

    Raises
    ------
    SolverFailure
        If a solver that has answered before now does not.
    """
    times: list[float] = []
    while not times or (len(times) < limits.most and sum(times) + min(times) < limits.budget):
        try:
            times.append(gate.solve(*refine_outputs(run.statement.problem, run.settings)).seconds)
        except (SolverInputError, SolverFailure) as error:
            raise SolverFailure(f"solve {len(times) + 2}: {error}") from None
    return times


def compared(statement: Statement) -> tuple[Quantity, ...]:
    """Return the quantities whose error says something over a scale: numbers that tend to the truth."""
    return tuple(q for q in statement.quantities if q.converges and _has_scale(q, statement))


def _has_scale(quantity: Quantity, statement: Statement) -> bool:
    truth = statement.truth(quantity).value
    exact = statement.tolerance(quantity).kind == "exact"
    return not exact and truth is not None and not isinstance(truth, str) and statement.size(quantity) > 0


def _judged(run: Run, found: Mapping[str, Answer]) -> Mapping[str, object]:
    """Return the worst error over its scale, whose it is, digits, criteria that are kept, or what is missing."""
    statement = run.statement
    errors: dict[str, float] = {}
    kept, asked, digits, pairs = 0, 0, [], list[Pair]()
    for quantity in compared(statement):
        answer, truth = found[quantity.name], statement.truth(quantity)
        if isinstance(answer, CapabilityError):
            continue
        asked += 1
        if isinstance(answer, Exception) or not isinstance(answer, int | float):
            return {"quantity": quantity.name, "detail": str(answer), "passed": kept, "checks": asked}
        tolerance = statement.tolerance(quantity)
        error = measured_error(float(answer), truth.value, tolerance)
        kept += error is not None and error <= tolerance.value
        number = truth.value
        assert not isinstance(number, str | None)
        errors[quantity.name] = float(abs(float(answer) - number) / statement.size(quantity))
        digits += [counted for counted in [correct_digits(float(answer), truth)] if counted is not None]
        pairs.append((float(answer), truth, statement.size(quantity)))
    if not errors:
        return {"detail": "nothing that is compared is reported", "passed": 0, "checks": 0}
    worst = max(errors, key=errors.__getitem__)
    fewest = min(digits, default=None)
    return {"error": errors[worst], "quantity": worst, "digits": fewest, "passed": kept, "checks": asked} | _counted(
        run, pairs
    )


Pair = tuple[float, Certified, float]  # answer, truth, scale


def _counted(run: Run, pairs: Sequence[Pair]) -> dict[str, float | None]:
    """Return the uncertainty of the truth, and of an initial value problem scd and mescd.

    Source: F. Mazzia and C. Magherini, Test Set for Initial Value Problem Solvers, release 2.4, 2008, part I: digits of
    the components at the end; here of all numbers of the case.
    """
    known: dict[str, float | None] = {"uncertainty": max(float((truth.radius or 0) / size) for _, truth, size in pairs)}
    if run.statement.problem.kind != "initial value":
        return known
    tolerances = [run.settings.get(name) for name in ("atol", "rtol")]
    shift = float(tolerances[0] / tolerances[1]) if all(tolerances) else None  # type: ignore[operator]
    return {**known, "scd": _scd(pairs, 0.0), "mescd": None if shift is None else _scd(pairs, shift)}


def _scd(pairs: Sequence[Pair], shift: float) -> float | None:
    """Return ``-log10`` of the largest error over ``shift + |truth|``, at most the digits of a double."""
    truths = [(answer, mpmath.mpf(truth.value)) for answer, truth, _ in pairs]
    shares = [float(abs(answer - truth) / (shift + abs(truth))) for answer, truth in truths if shift or truth]
    if not shares:
        return None
    return DOUBLE_DIGITS if max(shares) == 0 else min(DOUBLE_DIGITS, -math.log10(max(shares)))
