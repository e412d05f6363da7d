"""Seeded faults of the generalised-alpha host: weights, iteration and laws of its steps, and what could go wrong in any solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from ..fault import Fault, Host
from ..hosts.generalised_alpha import SOLVER as HOST
from ..hosts.generalised_alpha import GeneralisedAlpha, with_law
from ..hosts.laws import STICK
from . import laws, tools
from .common import common_faults
from .features import (
    has_absolute,
    has_devices,
    has_drives,
    has_frictions,
    has_need,
    has_nonlinear,
    has_stops,
    two_sided,
)
from .laws import dashpot_power, one_plane, slip_one_sided, touched_by_single, touched_early, upward
from .problem import absolute_rate, coarse, is_stiff
from .response import one_late
from .tools import RELATIVE, RESOLUTION, Sizes, function_changed, loads_taken, overridden, result, slow

SIZES = Sizes(1e-3, 1e-8)
own, sized = partial(tools.fault, SIZES), partial(overridden, HOST)
lawful = partial(laws.lawful, with_law, HOST)


def weighed(**change: Callable[[Any, float], float]) -> Callable[[float], GeneralisedAlpha]:
    """Return what makes the solver with other weights."""

    def make(size: float) -> GeneralisedAlpha:
        w = HOST.weights()
        return replace(HOST, **{name: new(w, size) for name, new in change.items()})

    return make


def loads_at(part: Callable[[Any, float], float]) -> Callable[[float], Any]:
    """Return what makes the solver that takes its loads at another part of the step."""
    return sized("load_instants", lambda size, solver, _, t: t[:-1] + part(solver.weights(), size) * np.diff(t))


def mean_loads(size: float, solver: Any, sound: Any, problem: Any, s: Any, times: Any) -> Any:
    """Return the model with the weighted mean of the loads at both ends of a step."""
    f, at = solver.weights().alpha_f, solver.loads(problem, s, times)
    return sound(problem, s, times)._replace(force=np.concatenate((at[:1], (1 - f) * at[1:] + f * at[:-1])))


def modelled(change: Callable[[Any, float], Any]) -> Callable[[float], Any]:
    """Return what makes the solver with another model."""
    return sized("model", result(change))


def no_first_acceleration(size: float, sound: Any, laws: Any, model: Any, k: int, now: Any, w: Any, h: float) -> Any:
    """Leave a part of the first acceleration."""
    done = sound(laws, model, k, now, w, h)
    now.a[:] *= 1 - size
    return done


def longer_step(
    size: float, sound: Any, laws: Any, model: Any, now: Any, old: Any, w: Any, h: float, history: Any
) -> Any:
    """Go on by longer steps than those under which the instants are kept."""
    return sound(laws, model, now, old, w, h * (1 + size), history)


def single_structure(size: float, sound: Any, problem: Any) -> Any:
    """Return the structure with few digits."""
    s = sound(problem)
    return s._replace(mass=coarse(s.mass, size), stiffness=coarse(s.stiffness, size), damping=coarse(s.damping, size))


def shortened_drift(motion: str) -> Callable[..., Any]:
    """Return the motion of supports at elements, too small in displacement or velocity."""

    def change(size: float, sound: Any, problem: Any, times: Any, which: str) -> Any:
        return sound(problem, times, which) * (1 - size * (which == motion))

    return change


def earlier_velocity(size: float, solver: Any, sound: Any, problem: Any, s: Any, model: Any, t: Any, rows: Any) -> Any:
    """Return the answer with the velocities of the weighted instants."""
    f, v = solver.weights().alpha_f, np.array(rows.v)
    v[1:] = (1 - f) * rows.v[1:] + f * rows.v[:-1]
    return sound(problem, s, model, t, rows._replace(v=v))


def earlier_state(size: float, solver: Any, sound: Any, problem: Any, s: Any, model: Any, t: Any, rows: Any) -> Any:
    """Return the answer one step late."""
    return sound(problem, s, model, t, rows._replace(u=one_late(rows.u, size), v=one_late(rows.v, size)))


def in_hundreds(count: int, _: float) -> int:
    """Return the number of steps, rounded down to hundreds."""
    return count - count % 100 if count > 100 else count


# --- laws ----------------------------------------------------------------------------------------------------------


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


def own_faults() -> list[Fault]:
    """Return the faults of this method."""
    relative = RELATIVE
    return [
        replace(own("rho_inf", "method", "The spectral radius at infinity is too small.", weighed(rho_inf=lambda _, s: HOST.rho_inf * (1 - s)), meaning=relative), unclaimed="All weights follow from it: a sound method of the family, if nobody says which."),
        own("alpha_m", "method", "The weight of inertia is too large.", weighed(alpha_m=lambda w, s: w.alpha_m + s, beta=lambda w, s: w.beta, gamma=lambda w, s: w.gamma), meaning="change"),
        own("alpha_f", "method", "The weight of forces is too large.", weighed(alpha_f=lambda w, s: w.alpha_f + s, beta=lambda w, s: w.beta, gamma=lambda w, s: w.gamma), meaning="change"),
        own("beta", "method", "Beta is too large.", weighed(beta=lambda w, s: (1 + s) * w.beta), meaning=relative),
        own("gamma", "method", "Gamma is too large.", weighed(gamma=lambda w, s: (1 + s) * w.gamma), meaning=relative),
        own("newton_loose", "method", "Newton's iteration ends early.", weighed(newton_tolerance=lambda _, s: s), has_nonlinear, "tolerance", 1e-3, 1e-12, unseen="One iteration is exact where laws are linear in pieces; where they curve, what it leaves is quadratic in the change of a step, and vanishes with it."),
        own("load_at_start", "method", "Loads are taken at the start of a step.", loads_at(lambda _, s: 0.0), has_drives),
        own("load_at_end", "method", "Loads are taken at the end of a step.", loads_at(lambda _, s: 1.0), has_drives),
        own("load_instant", "method", "Loads are taken too late in a step.", loads_at(lambda w, s: 1 - w.alpha_f + s), has_drives, "part of a step"),
        own("load_mean", "method", "Loads are the weighted mean of both ends of a step.", sized("model", mean_loads), has_drives),
        own("load_time_single", "precision", "Loads are taken at instants of single precision.", sized("loads", loads_taken(coarse)), has_drives, RESOLUTION, 6e-8, 1e-13, unclaimed=tools.LATE),
        own("load_clock_slow", "load", "The clock of the loads is slow.", sized("loads", loads_taken(slow)), has_drives, relative),
        own("first_acceleration", "method", "A part of the first acceleration is missing.", function_changed(HOST, "first_acceleration", no_first_acceleration), meaning="part", size=1.0),
        own("step_longer", "method", "Steps are longer than the instants say.", function_changed(HOST, "march", longer_step), meaning=relative),
        own("structure_single", "precision", "Mass, damping and stiffness have few digits.", function_changed(HOST, "structure", single_structure), meaning=RESOLUTION, size=6e-8, smallest=1e-13),
        own("stiffness_in_loop", "method", "The stiffness in the loop is too large.", modelled(lambda m, s: m._replace(stiffness=(1 + s) * m.stiffness)), is_stiff, relative),
        own("damping_in_loop", "method", "The damping in the loop is too large.", modelled(lambda m, s: m._replace(damping=(1 + s) * m.damping)), has_need("damping"), relative),
        own("force_rounded", "precision", "Loads have few digits.", modelled(lambda m, s: m._replace(force=coarse(m.force, s))), has_drives, RESOLUTION, 6e-8, 1e-13),
        own("support_late", "support", "Elements see the support one step late.", modelled(lambda m, s: m._replace(drift=np.concatenate((m.drift[:1], m.drift[:-1])))), has_absolute),
        own("support_displacement_seen", "support", "Elements see too small a displacement of supports.", function_changed(HOST, "drift", shortened_drift("displacement")), has_absolute, relative),
        own("support_velocity_seen", "support", "Elements see too small a velocity of supports.", function_changed(HOST, "drift", shortened_drift("velocity")), absolute_rate, relative),
        own("velocity_weighted", "output", "Velocities are those of the weighted instants.", sized("response", earlier_velocity), unclaimed=LAGS),
        own("state_step_late", "output", "Every state stands one step late.", sized("response", earlier_state)),
        own("steps_rounded", "method", "The number of steps is rounded down to hundreds.", sized("steps", result(in_hundreds)), unseen="Steps are longer than asked for by a few parts in a thousand, and the instants say so: the answer is right."),
        own("touch_early", "contact", "A stop is touched before the gap is closed.", lawful(gap=touched_early), has_stops, "length in m", 1e-6, 1e-12),
        own("gap_single", "precision", "Gaps are numbers of single precision.", lawful(gap=touched_by_single), has_stops),
        own("restitution", "contact", "A stop pushes less while the gap opens.", lawful(contact_force=lost_on_return), has_stops, "part of the push"),
        own("stop_hardens", "contact", "A stop hardens with the penetration.", lawful(contact_force=hardening), has_stops, "part of the stiffness at 1 mm"),
        own("damper_one_way", "contact", "The dashpot of a stop acts only while the gap closes.", lawful(contact_force=one_way_damper), has_need("contact:damped")),
        own("one_plane_only", "contact", "Of two planes the upper one acts alone.", lambda _: with_law(HOST, gap=one_plane, side=upward), two_sided),
        own("stick_released_late", "friction", "Stick holds beyond the static limit.", lawful(friction_status=released_late), has_frictions, "part of the limit"),
        own("stick_too_early", "friction", "What slips slowly enough sticks.", lawful(friction_status=early_capture), has_frictions, "velocity in m/s", 1e-3, 1e-9),
        own("slip_turns_without_stick", "friction", "A slip that turns does not try to stick.", lawful(friction_status=never_again), has_frictions),
        own("slip_one_sided", "friction", "Slip against the tangent has too much friction.", lawful(slip_force=slip_one_sided), has_frictions, relative),
        own("dashpot_power", "device", "The exponent in the rate of a dashpot is too large.", lawful(dashpot_rate=dashpot_power), has_devices("alpha"), relative),
        own("touches_few", "contact", "A stop that opens and closes within a step is left open.", lambda _: replace(HOST, touches=1), has_stops, unseen="Only a step that just touches a stop makes it change twice: the push that is left out vanishes with the step."),
    ]  # fmt: skip


LAGS = "A lag of velocities within a step is judged only where somebody claims that there is none."
COMMON = tuple(
    replace(each, unclaimed=LAGS) if each.name == "velocity_half_sample_late" else each
    for each in common_faults(HOST, SIZES)
)
HOSTS = (Host(HOST.name, HOST, (*COMMON, *own_faults())),)
