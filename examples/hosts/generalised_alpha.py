"""The generalised-alpha method of Chung and Hulbert for structures with stops, dry friction and devices.

    M ((1 - αm) a1 + αm a0) + C ((1 - αf) v1 + αf v0) + K ((1 - αf) u1 + αf u0)
        = F(t0 + (1 - αf) h) + (1 - αf) f1 + αf f0 + friction
    u1 = u0 + h v0 + h² ((½ - β) a0 + β a1),    v1 = v0 + h ((1 - γ) a0 + γ a1)

from an instant 0 to the next one 1 with a constant step h; f are the forces of stops and devices. αm, αf, β and γ
follow from rho_inf, what is left of the amplitude of infinitely fast motion after a step. Every step is solved by
Newton's iteration on a1, with the consistent tangent, until the residual is small against the largest force so far.

Friction is set-valued and mapped back to the cone once per step: what sticks has no sliding velocity at the end of the
step, and the multiplier that holds it is an unknown beside a1. A stick that needs more than the static limit slips, a
slip that would turn back tries to stick first. The normal force of friction on a stop is weighted as all forces are.

A load that jumps within a step counts by its mean over the step.

A damped stop pushes at once when it is touched. A step that only just touches it has no solution: the stop then acts
from the next step on.

The loop over steps is compiled by Numba. The laws are small functions, handed to the loop as a record, so that a
subclass or `dataclasses.replace` can put another one in place of each.

J. Chung and G. M. Hulbert, Journal of Applied Mechanics 60, 1993.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numba import njit
from scipy.linalg import eigh

Problem = Any  # the record of a mechanical problem, see docs/plugging-in-a-solver.md
Law = Callable[..., Any]
F = TypeVar("F", bound=Law)
Floats = np.ndarray[Any, np.dtype[Any]]

SPRING, ZENER = 0, 1  # kinds of devices
jit: Any = njit
compiled: Callable[[F], F] = jit
part: Callable[[F], F] = jit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
STICK = 0.0  # status of a friction; +1 and -1: it slips along or against its tangent
MOST_STEPS = 200_000  # by default
FINER = 4  # a step that is asked for may be so much shorter than the shortest by default
ENOUGH = 150_000  # steps beyond this are not taken for the sake of forces that jump, or of a dense output
CONVERGED, NO_EQUILIBRIUM, NO_STATUS = 0, 1, 2
FAILURES = {NO_EQUILIBRIUM: "Newton's iteration does not converge", NO_STATUS: "stick and slip do not settle"}


# --- laws: one number in, one number out ---------------------------------------------------------------------------


@compiled
def gap(y: float, size: float, two_sided: bool) -> float:
    """Distance (m) to a plane at ``size``, or to the nearer of two at ``-size`` and ``size``."""
    return size - abs(y) if two_sided else size - y


@compiled
def side(y: float, two_sided: bool) -> float:
    """Direction of the outward normal: -1 at the lower of two planes."""
    return -1.0 if two_sided and y < 0.0 else 1.0


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
def slip_force(direction: float, normal: float, kinetic: float) -> float:
    """Force on the structure along the tangent (N) while it slips in a direction."""
    return -direction * kinetic * normal


@compiled
def friction_status(status: float, force: float, velocity: float, normal: float, static: float) -> float:
    """Status that a step should have had, from the one it was solved with: the same if that was admissible."""
    if status == STICK:
        return STICK if abs(force) <= static * normal else -math.copysign(1.0, force)
    return status if velocity * status > 0.0 else STICK


@compiled
def piece(u: float, breaks: Floats) -> int:
    """Return the number of the polynomial of a spring that holds at an elongation (m)."""
    i = 0
    while i < breaks.size and u >= breaks[i]:
        i += 1
    return i


@compiled
def spring_force(u: float, breaks: Floats, coefficients: Floats) -> float:
    """Force (N) of a spring whose force is a polynomial between breaks (m)."""
    i = piece(u, breaks)
    tau, value = u - breaks[max(i - 1, 0)], 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        value = value * tau + coefficients[i, k]
    return value


@compiled
def spring_tangent(u: float, breaks: Floats, coefficients: Floats) -> float:
    """Return the derivative of `spring_force` (N/m)."""
    i = piece(u, breaks)
    tau, value = u - breaks[max(i - 1, 0)], 0.0
    for k in range(coefficients.shape[1] - 1, 0, -1):
        value = value * tau + k * coefficients[i, k]
    return value


@compiled
def dashpot_rate(force: float, damping: float, power: float) -> float:
    """Rate (m/s) of a dashpot under a force (N)."""
    return math.copysign(abs(force / damping) ** power, force)


@compiled
def dashpot_slope(force: float, damping: float, power: float) -> float:
    """Return the derivative of `dashpot_rate` (m/(s N))."""
    return power / damping if power == 1.0 else power / damping * abs(force / damping) ** (power - 1.0)


# --- what the loop over steps is handed ----------------------------------------------------------------------------


class Laws(NamedTuple):
    """The functions above."""

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
def along(directions: Floats, e: int, vector: Floats) -> float:
    """Component of a vector along the direction of an element."""
    total = 0.0
    for i in range(vector.size):
        total += directions[e, i] * vector[i]
    return total


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
def dashpot_force(numbers: Floats, d: int, u: float, path: float) -> float:
    """Force (N) of the dashpot of a Zener device at an elongation and a path (m)."""
    k1, k2, k3 = numbers[d, 1], numbers[d, 2], numbers[d, 3]
    return float(k3 * (k1 * u - (k1 + k2) * path) / (k1 + k2 + k3))


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


# --- one step ------------------------------------------------------------------------------------------------------


@part
def bring_up_pivot(matrix: Floats, vector: Floats, j: int) -> None:
    """Exchange row j for the one below that has the largest entry in column j."""
    pivot = j
    for i in range(j + 1, vector.size):
        if abs(matrix[i, j]) > abs(matrix[pivot, j]):
            pivot = i
    if pivot != j:
        for i in range(vector.size):
            matrix[j, i], matrix[pivot, i] = matrix[pivot, i], matrix[j, i]
        vector[j], vector[pivot] = vector[pivot], vector[j]


@part
def eliminate(matrix: Floats, vector: Floats) -> None:
    """Solve a small system by Gauss's elimination with row pivots; the solution replaces the right-hand side."""
    n = vector.size
    for j in range(n):
        bring_up_pivot(matrix, vector, j)
        for i in range(j + 1, n):
            factor = matrix[i, j] / matrix[j, j]
            if factor != 0.0:
                for m in range(j, n):
                    matrix[i, m] -= factor * matrix[j, m]
                vector[i] -= factor * vector[j]
    for j in range(n - 1, -1, -1):
        for m in range(j + 1, n):
            vector[j] -= matrix[j, m] * vector[m]
        vector[j] /= matrix[j, j]


