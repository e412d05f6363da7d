"""Answers over refinement levels, and the two layers that read them: convergence to the truth, observed order."""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.results import LevelRow
from veridyn.solver.contract.errors import CapabilityError, SettingsError, SolverFailure
from veridyn.solver.contract.statements import FEWEST_LEVELS, Claims
from veridyn.validation_cases.judgement.case import Number, Quantity
from veridyn.validation_cases.judgement.judge import Finding, measured_error
from veridyn.validation_cases.judgement.runner import NotJudged, Run, Runner, Statement, finer_settings
from veridyn.validation_cases.judgement.tolerances import Tolerance, exactly
from veridyn.validation_cases.judgement.uncertainty import (
    ORDER_LOST,
    ROUNDING,
    SAFETY,
    SLOPE_LOST,
    Level,
    differences,
    fitted_order,
    numerical_uncertainty,
    observed_order,
    slope,
    standard_error,
)


@dataclass(frozen=True)
class Answers:
    """What a quantity was on the refinement levels that could be measured, without a gap up to the finest."""

    quantity: Quantity
    key: str
    sizes: tuple[float, ...]
    runs: tuple[Run, ...]
    values: tuple[Number, ...]

    @property
    def uncertainty(self) -> float:
        """Numerical uncertainty of the finest answer; raises `NotJudged` where answers are no numbers."""
        numbers = zip(self.sizes, self.numbers, strict=True)
        return numerical_uncertainty([Level(size, value, 0.0) for size, value in numbers])

    @property
    def finest(self) -> Number:
        """Answer at the finest level."""
        return self.values[-1]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The answers, all of them numbers.

        Raises
        ------
        NotJudged
            If one is a word, or nothing.
        """
        if not all(isinstance(value, int | float) for value in self.values):
            raise NotJudged(f"{self.quantity.name} is no number on every level")
        return tuple(float(value) for value in self.values)  # type: ignore[arg-type]


LevelRuns = tuple[str, tuple[float, ...], tuple[Run, ...]]


def level_runs(runner: Runner, statement: Statement, scheme: str) -> LevelRuns:
    """Return the refined setting, its values, and the runs from coarse to fine.

    Raises
    ------
    SolverFailure
        If the solver states levels that cannot be used.
    """
    found: LevelRuns = runner.once("levels", statement, scheme, lambda: _level_runs(runner, statement, scheme))
    return found


def _level_runs(runner: Runner, statement: Statement, scheme: str) -> LevelRuns:
    try:
        refinement = runner.refinement(statement, scheme)
    except SettingsError as wrong:
        raise SolverFailure(f"refinement cannot be used: {wrong}") from None
    default = runner.default_run(statement, scheme)
    # a level with the default settings is the default run
    runs = (Run(statement, level, scheme, number) for number, level in enumerate(refinement.levels))
    return refinement.key, refinement.sizes, tuple(default if run.settings == default.settings else run for run in runs)


def confirming_runs(runner: Runner, statement: Statement, scheme: str, more: int) -> LevelRuns:
    """Return what `level_runs` does, with ``more`` finer levels."""
    key, sizes, runs = level_runs(runner, statement, scheme)
    for _ in range(more):
        runs = (*runs, _finer_run(runs))
        sizes = (*sizes, float(runs[-1].settings[key]))
    return key, sizes, runs


def _finer_run(runs: Sequence[Run]) -> Run:
    settings = finer_settings(runs[-2].settings, runs[-1].settings)
    return Run(runs[-1].statement, settings, runs[-1].scheme, len(runs))


def answers(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, more: int = 0) -> Answers:
    """Return the answers over the levels, and ``more`` finer ones; coarse levels that cannot be measured are left out.

    Raises
    ------
    SolverFailure, CapabilityError, HarnessError
        If the finest level is not solved or cannot be measured.
    NotJudged
        If fewer than three levels can be measured.
    """
    key, sizes, runs = confirming_runs(runner, statement, scheme, more)
    found: list[tuple[float, Run, Number]] = []
    why = ""
    for size, run in zip(sizes, runs, strict=True):
        answer = _answer(runner, run, quantity, f"{key}={size:g}")
        if isinstance(answer, Exception):
            if run is runs[-1] or isinstance(answer, CapabilityError):
                raise answer
            found, why = [], f"; at {key}={size:g}: {answer}"
        else:
            found.append((size, run, answer))
    if len(found) < FEWEST_LEVELS:
        raise NotJudged(f"{len(found)} of {len(runs)} levels could be measured, {FEWEST_LEVELS} are needed{why}")
    kept_sizes, kept_runs, values = zip(*found, strict=True)
    return Answers(quantity, key, kept_sizes, kept_runs, values)


def _answer(runner: Runner, run: Run, quantity: Quantity, level: str) -> Number | Exception:
    try:
        return runner.measured(run)[quantity.name]
    except CapabilityError as missing:
        return missing
    except SolverInputError as refused:
        return SolverFailure(f"the level {level} is refused: {refused}")
    except SolverFailure as failure:
        return failure


def convergence(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, claims: Claims) -> Finding:
    """Compare the finest answer with the truth: within numerical uncertainty, sampling and rounding.

    What fails is tried again on finer levels, where the step is refined: an answer that nears the truth by chance on
    some levels, as events fall in a step, looks more certain than it is.
    """
    return confirmed(
        lambda more: _convergence(runner, statement, scheme, quantity, more), CONFIRMING if claims.order else 0
    )


def confirmed(find: Callable[[int], Finding], most: int, *, last_decides: bool = False) -> Finding:
    """Return what is found with no finer level, or with up to ``most`` of them as long as it fails.

    Raises
    ------
    NotJudged
        If nothing can be judged without finer levels, or with all of them where those decide.
    """
    finding = find(0)
    for more in range(1, most + 1):
        if finding.passes:
            break
        try:
            finding = find(more)
        except (SolverFailure, CapabilityError):  # a finer level cannot be solved
            continue
        except NotJudged:
            if last_decides and more == most:
                raise
    return finding


def _convergence(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, more: int) -> Finding:
    found = answers(runner, statement, scheme, quantity, more)
    reference = statement.truth(quantity)
    truth: Any = reference.value
    if truth is None or isinstance(truth, str):
        same = exactly("the finest level must answer what is true")
        return Finding(found.runs[-1], found.finest, reference, measured_error(found.finest, truth, same), same)
    terms = _terms(runner, found, statement, confirming=more > 0)
    allowed = Tolerance(sum(terms.values()), "absolute", REASON)
    error = measured_error(found.numbers[-1], truth, allowed)
    same_everywhere = len(set(found.numbers)) == 1 and error is not None and error > allowed.value
    detail = f"all levels give the same answer: does the setting {found.key} act?" if same_everywhere else ""
    table = level_table(found, statement)
    return Finding(found.runs[-1], found.finest, reference, error, allowed, detail, table, terms, counts_digits=True)


FEWEST_POOLED = 3  # quantities; the errors of fewer scatter too much together
CONFIRMING = 2  # finer levels that confirm a failure
REASON = (
    f"numerical uncertainty ({SAFETY:g} times the largest of the last two differences of answers, or of earlier ones "
    f"by the ratio of sizes) + sampling (change where only every second sample is read) + rounding ({ROUNDING:g} of "
    "the scale)"
)


def _terms(runner: Runner, found: Answers, statement: Statement, *, confirming: bool) -> dict[str, float]:
    """Return the parts of the admissible difference from the truth, in the unit of the quantity."""
    return {
        "numerical uncertainty": found.uncertainty,
        "sampling": runner.sampling(found.runs[-1], found.quantity, found.numbers[-1], confirming=confirming),
        "rounding": ROUNDING * statement.size(found.quantity),
        **of_reference(statement, found.quantity),
    }


def of_reference(statement: Statement, quantity: Quantity) -> dict[str, float]:
    """Return what a reference that is not proved adds to what is admissible; nothing where it is proved."""
    doubt = statement.doubt(quantity)
    return {"uncertainty of the reference": doubt} if doubt else {}


def level_table(found: Answers, statement: Statement) -> tuple[LevelRow, ...]:
    """Return the level table, from coarse to fine."""
    truth: Any = statement.truth(found.quantity).value
    numbers = found.numbers
    steps: Sequence[float | None] = (None, *differences(numbers))
    return tuple(
        LevelRow(setting=found.key, size=size, value=value, difference=step, error=abs(float(value - truth)))
        for size, value, step in zip(found.sizes, numbers, steps, strict=True)
    )


def error_levels(found: Answers, statement: Statement) -> list[Level]:
    """Return the errors over the levels.

    Raises
    ------
    NotJudged
        If there is no true number.
    """
    truth: Any = statement.truth(found.quantity).value
    if truth is None or isinstance(truth, str):
        raise NotJudged("there is no true number")
    return [Level(size, v, abs(float(v - truth))) for size, v in zip(found.sizes, found.numbers, strict=True)]


def order(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, claims: Claims) -> Finding:
    """Compare the observed order with the smaller of claimed order and regularity.

    What fails is tried again with finer levels: local orders may agree by chance before the asymptotic range.

    Raises
    ------
    NotJudged
        If the levels, or those that should confirm a failure, are not in the asymptotic range, or errors are rounding.
    """
    return confirmed(
        lambda more: _order(runner, statement, scheme, quantity, claims, more), CONFIRMING, last_decides=True
    )


def _order(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, claims: Claims, more: int) -> Finding:
    expected = min(claimed_order(claims, statement.problem, quantity), quantity.smooth_to(statement.values))
    found = answers(runner, statement, scheme, quantity, more)
    levels = error_levels(found, statement)
    observed = observed_order(levels, _resolved(runner, found, statement))
    if observed.order is None:
        raise NotJudged(observed.reason)
    allowed = Tolerance(ORDER_LOST, "absolute", "largest loss of the observed order in the asymptotic range")
    lost = max(0.0, expected - observed.order)
    return Finding(found.runs[-1], observed.order, expected, lost, allowed, "", level_table(found, statement))


def _resolved(runner: Runner, found: Answers, statement: Statement) -> float:
    """Return the largest error that may be rounding, sampling or a doubtful reference instead of the method."""
    read = statement.doubt(found.quantity) + runner.sampling(found.runs[-1], found.quantity, found.numbers[-1])
    return ROUNDING * statement.size(found.quantity) + read


# what takes its force from the velocity that contacts see
SEEN_LATE = frozenset({
    "damping:coupled", "damping:gyroscopic", "damping:time-varying", "contact:damped", "device:nonlinear-damper",
    "device:piecewise-linear-damper",
})  # fmt: skip


def claimed_order(claims: Claims, problem: Problem, quantity: Quantity) -> float:
    """Return the order that the claims promise for a quantity of a problem.

    A velocity that lies behind by a share of the step is of order 1, and so are a start that takes the initial velocity
    for such a one while something accelerates the structure, and dampers that see it.
    """
    assert claims.order is not None
    damped = bool({"damping", "contact:damped"} & problem.needs)
    first = (
        (claims.lag and quantity.unit == "m/s")
        or (claims.lag and accelerated_at_start(problem))
        or (claims.force_lag and bool(SEEN_LATE & problem.needs))
        or (claims.force_lag and damped and claims.damped_order is None)
    )
    if first:
        return 1.0
    return claims.damped_order if damped and claims.damped_order is not None else claims.order


def accelerated_at_start(problem: Problem) -> bool:
    """Tell whether anything may accelerate the structure at the start."""
    if not isinstance(problem, MechanicalProblem):
        return True
    if problem.initial_displacement.any() or (
        problem.initial_velocity.any() and problem.damping is not None and abs(problem.damping).max() > 0
    ):
        return True
    return bool(problem.frictions or problem.devices) or any(
        float(drive(problem.start)) != 0 for drive in problem.drives
    )


def pooled_order(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], claims: Claims
) -> Finding:
    """Compare the observed order of all quantities together with what kinks in the forces leave of the claimed one.

    Where in a step a kink falls is chance, so that the error of a single quantity scatters from level to level about
    its order; the geometric mean over all of them scatters less. What fails is tried again with finer levels.
    """
    return confirmed(lambda more: _pooled_order(runner, statement, scheme, quantities, claims, more), CONFIRMING)


def _pooled_order(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], claims: Claims, more: int
) -> Finding:
    found = [
        answer
        for answer in _comparable(runner, statement, scheme, quantities, more)
        if claimed_order(claims, statement.problem, answer.quantity) >= _regularity(answer, statement) > 0
        and _has_range(runner, answer, statement)
    ]
    if len(found) < FEWEST_POOLED:
        raise NotJudged(f"{len(found)} quantities have errors above rounding on all levels; {FEWEST_POOLED} are needed")
    count = min(len(answer.sizes) for answer in found)
    shares = [_logarithms(runner, answer, statement, count) for answer in found]
    sizes = found[0].sizes[-count:]
    means = [math.exp(statistics.fmean(row)) for row in zip(*shares, strict=True)]
    levels = [Level(size, mean, mean) for size, mean in zip(sizes, means, strict=True)]
    observed, expected = fitted_order(levels), min(_regularity(answer, statement) for answer in found)
    allowed = Tolerance(ORDER_LOST, "absolute", "largest loss of the observed order of all quantities together")
    lost, scatter = max(0.0, expected - observed), 2 * standard_error(levels)
    if lost > ORDER_LOST >= lost - scatter:
        raise NotJudged(f"errors scatter: observed order {observed:.2g} ± {scatter:.2g}, claimed {expected:g}")
    detail = f"geometric mean of {len(found)} errors over their scales"
    return Finding(found[0].runs[-1], observed, expected, lost, allowed, detail, _pooled_table(found[0].key, levels))


def _regularity(answer: Answers, statement: Statement) -> float:
    return answer.quantity.smooth_to(statement.values)


def _has_range(runner: Runner, answer: Answers, statement: Statement) -> bool:
    """Tell whether the error of the coarsest level, falling as it should, stays above rounding and sampling."""
    coarsest, finest = error_levels(answer, statement)[0], answer.sizes[-1]
    falls = math.pow(finest / coarsest.size, _regularity(answer, statement))
    return coarsest.error * falls > _resolved(runner, answer, statement)


def _logarithms(runner: Runner, answer: Answers, statement: Statement, count: int) -> list[float]:
    """Return the logarithms of the errors over their scale on the finest levels, rounding and sampling at least."""
    least = _resolved(runner, answer, statement)
    size = statement.size(answer.quantity)
    return [math.log(max(level.error, least) / size) for level in error_levels(answer, statement)[-count:]]


def tolerance_slope(runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity]) -> Finding:
    """Compare the slope of the largest error over the tolerance with 1; errors of all quantities, over their scales.

    Errors within the tolerance on every level lose nothing, whatever their slope: where events or outputs cut the steps
    at coarse tolerances, a solver is better there than it was asked to be. What fails is tried again with finer levels:
    coarse ones that overlook an event belong to another motion.

    Raises
    ------
    NotJudged
        If errors are rounding at all tolerances but two.
    """
    return confirmed(lambda more: _tolerance_slope(runner, statement, scheme, quantities, more), CONFIRMING)


def _tolerance_slope(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], more: int
) -> Finding:
    levels, found = pooled(runner, statement, scheme, quantities, more)
    small = ROUNDING + _sampling_share(runner, found, statement)
    observed = slope(levels, small)
    if observed.order is None:
        raise NotJudged(observed.reason)
    allowed = Tolerance(SLOPE_LOST, "absolute", "errors are claimed to be proportional to the tolerance: slope 1")
    kept = all(level.error <= max(level.size, small) for level in levels)
    lost = 0.0 if kept else max(0.0, 1.0 - observed.order)
    return Finding(found[0].runs[-1], observed.order, 1.0, lost, allowed, "", _pooled_table(found[0].key, levels))


def tolerance_factor(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], claims: Claims
) -> Finding:
    """Compare the largest error over the tolerance with the claimed factor (Enright and Pryce, ACM TOMS 13, 1987)."""
    levels, found = pooled(runner, statement, scheme, quantities)
    small = ROUNDING + _sampling_share(runner, found, statement)
    ratio = max((level.error / level.size for level in levels if level.error > small), default=0.0)
    assert claims.factor is not None
    allowed = Tolerance(claims.factor, "absolute", f"claimed: error at most {claims.factor:g} times the tolerance")
    return Finding(found[0].runs[-1], ratio, 0.0, ratio, allowed, "", _pooled_table(found[0].key, levels))


def pooled(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], more: int = 0
) -> tuple[list[Level], list[Answers]]:
    """Return the largest error of all quantities on each level, each over its scale.

    Raises
    ------
    NotJudged
        If no quantity has a true number with a scale on three levels.
    """
    found = list(_comparable(runner, statement, scheme, quantities, more))
    if not found:
        raise NotJudged("no quantity has a true number on three levels")
    count = min(len(answer.sizes) for answer in found)
    shares = [
        [level.error / statement.size(answer.quantity) for level in error_levels(answer, statement)[-count:]]
        for answer in found
    ]
    sizes = found[0].sizes[-count:]
    return [Level(size, max(row), max(row)) for size, row in zip(sizes, zip(*shares, strict=True), strict=True)], found


def _comparable(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], more: int = 0
) -> Iterator[Answers]:
    for quantity in quantities:
        try:
            found = answers(runner, statement, scheme, quantity, more)
            error_levels(found, statement)
        except (NotJudged, CapabilityError):
            continue
        if statement.size(quantity) > 0:
            yield found


def _sampling_share(runner: Runner, found: Sequence[Answers], statement: Statement) -> float:
    """Return the largest share that sampling, or a doubtful reference, has of the scale of a quantity."""
    return max(
        (runner.sampling(answer.runs[-1], answer.quantity, answer.numbers[-1]) + statement.doubt(answer.quantity))
        / statement.size(answer.quantity)
        for answer in found
    )


def _pooled_table(key: str, levels: Sequence[Level]) -> tuple[LevelRow, ...]:
    return tuple(LevelRow(setting=key, size=level.size, error=level.error) for level in levels)
