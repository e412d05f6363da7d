"""A contact with a stop that never pulls, and the flight after it, in closed form: the second route of damped_stop.

A mass m on a spring k touches the stop at rest with 1 m/s. In contact x'' + 2 β x' + ω² x = 0 with β = cc/(2m),
ω² = (k + kc)/m; with ωd² = ω² - β², negative where the mass creeps,

    x = exp(-βt) sin(ωd t)/ωd,    the force vanishes where tan ωd tr = cc ωd/(cc β - kc),
    from (xr, vr) half a sine of ω0 = sqrt(k/m) leads back to the stop at e = sqrt(vr² + ω0² xr²).

Source: derived here; the law of the stop is that of DIS_CHOC in Code_Aster (R5.06.03).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath

from veridyn.references.certified import per_precision


@dataclass(frozen=True)
class ContactCycle:
    """A contact and the flight that follows, from a touch with ``v0`` on: instants in s from the touch.

    ``released``: the force vanishes; ``opened``: the mass leaves the place of the stop; ``lasts``: it is back;
    ``peaked``: the force is largest; ``peak``: it is so (N); ``impulse``: its integral (N s); ``rebound``: largest
    distance (m); ``back``: speed of the return (m/s); ``v0``, ``k``: parameters.
    """

    v0: Any
    k: Any
    released: Any
    opened: Any
    lasts: Any
    peaked: Any
    peak: Any
    impulse: Any
    rebound: Any
    back: Any


@per_precision
def find_cycle(m: Any, k: Any, kc: Any, cc: Any, v0: Any) -> ContactCycle:
    """Return the cycle; the impulse is what of the momentum the spring has not taken."""
    w0, beta = mpmath.sqrt(k / m), cc / (2 * m)
    square, sine = (k + kc) / m - beta**2, kc - cc * beta
    wd = mpmath.sqrt(mpmath.mpc(square))

    def state(t: Any) -> tuple[Any, Any]:
        decay, s, c = mpmath.exp(-beta * t), (t * mpmath.sinc(wd * t)).real, mpmath.cos(wd * t).real
        return decay * s, decay * (c - beta * s)

    released, rises = _first(cc, -sine, square), kc - cc**2 / m  # N per metre of the way in, at the touch
    peaked = _first(rises, beta * sine + cc * square, square) if rises > 0 else mpmath.mpf(0)
    (deep, fast), (x, v) = state(peaked), state(released)
    taken = k * (m * (1 - v) - cc * x) / (k + kc)
    opened, e = released + mpmath.atan2(w0 * x, -v) / w0, mpmath.hypot(v, w0 * x)
    return ContactCycle(
        v0=v0,
        k=k,
        released=released,
        opened=opened,
        lasts=opened + mpmath.pi / w0,
        peaked=peaked,
        peak=v0 * (kc * deep + cc * fast),
        impulse=v0 * (m * (1 - v) - taken),
        rebound=v0 * e / w0,
        back=v0 * e,
    )


def _first(y: Any, x: Any, square: Any) -> Any:
    """Return the first t > 0 with tan(ωd t) = ωd y/x, for ωd² of either sign; y is positive."""
    wd = mpmath.sqrt(abs(square))
    if square > 0:
        return mpmath.atan2(wd * y, x) / wd
    return mpmath.atanh(wd * y / x) / wd if wd else y / x