@part
def advance_state(now: Any, old: Any, w: Any, h: float) -> None:
    """Set displacement and velocity from the acceleration."""
    for i in range(now.u.size):
        now.u[i] = old.u[i] + h * old.v[i] + h * h * ((0.5 - w.beta) * old.a[i] + w.beta * now.a[i])
        now.v[i] = old.v[i] + h * ((1.0 - w.gamma) * old.a[i] + w.gamma * now.a[i])


@part
def out_of_balance(model: Any, k: int, now: Any, old: Any, m: float, f: float, residual: Floats) -> float:
    """Set the residual (N) without friction of the step to instant k; returns the largest force in it."""
    largest = 0.0
    for i in range(now.u.size):
        inertia, inner = 0.0, 0.0
        for j in range(now.u.size):
            inertia += model.mass[i, j] * ((1.0 - m) * now.a[j] + m * old.a[j])
            inner += model.damping[i, j] * ((1.0 - f) * now.v[j] + f * old.v[j])
            inner += model.stiffness[i, j] * ((1.0 - f) * now.u[j] + f * old.u[j])
            largest = max(largest, abs(model.stiffness[i, j] * now.u[j]))
        elements = (1.0 - f) * now.force[i] + f * old.force[i]
        residual[i] = model.force[k, i] + elements - inner - inertia
        largest = max(largest, abs(model.force[k, i]), abs(elements), abs(inertia))
    return largest


@part
def is_small(residual: Floats, n: int, limit: float) -> bool:
    """Tell whether the first n entries are all within a limit."""
    for i in range(n):  # noqa: SIM110 - compiled
        if not abs(residual[i]) <= limit:  # a residual that is no number is not small
            return False
    return True


