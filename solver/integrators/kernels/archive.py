"""What a kernel keeps of a march: chosen states, and running totals of every contact and device.

Contacts and devices write their records straight into the slot of the archive that is free; a state that is not
kept leaves its records to be overwritten. So nothing is copied, and the archive is as long as what is kept of the
march.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.contact import R_F1, R_F2, R_FORCE, R_W1, R_W2, RECORDS, length
from veridyn.solver.integrators.kernels.jit import natural, part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# columns of cursor: free slot, number of the step that is kept next, instant that is kept next, whether to stop
SLOT, STEP, INSTANT, STOP = range(4)
CURSOR = 4
# columns of totals: least and largest of each column of the record, integrals, rates at the step before
IMPULSE, WEAR, WORK = range(3)
INTEGRALS = 3
LEAST, LARGEST, INTEGRAL, RATE = 0, RECORDS, 2 * RECORDS, 2 * RECORDS + INTEGRALS
TOTALS = 2 * RECORDS + 2 * INTEGRALS


class Archive(NamedTuple):
    """States that are kept (m slots), the plan that chooses them, and totals over all states."""

    times: Floats  # (m,)
    displacement: Floats  # (m, r)
    velocity: Floats  # (m, r)
    records: Floats  # (m, c + d, 8)
    every: int  # the states of every n-th step are kept
    instants: Floats  # (k + 1,) and those nearest to these instants, by increasing time, then infinity
    land: bool  # whether adaptive steps are cut to end on the instants
    totals: Floats  # (c + d, 22), or (0, 22) if nobody asks for them
    cursor: Ints  # (4,) see SLOT; another thread may set STOP


@part
def put(archive, t, q, v):
    """Keep a state."""
    slot = natural(archive.cursor[SLOT])
    archive.times[slot] = t
    for i in range(q.size):
        archive.displacement[slot, i] = q[i]
        archive.velocity[slot, i] = v[i]
    archive.cursor[SLOT] = slot + 1


@part
def rate(record, which):
    """Return the rate of an integral: of the impulse N, of the wear energy N |s|, of the work of friction F · s."""
    if which == IMPULSE:
        return record[R_FORCE]
    w1, w2 = record[R_W1], record[R_W2]
    if which == WEAR:
        return record[R_FORCE] * length(w1, w2)
    return record[R_F1] * w1 + record[R_F2] * w2


@part
def total(archive, dt):
    """Add a step to the totals, by the trapezoidal rule."""
    for c in range(archive.totals.shape[0]):
        totals, record = archive.totals[c], archive.records[natural(archive.cursor[SLOT]), c]
        for k in range(RECORDS):
            totals[LEAST + k] = min(totals[LEAST + k], record[k].real)
            totals[LARGEST + k] = max(totals[LARGEST + k], record[k].real)
        for k in range(INTEGRALS):
            # Trapezoids over the steps as they are: what an integral of samples would miss between two
            # that are kept is in here.
            now = rate(record, k).real
            totals[INTEGRAL + k] += 0.5 * dt * (totals[RATE + k] + now)
            totals[RATE + k] = now


@part
def keep(archive, step, used, t, ahead, last, q, v):
    """Keep the state of a step at t if the plan asks for it.

    ``used`` and ``ahead``: the step that led here and the one that follows (s). A state is nearest to an instant if
    half the step that follows reaches it.
    """
    # The records of this state stand in the free slot. `put` takes that slot, so that the totals
    # must have been added before.
    total(archive, used)
    cursor, reach, wanted = archive.cursor, t + 0.5 * ahead, last
    if step == cursor[STEP]:
        cursor[STEP] += archive.every
        wanted = True
    while reach >= archive.instants[natural(cursor[INSTANT])]:
        cursor[INSTANT] += 1
        wanted = True
    if wanted:
        put(archive, t, q, v)


@part
def begin(archive, t, q, v):
    """Keep the state at the start; its contacts have been evaluated."""
    total(archive, 0.0)
    put(archive, t, q, v)
