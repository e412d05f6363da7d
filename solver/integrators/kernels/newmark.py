"""Newmark's family and its dissipative kin: implicit in modes and forces, solved by Newton's method in every step.

    q = q* + beta h² a,   v = v* + gamma h a

with q* and v* from the state at the start of the step. The balance lies between the ends of the step:

    (1 - alpha_m) a + alpha_m a_n = (1 - alpha_f) (f - c v - w² q) + alpha_f (f_n - c v_n - w² q_n)

Newton's method corrects all modes at once; since contacts and devices act along rows, one system of as many unknowns
as there are rows is solved in each pass.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.archive import SLOT, begin, keep
from veridyn.solver.integrators.kernels.contact import R_F1, R_F2, R_FORCE, RECORDS
from veridyn.solver.integrators.kernels.jit import called, natural, part, scheme
from veridyn.solver.integrators.kernels.stepping import DONE, GOING, STUCK, copy, ending
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces, forces
from veridyn.solver.integrators.kernels.tangents import row_at, tangents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 2e-15  # of the displacement: corrections below do not change the state


class Method(NamedTuple):
    """Parameters of the family, how forces are found, and how the structure answers them in a step."""

    beta: float
    gamma: float
    alpha_m: float  # weight of the start of the step for the inertia
    alpha_f: float  # and for all other forces
    lagged: bool  # forces of the start of the step
    tolerance: float  # of the residual, relative to the largest force
    iterations: int  # evaluations of the forces in a step, at most
    implicit: Floats  # (r,) diagonal of the matrix of a step
    inverse: Floats  # (r, r) of the whole matrix where something couples modes, or (0, 0)
    answer: Floats  # (r, p) acceleration under a unit force along a row
    compliance: Floats  # (p, p) acceleration of a row under a unit force along a row


class Newton(NamedTuple):
    """Scratch arrays of the iteration."""

    past: Floats  # (r,) what the start of the step adds to the balance
    before: Floats  # (r,) forces at the start of the step
    rest: Floats  # (r,) residual
    free: Floats  # (r,) correction of the structure alone
    pull: Floats  # (p,) forces along the rows that come with the correction
    matrix: Floats  # (p, p)
    tangent: Floats  # (c + d, 3, 3)
    branch: Ints  # (c,)
    side: Floats  # (c,)
    saved: Floats  # (c + d, columns) memory of contacts and devices at the start of the step
    memory: Floats  # (columns,)
    record: Floats  # (8,)


@part
def predict(dt, method, q, v, a, q_star, v_star):
    """State without the acceleration at the end of the step."""
    for i in range(q.size):
        q_star[i] = q[i] + dt * v[i] + (0.5 - method.beta) * dt * dt * a[i]
        v_star[i] = v[i] + (1.0 - method.gamma) * dt * a[i]


@part
def remember(method, s, q, v, a, f, n):
    """Keep what the start of the step adds to the balance."""
    for i in range(q.size):
        inner = f[i] - s.damping[i] * v[i] - s.omega2[i] * q[i]
        n.past[i] = method.alpha_f * inner - method.alpha_m * a[i]
        n.before[i] = f[i]


@part
def balance(method, s, f, q_star, v_star, n, i):
    """Force on mode i that its acceleration answers."""
    return n.past[i] + (1.0 - method.alpha_f) * (f[i] - s.damping[i] * v_star[i] - s.omega2[i] * q_star[i])


@part
def place(i, new, dt, method, q_star, v_star, q, v, a):
    """State of mode i with an acceleration at the end of the step."""
    a[i] = new
    q[i] = q_star[i] + method.beta * dt * dt * new
    v[i] = v_star[i] + method.gamma * dt * new


@part
def solve(dt, method, s, f, q_star, v_star, q, v, a, n):
    """State at the end of the step under the forces f."""
    for i in range(q.size):
        new = balance(method, s, f, q_star, v_star, n, i) / method.implicit[i]
        place(i, new, dt, method, q_star, v_star, q, v, a)


@part
def residual(method, s, f, q_star, v_star, a, n):
    """Residual of the balance under the forces of the state itself; returns the largest of both."""
    largest, size = 0.0, 0.0
    for i in range(a.size):
        n.rest[i] = balance(method, s, f, q_star, v_star, n, i) - method.implicit[i] * a[i]
        largest = max(largest, abs(n.rest[i]))
        size = max(size, abs(f[i]), abs(s.omega2[i] * q_star[i]))
    return largest, size


@called
def largest_force(s, record, work):
    """Largest force of a load, contact or device on a mode: forces that cancel leave a residual of their rounding."""
    size, row, contacts = 0.0, natural(work.place[0]), s.contact_index.shape[0]
    for e in range(s.load.shape[0]):
        for i in range(s.load.shape[1]):
            size = max(size, abs(s.load[e, i] * work.values[row, e]))
    for e in range(record.shape[0]):
        force = abs(record[e, R_FORCE])
        if e < contacts:
            force = max(force, abs(record[e, R_F1]), abs(record[e, R_F2]))
        for k in range(3):
            along = row_at(e, k, s)
            if along >= 0:
                for i in range(s.back.shape[1]):
                    size = max(size, abs(s.back[along, i]) * force)
    return size


@part
def answer_of_structure(method, n):
    """Correction of the structure alone: modes by themselves, or together where damping or stiffness couples them."""
    for i in range(n.rest.size):
        if method.inverse.size > 0:
            n.free[i] = 0.0
            for j in range(n.rest.size):
                n.free[i] += method.inverse[i, j] * n.rest[j]
        else:
            n.free[i] = n.rest[i] / method.implicit[i]


@part
def pulls(s, method, n):
    """Set up the equations of the forces along the rows that come with the correction: (1 - T W) z = T y."""
    rows = n.pull.size
    for p in range(rows):
        n.pull[p] = 0.0
        for k in range(rows):
            n.matrix[p, k] = 1.0 if p == k else 0.0
    for e in range(n.tangent.shape[0]):
        for i in range(3):
            for j in range(3):
                to, of = row_at(e, i, s), row_at(e, j, s)
                tangent = n.tangent[e, i, j]
                if to < 0 or of < 0 or tangent == 0.0:
                    continue
                for k in range(rows):
                    n.matrix[to, k] -= tangent * method.compliance[of, k]
                for m in range(n.free.size):
                    n.pull[to] += tangent * s.rows[m, of] * n.free[m]


@called
def eliminate(matrix, right):
    """Solve a system of equations in place, by elimination with pivots from the column."""
    size = right.size
    for k in range(size):
        pivot = k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        for j in range(k, size):
            matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
        right[k], right[pivot] = right[pivot], right[k]
        for i in range(k + 1, size):
            factor = matrix[i, k] / matrix[k, k]
            if factor != 0.0:
                for j in range(k, size):
                    matrix[i, j] -= factor * matrix[k, j]
                right[i] -= factor * right[k]
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            right[k] -= matrix[k, j] * right[j]
        right[k] /= matrix[k, k]


@part
def correct(dt, method, s, q_star, v_star, q, v, a, n):
    """One pass of Newton's method; tells whether it moved the state by more than rounding."""
    answer_of_structure(method, n)
    pulls(s, method, n)
    if n.pull.size == 1:
        n.pull[0] /= n.matrix[0, 0]
    else:
        eliminate(n.matrix, n.pull)
    change, size = 0.0, 0.0
    for i in range(q.size):
        add = n.free[i]
        for p in range(n.pull.size):
            add += method.answer[i, p] * n.pull[p]
        size = max(size, abs(q[i]))
        change = max(change, method.beta * dt * dt * abs(add))
        place(i, a[i] + add, dt, method, q_star, v_star, q, v, a)
    return change > ROUNDING * size


