"""SDND103: what theory allows our schemes.

The chosen motion varies slowly: a scheme errs by the defect that it leaves when the chosen motion is put into it, and by
the free vibration that its first step starts with. Both follow from the linear equation x'' = -w² (x - X) + X'' with
X = a0 sin(w0 t), w = sqrt(k0/m); the support takes away the kink of the spring along the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory


@dataclass(frozen=True)
class Leading:
    """Leading error of the displacement over a0: ``constant (w0 h)^slow (w h)^fast``, and where it comes from."""

    constant: float
    slow: int
    fast: int
    origin: str

    @property
    def order(self) -> int:
        """Power of the step."""
        return self.slow + self.fast


_FIRST_STEP = "free vibration after a first step that"
_LATE = Leading(1 / 6, 3, -1, f"{_FIRST_STEP} misses (w0 h)³/6")
_HELD = Leading(1 / 72, 1, 3, f"{_FIRST_STEP} holds the load over the half-step before the start")

LEADING = {
    "symplectic_euler": _LATE,
    "central_adaptive": _LATE,
    "euler_adaptive": _LATE,
    "devogelaere": _HELD,
    "devogelaere_adaptive": _HELD,
    "newmark": Leading(1 / 12, 3, -1, f"{_FIRST_STEP} misses (w0 h)³/12"),
    "itmi": Leading(1 / 12, 2, 0, "forces between samples taken for lines"),
    "runge_kutta_32": Leading(23 / 144, 3, 0, "defect 23/288 (w0 h)³, and as much free vibration"),
    "runge_kutta_54": Leading(1 / 900, 3, 2, "defect (w0 h)³ (w h)²/1800, and as much free vibration"),
}


@dataclass(frozen=True)
class Numbers:
    """Circular frequencies (rad/s), the share of the stiffness that is left at a0, and the dead zone over x0."""

    w: float
    w0: float
    left: float
    dead: float

    @classmethod
    def of(cls, values: Values) -> Numbers:
        """Read the parameters."""
        m, k0, x0, a0, w0, d = (float(values[name]) for name in ("m", "k0", "x0", "a0", "w0", "d"))
        return cls(math.sqrt(k0 / m), w0, 1 - 2 * a0 / x0, d / x0)


def amplitude(values: Values, scheme: str, chosen: Settings, time: float) -> Tolerance:
    """Return the relative tolerance of the displacement up to a time (s).

    Twice the leading error, over the share of the stiffness that is left; with a dead zone, the phase of the free
    vibration (d/x0) (w0/w) that it sets off, which no error can exceed twice.
    """
    n, leading, h = Numbers.of(values), LEADING[scheme], float(chosen["step"])
    constant = 2 / n.left * leading.constant * n.w0**leading.slow * n.w**leading.fast
    shape = f"{leading.constant:.3g} (w0 h)^{leading.slow} (w h)^{leading.fast}"
    what = f"{shape}, {leading.origin}; doubled for higher terms, over the stiffness left, {n.left:.3g}"
    own = from_theory(leading.order, constant, h, what=what)
    if n.dead == 0:
        return own
    phase = SCHEMES[scheme].error_per_radian()
    lag = min(2.0, abs(phase.constant) * (n.w * h) ** phase.order * n.w * time)
    why = "phase of the free vibration (d/x0) (w0/w) that the dead zone sets off"
    return combined(own, Tolerance(lag * n.dead * n.w0 / n.w / n.left, "relative", why))
