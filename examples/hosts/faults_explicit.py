"""Seeded faults of the leapfrog host: what could go wrong in its own steps, and what could in any solver.

A law is changed through `with_law`, the way through the steps by a subclass or another function in its module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import explicit as host
import numpy as np
from explicit import SOLVER as HOST
from explicit import Explicit, with_law
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
    has_inner_breaks,
    has_need,
    has_stops,
    is_stiff,
)
from numba import njit

SOLVER = HOST
SIZES = Sizes(1e-3, 1e-8)
STICK = host.STICK


# --- the way through the steps -------------------------------------------------------------------------------------


def shifted_forces(steps: int) -> type[Explicit]:
    """Return the solver whose loads are those of some instants before (negative: after)."""

    class Late(Explicit):
        def loads(self, problem: Any, s: Any, times: Any) -> Any:
            out = super().loads(problem, s, times)
            return np.concatenate((out[:1], out[:-1])) if steps > 0 else np.concatenate((out[1:], out[-1:]))

    return Late


class OneSided(Explicit):
    """Takes a load that jumps at an instant as it is after the jump."""

    def value(self, function: Any, times: Any) -> Any:
        """Return the function at the instants."""
        return np.asarray(function(times))


class SingleTime(Explicit):
    """Takes loads at instants of single precision."""

    def value(self, function: Any, times: Any) -> Any:
        """Return the function at rounded instants."""
        return super().value(function, times.astype(np.float32).astype(float))


def clocked(size: float) -> Explicit:
    """Return the solver whose clock for loads is slow."""

    class Slow(Explicit):
        def loads(self, problem: Any, s: Any, times: Any) -> Any:
            return super().loads(problem, s, times[0] + (1 - size) * (times - times[0]))

    return Slow()


class NoFirstAcceleration(Explicit):
    """Takes the first acceleration as zero."""

    def initial_acceleration(self, problem: Any, s: Any, model: Any, state: Any, h: float) -> Any:
        """Return zeros."""
        return np.zeros(s.velocity.size)


def first_acceleration(size: float) -> Explicit:
    """Return the solver whose first acceleration is too large."""

    class Changed(Explicit):
        def initial_acceleration(self, problem: Any, s: Any, model: Any, state: Any, h: float) -> Any:
            return (1 + size) * super().initial_acceleration(problem, s, model, state, h)

    return Changed()


class StartOfStep(Explicit):
    """Takes the initial velocity for that of half a step before."""

    def state(self, problem: Any, s: Any, model: Any, h: float) -> Any:
        """Return the state at the start."""
        now = super().state(problem, s, model, h)
        now.w0[:] = s.velocity
        return now


class StartHalfForward(Explicit):
    """Goes half a step forward for the velocity before the start."""

    def state(self, problem: Any, s: Any, model: Any, h: float) -> Any:
        """Return the state at the start."""
        now = super().state(problem, s, model, h)
        now.w0[:] = 2 * s.velocity - now.w0
        return now


def modelled(change: Callable[[Any, float, float], Any]) -> Callable[[float], Explicit]:
    """Return what makes the solver with another model: change(model, step, size)."""

    def make(size: float) -> Explicit:
        class Changed(Explicit):
            def model(self, problem: Any, s: Any, times: Any, h: float) -> Any:
                return change(super().model(problem, s, times, h), h, size)

        return Changed()

    return make


def marching(change: Callable[..., Any]) -> Callable[[float], Patched]:
    """Return what makes the solver with another way to go through the steps: change(size, march, *arguments)."""

    def make(size: float) -> Patched:
        kept = host.march
        return Patched(SOLVER, march=lambda *given: change(size, kept, *given))

    return make


def longer_step(size: float, march: Any, laws: Any, model: Any, now: Any, h: float, *rest: Any) -> Any:
    """Go on by a longer step than the matrices are made for."""
    return march(laws, model, now, h * (1 + size), *rest)


def coarse_history(
    size: float, march: Any, laws: Any, model: Any, now: Any, h: float, sweeps: Any, tolerance: Any, history: Any
) -> Any:
    """Round the state to a relative resolution before it is gone on with, in ten parts of the run."""
    rows, parts = model.force.shape[0], 10
    edges = np.linspace(0, rows, parts + 1).astype(int)
    for a, b in pairwise(edges):
        piece = model._replace(
            **{
                name: getattr(model, name)[a : b + (name == "drift")]
                for name in ("force", "drift", "drift_rate", "next_rate")
            }
        )
        part = type(history)(*(rows[a:b] for rows in history))
        settled = march(laws, piece, now, h, sweeps, tolerance, part)
        if settled < b - a:
            return a + settled
        for name in ("u", "w0"):
            getattr(now, name)[:] = coarse(getattr(now, name), size)
    return rows


class ReportsLaterVelocity(Explicit):
    """Writes the velocity half a step later than the displacement."""

    def response(self, problem: Any, s: Any, model: Any, times: Any, history: Any) -> dict[str, Any]:
        """Return the answer with means of the velocities of two instants."""
        v = np.array(history.v)
        v[:-1] = 0.5 * (v[:-1] + v[1:])
        return super().response(problem, s, model, times, history._replace(v=v))


class AnotherStep(Explicit):
    """Takes one step more than asked for, and writes the instants that were asked for."""

    def response(self, problem: Any, s: Any, model: Any, times: Any, history: Any) -> dict[str, Any]:
        """Return the answer under the instants of one step less, the last one twice."""
        off = np.linspace(times[0], times[-1], times.size) - (times[1] - times[0]) * np.linspace(0, 1, times.size)
        moved = [np.column_stack([np.interp(times, off, c) for c in rows.T]) for rows in (history.u, history.v)]
        return super().response(problem, s, model, times, history._replace(u=moved[0], v=moved[1]))


# --- laws ----------------------------------------------------------------------------------------------------------


def lawful(**make: Callable[[float], Any]) -> Callable[[float], Explicit]:
    """Return what makes the solver with other laws, each made for a size."""
    return lambda size: with_law(HOST, **{name: law(size) for name, law in make.items()})


def stiffer_with_depth(size: float) -> Any:
    """Return the push of a stop that hardens: stiffness times (1 + size at a penetration of 1 mm)."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
        if distance > 0.0:
            return 0.0
        hard = stiffness * (1.0 - size * distance * 1e3)
        return max(0.0, (-hard * distance - damping * rate) / (1.0 + damping * mobility))

    return law


