"""Which mode holds just after an instant: guards are read, what is negative is switched, what is pressed grips."""

from typing import NamedTuple

from veridyn.solver.integrators.kernels.event_tables import (
    BECOMES,
    CLOSED,
    DOWN,
    ELEMENT,
    FREE,
    SPRING,
    STICK,
    STRIKES,
    UNDECIDED,
    UNKNOWN_MODE,
    UP,
    Floats,
    Ints,
)
from veridyn.solver.integrators.kernels.jit import called, part
from veridyn.solver.integrators.kernels.series import (
    FEW,
    LEADING,
    first_significant,
    series,
    state_phase,
)

MOST_CHANGES = 8  # per element, before one instant counts as undecided
GLIDE = 1e-13  # relative; a slower sliding velocity is rest


class Scratch(NamedTuple):
    """What is known of the step that is being taken, and room to work."""

    phase: Floats  # (p,)
    guard: Floats  # (ORDER + 1,) series of one
    leading: Ints  # (g,) first significant coefficient of each
    positions: Floats  # (n, ORDER + 1) series
    intervals: Floats  # (MOST_AHEAD, ORDER + 1)
    ends: Floats  # (MOST_AHEAD,)
    velocity: Floats  # (n,)


@part
def find_mode(states, modes, known):
    """Return the index of a mode, -1 if its equations are not there yet."""
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
                glide += grips.tangents[j, i] * y[n + i]
                size += grips.glides[j, i] * abs(y[n + i])
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
def look(y, m, modes, scratch):
    """Find the first significant coefficient of every guard of mode m; return the first that turns negative, or -1.

    The phase of the drive is known.
    """
    p, c, wrong = scratch.phase, scratch.guard, -1
    state_phase(y, p)
    for i in range(modes.counts[m]):
        size, rate = 0.0, 0.0
        series(modes.guards[m, i], p, c, LEADING)
        for j in range(p.size):
            size += modes.sizes[m, i, 0, j] * abs(p[j])
            rate += modes.sizes[m, i, 1, j] * abs(p[j])
        k = first_significant(c, size, rate)
        scratch.leading[i] = k
        if wrong < 0 and k < FEW and c[k] < 0.0:
            wrong = i
    return wrong


@part
def switch(m, fired, states, y, modes, grips):
    """Let a guard change the state of its element."""
    states[modes.changes[m, fired, ELEMENT]] = modes.changes[m, fired, BECOMES]
    regrip(states, y, modes.hold.shape[1], grips)


@part
def settle(y, states, modes, known, grips, scratch):
    """Change modes until the complementarity conditions hold just after an instant, the phase of the drive being known.

    Returns the mode, or -1 - the reason why there is none. Guards that are negative are switched one by one; a rigid
    stop that is met at a speed is hit, and that is for the caller.
    """
    for _ in range(MOST_CHANGES * states.size + 1):
        m = find_mode(states, modes, known)
        if m < 0:
            return -1 - UNKNOWN_MODE
        # Velocities first, then guards. What rounding leaves of a velocity along a stuck tangent has a sign; a guard
        # that read it would end the stick that has just begun.
        hold_still(modes.hold[m], modes.keep[m], y, scratch.velocity)
        wrong = look(y, m, modes, scratch)
        if wrong < 0:
            return m
        if modes.changes[m, wrong, SPRING] == STRIKES and scratch.leading[wrong] <= 1:
            break
        switch(m, wrong, states, y, modes, grips)
    return -1 - UNDECIDED
