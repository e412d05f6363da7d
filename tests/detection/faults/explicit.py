"""Seeded faults of the leapfrog host: what could go wrong in its own steps, and what could in any solver.

A law is changed through `with_law`, the way through the steps by another method, or another function in its module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from ..fault import Fault, Host
from ..hosts.explicit import SOLVER as HOST
from ..hosts.explicit import with_law
from ..hosts.explicit.loop import friction_force
from ..hosts.laws import STICK
from . import laws, tools
from .common import common_faults
from .explicit_laws import SIZES, law_faults
from .features import (
    has_absolute,
    has_devices,
    has_drives,
    has_frictions,
    has_inner_breaks,
    has_need,
    has_stops,
    static_above,
    two_sided,
)
from .laws import dashpot_power, one_plane, slip_one_sided, touched_by_single, touched_early, upward
from .problem import coarse, is_stiff
from .response import at_times, grown, one_early, one_late
from .tools import RELATIVE, RESOLUTION, function_changed, loads_taken, overridden, result, slow

own, sized = partial(tools.fault, SIZES), partial(overridden, HOST)
lawful = partial(laws.lawful, with_law, HOST)
ONE_SWEEP = (
    "What a sweep leaves of a sliding velocity is removed by the next step, whose impulses begin from it: a stick creeps "
    "by a share of h f/m and f itself is right, so all vanishes with the step, at the order 1 that is asked where "
    "friction jumps (measured on frictions oblique: 5.1e-4, 2.5e-4, 1.3e-4 m/s with steps of 4e-5, 2e-5, 1e-5 s)."
)

# --- the way through the steps -------------------------------------------------------------------------------------


def one_sided(size: float, solver: Any, sound: Any, function: Any, times: Any) -> Any:
    """Return a load that jumps at an instant as it is after the jump."""
    return np.asarray(function(times))


def single_time(size: float, solver: Any, sound: Any, function: Any, times: Any) -> Any:
    """Return a load at instants of single precision."""
    return sound(function, times.astype(np.float32).astype(float))


def no_first_acceleration(size: float, solver: Any, sound: Any, problem: Any, s: Any, *_: Any) -> Any:
    """Return zeros for the first acceleration."""
    return np.zeros(s.velocity.size)


def start_of_step(size: float, solver: Any, sound: Any, problem: Any, s: Any, model: Any, h: float) -> Any:
    """Return a start that takes the initial velocity for that of half a step before."""
    now = sound(problem, s, model, h)
    now.w0[:] = s.velocity
    return now


def half_forward(size: float, solver: Any, sound: Any, problem: Any, s: Any, model: Any, h: float) -> Any:
    """Return a start that goes half a step forward for the velocity before it."""
    now = sound(problem, s, model, h)
    now.w0[:] = 2 * s.velocity - now.w0
    return now


def modelled(change: Callable[[Any, float, float], Any]) -> Callable[[float], Any]:
    """Return what makes the solver with another model: change(model, step, size)."""
    return sized("model", lambda size, solver, sound, p, s, times, h: change(sound(p, s, times, h), h, size))


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


def later_velocity(size: float, solver: Any, sound: Any, problem: Any, s: Any, model: Any, t: Any, rows: Any) -> Any:
    """Return the answer with means of the velocities of two instants, half a step later than the displacements."""
    v = np.array(rows.v)
    v[:-1] = 0.5 * (v[:-1] + v[1:])
    return sound(problem, s, model, t, rows._replace(v=v))


def another_step(size: float, solver: Any, sound: Any, problem: Any, s: Any, model: Any, t: Any, rows: Any) -> Any:
    """Return the answer of one step more under the instants that were asked for, the last one twice."""
    off = np.linspace(t[0], t[-1], t.size) - (t[1] - t[0]) * np.linspace(0, 1, t.size)
    return sound(problem, s, model, t, rows._replace(u=at_times(off, rows.u, t), v=at_times(off, rows.v, t)))


# --- laws ----------------------------------------------------------------------------------------------------------


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

    @njit
    def law(
        status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
    ) -> tuple[float, float]:
        if status != STICK and status * (velocity + slip(status, normal, kinetic) * mobility) <= size:
            return -velocity / mobility, STICK
        return friction_force(status, velocity, normal, static, kinetic, mobility, slip)

    return law


def single_matrices(model: Any, _: float, size: float) -> Any:
    """Return a model whose inverse of the mass has few digits."""
    return model._replace(inverse=coarse(model.inverse, size), kicks=coarse(model.kicks, size))


def full_mass(p: Any) -> bool:
    """Tell whether the mass couples the coordinates."""
    return p.mass is not None and bool(np.any(p.mass - np.diag(np.diag(p.mass))))


def own_faults() -> list[Fault]:
    """Return the faults of this method."""
    relative = RELATIVE
    return [
        own("load_one_step_late", "method", "Loads are those of the step before.", sized("loads", result(one_late)), has_drives),
        own("load_one_step_early", "method", "Loads are those of the step after.", sized("loads", result(one_early)), has_drives),
        own("load_jump_one_sided", "method", "A load that jumps at an instant has its later value there.", sized("value", one_sided), has_inner_breaks, unseen="Costs half a jump over a step, as any load does that ends inside a step: order 1 is all that is asked."),
        own("load_time_single", "precision", "Loads are taken at instants of single precision.", sized("value", single_time), has_drives, unclaimed=tools.LATE),
        own("load_clock_slow", "method", "The clock of the loads is slow.", sized("loads", loads_taken(slow)), has_drives, relative),
        own("no_first_acceleration", "method", "The first acceleration is zero.", sized("initial_acceleration", no_first_acceleration)),
        own("first_acceleration", "method", "The first acceleration is too large.", sized("initial_acceleration", result(grown)), meaning=relative),
        own("start_without_half_step", "method", "The initial velocity is taken for that of half a step before.", sized("state", start_of_step)),
        own("start_half_step_forward", "method", "The start goes half a step in the wrong direction.", sized("state", half_forward)),
        own("step_longer", "method", "Displacements go on by a longer step than velocities.", function_changed(HOST, "march", longer_step), meaning=relative),
        own("damping_before", "method", "The velocity before a step is damped too little.", modelled(lambda m, h, s: m._replace(before=m.before + s * (np.linalg.inv(m.inverse) - m.before))), has_need("damping"), relative),
        own("damping_explicit", "method", "Damping sees the velocity before a step alone.", modelled(lambda m, h, s: m._replace(inverse=2 * np.linalg.inv(np.linalg.inv(m.inverse) + m.before), before=m.before - 0.5 * (np.linalg.inv(m.inverse) - m.before))), has_need("damping")),
        own("step_stiffness", "method", "The stiffness in the loop is too large.", modelled(lambda m, h, s: m._replace(stiffness=(1 + s) * m.stiffness)), is_stiff, relative),
        own("inverse_single", "precision", "The inverse of the mass has few digits.", modelled(single_matrices), meaning=RESOLUTION, size=6e-8, smallest=1e-13),
        own("state_single", "precision", "The state has few digits ten times in a run.", function_changed(HOST, "march", coarse_history), meaning=RESOLUTION, size=6e-8, smallest=1e-13),
        own("velocity_half_step_later", "output", "Velocities are those of half a step later.", sized("response", later_velocity)),
        own("one_step_spread", "output", "The instants of the answer are spread over one step too much.", sized("response", another_step)),
        own("lumped_mass", "method", "The mass is lumped.", lambda _: replace(HOST, lumped=True), full_mass),
        own("mobility", "contact", "What a push does to the velocity is taken too large.", modelled(lambda m, h, s: m._replace(mobility=(1 + s) * m.mobility)), has_need("contact:damped"), relative, unseen="Vanishes with the step, at the order 1 that is asked where a damped stop pushes at once."),
        own("stick_mobility", "friction", "What friction does to the velocity is taken too large.", modelled(lambda m, h, s: m._replace(mobility=(1 + s) * m.mobility)), has_frictions, relative, unseen="Leaves a thousandth of the sliding velocity of a step to the next step, which removes it."),
        own("support_rate_now", "support", "Stick sees the velocity of the support at the instant, not half a step later.", modelled(lambda m, h, s: m._replace(next_rate=m.drift_rate)), lambda p: has_absolute(p) and has_frictions(p), unseen="Half a step of the change of a velocity: vanishes with the step, at the order 1 that is asked where friction jumps."),
        own("support_motion_late", "support", "Elements see the support a part of a step late.", modelled(lambda m, h, s: m._replace(drift=m.drift - s * h * m.drift_rate)), has_absolute, "part of a step", 1.0),
        own("few_sweeps", "method", "Impulses of stops and frictions are not iterated.", lambda _: replace(HOST, sweep_tolerance=1.0), lambda p: len(p.stops) + len(p.frictions) > 1, unseen=ONE_SWEEP),
        own("sweep_tolerance", "method", "Impulses are iterated to a loose tolerance.", lambda s: replace(HOST, sweep_tolerance=s), lambda p: len(p.stops) + len(p.frictions) > 1, "tolerance", 1e-2, unseen=ONE_SWEEP),
        own("stop_hardens", "contact", "A stop hardens with the penetration.", lawful(contact_force=stiffer_with_depth), has_stops, "part of the stiffness at 1 mm"),
        own("restitution", "contact", "A stop pushes less while the gap opens.", lawful(contact_force=lost_on_return), has_stops, "part of the push"),
        own("touch_early", "contact", "A stop is touched before the gap is closed.", lawful(gap=touched_early), has_stops, "length in m", 1e-6, 1e-12),
        own("gap_single", "precision", "Gaps are numbers of single precision.", lawful(gap=touched_by_single), has_stops),
        own("damper_one_way", "contact", "The dashpot of a stop acts only while the gap closes.", lawful(contact_force=one_way_damper), has_need("contact:damped")),
        own("stop_pulls", "contact", "A damped stop may pull before the gap opens.", lawful(contact_force=pulling), has_need("contact:damped")),
        own("damper_explicit", "contact", "The dashpot of a stop does not see what its push changes.", lawful(contact_force=explicit_damper), has_need("contact:damped"), unseen="Vanishes with the step, at the order 1 that is asked where a damped stop pushes at once."),
        own("one_plane_only", "contact", "Of two planes the upper one acts alone.", lambda _: with_law(HOST, gap=one_plane, side=upward), two_sided),
        own("stick_released_late", "friction", "Stick holds beyond the static limit.", lawful(friction_force=released_late), has_frictions, "part of the limit"),
        own("stick_at_kinetic", "friction", "Stick ends between the static and the kinetic limit.", lawful(friction_force=kinetic_limit), static_above, "part of the difference", 0.1),
        own("stick_too_early", "friction", "What slips slowly enough sticks.", lawful(friction_force=early_capture), has_frictions, "velocity in m/s", 1e-3, 1e-9),
        own("slip_one_sided", "friction", "Slip against the tangent has too much friction.", lawful(slip_force=slip_one_sided), has_frictions, relative),
        own("dashpot_power", "device", "The exponent in the rate of a dashpot is too large.", lawful(dashpot_rate=dashpot_power), has_devices("alpha"), relative),
    ]  # fmt: skip


HOSTS = (Host(HOST.name, HOST, (*common_faults(HOST, SIZES), *own_faults(), *law_faults())),)