def lost_on_return(size: float) -> Any:
    """Return the push of a stop that is smaller while the gap opens: restitution below that of the law."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
        if distance > 0.0:
            return 0.0
        push = max(0.0, (-stiffness * distance - damping * rate) / (1.0 + damping * mobility))
        return push * (1.0 - size) if rate > 0.0 else push

    return law


def touched_early(size: float) -> Any:
    """Return the distance to a stop that is too small by an absolute length (m)."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return (width - abs(y) if two_sided else width - y) - size

    return law


def touched_by_single(size: float) -> Any:
    """Return the distance to a stop as a number of single precision."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return np.float64(np.float32(width - abs(y) if two_sided else width - y))

    return law


def one_way_damper(_: float) -> Any:
    """Return the push of a stop whose dashpot acts only while the gap closes."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
        if distance > 0.0:
            return 0.0
        acts = damping if rate < 0.0 else 0.0
        return max(0.0, (-stiffness * distance - acts * rate) / (1.0 + acts * mobility))

    return law


def pulling(_: float) -> Any:
    """Return the push of a stop that may pull before the gap opens."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
        return 0.0 if distance > 0.0 else (-stiffness * distance - damping * rate) / (1.0 + damping * mobility)

    return law


def explicit_damper(_: float) -> Any:
    """Return the push of a stop whose dashpot does not see what the push itself changes."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
        return 0.0 if distance > 0.0 else max(0.0, -stiffness * distance - damping * rate)

    return law


def friction(limit: Callable[[float, float, float], float]) -> Any:
    """Return the law of friction with another limit of stick."""
    bound = njit(limit)

    @njit
    def law(
        status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
    ) -> tuple[float, float]:
        needed = -velocity / mobility
        if status != STICK:
            force = slip(status, normal, kinetic)
            if status * (velocity + force * mobility) > 0.0:
                return force, status
        if abs(needed) <= bound(normal, static, kinetic):
            return needed, STICK
        direction = -math.copysign(1.0, needed)
        return slip(direction, normal, kinetic), direction

    return law


