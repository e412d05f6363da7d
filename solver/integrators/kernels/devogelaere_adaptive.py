"""De Vogelaere's scheme with a step that follows the error of its midpoints.

The displacement at the middle of a step is computed twice: by the scheme, and afterwards by the Taylor expansion x of
higher order that the step has made possible. What both differ by, and how that changed since the step before, gives the
error; after a change of the step the weights follow Coleman and Mohamed, Comput. Phys. Comm. 17, 1979.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.archive import SLOT, begin, keep
from veridyn.solver.integrators.kernels.devogelaere import (
    BEFORE,
    END,
    MIDDLE,
    NOW,
    accept,
    attempt,
    points,
    start_half_step_before,
)
from veridyn.solver.integrators.kernels.jit import called, kernel, part, scheme
from veridyn.solver.integrators.kernels.stepping import (
    DONE,
    FULL,
    GOING,
    copy,
    ending,
    horizon,
    outlook,
    resumed,
    unfinished,
)
from veridyn.solver.integrators.kernels.system import count_on, diverged, first_forces

Floats = NDArray[np.float64]

TRIES = 24


class DevogelaereControl(NamedTuple):
    """Options of the step control."""

    first: float
    smallest: float
    largest: float
    tolerance: float  # of the error of a step, relative
    absolute: float  # added to what it is relative to
    rescaled_past: bool  # the residual of the step before is taken from the rescaled point
    slipped_start: bool  # the start as programmed in 2020: h/8 for h²/8, and a force taken for an acceleration


class StepHistory(NamedTuple):
    """What the estimate knows of the step before, (r,) each."""

    residual: Floats  # expansion minus scheme at its middle
    residual_new: Floats
    q: Floats  # at its start
    v: Floats
    g: Floats
    middle: Floats  # g at its middle
    q_middle: Floats


@kernel
def past(q):
    """Return a history in which nothing has happened yet."""
    return StepHistory(
        np.zeros_like(q),
        np.zeros_like(q),
        np.zeros_like(q),
        np.zeros_like(q),
        np.zeros_like(q),
        np.zeros_like(q),
        np.zeros_like(q),
    )


@called
def start(h, slipped, s, p, past):
    """Set the residual half a step before the start, and a step before that starts there too.

    ``slipped``: other tries of the first step look back to a generalised force, without stiffness, for an acceleration.
    """
    for i in range(p.w.size):
        q, v, g = p.q[NOW, i], p.v[NOW, i], p.g[NOW, i]
        expansion = 2.0 * p.q[BEFORE, i] - q + h * (2.0 * p.v[BEFORE, i] - v) + 13.0 / 24.0 * h * h * g
        past.residual[i] = expansion - p.q[BEFORE, i]
        past.q[i], past.v[i], past.g[i] = q, v, s.masses[i] * (g + s.omega2[i] * q) if slipped else g


@called
def again(p1, p, past):
    """Set the residual of the step before from its own start: its end is no longer what the estimate assumed."""
    for i in range(p.w.size):
        slope = 7.0 * past.g[i] + 6.0 * past.middle[i] - p.g[NOW, i]
        past.residual[i] = past.q[i] + p1 * past.v[i] + p1 * p1 / 24.0 * slope - past.q_middle[i]


@called
def remember(p, past):
    """Keep the start of a step that was accepted, and its middle."""
    for i in range(p.w.size):
        past.residual[i] = past.residual_new[i]
        past.q[i], past.v[i], past.g[i] = p.q[NOW, i], p.v[NOW, i], p.g[NOW, i]


@called
def rescale(ratio, p):
    """Move the point half a step before to where it lies in a step of another length, along a line."""
    for i in range(p.w.size):
        p.q[BEFORE, i] = p.q[NOW, i] + ratio * (p.q[BEFORE, i] - p.q[NOW, i])
        p.v[BEFORE, i] = p.v[NOW, i] + ratio * (p.v[BEFORE, i] - p.v[NOW, i])
        p.g[BEFORE, i] = p.g[NOW, i] + ratio * (p.g[BEFORE, i] - p.g[NOW, i])


@called
def shorten(ratio, first, rescaled, p1, p, past):
    """Prepare another try of a step, shorter by a ratio.

    ``rescaled``: g at the middle of the step before as the first try rescaled it, its displacement as each does.
    """
    if first and not rescaled:
        see_the_middle(True, p, past)
    # A try with another step needs the point half of that step back. It is interpolated between now and the middle of
    # the step before, along a line. The estimate of the error keeps values of that middle: whether it reads them before
    # or after the move is what ``rescaled`` and ``first`` say.
    rescale(ratio, p)
    if rescaled:
        see_the_middle(first, p, past)
    again(p1, p, past)


@called
def see_the_middle(forces_too, p, past):
    """Take the point half a step before for the middle of the step before."""
    for i in range(p.w.size):
        past.q_middle[i] = p.q[BEFORE, i]
        if forces_too:
            past.middle[i] = p.g[BEFORE, i]


@part
def weights(h, p1, p0):
    """Return A, B, beta of the error (A new residual - B residual before)/beta, from three half-steps."""
    if h == p1:
        return 1.0, 1.0, 45.0 * h / 4.0
    c1, c0 = h / p1, p1 / p0
    later = 12.0 + 7.0 * c1 - c1 * c1
    before = c1 * c1 * c1 * (2.0 + c1) / 3.0
    if p1 == p0:
        return 1.0, before, 5.0 * p1 * later / (8.0 * c1)
    beta = 5.0 * h * (c0 * c0 * later + c0 * (20.0 + 12.0 * c1 - 2.0 * c1 * c1) + 2.0 * c1 + 4.0)
    return (1.0 + 2.0 / c0) / 3.0, before, beta / (24.0 * c0 * c0 * c1 * c1)


@part
def expansion(i, h, same, p):
    """Return the displacement at the middle, from the end of the step (same length as before) or from its start."""
    if same:
        slope = 7.0 * p.g[END, i] + 6.0 * p.g[MIDDLE, i] - p.g[NOW, i]
        return p.q[END, i] - h * p.v[END, i] + h * h / 24.0 * slope
    slope = 7.0 * p.g[NOW, i] + 6.0 * p.g[MIDDLE, i] - p.g[END, i]
    return p.q[NOW, i] + h * p.v[NOW, i] + h * h / 24.0 * slope


@called
def error(dt, p1, p0, control, p, past):
    """Return the error of a step in units of what is allowed."""
    h, r = 0.5 * dt, p.w.size
    a, b, beta = weights(h, p1, p0)
    total, size = 0.0, 0.0
    for i in range(r):
        past.residual_new[i] = expansion(i, h, h == p1, p) - p.q[MIDDLE, i]
        total += ((a * past.residual_new[i] - b * past.residual[i]).real / beta) ** 2
        size += max(abs(p.q[MIDDLE, i]), abs(p.v[MIDDLE, i]) * dt) ** 2
    scale = control.tolerance * (math.sqrt(size) / r + control.absolute)
    return h * math.sqrt(total) / r / scale if scale > 2.220446e-16 else 0.9**4


@part
def next_step(dt, rho, control):
    """Return the next step: 0.9 rho^(-1/4) times this one, between a half and one and a half; or this one, if near."""
    factor = min(1.5, max(0.5, 0.9 * rho**-0.25)) if rho > 0.0 else 1.5
    following = min(control.largest, max(control.smallest, factor * dt))
    return dt if rho < 1.0 and abs(following / dt - 1.0) < 0.15 else following


@part
def advance(t, dt, p1, p0, control, s, p, past, state, archive, saved, work, g):
    """Take one accepted step: (step used, next step, tries)."""
    tries = 0
    copy(state, saved)
    while True:
        tries += 1
        attempt(t, dt, s, p, state, archive, work, g)
        if control.largest <= control.smallest:  # constant step
            return dt, dt, tries
        rho = error(dt, p1, p0, control, p, past)
        shorter = next_step(dt, rho, control)
        if rho <= 1.0 or tries >= TRIES or shorter >= dt:
            return dt, shorter, tries
        shorten(shorter / dt, tries == 1, control.rescaled_past, p1, p, past)
        copy(saved, state)
        dt = shorter


@scheme
def integrate(s, t0, t_end, control, q, v, state, work, g, archive):
    """March from (q, v) at t0 to t_end.

    Returns diverged mode (-1: none), status, time reached, accepted steps, evaluations.
    """
    count_on(False, q, v, g, s, work)
    p, before = points(q, v), past(q)
    saved = state.copy()
    first_forces(t0, q, v, s, state, archive, work, g)
    for i in range(g.size):
        p.g[NOW, i] = g[i]
    begin(archive, t0, q, v)
    steps, evaluations, t, dt = 0, 1, t0, control.first
    start_half_step_before(dt, dt / 8.0 if control.slipped_start else dt * dt / 8.0, s, work, p)
    p1 = p0 = 0.5 * dt
    start(p1, control.slipped_start, s, p, before)
    while unfinished(t, t_end, steps):
        if archive.cursor[SLOT] >= archive.times.size:
            return -1, FULL, t, steps, evaluations
        target, left = horizon(archive, t_end), 0.0
        if control.largest > control.smallest:
            dt, left = min(dt, target - t), dt - (target - t)
        used, dt, tries = advance(t, dt, p1, p0, control, s, p, before, state, archive, saved, work, g)
        evaluations += 2 * tries
        remember(p, before)
        accept(p)
        p0, p1 = p1, 0.5 * used
        t += used
        steps += 1
        dt = resumed(archive, t, target, left, dt, steps)
        bad = diverged(p.q[NOW])
        status = ending(archive, bad, not unfinished(t, t_end, steps))
        keep(archive, steps, used, t, outlook(archive, dt, steps), status != GOING, p.q[NOW], p.v[NOW])
        if status != GOING:
            return bad, status, t, steps, evaluations
    return -1, DONE, t, steps, evaluations
