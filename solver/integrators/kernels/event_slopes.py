"""The derivative of an exact motion by one parameter, marched along the motion that is known.

Within a mode the phase obeys p' = D p, and its derivative dp' = D dp + dD p: both together are one linear system with
constant coefficients, whose Taylor series converges everywhere as that of the motion does. Nothing is searched: the
instants of events are known. There the instant moves, and the derivative jumps (saltation).
"""

from typing import NamedTuple

import numpy as np

from veridyn.solver.integrators.kernels.event_tables import DONE, ELEMENT, IMPACT
from veridyn.solver.integrators.kernels.jit import kernel, part
from veridyn.solver.integrators.kernels.series import FOUR, ORDER, advance, drive_phase, series, state_phase

UNEXPLAINED, GRAZING, SIMULTANEOUS = 16, 17, 18  # why the march ends, beside DONE and IMPACT
NEAR_ZERO = 1e-7  # of the terms of a guard: what is no larger has fallen to zero
GRAZES = 1e-9  # of the terms of its rate over a step: a guard that falls no faster touches zero
ALIKE = 1e-6  # of the derivatives of two instants that are one


class Passing(NamedTuple):
    """What of the rule at an event is taken: 1, or 0 where it is left out on purpose."""

    moves: float  # how the instant moves; -1: the other way
    arrival: float  # what arrives there follows it
    beginning: float  # what follows begins there
    jump: float  # the rates jump
    hold: float  # a stick sets velocities
    memory: float  # what was before matters


@part
def drive_slopes(t, waves, moved, polynomials, none, place, dp):
    """Write the derivative of the phase of the drive; ``moved`` are derivatives of the waves (a, 3)."""
    for w in range(waves.shape[0]):
        angle, turn = waves[w, 1] * t + waves[w, 2], moved[w, 1] * t + moved[w, 2]
        sine, cosine = np.sin(angle), np.cos(angle)
        dp[place] = moved[w, 0] * sine + waves[w, 0] * cosine * turn
        dp[place + 1] = moved[w, 0] * cosine - waves[w, 0] * sine * turn
        place += 2
    drive_phase(t, none, polynomials, place, dp)


@part
def fill(t, y, s, waves, polynomials, moved_waves, moved_polynomials, none, p, dp):
    """Write a phase and its derivative."""
    state_phase(y, p)
    drive_phase(t, waves, polynomials, 1 + y.size, p)
    state_phase(s, dp)
    dp[0] = 0.0
    drive_slopes(t, waves, moved_waves, moved_polynomials, none, 1 + y.size, dp)


@kernel
def fill_phases(t, y, s, waves, polynomials, moved_waves, moved_polynomials, width):
    """Return a phase (p,) and its derivative for whoever is no kernel."""
    p, dp = np.zeros(width), np.zeros(width)
    fill(t, y, s, waves, polynomials, moved_waves, moved_polynomials, np.empty((0, 3)), p, dp)
    return p, dp


@part
def add_series(rows, p, c):
    """Add the series of what rows (w, ORDER + 1) are over a derivative of a phase, which begins with 0."""
    for j in range(1, p.size, FOUR):
        f0, f1, f2, f3 = p[j], p[j + 1], p[j + 2], p[j + 3]
        for k in range(ORDER + 1):
            c[k] += (rows[j, k] * f0 + rows[j + 1, k] * f1) + (rows[j + 2, k] * f2 + rows[j + 3, k] * f3)


@part
def dot(row, p):
    """Return the product of a row and a phase."""
    total = 0.0
    for j in range(p.size):
        total += row[j] * p[j]
    return total


@part
def size_of(row, p):
    """Return the size of what a row of sizes measures."""
    total = 0.0
    for j in range(p.size):
        total += row[j] * abs(p[j])
    return total


@part
def move_instant(m, later, states, guards, moved_guards, counts, changes, sizes, h, p, dp, rates):
    """Return how the instant of an event moves, and whether anything forbids to say so.

    The guard that has fired is that of an element that changes its state, and is zero. Where those of several elements
    are, their instants must move together: else there is one derivative on either side.
    """
    found, result = False, 0.0
    for i in range(counts[m]):
        e = changes[m, i, ELEMENT]
        if states[m, e] == states[later, e]:
            continue
        # of a velocity the terms may be as small as itself: what a step makes of it counts as well
        size = size_of(sizes[m, i, 0], p) + size_of(sizes[m, i, 1], p)
        if abs(dot(guards[m, i, :, 0], p)) > NEAR_ZERO * size:
            continue
        falls = dot(guards[m, i, :, 0], rates)
        if abs(falls) * h <= GRAZES * size_of(sizes[m, i, 1], p):
            return GRAZING, 0.0
        moves = -(dot(moved_guards[m, i], p) + dot(guards[m, i, :, 0], dp)) / falls
        if found and abs(moves - result) > ALIKE * (abs(moves) + abs(result)):
            return SIMULTANEOUS, 0.0
        found, result = True, moves
    return DONE if found else UNEXPLAINED, result


