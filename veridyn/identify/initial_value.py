"""What a solver of initial value problems is: step, order, tableau, tolerance, events, output between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from veridyn.identify.dense import read_dense
from veridyn.identify.events import read_events
from veridyn.identify.examinee import REFUSED, Examinee
from veridyn.identify.one_step import OneStep, read_one_step
from veridyn.identify.reading import Figure, Gap, Reading
from veridyn.identify.refinement import read_step_refinement, read_tolerance_refinement
from veridyn.identify.resolution import measure_resolution
from veridyn.identify.step_control import StepControl, find_step_control
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.statements import Settings

DEFAULT_STEP = 1.0 / 16.0  # s, of an answer whose numbers are looked at


def read_initial_value(gate: Gate, scheme: str = "", settings: Settings | None = None) -> Reading:
    """Return what the answers of a solver to small initial value problems tell of it.

    ``settings`` are those that the user states. What the solver refuses, or fails at, is a gap.
    """
    examinee = Examinee(gate, scheme, dict(settings or {}))
    if not examinee.offers("initial-value"):
        return Reading(gaps=(Gap(name="initial value problems", reason="the solver does not offer them"),))
    control = find_step_control(examinee)
    try:
        resolution = measure_resolution(examinee, control.make_settings(DEFAULT_STEP) if control else {})
    except REFUSED as error:
        return Reading(gaps=(Gap(name="initial value problems", reason=str(error)),), solves=examinee.solves)
    steps, measured = _read_steps(examinee, control, resolution.spacing) if control else (Reading(), None)
    scatter = max(measured.scatter if measured else 0.0, resolution.spacing)
    is_set = control if measured or _follows_step(steps) else None
    meaning = "the coarsest format that holds the numbers of an answer"
    parts = [
        steps,
        Reading(figures=(Figure(name="answers", value=resolution.words, meaning=meaning),)),
        *([] if is_set else [_attempt("tolerance", lambda: read_tolerance_refinement(examinee, resolution.spacing))]),
        read_events(examinee, is_set, scatter),
        _attempt("output between steps", lambda: read_dense(examinee, is_set, scatter, one_step=measured is not None)),
    ]
    return join_readings(parts, examinee.solves)


def _follows_step(steps: Reading) -> bool:
    """Tell whether errors follow the step that is set: a multistep method, and not one with steps of its own."""
    return any(figure.name.startswith("order seen") for figure in steps.figures)


def _read_steps(examinee: Examinee, control: StepControl, spacing: float) -> tuple[Reading, OneStep | None]:
    try:
        reading, measured = read_one_step(examinee, control)
    except REFUSED as error:
        reading, measured = Reading(gaps=(Gap(name="weights", reason=str(error)),)), None
    refinement = read_step_refinement(
        examinee,
        control,
        scatter=max(measured.scatter if measured else 0.0, spacing),
        expected=float(min(measured.order, measured.timed_order)) if measured else examinee.claims.order,
        reason="follows from the weights" if measured else "is claimed",
    )
    return join_readings((reading, refinement), examinee.solves), measured


def join_readings(readings: Iterable[Reading], solves: int) -> Reading:
    """Return several readings as one, with the number of problems that were solved for all."""
    parts = tuple(readings)
    return Reading(
        method=next((part.method for part in parts if part.method), ""),
        figures=tuple(figure for part in parts for figure in part.figures),
        deviations=tuple(dict.fromkeys(line for part in parts for line in part.deviations)),
        gaps=tuple(gap for part in parts for gap in part.gaps),
        solves=solves,
    )


def _attempt(name: str, read: Callable[[], Reading]) -> Reading:
    """Return a reading, or the reason why there is none."""
    try:
        return read()
    except REFUSED as error:
        return Reading(gaps=(Gap(name=name, reason=str(error)),))
