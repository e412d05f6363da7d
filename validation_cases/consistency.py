"""Checks that the parts of a response agree with each other; a case asks for them among its further checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from veridyn.solver.balance import element_history, energy_residual
from veridyn.solver.consistency import flags_off_events, stop_force_residual, velocity_residual
from veridyn.validation_cases.case import Case, Check, Observation, Run, Subject, Variant
from veridyn.validation_cases.making import always, check_of, reading
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly, roundoff

Read = Callable[[Observation], float]
Theory = Callable[[Run, str], Tolerance]  # of a run with one of our schemes

HALF = Tolerance(
    0.75,
    "absolute",
    "theory: velocities may belong to the middle of a step, a half; half as much again for kinks inside a step",
)
FORCES = Tolerance(
    1e-8, "absolute", "theory: forces follow from positions; an implicit step ends its iteration at 1e-10 of its forces"
)


def residuals(
    case: Case,
    subject: Subject,
    variant: Variant,
    quantity: str,
    unit: str,
    read: Read,
    ours: Theory,
    cite: Tolerance,
    kind: str = "balance",
) -> Iterator[Check]:
    """Yield, scheme by scheme, the comparison with zero of what vanishes in truth; schemes that are ours by theory."""
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity=quantity,
            kind=kind,
            unit=unit,
            measure=reading(run, read),
            reference=always(0.0),
            tolerance=partial(ours, run, scheme) if subject.own else always(cite),
        )


def energy(
    case: Case, subject: Subject, variant: Variant, unit: str, scale: Read, ours: Theory, cite: Tolerance
) -> Iterator[Check]:
    """Yield the energy balance at all samples, over a scale (J) that ``unit`` names."""
    read = partial(_energy_residual, scale)
    yield from residuals(case, subject, variant, "energy_residual", unit, read, ours, cite)


def friction_cone(case: Case, subject: Subject, variant: Variant, unit: str, limit: Read) -> Iterator[Check]:
    """Yield the largest excess of the friction force over its limit (N), in limits; ``unit`` names it."""
    bound = roundoff(8, what=f"|F| <= {unit.removeprefix('of ')} up to a few roundings", kind="absolute")
    read = partial(_cone_excess, limit)
    yield from residuals(case, subject, variant, "friction_cone", unit, read, lambda *_: bound, bound)


def velocities(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of reported velocities with the slopes of the displacements."""
    if case.asked(variant):
        unit = "of the largest change of a slope"
        yield from residuals(
            case, subject, variant, "velocity_residual", unit, _velocity_residual, lambda *_: HALF, HALF
        )


def stop_forces(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of reported forces of undamped stops with stiffness times penetration."""
    if case.asked(variant):
        cite = cited("a thousandth, Code_Aster's tolerance for forces", 1e-3, kind="absolute")
        unit = "of the largest force"
        yield from residuals(
            case, subject, variant, "stop_force_residual", unit, _stop_force_residual, lambda *_: FORCES, cite
        )


def flags(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield that flags of adherence change at events alone; our schemes locate none."""
    if subject.own or not case.asked(variant):
        return
    none = exactly("an event is a sample, with the state that begins there")
    yield from residuals(
        case, subject, variant, "flags_off_events", "", _flags_off_events, lambda *_: none, none, kind="events"
    )


def _energy_residual(scale: Read, o: Observation) -> float:
    return float(np.abs(energy_residual(o.problem, o.response)).max()) / scale(o)


def _cone_excess(limit: Read, o: Observation) -> float:
    """Return the excess of the first friction's force over its limit, in limits.

    Raises
    ------
    MissingHistory
        If the solver reports no friction force.
    """
    friction = o.problem.frictions[0]
    names = ("force", "force_2")[: len(friction.tangents)]
    force = np.hypot.reduce([element_history(o.response, friction.name, name) for name in names])
    return max(0.0, float(np.abs(force).max()) / limit(o) - 1.0)


def _flags_off_events(o: Observation) -> float:
    return float(flags_off_events(o.problem, o.response))


def _velocity_residual(o: Observation) -> float:
    return velocity_residual(o.problem, o.response)


def _stop_force_residual(o: Observation) -> float:
    return stop_force_residual(o.problem, o.response)