@part
def begin_iteration(model: Any, now: Any, old: Any) -> None:
    """Take the acceleration of the step before, and forget how often stops opened."""
    for i in range(now.a.size):
        now.a[i] = old.a[i]
    for s in range(model.stops.shape[0]):
        now.status[s] = 0.0


@part
def set_leading(matrix: Floats, part: Floats) -> None:
    """Write a matrix (n, n) into the leading part of a larger one."""
    for i in range(part.shape[0]):
        for j in range(part.shape[0]):
            matrix[i, j] = part[i, j]


@part
def equilibrium(laws: Any, model: Any, k: int, now: Any, old: Any, w: Any, h: float, base: Floats, work: Any) -> bool:
    """Newton's iteration with the given status of frictions; tells whether it converged."""
    system, right, reference = work
    n = now.u.size
    begin_iteration(model, now, old)
    for iteration in range(w.iterations + 1):
        advance_state(now, old, w, h)
        set_leading(system, base)
        add_elements(laws, model, k, now, old, w, h, system)
        reference[0] = max(reference[0], out_of_balance(model, k, now, old, w.alpha_m, w.alpha_f, right))
        add_frictions(laws, model, now, old, w.alpha_f, right)
        if iteration > 0 and is_small(right, n, w.tolerance * reference[0]):
            return True
        border(laws, model, k, now, w, h, system, right)
        eliminate(system, right)
        for i in range(n):
            now.a[i] += right[i]
        for f in range(model.frictions.shape[0]):
            now.local[model.stops.shape[0] + f] += right[n + f]
    return False


@part
def step(laws: Any, model: Any, k: int, now: Any, old: Any, w: Any, h: float, base: Floats, work: Any) -> int:
    """Solve one step, again with another status of frictions where the first one is inadmissible."""
    for _ in range(w.statuses):
        if not equilibrium(laws, model, k, now, old, w, h, base, work):
            return NO_EQUILIBRIUM
        if not map_back(laws, model, k, now, old, w):
            return CONVERGED
    return NO_STATUS


# --- the start -----------------------------------------------------------------------------------------------------


@part
def first_status(model: Any, k: int, now: Any) -> None:
    """Let frictions stick where nothing slides, and slip elsewhere."""
    first = model.stops.shape[0]
    for f in range(model.frictions.shape[0]):
        velocity = along(model.directions, first + f, now.v) + model.drift_rate[k, first + f]
        now.status[first + f] = STICK if velocity == 0.0 else math.copysign(1.0, velocity)


@part
def hold(laws: Any, model: Any, k: int, now: Any, h: float, system: Floats, right: Floats) -> None:
    """Write rows and columns of the multipliers at the start: what sticks stays at rest on what it rubs on."""
    n, first = now.u.size, model.stops.shape[0]
    for f in range(model.frictions.shape[0]):
        e, row = first + f, n + f
        sticks = now.status[e] == STICK
        for i in range(system.shape[0]):
            system[row, i] = system[i, row] = 0.0
        system[row, row] = 0.0 if sticks else 1.0
        right[row] = laws.slip_force(now.status[e], normal_force(model, f, now, now, 0.0 * h), model.frictions[f, 3])
        if sticks:
            right[row] = -(model.drift_rate[k + 1, e] - model.drift_rate[k, e]) / h
        for i in range(n):
            system[row, i] = model.directions[e, i] if sticks else 0.0
            system[i, row] = -model.directions[e, i]


@part
def break_away(laws: Any, model: Any, now: Any, right: Floats) -> bool:
    """Let what rests at the start slip where it cannot be held; tells whether there was any."""
    n, first, changed = now.u.size, model.stops.shape[0], False
    for f in range(model.frictions.shape[0]):
        e = first + f
        now.local[e] = right[n + f]
        if now.status[e] == STICK:
            normal = normal_force(model, f, now, now, 0.0 * right[n + f])
            now.status[e] = laws.friction_status(STICK, now.local[e], 0.0, normal, model.frictions[f, 2])
            changed = changed or now.status[e] != STICK
    return changed


