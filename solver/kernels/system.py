"""The modal system as arrays, and its right-hand side.

Per mode i the kernels need ``g_i = f_i(t)/m_i - w_i² q_i + (contact)_i/m_i``; modal damping
``c_i v_i`` stays apart because the schemes treat it differently.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.kernels.contact import contact_force
from veridyn.solver.kernels.jit import called, part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HARMONIC, PIECEWISE = 0, 1
HARMONIC_WIDTH = 3  # amplitude, omega, phase


class System(NamedTuple):
    """A problem in modal coordinates: r modes, e loads, s supports, p projected rows, c contacts.

    All projections are linear maps stored row-major; contacts refer to rows by index, -1 for none.
    """

    omega2: Floats  # (r,) squared circular frequencies
    damping: Floats  # (r,) c_i = 2 xi_i w_i
    load: Floats  # (e, r) projected load vectors over the generalised masses
    load_function: Ints  # (e,) index into the functions
    rows: Floats  # (p, r) local coordinate = rows q
    back: Floats  # (p, r) rows over the generalised masses
    drive: Floats  # (p, s) driven part of the local coordinates per unit of support displacement
    drive_function: Ints  # (s, 2) functions of displacement and velocity of the supports
    contact_index: Ints  # (c, 4) geometry, row y (normal), row z, row x (tangents)
    contact_value: Floats  # (c, 9) see veridyn.solver.kernels.contact
    function_term: Ints  # (functions + 1,) first term of each function
    term_kind: Ints  # (terms,)
    term_start: Ints  # (terms,) first parameter
    term_pieces: Ints  # (terms,) number of pieces (piecewise terms)
    term_width: Ints  # (terms,) numbers per piece
    parameter: Floats  # all parameters, one after the other


class Workspace(NamedTuple):
    """Scratch arrays of one integration."""

    position: Floats  # (p,)
    velocity: Floats  # (p,)
    support: Floats  # (s, 2)


@part
def piecewise(t, parameter, start, pieces, width):
    """Piece i: its break, then its coefficients. Zero before the first break."""
    if t < parameter[start]:
        return 0.0
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if t >= parameter[start + middle * width]:
            low = middle
        else:
            high = middle
    base = start + low * width
    tau = t - parameter[base]
    value = 0.0
    for k in range(width - 1, 0, -1):
        value = value * tau + parameter[base + k]
    return value


@part
def evaluate(t, function, s):
    """Value of one time function."""
    value = 0.0
    for term in range(s.function_term[function], s.function_term[function + 1]):
        start = s.term_start[term]
        if s.term_kind[term] == HARMONIC:
            value += s.parameter[start] * math.sin(s.parameter[start + 1] * t + s.parameter[start + 2])
        else:
            value += piecewise(t, s.parameter, start, s.term_pieces[term], s.term_width[term])
    return value


@part
def project(t, q, v, s, work):
    """Local coordinates and velocities of all contacts, with the driven part of absolute frames."""
    for j in range(s.drive.shape[1]):
        work.support[j, 0] = evaluate(t, s.drive_function[j, 0], s)
        work.support[j, 1] = evaluate(t, s.drive_function[j, 1], s)
    for row in range(s.rows.shape[0]):
        position = 0.0
        velocity = 0.0
        for i in range(q.size):
            position += s.rows[row, i] * q[i]
            velocity += s.rows[row, i] * v[i]
        for j in range(s.drive.shape[1]):
            position += s.drive[row, j] * work.support[j, 0]
            velocity += s.drive[row, j] * work.support[j, 1]
        work.position[row] = position
        work.velocity[row] = velocity


@part
def linear_forces(t, q, s, g):
    """G = -w² q + loads."""
    for i in range(q.size):
        g[i] = -s.omega2[i] * q[i]
    for e in range(s.load.shape[0]):
        factor = evaluate(t, s.load_function[e], s)
        for i in range(q.size):
            g[i] += s.load[e, i] * factor


@part
def forces(t, q, v, s, state, record, work, g):
    """G (r,) at (t, q, v); every call runs the contact laws and moves their state (c, 7) on.

    ``record`` (c, 8) receives what the contacts did.
    """
    linear_forces(t, q, s, g)
    if s.contact_index.shape[0] == 0:
        return
    project(t, q, v, s, work)
    for c in range(s.contact_index.shape[0]):
        iy, iz, ix = s.contact_index[c, 1], s.contact_index[c, 2], s.contact_index[c, 3]
        fy, fz, fx = contact_force(c, s.contact_index, s.contact_value, work.position, work.velocity, state, record)
        if iy >= 0 and fy != 0.0:
            for i in range(q.size):
                g[i] += s.back[iy, i] * fy
        if iz >= 0 and fz != 0.0:
            for i in range(q.size):
                g[i] += s.back[iz, i] * fz
        if ix >= 0 and fx != 0.0:
            for i in range(q.size):
                g[i] += s.back[ix, i] * fx


@called
def first_forces(t, q, v, s, state, record, work, g):
    """Evaluate the forces at the start, where a call costs nothing and saves one more compiled copy in every scheme."""
    forces(t, q, v, s, state, record, work, g)


@part
def diverged(q):
    """Index of the first coordinate out of range, -1 if there is none."""
    for i in range(q.size):
        if not (-1e100 < q[i] < 1e100):
            return i
    return -1


@part
def archive(slot, t, q, v, record, times, displacement, velocity, records):
    """Store one state."""
    times[slot] = t
    for i in range(q.size):
        displacement[slot, i] = q[i]
        velocity[slot, i] = v[i]
    for c in range(record.shape[0]):
        for k in range(record.shape[1]):
            records[slot, c, k] = record[c, k]
