"""Exact propagation of each mode under a force that is linear in time (ITMI).

The force at the end of a step is taken first at the state that the force of its start leads to, then at the state that
the line between both leads to.
"""

import numpy as np

from veridyn.solver.kernels.jit import kernel, part
from veridyn.solver.kernels.stepping import copy
from veridyn.solver.kernels.system import archive, diverged, first_forces, forces


@part
def propagate(p, q, v, f, f_end, q_new, v_new):
    """State at the end of a step under forces from f to f_end; p (r, 2, 4) acts on q, v, f and the change of f."""
    for i in range(q.size):
        change = f_end[i] - f[i]
        q_new[i] = p[i, 0, 0] * q[i] + p[i, 0, 1] * v[i] + p[i, 0, 2] * f[i] + p[i, 0, 3] * change
        v_new[i] = p[i, 1, 0] * q[i] + p[i, 1, 1] * v[i] + p[i, 1, 2] * f[i] + p[i, 1, 3] * change


@part
def advance(t, p, s, q, v, f, f_end, q_new, v_new, state, record, saved, work):
    """One step to t: q, v and f become those of its end."""
    copy(state, saved)
    for i in range(q.size):
        f_end[i] = f[i]
    for _ in range(2):
        propagate(p, q, v, f, f_end, q_new, v_new)
        copy(saved, state)
        forces(t, q_new, v_new, s, state, record, work, f_end)
        for i in range(q.size):
            f_end[i] += s.omega2[i] * q_new[i]
    for i in range(q.size):
        q[i], v[i], f[i] = q_new[i], v_new[i], f_end[i]


@kernel
def integrate(s, t0, dt, steps, every, p, q, v, state, record, work, f, times, displacement, velocity, records):
    """March ``steps`` steps from (q, v) at t0; archive every ``every``-th state and the last.

    Returns the number of archived states, the index of a diverged mode (-1: none) and the number of evaluations.
    """
    r = q.size
    f_end, q_new, v_new = np.empty(r), np.empty(r), np.empty(r)
    saved = state.copy()
    first_forces(t0, q, v, s, state, record, work, f)
    for i in range(r):
        f[i] += s.omega2[i] * q[i]
    archive(0, t0, q, v, record, times, displacement, velocity, records)
    slot, t = 1, t0
    for k in range(1, steps + 1):
        t += dt
        advance(t, p, s, q, v, f, f_end, q_new, v_new, state, record, saved, work)
        bad = diverged(q)
        if k % every == 0 or k == steps or bad >= 0:
            archive(slot, t, q, v, record, times, displacement, velocity, records)
            slot += 1
        if bad >= 0:
            return slot, bad, 1 + 2 * k
    return slot, -1, 1 + 2 * steps
