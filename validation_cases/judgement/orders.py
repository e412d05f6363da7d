"""What is claimed of errors over refinement levels: an order in the step, or proportion to a tolerance."""

import math
import statistics
from collections.abc import Iterator, Sequence
from functools import singledispatch
from itertools import pairwise

from msgspec import structs

from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.results import LevelRow
from veridyn.solver.contract.errors import CapabilityError
from veridyn.solver.contract.statements import FEWEST_LEVELS, Claims
from veridyn.validation_cases.judgement.case import Quantity
from veridyn.validation_cases.judgement.judge import Finding
from veridyn.validation_cases.judgement.levels import (
    CONFIRMING,
    FEWEST_POOLED,
    Answers,
    answers,
    confirmed,
    error_levels,
    level_table,
)
from veridyn.validation_cases.judgement.runner import NotJudged, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.judgement.uncertainty import (
    DECIDING,
    ORDER_LOST,
    ROUNDING,
    SLOPE_LOST,
    Level,
    fitted_order,
    observed_order,
    slope,
    standard_error,
)


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
    # A method of order p needs p derivatives or more of what it integrates. If the motion has fewer, its own order is
    # observed, and no more can be claimed of any method.
    expected = min(claimed_order(claims, statement.problem, quantity), quantity.smooth_to(statement.values))
    result = answers(runner, statement, scheme, quantity, more)
    levels = leave_out_cut(error_levels(result, statement))
    observed = observed_order(levels, _resolved(runner, result, statement))
    if observed.order is None:
        raise NotJudged(observed.reason)
    allowed = Tolerance(ORDER_LOST, "absolute", "largest loss of the observed order in the asymptotic range")
    lost = max(0.0, expected - observed.order)
    if lost > ORDER_LOST and observed.count < DECIDING and more == CONFIRMING:
        raise NotJudged(f"order {observed.order:.2g} is seen on three levels alone, the finer ones are rounding")
    return Finding(result.runs[-1], observed.order, expected, lost, allowed, "", level_table(result, statement))


def leave_out_cut(levels: Sequence[Level]) -> Sequence[Level]:
    """Return the levels without coarse ones whose answer is that of the next, to the last digit.

    Where a solver ends a step at each output, steps longer than that are no steps that it takes. If all answers are the
    same the setting does nothing, and all levels stay.
    """
    cut = next((i for i, (coarse, fine) in enumerate(pairwise(levels)) if coarse.value != fine.value), 0)
    return levels[cut:]


def _resolved(runner: Runner, found: Answers, statement: Statement) -> float:
    """Return the largest error that may be rounding, sampling or a doubtful reference instead of the method."""
    read = statement.doubt(found.quantity) + runner.sampling(found.runs[-1], found.quantity, found.numbers[-1])
    return runner.rounding(found.runs[-1]) * statement.size(found.quantity) + read


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
    # Claims are those of smooth problems with the state at one instant. What a scheme reads a share of a step late is
    # off by that share times a rate, whatever the order of the rest: one such term brings the whole to order 1.
    first = (
        (claims.lag and quantity.unit == "m/s")
        or (claims.lag and accelerated_at_start(problem))
        or (claims.force_lag and bool(SEEN_LATE & problem.needs))
        or (claims.force_lag and damped and claims.damped_order is None)
    )
    if first:
        return 1.0
    return claims.damped_order if damped and claims.damped_order is not None else claims.order


@singledispatch
def accelerated_at_start(problem: Problem) -> bool:  # noqa: ARG001 - of any kind
    """Tell whether anything may accelerate the structure at the start."""
    return True


@accelerated_at_start.register
def _(problem: MechanicalProblem) -> bool:
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
    result = [
        answer
        for answer in _comparable(runner, statement, scheme, quantities, more)
        if claimed_order(claims, statement.problem, answer.quantity) >= _regularity(answer, statement) > 0
        and _has_range(runner, answer, statement)
    ]
    if len(result) < FEWEST_POOLED:
        raise NotJudged(
            f"{len(result)} quantities have errors above rounding on all levels; {FEWEST_POOLED} are needed"
        )
    count = min(len(answer.sizes) for answer in result)
    shares = [_logarithms(runner, answer, statement, count) for answer in result]
    sizes = result[0].sizes[-count:]
    # log(error) = log(C) + p log(h) + scatter. The place of a kink within a step makes the scatter, of about the same
    # size on every level. The mean of m logarithms scatters by 1/√m of it if quantities scatter independently; p stays.
    means = [math.exp(statistics.fmean(row)) for row in zip(*shares, strict=True)]
    levels = leave_out_cut([Level(size, mean, mean) for size, mean in zip(sizes, means, strict=True)])
    if len(levels) < FEWEST_LEVELS:
        raise NotJudged("the outputs cut the steps of all but two levels to the same length")
    observed, expected = fitted_order(levels), min(_regularity(answer, statement) for answer in result)
    allowed = Tolerance(ORDER_LOST, "absolute", "largest loss of the observed order of all quantities together")
    lost, scatter = max(0.0, expected - observed), 2 * standard_error(levels)
    # Two standard errors decide between "lost" and "cannot be said". A loss that scatter alone
    # may have made is no verdict.
    if lost > ORDER_LOST >= lost - scatter:
        raise NotJudged(f"errors scatter: observed order {observed:.2g} ± {scatter:.2g}, claimed {expected:g}")
    detail = f"geometric mean of {len(result)} errors over their scales"
    return Finding(result[0].runs[-1], observed, expected, lost, allowed, detail, _pooled_table(result[0].key, levels))