def released_late(size: float) -> Any:
    """Return friction whose stick holds beyond the static limit."""
    return friction(lambda normal, static, kinetic: (1.0 + size) * static * normal)


def kinetic_limit(size: float) -> Any:
    """Return friction whose stick ends below the static limit, by a part of the way to the kinetic one."""
    return friction(lambda normal, static, kinetic: (static - size * (static - kinetic)) * normal)


def early_capture(size: float) -> Any:
    """Return friction that stops whatever slips slower than a velocity (m/s), with whatever force that takes."""
    kept = host.friction_force

    @njit
    def law(
        status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
    ) -> tuple[float, float]:
        if status != STICK and status * (velocity + slip(status, normal, kinetic) * mobility) <= size:
            return -velocity / mobility, STICK
        return kept(status, velocity, normal, static, kinetic, mobility, slip)

    return law


def with_velocity(size: float) -> Any:
    """Return the force of slip a little larger against the tangent than along it."""

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


def two_sided(p: Any) -> bool:
    """Tell whether a stop has two planes."""
    return any(stop.geometry == "parallel planes" for stop in p.stops)


@njit
def one_plane(y: float, size: float, _: bool) -> float:
    """Distance to the upper plane alone."""
    return size - y


def single_matrices(model: Any, _: float, size: float) -> Any:
    """Return a model whose inverse of the mass has few digits."""
    return model._replace(inverse=coarse(model.inverse, size), kicks=coarse(model.kicks, size))


def damped(p: Any) -> bool:
    """Tell whether the structure is damped."""
    return "damping" in p.needs


def static_above(p: Any) -> bool:
    """Tell whether static friction is above the kinetic one."""
    return any(f.static > f.kinetic for f in p.frictions)


