"""One step by Newton's iteration, the start, and the loop over steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..laws import STICK, Floats, along, compiled, part
from .forces import add_elements, add_frictions, border, map_back, normal_force

CONVERGED, NO_EQUILIBRIUM, NO_STATUS = 0, 1, 2
FAILURES = {NO_EQUILIBRIUM: "Newton's iteration does not converge", NO_STATUS: "stick and slip do not settle"}


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
