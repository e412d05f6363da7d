"""From event to event without error: piecewise linear systems with unilateral contact and dry friction.

A discrete mode says of every stop whether it is open, closed or released, and of every friction whether it sticks,
slips up, slips down or is not pressed. In each mode the equations are affine; its guards are positive. At the first
root of a guard the mode changes, and the complementarity conditions, read from the Taylor series of the guards just
after the event, say to which one.

Source of the conditions: F. Pfeiffer and C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996,
chapters 5 and 6.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.kernels.jit import called, kernel, part
from veridyn.solver.kernels.roots import MOST_AHEAD, ORDER, first_root, product
from veridyn.solver.kernels.series import (
    FEW,
    evaluate,
    first_significant,
    needed_order,
    phase,
    state_series,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# states of stops and frictions
OPEN, CLOSED, RELEASED = 0, 1, 2
DOWN, STICK, UP, FREE = -1, 0, 1, 2
# why the kernel returns
DONE, UNKNOWN_MODE, INCONSISTENT, FULL, STOPPED = 0, 1, 2, 3, 4
# counters: events stored, steps, whether to stop
EVENTS, STEPS, STOP = range(3)
COUNTERS = 3
MOST_CHANGES = 8  # per element, before one instant counts as inconsistent
GLIDE = 1e-13  # relative; a slower sliding velocity is rest


class Modes(NamedTuple):
    """The equations of the modes met so far; ``known`` of them are filled in.

    Accelerations are constants and rows over (x, v, drive), of which only the ``filled`` terms that are not zero are
    kept. The Taylor coefficients of the guards are rows over the phase (see `phase`) at the start of a step.
    """

    states: Ints  # (m, e) state of every stop, then of every friction
    constant: Floats  # (m, n) of the accelerations
    acceleration: Floats  # (m, n, w)
    columns: Ints  # (m, n, w)
    filled: Ints  # (m, n)
    factors: Floats  # (m, ORDER + 1) h/(k + 1), h being the longest step of the series (s)
    guards: Floats  # (m, g, p, ORDER + 1)
    sizes: Floats  # (m, g, 2, p) what makes the sizes of the terms of the first two coefficients
    counts: Ints  # (m,) number of guards
    elements: Ints  # (m, g) element that a guard changes
    becomes: Ints  # (m, g) its new state
    spring: Ints  # (m, g) coordinate that a guard sets when it fires, -1 for none
    elongation: Floats  # (m, g, 1 + w) to what, over (1, x, v, drive)
    hold: Floats  # (m, n, n) map of the velocities at the start of a mode: stops what sticks
    keep: Floats  # (m, n) factors of the displacements there: 0 for springs under no force


class Drive(NamedTuple):
    """Driving functions on one segment of time, smooth."""

    waves: Floats  # (a, 3) amplitude, omega, phase
    wave_channel: Ints  # (a,)
    polynomials: Floats  # (b, 1 + c) origin, coefficients
    polynomial_channel: Ints  # (b,)


class Grips(NamedTuple):
    """Frictions: tangents (f, n), and the planes that press (f, 2), -1 for none: then the force is constant."""

    tangents: Floats
    planes: Ints


class Scratch(NamedTuple):
    """What is known of the step that is being taken, and room to work."""

    phase: Floats  # (p,)
    guards: Floats  # (g, ORDER + 1) series of each
    leading: Ints  # (g,) first significant coefficient of each
    intervals: Floats  # (MOST_AHEAD, ORDER + 1)
    ends: Floats  # (MOST_AHEAD,)
    velocity: Floats  # (n,)


@kernel
def workspace(modes):
    """Return room for one march."""
    return Scratch(
        np.empty(modes.guards.shape[2]),
        np.empty((modes.guards.shape[1], ORDER + 1)),
        np.empty(modes.guards.shape[1], dtype=np.int64),
        np.empty((MOST_AHEAD, ORDER + 1)),
        np.empty(MOST_AHEAD),
        np.empty(modes.acceleration.shape[1]),
    )


@part
def find_mode(states, modes, known):
    """Index of a mode, -1 if its equations are not there yet."""
    for m in range(known):
        same = True
        for e in range(states.size):
            if modes.states[m, e] != states[e]:
                same = False
                break
        if same:
            return m
    return -1


@called
def regrip(states, y, n, grips):
    """Let frictions grip where, and only where, they are pressed."""
    frictions = grips.planes.shape[0]
    first = states.size - frictions
    for j in range(frictions):
        one, other = grips.planes[j, 0], grips.planes[j, 1]
        pressed = one < 0 or states[one] == CLOSED or (other >= 0 and states[other] == CLOSED)
        if not pressed:
            states[first + j] = FREE
        elif states[first + j] == FREE:
            glide, size = 0.0, 0.0
            for i in range(n):
                term = grips.tangents[j, i] * y[n + i]
                glide += term
                size += abs(term)
            if abs(glide) <= GLIDE * size:
                states[first + j] = STICK
            else:
                states[first + j] = UP if glide > 0.0 else DOWN


@part
def hold_still(hold, keep, y, scratch):
    """Set the velocities along tangents that stick, and the springs under no force, to zero."""
    n = scratch.size
    for i in range(n):
        total = 0.0
        for k in range(n):
            total += hold[i, k] * y[n + k]
        scratch[i] = total
    for i in range(n):
        y[n + i] = scratch[i]
        y[i] *= keep[i]


@part
def look(t, y, m, modes, drive, scratch):
    """Write the series of all guards of mode m about t, and the first significant coefficient of each."""
    p = scratch.phase
    phase(t, y, drive.waves, drive.polynomials, p)
    for i in range(modes.counts[m]):
        c, size, rate = scratch.guards[i], 0.0, 0.0
        product(modes.guards[m, i], p, c)
        for j in range(p.size):
            size += modes.sizes[m, i, 0, j] * abs(p[j])
            rate += modes.sizes[m, i, 1, j] * abs(p[j])
        scratch.leading[i] = first_significant(c, size, rate)


@part
def violated(m, modes, scratch):
    """First guard that turns negative just after the start, -1 if the mode is right."""
    for i in range(modes.counts[m]):
        k = scratch.leading[i]
        if k < FEW and scratch.guards[i, k] < 0.0:
            return i
    return -1


@part
def settle(t, y, states, modes, known, grips, drive, scratch):
    """Change modes until the complementarity conditions hold just after t.

    Returns the mode, its guards being in ``scratch``, or -1 - the reason why there is none.
    """
    for _ in range(MOST_CHANGES * states.size + 1):
        m = find_mode(states, modes, known)
        if m < 0:
            return -1 - UNKNOWN_MODE
        hold_still(modes.hold[m], modes.keep[m], y, scratch.velocity)
        look(t, y, m, modes, drive, scratch)
        wrong = violated(m, modes, scratch)
        if wrong < 0:
            return m
        states[modes.elements[m, wrong]] = modes.becomes[m, wrong]
        regrip(states, y, scratch.velocity.size, grips)
    return -1 - INCONSISTENT


@part
def next_event(m, modes, width, scratch):
    """First root of a guard within a part of a step: (part, guard), or (width, -1)."""
    fired = -1
    for i in range(modes.counts[m]):
        k, c = scratch.leading[i], scratch.guards[i]
        if k == FEW:
            continue  # it stays at zero
        if c[k] < 0.0:  # the step before ended at the root itself
            return 0.0, i
        for j in range(k):  # a root at the start is known
            c[j] = 0.0
        root = first_root(c, k, width, scratch.intervals, scratch.ends)
        if root >= 0.0:
            width, fired = root, i
    return width, fired


@kernel
def holds(t, y, m, modes, drive):
    """Whether the complementarity conditions of a mode hold just after t."""
    scratch = workspace(modes)
    look(t, y, m, modes, drive, scratch)
    return violated(m, modes, scratch) < 0


@part
def advance(y, order, z, theta):
    """State a part of a step after the centre of its series."""
    for i in range(y.size):
        y[i] = evaluate(z, i, order, theta)


@part
def sample(outputs, done, t, h, until, order, z, samples):
    """Write the states at the outputs up to an instant; return how many outputs are done."""
    while done < outputs.size and outputs[done] <= until:
        advance(samples[done], order, z, (outputs[done] - t) / h)
        done += 1
    return done


@part
def elongate(m, fired, modes, order, z, theta, y):
    """Set the spring of a stick that begins."""
    row = modes.elongation[m, fired]
    total = row[0]
    for j in range(1, row.size):
        if row[j] != 0.0:
            total += row[j] * evaluate(z, j - 1, order, theta)
    y[modes.spring[m, fired]] = total


@part
def note(t, y, m, times, points, kinds, count):
    """Store an event."""
    times[count], kinds[count] = t, m
    for i in range(y.size):
        points[count, i] = y[i]


@kernel
def march(t, end, y, states, known, modes, grips, drive, outputs, done, samples, counters, times, points, kinds):
    """Carry (y, states) from t to ``end``, or to where something is missing.

    ``times`` (k,), ``points`` (k, 2n) and ``kinds`` (k,) receive instant, state and mode at every change of mode;
    ``counters`` (3,) counts events stored and steps; another thread may set STOP. Returns (reason, t, outputs done).
    """
    scratch, z = workspace(modes), np.empty((ORDER + 1, modes.acceleration.shape[2]))
    settled = False
    m, last = -1, kinds[counters[EVENTS] - 1] if counters[EVENTS] > 0 else -1
    while t < end:
        if counters[STOP] != 0:
            return STOPPED, t, done
        if settled:
            look(t, y, m, modes, drive, scratch)
        else:
            m = settle(t, y, states, modes, known, grips, drive, scratch)
            if m < 0:
                return -1 - m, t, done
            if m != last:
                if counters[EVENTS] == times.size:
                    return FULL, t, done
                note(t, y, m, times, points, kinds, counters[EVENTS])
                counters[EVENTS] += 1
                last = m
        h = modes.factors[m, 0]
        cut = end - t <= h
        width = (end - t) / h if cut else 1.0
        theta, fired = next_event(m, modes, width, scratch)
        order = needed_order(theta)
        rows = modes.constant[m], modes.acceleration[m], modes.columns[m], modes.filled[m]
        state_series(scratch.phase, modes.factors[m], *rows, drive, order, z)
        until = end if cut and theta == width else t + theta * h
        done = sample(outputs, done, t, h, until, order, z, samples)
        advance(y, order, z, theta)
        counters[STEPS] += 1
        t, settled = until, fired < 0
        if fired >= 0:
            if modes.spring[m, fired] >= 0:
                elongate(m, fired, modes, order, z, theta, y)
            states[modes.elements[m, fired]] = modes.becomes[m, fired]
            regrip(states, y, scratch.velocity.size, grips)
    return DONE, t, done
