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

from veridyn.solver.integrators.kernels.jit import called, kernel, part
from veridyn.solver.integrators.kernels.roots import MOST_AHEAD, NONE, falls, first_root
from veridyn.solver.integrators.kernels.series import (
    FEW,
    LEADING,
    ORDER,
    drive_phase,
    first_significant,
    series,
    state_phase,
    value_and_rates,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# states of stops and frictions
OPEN, CLOSED, RELEASED = 0, 1, 2
DOWN, STICK, UP, FREE = -1, 0, 1, 2
# why the kernel returns
DONE, UNKNOWN_MODE, UNDECIDED, FULL, STOPPED, LONG, IMPACT = 0, 1, 2, 3, 4, 5, 6
# counters: events; steps; whether to stop; whether the caller decides on every mode, and has just done so; the guard
# that fired last (-1: none); steps since then; whether what begins is an event though the mode is the same; outputs
# done; rows stored; events that are allowed
EVENTS, STEPS, STOP, CHOOSY, DECIDED, FIRED, STAY, STRUCK, OUTPUTS, ROWS, MOST = range(11)
COUNTERS = 11
# what a guard does: to which element, its new state, the coordinate of a spring that is set (-1: none)
ELEMENT, BECOMES, SPRING = range(3)
STRIKES = -2  # in the place of a spring: a body hits a rigid stop, and the caller sees to the impact
MOST_CHANGES = 8  # per element, before one instant counts as undecided
PATIENCE = 256  # steps without an event, and each doubling, after which the caller may see whether all is at rest
GLIDE = 1e-13  # relative; a slower sliding velocity is rest


class ModeTables(NamedTuple):
    """The equations of the modes met so far; ``known`` of them are filled in.

    What depends on time is a row over the phase (see `exact_tables`) at the start of a step, for each Taylor
    coefficient over that step.
    """

    states: Ints  # (m, e) state of every stop, then of every friction
    step: Floats  # (m,) longest step of the series (s)
    positions: Floats  # (m, n, p, ORDER + 1)
    guards: Floats  # (m, g, p, ORDER + 1)
    bernstein: Floats  # (m, g, FEW, p, ORDER + 1) Bernstein coefficients over a step, less a root at its start
    sizes: Floats  # (m, g, 2, p) what makes the sizes of the terms of the first two coefficients of a guard
    counts: Ints  # (m,) number of guards
    changes: Ints  # (m, g, 3) ELEMENT, BECOMES and SPRING of what a guard does
    elongation: Floats  # (m, g, p) to what it is set, over the phase then
    hold: Floats  # (m, n, n) map of the velocities at the start of a mode: stops what sticks
    keep: Floats  # (m, n) factors of the displacements there: 0 for springs under no force


class Grips(NamedTuple):
    """Frictions: tangents (f, n); bounds of the sliding velocities (f, n), over the absolute velocities; planes (f, 2).

    They are the planes that press, -1 for none: then the force is constant.
    """

    tangents: Floats
    glides: Floats
    planes: Ints


class Drive(NamedTuple):
    """Driving functions on one segment of time, smooth."""

    waves: Floats  # (a, 3) amplitude, omega, phase
    polynomials: Floats  # (b, 1 + c) origin, coefficients


class Rows(NamedTuple):
    """What is stored of a motion, in order: the state at every event, and at outputs."""

    times: Floats  # (m,) instants (s)
    states: Floats  # (m, 2n)
    marks: Ints  # (m,) index of the mode that begins; at an output, which begins none, its complement ``~index``


class ExactMotion(NamedTuple):
    """What the exact solver finds."""

    rows: Rows
    events: int  # with the start
    steps: int
    ambiguous: int  # events after which several motions were possible with as few changes of state
    reached: float  # instant (s); the end, unless Ctrl-C stopped the march
    stopped: bool
    impacts: list[tuple[float, tuple[int, ...]]]  # instants (s), and the rigid stops that gave impulses then
    short: int  # impacts that ended in rest, since the hop after them would be too short

    @property
    def begins(self) -> NDArray[np.bool_]:
        """Rows (m,) at which a mode begins."""
        return self.rows.marks >= 0

    @property
    def modes(self) -> Ints:
        """Index of the mode that holds from each row on, (m,)."""
        return np.maximum(self.rows.marks, ~self.rows.marks)


# where the arrays of each end among all
ROWS_END = len(Rows._fields)
MODES_END = ROWS_END + len(ModeTables._fields)
GRIPS_END = MODES_END + len(Grips._fields)


class Scratch(NamedTuple):
    """What is known of the step that is being taken, and room to work."""

    phase: Floats  # (p,)
    guard: Floats  # (ORDER + 1,) series of one
    leading: Ints  # (g,) first significant coefficient of each
    positions: Floats  # (n, ORDER + 1) series
    intervals: Floats  # (MOST_AHEAD, ORDER + 1)
    ends: Floats  # (MOST_AHEAD,)
    velocity: Floats  # (n,)


@kernel
def workspace(modes):
    """Return room for one march."""
    n = modes.hold.shape[1]
    return Scratch(
        np.zeros(modes.guards.shape[2]),
        np.empty(ORDER + 1),
        np.empty(modes.guards.shape[1], dtype=np.int64),
        np.empty((n, ORDER + 1)),
        np.empty((MOST_AHEAD, ORDER + 1)),
        np.empty(MOST_AHEAD),
        np.empty(n),
    )


@kernel
def write_series(rows, motion, coefficients):
    """Write the Taylor coefficients (r, p, ORDER + 1) of rows (r, p) over a phase that moves so in one step."""
    row = np.ascontiguousarray(rows)
    for k in range(ORDER + 1):
        if k > 0:
            row = np.dot(row, motion) / k
        coefficients[:, :, k] = row


@kernel
def write_bernstein(guards, weights, bernstein):
    """Write the Bernstein coefficients (g, FEW, p, ORDER + 1) of guards, less k roots at the start."""
    shifted = np.empty(guards.shape[1:])
    for i in range(guards.shape[0]):
        for k in range(FEW):
            shifted[:, ORDER + 1 - k :] = 0.0
            shifted[:, : ORDER + 1 - k] = guards[i, :, k:]
            bernstein[i, k] = np.dot(shifted, weights)


@kernel
def forecast(p, motion):
    """Return the terms (LEADING, p) of the series of a phase over one step."""
    terms = np.empty((LEADING, p.size))
    terms[0] = p
    for k in range(1, LEADING):
        terms[k] = np.dot(motion, terms[k - 1]) / k
    return terms


@kernel
def verdicts(terms, guards, sizes):
    """Return for every guard, a row over the phase, its first significant coefficient; 0 if it stays at zero."""
    found, c = np.zeros(guards.shape[0]), np.empty(LEADING)
    bound = np.abs(terms[0])
    for i in range(guards.shape[0]):
        for k in range(LEADING):
            c[k] = np.dot(guards[i], terms[k])
        k = first_significant(c, np.dot(sizes[i, 0], bound), np.dot(sizes[i, 1], bound))
        if k < FEW:
            found[i] = c[k]
    return found


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
        hold_still(modes.hold[m], modes.keep[m], y, scratch.velocity)
        wrong = look(y, m, modes, scratch)
        if wrong < 0:
            return m
        if modes.changes[m, wrong, SPRING] == STRIKES and scratch.leading[wrong] <= 1:
            break
        switch(m, wrong, states, y, modes, grips)
    return -1 - UNDECIDED


@part
def divide(c, k):
    """Divide a polynomial by theta**k, so that its root at the start does not count again; its terms below are zero."""
    for j in range(ORDER + 1 - k):
        c[j] = c[j + k]
    for j in range(ORDER + 1 - k, ORDER + 1):
        c[j] = 0.0


@part
def next_event(m, modes, width, scratch):
    """First root of a guard within a part of a step: (part, guard), or (width, -1)."""
    fired, p, c = -1, scratch.phase, scratch.guard
    for i in range(modes.counts[m]):
        k = scratch.leading[i]
        if k == FEW:
            continue  # it stays at zero
        series(modes.bernstein[m, i, k], p, scratch.intervals[0], ORDER + 1)
        changes, j = falls(scratch.intervals[0])
        if changes == NONE:
            continue
        series(modes.guards[m, i], p, c, ORDER + 1)
        if k > 0:
            divide(c, k)
        root = first_root(c, width, changes, j, scratch.intervals, scratch.ends)
        if root >= 0.0:
            width, fired = root, i
    return width, fired


@part
def advance(y, positions, h, theta):
    """State a part of a step after the centre of the series of the positions."""
    n = positions.shape[0]
    for i in range(n):
        x, rate, _ = value_and_rates(positions[i], theta)
        y[i], y[n + i] = x, rate / h


@part
def sample(outputs, t, h, until, positions, m, near, since, rows, counters):
    """Store the states at the outputs up to an instant, but for those next to the event before, ``since``."""
    done = counters[OUTPUTS]
    while done < outputs.size and outputs[done] <= until:
        row, at = counters[ROWS], outputs[done]
        late = at - since
        done += 1
        if late > near or (late > 0.0 and done == outputs.size):
            rows.times[row], rows.marks[row] = at, ~m
            advance(rows.states[row], positions, h, (at - t) / h)
            counters[ROWS] += 1
    counters[OUTPUTS] = done


@part
def elongate(t, y, row, spring, drive, p):
    """Set the spring of a stick that begins."""
    state_phase(y, p)
    drive_phase(t, drive.waves, drive.polynomials, 1 + y.size, p)
    total = 0.0
    for j in range(p.size):
        total += row[j] * p[j]
    y[spring] = total


@part
def note(t, y, m, outputs, near, rows, counters):
    """Store an event, in place of an output that is next to it; tell whether there was room."""
    row = counters[ROWS]
    if counters[EVENTS] > counters[MOST] or row + outputs.size - counters[OUTPUTS] >= rows.times.size:
        return False
    if row > 0 and rows.marks[row - 1] < 0:
        early = t - rows.times[row - 1]
        if early <= near and not (early > 0.0 and counters[OUTPUTS] == outputs.size):
            row -= 1
    rows.times[row], rows.marks[row] = t, m
    for i in range(y.size):
        rows.states[row, i] = y[i]
    counters[ROWS] = row + 1
    counters[EVENTS] += 1
    return True


@part
def step(t, end, y, m, modes, outputs, near, since, rows, counters, scratch):
    """Carry y on to the end of a step or the first root of a guard; return its instant, and the guard."""
    h, p, positions = modes.step[m], scratch.phase, scratch.positions
    cut = end - t <= h
    width = (end - t) / h if cut else 1.0
    theta, fired = next_event(m, modes, width, scratch)
    for i in range(positions.shape[0]):
        series(modes.positions[m, i], p, positions[i], ORDER + 1)
    until = end if cut and theta == width else t + theta * h
    sample(outputs, t, h, until, positions, m, near, since, rows, counters)
    advance(y, positions, h, theta)
    counters[STEPS] += 1
    return until, fired


@part
def begin(y, states, modes, known, grips, counters, scratch):
    """Return the mode that begins: that of the caller, or the settled one; else -1 - the reason why there is none."""
    if counters[DECIDED] == 0:
        if counters[CHOOSY] != 0:
            return -1 - UNDECIDED
        return settle(y, states, modes, known, grips, scratch)
    m = find_mode(states, modes, known)
    hold_still(modes.hold[m], modes.keep[m], y, scratch.velocity)
    look(y, m, modes, scratch)
    return m


@part
def remember(states, before, counters):
    """Note the states of a mode that is right."""
    for e in range(states.size):
        before[e] = states[e]
    counters[DECIDED], counters[FIRED] = 0, -1


@part
def fire(t, m, fired, y, states, counters, modes, grips, drive, scratch):
    """Do what the guard says that has fallen to zero."""
    counters[FIRED], counters[STAY] = fired, 0
    spring = modes.changes[m, fired, SPRING]
    if spring >= 0:
        elongate(t, y, modes.elongation[m, fired], spring, drive, scratch.phase)
    switch(m, fired, states, y, modes, grips)


@part
def stays(counters):
    """Count a step without an event; tell whether there have been PATIENCE of them, or twice as many as last time."""
    counters[STAY] += 1
    return counters[STAY] >= PATIENCE and counters[STAY] & (counters[STAY] - 1) == 0


@part
def conclude(t, m, fired, y, states, counters, modes, grips, drive, scratch):
    """Do what follows a step; return why the caller is asked, or DONE."""
    if fired < 0:
        return LONG if stays(counters) else DONE
    if modes.changes[m, fired, SPRING] == STRIKES:
        counters[STAY] = 0
        return IMPACT
    fire(t, m, fired, y, states, counters, modes, grips, drive, scratch)
    return DONE


@part
def last_event(rows, count):
    """Return the mode that began last, and when."""
    for row in range(count - 1, -1, -1):
        if rows.marks[row] >= 0:
            return rows.marks[row], rows.times[row]
    return -1, -np.inf


@part
def carry(t, end, known, y, states, before, outputs, near, rows, counters, modes, grips, drive, scratch):
    """See `march`, which makes the scratch."""
    settled = False
    m = -1
    last, since = last_event(rows, counters[ROWS])
    while t < end:
        if counters[STOP] != 0:
            return STOPPED, t
        drive_phase(t, drive.waves, drive.polynomials, 1 + y.size, scratch.phase)
        fired = -1
        if settled:
            fired = look(y, m, modes, scratch)  # the step before ended at the root itself
        else:
            m = begin(y, states, modes, known, grips, counters, scratch)
            if m < 0:
                return -1 - m, t
            if m != last or counters[STRUCK] != 0:
                if not note(t, y, m, outputs, near, rows, counters):
                    return FULL, t
                last, since, counters[STRUCK] = m, t, 0
            remember(states, before, counters)
        if fired < 0:
            t, fired = step(t, end, y, m, modes, outputs, near, since, rows, counters, scratch)
        settled = fired < 0
        reason = conclude(t, m, fired, y, states, counters, modes, grips, drive, scratch)
        if reason != DONE:
            return reason, t
    return DONE, t


@kernel
def march(t, end, known, near, y, states, before, outputs, counters, *tables):
    """Carry (y, states) from t to ``end``, or to where something is missing.

    ``before`` receives the states of the last mode that was right; outputs as ``near`` (s) to an event are left
    out, since they spoil differences; the last one is not. ``counters`` say what is stored and who decides; another
    thread may set STOP. ``tables`` are the arrays of Rows, ModeTables, Grips and Drive, one
    by one, which costs a quarter of handing over tuples. Returns (reason, t).
    """
    rows, modes = Rows(*tables[:ROWS_END]), ModeTables(*tables[ROWS_END:MODES_END])
    grips, drive = Grips(*tables[MODES_END:GRIPS_END]), Drive(*tables[GRIPS_END:])
    scratch = workspace(modes)
    return carry(t, end, known, y, states, before, outputs, near, rows, counters, modes, grips, drive, scratch)
