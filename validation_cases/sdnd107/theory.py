"""SDND107: what theory allows our schemes.

Errors of order 2 meet, and one of order 1; w is the frequency of the relaxed device, which answers most to a force.

1. The scheme. Its defect under a load p sin(w_L t), h²/12 of the fourth derivative, leaves h² p/(12 m) (1 + w_L/w) of
   displacement; with c (w_L h)^q per radian for q > 2 that is c (w_L h)^q p/(m w_L²) (1 + w_L/w). The free motion has
   its phase error and decay.
2. The law takes the elongation for linear between two evaluations: h²/12 of its second derivative, which a relaxation
   with the rate r turns into r s h² v/12 of force for the stiffness s that relaxes. Where no closed form exists, its
   implicit stages add 0.041 (r h)² of the force of the dashpot.
3. The load ends with a kink, p w_L h²/8 of impulse if that lies inside a step; and with a jump unless it ends at one of
   its zeros: no scheme puts more than half a step of the jump on the wrong side, p |sin(w_L t_end)| h/2 of impulse.
4. Schemes that take v(0) for the velocity half a step earlier miss h a(0)/2 of velocity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from veridyn.references import zener
from veridyn.references.parameters import Exact
from veridyn.solver.interpolation import turning_points
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, exactly, from_theory, roundoff

ASTER = "1e-3 of Code_Aster's test SDND107C"
LATE = ("symplectic_euler", "euler_adaptive")  # their velocity lies half a step back; see docs/schemes.md
DIGITS = 30  # of motions, so that they share what the certified values have computed
SAMPLES = 400  # of the true motion, for its amplitudes
PER_RADIAN = 4  # samples of the force, for its extremes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scales:
    """Amplitudes and rates of the true motion, for estimates."""

    m: float
    sudden: float  # N/m, stiffness of device and spring before the dashpot moves
    relaxed: float  # N/m, the same when it has given way
    branch: float  # N/m, stiffness that relaxes
    rate: float  # 1/s, of the relaxation at the largest force of the dashpot
    x: float  # m
    v: float  # m/s
    force: float  # N
    load: float  # N
    omega: float  # rad/s, of the load
    until: float  # s, end of the load
    end: float  # s
    x0: float  # m
    dashpot: float  # N
    closed: bool  # whether the law is solved in closed form

    @property
    def jump(self) -> float:
        """What is left of the load where it ends (N)."""
        return self.load * abs(round(math.sin(self.omega * self.until), 9))

    @property
    def fast(self) -> float:
        """Highest circular frequency (rad/s)."""
        return math.sqrt(self.sudden / self.m)

    @property
    def quickest(self) -> float:
        """The same, or that of the load (rad/s)."""
        return max(self.fast, self.omega if self.load else 0.0)

    @property
    def slow(self) -> float:
        """Lowest circular frequency (rad/s)."""
        return math.sqrt(self.relaxed / self.m)


def scales(values: Values) -> Scales:
    """Return the scales of a parameter set."""
    return _scales(tuple(sorted(values.items())))


@lru_cache(maxsize=64)
def _scales(values: tuple[tuple[str, Exact], ...]) -> Scales:
    given = dict(values)
    p = {name: float(value) for name, value in values}
    motion = zener.motion(**given, digits=DIGITS)
    states = [motion.state(t) for t in np.linspace(0.0, p["end"], SAMPLES).tolist()]
    x, v, force = (max(abs(float(state[i])) for state in states) for i in range(3))
    total, n = p["k1"] + p["k2"] + p["k3"], round(1 / p["alpha"], 9)
    dashpot = max(abs(float(s.force) * (1 + p["k2"] / p["k1"]) - p["k2"] * float(s.x)) for s in states)
    yielding = p["k3"] * (p["k1"] + p["k2"]) / total
    sudden, relaxed = p["k1"] * (p["k2"] + p["k3"]) / total, p["k1"] * p["k2"] / (p["k1"] + p["k2"])
    return Scales(
        m=p["m"],
        sudden=sudden + p["k"],
        relaxed=relaxed + p["k"],
        branch=sudden - relaxed,
        rate=n * yielding * dashpot ** (n - 1) / p["c"] ** n,
        x=x,
        v=v,
        force=force,
        load=abs(p["p"]) if p["until"] > 0 else 0.0,
        omega=p["omega"],
        until=p["until"],
        end=p["end"],
        x0=p["x0"],
        dashpot=dashpot,
        closed=n in (1.0, 2.0),
    )


Law = Callable[[Values, str, Settings], Tolerance]


def displacement_at(time: str = "") -> Law:
    """Return the tolerance of the displacement (m) at an instant; by default at the end."""

    def allowed(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        s = scales(values)
        if not scheme:
            return cited(ASTER, 1e-3 * s.x, kind="absolute")
        return _displacement(s, scheme, chosen, float(time) if time else s.end)

    return allowed


def force_at(time: str = "") -> Law:
    """Return the tolerance of the force (N) at an instant: of the displacement times the stiffness, and of the law."""

    def allowed(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        s = scales(values)
        if not scheme:
            return cited(ASTER, 1e-3 * s.force, kind="absolute")
        moved = _displacement(s, scheme, chosen, float(time) if time else s.end)
        return combined(
            Tolerance(s.sudden * moved.value, "absolute", f"stiffness times displacement: {moved.reason}"),
            from_theory(2, _of_law(s), float(chosen["step"]), what=_LINE, kind="absolute"),
        )

    return allowed


_LINE = "elongation linear between evaluations"


def _displacement(s: Scales, scheme: str, chosen: Settings, time: float) -> Tolerance:
    terms = (*_of_scheme(s, scheme, time), *_of_load(s, scheme, chosen, time), (2, _of_law(s) / s.relaxed, _LINE))
    step = float(chosen["step"])
    return combined(*(from_theory(order, value, step, what=what, kind="absolute") for order, value, what in terms))


def _of_scheme(s: Scales, scheme: str, time: float) -> Iterator[tuple[int, float, str]]:
    """Yield order, constant and meaning of the errors of a free motion."""
    for term, what in ((SCHEMES[scheme].in_contact, "phase error"), (SCHEMES[scheme].decay_in_contact, "decay")):
        if term is not None:
            yield term.order, s.x * abs(term.constant) * s.fast**term.order * s.fast * time, what
    if scheme in LATE and s.x0:
        yield 1, s.sudden * abs(s.x0) / s.m / (2 * s.slow), "velocity half a step late, h a(0)/2"


def _of_load(s: Scales, scheme: str, chosen: Settings, time: float) -> Iterator[tuple[int, float, str]]:
    """Yield order, constant and meaning of the errors under a load."""
    if not s.load:
        return
    swing = s.load / s.m * (1 + s.omega / s.slow)
    for term in (SCHEMES[scheme].in_contact, SCHEMES[scheme].decay_in_contact):
        if term is not None and term.order > 2:
            what = f"load within a step, (w_L h)^{term.order}/{1 / abs(term.constant):.3g} p/(m w_L²) (1 + w_L/w)"
            yield term.order, abs(term.constant) * s.omega ** (term.order - 2) * swing, what
    if SCHEMES[scheme].in_contact.order == 2:
        yield 2, swing / 12, "load within a step, h² p/(12 m) (1 + w_L/w)"
    if SCHEMES[scheme].adaptive and SCHEMES[scheme].in_contact.order == 2:
        rate = s.load * s.omega / s.m
        yield 2, 2 * rate / (8 * s.slow), "a step that grows and one that shrinks, each h² p w_L/(8 m) of the velocity"
    if time > s.until and s.jump:
        yield 1, s.jump / (2 * s.m * s.slow), "jump at the end of the load, up to half a step on the wrong side"
    steps = s.until / float(chosen["step"])
    met = not SCHEMES[scheme].adaptive and abs(steps - round(steps)) < 1e-6
    if time > s.until and not met:
        yield 2, s.load * s.omega / (8 * s.m * s.slow), "end of the load inside a step"


def _of_law(s: Scales) -> float:
    """Force over the step squared (N/s²) that the law of the device costs."""
    implicit = 0.0 if s.closed else 0.041 * s.rate**2 * s.dashpot
    return s.rate * s.branch * s.v / 12 + implicit


def of_peak_force(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the force at its peak, which need not exist."""
    if zener.peak_time(**values).value is None:
        return exactly("the force has no extreme")
    allowed = force_at()(values, scheme, chosen)
    return _or_a_rival(allowed, 1, values, scheme, allowed)


