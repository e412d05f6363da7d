"""The laws of impulses, and the loop over steps."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..laws import SPRING, STICK, ZENER, Floats, along, compiled, dashpot_force, part

UNLIMITED = 1e300  # coefficient of friction


@compiled
def contact_force(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
    """Push of a stop (N), never negative.

    ``rate`` (m/s) is that of the distance without the push, ``mobility`` (m/s/N) what the push adds to it.
    """
    if distance > 0.0:
        return 0.0
    return max(0.0, (-stiffness * distance - damping * rate) / (1.0 + damping * mobility))


@compiled
def friction_force(
    status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
) -> tuple[float, float]:
    """Return the force of a friction over a step (N) and its new status.

    ``velocity`` (m/s) is what the step would end with without friction, ``mobility`` (m/s/N) what a force adds to it.
    """
    needed = -velocity / mobility
    if status != STICK:
        force = slip(status, normal, kinetic)
        if status * (velocity + force * mobility) > 0.0:
            return force, status
    if abs(needed) <= static * normal:
        return needed, STICK
    direction = -math.copysign(1.0, needed)
    return slip(direction, normal, kinetic), direction


# --- what the loop over steps is handed ----------------------------------------------------------------------------


class Laws(NamedTuple):
    """The laws that a solver puts together."""

    gap: Any
    side: Any
    contact_force: Any
    slip_force: Any
    friction_force: Any
    spring_force: Any
    dashpot_rate: Any
    dashpot_slope: Any


class Model(NamedTuple):
    """Matrices (n, n), of which ``inverse`` is that of M + h C/2 and ``before`` is M - h C/2; one row an element.

    ``force`` (steps + 1, n) at the instants. Elements are stops, then frictions, then devices, with directions
    (elements, n), what a unit force on them does to the velocity in a step (``kicks``, ``mobility`` along the element),
    and the drift that supports and offsets add to their coordinate (steps + 1, elements) in m, to its rate, and to its
    rate half a step later. ``stops``: gap, two-sided, stiffness, damping; ``frictions``: number of the stop that
    presses or -1, normal force, static, kinetic; ``devices``: kind, k1, k2, k3, damping, 1/alpha.
    """

    inverse: Floats
    before: Floats
    stiffness: Floats
    force: Floats
    directions: Floats
    kicks: Floats
    mobility: Floats
    drift: Floats
    drift_rate: Floats
    next_rate: Floats
    stops: Floats
    frictions: Floats
    devices: Floats
    breaks: Floats
    coefficients: Floats


class State(NamedTuple):
    """Displacement (n,), velocities half a step before and after, and what belongs to elements; written over.

    ``local`` (elements,): force of a stop or friction (N), path of a dashpot (m); ``status`` (elements,): of frictions.
    """

    u: Floats
    w0: Floats
    w1: Floats
    local: Floats
    status: Floats


class History(NamedTuple):
    """Rows of all instants."""

    u: Floats
    v: Floats
    local: Floats
    status: Floats


# --- one step ------------------------------------------------------------------------------------------------------


@part
def add_row(rows: Floats, e: int, size: float, out: Floats) -> None:
    """Add a multiple of a row."""
    for i in range(out.size):
        out[i] += size * rows[e, i]


@part
def device_force(laws: Any, model: Any, d: int, u: float, path: float) -> float:
    """Force of a device (N) at an elongation and a path of its dashpot (m)."""
    numbers = model.devices
    if numbers[d, 0] == SPRING:
        return float(laws.spring_force(u, model.breaks[d], model.coefficients[d]))
    k1, k2, k3 = numbers[d, 1], numbers[d, 2], numbers[d, 3]
    return float(k1 * ((k2 + k3) * u - k3 * path) / (k1 + k2 + k3))


@part
def relaxed_path(laws: Any, numbers: Floats, d: int, before: float, start: float, u: float, h: float) -> float:
    """Path of a dashpot after a step from an elongation to u, by the trapezoidal rule."""
    k1, k2, k3, damping, power = (numbers[d, 1], numbers[d, 2], numbers[d, 3], numbers[d, 4], numbers[d, 5])
    rate = laws.dashpot_rate(dashpot_force(numbers, d, start, before), damping, power)
    yielding, path = k3 * (k1 + k2) / (k1 + k2 + k3), before
    for _ in range(60):
        force = dashpot_force(numbers, d, u, path)
        error = path - before - 0.5 * h * (rate + laws.dashpot_rate(force, damping, power))
        change = error / (1.0 + 0.5 * h * laws.dashpot_slope(force, damping, power) * yielding)
        path -= change
        if abs(change) <= 1e-15 * abs(path):
            break
    return path


@part
def kick(laws: Any, model: Any, k: int, now: Any, h: float, work: Floats) -> None:
    """Set the velocity after instant k as it is without stops and frictions."""
    n, first = now.u.size, model.stops.shape[0] + model.frictions.shape[0]
    for i in range(n):
        work[i] = h * model.force[k, i]
        for j in range(n):
            work[i] += model.before[i, j] * now.w0[j] - h * model.stiffness[i, j] * now.u[j]
    for d in range(model.devices.shape[0]):
        u = along(model.directions, first + d, now.u) + model.drift[k, first + d]
        add_row(model.directions, first + d, -h * device_force(laws, model, d, u, now.local[first + d]), work)
    for i in range(n):
        now.w1[i] = 0.0
        for j in range(n):
            now.w1[i] += model.inverse[i, j] * work[j]


@part
def push(laws: Any, model: Any, s: int, k: int, now: Any) -> float:
    """Let a stop push; returns by how much its force changed (N)."""
    both = model.stops[s, 1] != 0.0
    y = along(model.directions, s, now.u) + model.drift[k, s]
    out = laws.side(y, both)
    add_row(model.kicks, s, out * now.local[s], now.w1)
    mean = 0.5 * (along(model.directions, s, now.w0) + along(model.directions, s, now.w1))
    rate = -out * (mean + model.drift_rate[k, s])
    distance = laws.gap(y, model.stops[s, 0], both)
    force = laws.contact_force(distance, rate, model.stops[s, 2], model.stops[s, 3], 0.5 * model.mobility[s])
    change = force - now.local[s]
    now.local[s] = force
    add_row(model.kicks, s, -out * force, now.w1)
    return float(abs(change))


@part
def rub(laws: Any, model: Any, f: int, k: int, now: Any, status: Floats, most: float) -> float:
    """Let a friction act that had a status before the step; returns by how much its force changed (N).

    ``most`` is the least that the static coefficient may be: stick is tried without a limit first.
    """
    e, s = model.stops.shape[0] + f, int(model.frictions[f, 0])
    add_row(model.kicks, e, -now.local[e], now.w1)
    velocity = along(model.directions, e, now.w1) + model.next_rate[k, e]
    normal = model.frictions[f, 1] if s < 0 else now.local[s]
    static, kinetic = max(most, model.frictions[f, 2]), model.frictions[f, 3]
    force, now.status[e] = laws.friction_force(
        status[e], velocity, normal, static, kinetic, model.mobility[e], laws.slip_force
    )
    change = force - now.local[e]
    now.local[e] = force
    add_row(model.kicks, e, force, now.w1)
    return float(abs(change))


@part
def forget(model: Any, now: Any, status: Floats) -> None:
    """Begin a step without forces of stops and frictions, from the status that frictions have."""
    for e in range(model.stops.shape[0] + model.frictions.shape[0]):
        now.local[e] = 0.0
        status[e] = now.status[e]


@part
def settled(
    laws: Any, model: Any, k: int, now: Any, sweeps: int, tolerance: float, status: Floats, most: float
) -> bool:
    """Let stops and frictions act one after the other until none changes; tells whether they settled."""
    count = model.stops.shape[0] + model.frictions.shape[0]
    for _ in range(sweeps):
        change, largest = 0.0, 0.0
        for s in range(model.stops.shape[0]):
            change = max(change, push(laws, model, s, k, now))
        for f in range(model.frictions.shape[0]):
            change = max(change, rub(laws, model, f, k, now, status, most))
        for e in range(count):
            largest = max(largest, abs(now.local[e]))
        if count <= 1 or change <= tolerance * largest:
            return True
    return False


@part
def impulses(laws: Any, model: Any, k: int, now: Any, sweeps: int, tolerance: float, status: Floats) -> bool:
    """Add the impulses of stops and frictions to the velocity after instant k; tells whether they settled.

    Frictions that hold each other share a load: what sticks is held without a limit until the shares are known.
    """
    forget(model, now, status)
    if model.frictions.shape[0] > 1 and not settled(laws, model, k, now, sweeps, tolerance, status, UNLIMITED):
        return False
    return settled(laws, model, k, now, sweeps, tolerance, status, 0.0)


@part
def drift_on(laws: Any, model: Any, k: int, now: Any, h: float) -> None:
    """Move displacements, and paths of dashpots, from instant k to the next one."""
    first = model.stops.shape[0] + model.frictions.shape[0]
    for d in range(model.devices.shape[0]):
        if model.devices[d, 0] == ZENER and k + 1 < model.drift.shape[0]:
            e = first + d
            start = along(model.directions, e, now.u) + model.drift[k, e]
            end = start + h * along(model.directions, e, now.w1) + model.drift[k + 1, e] - model.drift[k, e]
            now.local[e] = relaxed_path(laws, model.devices, d, now.local[e], start, end, h)
    for i in range(now.u.size):
        now.u[i] += h * now.w1[i]
        now.w0[i] = now.w1[i]


@part
def keep(history: Any, k: int, now: Any) -> None:
    """Write the state into row k, with the mean of the velocities before and after."""
    for i in range(now.u.size):
        history.u[k, i] = now.u[i]
        history.v[k, i] = 0.5 * (now.w0[i] + now.w1[i])
    for e in range(now.local.size):
        history.local[k, e] = now.local[e]
        history.status[k, e] = now.status[e]


@compiled
def march(laws: Any, model: Any, now: Any, h: float, sweeps: int, tolerance: float, history: Any) -> int:
    """Go through all instants; returns the number of those that settled."""
    work, status = np.zeros(now.u.size), np.zeros(now.status.size)
    for k in range(model.force.shape[0]):
        kick(laws, model, k, now, h, work)
        if not impulses(laws, model, k, now, sweeps, tolerance, status):
            return k
        keep(history, k, now)
        drift_on(laws, model, k, now, h)
    return int(model.force.shape[0])
