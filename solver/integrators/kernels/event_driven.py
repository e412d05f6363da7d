"""From event to event without error: piecewise linear systems with unilateral contact and dry friction.

A discrete mode says of every stop whether it is open, closed or released, and of every friction whether it sticks,
slips up, slips down or is not pressed. In each mode the equations are affine; its guards are positive. At the first
root of a guard the mode changes, and the complementarity conditions, read from the Taylor series of the guards just
after the event, say to which one.

Source of the conditions: F. Pfeiffer and C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996,
chapters 5 and 6.
"""

import numpy as np

from veridyn.solver.integrators.kernels.event_settling import Scratch, find_mode, hold_still, look, settle, switch
from veridyn.solver.integrators.kernels.event_tables import (
    CHOOSY,
    DECIDED,
    DONE,
    EVENTS,
    FIRED,
    FULL,
    GRIPS_END,
    IMPACT,
    LONG,
    MODES_END,
    MOST,
    OUTPUTS,
    ROWS,
    ROWS_END,
    SPRING,
    STAY,
    STEPS,
    STOP,
    STOPPED,
    STRIKES,
    STRUCK,
    UNDECIDED,
    Drive,
    Grips,
    ModeTables,
    Rows,
)
from veridyn.solver.integrators.kernels.jit import kernel, part
from veridyn.solver.integrators.kernels.roots import MOST_AHEAD, NONE, falls, first_root
from veridyn.solver.integrators.kernels.series import (
    FEW,
    ORDER,
    advance,
    drive_phase,
    series,
    state_phase,
)

PATIENCE = 256  # steps without an event, and each doubling, after which the caller may see whether all is at rest


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


@part
def divide(c, k):
    """Divide a polynomial by theta**k, so that its root at the start does not count again; its terms below are zero."""
    for j in range(ORDER + 1 - k):
        c[j] = c[j + k]
    for j in range(ORDER + 1 - k, ORDER + 1):
        c[j] = 0.0


@part
def next_event(m, modes, width, scratch):
    """Return the first root of a guard within a part of a step: (part, guard), or (width, -1)."""
    fired, p, c = -1, scratch.phase, scratch.guard
    for i in range(modes.counts[m]):
        k = scratch.leading[i]
        if k == FEW:
            continue  # it stays at zero
        # Bernstein coefficients come first. If all are positive, the guard has no root on the whole step: for most
        # guards in most steps the proof ends here, and the power series is not even formed.
        series(modes.bernstein[m, i, k], p, scratch.intervals[0], ORDER + 1)
        changes, j = falls(scratch.intervals[0])
        if changes == NONE:
            continue
        series(modes.guards[m, i], p, c, ORDER + 1)
        if k > 0:
            divide(c, k)
        # Each root shortens the stretch in which the guards that follow are searched. So the last one that fires is the
        # first event of all, without a comparison of instants.
        root = first_root(c, width, changes, j, scratch.intervals, scratch.ends)
        if root >= 0.0:
            width, fired = root, i
    return width, fired


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
    # The end of a segment is taken as it is. t + (end - t) may miss it by a bit, and a step of that bit would follow.
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
