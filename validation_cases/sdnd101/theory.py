"""SDND101: what theory allows our schemes."""

from __future__ import annotations

import math

from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.sdnd101.measures import frequencies
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory


def period_error(scheme: str) -> float | None:
    """Return the relative error of a period in contact over (w_c h)²; None if the order is higher."""
    term = SCHEMES[scheme].in_contact
    return -term.constant if term.order == 2 else None


def duration(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of durations: twice the period error of contact."""
    known = period_error(scheme)
    relative = abs(known) if known is not None else 1 / 24
    error = f"period error (w_c h)²/{1 / relative:.3g}"
    origin = error if known is not None else f"a kink inside a step, which costs what central differences have: {error}"
    what = f"{origin}, doubled for the instants of contact between samples"
    return from_theory(2, 2 * relative * frequencies(values)[1] ** 2, float(chosen["step"]), what=what)


def damped(allowed: Tolerance, values: Values, scheme: str, chosen: Settings, impacts: int) -> Tolerance:
    """Return a tolerance of the amplitude with what numerical damping takes of it in so many impacts."""
    decay = SCHEMES[scheme].decay_in_contact
    if decay is None:
        return allowed
    constant = decay.constant * math.pi * impacts * frequencies(values)[1] ** decay.order
    what = f"decay (w_c h)^{decay.order}/{1 / decay.constant:.4g} per radian over {impacts} contacts of pi"
    lost = from_theory(decay.order, constant, float(chosen["step"]), what=what, kind=allowed.kind)
    return combined(allowed, lost)
