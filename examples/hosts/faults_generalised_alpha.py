"""Seeded faults of the generalised-alpha host: weights, iteration and laws of its steps, and what could go wrong in any solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import generalised_alpha as host
import numpy as np
from faults_common import (
    Fault,
    Patched,
    Sizes,
    Touches,
    coarse,
    common_faults,
    has_absolute,
    has_devices,
    has_drives,
    has_frictions,
    has_need,
    has_stops,
    has_supports,
    is_stiff,
)
from generalised_alpha import SOLVER as HOST
from generalised_alpha import GeneralisedAlpha, with_law
from numba import njit

SOLVER = HOST
SIZES = Sizes(1e-3, 1e-8)
STICK = host.STICK


def weighed(**change: Callable[[Any, float], float]) -> Callable[[float], GeneralisedAlpha]:
    """Return what makes the solver with other weights."""

    def make(size: float) -> GeneralisedAlpha:
        w = HOST.weights()
        return replace(HOST, **{name: new(w, size) for name, new in change.items()})

    return make


def loads_at(part: Callable[[Any, float], float]) -> Callable[[float], GeneralisedAlpha]:
    """Return what makes the solver that takes its loads at another part of the step."""

    def make(size: float) -> GeneralisedAlpha:
        class Changed(GeneralisedAlpha):
            def load_instants(self, times: Any) -> Any:
                return times[:-1] + part(self.weights(), size) * np.diff(times)

        return Changed()

    return make


class MeanLoads(GeneralisedAlpha):
    """Takes the weighted mean of the loads at both ends of a step."""

    def model(self, problem: Any, s: Any, times: Any) -> Any:
        """Return the model with other forces."""
        made, f = super().model(problem, s, times), self.weights().alpha_f
        at = self.loads(problem, s, times)
        return made._replace(force=np.concatenate((at[:1], (1 - f) * at[1:] + f * at[:-1])))


def loads_taken(change: Callable[[Any, float], Any]) -> Callable[[float], GeneralisedAlpha]:
    """Return what makes the solver that takes its loads at changed instants."""

    def make(size: float) -> GeneralisedAlpha:
        class Changed(GeneralisedAlpha):
            def loads(self, problem: Any, s: Any, times: Any) -> Any:
                return super().loads(problem, s, change(times, size))

        return Changed()

    return make


def modelled(change: Callable[[Any, float], Any]) -> Callable[[float], GeneralisedAlpha]:
    """Return what makes the solver with another model."""

    def make(size: float) -> GeneralisedAlpha:
        class Changed(GeneralisedAlpha):
            def model(self, problem: Any, s: Any, times: Any) -> Any:
                return change(super().model(problem, s, times), size)

        return Changed()

    return make


def function_changed(name: str, change: Callable[..., Any]) -> Callable[[float], Patched]:
    """Return what makes the solver with another function in its module: change(size, kept, *arguments)."""

    def make(size: float) -> Patched:
        kept = getattr(host, name)
        return Patched(SOLVER, **{name: lambda *given: change(size, kept, *given)})

    return make


def no_first_acceleration(size: float, kept: Any, laws: Any, model: Any, k: int, now: Any, w: Any, h: float) -> Any:
    """Leave a part of the first acceleration."""
    done = kept(laws, model, k, now, w, h)
    now.a[:] *= 1 - size
    return done


def longer_step(
    size: float, kept: Any, laws: Any, model: Any, now: Any, old: Any, w: Any, h: float, history: Any
) -> Any:
    """Go on by longer steps than those under which the instants are kept."""
    return kept(laws, model, now, old, w, h * (1 + size), history)


def single_structure(size: float, kept: Any, problem: Any) -> Any:
    """Return the structure with few digits."""
    s = kept(problem)
    return s._replace(mass=coarse(s.mass, size), stiffness=coarse(s.stiffness, size), damping=coarse(s.damping, size))


def shortened_drift(motion: str) -> Callable[..., Any]:
    """Return the motion of supports at elements, too small in displacement or velocity."""

    def change(size: float, kept: Any, problem: Any, elements: Any, directions: Any, times: Any, which: str) -> Any:
        return kept(problem, elements, directions, times, which) * (1 - size * (which == motion))

    return change


class EarlierVelocity(GeneralisedAlpha):
    """Writes the velocity of the weighted instant."""

    def response(self, problem: Any, s: Any, model: Any, times: Any, history: Any) -> Any:
        """Return the answer with weighted velocities."""
        f, v = self.weights().alpha_f, np.array(history.v)
        v[1:] = (1 - f) * history.v[1:] + f * history.v[:-1]
        return super().response(problem, s, model, times, history._replace(v=v))


class EarlierState(GeneralisedAlpha):
    """Writes the state of the step before."""

    def response(self, problem: Any, s: Any, model: Any, times: Any, history: Any) -> Any:
        """Return the answer one step late."""
        moved = (np.concatenate((rows[:1], rows[:-1])) for rows in (history.u, history.v))
        u, v = moved
        return super().response(problem, s, model, times, history._replace(u=u, v=v))


class OneStepMore(GeneralisedAlpha):
    """Takes one step less than asked for, and writes as many instants."""

    def steps(self, problem: Any, settings: Any) -> int:
        """Return the number of steps, rounded down to hundreds."""
        count = super().steps(problem, settings)
        return count - count % 100 if count > 100 else count


# --- laws ----------------------------------------------------------------------------------------------------------


def lawful(**make: Callable[[float], Any]) -> Callable[[float], GeneralisedAlpha]:
    """Return what makes the solver with other laws, each made for a size."""
    return lambda size: with_law(HOST, **{name: law(size) for name, law in make.items()})


def touched_early(size: float) -> Any:
    """Return the distance to a stop that is too small by an absolute length (m)."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return (width - abs(y) if two_sided else width - y) - size

    return law


