"""Explicit Runge-Kutta pairs with y = (q, v): the tableau is data, one compilation serves every pair.

The last stage lies at the new point and is the first of the next step. The higher order is kept.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.archive import SLOT, begin, keep
from veridyn.solver.integrators.kernels.function_table import row_of
from veridyn.solver.integrators.kernels.jit import natural, part, scheme
from veridyn.solver.integrators.kernels.stepping import (
    DONE,
    FULL,
    GOING,
    STUCK,
    copy,
    ending,
    horizon,
    outlook,
    resumed,
    unfinished,
)
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces, forces

Floats = NDArray[np.float64]

LEAST = 100 * 2.220446e-16  # of a scale, and of an error


class FormulaPair(NamedTuple):
    """A pair of formulas with n stages, the last of which lies at the new point."""

    c: Floats  # (n,) instants
    a: Floats  # (n, n) weights of the stages; the last row is the formula that is kept
    e: Floats  # (n,) kept minus embedded formula
    power: float  # of the step that the control takes the error to go with


class RungeKuttaControl(NamedTuple):
    """Options of the step control."""

    first: float
    smallest: float
    largest: float
    tolerance: float  # of the error of a step, relative
    absolute: float  # added to what it is relative to (m and m/s)
    sequential: bool  # the stages hand the memory of contacts on; else each starts from that of the step


class Stages(NamedTuple):
    """Derivatives of q and v at the stages, and the state at the stage reached; rates of the supports likewise."""

    dq: Floats  # (n, r)
    dv: Floats  # (n, r)
    du: Floats  # (n, s)
    u: Floats  # (s,) displacements of the supports at the first stage
    q: Floats  # (r,)
    v: Floats  # (r,)


@part
def carry(i, t, dt, tableau, stages, s, work):
    """Take the supports to an inner stage by the weights that take the modes there, and to the new point exactly.

    The modes of an inner stage are off by h² times an acceleration. Supports must be off alike: the difference does not
    vanish with the step in the force of a stick, whose stiffness grows as 1/h².
    """
    work.instants[0] = math.nan  # another stage at this instant left its own place in the table
    row = row_of(t, s, work)
    for j in range(stages.u.size):
        place = s.load.shape[0] + 2 * j
        stages.du[i, j] = work.values[row, place + 1]
        if i < tableau.c.size - 1:
            way = 0.0
            for k in range(i):
                way += tableau.a[i, k] * stages.du[k, j]
            work.values[row, place] = stages.u[j] + dt * way


@part
def advance(s, t, dt, tableau, stages, q, v, state, archive, saved, sequential, work, g):
    """Go through the stages of one step; the last leaves the new state in ``stages``."""
    for i in range(1, tableau.c.size):
        for j in range(q.size):
            # Stage 0 is not evaluated: the last stage of the step before lies at the same point (Bogacki and Shampine;
            # Dormand and Prince). If a step is refused it stays valid, since the start of the step has not moved.
            slope, rate = 0.0, 0.0
            for k in range(i):
                slope += tableau.a[i, k] * stages.dq[k, j]
                rate += tableau.a[i, k] * stages.dv[k, j]
            stages.q[j] = q[j] + dt * slope
            stages.v[j] = v[j] + dt * rate
        if not sequential:
            copy(saved, state)
        if stages.u.size > 0:
            carry(i, t + tableau.c[i] * dt, dt, tableau, stages, s, work)
        forces(t + tableau.c[i] * dt, stages.q, stages.v, s, state, archive, work, g)
        for j in range(q.size):
            stages.dq[i, j] = stages.v[j]
            stages.dv[i, j] = g[j] - s.damping[j] * stages.v[j]


@part
def scaled(i, e, slopes, old, new, control):
    """Return the difference of the two formulas for one coordinate, in units of what is allowed."""
    difference = 0.0
    for k in range(e.size):
        # The weights e are the difference of both formulas, taken beforehand: their results agree in most digits, and a
        # difference of results would be rounding. The estimate is that of the lower order; the higher one goes on.
        difference += e[k] * slopes[k, i]
    size = max(abs(old[i]), abs(new[i] - old[i])) + control.absolute
    return difference.real / max(control.tolerance * size, LEAST)


@part
def error(dt, tableau, stages, q, v, control):
    """Return the root mean square of the error of a step, in units of what is allowed."""
    total = 0.0
    for i in range(q.size):
        total += scaled(i, tableau.e, stages.dq, q, stages.q, control) ** 2
        total += scaled(i, tableau.e, stages.dv, v, stages.v, control) ** 2
    return max(dt * math.sqrt(total / (2 * q.size)), LEAST)


@part
def factor(rho, power):
    """Return the next step over this one: 0.9 rho^(-1/power), between a fifth and five."""
    return min(5.0, max(0.2, 0.9 * rho ** (-1.0 / power)))


@part
def attempt(s, t, dt, control, tableau, stages, q, v, state, archive, saved, work, g):
    """Take one accepted step: (step used, next step, tries; tries < 0 if the step got too small)."""
    tries, before = 0, math.inf
    copy(state, saved)
    while True:
        tries += 1
        advance(s, t, dt, tableau, stages, q, v, state, archive, saved, control.sequential, work, g)
        if control.largest <= control.smallest:  # constant step
            return dt, dt, tries
        rho = error(dt, tableau, stages, q, v, control)
        if 1.01 * rho > before:  # a kink: a shorter step does not help
            rho = 0.99
        dt_next = min(control.largest, factor(rho, tableau.power) * dt)
        if rho < 1.0:
            return dt, dt_next, tries
        if dt_next < control.smallest:
            return dt, dt_next, -tries
        dt, before = dt_next, rho
        if control.sequential:
            copy(saved, state)


@part
def start(stages, s, work):
    """Keep the supports of the last evaluation, which are those of the point where a step starts."""
    row = natural(work.place[0])
    for j in range(stages.u.size):
        place = s.load.shape[0] + 2 * j
        stages.u[j], stages.du[0, j] = work.values[row, place], work.values[row, place + 1]


@part
def accept(stages, q, v, s, work):
    """Make the new point the current one, and its slopes the first stage."""
    last = stages.dq.shape[0] - 1
    for i in range(q.size):
        q[i], v[i] = stages.q[i], stages.v[i]
        stages.dq[0, i], stages.dv[0, i] = stages.dq[last, i], stages.dv[last, i]
    start(stages, s, work)


@scheme
def integrate(s, t0, t_end, control, tableau, q, v, state, work, g, archive):
    """March from (q, v) at t0 to t_end.

    Returns diverged mode (-1: none), status, time reached, accepted steps, evaluations.
    """
    count_on(False, q, v, g, s, work)
    n, r, supports = tableau.c.size, q.size, s.drive.shape[1]
    stages = Stages(
        np.zeros((n, r), q.dtype),
        np.zeros((n, r), q.dtype),
        np.zeros((n, supports), q.dtype),
        np.zeros(supports, q.dtype),
        np.zeros(r, q.dtype),
        np.zeros(r, q.dtype),
    )
    saved = state.copy()
    first_forces(t0, q, v, s, state, archive, work, g)
    for i in range(r):
        stages.dq[0, i] = v[i]
        stages.dv[0, i] = g[i] - s.damping[i] * v[i]
    start(stages, s, work)
    begin(archive, t0, q, v)
    steps, evaluations, t, dt = 0, 1, t0, control.first
    while unfinished(t, t_end, steps):
        if archive.cursor[SLOT] >= archive.times.size:
            return -1, FULL, t, steps, evaluations
        target, left = horizon(archive, t_end), 0.0
        if control.largest > control.smallest:
            dt, left = min(dt, target - t), dt - (target - t)
        used, dt, tries = attempt(s, t, dt, control, tableau, stages, q, v, state, archive, saved, work, g)
        evaluations += abs(tries) * (n - 1)
        if tries < 0:
            return -1, STUCK, t, steps, evaluations
        accept(stages, q, v, s, work)
        steps += 1
        # A constant step is multiplied, not summed: the rounding of a sum grows with the number of steps, and a load
        # would be read more and more beside its instant.
        t = t + used if control.largest > control.smallest else t0 + steps * used
        dt = resumed(archive, t, target, left, dt, steps)
        bad = diverged(q)
        status = ending(archive, bad, not unfinished(t, t_end, steps))
        keep(archive, steps, used, t, outlook(archive, dt, steps), status != GOING, q, v)
        if status != GOING:
            return bad, status, t, steps, evaluations
    return -1, DONE, t, steps, evaluations
