"""A mechanical solver that chooses its steps: error over tolerance, damping and period at its default settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from veridyn.identification.claimed import Followed, contradict_digits, contradict_factor, contradict_slope
from veridyn.identification.examinee import Examinee
from veridyn.identification.floors import show_floor
from veridyn.identification.forced import GYROSCOPIC, ONE_DAMPED, TWO_MASSES
from veridyn.identification.marching import make_exact, march_all
from veridyn.identification.reading import CardFigure, Gap, Reading, join
from veridyn.identification.starting import read_start
from veridyn.identification.trials import Bench, LinearTrial, ask, pose_oscillator
from veridyn.solver.contract.statements import Claims, Settings
from veridyn.validation_cases.judgement.precision import Precision, read_precision

TOLERANCES = (1e-4, 1e-6, 1e-8)
START = (0.6, 0.8)  # of the amplitude: what is wrong in either part shows, and neither is exact in few digits
ABOVE = 30.0  # times what rounds the numbers: errors that tell something
FINER = (1e-10, 1e-12)  # tolerances beside them, at which errors may stand still
PERIODS = 5.25  # of the long motion: its angle is a quarter turn beyond whole ones, where both parts show
SAMPLES = 25  # of a period
EXACT = 1e-12  # of the amplitude: an error that is rounding
WRONG = 1e-9  # of a state: more than rounding of coupled equations


def pose_long(start: tuple[float, float]) -> LinearTrial:
    """Return a free vibration of 1 rad/s over many periods."""
    count = math.ceil(PERIODS * SAMPLES)
    trial = pose_oscillator(1.0, *start, steps=count)
    return replace(trial, span=PERIODS * 2 * math.pi / count)


def read_adaptive(bench: Bench, reason: str) -> Reading:
    """Measure a solver whose step cannot be set; ``reason`` says why."""
    parts = (
        _read_default(bench),
        _read_tolerance(bench),
        read_start(bench),
        Reading(gaps=(Gap("map of a step", f"no step can be set: {reason}"),)),
    )
    errors = [figure.value for figure in parts[0].figures if figure.name == "error"]
    tight = any(not isinstance(error, str) and error <= EXACT for error in errors)
    is_exact = tight and not bench.examinee.find_tolerance()  # a tolerance may be tight, too
    others = (_read_exact(bench),) if is_exact else ()
    method = "exact on free vibrations, to rounding" if is_exact else ""
    return replace(join((*parts, *others)), method=method, solves=bench.examinee.solves)


OTHERS: Mapping[str, LinearTrial] = {
    "with a damper": pose_oscillator(0.8, 0.7, -0.5, damper=0.3),
    "with two masses": TWO_MASSES,
    "with one damped mode of two": ONE_DAMPED,
    "with gyroscopic forces": GYROSCOPIC,
}


def _read_exact(bench: Bench) -> Reading:
    """Compare other motions of a solver that is exact on free vibrations: those without loads have no other method."""
    figures, deviations = [], []
    for name, trial in OTHERS.items():
        answer = bench.answer(trial)
        if isinstance(answer, str):
            continue
        error = float(np.abs(answer - march_all(make_exact(1), [trial])[0]).max())
        figures.append(CardFigure(name=f"error {name}", value=error, meaning="of a state of size 1, over ten seconds"))
        if error > WRONG:
            deviations.append(f"exact on free vibrations, but {name} the state is {error:.1e} off")
    return Reading(figures=tuple(figures), deviations=tuple(deviations))


@dataclass(frozen=True)
class End:
    """The end of a long free vibration: damping ratio, period error and error over the amplitude.

    ``precision`` is that of all numbers that were answered.
    """

    damping: float
    late: float
    error: float
    precision: Precision


def _read_default(bench: Bench) -> Reading:
    """Read damping and period at default settings."""
    ends = [_read_end(bench, start) for start in ((1.0, 0.0), (0.0, 1.0))]
    refused = [end for end in ends if isinstance(end, str)]
    if refused:
        return Reading(gaps=(Gap("damping and period at default settings", refused[0]),))
    seen = [end for end in ends if not isinstance(end, str)]
    where = f"at default settings, over {PERIODS:g} periods"
    worst = max(seen, key=lambda end: end.error)
    reading = Reading(
        figures=(
            CardFigure(
                name="numerical damping",
                value=max((end.damping for end in seen), key=abs),
                meaning=f"ratio of critical damping {where}",
            ),
            CardFigure(
                name="period error", value=max((end.late for end in seen), key=abs), meaning=f"over the period, {where}"
            ),
            CardFigure(name="error", value=worst.error, meaning=f"over the amplitude, {where}"),
        ),
    )
    return reading.with_contradictions(contradict_digits(bench.examinee.claims, worst.precision, worst.error))


def _read_end(bench: Bench, start: tuple[float, float]) -> End | str:
    """Read the last state that a solver answers, at its own instant: nothing lies between samples."""
    response = ask(bench, pose_long(start))
    if isinstance(response, str):
        return response
    t = float(response.time[-1])
    # x - i v turns as exp(i t) with the frequency 1 rad/s
    turned = complex(response.displacement[-1, 0], -response.velocity[-1, 0])
    relative = turned / complex(start[0], -start[1]) * complex(math.cos(t), -math.sin(t))
    if relative == 0:
        return "the vibration has died away"
    ahead = math.atan2(relative.imag, relative.real) / t
    precision = read_precision([response.displacement, response.velocity])
    return End(-math.log(abs(relative)) / t, 1 / (1 + ahead) - 1, abs(relative - 1), precision)


def _read_tolerance(bench: Bench) -> Reading:
    """Read the slope and the size of the error over the tolerance."""
    name = bench.examinee.find_tolerance()
    if not name:
        return Reading(gaps=(Gap("error over tolerance", "no setting is a tolerance by its name or by a claim"),))
    both = bench.examinee.find_tolerances()
    ends = list_ends(bench.examinee, [dict.fromkeys(both, tolerance) for tolerance in TOLERANCES])
    if isinstance(ends, str):
        return Reading(gaps=(Gap("error over tolerance", ends),))
    finer = list_ends(bench.examinee, [dict.fromkeys(both, tolerance) for tolerance in FINER])
    tried = [*ends, *([] if isinstance(finer, str) else finer)]  # a solver may refuse what it cannot reach
    rounding = max(EXACT, ABOVE * max(end.precision.rounding for end in tried))
    tolerances, motion = (*TOLERANCES, *FINER)[: len(tried)], "free vibration"
    followed = Followed(name, tolerances, {motion: [end.error for end in tried]}, rounding)
    floor = show_floor(name, tolerances, followed.errors[motion], rounding=rounding, where=motion)
    still = tuple(line for _, line in followed.list_still())
    errors = _read_errors(bench.examinee.claims, followed, [end.error for end in ends])
    return join((errors, Reading(figures=floor, deviations=still)))


def list_errors(examinee: Examinee, levels: Sequence[Settings], amplitude: float = 1.0) -> list[float] | str:
    """Return the errors over the amplitude (m) of a long free vibration with some settings, or why one has none."""
    ends = list_ends(examinee, levels, amplitude)
    return ends if isinstance(ends, str) else [end.error for end in ends]


def list_ends(examinee: Examinee, levels: Sequence[Settings], amplitude: float = 1.0) -> list[End] | str:
    """Return the ends of a long free vibration of an amplitude (m) with some settings, or why one has none."""
    ends = []
    for level in levels:
        end = _read_end(Bench(examinee.with_settings(level)), (START[0] * amplitude, START[1] * amplitude))
        if isinstance(end, str):
            return end
        ends.append(end)
    return ends


def _read_errors(claims: Claims, followed: Followed, errors: Sequence[float]) -> Reading:
    """Read slope and size from the errors at the first tolerances of those that were followed."""
    name = followed.key
    listed = ", ".join(f"{error:.1e}" for error in errors)
    where = f"over {PERIODS:g} periods, {name} from {TOLERANCES[0]:g} to {TOLERANCES[-1]:g}"
    slope = float(np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0]) if min(errors) > 0 else 0.0
    ratio = max(error / tolerance for error, tolerance in zip(errors, TOLERANCES, strict=True))
    held = (
        *contradict_slope(claims, followed, {"free vibration": slope}),
        *contradict_factor(claims, name, ratio),
    )
    if min(errors) <= 0 or errors[0] <= errors[-1]:
        reason = f"the error does not fall with {name}: {listed} {where}"
        return Reading(gaps=(Gap("error over tolerance", reason),)).with_contradictions(held)
    figures = (
        CardFigure(
            name="slope of error over tolerance", value=round(slope, 2), meaning=f"1: proportional; errors {listed}"
        ),
        CardFigure(name="largest error over tolerance", value=ratio, meaning=where),
    )
    return Reading(figures=figures).with_contradictions(held)