@compiled
def first_acceleration(laws: Any, model: Any, k: int, now: Any, w: Any, h: float) -> None:
    """Set acceleration and forces at the start, instant k, from the equation of motion there."""
    n = now.u.size
    unknowns = n + model.frictions.shape[0]
    system, right = np.zeros((unknowns, unknowns)), np.zeros(unknowns)
    first_status(model, k, now)
    for _ in range(w.statuses):
        set_leading(system, model.mass)
        add_elements(laws, model, k, now, now, w, 0.0 * h, system)
        for i in range(n):
            right[i] = model.force[k, i] + now.force[i]
            for j in range(n):
                right[i] -= model.damping[i, j] * now.v[j] + model.stiffness[i, j] * now.u[j]
        hold(laws, model, k, now, h, system, right)
        eliminate(system, right)
        for i in range(n):
            now.a[i] = right[i]
        if not break_away(laws, model, now, right):
            break


# --- the loop ------------------------------------------------------------------------------------------------------


@part
def keep(history: Any, k: int, now: Any) -> None:
    """Write the state into row k."""
    for i in range(now.u.size):
        history.u[k, i] = now.u[i]
        history.v[k, i] = now.v[i]
    for e in range(now.local.size):
        history.local[k, e] = now.local[e]
        history.status[k, e] = now.status[e]


@part
def hand_over(now: Any, old: Any) -> None:
    """Copy the new state into the old one."""
    for i in range(now.u.size):
        old.u[i], old.v[i], old.a[i], old.force[i] = (now.u[i], now.v[i], now.a[i], now.force[i])
    for e in range(now.local.size):
        old.local[e], old.status[e] = now.local[e], now.status[e]


@compiled
def march(laws: Any, model: Any, now: Any, old: Any, w: Any, h: float, history: Any) -> tuple[int, int]:
    """Go through all steps; returns how the last one ended, and its number."""
    unknowns = now.u.size + model.frictions.shape[0]
    work = (np.zeros((unknowns, unknowns)), np.zeros(unknowns), np.zeros(1))
    inner = w.gamma * h * model.damping + w.beta * h * h * model.stiffness
    base = (1.0 - w.alpha_m) * model.mass + (1.0 - w.alpha_f) * inner
    for k in range(model.force.shape[0]):
        if k > 0:
            hand_over(now, old)
            ended = step(laws, model, k, now, old, w, h, base, work)
            if ended != CONVERGED:
                return ended, k
        keep(history, k, now)
    return CONVERGED, model.force.shape[0] - 1


# --- reading a problem ---------------------------------------------------------------------------------------------


class Structure(NamedTuple):
    """Matrices (r, r) of the unknowns, shapes (n, r) that make displacements of them, and their start (r,)."""

    mass: Floats
    damping: Floats
    stiffness: Floats
    shapes: Floats
    displacement: Floats
    velocity: Floats


def structure(problem: Problem) -> Structure:
    """Return the structure in its own coordinates, or in those of the modal basis that it brings."""
    x, v = (np.asarray(problem.initial_displacement, float), np.asarray(problem.initial_velocity, float))
    modes = problem.modes
    if modes is None:
        mass, damping, stiffness = (np.array(m, float) for m in (problem.mass, problem.damping, problem.stiffness))
        return Structure(mass, damping, stiffness, np.eye(x.size), x, v)
    back, masses = np.linalg.pinv(modes.shapes), np.asarray(modes.masses)
    damping = np.diag(2 * modes.damping * modes.omega * masses)
    if getattr(modes, "coupling", None) is not None:
        damping = damping + modes.coupling
    stiffness = np.diag(masses * modes.omega**2)
    return Structure(np.diag(masses), damping, stiffness, np.array(modes.shapes), back @ x, back @ v)


def highest_frequency(problem: Problem, *, stops: bool) -> float:
    """Return the highest circular frequency (rad/s), with devices, and with all stops closed if asked for."""
    s = structure(problem)
    stiffness = s.stiffness.copy()
    for device in problem.devices:
        direction = np.asarray(device.direction) @ s.shapes
        stiffness += device_stiffness(device) * np.outer(direction, direction)
    for stop in problem.stops if stops else ():
        normal = np.asarray(stop.normal) @ s.shapes
        stiffness += stop.stiffness * np.outer(normal, normal)
    return math.sqrt(max(0.0, float(eigh(stiffness, s.mass, eigvals_only=True)[-1])))


def has_jumps(problem: Problem) -> bool:
    """Tell whether forces jump: those of frictions at reversals, those of damped stops when touched."""
    return bool(problem.frictions) or any(stop.damping for stop in problem.stops)


