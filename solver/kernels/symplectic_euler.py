"""Symplectic Euler (EULER, DIFF_CENTRE): one evaluation per step, order 2 in q, velocity half a step late."""

from veridyn.solver.kernels.jit import kernel
from veridyn.solver.kernels.system import archive, diverged, first_forces, forces


@kernel
def integrate(s, t0, dt, steps, every, q, v, state, record, work, g, times, displacement, velocity, records):
    """March ``steps`` steps from (q, v) at t0; archive every ``every``-th state and the last.

    Returns the number of archived states, the index of a diverged mode (-1: none) and the number of evaluations.
    """
    r = q.size
    t = t0
    first_forces(t, q, v, s, state, record, work, g)
    archive(0, t, q, v, record, times, displacement, velocity, records)
    slot = 1
    for k in range(1, steps + 1):
        for i in range(r):
            v[i] += dt * (g[i] - s.damping[i] * v[i])
            q[i] += dt * v[i]
        t += dt
        forces(t, q, v, s, state, record, work, g)
        bad = diverged(q)
        if k % every == 0 or k == steps or bad >= 0:
            archive(slot, t, q, v, record, times, displacement, velocity, records)
            slot += 1
        if bad >= 0:
            return slot, bad, 1 + k
    return slot, -1, 1 + steps