def touched_by_single(_: float) -> Any:
    """Return the distance to a stop as a number of single precision."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return np.float64(np.float32(width - abs(y) if two_sided else width - y))

    return law


def lost_on_return(size: float) -> Any:
    """Return the push of a stop that is smaller while the gap opens."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float) -> float:
        push = max(0.0, -stiffness * distance - damping * rate) if distance <= 0.0 else 0.0
        return push * (1.0 - size) if rate > 0.0 else push

    return law


def hardening(size: float) -> Any:
    """Return the push of a stop that hardens: stiffness times (1 + size at a penetration of 1 mm)."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float) -> float:
        hard = stiffness * (1.0 - size * distance * 1e3)
        return max(0.0, -hard * distance - damping * rate) if distance <= 0.0 else 0.0

    return law


def one_way_damper(_: float) -> Any:
    """Return the push of a stop whose dashpot acts only while the gap closes."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float) -> float:
        return max(0.0, -stiffness * distance - damping * min(rate, 0.0)) if distance <= 0.0 else 0.0

    return law


def released_late(size: float) -> Any:
    """Return the status of friction whose stick holds beyond the static limit."""

    @njit
    def law(status: float, force: float, velocity: float, normal: float, static: float) -> float:
        if status == STICK:
            return STICK if abs(force) <= (1.0 + size) * static * normal else -math.copysign(1.0, force)
        return status if velocity * status > 0.0 else STICK

    return law


def early_capture(size: float) -> Any:
    """Return the status of friction that sticks below a velocity (m/s)."""

    @njit
    def law(status: float, force: float, velocity: float, normal: float, static: float) -> float:
        if status == STICK:
            return STICK if abs(force) <= static * normal else -math.copysign(1.0, force)
        return status if velocity * status > size else STICK

    return law


