"""SDND103: what theory allows our schemes.

The chosen motion varies slowly. A scheme errs by the defect that it leaves when the chosen motion is put into it, and
by the free vibration that its first step starts with. Both follow from the linear equation x'' = -w² (x - X) + X'' with
X = a0 sin(w0 t) and w = sqrt(k0/m): the support takes away the kink of the spring along the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Run, Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory


@dataclass(frozen=True)
class Leading:
    """Leading error of the displacement over a0: ``constant (w0 h)^slow (w h)^fast``, and where it comes from.

    ``stated``: constant and power of a further error ``constant (w h)^power h x''`` of the velocity that is stated.
    ``difference``: constant and power of what a velocity misses that is a difference over two steps,
    ``difference (w0 h)² a0 w0``. ``defect``: whether the defect acts all the time, like a damper.
    """

    constant: float
    slow: int
    fast: int
    origin: str
    stated: tuple[float, int] = (0.0, 0)
    defect: bool = False
    difference: float = 0.0

    @property
    def order(self) -> int:
        """Power of the step."""
        return self.slow + self.fast


_FIRST_STEP = "free vibration after a first step that"
_LATE = Leading(1 / 6, 3, -1, f"{_FIRST_STEP} misses (w0 h)³/6")
_HELD = Leading(1 / 72, 1, 3, f"{_FIRST_STEP} holds the load over the half-step before the start")

LEADING = {
    "symplectic_euler": replace(_LATE, stated=(1 / 2, 0)),
    "central_adaptive": replace(_LATE, difference=1 / 6),
    "euler_adaptive": replace(_LATE, stated=(1 / 2, 0)),
    "devogelaere": _HELD,
    "devogelaere_adaptive": _HELD,
    "newmark": Leading(1 / 12, 3, -1, f"{_FIRST_STEP} misses (w0 h)³/12"),
    "itmi": Leading(1 / 12, 2, 0, "forces between samples taken for lines"),
    "runge_kutta_32": Leading(23 / 144, 3, 0, "defect 23/288 (w0 h)³, and as much free vibration", (1 / 24, 2), True),
    "runge_kutta_54": Leading(
        1 / 900, 3, 2, "defect (w0 h)³ (w h)²/1800, and as much free vibration", (1 / 3600, 4), True
    ),
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

    Twice the leading error, over the share of the stiffness that is left, and what reading between samples misses; with
    a dead zone, the phase of the free
    vibration (d/x0) (w0/w) that it sets off, which no error can exceed twice.
    """
    n, leading, h = Numbers.of(values), LEADING[scheme], float(chosen["step"])
    constant = 2 / n.left * leading.constant * n.w0**leading.slow * n.w**leading.fast
    shape = f"{leading.constant:.3g} (w0 h)^{leading.slow} (w h)^{leading.fast}"
    what = f"{shape}, {leading.origin}; doubled for higher terms, over the stiffness left, {n.left:.3g}"
    read = from_theory(4, 3 / 128 * n.w0**4, h, what="3/128 (w0 h)⁴ of the cubic through four samples")
    own = combined(from_theory(leading.order, constant, h, what=what), read)
    if scheme == "itmi":
        own = combined(own, _late_softening(n, h))
    if leading.defect:
        own = combined(own, _changed_steps(n, leading, h, time))
    if n.dead == 0:
        return own
    phase = SCHEMES[scheme].error_per_radian()
    lag = min(2.0, abs(phase.constant) * (n.w * h) ** phase.order * n.w * time)
    why = "phase of the free vibration (d/x0) (w0/w) that the dead zone sets off"
    return combined(own, Tolerance(lag * n.dead * n.w0 / n.w / n.left, "relative", why))


def _changed_steps(n: Numbers, leading: Leading, h: float, time: float) -> Tolerance:
    """Return what the control of a pair sets off, which shortens the step at every turning point and lets it grow.

    The velocity with which the scheme follows the slow motion is off by ``constant (w h)^power h x''``, most of all at
    a turning point; what a change of the step leaves of it goes on as a free vibration. Their phases are of chance.
    """
    constant, power = leading.stated
    changes = 2 * math.ceil(time * n.w0 / math.pi)
    what = f"{changes} changes of the step, each a free vibration of {constant:.3g} (w h)^{power + 1} (w0/w)²"
    return from_theory(power + 1, math.sqrt(changes) * constant * n.w ** (power - 1) * n.w0**2 / n.left, h, what=what)


def _late_softening(n: Numbers, h: float) -> Tolerance:
    """Return what ITMI misses where the softening force comes from a state that a held force has led to, over a0.

    The ramp of the force leaves a0 (w0 h) (w h)²/6 in that state; the slope of the softening, 2 |x|/x0, turns it into a
    force that goes with sin(w0 t) cos(w0 t), half as large at most, and starts from zero.
    """
    what = (
        "(2 a0/x0) (w0 h) (w h)²/12: softening force of a state that a held force has led to, over the stiffness left"
    )
    return from_theory(3, (1 - n.left) / n.left * n.w0 * n.w**2 / 12, h, what=what)


def stated_velocity(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return what the velocity that a scheme states misses beside the rate of its displacement (m/s), doubled."""
    n, h, a0 = Numbers.of(values), float(chosen["step"]), float(values["a0"])
    constant, power = LEADING[scheme].stated
    what = f"stated velocity, {constant:.3g} (w h)^{power} h a0 w0², doubled"
    own = from_theory(power + 1, 2 * constant * n.w**power * a0 * n.w0**2, h, what=what, kind="absolute")
    difference = LEADING[scheme].difference
    what = f"velocity from a difference over two steps, {difference:.3g} (w0 h)² a0 w0, doubled"
    return combined(own, from_theory(2, 2 * difference * a0 * n.w0**3, h, what=what, kind="absolute"))


def energy_error(run: Run, scheme: str) -> Tolerance:
    """Return the error of the energy balance over k0 a0²/2, doubled, over the stiffness left.

    Differenced velocities miss h²/6 of the third derivative: (w0 h)² (w0/w)²/3. A defect that acts like a damper takes
    its force over a0 times w0 and the duration. ITMI takes the softening force from a state that the force at the start
    of the step has led to: (2 a0/x0) (w h)³ (w0/w)/(9 pi) of w0 and the duration.
    """
    n, leading, h = Numbers.of(run.values), LEADING[scheme], float(run.settings["step"])
    turned = n.w0 * run.problem.end
    constant = n.w0**4 / n.w**2 / 3
    parts = [from_theory(2, 2 / n.left * constant, h, what="differenced velocities", kind="absolute")]
    if leading.defect:
        constant = leading.constant / 2 * n.w0**leading.slow * n.w**leading.fast * turned
        parts.append(from_theory(leading.order, 2 / n.left * constant, h, what="work of the defect", kind="absolute"))
    if scheme == "itmi":
        constant = (1 - n.left) * n.w**2 * n.w0 / (9 * math.pi) * turned
        parts.append(from_theory(3, 2 / n.left * constant, h, what="work of the force that is late", kind="absolute"))
    return combined(*parts)
