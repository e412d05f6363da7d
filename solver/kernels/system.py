"""The modal system as arrays, and its right-hand side.

Per mode i the kernels need ``g_i = f_i(t)/m_i - w_i² q_i + (contact)_i/m_i``; modal damping
``c_i v_i`` stays apart because the schemes treat it differently. Damping that couples modes is a force like that of a
contact: it sees the velocity that contacts see.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.kernels.archive import SLOT
from veridyn.solver.kernels.contact import contact_force
from veridyn.solver.kernels.device import FIRST, LAST, LAW, ROW, device_force
from veridyn.solver.kernels.jit import called, part
from veridyn.solver.kernels.piecewise import piecewise

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HARMONIC, PIECEWISE, WINDOWED = range(3)
HARMONIC_WIDTH = 3  # amplitude, omega, phase
WINDOWED_WIDTH = 5  # the same, start, end


MANY = 8  # rows; from here on they are projected together
BLOCK = 4  # modes, or rows, whose terms are added in one pass


class System(NamedTuple):
    """A problem in modal coordinates: r modes, e loads, s supports, p projected rows, c contacts, d devices.

    Contacts and devices refer to rows by index, -1 for none. The memory of all of them is one array, and so are their
    records: contacts first, then devices.
    """

    omega2: Floats  # (r,) squared circular frequencies
    damping: Floats  # (r,) c_i, mostly 2 xi_i w_i
    coupling: Floats  # (r, r) off-diagonal damping over the generalised masses, or (0, 0)
    load: Floats  # (e, r) projected load vectors over the generalised masses
    load_function: Ints  # (e,) index into the functions
    rows: Floats  # (r, p) local coordinate = rowsᵀ q
    back: Floats  # (p, r) the same, transposed, over the generalised masses
    drive: Floats  # (p, s) driven part of the local coordinates per unit of support displacement
    drive_function: Ints  # (s, 2) functions of displacement and velocity of the supports
    contact_index: Ints  # (c, 6) geometry, rows y, z, x, first parameter and number of segments of a profile
    contact_value: Floats  # (c, 10) see veridyn.solver.kernels.contact
    device_index: Ints  # (d, 4) law, row, first constant and the one after the last
    device_offset: Floats  # (d,) added to the local coordinate
    device_value: Floats  # constants of all devices, one after the other
    device_memory: Floats  # (d, 7) what they remember at the start
    function_term: Ints  # (functions + 1,) first term of each function
    term_kind: Ints  # (terms,)
    term_start: Ints  # (terms,) first parameter
    term_pieces: Ints  # (terms,) number of pieces (piecewise terms)
    term_width: Ints  # (terms,) numbers per piece
    parameter: Floats  # all parameters, one after the other


class Workspace(NamedTuple):
    """Scratch arrays of one integration, and a table of the time functions at the instants that come next.

    A march that goes on in even steps tells its step: its functions are evaluated many at a time, since a sine between
    the contacts of one step and those of the next keeps the processor from overlapping them.
    """

    position: Floats  # (p,)
    velocity: Floats  # (p,)
    force: Floats  # (p,)
    instants: Floats  # (n,) of the table; one if the step is not even
    values: Floats  # (n, functions)
    place: Ints  # (1,) row of the table in use
    step: float


@called
def add_windowed(wave, instants, values):
    """Add a harmonic function within its window."""
    amplitude, omega, phase, first, last = wave[0], wave[1], wave[2], wave[3], wave[4]
    for row in range(instants.size):
        if first <= instants[row] < last:
            values[row] += amplitude * math.sin(omega * instants[row] + phase)


@part
def add_term(term, instants, s, values):
    """Add one term of a time function."""
    start = s.term_start[term]
    if s.term_kind[term] == HARMONIC:
        amplitude, omega, phase = s.parameter[start], s.parameter[start + 1], s.parameter[start + 2]
        for row in range(instants.size):
            values[row] += amplitude * math.sin(omega * instants[row] + phase)
    elif s.term_kind[term] == PIECEWISE:
        for row in range(instants.size):
            values[row] += piecewise(instants[row], s.parameter, start, s.term_pieces[term], s.term_width[term])
    else:
        add_windowed(s.parameter[start : start + WINDOWED_WIDTH], instants, values)


@part
def row_of(t, s, work):
    """Row of the table of time functions for an instant: this one, the next, or the first of a new table."""
    row = work.place[0]
    if work.instants[row] == t:
        return row
    row += 1
    if row >= work.instants.size or work.instants[row] != t:
        tabulate(t, s, work)
        row = 0
    work.place[0] = row
    return row


@part
def tabulate(t, s, work):
    """Evaluate all time functions at t and at the instants that follow, term by term."""
    for row in range(work.instants.size):
        work.instants[row] = t
        t += work.step
    for function in range(work.values.shape[1]):
        for row in range(work.instants.size):
            work.values[row, function] = 0.0
        for term in range(s.function_term[function], s.function_term[function + 1]):
            add_term(term, work.instants, s, work.values[:, function])


@part
def project(row, q, v, s, work):
    """Local coordinates and velocities of all contacts, with the driven part of absolute frames."""
    if work.position.size < MANY:
        for p in range(work.position.size):
            position, velocity = 0.0, 0.0
            for i in range(q.size):
                position += s.rows[i, p] * q[i]
                velocity += s.rows[i, p] * v[i]
            work.position[p], work.velocity[p] = position, velocity
    else:
        project_many(q, s.rows, work.position)
        project_many(v, s.rows, work.velocity)
    for j in range(s.drive.shape[1]):
        displacement, velocity = work.values[row, s.drive_function[j, 0]], work.values[row, s.drive_function[j, 1]]
        for p in range(work.position.size):
            work.position[p] += s.drive[p, j] * displacement
            work.velocity[p] += s.drive[p, j] * velocity


@called
def project_many(q, rows, local):
    """Project on all rows at once, four modes at a time, each sum in the order of the modes."""
    whole = q.size - q.size % BLOCK
    local[:] = 0.0
    for i in range(0, whole, BLOCK):
        q0, q1, q2, q3 = q[i], q[i + 1], q[i + 2], q[i + 3]
        for row in range(local.size):
            local[row] = (((local[row] + rows[i, row] * q0) + rows[i + 1, row] * q1) + rows[i + 2, row] * q2) + rows[
                i + 3, row
            ] * q3
    for i in range(whole, q.size):
        for row in range(local.size):
            local[row] += rows[i, row] * q[i]


@part
def linear_forces(row, q, s, work, g):
    """G = -w² q + loads."""
    for i in range(q.size):
        g[i] = -s.omega2[i] * q[i]
    for e in range(s.load.shape[0]):
        factor = work.values[row, s.load_function[e]]
        for i in range(q.size):
            g[i] += s.load[e, i] * factor


@called
def couple(v, coupling, g):
    """Take the forces of the damping that couples modes from g."""
    for i in range(g.size):
        for j in range(v.size):
            g[i] -= coupling[i, j] * v[j]


@part
def forces(t, q, v, s, state, archive, work, g):
    """G (r,) at (t, q, v); every call runs the laws of contacts and devices and moves their state (c + d, 8) on.

    What they did goes into the free slot of the archive.
    """
    row = row_of(t, s, work)
    linear_forces(row, q, s, work, g)
    if s.coupling.size > 0:
        couple(v, s.coupling, g)
    if state.shape[0] == 0:
        return
    project(row, q, v, s, work)
    record, many = archive.records[archive.cursor[SLOT]], work.force.size >= MANY
    for c in range(s.contact_index.shape[0]):
        iy, iz, ix = s.contact_index[c, 1], s.contact_index[c, 2], s.contact_index[c, 3]
        fy, fz, fx = contact_force(
            c, s.contact_index, s.contact_value, s.parameter, work.position, work.velocity, state, record
        )
        push(iy, fy, many, s.back, work.force, g)
        push(iz, fz, many, s.back, work.force, g)
        push(ix, fx, many, s.back, work.force, g)
    push_devices(t, many, s, state, record, work, g)
    if many:
        push_many(work.force, s.back, g)


@part
def push_devices(t, many, s, state, record, work, g):
    """Apply the forces of all devices."""
    contacts = s.contact_index.shape[0]
    for d in range(s.device_index.shape[0]):
        law, row, own = s.device_index[d, LAW], s.device_index[d, ROW], contacts + d
        constants = s.device_value[s.device_index[d, FIRST] : s.device_index[d, LAST]]
        u = work.position[row] + s.device_offset[d]
        force = device_force(t, law, u, work.velocity[row], constants, state[own], record[own])
        push(row, -force, many, s.back, work.force, g)


@part
def push(row, force, many, back, pending, g):
    """Apply a force along a row, or leave it to `push_many`."""
    if row < 0:
        return
    if many:
        pending[row] = force
    elif force != 0.0:
        for i in range(g.size):
            g[i] += back[row, i] * force


@called
def push_many(force, back, g):
    """Apply the forces of all rows, four at a time, each sum in the order of the rows."""
    whole = force.size - force.size % BLOCK
    for row in range(0, whole, BLOCK):
        f0, f1, f2, f3 = force[row], force[row + 1], force[row + 2], force[row + 3]
        if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
            for i in range(g.size):
                g[i] = (((g[i] + back[row, i] * f0) + back[row + 1, i] * f1) + back[row + 2, i] * f2) + back[
                    row + 3, i
                ] * f3
    for row in range(whole, force.size):
        push(row, force[row], False, back, force, g)


@called
def first_forces(t, q, v, s, state, archive, work, g):
    """Evaluate the forces at the start, where a call costs nothing and saves one more compiled copy in every scheme."""
    forces(t, q, v, s, state, archive, work, g)


@part
def diverged(q):
    """Index of the first coordinate out of range, -1 if there is none."""
    for i in range(q.size):
        if not (-1e100 < q[i] < 1e100):
            return i
    return -1
