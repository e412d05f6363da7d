"""Adaptive central differences (ADAPT, ADAPT_ORDRE2): order 2, velocity at half-steps.

The step follows an apparent frequency: ``f = sqrt(max |Δa| / max(|Δq|, v_min dt)) / 2π`` and
``error = points per period × f × dt``. Two step controls exist: that of 2002 (releases up to 7) and
that of 2020.
"""

import math
from typing import NamedTuple

import numpy as np

from veridyn.solver.kernels.jit import kernel
from veridyn.solver.kernels.system import archive, diverged, forces

CONTROL_2002, CONTROL_2020 = 0, 1
DONE, FULL, DIVERGED, STUCK = 0, 1, 2, 3


class Control(NamedTuple):
    """Options of the step control."""

    generation: int  # CONTROL_2002 or CONTROL_2020
    first: float  # first step (PAS)
    smallest: float  # PAS_MINI
    largest: float  # PAS_MAXI
    points: float  # NB_POIN_PERIODE
    grow: float  # COEF_MULT_PAS
    shrink: float  # COEF_DIVI_PAS
    tries: int  # NMAX_ITER_PAS
    own_minimum: bool  # VITE_MIN = MAXI: a floor of the velocity per mode; NORM: one floor
    restore: bool  # friction state restored before a step is tried again
    weight_of_try: bool  # velocity weight from the step tried first (2020 as programmed) instead of the last step
    grid: float  # archive the nearest states to this grid (s); 0: archive every accepted step
    every: int  # archive every n-th accepted step (without grid)


@kernel
def apparent_error(control, dt, q, q_new, a, a_new, floor):
    """Points per period × apparent frequency × step; above 1 the step is too long."""
    ratio = 0.0
    for i in range(q.size):
        travel = max(abs(q_new[i] - q[i]), floor[i] * dt)
        if travel <= 2.2e-308:
            travel = 2.220446e-16
        ratio = max(ratio, abs(a_new[i] - a[i]) / travel)
    ratio = max(ratio, 2.220446e-16)
    return control.points * dt * math.sqrt(ratio) / (2.0 * math.pi)


@kernel
def update_floor(control, u, floor):
    """Velocity floor: one hundredth of the norm, or of the largest velocity so far of each mode."""
    if control.own_minimum:
        for i in range(u.size):
            floor[i] = max(floor[i], 0.01 * abs(u[i]))
        return
    norm = 0.0
    for i in range(u.size):
        norm += u[i] * u[i]
    norm = 0.01 * math.sqrt(norm)
    for i in range(u.size):
        floor[i] = norm


@kernel
def next_step(control, dt, error, counter):
    """Step after a try with ``error`` and the counter of easy steps: (new step, new counter)."""
    if control.generation == CONTROL_2020:
        if error >= 1.0:
            return min(control.largest, dt / control.shrink), counter
        if counter > 4.5:
            if error < 0.75:
                return min(control.largest, dt * control.grow), 1.0
            return min(control.largest, dt), counter
        return min(control.largest, dt), counter + 1.0
    if error > 1.0:
        return dt / control.shrink, counter
    if error < 0.75:
        if counter == 5.0:
            return min(control.grow * dt, control.largest), 5.0
        return dt, counter + 1.0
    return dt, 0.0


@kernel
def rejected(control, error, dt_next, tries):
    """Whether the step is tried again with dt_next."""
    if control.generation == CONTROL_2020:
        return error >= 1.0 and dt_next >= control.smallest and tries < control.tries
    return error > 1.0 and tries < control.tries


@kernel
def integrate(s, t0, t_end, control, q, u, state, record, work, g, times, displacement, velocity, records):
    """March from (q, u) at t0 to t_end; velocities start at t0.

    Returns archived states, diverged mode, status, time reached, accepted steps, evaluations.
    """
    r = q.size
    a, a_new, q_new, u_new, v_new = np.empty(r), np.empty(r), np.empty(r), np.empty(r), u.copy()
    q_old, v_old = q.copy(), u.copy()
    floor = np.full(r, 1e-15)
    saved, saved_record = state.copy(), record.copy()
    forces(t0, q, u, s, state, record, work, g)
    for i in range(r):
        a[i] = g[i] - s.damping[i] * u[i]
    archive(0, t0, q, u, record, times, displacement, velocity, records)
    slot, t, dt, before, counter = 1, t0, control.first, 0.0, 0.0
    if control.generation == CONTROL_2020:
        counter = 1.0
    steps, evaluations = 0, 1
    while t_end - t > (steps + 1) * 2.220446e-15:
        if control.generation == CONTROL_2020 and control.largest > control.smallest:
            dt = min(dt, t_end - t)
        tries, tried_first = 0, dt
        if control.restore:
            saved[:] = state
            saved_record[:] = record
        while True:
            tries += 1
            weight = 0.5 * (before + dt)
            if control.weight_of_try and steps > 0:
                weight = 0.5 * (tried_first + dt)
            for i in range(r):
                u_new[i] = u[i] + a[i] * weight
                q_new[i] = q[i] + dt * u_new[i]
                v_new[i] = u_new[i] + 0.5 * dt * a[i]
            forces(t + dt, q_new, v_new, s, state, record, work, g)
            evaluations += 1
            for i in range(r):
                a_new[i] = g[i] - s.damping[i] * v_new[i]
            if control.largest <= control.smallest:  # constant step
                dt_next = dt
                break
            error = apparent_error(control, dt, q, q_new, a, a_new, floor)
            dt_next, counter = next_step(control, dt, error, counter)
            if not rejected(control, error, dt_next, tries):
                break
            if control.generation == CONTROL_2002 and dt_next <= control.smallest:
                return slot, -1, STUCK, t, steps, evaluations
            dt = dt_next
            if control.restore:
                state[:] = saved
                record[:] = saved_record
        if dt_next < control.smallest:
            return slot, -1, STUCK, t, steps, evaluations
        for i in range(r):
            q_old[i], q[i] = q[i], q_new[i]
            u[i] = u_new[i]
            a[i] = a_new[i]
        t_old = t
        t += dt
        before = dt
        dt = dt_next
        steps += 1
        update_floor(control, u, floor)
        bad = diverged(q)
        if bad >= 0:
            return slot, bad, DIVERGED, t, steps, evaluations
        if slot >= times.size:
            return slot, -1, FULL, t, steps, evaluations
        if control.grid > 0.0:
            target = t0 + slot * control.grid
            if t >= target - 1e-12:
                if target - t_old < t - target:
                    archive(slot, t_old, q_old, v_old, record, times, displacement, velocity, records)
                else:
                    archive(slot, t, q, v_new, record, times, displacement, velocity, records)
                slot += 1
        elif steps % control.every == 0 or t >= t_end:
            archive(slot, t, q, v_new, record, times, displacement, velocity, records)
            slot += 1
        for i in range(r):
            v_old[i] = v_new[i]
    return slot, -1, DONE, t, steps, evaluations
