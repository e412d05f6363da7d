"""Seeded faults of the leapfrog host that remember, and laws that are wrong whatever the size.

A stop or friction that remembers needs a loop over steps of its own: the loop of the host, with a rule that is asked
after the impulses of every step.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from ..fault import Fault
from ..hosts.explicit import SOLVER as HOST
from ..hosts.explicit import with_law
from ..hosts.explicit.loop import add_row, device_force, drift_on, friction_force, impulses, keep, kick
from ..hosts.laws import STICK, along
from . import laws, tools
from .features import has_devices, has_frictions, has_need, has_stops
from .problem import is_stiff
from .tools import Patched, Problem, Sizes

SIZES = Sizes(1e-3, 1e-8)
own = partial(tools.fault, SIZES)
lawful = partial(laws.lawful, with_law, HOST)
RARELY = 20  # steps between two looks for a stick
ANCHOR = 100.0  # stiffness of an anchor over that of the structure

# --- loops that remember -------------------------------------------------------------------------------------------


def stops_by(rule: Any) -> Any:
    """Return what makes the solver whose stops push by rule(push, distance, stiffness, memory (3,))."""

    @njit
    def march(laws: Any, model: Any, now: Any, h: float, sweeps: int, tolerance: float, history: Any) -> int:
        work, status = np.zeros(now.u.size), np.zeros(now.status.size)
        memory = np.zeros((model.stops.shape[0], 3))
        for k in range(model.force.shape[0]):
            kick(laws, model, k, now, h, work)
            if not impulses(laws, model, k, now, sweeps, tolerance, status):
                return k
            for s in range(model.stops.shape[0]):
                both = model.stops[s, 1] != 0.0
                y = along(model.directions, s, now.u) + model.drift[k, s]
                distance = laws.gap(y, model.stops[s, 0], both)
                push = rule(now.local[s], distance, model.stops[s, 2], memory[s])
                add_row(model.kicks, s, -laws.side(y, both) * (push - now.local[s]), now.w1)
                now.local[s] = push
            keep(history, k, now)
            drift_on(laws, model, k, now, h)
        return int(model.force.shape[0])

    return lambda _: Patched(HOST, march=march)


def frictions_by(rule: Any) -> Any:
    """Return what makes the solver whose frictions act by rule(force, place, stiffness, sticks, memory (3,))."""

    @njit
    def march(laws: Any, model: Any, now: Any, h: float, sweeps: int, tolerance: float, history: Any) -> int:
        work, status = np.zeros(now.u.size), np.zeros(now.status.size)
        memory, first = np.zeros((model.frictions.shape[0], 3)), model.stops.shape[0]
        for k in range(model.force.shape[0]):
            kick(laws, model, k, now, h, work)
            if not impulses(laws, model, k, now, sweeps, tolerance, status):
                return k
            for f in range(model.frictions.shape[0]):
                e = first + f
                place = along(model.directions, e, now.u) + model.drift[k, e]
                stiffness = along(model.directions, e, model.stiffness @ model.directions[e])
                force = rule(now.local[e], place, stiffness, now.status[e] == STICK, memory[f])
                add_row(model.kicks, e, force - now.local[e], now.w1)
                now.local[e] = force
            keep(history, k, now)
            drift_on(laws, model, k, now, h)
        return int(model.force.shape[0])

    return lambda _: Patched(HOST, march=march)


def late_devices(_: float) -> Any:
    """Return the solver whose devices see the elongation of the step before."""

    @njit
    def march(laws: Any, model: Any, now: Any, h: float, sweeps: int, tolerance: float, history: Any) -> int:
        work, status = np.zeros(now.u.size), np.zeros(now.status.size)
        first = model.stops.shape[0] + model.frictions.shape[0]
        before = np.zeros(model.devices.shape[0])
        for k in range(model.force.shape[0]):
            kick(laws, model, k, now, h, work)
            for d in range(model.devices.shape[0]):
                e = first + d
                u, path = along(model.directions, e, now.u) + model.drift[k, e], now.local[e]
                if k > 0:
                    change = device_force(laws, model, d, u, path) - device_force(laws, model, d, before[d], path)
                    add_row(model.kicks, e, change, now.w1)
                before[d] = u
            if not impulses(laws, model, k, now, sweeps, tolerance, status):
                return k
            keep(history, k, now)
            drift_on(laws, model, k, now, h)
        return int(model.force.shape[0])

    return Patched(HOST, march=march)


def rare_sticks(_: float) -> Any:
    """Return the solver that looks for a stick of what slides in one of several steps alone."""
    sliding = HOST.laws._replace(friction_force=always_slides)

    @njit
    def march(laws: Any, model: Any, now: Any, h: float, sweeps: int, tolerance: float, history: Any) -> int:
        work, status = np.zeros(now.u.size), np.zeros(now.status.size)
        for k in range(model.force.shape[0]):
            kick(laws, model, k, now, h, work)
            if k % RARELY == 0:
                settled = impulses(laws, model, k, now, sweeps, tolerance, status)
            else:
                settled = impulses(sliding, model, k, now, sweeps, tolerance, status)
            if not settled:
                return k
            keep(history, k, now)
            drift_on(laws, model, k, now, h)
        return int(model.force.shape[0])

    return Patched(HOST, march=march)


# --- rules of stops ------------------------------------------------------------------------------------------------


@njit
def seen_late(push: float, distance: float, stiffness: float, memory: Any) -> float:
    """Return the push at the distance of the step before."""
    before = memory[0] if memory[1] != 0.0 else distance
    memory[0], memory[1] = distance, 1.0
    return max(0.0, -stiffness * before)


def bonded(reach: float) -> Any:
    """Return the rule of a stop whose spring goes on pulling, up to a part of the deepest penetration."""

    @njit
    def rule(push: float, distance: float, stiffness: float, memory: Any) -> float:
        if distance <= 0.0:
            memory[0] = max(memory[0], -distance)
        elif distance > reach * memory[0]:
            memory[0] = 0.0
        return -stiffness * distance if distance > 0.0 and memory[0] > 0.0 else push

    return rule


@njit
def twice_first(push: float, distance: float, stiffness: float, memory: Any) -> float:
    """Return a push that counts twice in the first step of every contact."""
    begins = push > 0.0 and memory[0] == 0.0
    memory[0] = 1.0 if push > 0.0 else 0.0
    return 2.0 * push if begins else push


@njit
def second_step_only(push: float, distance: float, stiffness: float, memory: Any) -> float:
    """Return no push in the first step of every contact."""
    begins = push > 0.0 and memory[0] == 0.0
    memory[0] = 1.0 if push > 0.0 else 0.0
    return 0.0 if begins else push


@njit
def second_missed(push: float, distance: float, stiffness: float, memory: Any) -> float:
    """Return no push in the second contact."""
    if push > 0.0 and memory[0] == 0.0:
        memory[1] += 1.0
    memory[0] = 1.0 if push > 0.0 else 0.0
    return 0.0 if memory[1] == 2.0 else push


@njit
def lingering(push: float, distance: float, stiffness: float, memory: Any) -> float:
    """Return a push that acts once more after the release."""
    last = memory[0]
    memory[0] = push
    return last if push == 0.0 else push


# --- rules of frictions --------------------------------------------------------------------------------------------


@njit
def first_anchor(force: float, place: float, stiffness: float, sticks: bool, memory: Any) -> float:
    """Return a stick that is pulled back to where the first one began."""
    if not sticks:
        return force
    if memory[0] == 0.0:
        memory[0], memory[1] = 1.0, place
    return force - stiffness * (place - memory[1])


@njit
def first_force_missing(force: float, place: float, stiffness: float, sticks: bool, memory: Any) -> float:
    """Return a stick without the force that it began with."""
    if not sticks:
        memory[0] = 0.0
        return force
    if memory[0] == 0.0:
        memory[0], memory[1] = 1.0, force
    return force - memory[1]


@njit
def undamped_spring(force: float, place: float, stiffness: float, sticks: bool, memory: Any) -> float:
    """Return a stick that is a spring without a damper, under the force that it began with."""
    if not sticks:
        memory[0] = 0.0
        return force
    if memory[0] == 0.0:
        memory[0], memory[1], memory[2] = 1.0, place, force
    return memory[2] - ANCHOR * stiffness * (place - memory[1])


# --- laws ----------------------------------------------------------------------------------------------------------


@njit
def spring_push(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
    """Return the sound push of a closed stop."""
    return max(0.0, (-stiffness * distance - damping * rate) / (1.0 + damping * mobility)) if distance <= 0.0 else 0.0


@njit
def attracting(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
    """Return a push of the wrong sign."""
    return -spring_push(distance, rate, stiffness, damping, mobility)


@njit
def approaching(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
    """Return a push only while the gap closes."""
    return spring_push(distance, rate, stiffness, damping, mobility) if rate <= 0.0 else 0.0


@njit
def damped_on_return(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
    """Return a push whose dashpot acts only while the gap opens."""
    return spring_push(distance, rate, stiffness, damping if rate > 0.0 else 0.0, mobility)


def curved(size: float) -> Any:
    """Return a push that goes with a power of the penetration that is too large."""

    @njit
    def law(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
        push = spring_push(distance, rate, stiffness, damping, mobility)
        return push * (-distance) ** size if distance < 0.0 else push

    return law


@njit
def driving(direction: float, normal: float, kinetic: float) -> float:
    """Return a force of slip along the motion."""
    return direction * kinetic * normal


@njit
def always_slides(
    status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
) -> tuple[float, float]:
    """Return a friction that never sticks again once it slides."""
    if status == STICK:
        return friction_force(status, velocity, normal, static, kinetic, mobility, slip)
    direction = math.copysign(1.0, velocity)
    return slip(direction, normal, kinetic), direction


@njit
def old_sign(
    status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
) -> tuple[float, float]:
    """Return a friction that keeps its sign in the step after a reversal."""
    force, now = friction_force(status, velocity, normal, static, kinetic, mobility, slip)
    turned = status != STICK and now != status
    return (slip(status, normal, kinetic), -status) if turned else (force, now)


def regularised(size: float) -> Any:
    """Return a friction that goes with the velocity below a velocity (m/s), and never sticks."""

    @njit
    def law(
        status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
    ) -> tuple[float, float]:
        limit = kinetic * normal
        if limit == 0.0:
            return 0.0, STICK
        force = -velocity / (mobility + size / limit)
        direction = math.copysign(1.0, velocity)
        return (force, direction) if abs(force) <= limit else (slip(direction, normal, kinetic), direction)

    return law


def has_springs_alone(p: Problem) -> bool:
    """Return whether there are stops, none of them with a dashpot."""
    return bool(p.stops) and not any(stop.damping for stop in p.stops)


def has_held_structure(p: Problem) -> bool:
    """Return whether frictions rub on a structure with stiffness of its own."""
    return bool(p.frictions) and is_stiff(p)


def law_faults() -> list[Fault]:
    """Return the faults of this module."""
    return [
        own("contact_one_step_late", "contact", "A stop sees the distance of the step before.", stops_by(seen_late), has_springs_alone),
        own("adhesive_contact", "contact", "The spring of a stop goes on pulling to 0.05 of the deepest penetration.", stops_by(bonded(0.05)), has_stops),
        own("no_separation", "contact", "After the first touch the spring of a stop acts both ways.", stops_by(bonded(math.inf)), has_stops),
        own("first_contact_step_twice", "contact", "The push of the first step of a contact counts twice.", stops_by(twice_first), has_stops),
        own("short_contacts_missed", "contact", "A contact is noticed at its second step.", stops_by(second_step_only), has_stops),
        own("second_impact_missed", "contact", "The second contact has no push.", stops_by(second_missed), has_stops),
        own("force_after_release", "contact", "The last push of a contact acts for one step after the release.", stops_by(lingering), has_stops),
        own("contact_pulls", "contact", "The push of a stop has the wrong sign.", lawful(contact_force=lambda _: attracting), has_stops),
        own("no_rebound_force", "contact", "A stop pushes only while the gap closes.", lawful(contact_force=lambda _: approaching), has_stops),
        own("curved_penalty", "contact", "The push goes with too large a power of the penetration.", lawful(contact_force=curved), has_stops, "change of the power", 1e-2),
        own("damper_on_return", "contact", "The dashpot of a stop acts only while the gap opens.", lawful(contact_force=lambda _: damped_on_return), has_need("contact:damped")),
        own("device_one_step_late", "device", "Devices see the elongation of the step before.", late_devices, has_devices("k1", "coefficients")),
        own("friction_drives", "friction", "Sliding friction has the wrong sign.", lawful(slip_force=lambda _: driving), has_frictions),
        own("no_re_stick", "friction", "What has slid once never sticks again.", lawful(friction_force=lambda _: always_slides), has_frictions),
        own("sticks_too_late", "friction", f"While it slides, a stick is looked for at every {RARELY}th step.", rare_sticks, has_frictions),
        own("wrong_sign_at_reversal", "friction", "In the step after a reversal friction has the sign of the old direction.", lawful(friction_force=lambda _: old_sign), has_frictions),
        own("velocity_threshold", "friction", "There is no stick: below a threshold friction goes with the velocity.", lawful(friction_force=regularised), has_frictions, "velocity in m/s", 1e-2),
        own("anchor_not_updated", "friction", "A stick is pulled back to where the first one began.", frictions_by(first_anchor), has_held_structure),
        own("stick_without_force", "friction", "A stick lacks the force that it began with.", frictions_by(first_force_missing), has_frictions),
        own("stick_undamped", "friction", "A stick is a spring without a damper.", frictions_by(undamped_spring), has_held_structure),
    ]  # fmt: skip
