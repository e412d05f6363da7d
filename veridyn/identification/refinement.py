"""How errors on smooth problems fall with the step, or with the tolerance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from veridyn.identification.claimed import (
    STILL,
    Followed,
    contradict_digits,
    contradict_factor,
    contradict_order,
    contradict_slope,
)
from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.identification.floors import show_floor
from veridyn.identification.reading import CardFigure, Contradiction, Gap, Reading, join
from veridyn.identification.smooth import SMOOTH, SmoothProblem
from veridyn.identification.stepping import StepControl
from veridyn.solver.contract.gate import read_levels
from veridyn.solver.contract.statements import Settings, as_float
from veridyn.validation_cases.judgement.precision import Precision

COUNTS = (8, 16, 32, 64, 128, 256)  # steps over the span
LEVELS = (1e-4, 1e-6, 1e-8, 1e-10)
FLOOR = 1e-13  # of states of order 1: an error as small is rounding of many steps
ABOVE = 30.0  # times what is rounding: errors that tell an order
AGREE = 0.15  # differences of successive orders: larger ones say that the errors do not follow a power yet
STOPPED = 0.5  # a power so small is no order: errors stay where they are
GROSS = 1e-2  # of states of order 1: after the finest steps no rounding, tolerance or low order leaves as much
SHORT = 0.5  # an order this much below the expected one is another one


@dataclass(frozen=True, kw_only=True)
class Power:
    """Exponent with which errors fall, by how much successive exponents differ, and whether one before agrees too."""

    value: float
    uncertainty: float
    is_steady: bool = False


def measure_errors(
    examinee: Examinee, problem: SmoothProblem, settings: Sequence[Settings], counts: Sequence[int]
) -> list[float]:
    """Return the largest error at the end, at each level; raises what `Examinee.solve` raises."""
    truth = problem.truth(np.array([problem.end]))[0]
    return [
        float(
            np.max(np.abs(examinee.end_state(problem.build(np.linspace(0.0, problem.end, count + 1)), level) - truth))
        )
        for level, count in zip(settings, counts, strict=True)
    ]


def find_power(sizes: Sequence[float], errors: Sequence[float], *, floor: float) -> Power | None:
    """Return the power with which errors fall with step sizes, from the three finest levels above rounding.

    None if fewer are above ``floor``, if they follow no power yet, or if they have stopped falling: an implicit method
    solves its equations to a tolerance, and then that is what is left.
    """
    usable = [(h, e) for h, e in zip(sizes, errors, strict=True) if floor < e < math.inf]
    slopes = [math.log(e1 / e2) / math.log(h1 / h2) for (h1, e1), (h2, e2) in pairwise(usable)]
    if len(slopes) < 2 or abs(slopes[-1] - slopes[-2]) > AGREE or slopes[-1] < STOPPED:
        return None
    is_steady = len(slopes) > 2 and abs(slopes[-1] - slopes[-3]) <= AGREE
    return Power(value=slopes[-1], uncertainty=abs(slopes[-1] - slopes[-2]), is_steady=is_steady)


def read_step_refinement(
    examinee: Examinee, control: StepControl, *, scatter: float, expected: float | None, why_lost: str = ""
) -> Reading:
    """Return the orders that errors show as the step is refined.

    ``scatter`` is what one step leaves of rounding; ``expected`` is the order by the weights of single steps; None if
    there are none: then the claimed one should be seen; ``why_lost`` says why it may not be.
    """
    figures, deviations, gaps, contradictions = [], [], [], list[Contradiction]()
    for problem in SMOOTH:
        sizes = [problem.end / count for count in COUNTS]
        try:
            errors = measure_errors(examinee, problem, [control.make_settings(h) for h in sizes], COUNTS)
        except REFUSED as error:
            gaps.append(Gap(name=f"order seen, {problem.name}", reason=str(error)))
            continue
        power = find_power(sizes, errors, floor=max(FLOOR, ABOVE * scatter))
        name = f"order seen, {problem.name}"
        if _is_stuck(errors):
            line = f"errors do not fall with the step: {errors[-1]:.2g} remains ({problem.name} problem)"
            deviations.append(line)
            contradictions += contradict_order(examinee.claims, 0.0, line)
            continue
        if power is None:
            gaps.append(Gap(name=name, reason="errors follow no power of the step above rounding"))
            continue
        meaning = f"power of the step with which the error at the end of {problem.end:g} s falls"
        figures.append(CardFigure(name=name, value=power.value, meaning=meaning, uncertainty=power.uncertainty))
        seen = f"{power.value:.2f} is seen ({problem.name} problem)"
        if expected is None and power.is_steady:
            line = f"order {examinee.claims.order or 0:g} is claimed; {seen}{why_lost}"
            contradictions += contradict_order(examinee.claims, power.value, line)
        elif expected is not None and power.is_steady and power.value + SHORT < expected:
            deviations.append(f"order {expected:g} follows from the weights; {seen}")
    reading = Reading(figures=tuple(figures), deviations=tuple(deviations), gaps=tuple(gaps))
    return reading.with_contradictions(contradictions)


def _is_stuck(errors: Sequence[float]) -> bool:
    """Tell whether answers are grossly wrong whatever the step: rates are evaluated wrongly, say."""
    return errors[-1] > GROSS and errors[0] < STILL * errors[-1]


def list_tolerance_levels(examinee: Examinee) -> tuple[str, tuple[Settings, ...]]:
    """Return the tolerance of a solver and settings from coarse to fine; no name and no settings if it has none."""
    try:
        refinement = read_levels(examinee.gate, SMOOTH[0].build(np.array([0.0, SMOOTH[0].end])), examinee.scheme)
    except REFUSED:
        key = examinee.find_tolerance()
        both = examinee.find_tolerances()
        return key, tuple(dict.fromkeys(both, level) for level in LEVELS) if key else ()
    return refinement.key, refinement.levels


def read_tolerance_refinement(examinee: Examinee, precision: Precision) -> Reading:
    """Return how errors follow the tolerance, and digits at default settings; raises what `Examinee.solve` raises.

    Errors near to the rounding of the numbers in answers tell nothing.
    """
    default = max(measure_errors(examinee, p, [{}], [1])[0] for p in SMOOTH)
    digits = -math.log10(max(default, 2.0**-53))
    figure = CardFigure(name="digits at defaults", value=digits, meaning="at the end, of states of order 1")
    held = contradict_digits(examinee.claims, precision, default)
    return join((Reading(figures=(figure,)).with_contradictions(held), _read_levels(examinee, precision)))


def _read_levels(examinee: Examinee, precision: Precision) -> Reading:
    """Return error over tolerance, and the power of the tolerance with which errors fall."""
    key, levels = list_tolerance_levels(examinee)
    if not levels:
        return Reading(gaps=(Gap("error over tolerance", "no step or tolerance is a setting with an effect"),))
    floor = max(FLOOR, ABOVE * precision.rounding)
    tolerances = tuple(as_float(level[key]) for level in levels)
    table = {f"{p.name} problem": measure_errors(examinee, p, levels, [1] * len(levels)) for p in SMOOTH}
    powers = {name: power for name, errors in table.items() if (power := fit_power(tolerances, errors, floor))}
    followed = Followed(key, tolerances, {name: table[name] for name in powers}, floor)
    ratios = [e / tol for errors in table.values() for e, tol in zip(errors, tolerances, strict=True) if e > floor]
    largest = [max(errors) for errors in zip(*table.values(), strict=True)]
    still = show_floor(key, tolerances, largest, rounding=floor, where="the largest of smooth problems")
    reading = Reading(
        figures=(*_show_ratio(key, ratios), *_show_powers(key, powers), *still),
        deviations=tuple(line for _, line in followed.list_still()),
    )
    return reading.with_contradictions(
        (
            *contradict_slope(examinee.claims, followed, {name: power.value for name, power in powers.items()}),
            *contradict_factor(examinee.claims, key, max(ratios, default=0.0)),
        )
    )


def _show_ratio(key: str, ratios: Sequence[float]) -> tuple[CardFigure, ...]:
    meaning = f"largest error at the end over {key}, on {len(SMOOTH)} smooth problems"
    return (CardFigure(name=f"error over {key}", value=max(ratios), meaning=meaning),) if ratios else ()


def _show_powers(key: str, powers: Mapping[str, Power]) -> Iterator[CardFigure]:
    for name, power in powers.items():
        yield CardFigure(
            name=f"power of {key}, {name.removesuffix(' problem')}",
            value=power.value,
            meaning=f"power of {key} with which the error falls: 1 is proportional",
            uncertainty=power.uncertainty,
        )


def fit_power(tolerances: Sequence[float], errors: Sequence[float], floor: float) -> Power | None:
    """Return the power of a tolerance by least squares, with its standard error; None with fewer than three levels."""
    usable = [(math.log(tol), math.log(e)) for tol, e in zip(tolerances, errors, strict=True) if e > floor]
    if len(usable) < 3:
        return None
    x, y = np.array(usable).T
    slope, _ = np.polyfit(x, y, 1)
    rest = y - np.polyval(np.polyfit(x, y, 1), x)
    spread = math.sqrt(float(rest @ rest) / (x.size - 2) / float(np.sum((x - x.mean()) ** 2)))
    return Power(value=float(slope), uncertainty=spread)