@part
def forces_alone(t, q, v, s, state, archive, work, f):
    """Evaluate loads, contacts and devices, without the stiffness of the modes."""
    forces(t, q, v, s, state, archive, work, f)
    for i in range(q.size):
        f[i] += s.omega2[i] * q[i]


@part
def hold(t, dt, allowed, method, s, q, v, a, q_star, v_star, state, archive, work, f, n):
    """Lead the modes whose residual is above what is allowed on under the forces of the start of the step.

    Their acceleration is then the one that the forces at the end give. Returns its change over the size of its terms.
    """
    for i in range(q.size):
        if not abs(n.rest[i]) <= allowed:
            new = balance(method, s, n.before, q_star, v_star, n, i) / method.implicit[i]
            place(i, new, dt, method, q_star, v_star, q, v, a)
    copy(n.saved, state)
    forces_alone(t, q, v, s, state, archive, work, f)
    change, size = 0.0, 0.0
    for i in range(q.size):
        if not abs(n.rest[i]) <= allowed:
            new = balance(method, s, f, q_star, v_star, n, i) / method.implicit[i]
            change = max(change, abs(new - a[i]))
            size = max(size, abs(f[i]), abs(s.omega2[i] * q_star[i]))
            a[i] = new
    return change / max(size, change) if change > 0.0 else 0.0


