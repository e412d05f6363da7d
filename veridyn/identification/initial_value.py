"""What a solver of initial value problems is: step, order, tableau, tolerance, events, output between steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.identification.dense import read_dense
from veridyn.identification.events import read_events
from veridyn.identification.examinee import REFUSED, Examinee
from veridyn.identification.linear import join
from veridyn.identification.one_step import OneStep, read_one_step
from veridyn.identification.precision import read_precision
from veridyn.identification.reading import CardFigure, Gap, Reading
from veridyn.identification.refinement import read_step_refinement, read_tolerance_refinement
from veridyn.identification.smooth import SPIRAL
from veridyn.identification.step_control import StepControl, find_step_control
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.statements import Settings

DEFAULT_STEP = 1.0 / 16.0  # s, of an answer whose numbers are looked at
TIMES = (0.0, 0.4142, 0.7321, 1.1416, 1.6181, 2.0)  # s, of these numbers


def read_initial_value(gate: Gate, scheme: str = "", settings: Settings | None = None) -> Reading:
    """Return what the answers of a solver to small initial value problems tell of it.

    ``settings`` are those that the user states. What the solver refuses, or fails at, is a gap.
    """
    examinee = Examinee(gate, scheme, dict(settings or {}))
    if not examinee.offers("initial-value"):
        return Reading(gaps=(Gap(name="initial value problems", reason="the solver does not offer them"),))
    control = find_step_control(examinee)
    try:
        precision, rounding = _measure_precision(examinee, control)
    except REFUSED as error:
        return Reading(gaps=(Gap(name="initial value problems", reason=str(error)),), solves=examinee.solves)
    steps, measured = _read_steps(examinee, control, rounding) if control else (Reading(), None)
    scatter = max(measured.scatter if measured else 0.0, rounding)
    is_set = control if measured or _follows_step(steps) else None
    parts = [
        steps,
        Reading(figures=(CardFigure(name="precision", value=precision, meaning="of the numbers that are answered"),)),
        *([] if is_set else [_attempt("tolerance", lambda: read_tolerance_refinement(examinee, rounding))]),
        read_events(examinee, is_set, scatter),
        _attempt("output between steps", lambda: read_dense(examinee, is_set, scatter, measured)),
    ]
    return replace(join(parts), solves=examinee.solves)


def _measure_precision(examinee: Examinee, control: StepControl | None) -> tuple[str, float]:
    """Return the precision of answers in words and their relative rounding; raises what `Examinee.solve` raises."""
    settings = control.make_settings(DEFAULT_STEP) if control else {}
    return read_precision([examinee.states_at_outputs(SPIRAL.build(np.array(TIMES)), settings)[1:]])


def _follows_step(steps: Reading) -> bool:
    """Tell whether errors follow the step that is set: a multistep method, and not one with steps of its own."""
    return any(figure.name.startswith("order seen") for figure in steps.figures)


def _read_steps(examinee: Examinee, control: StepControl, rounding: float) -> tuple[Reading, OneStep | None]:
    try:
        reading, measured = read_one_step(examinee, control)
    except REFUSED as error:
        reading, measured = Reading(gaps=(Gap(name="weights", reason=str(error)),)), None
    refinement = read_step_refinement(
        examinee,
        control,
        scatter=max(measured.scatter if measured else 0.0, rounding),
        expected=float(min(measured.order, measured.timed_order)) if measured else examinee.claims.order,
        reason="follows from the weights" if measured else "is claimed",
    )
    return join((reading, refinement)), measured


def _attempt(name: str, read: Callable[[], Reading]) -> Reading:
    """Return a reading, or the reason why there is none."""
    try:
        return read()
    except REFUSED as error:
        return Reading(gaps=(Gap(name=name, reason=str(error)),))