def full_mass(p: Any) -> bool:
    """Tell whether the mass couples the coordinates."""
    return p.mass is not None and bool(np.any(p.mass - np.diag(np.diag(p.mass))))


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

    relative = "relative change"
    return [
        fault("load_one_step_late", "method", "Loads are those of the step before.", lambda _: shifted_forces(1)(), has_drives),
        fault("load_one_step_early", "method", "Loads are those of the step after.", lambda _: shifted_forces(-1)(), has_drives),
        fault("load_jump_one_sided", "method", "A load that jumps at an instant has its later value there.", lambda _: OneSided(), has_inner_breaks, unseen="Costs half a jump over a step, as any load does that ends inside a step: order 1 is all that is asked."),
        fault("load_time_single", "precision", "Loads are taken at instants of single precision.", lambda _: SingleTime(), has_drives),
        fault("load_clock_slow", "method", "The clock of the loads is slow.", clocked, has_drives, relative),
        fault("no_first_acceleration", "method", "The first acceleration is zero.", lambda _: NoFirstAcceleration()),
        fault("first_acceleration", "method", "The first acceleration is too large.", first_acceleration, meaning=relative),
        fault("start_without_half_step", "method", "The initial velocity is taken for that of half a step before.", lambda _: StartOfStep()),
        fault("start_half_step_forward", "method", "The start goes half a step in the wrong direction.", lambda _: StartHalfForward()),
        fault("step_longer", "method", "Displacements go on by a longer step than velocities.", marching(longer_step), meaning=relative),
        fault("damping_before", "method", "The velocity before a step is damped too little.", modelled(lambda m, h, s: m._replace(before=m.before + s * (np.linalg.inv(m.inverse) - m.before))), damped, relative),
        fault("damping_explicit", "method", "Damping sees the velocity before a step alone.", modelled(lambda m, h, s: m._replace(inverse=2 * np.linalg.inv(np.linalg.inv(m.inverse) + m.before), before=m.before - 0.5 * (np.linalg.inv(m.inverse) - m.before))), damped),
        fault("step_stiffness", "method", "The stiffness in the loop is too large.", modelled(lambda m, h, s: m._replace(stiffness=(1 + s) * m.stiffness)), is_stiff, relative),
        fault("inverse_single", "precision", "The inverse of the mass has few digits.", modelled(single_matrices), meaning="relative resolution", size=6e-8, smallest=1e-13),
        fault("state_single", "precision", "The state has few digits ten times in a run.", marching(coarse_history), meaning="relative resolution", size=6e-8, smallest=1e-13),
        fault("velocity_half_step_later", "output", "Velocities are those of half a step later.", lambda _: ReportsLaterVelocity()),
        fault("one_step_spread", "output", "The instants of the answer are spread over one step too much.", lambda _: AnotherStep()),
        fault("lumped_mass", "method", "The mass is lumped.", lambda _: replace(HOST, lumped=True), full_mass),
        fault("mobility", "contact", "What a push does to the velocity is taken too large.", modelled(lambda m, h, s: m._replace(mobility=(1 + s) * m.mobility)), has_need("contact:damped"), relative, unseen="Vanishes with the step, at the order 1 that is asked where a damped stop pushes at once."),
        fault("stick_mobility", "friction", "What friction does to the velocity is taken too large.", modelled(lambda m, h, s: m._replace(mobility=(1 + s) * m.mobility)), has_frictions, relative, unseen="Leaves a thousandth of the sliding velocity of a step to the next step, which removes it."),
        fault("support_rate_now", "support", "Stick sees the velocity of the support at the instant, not half a step later.", modelled(lambda m, h, s: m._replace(next_rate=m.drift_rate)), lambda p: has_absolute(p) and has_frictions(p)),
        fault("support_motion_late", "support", "Elements see the support a part of a step late.", modelled(lambda m, h, s: m._replace(drift=m.drift - s * h * m.drift_rate)), has_absolute, "part of a step", 1.0),
        fault("few_sweeps", "method", "Impulses of stops and frictions are not iterated.", lambda _: replace(HOST, sweep_tolerance=1.0), lambda p: len(p.stops) + len(p.frictions) > 1),
        fault("sweep_tolerance", "method", "Impulses are iterated to a loose tolerance.", lambda s: replace(HOST, sweep_tolerance=s), lambda p: len(p.stops) + len(p.frictions) > 1, "tolerance", 1e-2),
        fault("stop_hardens", "contact", "A stop hardens with the penetration.", lawful(contact_force=stiffer_with_depth), has_stops, "part of the stiffness at 1 mm"),
        fault("restitution", "contact", "A stop pushes less while the gap opens.", lawful(contact_force=lost_on_return), has_stops, "part of the push"),
        fault("touch_early", "contact", "A stop is touched before the gap is closed.", lawful(gap=touched_early), has_stops, "length in m", 1e-6, 1e-12),
        fault("gap_single", "precision", "Gaps are numbers of single precision.", lawful(gap=touched_by_single), has_stops, unseen="The error of 6e-8 lies below the numerical uncertainty of a method of order 2."),
        fault("damper_one_way", "contact", "The dashpot of a stop acts only while the gap closes.", lawful(contact_force=one_way_damper), has_need("contact:damped")),
        fault("stop_pulls", "contact", "A damped stop may pull before the gap opens.", lawful(contact_force=pulling), has_need("contact:damped")),
        fault("damper_explicit", "contact", "The dashpot of a stop does not see what its push changes.", lawful(contact_force=explicit_damper), has_need("contact:damped"), unseen="Vanishes with the step, at the order 1 that is asked where a damped stop pushes at once."),
        fault("one_plane_only", "contact", "Of two planes the upper one acts alone.", lambda _: with_law(HOST, gap=one_plane, side=njit(lambda y, both: 1.0)), two_sided),
        fault("stick_released_late", "friction", "Stick holds beyond the static limit.", lawful(friction_force=released_late), has_frictions, "part of the limit"),
        fault("stick_at_kinetic", "friction", "Stick ends between the static and the kinetic limit.", lawful(friction_force=kinetic_limit), static_above, "part of the difference", 0.1),
        fault("stick_too_early", "friction", "What slips slowly enough sticks.", lawful(friction_force=early_capture), has_frictions, "velocity in m/s", 1e-3, 1e-9),
        fault("slip_one_sided", "friction", "Slip against the tangent has too much friction.", lawful(slip_force=with_velocity), has_frictions, relative),
        fault("dashpot_power", "device", "The exponent in the rate of a dashpot is too large.", lawful(dashpot_rate=dashpot_power), has_devices("alpha"), relative),
    ]  # fmt: skip


FAULTS = (*common_faults(HOST, SIZES), *own_faults())
