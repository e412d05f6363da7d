"""How a solver treats events, read from the answers to small problems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from veridyn.identification.event_precision import read_event_precision
from veridyn.identification.event_probes import (
    CROSSINGS,
    FORWARD,
    SQUARES,
    Stride,
    build_crossings,
    build_curved,
    build_dip,
    build_exchange,
    build_simultaneous,
    build_two,
)
from veridyn.identification.examinee import REFUSED, Examinee, sample_states
from veridyn.identification.reading import CardFigure, Gap, Reading, join
from veridyn.identification.stepping import StepControl
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.solver.contract.statements import Settings

COUNTS = (8, 16, 32, 64)  # steps over the span of 1 s
FINE = 64  # of these: crossings are many steps apart
COARSE = 16  # of these: two events lie within one
WITHIN = 1e-3  # of a step, or of the span where nothing sets the step: two events this far apart
RETURN = 0.1  # of a step: a guard is back this soon
TO_ROUNDING = 1e-12  # s
END_OF_STEP = 0.2  # of a step: the largest of five errors is larger if events wait for the end of a step
POWERS = {1: (0.6, 1.4), 2: (1.6, 2.4)}  # of the step
WHOLE = 1e-3  # a count that is no whole number within it is none
APART = 1e-5  # s: a reported event, and the change of the motion
MARGIN = 64.0  # over what single steps scatter by


def read_events(examinee: Examinee, control: StepControl | None, scatter: float) -> Reading:
    """Return how events are located and treated; ``scatter`` is what single steps leave of rounding."""
    if not examinee.offers("hybrid"):
        return Reading(gaps=(Gap(name="events", reason="the solver does not offer hybrid"),))
    stride = Stride(control=control)
    readings: Mapping[str, Callable[[], Reading]] = {
        "location of events": lambda: read_location(examinee, stride, scatter),
        "precision of events": lambda: read_event_precision(examinee, stride, scatter),
        "two events in a step": lambda: read_two(examinee, stride),
        "events at once": lambda: read_simultaneous(examinee, stride),
        "direction of events": lambda: read_directions(examinee, stride),
        "crossing and return in a step": lambda: read_dip(examinee, stride),
        "resets": lambda: read_exchange(examinee, stride),
    }
    parts = [_attempt(name, read) for name, read in readings.items()]
    return join(parts)


def _attempt(name: str, read: Callable[[], Reading]) -> Reading:
    try:
        return read()
    except REFUSED as error:
        return Reading(gaps=(Gap(name=name, reason=str(error)),))


# ---- where


@dataclass(frozen=True, kw_only=True)
class Location:
    """Largest errors (s) of the instants at which events take effect, and by how much reported ones differ from them.

    ``difference`` is None if no events are reported.
    """

    error: float
    difference: float | None


def read_location(examinee: Examinee, stride: Stride, scatter: float) -> Reading:
    """Return by what events are located; raises what `Examinee.solve` raises."""
    counts = COUNTS if stride.control else COUNTS[:1]
    locations = [locate_events(examinee, stride, count) for count in counts]
    errors = [location.error for location in locations]
    words = describe_location(
        [stride.measure_step(count) for count in counts], errors, max(TO_ROUNDING, MARGIN * scatter)
    )
    meaning = (
        f"error of the instant: {errors[-1]:.1g} s at {counts[-1]} steps a second" if stride.control else "at defaults"
    )
    figures = [CardFigure(name="events located by", value=words, meaning=meaning)]
    differences = [location.difference for location in locations if location.difference is not None]
    gaps, deviations = [], []
    if not differences:
        gaps.append(Gap(name="reported events", reason="the solver reports none"))
    elif max(differences) > max(APART, MARGIN * scatter):
        deviations.append(f"events are reported up to {max(differences):.2g} s away from where the motion changes")
    return Reading(figures=tuple(figures), deviations=tuple(deviations), gaps=tuple(gaps))


def locate_events(examinee: Examinee, stride: Stride, count: int) -> Location:
    """Return how well events with a curved guard are located; raises what `Examinee.solve` raises."""
    times, settings = stride.make(count)
    errors: list[float] = []
    differences: list[float] = []
    for square in SQUARES:
        problem = build_curved(times, square)
        answer = examinee.solve(problem, settings)
        effect = 1.0 - float(sample_states(answer, problem)[-1, 1])
        errors.append(abs(effect - math.sqrt(float(square))))
        differences.extend(abs(float(t) - effect) for t in answer.events.get("hit", ()))
    return Location(error=max(errors), difference=max(differences, default=None))


def describe_location(steps: list[float], errors: list[float], rounding: float) -> str:
    """Return in words by what events are located, from errors (s) at several steps (s)."""
    if max(errors) <= rounding:
        return "root, to rounding"
    if len(errors) < len(COUNTS) or min(errors) <= rounding:
        return f"root, to {max(errors):.1g} s"
    power = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    share = max(error / step for error, step in zip(errors, steps, strict=True))
    if POWERS[1][0] <= power <= POWERS[1][1]:
        return "end of the step" if share > END_OF_STEP else f"halvings, to {share:.1g} of the step"
    if POWERS[2][0] <= power <= POWERS[2][1]:
        return "chord"
    return f"root, to {max(errors):.1g} s" if power < POWERS[1][0] else f"interpolation, order {power:.1f} of the step"


# ---- what


def _round(value: float) -> float:
    """Return the whole number that a value is near to, or the value."""
    return float(round(value)) if abs(value - round(value)) <= WHOLE else value


def _take_last(examinee: Examinee, problem: InitialValueProblem, settings: Settings) -> list[float]:
    """Return the last states without the clock; whole numbers are what they are near to."""
    return [_round(float(value)) for value in examinee.end_state(problem, settings)[1:]]


def _count(examinee: Examinee, problem: InitialValueProblem, settings: Settings) -> float:
    """Return how many events have put the clock forward."""
    return _round((float(examinee.end_state(problem, settings)[0]) - problem.end) / float(FORWARD))


def read_two(examinee: Examinee, stride: Stride) -> Reading:
    """Return whether two events in one step both happen, in their order, however they are listed."""
    times, settings = stride.make(COARSE)
    apart = f"{WITHIN * stride.measure_step(COARSE):.17f}"
    answers = {False: 0.0, True: 0.0}
    for swapped in answers:
        (answers[swapped],) = _take_last(examinee, build_two(times, apart, swapped=swapped), settings)
    names = {5.0: "both, in order", 8.0: "both, in the wrong order", 2.0: "the first alone", 4.0: "the second alone"}
    words = [names.get(answer, "none, or more") for answer in answers.values()]
    unit = "of a step" if stride.control else "s"
    apart_words = f"{WITHIN:g} {unit} apart"
    figure = CardFigure(
        name="two events in a step",
        value=words[0] if words[0] == words[1] else f"{words[0]}; listed the other way round: {words[1]}",
        meaning=f"{apart_words}; the answer must not depend on the order of the list",
    )
    lines = [f"of two events {apart_words}: {words[0]}"] if words[0] != names[5.0] else []
    if words[1] not in (names[5.0], words[0]):
        lines.append(f"of two events {apart_words}, the later one listed first: {words[1]}")
    return Reading(figures=(figure,), deviations=tuple(lines))


def read_simultaneous(examinee: Examinee, stride: Stride) -> Reading:
    """Return whether two events at one instant both happen.

    It is no deviation if one does not: an instant that is rounded up leaves the guard of the second one past zero
    where its mode begins, and then the problem does not say that it passes again.
    """
    times, settings = stride.make(COARSE)
    one, other = _take_last(examinee, build_simultaneous(times), settings)
    words = "both" if one == other == 1.0 else f"{one:g} of the first listed, {other:g} of the second"
    figure = CardFigure(name="events at once", value=words, meaning="two guards that pass zero at the same instant")
    return Reading(figures=(figure,))


def read_directions(examinee: Examinee, stride: Stride) -> Reading:
    """Return whether events of the other direction are left alone."""
    times, settings = stride.make(FINE)
    right = {1: 2, -1: 2, 0: 3}
    seen = {d: _count(examinee, build_crossings(times, d), settings) for d in right}
    lines = [
        f"{seen[d]:g} events of direction {d} where the guard passes zero {right[d]} times that way"
        for d in right
        if seen[d] != right[d]
    ]
    figure = CardFigure(
        name="direction of events",
        value="obeyed" if not lines else "not obeyed",
        meaning=f"a guard that passes zero at {', '.join(CROSSINGS)} s, rising or falling",
    )
    return Reading(figures=(figure,), deviations=tuple(lines))


def read_dip(examinee: Examinee, stride: Stride) -> Reading:
    """Return whether a guard that falls and is back within a step is seen: no fault if not, but worth to know."""
    times, settings = stride.make(COARSE)
    count = _count(examinee, build_dip(times, f"{RETURN * stride.measure_step(COARSE):.17f}"), settings)
    meaning = f"a guard that is below zero for {RETURN:g} {'of a step' if stride.control else 's'}"
    words = {1.0: "seen", 0.0: "not seen"}.get(count, f"{count:g} events")
    return Reading(figures=(CardFigure(name="crossing and return in a step", value=words, meaning=meaning),))


def read_exchange(examinee: Examinee, stride: Stride) -> Reading:
    """Return whether resets take the states just before the event."""
    times, settings = stride.make(COARSE)
    u, v = _take_last(examinee, build_exchange(times), settings)
    sound = (u, v) == (2.0, 1.0)
    words = "of the states just before" if sound else f"1 and 2 exchanged give {u:g} and {v:g}"
    figure = CardFigure(name="resets", value=words, meaning="an event that exchanges two states")
    return Reading(figures=(figure,), deviations=() if sound else (f"resets: {words}",))
