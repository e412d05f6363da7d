"""Forces and tangents of elements, and what the loop over steps is handed."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..laws import SPRING, STICK, Floats, along, compiled, dashpot_force, part


@compiled
def contact_force(distance: float, rate: float, stiffness: float, damping: float) -> float:
    """Push of a stop (N), never negative; distance in m, negative in contact, and its rate in m/s."""
    return max(0.0, -stiffness * distance - damping * rate) if distance <= 0.0 else 0.0


@compiled
def contact_tangent(distance: float, rate: float, stiffness: float, damping: float) -> tuple[float, float]:
    """Return the derivatives of `contact_force` by the distance (N/m) and its rate (N s/m)."""
    pushes = distance <= 0.0 and -stiffness * distance - damping * rate > 0.0
    return (-stiffness, -damping) if pushes else (0.0, 0.0)


@compiled
def friction_status(status: float, force: float, velocity: float, normal: float, static: float) -> float:
    """Status that a step should have had, from the one it was solved with: the same if that was admissible."""
    if status == STICK:
        return STICK if abs(force) <= static * normal else -math.copysign(1.0, force)
    return status if velocity * status > 0.0 else STICK


# --- what the loop over steps is handed ----------------------------------------------------------------------------


class Laws(NamedTuple):
    """The laws that a solver puts together."""

    gap: Any
    side: Any
    contact_force: Any
    contact_tangent: Any
    slip_force: Any
    friction_status: Any
    spring_force: Any
    spring_tangent: Any
    dashpot_rate: Any
    dashpot_slope: Any


class Weights(NamedTuple):
    """Constants of the method and of Newton's iteration; the last three are the most that are tried in a step."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    tolerance: float
    iterations: int
    statuses: int
    touches: int


class Model(NamedTuple):
    """Matrices (n, n); forces (steps + 1, n) at the start and at the weighted instants; one row an element.

    Elements are stops, then frictions, then devices, with directions (elements, n) and the drift that supports and
    offsets add to their coordinate (steps + 1, elements) in m, and to its rate. ``stops``: gap, two-sided, stiffness,
    damping; ``frictions``: number of the stop that presses or -1, normal force, static, kinetic; ``devices``: kind,
    k1, k2, k3, damping, 1/alpha.
    """

    mass: Floats
    damping: Floats
    stiffness: Floats
    force: Floats
    directions: Floats
    drift: Floats
    drift_rate: Floats
    stops: Floats
    frictions: Floats
    devices: Floats
    breaks: Floats
    coefficients: Floats


class State(NamedTuple):
    """Unknowns (n,) at an instant, and what belongs to them; written over from step to step.

    ``force`` (n,) is that of stops and devices; ``local`` (elements,) the normal force of a stop and the multiplier of
    a friction (N), the path of a dashpot (m); ``status`` (elements,) that of a friction, and how often a stop opened or
    closed within the step.
    """

    u: Floats
    v: Floats
    a: Floats
    force: Floats
    local: Floats
    status: Floats


class History(NamedTuple):
    """Rows of all instants."""

    u: Floats
    v: Floats
    local: Floats
    status: Floats


# --- forces of elements --------------------------------------------------------------------------------------------


@part
def add_force(directions: Floats, e: int, size: float, out: Floats) -> None:
    """Add a force along the direction of an element."""
    for i in range(directions.shape[1]):
        out[i] += size * directions[e, i]


@part
def add_outer(directions: Floats, left: int, right: int, factor: float, matrix: Floats) -> None:
    """Add the outer product of the directions of two elements to the leading part of a matrix."""
    for i in range(directions.shape[1]):
        for j in range(directions.shape[1]):
            matrix[i, j] += factor * directions[left, i] * directions[right, j]


@part
def approach(laws: Any, model: Any, s: int, k: int, u: Floats, v: Floats) -> tuple[float, float, float]:
    """Gap of a stop at instant k, its rate, and the direction of the outward normal."""
    both = model.stops[s, 1] != 0.0
    y = along(model.directions, s, u) + model.drift[k, s]
    out = laws.side(y, both)
    rate = -out * (along(model.directions, s, v) + model.drift_rate[k, s])
    return laws.gap(y, model.stops[s, 0], both), rate, out


