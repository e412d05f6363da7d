"""SDND105: what theory allows our schemes.

A scheme meets the collapse of the force within a step: for up to a step the force is f_crit instead of what is left, or
the other way round, which is an energy of (f_crit - f_post) v h. A kink of the force costs up to ½ |Δk| (v h)², as a
contact inside a step does, and the elastic phase (w h)²/4 of the energy: the velocity half a step after the start is
v (1 - (w h)²/8), and taken for v. Everything else follows from this energy and from second-order errors of the return.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from veridyn.references import buckling_phases, buckling_stop
from veridyn.references.buckling_phases import History, Phase
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, exactly, from_theory, roundoff

ASTER = "1e-3 of Code_Aster's tests SDND105A to C for instants and crush"


@dataclass(frozen=True)
class Truth:
    """True history in floats (of the crush), the mass that moves with the crush, the launch energy."""

    phases: tuple[Phase, ...]
    mass: float
    energy: float
    bodies: float
    turning: float
    largest: float
    residual: float
    release: float
    exit: float
    stiffness: float

    @property
    def back(self) -> float:
        """Circular frequency of the return (rad/s)."""
        return math.sqrt(self.stiffness / self.mass)

    @property
    def quarter(self) -> float:
        """Duration of the return (s)."""
        return math.pi / (2 * self.back)

    @property
    def collapse(self) -> float:
        """Power (W) of the force that is wrong for up to a step: jumps of the force times velocity."""
        return float(sum(round(abs(b.force - _end_force(a, b)), 9) * b.velocity for a, b in _changes(self.loading)))

    @property
    def kinks(self) -> float:
        """½ |Δk| v², summed over the changes of slope (W/s)."""
        return float(sum(0.5 * abs(b.slope - a.slope) * b.velocity**2 for a, b in _changes(self.loading)))

    @property
    def loading(self) -> tuple[Phase, ...]:
        """Phases until the masses turn."""
        return self.phases[:-2]

    @property
    def end_force(self) -> float:
        """Force at the turning point (N)."""
        return float(self.phases[-2].force)

    @property
    def slowest(self) -> float:
        """Velocity at the last change of phase before the turning point (m/s)."""
        return float(self.loading[-1].velocity)


def _changes(phases: tuple[Phase, ...]) -> list[tuple[Phase, Phase]]:
    return list(pairwise(phases))


def _end_force(a: Phase, b: Phase) -> float:
    return float(a.force + a.slope * (b.crush - a.crush))


def truth(values: Values) -> Truth:
    """Return the true history of a parameter set."""
    return _truth(tuple(sorted(values.items())))


@lru_cache(maxsize=64)
def _truth(values: tuple[tuple[str, object], ...]) -> Truth:
    stop = buckling_stop.motion(**dict(values), digits=15).stop
    found: History = buckling_phases.closed(stop)
    phases = tuple(Phase(*map(float, phase)) for phase in found.phases)
    numbers = (found.turning, found.largest, found.residual, found.release, found.exit, found.stiffness)
    return Truth(phases, float(stop.mass), float(stop.launched), float(stop.bodies), *map(float, numbers))


def _share(values: Values, t: Truth) -> float:
    """Part of a change of the largest crush that comes back: one less the slope of the residual crush, even below 0."""
    stop = buckling_stop.motion(**values, digits=15).stop
    step = 1e-6 * t.largest
    return 1.0 - round(float(stop.residual(t.largest + step) - stop.residual(t.largest)) / step, 6)


@dataclass(frozen=True)
class Effect:
    """What an error of energy (J) and the step squared (s²) do to a quantity."""

    of_energy: float
    of_step: float

    def __add__(self, other: Effect) -> Effect:
        """Add two effects."""
        return Effect(self.of_energy + other.of_energy, self.of_step + other.of_step)

    def __rmul__(self, factor: float) -> Effect:
        """Scale an effect."""
        return Effect(factor * self.of_energy, factor * self.of_step)


def on_crush(values: Values, t: Truth) -> Effect:  # noqa: ARG001 - the same for all effects
    """Effect on the largest crush: δE/F, and the sample nearest to it, which misses F h²/(8 m)."""
    return Effect(1 / t.end_force, t.end_force / (8 * t.mass))


def on_turning(values: Values, t: Truth) -> Effect:  # noqa: ARG001
    """Effect on the instant of turning: the last deceleration, δv/a, and the passage of all phases, ∫ dx δv/v²."""
    energy = 1 / (t.end_force * t.slowest) + t.turning / (t.mass * t.slowest**2)
    return Effect(energy, t.turning * max(t.back, t.loading[0].slope / t.mass) ** 2 / 8)


def on_return(values: Values, t: Truth) -> Effect:
    """Relative effect on amplitude and frequency of the return: what comes back, the force at its start, and (w h)²."""
    of_crush = float(abs(_share(values, t)) / (t.largest - t.residual) + abs(t.loading[-1].slope) / t.end_force)
    return 0.5 * of_crush * on_crush(values, t) + Effect(0.0, t.back**2)


def on_residual(values: Values, t: Truth) -> Effect:
    """Effect on the residual crush, which never falls as the largest crush grows."""
    return (1 - _share(values, t)) * on_crush(values, t)


def on_release(values: Values, t: Truth) -> Effect:
    """Effect on the instant of release: turning and a quarter of a period."""
    return on_turning(values, t) + t.quarter * on_return(values, t)


def on_back(values: Values, t: Truth) -> Effect:
    """Effect on the return to the start: release, the way of the residual crush and its velocity."""
    way = t.residual / t.exit
    return on_release(values, t) + 1 / t.exit * on_residual(values, t) + way * on_return(values, t)


def on_velocity(values: Values, t: Truth, time: str = "9") -> Effect:
    """Effect on the velocity at an instant of the return: its amplitude, and the acceleration for the instant."""
    acceleration = float(buckling_stop.motion(**values, digits=15).force(time)) / t.mass
    return t.exit * on_return(values, t) + acceleration * on_release(values, t)


def on_passages(values: Values, t: Truth) -> Effect:  # noqa: ARG001
    """Effect on the instants at which the phases of the loading begin, read from cubics through kinks and jumps."""
    last = t.loading[-1].start
    jumps = t.collapse / (16 * t.mass * t.slowest**2)  # a cubic through four samples, the last of which feels the jump
    return Effect(0.0, last * energy_of_kinks(t) / (t.mass * t.slowest**2) + jumps)


Law = Callable[[Values, Truth], Effect]


def tolerance(law: Law, scale: Callable[[Truth], float], asked: float = 1e-3) -> Callable[..., Tolerance]:
    """Return the tolerance of a quantity: an effect times a scale; for other solvers what Code_Aster asks."""

    def allowed(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if not scheme:
            return cited(ASTER, asked)
        t = truth(values)
        return _bound(scale(t) * law(values, t), t, float(chosen["step"]))

    return allowed


def _bound(effect: Effect, t: Truth, step: float) -> Tolerance:
    second = effect.of_energy * energy_of_kinks(t) + effect.of_step
    what = "kinks inside steps, ½ |Δk| (v h)², and (w h)²/4 of the energy"
    smooth = from_theory(2, second, step, what=what, kind="absolute")
    if not t.collapse:
        return smooth
    what = "force that collapses inside a step: (f_crit - f_post) v h of energy"
    return combined(from_theory(1, effect.of_energy * t.collapse, step, what=what, kind="absolute"), smooth)


def energy_of_kinks(t: Truth) -> float:
    """Energy over the step squared (W/s) that kinks and the elastic phase cost."""
    return float(t.kinks + t.energy * t.loading[0].slope / t.mass / 4)


def residual_of_energy(values: Values, step: float) -> Tolerance:
    """Return the tolerance of the energy balance over the launch energy."""
    t = truth(values)
    return _bound(Effect(1 / t.energy, 0.0), t, step)


def buckling(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the instant of buckling: phase error and decay of the scheme over one smooth phase."""
    t = truth(values)
    if len(t.loading) == 1:
        return exactly("the stop does not buckle")
    if not scheme:
        return cited(ASTER, 1e-3)
    step, w = float(chosen["step"]), math.sqrt(t.loading[0].slope / t.mass)
    angle = w * t.loading[1].start
    leading, decay = SCHEMES[scheme].in_contact, SCHEMES[scheme].decay_in_contact
    parts = [_term(leading.order, abs(leading.constant) * angle, w, step, "phase error")]
    if decay is not None:
        parts.append(_term(decay.order, abs(decay.constant) * angle * math.tan(angle), w, step, "decay"))
    if leading.order == 2:
        parts.append(_term(2, math.tan(angle) / 8, w, step, "start half a step late"))
    operations, scale = 16 * math.sqrt(angle / (w * step)), max(1.0, math.tan(angle)) / w
    what = "extrapolation from six samples, over the velocity that is left"
    return combined(*parts, roundoff(operations, what=what, scale=scale, kind="absolute"))


def _term(order: int, constant: float, w: float, step: float, what: str) -> Tolerance:
    what = f"{what} of the elastic phase, half as much again for higher orders"
    return from_theory(order, 1.5 * constant * w ** (order - 1), step, what=what, kind="absolute")


def stiffness(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the stiffness of the return: twice the relative error of a quarter of a period."""
    if not scheme:
        return cited(ASTER, 1e-3)
    t, step, leading = truth(values), float(chosen["step"]), SCHEMES[scheme].in_contact
    twice = 2 * t.stiffness
    of_crush = replace(on_return(values, t), of_step=0.0)
    constant = (abs(leading.constant) + (0.125 if leading.order == 2 else 0.0)) * t.back**leading.order
    vertex = 8 * t.largest * t.mass / (t.end_force * step * t.quarter)
    return combined(
        _bound(twice * of_crush, t, step),
        from_theory(leading.order, twice * constant, step, what="phase error of the return", kind="absolute"),
        from_theory(3, twice * t.back**3 / 24, step, what="vertex of a parabola", kind="absolute"),
        roundoff(vertex, scale=twice, what="vertex of a parabola through nearly equal values", kind="absolute"),
    )