def never_again(_: float) -> Any:
    """Return the status of friction that sticks only where the velocity has turned back twice."""

    @njit
    def law(status: float, force: float, velocity: float, normal: float, static: float) -> float:
        if status == STICK:
            return STICK if abs(force) <= static * normal else -math.copysign(1.0, force)
        return status if velocity * status > 0.0 else -status

    return law


def slip_one_sided(size: float) -> Any:
    """Return the force of slip, too large against the tangent."""

    @njit
    def law(direction: float, normal: float, kinetic: float) -> float:
        return -direction * kinetic * normal * (1.0 + size if direction < 0.0 else 1.0)

    return law


def dashpot_power(size: float) -> Any:
    """Return the rate of a dashpot with another exponent."""

    @njit
    def law(force: float, damping: float, power: float) -> float:
        return math.copysign(abs(force / damping) ** (power * (1.0 + size)), force)

    return law


@njit
def one_plane(y: float, size: float, _: bool) -> float:
    """Distance to the upper plane alone."""
    return size - y


def two_sided(p: Any) -> bool:
    """Tell whether a stop has two planes."""
    return any(stop.geometry == "parallel planes" for stop in p.stops)


def absolute_rate(p: Any) -> bool:
    """Tell whether an element sees the velocity of supports."""
    return has_supports(p) and any(e.frame == "absolute" for e in (*[s for s in p.stops if s.damping], *p.frictions))