def device_stiffness(device: Any) -> float:
    """Return about the largest stiffness (N/m) that a device shows."""
    if device.type == "zener":
        return float(device.k1 * (device.k2 + device.k3) / (device.k1 + device.k2 + device.k3))
    return max([0.0, *(float(row[1]) for row in getattr(device, "coefficients", ()) if len(row) > 1)])


def direction_of(element: Any) -> Floats:
    """Return the direction (n,) of the coordinate that an element sees: normal, tangent or direction."""
    if hasattr(element, "tangents"):
        return np.asarray(element.tangents[0], dtype=float)
    return np.asarray(element.normal if hasattr(element, "geometry") else element.direction, dtype=float)


def drift(problem: Problem, elements: list[Any], directions: list[Any], times: Floats, motion: str) -> Floats:
    """Return what the motion of supports adds to coordinates of elements (m, elements)."""
    out = np.zeros((times.size, len(elements)))
    for i, (element, direction) in enumerate(zip(elements, directions, strict=True)):
        for support in problem.supports if element.frame == "absolute" else ():
            factor = float(np.asarray(direction) @ np.asarray(support.influence))
            if factor:
                out[:, i] += factor * getattr(support, motion)(times)
    return out


def number(value: float | str) -> float:
    """Return a number of a time function: a float, or exact text such as ``3/4`` or ``1/4*pi``."""
    if not isinstance(value, str):
        return float(value)
    factor, pi, _ = value.partition("pi")
    exact = float(Fraction(factor.strip(" *") or 1))
    return exact * math.pi if pi else exact


def break_instants(form: Mapping[str, Any]) -> list[float]:
    """Return the instants (s) at which a time function in its JSON form may jump."""
    if form["kind"] == "sum":
        return [instant for summand in form["summands"] for instant in break_instants(summand)]
    if form["kind"] == "windowed":
        return [number(form["start"]), number(form["end"]), *break_instants(form["function"])]
    return [number(instant) for instant in form.get("breaks", ())]


def jumps(function: Any, times: Floats) -> list[tuple[float, float]]:
    """Return instants (s) within a span at which a function of time jumps, and by how much."""
    near = 1e-9 * (times[-1] - times[0])
    instants = break_instants(function.to_dict()) if hasattr(function, "to_dict") else []
    inside = sorted({instant for instant in instants if times[0] < instant < times[-1]})
    sizes = [(instant, float(function(instant + near)), float(function(instant - near))) for instant in inside]
    return [
        (at, after - before) for at, after, before in sizes if abs(after - before) > 1e-6 * (abs(after) + abs(before))
    ]


def spring_tables(devices: list[Any]) -> tuple[Floats, Floats]:
    """Return breaks (d, b) and coefficients (d, b + 1, k) of all devices, filled up with infinity and zeros."""
    tables = [d.coefficients if d.type == "nonlinear-spring" else ((0.0,), (0.0,)) for d in devices]
    width = max((len(row) for table in tables for row in table), default=1)
    length = max((len(table) for table in tables), default=2)
    breaks = np.full((len(devices), length - 1), np.inf)
    coefficients = np.zeros((len(devices), length, width))
    for d, (device, table) in enumerate(zip(devices, tables, strict=True)):
        breaks[d, : len(table) - 1] = device.breaks if device.type == "nonlinear-spring" else 0.0
        for i, row in enumerate(table):
            coefficients[d, i, : len(row)] = row
    return breaks, coefficients


def stop_table(stops: Any) -> Floats:
    """Return the numbers of stops (s, 4), see `Model`."""
    numbers = [(s.gap, s.geometry == "parallel planes", s.stiffness, s.damping) for s in stops]
    return np.array(numbers, dtype=float).reshape(len(stops), 4)


def friction_table(frictions: Any, stops: Any) -> Floats:
    """Return the numbers of frictions (f, 4), see `Model`."""
    number = {stop.name: i for i, stop in enumerate(stops)}
    pressed = [(number[f.normal], 0.0) if isinstance(f.normal, str) else (-1, f.normal) for f in frictions]
    numbers = [(*p, f.static, f.kinetic) for p, f in zip(pressed, frictions, strict=True)]
    return np.array(numbers, dtype=float).reshape(len(frictions), 4)


