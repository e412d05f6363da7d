"""Symplectic Euler (EULER, DIFF_CENTRE): one evaluation per step, order 2 in q, velocity half a step late."""

from veridyn.solver.integrators.kernels.archive import begin, keep
from veridyn.solver.integrators.kernels.jit import scheme
from veridyn.solver.integrators.kernels.stepping import DONE, GOING, ending
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces, forces


@scheme
def integrate(s, t0, dt, steps, q, v, state, work, g, archive):
    """March ``steps`` steps from (q, v) at t0.

    Returns the index of a diverged mode (-1: none), status, time reached, steps, evaluations.
    """
    count_on(True, q, v, g, s, work)
    t = t0
    first_forces(t, q, v, s, state, archive, work, g)
    begin(archive, t, q, v)
    for k in range(1, steps + 1):
        for i in range(q.size):
            # The order matters: q moves with the new v. The map of a free mode then has determinant 1, and its
            # amplitude stays bounded for w h < 2. With the old v it is Euler's explicit method, whose amplitude grows
            # by √(1 + w² h²) a step. Velocities so belong to half-steps, as those of central differences do.
            v[i] += dt * (g[i] - s.damping[i] * v[i])
            q[i] += dt * v[i]
        t += dt
        forces(t, q, v, s, state, archive, work, g)
        bad = diverged(q)
        status = ending(archive, bad, k == steps)
        keep(archive, k, dt, t, dt, status != GOING, q, v)
        if status != GOING:
            return bad, status, t, k, 1 + k
    return -1, DONE, t, 0, 1
