"""Checks that the parts of a response agree with each other; a case asks for them among its further checks."""

from __future__ import annotations

from collections.abc import Iterator

from veridyn.solver.consistency import flags_off_events, stop_force_residual, velocity_residual
from veridyn.validation_cases.case import Case, Check, Observation, Subject, Variant
from veridyn.validation_cases.making import always, asked_of, check_of, reading
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly

HALF = Tolerance(
    0.75,
    "absolute",
    "theory: velocities may belong to the middle of a step, a half; half as much again for kinks inside a step",
)
FORCES = Tolerance(
    1e-8, "absolute", "theory: forces follow from positions; an implicit step ends its iteration at 1e-10 of its forces"
)


def velocities(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of reported velocities with the slopes of the displacements."""
    if not case.asked(variant):
        return
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="velocity_residual",
            kind="balance",
            unit="of the largest change of a slope",
            measure=reading(run, _velocity_residual),
            reference=always(0.0),
            tolerance=always(HALF),
        )


def stop_forces(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of reported forces of undamped stops with stiffness times penetration."""
    if not case.asked(variant):
        return
    cite = cited("a thousandth, Code_Aster's tolerance for forces", 1e-3, kind="absolute")
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="stop_force_residual",
            kind="balance",
            unit="of the largest force",
            measure=reading(run, _stop_force_residual),
            reference=always(0.0),
            tolerance=asked_of(subject, FORCES, cite),
        )


def flags(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield that flags of adherence change at events alone; our schemes locate none."""
    if subject.own or not case.asked(variant):
        return
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="flags_off_events",
            kind="events",
            unit="",
            measure=reading(run, _flags_off_events),
            reference=always(0.0),
            tolerance=always(exactly("an event is a sample, with the state that begins there")),
        )


def _flags_off_events(o: Observation) -> float:
    return float(flags_off_events(o.problem, o.response))


def _velocity_residual(o: Observation) -> float:
    return velocity_residual(o.problem, o.response)


def _stop_force_residual(o: Observation) -> float:
    return stop_force_residual(o.problem, o.response)