@part
def advance(t, dt, method, s, q, v, a, q_star, v_star, state, archive, work, f, n):
    """One step to t; returns evaluations, GOING or STUCK, and the change with which unsettled forces stand, or 0."""
    predict(dt, method, q, v, a, q_star, v_star)
    remember(method, s, q, v, a, f, n)
    solve(dt, method, s, f, q_star, v_star, q, v, a, n)
    copy(state, n.saved)
    last, moves, moved, size = np.inf, True, True, 0.0
    for k in range(1, method.iterations + 1):
        copy(n.saved, state)
        forces_alone(t, q, v, s, state, archive, work, f)
        if method.lagged:
            return k, GOING, 0.0
        if state.shape[0] == 0 and s.coupling.size == 0 and s.springs.size == 0 and s.varying.shape[0] == 0:
            solve(dt, method, s, f, q_star, v_star, q, v, a, n)
            return k, GOING, 0.0
        left, size = residual(method, s, f, q_star, v_star, a, n)
        record = archive.records[natural(archive.cursor[SLOT])]
        if k > 1 and left > method.tolerance * size:
            size = max(size, largest_force(s, record, work))
        if left <= method.tolerance * size or not (moves or left < 0.5 * last):
            return k, GOING, 0.0
        weight = 1.0 - method.alpha_f
        b, g = weight * method.beta * dt * dt, weight * method.gamma * dt
        moved = tangents(t, dt, b, g, q, v, s, n.saved, record, work, n) or k == 1
        moves, last = correct(dt, method, s, q_star, v_star, q, v, a, n), left
    if not moved:
        return method.iterations, STUCK, 0.0
    allowed = method.tolerance * size
    change = hold(t, dt, allowed, method, s, q, v, a, q_star, v_star, state, archive, work, f, n)
    return method.iterations + 1, GOING, change


@scheme
def integrate(s, t0, dt, steps, method, q, v, state, work, f, archive):
    """March ``steps`` steps from (q, v) at t0.

    Returns the index of a diverged mode (-1: none), status, time reached, steps, evaluations, steps that have no
    consistent state, the largest relative change with which they stand, and the most evaluations in a step.
    """
    count_on(True, q, v, f, s, work)
    r, p, elements = q.size, s.rows.shape[1], state.shape[0]
    a, q_star, v_star = np.empty(r), np.empty(r), np.empty(r)
    n = Newton(
        np.empty(r), np.empty(r), np.empty(r), np.empty(r), np.empty(p), np.empty((p, p)), np.zeros((elements, 3, 3)),
        np.zeros(s.contact_index.shape[0], dtype=np.int64), np.zeros(s.contact_index.shape[0]), state.copy(),
        np.empty(state.shape[1]), np.empty(RECORDS),
    )  # fmt: skip
    first_forces(t0, q, v, s, state, archive, work, f)
    for i in range(r):
        a[i] = f[i] - s.damping[i] * v[i]
        f[i] += s.omega2[i] * q[i]
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