def of_peak_time(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the instant of the peak: the rate of the error over the curvature of the force."""
    s = scales(values)
    if zener.peak_time(**values).value is None:
        return exactly("the force has no extreme")
    if not scheme:
        return cited(ASTER, 1e-3 * s.end, kind="absolute")
    allowed = force_at()(values, scheme, chosen)
    motion, t = zener.motion(**values, digits=DIGITS), float(zener.peak_time(**values))
    near = 1e-3 / s.fast
    ahead, at, behind = (float(motion.force(t + k * near)) for k in (1, 0, -1))
    curvature = abs(ahead - 2 * at + behind) / near**2
    why = f"over the curvature of the force: {allowed.reason}"
    return _or_a_rival(Tolerance(allowed.value * s.quickest / curvature, "absolute", why), 0, values, scheme, allowed)


def _or_a_rival(alone: Tolerance, part: int, values: Values, scheme: str, allowed: Tolerance) -> Tolerance:
    """Add how far instant (part 0) or force (part 1) of another extreme is off that errors may make the largest."""
    if not scheme:
        return alone
    given = tuple(sorted(values.items()))
    peak = np.array([float(zener.peak_time(**values)), float(zener.peak_force(**values))])
    turns = np.array(_turning_points(given))
    rivals = turns[:, np.abs(turns[1]) >= abs(peak[1]) - 2 * allowed.value]
    apart = rivals[part, np.abs(rivals[0] - peak[0]) > 1 / scales(values).quickest] - peak[part]
    if not apart.size:
        return alone
    what = "theory: another extreme is as large, to what the force may be wrong"
    return combined(alone, Tolerance(float(np.abs(apart).max()), "absolute", what))


@lru_cache(maxsize=64)
def _turning_points(values: tuple[tuple[str, Exact], ...]) -> tuple[Floats, Floats]:
    """Return instants (s) and forces (N) where the true force of the device turns."""
    s, motion = _scales(values), zener.motion(**dict(values), digits=DIGITS)
    times = np.linspace(0.0, s.end, math.ceil(PER_RADIAN * s.quickest * s.end) + 8)
    return turning_points(times, [float(motion.force(t)) for t in times.tolist()])


def of_initial_force(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - no step enters
    """Return the tolerance of the force of the sudden stretch: one product."""
    if values["x0"].rational == 0:
        return exactly("no stretch, no force")
    return roundoff(16, what="stiffness times stretch") if scheme else cited(ASTER, 1e-3)