@part
def add_stop(
    laws: Any, model: Any, s: int, k: int, now: Any, touches: int, by_u: float, by_v: float, system: Floats
) -> None:
    """Add force and tangent of a stop at instant k; ``by_u`` and ``by_v`` are the derivatives of u and v by a1."""
    distance, rate, out = approach(laws, model, s, k, now.u, now.v)
    stiffness, damping = model.stops[s, 2], model.stops[s, 3]
    push = laws.contact_force(distance, rate, stiffness, damping)
    if (push > 0.0) != (now.local[s] > 0.0):
        now.status[s] += 1.0
    if now.status[s] > touches:
        push = 0.0
    now.local[s] = push
    if push > 0.0:
        by_distance, by_rate = laws.contact_tangent(distance, rate, stiffness, damping)
        add_force(model.directions, s, -out * push, now.force)
        add_outer(model.directions, s, s, -(by_distance * by_u + by_rate * by_v), system)


@part
def relaxed_path(
    laws: Any, numbers: Floats, d: int, before: float, start: float, u: float, h: float
) -> tuple[float, float]:
    """Path of a dashpot after a step from an elongation to u by the trapezoidal rule, and its derivative by u."""
    k1, k2, k3, damping, power = (numbers[d, 1], numbers[d, 2], numbers[d, 3], numbers[d, 4], numbers[d, 5])
    rate = laws.dashpot_rate(dashpot_force(numbers, d, start, before), damping, power)
    yielding, path, slope = k3 * (k1 + k2) / (k1 + k2 + k3), before, 0.0
    for _ in range(60):
        force = dashpot_force(numbers, d, u, path)
        slope = 0.5 * h * laws.dashpot_slope(force, damping, power)
        error = path - before - 0.5 * h * (rate + laws.dashpot_rate(force, damping, power))
        change = error / (1.0 + slope * yielding)
        path -= change
        if abs(change) <= 1e-15 * abs(path):
            break
    return path, slope * k1 * k3 / (k1 + k2 + k3) / (1.0 + slope * yielding)


@part
def zener_force(numbers: Floats, d: int, u: float, path: float, by_u: float) -> tuple[float, float]:
    """Force (N) of a Zener device and its stiffness (N/m); ``by_u`` is the derivative of the path by the elongation."""
    k1, k2, k3 = numbers[d, 1], numbers[d, 2], numbers[d, 3]
    total = k1 + k2 + k3
    return k1 * ((k2 + k3) * u - k3 * path) / total, k1 * (k2 + k3 - k3 * by_u) / total


@part
def add_device(
    laws: Any, model: Any, d: int, k: int, now: Any, old: Any, h: float, by_u: float, system: Floats
) -> None:
    """Add force and tangent of a device at instant k, after a step h; none yet if h is zero."""
    e = model.stops.shape[0] + model.frictions.shape[0] + d
    u = along(model.directions, e, now.u) + model.drift[k, e]
    if model.devices[d, 0] == SPRING:
        push = laws.spring_force(u, model.breaks[d], model.coefficients[d])
        slope = laws.spring_tangent(u, model.breaks[d], model.coefficients[d])
    else:
        path, by_elongation = old.local[e], 0.0
        if h > 0.0:
            start = along(model.directions, e, old.u) + model.drift[k - 1, e]
            path, by_elongation = relaxed_path(laws, model.devices, d, old.local[e], start, u, h)
        now.local[e] = path
        push, slope = zener_force(model.devices, d, u, path, by_elongation)
    add_force(model.directions, e, -push, now.force)
    add_outer(model.directions, e, e, slope * by_u, system)


