"""Newmark's family: modes are implicit and solved for directly, forces at the end of the step by fixed point.

    q = q* + beta h² a,   v = v* + gamma h a,   a = (f - c v* - w² q*) / (1 + gamma h c + beta h² w²)

with q* and v* from the state at the start of the step.
"""

from typing import NamedTuple

import numpy as np

from veridyn.solver.integrators.kernels.archive import begin, keep
from veridyn.solver.integrators.kernels.jit import part, scheme
from veridyn.solver.integrators.kernels.stepping import DONE, GOING, copy, ending
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces, forces


class Method(NamedTuple):
    """Parameters of the family, and how forces are found."""

    beta: float
    gamma: float
    lagged: bool  # forces of the start of the step
    tolerance: float  # of the acceleration, relative to the forces
    iterations: int  # at most


@part
def predict(dt, method, q, v, a, q_star, v_star):
    """State without the acceleration at the end of the step."""
    for i in range(q.size):
        q_star[i] = q[i] + dt * v[i] + (0.5 - method.beta) * dt * dt * a[i]
        v_star[i] = v[i] + (1.0 - method.gamma) * dt * a[i]


@part
def solve(dt, method, s, f, q_star, v_star, q, v, a):
    """State at the end of the step under the forces f; returns the change of a over the size of its terms."""
    change, size = 0.0, 0.0
    for i in range(q.size):
        implicit = 1.0 + method.gamma * dt * s.damping[i] + method.beta * dt * dt * s.omega2[i]
        new = (f[i] - s.damping[i] * v_star[i] - s.omega2[i] * q_star[i]) / implicit
        change = max(change, abs(new - a[i]))
        size = max(size, abs(f[i]), abs(s.omega2[i] * q_star[i]))
        a[i] = new
        q[i] = q_star[i] + method.beta * dt * dt * new
        v[i] = v_star[i] + method.gamma * dt * new
    return change / max(size, change) if change > 0.0 else 0.0  # forces of a free mode may vanish: size 0


@part
def forces_alone(t, q, v, s, state, archive, work, f):
    """Evaluate loads, contacts and devices, without the stiffness of the modes."""
    forces(t, q, v, s, state, archive, work, f)
    for i in range(q.size):
        f[i] += s.omega2[i] * q[i]


@part
def advance(t, dt, method, s, q, v, a, q_star, v_star, state, archive, saved, work, f):
    """One step to t; returns the evaluations, and the relative change with which unsettled forces stand, or 0."""
    predict(dt, method, q, v, a, q_star, v_star)
    solve(dt, method, s, f, q_star, v_star, q, v, a)
    copy(state, saved)
    change = 0.0
    for k in range(1, method.iterations + 1):
        copy(saved, state)
        forces_alone(t, q, v, s, state, archive, work, f)
        if method.lagged:
            return k, 0.0
        change = solve(dt, method, s, f, q_star, v_star, q, v, a)
        if change <= method.tolerance or (state.shape[0] == 0 and s.coupling.size == 0):
            return k, 0.0
    return method.iterations, change


@scheme
def integrate(s, t0, dt, steps, method, q, v, state, work, f, archive):
    """March ``steps`` steps from (q, v) at t0.

    Returns the index of a diverged mode (-1: none), status, time reached, steps, evaluations, steps whose forces did
    not settle, and the largest relative change with which they stand.
    """
    count_on(True, q, v, f, s, work)
    r = q.size
    a, q_star, v_star = np.empty(r), np.empty(r), np.empty(r)
    saved = state.copy()
    first_forces(t0, q, v, s, state, archive, work, f)
    for i in range(r):
        a[i] = f[i] - s.damping[i] * v[i]
        f[i] += s.omega2[i] * q[i]
    begin(archive, t0, q, v)
    evaluations, unsettled, largest, t = 1, 0, 0.0, t0
    for k in range(1, steps + 1):
        t += dt
        passes, change = advance(t, dt, method, s, q, v, a, q_star, v_star, state, archive, saved, work, f)
        evaluations += passes
        unsettled += 1 if change > 0.0 else 0
        largest = max(largest, change)
        bad = diverged(q)
        status = ending(archive, bad, k == steps)
        keep(archive, k, dt, t, dt, status != GOING, q, v)
        if status != GOING:
            return bad, status, t, k, evaluations, unsettled, largest
    return -1, DONE, t, 0, 1, 0, 0.0
