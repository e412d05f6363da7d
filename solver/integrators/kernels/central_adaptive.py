"""Adaptive central differences (ADAPT, ADAPT_ORDRE2): order 2, velocity at half-steps.

The step follows an apparent frequency: ``f = sqrt(max |Δa| / max(|Δq|, v_min dt)) / 2π`` and
``error = points per period × f × dt``. Two step controls exist: that of 2002 (releases up to 7) and
that of 2020.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.archive import SLOT, begin, keep, put, total
from veridyn.solver.integrators.kernels.jit import kernel, part, scheme
from veridyn.solver.integrators.kernels.stepping import (
    DONE,
    FULL,
    GOING,
    STUCK,
    copy,
    ending,
    horizon,
    outlook,
    resumed,
    unfinished,
)
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces, forces

Floats = NDArray[np.float64]


class CentralControl(NamedTuple):
    """Options of the step control."""

    old_control: bool  # that of 2002; else that of 2020
    velocity_late: bool  # symplectic Euler: the velocity of a state is that of half a step before
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


class CentralStates(NamedTuple):
    """Current, tried and previous state: displacement q, velocity u half a step back, v at q, acceleration a."""

    q: Floats
    u: Floats
    v: Floats
    a: Floats
    q_new: Floats
    u_new: Floats
    v_new: Floats
    a_new: Floats
    q_old: Floats
    v_old: Floats


@kernel
def start(q, v):
    """Return the trial state at the start."""
    r = q.size
    return CentralStates(
        q.copy(),
        v.copy(),
        v.copy(),
        np.zeros(r, q.dtype),
        np.zeros(r, q.dtype),
        np.zeros(r, q.dtype),
        np.zeros(r, q.dtype),
        np.zeros(r, q.dtype),
        q.copy(),
        v.copy(),
    )


@part
def apparent_error(control, dt, q, q_new, a, a_new, floor):
    """Return points per period × apparent frequency × step; above 1 the step is too long."""
    ratio = 0.0
    for i in range(q.size):
        travel = max(abs(q_new[i] - q[i]), floor[i] * dt)
        if travel <= 2.2e-308:
            travel = 2.220446e-16
        # In a free vibration a = -w² q, so that |Δa|/|Δq| is w². Of several modes the largest ratio counts, that of the
        # fastest that moves. At a turning point Δq vanishes: the floor of the travel keeps the ratio finite there.
        ratio = max(ratio, abs(a_new[i] - a[i]) / travel)
    ratio = max(ratio, 2.220446e-16)
    return control.points * dt * math.sqrt(ratio) / (2.0 * math.pi)


@part
def update_floor(control, u, floor):
    """Set the velocity floor: one hundredth of the norm, or of the largest velocity so far of each mode."""
    if control.own_minimum:
        for i in range(u.size):
            floor[i] = max(floor[i], 0.01 * abs(u[i]))
        return
    norm = 0.0
    for i in range(u.size):
        norm += u[i].real * u[i].real
    norm = 0.01 * math.sqrt(norm)
    for i in range(u.size):
        floor[i] = norm


@part
def control_2020(control, dt, error, counter):
    """Return the next step, a counter of easy steps, and whether the step is tried again: the rule of 2020."""
    if error >= 1.0:
        shorter = min(control.largest, dt / control.shrink)
        return shorter, counter, True
    if counter <= 4.5:
        return min(control.largest, dt), counter + 1.0, False
    if error < 0.75:
        return min(control.largest, dt * control.grow), 1.0, False
    return min(control.largest, dt), counter, False


@part
def control_2002(control, dt, error, counter):
    """Return the next step, a counter of easy steps, and whether the step is tried again: the rule of 2002.

    From the fifth easy step in a row on, every easy step lets the step grow, at most to the first.
    """
    if error > 1.0:
        return dt / control.shrink, 0.0, True
    if error >= 0.75:
        return dt, 0.0, False
    if counter >= 4.0:
        return min(control.grow * dt, control.first), 4.0, False
    return dt, counter + 1.0, False


@part
def attempt(s, t, dt, weight, ahead, trial, state, archive, work, g):
    """Advance the trial state by dt: velocity at the half-step, displacement, acceleration at t + dt.

    ``ahead``: from the velocity that moves the displacement to that at t + dt (s).
    """
    for i in range(g.size):
        # Central differences with steps that vary: u lies in the middle of a step, so that from one u to the
        # next it is half of either step. ``weight`` is that mean; with dt in its place the order falls to 1
        # wherever the step changes.
        trial.u_new[i] = trial.u[i] + trial.a[i] * weight
        trial.q_new[i] = trial.q[i] + dt * trial.u_new[i]
        trial.v_new[i] = trial.u_new[i] + ahead * trial.a[i]
    forces(t + dt, trial.q_new, trial.v_new, s, state, archive, work, g)
    for i in range(g.size):
        trial.a_new[i] = g[i] - s.damping[i] * trial.v_new[i]


@part
def accept(trial):
    """Make the trial state the current one and remember the one before."""
    for i in range(trial.q.size):
        trial.q_old[i], trial.q[i] = trial.q[i], trial.q_new[i]
        trial.v_old[i], trial.v[i] = trial.v[i], trial.v_new[i]
        trial.u[i] = trial.u_new[i]
        trial.a[i] = trial.a_new[i]


@part
def choose(control, archive, steps, t0, t_old, used, t, ahead, last, trial):
    """Keep what the plan asks for.

    On a grid the nearer of the two neighbouring states is kept, but always the newer contact record (as the
    2002 generation did).
    """
    if control.grid == 0.0:
        keep(archive, steps, used, t, ahead, last, trial.q, trial.v)
        return
    # The integrals need the record of this state, which `put` would leave behind for the next slot: so they come first.
    total(archive, used)
    target = t0 + archive.cursor[SLOT] * control.grid
    if t < target - (steps + 1) * 2.220446e-15:
        return
    if not last and target - t_old < t - target:
        put(archive, t_old, trial.q_old, trial.v_old)
    else:
        put(archive, t, trial.q, trial.v)


@part
def advance(s, t, dt, before, counter, first, control, trial, floor, state, archive, saved, work, g):
    """Take one accepted step: (step used, next step, counter, tries; tries < 0 if the step got too small)."""
    tries, tried_first = 0, dt
    if control.restore:
        copy(state, saved)
    while True:
        tries += 1
        base = tried_first if control.weight_of_try and not first else before
        if first and control.velocity_late:
            base = dt
        ahead = 0.0 if control.velocity_late else 0.5 * dt
        attempt(s, t, dt, 0.5 * (base + dt), ahead, trial, state, archive, work, g)
        if control.largest <= control.smallest:  # constant step
            return dt, dt, counter, tries
        error = apparent_error(control, dt, trial.q, trial.q_new, trial.a, trial.a_new, floor)
        if control.old_control:
            dt_next, counter, again = control_2002(control, dt, error, counter)
            if again and tries >= control.tries:
                dt_next = dt
        else:
            dt_next, counter, again = control_2020(control, dt, error, counter)
        if again and dt_next < control.smallest:
            return dt, dt_next, counter, -tries
        if not again or tries >= control.tries:
            return dt, dt_next, counter, tries
        dt = dt_next
        if control.restore:
            copy(saved, state)


@scheme
def integrate(s, t0, t_end, control, q, v, state, work, g, archive):
    """March from (q, v) at t0 to t_end.

    Returns diverged mode (-1: none), status, time reached, accepted steps, evaluations.
    """
    count_on(False, q, v, g, s, work)
    trial = start(q, v)
    floor = np.full(q.size, 1e-15)
    saved = state.copy()
    first_forces(t0, q, v, s, state, archive, work, g)
    for i in range(q.size):
        trial.a[i] = g[i] - s.damping[i] * v[i]
    begin(archive, t0, q, v)
    steps, evaluations, t, before = 0, 1, t0, 0.0
    dt, counter = control.first, 0.0 if control.old_control else 1.0
    while unfinished(t, t_end, steps):
        if archive.cursor[SLOT] >= archive.times.size:
            return -1, FULL, t, steps, evaluations
        target, left = horizon(archive, t_end), 0.0
        if not control.old_control and control.largest > control.smallest:
            dt, left = min(dt, target - t), dt - (target - t)
        used, dt, counter, tries = advance(
            s, t, dt, before, counter, steps == 0, control, trial, floor, state, archive, saved, work, g
        )
        evaluations += abs(tries)
        if tries < 0:
            return -1, STUCK, t, steps, evaluations
        accept(trial)
        t_old, t, before = t, t + used, used
        steps += 1
        update_floor(control, trial.u, floor)
        dt = resumed(archive, t, target, left, dt, steps)
        bad = diverged(trial.q)
        status = ending(archive, bad, not unfinished(t, t_end, steps))
        choose(control, archive, steps, t0, t_old, used, t, outlook(archive, dt, steps), status != GOING, trial)
        if status != GOING:
            return bad, status, t, steps, evaluations
    return -1, DONE, t, steps, evaluations