@part
def add_elements(laws: Any, model: Any, k: int, now: Any, old: Any, w: Any, h: float, system: Floats) -> None:
    """Set the force of stops and devices at instant k, and add their tangent by the acceleration."""
    by_u, by_v = w.beta * h * h * (1.0 - w.alpha_f), w.gamma * h * (1.0 - w.alpha_f)
    for i in range(now.force.size):
        now.force[i] = 0.0
    for s in range(model.stops.shape[0]):
        add_stop(laws, model, s, k, now, w.touches, by_u, by_v, system)
    for d in range(model.devices.shape[0]):
        add_device(laws, model, d, k, now, old, h, by_u, system)


# --- friction ------------------------------------------------------------------------------------------------------


@part
def normal_force(model: Any, f: int, now: Any, old: Any, alpha_f: float) -> float:
    """Force (N) that presses a friction, weighted as all forces are."""
    s = int(model.frictions[f, 0])
    if s < 0:
        return float(model.frictions[f, 1])
    return float((1.0 - alpha_f) * now.local[s] + alpha_f * old.local[s])


@part
def add_frictions(laws: Any, model: Any, now: Any, old: Any, alpha_f: float, residual: Floats) -> None:
    """Add the forces of friction to the residual; a slip follows the normal force, a stick keeps its multiplier."""
    first = model.stops.shape[0]
    for f in range(model.frictions.shape[0]):
        e = first + f
        if now.status[e] != STICK:
            normal = normal_force(model, f, now, old, alpha_f)
            now.local[e] = laws.slip_force(now.status[e], normal, model.frictions[f, 3])
        add_force(model.directions, e, now.local[e], residual)


@part
def border(laws: Any, model: Any, k: int, now: Any, w: Any, h: float, system: Floats, right: Floats) -> None:
    """Write a row and a column for every multiplier: no sliding velocity in stick, no change of it in slip.

    A slip under the force of a stop gets its tangent in the rows of the structure.
    """
    n, first = now.u.size, model.stops.shape[0]
    for f in range(model.frictions.shape[0]):
        e, row = first + f, n + f
        sticks = now.status[e] == STICK
        for i in range(system.shape[0]):
            system[row, i] = system[i, row] = 0.0
        for i in range(n):
            system[row, i] = w.gamma * h * model.directions[e, i] if sticks else 0.0
            system[i, row] = -model.directions[e, i] if sticks else 0.0
        system[row, row] = 0.0 if sticks else 1.0
        right[row] = -along(model.directions, e, now.v) - model.drift_rate[k, e] if sticks else 0.0
        if not sticks and model.frictions[f, 0] >= 0.0:
            add_pressure(laws, model, f, k, now, w, h, system)


@part
def add_pressure(laws: Any, model: Any, f: int, k: int, now: Any, w: Any, h: float, system: Floats) -> None:
    """Add the tangent of a slip whose normal force is that of a stop."""
    s, e = int(model.frictions[f, 0]), model.stops.shape[0] + f
    if now.local[s] > 0.0:
        distance, rate, out = approach(laws, model, s, k, now.u, now.v)
        by_distance, by_rate = laws.contact_tangent(distance, rate, model.stops[s, 2], model.stops[s, 3])
        change = -out * (1.0 - w.alpha_f) * (by_distance * w.beta * h * h + by_rate * w.gamma * h)
        add_outer(model.directions, e, s, -laws.slip_force(now.status[e], change, model.frictions[f, 3]), system)


@part
def map_back(laws: Any, model: Any, k: int, now: Any, old: Any, w: Any) -> bool:
    """Change the status of frictions that the step shows to be inadmissible; tells whether there was any."""
    changed, first = False, model.stops.shape[0]
    for f in range(model.frictions.shape[0]):
        e = first + f
        velocity = along(model.directions, e, now.v) + model.drift_rate[k, e]
        normal = normal_force(model, f, now, old, w.alpha_f)
        status = laws.friction_status(now.status[e], now.local[e], velocity, normal, model.frictions[f, 2])
        changed = changed or status != now.status[e]
        now.status[e] = status
    return changed