@part
def pass_event(passing, later, moved, y, after, s, slope, motions, hold, p, rates):
    """Pass the derivative s through an event whose instant moves: write it on that instant, and set it beside.

    The rates are those before the event; the state becomes that after it. On the instant that moves the state is
    continuous, but for velocities that a stick holds.
    """
    n = hold.shape[1]
    for i in range(2 * n):
        s[i] = passing.memory * (s[i] + rates[1 + i] * moved * passing.arrival)
    for i in range(n):
        slope[i], slope[n + i] = s[i], 0.0
        for k in range(n):
            slope[n + i] += hold[later, i, k] * s[n + k]
        slope[n + i] += (1.0 - passing.hold) * (s[n + i] - slope[n + i])
    for i in range(2 * n):
        y[i] = after[i]
    state_phase(y, p)
    for i in range(2 * n):
        begins = dot(motions[later, 1 + i], p)
        leaves = passing.memory * passing.beginning * (begins + (1.0 - passing.jump) * (rates[1 + i] - begins))
        s[i] = slope[i] - leaves * moved
        slope[i] += (begins - leaves) * moved


@part
def write_series_of_step(m, positions, crossed, p, dp, ahead, beside):
    """Write the series of the positions and of their derivatives over a step."""
    for i in range(ahead.shape[0]):
        series(positions[m, i], p, ahead[i], ORDER + 1)
        series(crossed[m, i], p, beside[i], ORDER + 1)
        add_series(positions[m, i], dp, beside[i])


@part
def sample(row, t, h, until, times, marks, beside, slopes):
    """Write the derivatives at the outputs up to an instant; return the row after them."""
    while row < times.size and times[row] <= until and marks[row] < 0:
        advance(slopes[row], beside, h, (times[row] - t) / h)
        row += 1
    return row


@part
def is_ahead(row, until, end, inclusive, times, marks):
    """Tell whether the event of a row happens up to an instant, and on this segment."""
    if row == times.size or marks[row] < 0:
        return False
    return times[row] <= until and (times[row] < end or inclusive)


@part
def goes_on(t, end, inclusive, row, times, marks):
    """Tell whether something is left to do on a segment."""
    return t < end or (row < times.size and times[row] <= end and (inclusive or marks[row] < 0))


@kernel
def march_slopes(
    passing, t, end, inclusive, edge, m, row, y, s, times, stored, marks, struck, slopes, moves,
    mode_states, steps, positions, guards, sizes, counts, changes, hold, motions, crossed, moved_guards,
    waves, polynomials, moved_waves, moved_polynomials,
):  # fmt: skip
    """Carry the derivative s of the state y from t to ``end`` of a segment, or to an impact, which the caller sees to.

    The rows of the motion from ``row`` on, with modes by ``marks``, are given; their derivatives are written to
    ``slopes``, those of their instants to ``moves``; ``passing`` says by what rule. Events on the ``edge`` where a
    segment begins stay there; those on its end belong to the next one unless ``inclusive``. Returns reason, row, mode
    and instant.
    """
    n, width = hold.shape[1], positions.shape[2]
    p, dp, rates, none = np.zeros(width), np.zeros(width), np.empty(width), np.empty((0, 3))
    ahead, beside = np.empty((n, ORDER + 1)), np.empty((n, ORDER + 1))
    while goes_on(t, end, inclusive, row, times, marks):
        h = steps[m]
        fill(t, y, s, waves, polynomials, moved_waves, moved_polynomials, none, p, dp)
        write_series_of_step(m, positions, crossed, p, dp, ahead, beside)
        until = min(t + h, end)
        row = sample(row, t, h, until, times, marks, beside, slopes)
        happens = is_ahead(row, until, end, inclusive, times, marks)
        if happens:
            until = times[row]
        advance(y, ahead, h, (until - t) / h)
        advance(s, beside, h, (until - t) / h)
        t = until
        if not happens:
            continue
        if struck[row]:
            return IMPACT, row, m, t
        fill(t, y, s, waves, polynomials, moved_waves, moved_polynomials, none, p, dp)
        for i in range(width):
            rates[i] = dot(motions[m, i], p)
        if t != edge:
            reason, moves[row] = move_instant(
                m, marks[row], mode_states, guards, moved_guards, counts, changes, sizes, h, p, dp, rates
            )
            if reason != DONE:
                return reason, row, m, t
            moves[row] *= passing.moves
        pass_event(passing, marks[row], moves[row], y, stored[row], s, slopes[row], motions, hold, p, rates)
        m, row = marks[row], row + 1
    return DONE, row, m, t
