"""What the march from event to event reads and writes: equations of modes, elements, drive, rows, counters.

Nothing is compiled here, so that who fills the tables need not wait for numba.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


class ModeTables(NamedTuple):
    """The equations of the modes met so far; ``known`` of them are filled in.

    What depends on time is a row over the phase (see `exact.tables`) at the start of a step, for each Taylor
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
