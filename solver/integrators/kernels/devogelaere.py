"""De Vogelaere's scheme as Fu adapted it to damping (DEVOGE), fixed step: order 4 undamped, 3 damped.

de Vogelaere, J. Res. Nat. Bur. Standards 54, 1955; Fu, J. Appl. Mech. 37, 1970. Two evaluations per
step, half-step h = dt/2; g is the acceleration without the modal damping c v. Contact laws see the
mean velocity over the last half-step.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.archive import begin, keep
from veridyn.solver.integrators.kernels.jit import called, kernel, natural, part, scheme
from veridyn.solver.integrators.kernels.stepping import DONE, GOING, ending
from veridyn.solver.integrators.kernels.system import count_on, couple, diverged, first_forces, forces, vary

Floats = NDArray[np.float64]


class Points(NamedTuple):
    """States along two steps, (4, r) each: half a step before, now, half a step on, a step on; and a velocity."""

    q: Floats
    v: Floats
    g: Floats
    w: Floats  # (r,) mean velocity of a half-step, which contacts see


BEFORE, NOW, MIDDLE, END = 0, 1, 2, 3


@kernel
def points(q, v):
    """Return the points at the start."""
    r = q.size
    p = Points(np.zeros((4, r), q.dtype), np.zeros((4, r), q.dtype), np.zeros((4, r), q.dtype), np.zeros(r, q.dtype))
    for i in range(r):  # copied so, since an error of shapes that cannot occur would take long to compile
        p.q[NOW, i], p.v[NOW, i] = q[i], v[i]
    return p


@called
def start_half_step_before(dt, weight, s, work, p):
    """Set the state half a step before the start by Taylor expansion; nothing has touched yet, without contact.

    ``weight``: of the acceleration, h²/8 (s²).
    """
    h = 0.5 * dt
    for i in range(p.w.size):
        c, q, v, g = s.damping[i], p.q[NOW, i], p.v[NOW, i], p.g[NOW, i]
        # There is no step before the first. Taylor's expansion to h² puts a point half a step back. Its error of h³ in
        # g enters once only, with h² before it, and stays below that of all steps.
        p.q[BEFORE, i] = q - h * v + weight * (g - c * v)
        # the load at t0 and the contact forces are held over the half-step before the start
        p.w[i] = p.q[BEFORE, i] - q
        p.g[BEFORE, i] = g - s.omega2[i] * p.w[i]
    if s.springs.first.size > 0:
        couple(p.w, s.springs, p.g[BEFORE])
    if s.varying.shape[0] > 0:  # no velocity has been set at the end of a step yet: it is zero
        vary(p.w, p.v[END], s.varying, s.varying_index, work.values[natural(work.place[0])], p.g[BEFORE])
    for i in range(p.w.size):
        c, v = s.damping[i], p.v[NOW, i]
        p.v[BEFORE, i] = ((4.0 + c * dt) * v - dt * (p.g[BEFORE, i] + p.g[NOW, i])) / (4.0 - c * dt)


@part
def to_the_middle(dt, s, p):
    """Set the displacement half a step on."""
    h = 0.5 * dt
    for i in range(p.w.size):
        c, q, v = s.damping[i], p.q[NOW, i], p.v[NOW, i]
        # The middle is a step of third order only, extrapolated from g half a step before and now: it is off by h⁴. It
        # enters the end through its acceleration, with the weight h²: there it is off by h⁶, in the velocity by h⁵. So
        # the whole is of order 4 with two evaluations, where Runge and Kutta need four.
        rate = 4.0 * p.g[NOW, i] - p.g[BEFORE, i] - c * (4.0 * v - p.v[BEFORE, i])
        p.q[MIDDLE, i] = q + h * v + dt * dt / 24.0 * rate
        p.w[i] = (p.q[MIDDLE, i] - q) / h


@part
def to_the_end(dt, s, p):
    """Set the velocity half a step on, and the displacement a step on."""
    for i in range(p.w.size):
        c, v, g, g_half = s.damping[i], p.v[NOW, i], p.g[NOW, i], p.g[MIDDLE, i]
        v_half = 4.0 / (4.0 + c * dt) * (v + dt / 4.0 * (g + g_half - c * v))
        p.q[END, i] = p.q[NOW, i] + dt * v + dt * dt / 6.0 * (g + 2.0 * g_half - c * (v + 2.0 * v_half))
        p.v[MIDDLE, i] = v_half
        p.w[i] = (p.q[END, i] - p.q[MIDDLE, i]) / (0.5 * dt)


@part
def velocity_at_the_end(dt, s, p):
    """Set the velocity a step on."""
    for i in range(p.w.size):
        c, v = s.damping[i], p.v[NOW, i]
        rate = p.g[END, i] + 4.0 * p.g[MIDDLE, i] + p.g[NOW, i] - c * (4.0 * p.v[MIDDLE, i] + v)
        p.v[END, i] = 6.0 / (6.0 + c * dt) * (v + dt / 6.0 * rate)


@part
def evaluate(where, t, s, p, state, archive, work, g):
    """Set g at one of the points."""
    forces(t, p.q[where], p.w, s, state, archive, work, g)
    for i in range(g.size):
        p.g[where, i] = g[i]


@part
def attempt(t, dt, s, p, state, archive, work, g):
    """Set middle and end of a step from t."""
    to_the_middle(dt, s, p)
    for where in range(MIDDLE, END + 1):  # a loop, so that the forces are compiled once
        # The force at the middle is needed for the displacement at the end, that for the force at the end, and both
        # forces for the velocity there: no other order of these four is possible without an equation to solve.
        evaluate(where, t + 0.5 * dt * (where - NOW), s, p, state, archive, work, g)
        if where == MIDDLE:
            to_the_end(dt, s, p)
    velocity_at_the_end(dt, s, p)


@part
def accept(p):
    """Make the end of a step the current point, and its middle the one before."""
    for i in range(p.w.size):
        p.q[BEFORE, i], p.v[BEFORE, i], p.g[BEFORE, i] = p.q[MIDDLE, i], p.v[MIDDLE, i], p.g[MIDDLE, i]
        p.q[NOW, i], p.v[NOW, i], p.g[NOW, i] = p.q[END, i], p.v[END, i], p.g[END, i]


@scheme
def integrate(s, t0, dt, steps, q, v, state, work, g, archive):
    """March ``steps`` steps from (q, v) at t0.

    Returns the index of a diverged mode (-1: none), status, time reached, steps, evaluations.
    """
    count_on(False, q, v, g, s, work)
    p = points(q, v)
    first_forces(t0, q, v, s, state, archive, work, g)
    for i in range(g.size):
        p.g[NOW, i] = g[i]
    begin(archive, t0, q, v)
    start_half_step_before(dt, dt * dt / 8.0, s, work, p)
    t = t0
    for k in range(1, steps + 1):
        attempt(t, dt, s, p, state, archive, work, g)
        accept(p)
        t += dt
        bad = diverged(p.q[NOW])
        status = ending(archive, bad, k == steps)
        keep(archive, k, dt, t, dt, status != GOING, p.q[NOW], p.v[NOW])
        if status != GOING:
            return bad, status, t, k, 1 + 2 * k
    return -1, DONE, t, 0, 1