def own_faults() -> list[Fault]:
    """Return the faults of this method."""

    def fault(
        name: str,
        kind: str,
        what: str,
        make: Any,
        touches: Touches = lambda _: True,
        meaning: str = "",
        size: float | None = None,
        smallest: float | None = None,
        unseen: str = "",
    ) -> Fault:
        if not meaning:
            return Fault(name, kind, what, None, "", None, make, touches, unseen)
        return Fault(name, kind, what, size or SIZES.size, meaning, smallest or SIZES.smallest, make, touches, unseen)

    relative, nonlinear = "relative change", lambda p: bool(p.stops or p.frictions or p.devices)
    return [
        fault("rho_inf", "method", "The spectral radius at infinity is too small.", weighed(rho_inf=lambda _, s: HOST.rho_inf * (1 - s)), meaning=relative),
        fault("alpha_m", "method", "The weight of inertia is too large.", weighed(alpha_m=lambda w, s: w.alpha_m + s, beta=lambda w, s: w.beta, gamma=lambda w, s: w.gamma), meaning="change"),
        fault("alpha_f", "method", "The weight of forces is too large.", weighed(alpha_f=lambda w, s: w.alpha_f + s, beta=lambda w, s: w.beta, gamma=lambda w, s: w.gamma), meaning="change"),
        fault("beta", "method", "Beta is too large.", weighed(beta=lambda w, s: (1 + s) * w.beta), meaning=relative),
        fault("gamma", "method", "Gamma is too large.", weighed(gamma=lambda w, s: (1 + s) * w.gamma), meaning=relative),
        fault("newton_loose", "method", "Newton's iteration ends early.", weighed(newton_tolerance=lambda _, s: s), nonlinear, "tolerance", 1e-3, 1e-12),
        fault("load_at_start", "method", "Loads are taken at the start of a step.", loads_at(lambda _, s: 0.0), has_drives),
        fault("load_at_end", "method", "Loads are taken at the end of a step.", loads_at(lambda _, s: 1.0), has_drives),
        fault("load_instant", "method", "Loads are taken too late in a step.", loads_at(lambda w, s: 1 - w.alpha_f + s), has_drives, "part of a step"),
        fault("load_mean", "method", "Loads are the weighted mean of both ends of a step.", lambda _: MeanLoads(), has_drives),
        fault("load_time_single", "precision", "Loads are taken at instants of single precision.", loads_taken(coarse), has_drives, "relative resolution", 6e-8, 1e-13),
        fault("load_clock_slow", "load", "The clock of the loads is slow.", loads_taken(lambda t, s: t[0] + (1 - s) * (t - t[0])), has_drives, relative),
        fault("first_acceleration", "method", "A part of the first acceleration is missing.", function_changed("first_acceleration", no_first_acceleration), meaning="part", size=1.0),
        fault("step_longer", "method", "Steps are longer than the instants say.", function_changed("march", longer_step), meaning=relative),
        fault("structure_single", "precision", "Mass, damping and stiffness have few digits.", function_changed("structure", single_structure), meaning="relative resolution", size=6e-8, smallest=1e-13),
        fault("stiffness_in_loop", "method", "The stiffness in the loop is too large.", modelled(lambda m, s: m._replace(stiffness=(1 + s) * m.stiffness)), is_stiff, relative),
        fault("damping_in_loop", "method", "The damping in the loop is too large.", modelled(lambda m, s: m._replace(damping=(1 + s) * m.damping)), has_need("damping"), relative),
        fault("force_rounded", "precision", "Loads have few digits.", modelled(lambda m, s: m._replace(force=coarse(m.force, s))), has_drives, "relative resolution", 6e-8, 1e-13),
        fault("support_late", "support", "Elements see the support one step late.", modelled(lambda m, s: m._replace(drift=np.concatenate((m.drift[:1], m.drift[:-1])))), has_absolute),
        fault("support_displacement_seen", "support", "Elements see too small a displacement of supports.", function_changed("drift", shortened_drift("displacement")), has_absolute, relative),
        fault("support_velocity_seen", "support", "Elements see too small a velocity of supports.", function_changed("drift", shortened_drift("velocity")), absolute_rate, relative),
        fault("velocity_weighted", "output", "Velocities are those of the weighted instants.", lambda _: EarlierVelocity()),
        fault("state_step_late", "output", "Every state stands one step late.", lambda _: EarlierState()),
        fault("steps_rounded", "method", "The number of steps is rounded down to hundreds.", lambda _: OneStepMore(), unseen="Steps are longer than asked for by a few parts in a thousand, and the instants say so: the answer is right."),
        fault("touch_early", "contact", "A stop is touched before the gap is closed.", lawful(gap=touched_early), has_stops, "length in m", 1e-6, 1e-12),
        fault("gap_single", "precision", "Gaps are numbers of single precision.", lawful(gap=touched_by_single), has_stops),
        fault("restitution", "contact", "A stop pushes less while the gap opens.", lawful(contact_force=lost_on_return), has_stops, "part of the push"),
        fault("stop_hardens", "contact", "A stop hardens with the penetration.", lawful(contact_force=hardening), has_stops, "part of the stiffness at 1 mm"),
        fault("damper_one_way", "contact", "The dashpot of a stop acts only while the gap closes.", lawful(contact_force=one_way_damper), has_need("contact:damped")),
        fault("one_plane_only", "contact", "Of two planes the upper one acts alone.", lambda _: with_law(HOST, gap=one_plane, side=njit(lambda y, both: 1.0)), two_sided),
        fault("stick_released_late", "friction", "Stick holds beyond the static limit.", lawful(friction_status=released_late), has_frictions, "part of the limit"),
        fault("stick_too_early", "friction", "What slips slowly enough sticks.", lawful(friction_status=early_capture), has_frictions, "velocity in m/s", 1e-3, 1e-9),
        fault("slip_turns_without_stick", "friction", "A slip that turns does not try to stick.", lawful(friction_status=never_again), has_frictions),
        fault("slip_one_sided", "friction", "Slip against the tangent has too much friction.", lawful(slip_force=slip_one_sided), has_frictions, relative),
        fault("dashpot_power", "device", "The exponent in the rate of a dashpot is too large.", lawful(dashpot_rate=dashpot_power), has_devices("alpha"), relative),
        fault("touches_few", "contact", "A stop that opens and closes within a step is left open.", lambda _: replace(HOST, touches=1), has_stops),
    ]  # fmt: skip


FAULTS = (*common_faults(HOST, SIZES), *own_faults())
