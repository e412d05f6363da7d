"""Newmark's family and its dissipative kin: implicit in modes and forces, solved by Newton's method in every step.

    q = q* + beta h² a,   v = v* + gamma h a

with q* and v* from the state at the start of the step. The balance lies between the ends of the step:

    (1 - alpha_m) a + alpha_m a_n = (1 - alpha_f) (f - c v - w² q) + alpha_f (f_n - c v_n - w² q_n)

The structure is linear, and contacts and devices act along rows: the state that the loads alone would give is found
once, with its local coordinates, and the forces F along the rows move these by W F, W the compliance of the rows. So
Newton's method has as many unknowns as there are rows, and modes are led along once, when F is known.
"""

import numpy as np

from veridyn.solver.integrators.kernels.archive import SLOT, begin, keep
from veridyn.solver.integrators.kernels.contact import RECORDS
from veridyn.solver.integrators.kernels.elimination import eliminate, substitute
from veridyn.solver.integrators.kernels.function_table import row_of
from veridyn.solver.integrators.kernels.jit import called, natural, part, scheme
from veridyn.solver.integrators.kernels.newmark_balance import (
    NewtonScratch,
    balance,
    couples,
    inertia_beside,
    lead,
    place,
    predict,
    remember,
    solve,
)
from veridyn.solver.integrators.kernels.projection import add_forces, project, push_all
from veridyn.solver.integrators.kernels.stepping import DONE, GOING, STUCK, copy, ending
from veridyn.solver.integrators.kernels.system import count_on, diverged, forces_beside, local_forces
from veridyn.solver.integrators.kernels.tangents import row_at, tangents

ROUNDING = 2e-15  # of a local coordinate: changes below do not move it
LEAST = 1e-280  # of a force: what is smaller dies away, and loses its digits


@part
def total(beside, s, f, n):
    """Set all forces, with those beside the rows given."""
    for i in range(f.size):
        f[i] = beside[i]
    push_all(n.force, s, f)


@called
def all_forces(t, q, v, s, state, archive, work, f, n):
    """Evaluate loads, contacts and devices, without the stiffness of the modes."""
    row = row_of(t, s, work)
    forces_beside(row, q, v, q, v, s, work, n.drift)
    if s.several is not None:
        project(row, q, v, s, work)
    local_forces(t, True, q, v, s, state, archive, work, f)
    for p in range(n.force.size):
        n.force[p] = work.force[p]
    total(n.drift, s, f, n)


@part
def fly(row, dt, method, s, q_star, v_star, q, v, a, work, n):
    """Set the state at the end of the step without forces along the rows, and its local coordinates."""
    lead(dt, method, s, n.beside, q_star, v_star, q, v, a, n)
    project(row, q, v, s, work)
    for p in range(n.position.size):
        n.position[p], n.velocity[p] = work.position[p], work.velocity[p]


@part
def shift(b, g, method, work, n):
    """Set local coordinates under the forces along rows; tell whether positions, and rates, moved beyond rounding."""
    moved, swayed, size, speed = 0.0, 0.0, 0.0, 0.0
    for p in range(n.shift.size):
        n.shift[p] = 0.0
    add_forces(n.force, method.spread, n.shift)
    for p in range(n.shift.size):
        position, rate = n.position[p] + b * n.shift[p], n.velocity[p] + g * n.shift[p]
        moved, swayed = max(moved, abs(position - n.tried[p])), max(swayed, abs(rate - n.rate[p]))
        size, speed = max(size, abs(n.position[p]) + abs(b * n.shift[p])), max(speed, abs(n.velocity[p]))
        work.position[p], work.velocity[p] = position, rate
        n.tried[p], n.rate[p] = position, rate
    return moved > ROUNDING * size, swayed > ROUNDING * speed


@part
def missing(method, work, n):
    """Set what the laws ask for beyond the forces along the rows; return the largest of both on a mode."""
    left, size = 0.0, 0.0
    for p in range(n.gap.size):
        n.gap[p] = work.force[p] - n.force[p]
        left = max(left, method.largest[p] * abs(n.gap[p]))
        size = max(size, method.largest[p] * abs(work.force[p]))
    return left, size


