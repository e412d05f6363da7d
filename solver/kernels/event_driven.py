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
from veridyn.solver.kernels.series import (
    FEW,
    STRETCH,
    drive_series,
    first_root,
    first_significant,
    guard_series,
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
    """The equations of the modes met so far, over (1, x, v, drive); ``known`` of them are filled in."""

    states: Ints  # (m, e) state of every stop, then of every friction
    acceleration: Floats  # (m, n, w)
    guards: Floats  # (m, g, w)
    counts: Ints  # (m,) number of guards
    elements: Ints  # (m, g) element that a guard changes
    becomes: Ints  # (m, g) its new state
    spring: Ints  # (m, g) coordinate that a guard sets when it fires, -1 for none
    elongation: Floats  # (m, g, w) to what
    hold: Floats  # (m, n, n) map of the velocities at the start of a mode: stops what sticks
    keep: Floats  # (m, n) factors of the displacements there: 0 for springs under no force
    fastest: Floats  # (m,) largest modulus of an eigenvalue (1/s)


class Drive(NamedTuple):
    """Driving functions on one segment of time, smooth."""

    waves: Floats  # (a, 3) amplitude, omega, phase
    wave_channel: Ints  # (a,)
    polynomials: Floats  # (b, 1 + c) origin, coefficients
    polynomial_channel: Ints  # (b,)
    fastest: float  # largest omega (rad/s)


class Grips(NamedTuple):
    """Frictions: tangents (f, n), and the planes that press (f, 2), -1 for none: then the force is constant."""

    tangents: Floats
    planes: Ints


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
def hold_still(hold, keep, y, n, scratch):
    """Set the velocities along tangents that stick, and the springs under no force, to zero."""
    for i in range(n):
        total = 0.0
        for k in range(n):
            total += hold[i, k] * y[n + k]
        scratch[i] = total
    for i in range(n):
        y[n + i] = scratch[i]
        y[i] *= keep[i]


@called
def expand(t, y, m, modes, drive, order, z):
    """Taylor series about t in mode m."""
    n = modes.acceleration.shape[1]
    for k in range(order + 1):
        for j in range(1 + 2 * n, z.shape[1]):
            z[k, j] = 0.0
    drive_series(t, drive.waves, drive.wave_channel, drive.polynomials, drive.polynomial_channel, order, 1 + 2 * n, z)
    state_series(y, modes.acceleration[m], order, z)


@part
def time_scale(m, modes, drive, span):
    """Shortest time constant (s) of a mode and its drive."""
    fastest = max(modes.fastest[m], drive.fastest)
    return min(span, 1.0 / fastest) if fastest > 0.0 else span


@part
def violated(m, modes, z, g, scale):
    """First guard that turns negative just after the start, -1 if the mode is right."""
    for i in range(modes.counts[m]):
        size, rate = guard_series(modes.guards[m, i], FEW, z, g)
        k = first_significant(g, FEW, size, rate, scale)
        if k < FEW and g[k] < 0.0:
            return i
    return -1


@called
def settle(t, y, states, modes, known, grips, drive, span, order, z, g, scratch):
    """Change modes until the complementarity conditions hold just after t.

    Returns the mode, its series being in z, or -1 - the reason why there is none.
    """
    n = modes.acceleration.shape[1]
    for _ in range(MOST_CHANGES * states.size + 1):
        m = find_mode(states, modes, known)
        if m < 0:
            return -1 - UNKNOWN_MODE
        hold_still(modes.hold[m], modes.keep[m], y, n, scratch)
        expand(t, y, m, modes, drive, order, z)
        wrong = violated(m, modes, z, g, time_scale(m, modes, drive, span))
        if wrong < 0:
            return m
        states[modes.elements[m, wrong]] = modes.becomes[m, wrong]
        regrip(states, y, n, grips)
    return -1 - INCONSISTENT


@called
def next_event(m, modes, order, z, g, scale, width):
    """First root of a guard within a width: (instant, guard), or (width, -1)."""
    fired = -1
    for i in range(modes.counts[m]):
        size, rate = guard_series(modes.guards[m, i], order, z, g)
        k = first_significant(g, FEW, size, rate, scale)
        if k == FEW:
            continue  # it stays at zero
        if g[k] < 0.0:  # the step before ended at the root itself
            return 0.0, i
        if k > 0:  # zero at the start: the root that is known is divided out
            for j in range(order + 1 - k):
                g[j] = g[j + k]
        root = first_root(g, order - k, width)
        if root >= 0.0:
            width, fired = root, i
    return width, fired


@kernel
def holds(t, y, m, modes, drive, span):
    """Whether the complementarity conditions of a mode hold just after t."""
    z, g = np.zeros((FEW + 2, modes.acceleration.shape[2])), np.empty(FEW + 1)
    expand(t, y, m, modes, drive, FEW, z)
    return violated(m, modes, z, g, time_scale(m, modes, drive, span)) < 0


@part
def advance(y, n, order, z, tau):
    """State a time tau after the centre of its series."""
    for i in range(2 * n):
        total = 0.0
        for k in range(order, -1, -1):
            total = total * tau + z[k, 1 + i]
        y[i] = total


@part
def evaluate_row(row, order, z, tau):
    """Value of an affine function of the state and the drive a time tau after the centre of their series."""
    result = 0.0
    for j in range(row.size):
        if row[j] != 0.0:
            total = 0.0
            for k in range(order, -1, -1):
                total = total * tau + z[k, j]
            result += row[j] * total
    return result


@part
def sample(outputs, done, t, until, n, order, z, samples):
    """Write the states at the outputs up to an instant; return how many outputs are done."""
    while done < outputs.size and outputs[done] <= until:
        tau = outputs[done] - t
        for i in range(2 * n):
            total = 0.0
            for k in range(order, -1, -1):
                total = total * tau + z[k, 1 + i]
            samples[done, i] = total
        done += 1
    return done


@kernel
def march(
    order, t, end, y, states, known, modes, grips, drive, span, outputs, done, samples, counters, times, points, kinds
):
    """Carry (y, states) from t to ``end``, or to where something is missing.

    ``times`` (k,), ``points`` (k, 2n) and ``kinds`` (k,) receive instant, state and mode at every change of mode;
    ``counters`` (3,) counts events stored and steps; another thread may set STOP. Returns (reason, t, outputs done).
    """
    n = modes.acceleration.shape[1]
    z = np.zeros((order + 2, modes.acceleration.shape[2]))
    g, scratch = np.empty(order + 1), np.empty(n)
    settled = False
    m, last = -1, kinds[counters[EVENTS] - 1] if counters[EVENTS] > 0 else -1
    while t < end:
        if counters[STOP] != 0:
            return STOPPED, t, done
        if not settled:
            m = settle(t, y, states, modes, known, grips, drive, span, order, z, g, scratch)
            if m < 0:
                return -1 - m, t, done
            if m != last:
                if counters[EVENTS] == times.size:
                    return FULL, t, done
                times[counters[EVENTS]], kinds[counters[EVENTS]] = t, m
                for i in range(2 * n):
                    points[counters[EVENTS], i] = y[i]
                counters[EVENTS] += 1
                last = m
            settled = True
        else:
            expand(t, y, m, modes, drive, order, z)
        scale = time_scale(m, modes, drive, span)
        width = min(end - t, STRETCH * scale)
        tau, fired = next_event(m, modes, order, z, g, scale, width)
        reached = end if tau == end - t else t + tau  # t + (end - t) may fall short of an output at the end
        done = sample(outputs, done, t, reached, n, order, z, samples)
        advance(y, n, order, z, tau)
        if fired >= 0 and modes.spring[m, fired] >= 0:
            y[modes.spring[m, fired]] = evaluate_row(modes.elongation[m, fired], order, z, tau)
        t = reached
        counters[STEPS] += 1
        if fired >= 0:
            states[modes.elements[m, fired]] = modes.becomes[m, fired]
            regrip(states, y, n, grips)
            settled = False
    return DONE, t, done
