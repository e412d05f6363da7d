"""Output between steps: its order, whether it jumps at steps, and what it is inside a step that an event cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from veridyn.identification.examinee import Examinee, Floats
from veridyn.identification.one_step import OneStep
from veridyn.identification.reading import CardFigure, Gap, Reading, join
from veridyn.identification.refinement import ABOVE, FLOOR, Power, find_power
from veridyn.identification.smooth import PULSE, SPIRAL, SmoothProblem
from veridyn.identification.stepping import StepControl
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.statements import Settings

COUNTS = (8, 16, 32, 64, 128)  # steps over the span
PLACES = (0.1373, 0.3819, 0.618, 0.8711)  # of a step
NEAR = 1e-6  # of a step, on both sides of its end
CUT = 0.62  # of a step: where an event cuts it, after the outputs at
BEFORE = (0.2, 0.45)  # of it
WHERE = 0.6  # of the span: the step that is cut
WORSE = 30.0  # times the error without the event: the output inside a step that is cut is another one
MUCH_WORSE = 1e3  # the same where the steps are not known, and the error must be
LARGE = 1e-6  # as well
LOWER = 1.2  # of an order: output between steps may have one order less than the steps
JUMP = 0.05  # of the error between steps
ROUNDING = 1e3  # times the scatter of single steps


def read_dense(examinee: Examinee, control: StepControl | None, scatter: float, measured: OneStep | None) -> Reading:
    """Return how outputs between steps come about; raises what `Examinee.solve` raises."""
    if control is not None and not control.setting:
        return Reading(gaps=(Gap(name="output between steps", reason="the output instants are the steps"),))
    rounding = ROUNDING * max(scatter, 2.0**-52)
    parts = [] if control is None else [read_order(examinee, control, scatter, rounding, measured)]
    if examinee.offers("hybrid"):
        parts.append(read_cut(examinee, control, rounding))
    return join(parts)


def read_order(
    examinee: Examinee, control: StepControl, scatter: float, rounding: float, measured: OneStep | None
) -> Reading:
    """Return the order of outputs between steps and whether they jump at the steps of a one-step method."""
    figures, deviations, gaps = [], [], []
    powers: list[Power] = []
    sizes = [SPIRAL.end / count for count in COUNTS]
    for problem in (SPIRAL, PULSE):
        errors = [
            measure_between(examinee, problem, control.make_settings(h), count)
            for h, count in zip(sizes, COUNTS, strict=True)
        ]
        power = find_power(sizes, errors, floor=max(FLOOR, ABOVE * scatter))
        name = f"order between steps, {problem.name}"
        if power is None:
            gaps.append(Gap(name=name, reason="errors follow no power of the step above rounding"))
            continue
        meaning = "power of the step with which errors of outputs at irrational places of steps fall"
        figures.append(CardFigure(name=name, value=power.value, meaning=meaning, uncertainty=power.uncertainty))
        powers.append(power)
    claimed = examinee.claims.order
    reached = min(measured.order, measured.timed_order) if measured else math.inf  # what is claimed may be too much
    lower = [p.value for p in powers if claimed and p.is_steady and p.value < min(claimed, reached) - LOWER]
    if lower:
        deviations.append(f"order {claimed:g} is claimed; output between steps has order {min(lower):.2f}")
    jumps = [
        measure_jump(examinee, control.make_settings(h), count) for h, count in zip(sizes[:2], COUNTS[:2], strict=True)
    ]
    between = [
        measure_between(examinee, SPIRAL, control.make_settings(h), count)
        for h, count in zip(sizes[:2], COUNTS[:2], strict=True)
    ]
    jumping = all(jump > max(rounding, JUMP * error) for jump, error in zip(jumps, between, strict=True))
    meaning = f"of outputs {NEAR:g} of a step before and after its end, {COUNTS[0]} steps in {SPIRAL.end:g} s"
    figures.append(CardFigure(name="jump at steps", value=jumps[0], meaning=meaning))
    if jumping and measured:
        deviations.append(
            f"output jumps by {jumps[0]:.2g} at the end of a step; the error between steps is {between[0]:.2g}"
        )
    return Reading(figures=tuple(figures), deviations=tuple(deviations), gaps=tuple(gaps))


def _add_ends(times: Sequence[float], end: float) -> Floats:
    return np.unique(np.array([0.0, *times, end]))


def measure_between(examinee: Examinee, problem: SmoothProblem, settings: Settings, count: int) -> float:
    """Return the largest error at irrational places of some steps; raises what `Examinee.solve` raises."""
    h = problem.end / count
    times = _add_ends(
        [(k + place) * h for k, place in zip(range(0, count, count // 4), PLACES, strict=True)], problem.end
    )
    states = examinee.states_at_outputs(problem.build(times), settings)
    return float(np.max(np.abs(states - problem.truth(times))[1:-1]))


def measure_jump(examinee: Examinee, settings: Settings, count: int) -> float:
    """Return the largest jump of the output at the end of some steps; raises what `Examinee.solve` raises."""
    h = SPIRAL.end / count
    ends = np.array([k * h for k in range(count // 4, count, count // 4)])
    times = _add_ends([t + side * NEAR * h for t in ends for side in (-1.0, 1.0)], SPIRAL.end)
    states, truth = examinee.states_at_outputs(SPIRAL.build(times), settings), SPIRAL.truth(times)
    # The motion itself moves between the two instants: as the truth does, but for the error of its rate times 2e-6 h.
    moved = (states - truth)[1:-1]
    return float(np.max(np.abs(moved[1::2] - moved[::2])))


def read_cut(examinee: Examinee, control: StepControl | None, rounding: float) -> Reading:
    """Return whether outputs in a step are as good as without the event that cuts it."""
    counts = COUNTS[1:3] if control else (1,)
    pairs = [measure_cut(examinee, control, count) for count in counts]
    if control:
        worse = all(cut > WORSE * max(plain, rounding) for cut, plain in pairs)
    else:
        worse = all(cut > max(LARGE, MUCH_WORSE * plain) for cut, plain in pairs)
    cut, plain = pairs[-1]
    words = f"error {cut:.1g}, {plain:.1g} without the event"
    figure = CardFigure(name="output before an event", value=words, meaning="in the step that the event cuts")
    line = f"output in a step that an event cuts: {words}"
    return Reading(figures=(figure,), deviations=(line,) if worse else ())


def measure_cut(examinee: Examinee, control: StepControl | None, count: int) -> tuple[float, float]:
    """Return the largest error of outputs in a step that an event cuts, and without the event."""
    step = SPIRAL.end / count if control else SPIRAL.end / COUNTS[1]
    settings = control.make_settings(step) if control else {}
    first = round(WHERE * SPIRAL.end / step) * step
    times = _add_ends([first + place * step for place in BEFORE], SPIRAL.end)
    plain, cut = (
        examinee.states_at_outputs(add_event(SPIRAL, times, instant), settings)
        for instant in (SPIRAL.end + 1.0, first + CUT * step)
    )
    truth = SPIRAL.truth(times)[1:-1]
    size = len(SPIRAL.states)
    return float(np.max(np.abs(cut[1:-1, :size] - truth))), float(np.max(np.abs(plain[1:-1, :size] - truth)))


def add_event(problem: SmoothProblem, times: Floats, instant: float) -> InitialValueProblem:
    """Return a smooth problem with an event at an instant (s) that changes a state beside it."""
    smooth = problem.build(times)
    tick = Change(name="tick", guard=f"clock - {instant!r}", direction=1, reset={"flag": "flag + 1"}, mode="after")
    rates = (*problem.rates, "1", "0")
    return replace(
        smooth,
        states=(*problem.states, "clock", "flag"),
        initial=(*problem.initial, "0", "0"),
        modes=(Mode(name="before", rates=rates, events=(tick,)), Mode(name="after", rates=rates)),
        mode="before",
    )