@part
def is_differentiated(settled, method, before, work, n):
    """Tell whether the derivatives of forces that are found are found as well, and how much is missing; see `duals`.

    A pass more finds them where the tangents are those of the laws. So a residual that no longer halves is rounding.
    """
    if not settled:
        return False, before
    left, size = 0.0, 0.0
    for p in range(n.gap.size):
        left = max(left, method.largest[p] * abs(n.gap[p].imag))
        size = max(size, method.largest[p] * abs(work.force[p].imag))
    return left <= method.tolerance * size or left >= 0.5 * before, left


@part
def through(s, n, k, column):
    """Return the change of the force along the active row k with accelerations of the rows."""
    e, i = n.owner[k] // 3, n.owner[k] % 3
    change = 0.0
    for j in range(3):
        along = row_at(e, j, s)
        if along >= 0:
            change += n.tangent[e, i, j] * column[along]
    return change


@part
def is_factored(n):
    """Tell whether no tangent has changed since the last factors."""
    for e in range(n.tangent.shape[0]):
        for i in range(3):
            for j in range(3):
                if n.tangent[e, i, j] != n.factored[e, i, j]:
                    return False
    return True


@called
def factor(s, method, n):
    """Set up the matrix 1 - T W of the rows whose forces change with the acceleration, and its factors."""
    count = 0
    for e in range(n.tangent.shape[0]):
        for i in range(3):
            row, changes = row_at(e, i, s), False
            for j in range(3):
                n.factored[e, i, j] = n.tangent[e, i, j]
                changes = changes or n.tangent[e, i, j] != 0.0
            if row >= 0 and changes:
                n.active[count], n.owner[count] = row, 3 * e + i
                count += 1
    n.active[n.pull.size] = count
    for k in range(count):
        for m in range(count):
            # The residual r(F) = law(W F) - F has the derivative T W - 1. Rows of T that are zero need no unknown:
            # there F is the law's force itself. What is left is as small as the number of contacts that touch,
            # whatever the number of modes.
            n.columns[m, k] = (1.0 if k == m else 0.0) - through(s, n, k, method.spread[n.active[m]])
    eliminate(n.columns, n.pivots, count)


@part
def correct(s, method, n):
    """Take one pass of Newton's method on the forces along the rows: (1 - T W) z = gap.

    Where a tangent is zero, so is a row of T: there z is the gap, and what it does to the others is known.
    """
    if not is_factored(n):
        factor(s, method, n)
    count = n.active[n.pull.size]
    for p in range(n.pull.size):
        n.pull[p], n.shift[p] = n.gap[p], 0.0
    for k in range(count):
        n.pull[n.active[k]] = 0.0
    add_forces(n.pull, method.spread, n.shift)
    for p in range(n.pull.size):
        n.force[p] += n.pull[p]
    for k in range(count):
        n.pull[k] = n.gap[n.active[k]] + through(s, n, k, n.shift)
    substitute(n.columns, n.pivots, n.pull, count)
    for k in range(count):
        n.force[n.active[k]] += n.pull[k]


@part
def drift(row, q_star, v_star, q, v, s, work, n):
    """Let varying matrices act on the state of this pass; returns the largest change of their forces."""
    largest = 0.0
    forces_beside(row, q_star, v_star, q, v, s, work, n.drift)
    for i in range(q.size):
        n.drift[i], n.beside[i] = n.drift[i] - n.beside[i], n.drift[i]
        largest = max(largest, abs(n.drift[i]))
    return largest


@part
def pushes(force):
    """Tell whether any force is there."""
    largest = 0.0
    for p in range(force.size):
        largest = max(largest, abs(force[p]))
    return largest > 0.0


@part
def finish(row, dt, method, s, q_star, v_star, q, v, a, work, f, n):
    """Lead the modes to the end of the step under the forces that were found, where `fly` has not done it."""
    total(n.beside, s, f, n)
    if s.several is None or s.varying.shape[0] > 0 or pushes(n.force):
        lead(dt, method, s, f, q_star, v_star, q, v, a, n)
    if couples(method):  # the predictor's forces of coupling stand in those beside the rows
        forces_beside(row, q, v, q, v, s, work, f)
        push_all(n.force, s, f)


@part
def pushed(method, s, f, q_star, v_star, a, n, i):
    """Return the acceleration of mode i under the forces f, the others being as they are."""
    others = (1.0 - method.alpha_m) * inertia_beside(method, a, i)
    return (balance(method, s, f, q_star, v_star, n, i) - others) / method.implicit[i]


