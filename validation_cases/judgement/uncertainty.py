"""Refinement levels as numbers: numerical uncertainty, observed order, slope over the tolerance."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SAFETY = 3.0  # of differences of successive answers; 1.25 (Roache) is too little where events fall anywhere in a step
ROUNDING = 1e-9  # of the scale of a quantity: what is left to rounding
LAST_BITS = 4  # roundings of an answer and of the truth, which may give an error either sign
AGREEMENT = 0.5  # of successive observed orders in the asymptotic range
DECIDING = 3  # local orders that agree: two may do so by chance, where outputs lie between steps
ORDER_LOST = 0.6  # largest admissible loss of an observed order
SLOPE_LOST = 0.5  # largest admissible loss of the slope of error over tolerance, 1 if they are proportional


@dataclass(frozen=True)
class Level:
    """One refinement level of a quantity: value of the refined setting, answer, error against the truth."""

    size: float
    value: float
    error: float


def differences(values: Sequence[float]) -> list[float]:
    """Return how far each answer is from the one before, from coarse to fine."""
    return [abs(fine - coarse) for coarse, fine in pairwise(values)]


def numerical_uncertainty(levels: Sequence[Level]) -> float:
    """Return `SAFETY` times the largest difference of successive answers, from coarse to fine.

    ASME V&V 20-2009, section 2, takes the last difference over (ratio^order - 1); the order is not trusted here, and
    three times the larger of the last two differences is more wherever the order is 0.4 or higher. Earlier differences
    count by the ratio of sizes since, as those of order 1 do: where an event falls in a step is chance on every level.

    Raises
    ------
    ValueError
        If there are fewer than two answers.
    """
    if len(levels) < 2:
        raise ValueError("an uncertainty needs two answers")
    # Richardson: if the error is a h^p and h is halved, the last difference is (2^p - 1) times the error that is left.
    # So the error is at most three times it for p >= 0.42, and p need not be observed: where events fall in steps an
    # observed p is noise. The larger of two differences guards against one that vanishes by chance.
    changes = differences([level.value for level in levels])
    earlier = (change * levels[-1].size / level.size for change, level in zip(changes[:-2], levels[1:-2], strict=False))
    return SAFETY * max([*changes[-2:], *earlier])


def local_orders(levels: Sequence[Level]) -> list[float]:
    """Return the observed order between each level and the next; errors of zero count as order infinite."""
    return [_order(coarse, fine) for coarse, fine in pairwise(levels)]


def _order(coarse: Level, fine: Level) -> float:
    if fine.error == 0:
        return math.inf
    if coarse.error == 0:
        return -math.inf
    return math.log(coarse.error / fine.error) / math.log(coarse.size / fine.size)


@dataclass(frozen=True)
class Observed:
    """An observed order, over the levels from ``first`` on; or the reason why there is none.

    ``count``: how many local orders agree.
    """

    order: float | None
    first: int = 0
    reason: str = ""
    count: int = 0


def _passes_zero(coarse: Level, fine: Level) -> bool:
    """Tell whether two errors have opposite signs: then the answers differ by their sum, else by their difference."""
    # Errors here are sizes. With equal signs answers differ by larger - smaller, with opposite ones by larger +
    # smaller; in between, at larger + smaller/2, rounding of the answers cannot turn one into the other.
    larger, smaller = max(coarse.error, fine.error), min(coarse.error, fine.error)
    rounding = LAST_BITS * math.ulp(max(abs(coarse.value), abs(fine.value)))
    return abs(fine.value - coarse.value) > larger + smaller / 2 + rounding


def observed_order(levels: Sequence[Level], smallest: float) -> Observed:
    """Return the observed order in the asymptotic range: the levels at whose end local orders agree.

    Where an error changes its sign, two terms of its expansion are equal, and the range begins later. The first term
    may nearly vanish at the instant of a question, and the order is then small just below such a size: with two
    terms ``a h^p + b h^q``, ``q >= p + 1``, more than `ORDER_LOST` is lost at the last of halved sizes only where the
    sign changes at one of the three last levels.

    Parameters
    ----------
    levels
        From coarse to fine.
    smallest
        Smaller errors are rounding; such levels are left out.
    """
    resolved = [level for level in levels if level.error > smallest]
    cut = next((i for i, level in enumerate(levels) if level.error <= smallest), len(levels))
    # A level below rounding ends the list, even if a finer one is above it again. An error that is small there by
    # chance, on its way through zero, would make the order before it large and that behind it small.
    if len(resolved) != cut:  # an error that passes zero on the way down has no order
        resolved = list(levels[:cut])
    if len(resolved) < 3:
        return Observed(None, reason="errors are within rounding on all but two levels" if cut < len(levels) else FEW)
    orders = local_orders(resolved)
    first = len(orders) - 1
    begins = max((i for i, pair in enumerate(pairwise(resolved), 1) if _passes_zero(*pair)), default=0)
    # The asymptotic range is read from its fine end: levels count as long as their local order agrees with the last
    # one. One order alone agrees with itself, so that two at least are wanted: three levels.
    while first > begins and abs(orders[first - 1] - orders[-1]) <= AGREEMENT:
        first -= 1
    if first == len(orders) - 1:
        listed = ", ".join(f"{order:.2g}" for order in orders)
        return Observed(None, reason=f"not in the asymptotic range: orders {listed} from level to level; refine more")
    # The larger of both: a fit over levels at the rim of the range may be low because of the next term, the last order
    # because of the first rounding. Either would be no fault of the method, and the claim is a lower bound.
    return Observed(max(orders[-1], fitted_order(resolved[first:])), first, count=len(orders) - first)


FEW = "fewer than three levels could be measured"


def fitted_order(levels: Sequence[Level]) -> float:
    """Return the slope of log(error) over log(size), least squares."""
    xs = [math.log(level.size) for level in levels]
    ys = [math.log(level.error) for level in levels]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((a - x) ** 2 for a in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / spread


def slope(levels: Sequence[Level], smallest: float) -> Observed:
    """Return the slope of log(error) over log(tolerance) from the coarsest level to the last above rounding."""
    cut = next((i for i, level in enumerate(levels) if level.error <= smallest), len(levels))
    resolved = levels[:cut]
    if len(resolved) < 3:
        return Observed(None, reason="errors are within rounding at all tolerances but the two coarsest")
    return Observed(_order(resolved[0], resolved[-1]))


def standard_error(levels: Sequence[Level]) -> float:
    """Return the standard error of a fitted order: how far scatter of the errors about the fit may have moved it."""
    order = fitted_order(levels)
    xs = [math.log(level.size) for level in levels]
    ys = [math.log(level.error) for level in levels]
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    # Least squares: variance of a slope = residual variance/Σ (x - mean)², with n - 2 degrees of freedom, as
    # slope and mean were fitted.
    left = sum((b - y - order * (a - x)) ** 2 for a, b in zip(xs, ys, strict=True))
    return math.sqrt(left / (len(levels) - 2) / sum((a - x) ** 2 for a in xs))
