"""Exact propagation of each mode under a force that is linear in time (ITMI).

The force at the end of a step is taken first at the state that the force of its start leads to, then at the state that
the line between both leads to.
"""

import numpy as np

from veridyn.solver.integrators.kernels.archive import begin, keep
from veridyn.solver.integrators.kernels.jit import part, scheme
from veridyn.solver.integrators.kernels.stepping import DONE, GOING, copy, ending
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces, forces


@part
def propagate(p, q, v, f, f_end, q_new, v_new):
    """Set the state at the end of a step under forces from f to f_end; p (r, 2, 4) acts on q, v, f and f_end - f."""
    for i in range(q.size):
        change = f_end[i] - f[i]
        q_new[i] = p[i, 0, 0] * q[i] + p[i, 0, 1] * v[i] + p[i, 0, 2] * f[i] + p[i, 0, 3] * change
        v_new[i] = p[i, 1, 0] * q[i] + p[i, 1, 1] * v[i] + p[i, 1, 2] * f[i] + p[i, 1, 3] * change


@part
def advance(t, p, s, q, v, f, f_end, q_new, v_new, state, archive, saved, work):
    """Take one step to t: q, v and f become those of its end."""
    copy(state, saved)
    for i in range(q.size):
        f_end[i] = f[i]
    for _ in range(2):
        # Duhamel's integral of a force that is linear over the step is exact: stiffness of the structure limits no
        # step, and for given loads only their curvature is an error, of order h². The first pass holds forces constant
        # over the step, the second has them linear.
        propagate(p, q, v, f, f_end, q_new, v_new)
        # The laws move their memory on at every call; both calls of a step must begin from its start.
        copy(saved, state)
        forces(t, q_new, v_new, s, state, archive, work, f_end)
        for i in range(q.size):
            f_end[i] += s.omega2[i] * q_new[i]
    for i in range(q.size):
        q[i], v[i], f[i] = q_new[i], v_new[i], f_end[i]


@scheme
def integrate(s, t0, dt, steps, p, q, v, state, work, f, archive):
    """March ``steps`` steps from (q, v) at t0.

    Returns the index of a diverged mode (-1: none), status, time reached, steps, evaluations.
    """
    count_on(True, q, v, f, s, work)
    r = q.size
    f_end, q_new, v_new = np.empty(r, q.dtype), np.empty(r, q.dtype), np.empty(r, q.dtype)
    saved = state.copy()
    first_forces(t0, q, v, s, state, archive, work, f)
    for i in range(r):
        f[i] += s.omega2[i] * q[i]
    begin(archive, t0, q, v)
    t = t0
    for k in range(1, steps + 1):
        t += dt
        advance(t, p, s, q, v, f, f_end, q_new, v_new, state, archive, saved, work)
        bad = diverged(q)
        status = ending(archive, bad, k == steps)
        keep(archive, k, dt, t, dt, status != GOING, q, v)
        if status != GOING:
            return bad, status, t, k, 1 + 2 * k
    return -1, DONE, t, 0, 1