@called
def hold(t, dt, allowed, method, s, q, v, a, q_star, v_star, state, archive, work, f, n):
    """Lead the modes whose residual is above what is allowed on under the forces of the start of the step.

    Their acceleration is then the one that the forces at the end give. Returns its change over the size of its terms.
    """
    for i in range(q.size):
        n.rest[i] = n.drift[i] if s.varying.shape[0] > 0 else 0.0
    push_all(n.gap, s, n.rest)
    for i in range(q.size):
        n.rest[i] *= 1.0 - method.alpha_f
        if not abs(n.rest[i]) <= allowed:
            new = pushed(method, s, n.before, q_star, v_star, a, n, i)
            place(i, new, dt, method, q_star, v_star, q, v, a)
    copy(n.saved, state)
    all_forces(t, q, v, s, state, archive, work, f, n)
    change, size = 0.0, 0.0
    for i in range(q.size):
        if not abs(n.rest[i]) <= allowed:
            new = pushed(method, s, f, q_star, v_star, a, n, i)
            change = max(change, abs(new - a[i]))
            size = max(size, abs(f[i]), abs(s.omega2[i] * q_star[i]))
            a[i] = new
    return change / max(size, change) if change > 0.0 else 0.0


@part
def advance(t, dt, method, s, q, v, a, q_star, v_star, state, archive, work, f, n):
    """Take a step to t; return evaluations, GOING or STUCK, and the change with which unsettled forces stand, or 0."""
    predict(dt, method, q, v, a, q_star, v_star)
    remember(method, s, q, v, a, f, n)
    copy(state, n.saved)
    if method.lagged:
        lead(dt, method, s, f, q_star, v_star, q, v, a, n)
        all_forces(t, q, v, s, state, archive, work, f, n)
        return 1, GOING, 0.0
    row, several, varies = row_of(t, s, work), s.several is not None, s.varying.shape[0] > 0
    weight = 1.0 - method.alpha_f
    # The balance takes the forces at the end of the step with the weight 1 - alpha_f. So a force F along a row
    # accelerates it by (1 - alpha_f) W F at the end, which moves it by beta h² and its rate by gamma h times that.
    b, g = weight * method.beta * dt * dt, weight * method.gamma * dt
    forces_beside(row, q_star, v_star, q_star, v_star, s, work, n.beside)
    others = 0.0
    for i in range(q.size):
        others = max(others, abs(n.beside[i]), abs(s.omega2[i] * q_star[i]))
    k, last, moved, settled, size = 0, np.inf, True, False, 0.0
    done, slopes_left = False, np.inf
    while k < method.iterations and not done:
        k += 1
        # Without forces along the rows the state at the end does not depend on the iteration. It is led there
        # once; each pass then only moves the few local coordinates. Matrices that vary act on the whole state, so
        # that they take it every time.
        if varies or k == 1:
            fly(row, dt, method, s, q_star, v_star, q, v, a, work, n)
        # The laws of contacts move their memory on at every call. So each pass begins from that of the start of the
        # step; one that began from the pass before would rub or yield twice in one step.
        copy(n.saved, state)
        moves, sways = shift(b, g, method, work, n)
        moves, sways = moves or k == 1, sways or k == 1
        if varies or not several:
            total(n.beside, s, f, n)
            lead(dt, method, s, f, q_star, v_star, q, v, a, n)
        local_forces(t, True, q, v, s, state, archive, work, f)
        left, size = missing(method, work, n)
        size = max(size, others)
        if varies:
            change = drift(row, q_star, v_star, q, v, s, work, n)
            left, moves = max(left, change), moves or change > ROUNDING * size
        # A residual that is small ends the passes. So does one that cannot get smaller: positions do not move beyond
        # rounding any more, and rates do not, or do so without halving the residual. A stiff stop then has a residual
        # of its stiffness times the rounding of a displacement, which no pass can take away.
        settled = left <= max(method.tolerance * size, LEAST) or not (moves or (sways and left < 0.5 * last))
        done, slopes_left = is_differentiated(settled, method, slopes_left, work, n)
        if not done:
            record = archive.records[natural(archive.cursor[SLOT])]
            # The tangent belongs to the branch that the laws took last (open, pushing, sticking, sliding). Forces
            # are piecewise smooth, so that Newton's method on the right branch converges quadratically. If branches
            # still change in the last pass, none fits its own solution, and `hold` takes the step; if they do not,
            # Newton's method has failed.
            moved, last = tangents(t, dt, b, g, q, v, s, n.saved, record, work, n) or k == 1, left
            correct(s, method, n)
    if not (settled or moved):
        return k, STUCK, 0.0
    finish(row, dt, method, s, q_star, v_star, q, v, a, work, f, n)
    if settled:
        return k, GOING, 0.0
    allowed = method.tolerance * size
    return k + 1, GOING, hold(t, dt, allowed, method, s, q, v, a, q_star, v_star, state, archive, work, f, n)


