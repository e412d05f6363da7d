"""Damped stop: what theory allows our schemes.

The force jumps to c_c v where the mass touches. A scheme notices that somewhere inside a step, up to a step early or
late, and the impulse c_c v h that it makes of it changes the speed by 2 β h of itself, whatever its order. The first
contact begins at t = 0 and is noticed at once, but a scheme that starts with a velocity half a step back makes half of
that error there. A damper that sees a velocity λ h back acts as if the mass were lighter by μ = 2 β λ h in contact. All
this is of order 1; period errors and what kinks leave uncounted, of order 2, come on top.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from veridyn.references import damped_stop
from veridyn.references.certified import Certified
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory

KINK = 0.08  # largest error of a cubic through four samples where the second derivative jumps, over jump × spacing²
SMALL = 1e-6  # change of a mass over the mass
NAMES = ("m", "k", "kc", "cc", "v0")


def given(values: Values) -> dict[str, Any]:
    """Return the parameters that the reference knows."""
    return {name: values[name] for name in NAMES}


def frequencies(values: Values) -> tuple[float, float]:
    """Circular frequencies of flight and of undamped contact (rad/s)."""
    m, k, kc = (float(values[name]) for name in ("m", "k", "kc"))
    return math.sqrt(k / m), math.sqrt((k + kc) / m)


def beta(values: Values) -> float:
    """Return β of the contact (1/s)."""
    return float(values["cc"]) / (2 * float(values["m"]))


@dataclass(frozen=True)
class Sensitivity:
    """What a mass lighter by μ in contact changes, over μ: of ln e, of the duration and of that of the force (s)."""

    speed: float
    opened: float
    released: float


def sensitivity(values: Values) -> Sensitivity:
    """Return what a lighter mass changes."""
    return _sensitivity(tuple(float(values[name]) for name in NAMES))


@lru_cache(maxsize=64)
def _sensitivity(parameters: tuple[float, ...]) -> Sensitivity:
    m, k, kc, cc, v0 = parameters
    true = {"m": m, "k": k, "kc": kc, "cc": cc, "v0": v0}
    # the spring is lighter too, so that the flight stays as it is, and the stop takes its place in contact
    light = true | {"m": m * (1 - SMALL), "k": k * (1 - SMALL), "kc": kc + k * SMALL}

    def change(read: Callable[..., Certified]) -> float:
        return (float(read(**light, digits=20)) - float(read(**true, digits=20))) / SMALL

    speed = change(damped_stop.restitution) / float(damped_stop.restitution(**true, digits=20))
    return Sensitivity(speed, change(damped_stop.opening), change(damped_stop.force_duration))


@dataclass(frozen=True)
class Leading:
    """Errors of the first contact: of the speed (relative), of its duration and of that of its force (s)."""

    speed: float
    opened: float
    released: float


def leading(values: Values, scheme: str, step: float) -> Leading:
    """Return the errors of order 1, with their sign: damper that sees a velocity back, start with a velocity back."""
    s, change, jump = SCHEMES[scheme], sensitivity(values), 2 * beta(values) * step
    lighter = s.force_lag * jump
    return Leading(lighter * change.speed - s.lag * jump, lighter * change.opened, lighter * change.released)


def second_order(values: Values, scheme: str, step: float) -> Leading:
    """Return bounds of what is of order 2 in one contact and the flight after it."""
    s, (w0, wc), term = SCHEMES[scheme], frequencies(values), SCHEMES[scheme].in_contact
    period = abs(term.constant) if term.order == 2 else 1 / 24  # a kink costs what central differences have
    decay = s.decay_in_contact
    lost = math.pi * decay.constant * (wc * step) ** decay.order if decay else 0.0
    duration = 2 * math.pi * period * (wc + w0) * step**2 + 2 * beta(values) * step**2
    return Leading((wc * step) ** 2 * (1 / 2 + math.pi * period) + lost, duration, duration)


def speed(values: Values, scheme: str, step: float, contacts: int) -> Tolerance:
    """Return the relative tolerance of the speed after so many contacts."""
    first, more = leading(values, scheme, step).speed, second_order(values, scheme, step).speed
    late = (contacts - 1) * 2 * beta(values) * step
    what = (
        f"{contacts} contacts, all but the first noticed up to a step late, 2 β h of the speed; twice what dampers and "
        "start make of velocities that lie back; (w_c h)² for kinks and period errors"
    )
    return from_theory(1, (late + contacts * (2 * abs(first) + more)) / step, step, what=what)


def instant(values: Values, scheme: str, step: float, contacts: int, spacing: float) -> Tolerance:
    """Return the tolerance of an instant (s) after so many contacts, absolute; ``spacing`` of the samples (s)."""
    first, more = leading(values, scheme, step).opened, second_order(values, scheme, step).opened
    read = 2 * beta(values) * KINK * spacing**2
    what = (
        f"{contacts} contacts, twice what dampers make of velocities that lie back; period errors, touches inside a "
        "step, 2 β h²; cubics through a kink"
    )
    return from_theory(1, (contacts * (2 * abs(first) + more) + read) / step, step, what=what, kind="absolute")


def peak_force(values: Values, scheme: str, step: float, contact: int, spacing: float) -> Tolerance:
    """Return the relative tolerance of the largest force of a contact.

    The reported force too sees a velocity λ h back: c_c λ h ω² x, or 2 β λ h (1 + k/k_c) of k_c x.
    """
    m, k, kc, cc = (float(values[name]) for name in ("m", "k", "kc", "cc"))
    reported = 2 * beta(values) * SCHEMES[scheme].force_lag * (1 + k / kc)
    falling = max(0.0, cc / m - kc / cc) * (1 + spacing / step)
    before = speed(values, scheme, step, contact)
    what = "the reported force sees that velocity too; where it falls from the touch on, a sample and a step"
    more = from_theory(1, reported + falling, step, what=what)
    return combined(before, more)


def force_duration(values: Values, scheme: str, step: float, spacing: float) -> Tolerance:
    """Return the tolerance of the time that the stop pushes (s), absolute."""
    first, more = leading(values, scheme, step).released, second_order(values, scheme, step).released
    read = frequencies(values)[1] ** 3 * spacing**4
    what = (
        "twice what the damper makes of a velocity that lies back; period errors, 2 β h²; the cubic through the last "
        "four forces, w_c³ times their spacing to the fourth"
    )
    return from_theory(1, (2 * abs(first) + more + read) / step, step, what=what, kind="absolute")


def step_of(chosen: Settings) -> float:
    """Return the step of the settings (s)."""
    return float(chosen["step"])
