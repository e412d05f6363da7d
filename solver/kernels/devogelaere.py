"""De Vogelaere's scheme as Fu adapted it to damping (DEVOGE), fixed step: order 4 undamped, 3 damped.

de Vogelaere, J. Res. Nat. Bur. Standards 54, 1955; Fu, J. Appl. Mech. 37, 1970. Two evaluations per
step, half-step h = dt/2; g is the acceleration without the modal damping c v. Contact laws see the
mean velocity over the last half-step.
"""

import numpy as np

from veridyn.solver.kernels.jit import kernel, part
from veridyn.solver.kernels.system import archive, diverged, first_forces, forces


@part
def start_half_step_before(dt, s, q, v, g, q_half, v_half, g_half):
    """State half a step before the start by Taylor expansion (g_half without contact: nothing has touched yet)."""
    h = 0.5 * dt
    for i in range(q.size):
        q_half[i] = q[i] - h * v[i] + dt * dt / 8.0 * (g[i] - s.damping[i] * v[i])
        # the load at t0 and the contact forces are held over the half-step before the start
        g_half[i] = g[i] + s.omega2[i] * (q[i] - q_half[i])
        v_half[i] = ((4.0 + s.damping[i] * dt) * v[i] - dt * (g_half[i] + g[i])) / (4.0 - s.damping[i] * dt)


@kernel
def integrate(s, t0, dt, steps, every, q, v, state, record, work, g, times, displacement, velocity, records):
    """March ``steps`` steps from (q, v) at t0; archive every ``every``-th state and the last.

    Returns the number of archived states, the index of a diverged mode (-1: none) and the number of evaluations.
    """
    r = q.size
    h = 0.5 * dt
    q_half, v_half, g_half = np.empty(r), np.empty(r), np.empty(r)
    q_new, w, g_new = np.empty(r), np.empty(r), np.empty(r)
    first_forces(t0, q, v, s, state, record, work, g)
    archive(0, t0, q, v, record, times, displacement, velocity, records)
    start_half_step_before(dt, s, q, v, g, q_half, v_half, g_half)
    slot = 1
    t = t0
    for k in range(1, steps + 1):
        for i in range(r):
            c = s.damping[i]
            q_half[i] = q[i] + h * v[i] + dt * dt / 24.0 * (4.0 * g[i] - g_half[i] - c * (4.0 * v[i] - v_half[i]))
            w[i] = (q_half[i] - q[i]) / h
        forces(t + h, q_half, w, s, state, record, work, g_half)
        for i in range(r):
            c = s.damping[i]
            v_half[i] = 4.0 / (4.0 + c * dt) * (v[i] + dt / 4.0 * (g[i] + g_half[i] - c * v[i]))
            q_new[i] = q[i] + dt * v[i] + dt * dt / 6.0 * (g[i] + 2.0 * g_half[i] - c * (v[i] + 2.0 * v_half[i]))
            w[i] = (q_new[i] - q_half[i]) / h
        t += dt
        forces(t, q_new, w, s, state, record, work, g_new)
        for i in range(r):
            c = s.damping[i]
            rate = g_new[i] + 4.0 * g_half[i] + g[i] - c * (4.0 * v_half[i] + v[i])
            v[i] = 6.0 / (6.0 + c * dt) * (v[i] + dt / 6.0 * rate)
            q[i] = q_new[i]
            g[i] = g_new[i]
        bad = diverged(q)
        if k % every == 0 or k == steps or bad >= 0:
            archive(slot, t, q, v, record, times, displacement, velocity, records)
            slot += 1
        if bad >= 0:
            return slot, bad, 1 + 2 * k
    return slot, -1, 1 + 2 * steps