def _regularity(answer: Answers, statement: Statement) -> float:
    return answer.quantity.smooth_to(statement.values)


def _has_range(runner: Runner, answer: Answers, statement: Statement) -> bool:
    """Tell whether the error of the coarsest level, falling as it should, stays above rounding and sampling."""
    coarsest, finest = error_levels(answer, statement)[0], answer.sizes[-1]
    # The choice looks at the coarsest error alone and at what a right method would make of it. To choose by the errors
    # on fine levels would leave out just those quantities whose errors fall, or do not fall, by chance.
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
    levels, result = pooled(runner, statement, scheme, quantities, more)
    small = ROUNDING + _sampling_share(runner, result, statement)
    observed = slope(levels, small)
    if observed.order is None:
        raise NotJudged(observed.reason)
    allowed = Tolerance(SLOPE_LOST, "absolute", "errors are claimed to be proportional to the tolerance: slope 1")
    # Where errors are below the tolerance on every level the tolerance is kept, which is what it promises. A slope
    # below 1 then comes from coarse levels that are better than promised.
    table = tuple(
        structs.replace(row, admissible=max(level.size, small))
        for row, level in zip(_pooled_table(result[0].key, levels), levels, strict=True)
    )
    is_kept = all(level.error <= max(level.size, small) for level in levels)
    lost = 0.0 if is_kept else max(0.0, 1.0 - observed.order)
    return Finding(result[0].runs[-1], observed.order, 1.0, lost, allowed, "", table)


def tolerance_factor(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], claims: Claims
) -> Finding:
    """Compare the largest error over the tolerance with the claimed factor (Enright and Pryce, ACM TOMS 13, 1987)."""
    levels, result = pooled(runner, statement, scheme, quantities)
    small = ROUNDING + _sampling_share(runner, result, statement)
    ratio = max((level.error / level.size for level in levels if level.error > small), default=0.0)
    assert claims.factor is not None
    allowed = Tolerance(claims.factor, "absolute", f"claimed: error at most {claims.factor:g} times the tolerance")
    return Finding(result[0].runs[-1], ratio, 0.0, ratio, allowed, "", _pooled_table(result[0].key, levels))


def pooled(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], more: int = 0
) -> tuple[list[Level], list[Answers]]:
    """Return the largest error of all quantities on each level, each over its scale.

    Raises
    ------
    NotJudged
        If no quantity has a true number with a scale on three levels.
    """
    result = list(_comparable(runner, statement, scheme, quantities, more))
    if not result:
        raise NotJudged("no quantity has a true number on three levels")
    count = min(len(answer.sizes) for answer in result)
    shares = [
        [level.error / statement.size(answer.quantity) for level in error_levels(answer, statement)[-count:]]
        for answer in result
    ]
    sizes = result[0].sizes[-count:]
    return [Level(size, max(row), max(row)) for size, row in zip(sizes, zip(*shares, strict=True), strict=True)], result


def _comparable(
    runner: Runner, statement: Statement, scheme: str, quantities: Sequence[Quantity], more: int = 0
) -> Iterator[Answers]:
    for quantity in quantities:
        try:
            result = answers(runner, statement, scheme, quantity, more)
            error_levels(result, statement)
        except (NotJudged, CapabilityError):
            continue
        if statement.size(quantity) > 0:
            yield result


def _sampling_share(runner: Runner, found: Sequence[Answers], statement: Statement) -> float:
    """Return the largest share that sampling, or a doubtful reference, has of the scale of a quantity."""
    return max(
        (runner.sampling(answer.runs[-1], answer.quantity, answer.numbers[-1]) + statement.doubt(answer.quantity))
        / statement.size(answer.quantity)
        for answer in found
    )


def _pooled_table(key: str, levels: Sequence[Level]) -> tuple[LevelRow, ...]:
    return tuple(LevelRow(setting=key, size=level.size, error=level.error) for level in levels)