def device_table(devices: Any) -> Floats:
    """Return the numbers of devices (d, 6), see `Model`."""
    numbers = [
        (ZENER, d.k1, d.k2, d.k3, d.damping, 1 / d.alpha) if d.type == "zener" else (SPRING, *[1.0] * 5)
        for d in devices
    ]
    return np.array(numbers, dtype=float).reshape(len(devices), 6)


# --- the solver ----------------------------------------------------------------------------------------------------

CAPABILITIES = frozenset({
    "mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "contact", "contact:parallel-planes", "contact:damped", "friction:set-valued", "friction:on-stop",
    "device:nonlinear-spring", "device:zener", "absolute-frame",
})  # fmt: skip
LAWS = Laws(
    gap, side, contact_force, contact_tangent, slip_force,
    friction_status, spring_force, spring_tangent, dashpot_rate, dashpot_slope,
)  # fmt: skip


@dataclass(frozen=True)
class GeneralisedAlpha:
    """The method with its numbers and laws; those of the weights that are None follow from ``rho_inf``.

    ``drift`` is the phase error (rad) that the structure may gather over the span at the finest level, ``per_period``
    and ``per_output`` the steps in the shortest period with all stops closed and in the mean spacing of the output.
    ``per_jump`` are those in that period where forces jump at events inside of steps, which costs an order.
    """

    rho_inf: float = 0.8
    alpha_m: float | None = None
    alpha_f: float | None = None
    beta: float | None = None
    gamma: float | None = None
    newton_tolerance: float = 1e-10
    newton_iterations: int = 30
    status_changes: int = 10
    touches: int = 6
    drift: float = 5e-4
    per_period: float = 320.0
    per_output: float = 4.0
    per_jump: float = 10000.0
    levels: int = 4
    laws: Laws = field(default=LAWS, repr=False)
    name: ClassVar[str] = "generalised-alpha"
    version: ClassVar[str] = "1.0"
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES
    settings: ClassVar[Mapping[str, str]] = {"step": "step (s); default that of the finest level"}
    claims: ClassVar[Mapping[str, Any]] = {
        "order": 2,
        "method": "generalised-alpha",
        "rho_inf": "4/5",
        "load": "midpoint",
        "lag": 0,
        "stability": math.inf,
    }

    def weights(self) -> Weights:
        """Return the constants of the method: those of Chung and Hulbert where they are not given."""
        rho = self.rho_inf
        m = (2 * rho - 1) / (rho + 1) if self.alpha_m is None else self.alpha_m
        f = rho / (rho + 1) if self.alpha_f is None else self.alpha_f
        beta = (1 - m + f) ** 2 / 4 if self.beta is None else self.beta
        gamma = 0.5 - m + f if self.gamma is None else self.gamma
        return Weights(
            m, f, beta, gamma, self.newton_tolerance, self.newton_iterations, self.status_changes, self.touches
        )

    # --- how many steps

    def coarsest(self, problem: Problem) -> int:
        """Return the number of steps of the coarsest level: a multiple of twelve, so that it has many divisors."""
        span, outputs = float(problem.end - problem.start), problem.output_times
        slow, fast = (span * highest_frequency(problem, stops=stops) for stops in (False, True))
        output = 1000 if outputs is None else len(outputs) * span / (outputs[-1] - outputs[0])
        periods = fast / (2 * math.pi)
        finest: float = max(
            slow**1.5 / math.sqrt(12 * self.drift),
            periods * self.per_period,
            min(output * self.per_output, max(ENOUGH, output)),
            min(periods * self.per_jump, ENOUGH) if has_jumps(problem) else 0.0,
        )
        coarsest: int = math.ceil(finest / 2 ** (self.levels - 1) / 12 - 1e-6)
        return 12 * coarsest

    def refinement(self, problem: Problem) -> list[dict[str, float]]:
        """Return steps from coarse to fine, each half of the one before."""
        count = self.coarsest(problem)
        return [{"step": (problem.end - problem.start) / (count * 2**i)} for i in range(self.levels)]

    def defaults(self, problem: Problem) -> dict[str, float]:
        """Return the settings of the finest level."""
        return self.refinement(problem)[-1]

    def steps(self, problem: Problem, settings: Mapping[str, Any]) -> int:
        """Return the number of steps, the largest step being that of the settings.

        Raises
        ------
        ValueError
            If the step is not positive.
        NotImplementedError
            If there are too many.
        """
        span = float(problem.end - problem.start)
        chosen = float(settings.get("step") or self.defaults(problem)["step"])
        if not chosen > 0:
            raise ValueError(f"step = {chosen} s must be positive")
        count = max(1, math.ceil(span / chosen * (1 - 1e-9)))
        needed = self.coarsest(problem) * 2 ** (self.levels - 1)
        for steps, most in ((needed, MOST_STEPS), (count, FINER * MOST_STEPS)):
            if steps > most:
                raise NotImplementedError(f"{steps} steps are needed, at most {most} are taken")
        return count

    # --- forces in time

    def value(self, function: Any, instants: Floats, ends: Floats) -> Floats:
        """Return what a function of time is in steps (m,): its value at their instants, after a jump its mean.

        Steps end at ``ends``; the mean of a jump over the step in which it lies keeps its impulse.
        """
        out = np.array(function(instants), dtype=float)
        h = (ends[-1] - ends[0]) / (ends.size - 1)
        for at, size in jumps(function, ends):
            share = np.clip((ends[1:] - at) / h, 0.0, 1.0)
            out += size * (share - (instants >= at))
        return out

    def loads(self, problem: Problem, s: Structure, times: Floats) -> Floats:
        """Return the forces of loads and supports (m + 1, r) on the unknowns: at the start, then in each step."""
        back, instants = np.linalg.pinv(s.shapes), self.load_instants(times)
        pairs = [(load.function, np.asarray(load.direction) @ s.shapes) for load in problem.loads]
        pairs += [(u.acceleration, -s.mass @ (back @ np.asarray(u.influence))) for u in problem.supports]
        out = np.zeros((times.size, s.shapes.shape[1]))
        for function, direction in pairs:
            out[0] += float(function(times[0])) * direction
            out[1:] += np.multiply.outer(self.value(function, instants, times), direction)
        return out

    def load_instants(self, times: Floats) -> Floats:
        """Return the instants (m,) at which the steps between times (m + 1,) take their loads."""
        return np.asarray(times[:-1] + (1 - self.weights().alpha_f) * np.diff(times))

    # --- one solve

    def model(self, problem: Problem, s: Structure, times: Floats) -> Model:
        """Return what the loop needs to know of a problem."""
        elements = [*problem.stops, *problem.frictions, *problem.devices]
        directions = [direction_of(element) for element in elements]
        offsets = np.array([getattr(element, "offset", 0.0) for element in elements], dtype=float)
        breaks, coefficients = spring_tables(list(problem.devices))
        return Model(
            mass=s.mass,
            damping=s.damping,
            stiffness=s.stiffness,
            force=self.loads(problem, s, times),
            directions=np.array([d @ s.shapes for d in directions]).reshape(len(elements), s.mass.shape[0]),
            drift=drift(problem, elements, directions, times, "displacement") + offsets,
            drift_rate=drift(problem, elements, directions, times, "velocity"),
            stops=stop_table(problem.stops),
            frictions=friction_table(problem.frictions, problem.stops),
            devices=device_table(problem.devices),
            breaks=breaks,
            coefficients=coefficients,
        )

    def state(self, problem: Problem, s: Structure) -> State:
        """Return the state at the start; accelerations and forces are found in the loop."""
        n = s.velocity.size
        first = len(problem.stops) + len(problem.frictions)
        local = np.array([0.0] * first + [getattr(device, "path", 0.0) for device in problem.devices])
        return State(s.displacement.copy(), s.velocity.copy(), np.zeros(n), np.zeros(n), local, np.zeros(local.size))

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response at the ends of all steps.

        Raises
        ------
        NotImplementedError
            If the problem has what the solver does not treat.
        ArithmeticError
            If a step has no solution that the iteration finds.
        """
        refuse(problem, self.capabilities)
        count = self.steps(problem, settings)
        times = np.linspace(problem.start, problem.end, count + 1)
        h = (problem.end - problem.start) / count
        s = structure(problem)
        model, now, w = (self.model(problem, s, times), self.state(problem, s), self.weights())
        history = History(*(np.zeros((count + 1, part.size)) for part in tracked(now)))
        first_acceleration(self.laws, model, 0, now, w, h)
        ended, k = march(self.laws, model, now, self.state(problem, s), w, h, history)
        if ended != CONVERGED:
            raise ArithmeticError(f"{FAILURES[ended]} at t = {times[k]:.9g} s, step {k} of {count}")
        return self.response(problem, s, model, times, history)

    # --- output

    def response(self, problem: Problem, s: Structure, model: Model, times: Floats, history: History) -> dict[str, Any]:
        """Return the answer in physical coordinates."""
        x, v = history.u @ s.shapes.T, history.v @ s.shapes.T
        elements: dict[str, Any] = {}
        for e, element in enumerate((*problem.stops, *problem.frictions, *problem.devices)):
            elements[element.name] = self.element_history(element, model, e, history)
        counters = {"steps": times.size - 1}
        return {"time": times, "displacement": x, "velocity": v, "elements": elements, "counters": counters}

    def element_history(self, element: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return the histories (m,) of a stop, friction or device."""
        if e < model.stops.shape[0]:
            return self.stop_history(model, e, history)
        if e < model.stops.shape[0] + model.frictions.shape[0]:
            return self.friction_history(model, e, history)
        return self.device_history(element, model, e, history)

    def stop_history(self, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return normal force, gap and its rate."""
        y = history.u @ model.directions[e] + model.drift[:, e]
        rate = history.v @ model.directions[e] + model.drift_rate[:, e]
        size, both = model.stops[e, :2]
        out = np.where((y < 0) & bool(both), -1.0, 1.0)
        return {"normal_force": history.local[:, e], "gap": size - out * y, "normal_velocity": -out * rate}

    def friction_history(self, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, sliding velocity and whether it sticks; a stick's force is that of the weighted instant."""
        stop, pressure, static, kinetic = model.frictions[e - model.stops.shape[0]]
        normal = history.local[:, int(stop)] if stop >= 0 else np.full(history.u.shape[0], pressure)
        sticks = history.status[:, e] == STICK
        force = np.where(sticks, history.local[:, e], -history.status[:, e] * kinetic * normal)
        return {
            "force": np.clip(force, -static * normal, static * normal),
            "sliding_velocity": history.v @ model.directions[e] + model.drift_rate[:, e],
            "stuck": (sticks & (normal > 0)).astype(float),
            "normal_force": normal,
        }

    def device_history(self, device: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, elongation and what the device remembers."""
        d = e - model.stops.shape[0] - model.frictions.shape[0]
        u = history.u @ model.directions[e] + model.drift[:, e]
        if device.type == "nonlinear-spring":
            table = (model.breaks[d], model.coefficients[d])
            return {"force": np.array([self.laws.spring_force(x, *table) for x in u]), "elongation": u}
        k1, k2, k3 = model.devices[d, 1:4]
        total, path = k1 + k2 + k3, history.local[:, e]
        return {
            "force": k1 * ((k2 + k3) * u - k3 * path) / total,
            "elongation": u,
            "dashpot_force": k3 * (k1 * u - (k1 + k2) * path) / total,
            "dashpot_path": path,
        }

    def warm_up(self, settings: Mapping[str, Any]) -> None:  # noqa: ARG002 - compiled alike whatever the step
        """Compile the loop."""
        self.solve(OSCILLATOR, {"step": 0.1})


def tracked(state: State) -> tuple[Floats, ...]:
    """Return the parts of a state of which a history is kept, in the order of `History`."""
    return tuple(getattr(state, name) for name in History._fields)


def refuse(problem: Problem, capabilities: frozenset[str]) -> None:
    """Raise `NotImplementedError` for what a problem needs and the solver does not have."""
    missing = sorted(set(problem.needs) - capabilities)
    if missing:
        raise NotImplementedError(", ".join(missing))


OSCILLATOR = SimpleNamespace(
    needs=frozenset({"mechanical"}), start=0.0, end=1.0, output_times=None, mass=np.eye(1), damping=np.zeros((1, 1)),
    stiffness=np.eye(1), modes=None, initial_displacement=np.ones(1), initial_velocity=np.zeros(1), loads=(),
    supports=(), stops=(), frictions=(), devices=(),
)  # fmt: skip

SOLVER = GeneralisedAlpha()


def with_law(solver: GeneralisedAlpha, **changed: Law) -> GeneralisedAlpha:
    """Return a solver with some laws exchanged, each a function compiled by Numba."""
    return replace(solver, laws=solver.laws._replace(**changed))