@scheme
def integrate(s, t0, dt, steps, method, q, v, state, work, f, archive):
    """March ``steps`` steps from (q, v) at t0.

    Returns the index of a diverged mode (-1: none), status, time reached, steps, evaluations, steps that have no
    consistent state, the largest relative change with which they stand, and the most evaluations in a step.
    """
    # Newmark (1959) has alpha_m = alpha_f = 0; Hilber, Hughes and Taylor (1977) alpha_m = 0 and alpha_f = -alpha in
    # their notation; Chung and Hulbert (1993) both. Order 2 takes gamma = 1/2 - alpha_m + alpha_f, stability for any
    # step alpha_m <= alpha_f <= 1/2 and beta >= 1/4 + (alpha_f - alpha_m)/2.
    count_on(True, q, v, f, s, work)
    r, p, elements = q.size, work.force.size, state.shape[0]
    a, q_star, v_star = np.empty(r, q.dtype), np.empty(r, q.dtype), np.empty(r, q.dtype)
    contacts = s.contact_index.shape[0]
    n = NewtonScratch(
        np.empty(r, q.dtype), np.empty(r, q.dtype), np.empty(r, q.dtype), np.empty(r, q.dtype), np.empty(r, q.dtype),
        np.empty(r, q.dtype), np.zeros(p, q.dtype), np.zeros(p, q.dtype), np.zeros(p, q.dtype), np.zeros(p, q.dtype),
        np.zeros(p, q.dtype), np.zeros(p, q.dtype), np.zeros(p, q.dtype), np.zeros(p, q.dtype),
        np.empty((p, p), q.dtype), np.zeros(p, dtype=np.int64), np.zeros(p + 1, dtype=np.int64),
        np.zeros(p, dtype=np.int64), np.zeros((elements, 3, 3), q.dtype), np.zeros((elements, 3, 3), q.dtype),
        np.zeros(contacts, dtype=np.int64), np.zeros(contacts, q.dtype), state.copy(),
        np.empty(state.shape[1], q.dtype), np.empty(RECORDS, q.dtype),
    )  # fmt: skip
    all_forces(t0, q, v, s, state, archive, work, f, n)
    for i in range(r):
        # The first acceleration comes from the balance at the start. An acceleration that is off by a number of order 1
        # would leave (1 - gamma) h times it in the velocity after the first step: order 1 instead of 2.
        n.rest[i] = f[i] - s.damping[i] * v[i] - s.omega2[i] * q[i]
    if method.start.pivot.size > 0:
        solve(method.start, n.rest, n.solved)
    for i in range(r):
        a[i] = n.solved[method.start.at[i]] if method.start.pivot.size > 0 else n.rest[i]
    begin(archive, t0, q, v)
    evaluations, unsettled, largest, most, t = 1, 0, 0.0, 0, t0
    for k in range(1, steps + 1):
        t += dt
        passes, given_up, change = advance(t, dt, method, s, q, v, a, q_star, v_star, state, archive, work, f, n)
        evaluations += passes
        most = max(most, passes)
        unsettled += 1 if change > 0.0 else 0
        largest = max(largest, change)
        bad = diverged(q)
        status = given_up if given_up != GOING and bad < 0 else ending(archive, bad, k == steps)
        keep(archive, k, dt, t, dt, status != GOING, q, v)
        if status != GOING:
            return bad, status, t, k, evaluations, unsettled, largest, most
    return -1, DONE, t, 0, 1, 0, 0.0, 0
