"""What a solver of initial value problems is: step, order, tableau, tolerance, events, output between steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.identification.claimed import contradict_digits
from veridyn.identification.dense import read_dense
from veridyn.identification.events import read_events
from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.identification.nystrom import explain_lost_order, read_second_order
from veridyn.identification.one_step import OneStep, read_one_step
from veridyn.identification.reading import CardFigure, Gap, Reading, join
from veridyn.identification.refinement import read_step_refinement, read_tolerance_refinement
from veridyn.identification.smooth import SPIRAL
from veridyn.identification.starting import read_first_state
from veridyn.identification.step_control import find_step_control
from veridyn.identification.stepping import StepControl
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.precision import Precision, read_precision

DEFAULT_STEP = 1.0 / 16.0  # s, of an answer whose numbers are looked at
TIMES = (0.0, 0.4142, 0.7321, 1.1416, 1.6181, 2.0)  # s, of these numbers


def read_initial_value(examinee: Examinee) -> Reading:
    """Return what the answers of a solver to small initial value problems tell of it.

    What the solver refuses, or fails at, is a gap.
    """
    if not examinee.offers("initial-value"):
        return Reading(gaps=(Gap(name="initial value problems", reason="the solver does not offer them"),))
    control = find_step_control(examinee)
    if control is None:
        second = _attempt("second-order problems", lambda: read_second_order(examinee))
        if second.figures or second.method:
            refused = Reading(gaps=(Gap(name="rates of any form", reason="the solver refuses them"),))
            return replace(join((second, refused)), solves=examinee.solves)
    try:
        precision = _measure_precision(examinee, control)
    except REFUSED as error:
        return Reading(gaps=(Gap(name="initial value problems", reason=str(error)),), solves=examinee.solves)
    rounding = precision.rounding
    steps, measured = _read_steps(examinee, control, rounding) if control else (Reading(), None)
    scatter = max(measured.scatter if measured else 0.0, rounding)
    is_set = control if measured or _follows_step(steps) else None
    parts = [
        steps,
        _show_precision(examinee, precision),
        _attempt("first state", lambda: read_first_state(examinee, _choose_settings(control), precision)),
        *([] if is_set else [_attempt("tolerance", lambda: read_tolerance_refinement(examinee, precision))]),
        read_events(examinee, is_set, scatter),
        _attempt("output between steps", lambda: read_dense(examinee, is_set, scatter, measured)),
    ]
    return replace(join(parts), solves=examinee.solves)


def _show_precision(examinee: Examinee, precision: Precision) -> Reading:
    figure = CardFigure(name="precision", value=precision.words, meaning="of the numbers that are answered")
    return Reading(figures=(figure,)).with_contradictions(contradict_digits(examinee.claims, precision))


def _measure_precision(examinee: Examinee, control: StepControl | None) -> Precision:
    """Return the precision of answers; raises what `Examinee.solve` raises."""
    answer = examinee.solve(SPIRAL.build(np.array(TIMES)), _choose_settings(control))
    return read_precision([answer.states[1:]])  # wherever they are


def _choose_settings(control: StepControl | None) -> Settings:
    return control.make_settings(DEFAULT_STEP) if control else {}


def _follows_step(steps: Reading) -> bool:
    """Tell whether errors follow the step that is set: a multistep method, and not one with steps of its own."""
    return any(figure.name.startswith("order seen") for figure in steps.figures)


def _read_steps(examinee: Examinee, control: StepControl, rounding: float) -> tuple[Reading, OneStep | None]:
    try:
        reading, measured = read_one_step(examinee, control)
    except REFUSED as error:
        reading, measured = Reading(gaps=(Gap(name="weights", reason=str(error)),)), None
    second = Reading() if measured else _attempt("second-order problems", lambda: read_second_order(examinee))
    refinement = read_step_refinement(
        examinee,
        control,
        scatter=max(measured.scatter if measured else 0.0, rounding),
        expected=float(min(measured.order, measured.timed_order)) if measured else None,
        why_lost=explain_lost_order(second, examinee.claims),
    )
    return join((reading, refinement, *([second] if second.figures else []))), measured


def _attempt(name: str, read: Callable[[], Reading]) -> Reading:
    """Return a reading, or the reason why there is none."""
    try:
        return read()
    except REFUSED as error:
        return Reading(gaps=(Gap(name=name, reason=str(error)),))
