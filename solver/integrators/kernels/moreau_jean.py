"""Moreau and Jean's time stepping: impulses of rigid stops and set-valued frictions, complementary to velocities.

A step of the theta method on the smooth part gives the velocities without impulses; they and the impulses p obey

    u = u_free + D p,   0 <= p ⊥ u + e u_0 >= 0 (stops),   -p in mu p_n sign(u) (frictions),

u being rates of gaps and sliding velocities at the end of the step, u_0 at its start; solved by projected Gauss-Seidel.
Source: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM Courses 302, Springer 1988;
M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.jit import kernel, part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# counters: passes in all steps, most of them in a step, steps that did not converge
PASSES, MOST, FAILED = range(3)


class Laws(NamedTuple):
    """Stops, then frictions, as rows over the velocities."""

    rows: Floats  # (k, n) rates of gaps and sliding velocities
    gaps: Floats  # (k,) gaps at zero displacement (m)
    restitution: Floats  # (k,)
    friction: Floats  # (k,) coefficients; negative: a stop
    normal: Floats  # (k,) constant normal forces (N)
    pressing: Ints  # (k, 2) stops that press a friction, -1: none


class StepMatrices(NamedTuple):
    """What a step of length h (s) makes of the structure."""

    h: float
    theta: float
    stiffness: Floats  # (n, n)
    damping: Floats  # (n, n)
    inverse: Floats  # (n, n) of M + h theta C + h² theta² K
    answer: Floats  # (n, k) velocities that impulses along the rows give
    compliance: Floats  # (k, k) rows of them


@part
def limit_of(i, laws, p, h):
    """Return the largest impulse of a friction in a step."""
    normal = h * laws.normal[i]
    for j in range(laws.pressing.shape[1]):
        if laws.pressing[i, j] >= 0:
            normal += p[laws.pressing[i, j]]
    return laws.friction[i] * normal


@part
def projected(i, laws, active, p, u, least, compliance, h):
    """Return the impulse of a row that obeys its law under the other impulses."""
    own = compliance[i, i]
    if own <= 0.0 or not active[i]:
        return 0.0
    if laws.friction[i] < 0.0:
        return max(0.0, p[i] - (u[i] - least[i]) / own)
    limit = limit_of(i, laws, p, h)
    return min(max(p[i] - u[i] / own, -limit), limit)


@kernel
def impulses(step, laws, active, u, least, p, tolerance, most):
    """Find the impulses p (k,), and u (k,) with them; return the passes, one more than ``most`` if they do not do."""
    size = 0.0
    for i in range(u.size):
        size = max(size, abs(u[i]), abs(least[i]))
        for j in range(u.size):
            u[i] += step.compliance[i, j] * p[j]
    for k in range(1, most + 1):
        change = 0.0
        for i in range(u.size):
            # Projected Gauss and Seidel: each impulse is set to what its law wants under the others, and u follows at
            # once. Without friction that minimises p·D p/2 + p·(u_free - least) over p >= 0, one coordinate at a time,
            # so that it never gets worse (D is positive semidefinite, and symmetric if damping and stiffness are). With
            # friction the bounds move with p, and convergence is counted, not proved.
            new = projected(i, laws, active, p, u, least, step.compliance, step.h)
            more = new - p[i]
            p[i] = new
            if more != 0.0:
                change = max(change, abs(more) * step.compliance[i, i])
                for j in range(u.size):
                    u[j] += step.compliance[j, i] * more
        if change <= tolerance * size:
            return k
    return most + 1


@kernel
def march(step, laws, forces, q, v, p, total, tolerance, most, counters):
    """March over an interval: from (q, v) over as many steps as ``forces`` (m + 1, n) has intervals.

    ``p`` (k,) are the impulses of the last step, ``total`` (k,) sums of them over the interval; ``counters`` (3,).
    """
    h, theta = step.h, step.theta
    active = np.empty(p.size, dtype=np.bool_)
    least = np.empty(p.size)
    for m in range(forces.shape[0] - 1):
        # With q' = v at theta between the ends, q(theta) = q + h theta (v + theta dv), and likewise v(theta)
        # = v + theta dv: (M + h theta C + h² theta² K) dv = h (f(theta) - K (q + h theta v) - C v).
        # ``inverse`` is that of the bracket.
        push = theta * forces[m + 1] + (1.0 - theta) * forces[m]
        push -= np.dot(step.stiffness, q + h * theta * v) + np.dot(step.damping, v)
        new = v + h * np.dot(step.inverse, push)
        before = np.dot(laws.rows, v)
        gaps = laws.gaps + np.dot(laws.rows, q)
        for i in range(p.size):
            # A stop takes part if the gap half a step ahead is closed. The law then holds for velocities: u + e u_0 >=
            # 0 with u_0 of the start of the step, which is read before it is overwritten. So what has gone beyond the
            # stop by then stays there (of the order of h); no spring or projection gives energy for it.
            stop = laws.friction[i] < 0.0
            active[i] = not stop or gaps[i] + 0.5 * h * before[i] <= 0.0
            least[i] = -laws.restitution[i] * before[i] if stop else 0.0
            p[i] = p[i] if active[i] else 0.0
        u = np.dot(laws.rows, new)
        passes = impulses(step, laws, active, u, least, p, tolerance, most)
        counters[PASSES] += passes
        counters[MOST] = max(counters[MOST], passes)
        counters[FAILED] += 1 if passes > most else 0
        # Displacements come last, from velocities with their impulses. From the free velocities a body at rest on a
        # stop would sink into it by about g h² at every step.
        new += np.dot(step.answer, p)
        q += h * (theta * new + (1.0 - theta) * v)
        for i in range(v.size):
            v[i] = new[i]
        total += p
