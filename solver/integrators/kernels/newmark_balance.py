"""Newmark's balance of a step: the accelerations that forces give, mode by mode or with factors of a sparse matrix.

See `newmark` for the equations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.jit import called, part
from veridyn.solver.integrators.kernels.system import Entries, Naturals

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Factors(NamedTuple):
    """Sparse factors of a matrix A (r, r) with rows and columns in another order; without rows A is diagonal.

    ``(L U)[to[i], at] = A[i, j], at = column[j]``, L having ones on the diagonal, which are left out.
    """

    lower: Entries
    upper: Entries  # what is right of the diagonal
    pivot: Floats  # (r,) one over the diagonal of U
    to: Naturals  # (r,) place of each row
    at: Naturals  # (r,) place of each column


class NewmarkMethod(NamedTuple):
    """Parameters of the family, how forces are found, and how the structure answers them in a step."""

    beta: float
    gamma: float
    alpha_m: float  # weight of the start of the step for the inertia
    alpha_f: float  # and for all other forces
    lagged: bool  # forces of the start of the step
    tolerance: float  # of the forces along the rows, relative to the largest force on a mode
    iterations: int  # evaluations of the forces in a step, at most
    own: float  # the diagonal of the mass matrix over the masses
    beside: Entries  # what the mass matrix has beside its diagonal, over the masses
    start: Factors  # of the mass matrix over the masses, or nothing
    implicit: Floats  # (r,) diagonal of the matrix of a step
    factors: Factors  # of the whole matrix where something couples modes, or nothing
    spread: Floats  # (p, p) accelerations of all rows under a unit force along one
    largest: Floats  # (p,) largest acceleration of a mode under a unit force along a row


class NewtonScratch(NamedTuple):
    """Scratch arrays of the iteration."""

    past: Floats  # (r,) what the start of the step adds to the balance
    before: Floats  # (r,) forces at the start of the step
    beside: Floats  # (r,) forces beside those along the rows
    drift: Floats  # (r,) their change in a pass, where matrices vary
    rest: Floats  # (r,) right side of the balance
    solved: Floats  # (r,) the accelerations, in the order of the factors
    force: Floats  # (p,) along the rows
    gap: Floats  # (p,) what the laws ask for beyond it
    pull: Floats  # (p,) correction
    shift: Floats  # (p,) accelerations of the rows under the forces along them
    position: Floats  # (p,) local coordinates without these forces
    velocity: Floats  # (p,)
    tried: Floats  # (p,) local coordinates of this pass, or the one before
    rate: Floats  # (p,) and their rates
    columns: Floats  # (p, p) factors of the matrix of the rows whose forces change with the acceleration
    pivots: Ints  # (p,)
    active: Ints  # (p + 1,) these rows; the last number counts them
    owner: Ints  # (p,) three times the contact or device of such a row, and its local coordinate
    tangent: Floats  # (c + d, 3, 3)
    factored: Floats  # (c + d, 3, 3) tangents of the factors
    branch: Ints  # (c,)
    side: Floats  # (c,)
    saved: Floats  # (c + d, columns) memory of contacts and devices at the start of the step
    memory: Floats  # (columns,)
    record: Floats  # (8,)


@part
def predict(dt, method, q, v, a, q_star, v_star):
    """Set the state without the acceleration at the end of the step."""
    for i in range(q.size):
        q_star[i] = q[i] + dt * v[i] + (0.5 - method.beta) * dt * dt * a[i]
        v_star[i] = v[i] + (1.0 - method.gamma) * dt * a[i]


@part
def inertia_beside(method, a, i):
    """Return the inertia of mode i under the accelerations of the others."""
    total, beside = 0.0, method.beside
    if beside.first.size > 0:
        for k in range(beside.first[i], beside.first[i + 1]):
            total += beside.value[k] * a[beside.column[k]]
    return total


@part
def remember(method, s, q, v, a, f, n):
    """Keep what the start of the step adds to the balance."""
    for i in range(q.size):
        # Before the first `place`: that overwrites q, v and a, and the passes overwrite f. The share of the start must
        # be that of the start in every pass.
        inner = f[i] - s.damping[i] * v[i] - s.omega2[i] * q[i]
        n.past[i] = method.alpha_f * inner - method.alpha_m * (method.own * a[i] + inertia_beside(method, a, i))
        n.before[i] = f[i]


@part
def balance(method, s, f, q_star, v_star, n, i):
    """Return the force on mode i that its acceleration answers."""
    return n.past[i] + (1.0 - method.alpha_f) * (f[i] - s.damping[i] * v_star[i] - s.omega2[i] * q_star[i])


@part
def place(i, new, dt, method, q_star, v_star, q, v, a):
    """Set the state of mode i with an acceleration at the end of the step."""
    a[i] = new
    # q and v follow from q* and v* and the acceleration, never from the pass before. So a pass more or less adds no
    # rounding, and all passes solve the same equations.
    q[i] = q_star[i] + method.beta * dt * dt * new
    v[i] = v_star[i] + method.gamma * dt * new


@part
def lead(dt, method, s, f, q_star, v_star, q, v, a, n):
    """Set the state at the end of the step under the forces f: modes apart, or together where something couples."""
    for i in range(q.size):
        n.rest[i] = balance(method, s, f, q_star, v_star, n, i)
    if couples(method):
        solve(method.factors, n.rest, n.solved)
    for i in range(q.size):
        new = n.solved[method.factors.at[i]] if couples(method) else n.rest[i] / method.implicit[i]
        place(i, new, dt, method, q_star, v_star, q, v, a)


@part
def couples(method):
    """Tell whether the matrix of a step is more than a diagonal."""
    return method.factors.pivot.size > 0


@called
def solve(factors, right, solved):
    """Solve a system of equations with sparse factors."""
    lower, upper = factors.lower, factors.upper
    for i in range(right.size):
        solved[factors.to[i]] = right[i]
    for i in range(right.size):
        left = solved[i]
        for k in range(lower.first[i], lower.first[i + 1]):
            left -= lower.value[k] * solved[lower.column[k]]
        solved[i] = left
    for i in range(right.size - 1, -1, -1):
        left = solved[i]
        for k in range(upper.first[i], upper.first[i + 1]):
            left -= upper.value[k] * solved[upper.column[k]]
        solved[i] = left * factors.pivot[i]
