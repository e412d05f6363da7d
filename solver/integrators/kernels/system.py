"""The modal system as arrays, and its right-hand side.

Per mode i the kernels need ``g_i = f_i(t)/m_i - w_i² q_i + (contact)_i/m_i``; modal damping
``c_i v_i`` stays apart because the schemes treat it differently. What couples modes, or varies with time, is a force
like that of a contact: damping sees the velocity that contacts see.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.archive import SLOT
from veridyn.solver.integrators.kernels.contact import ROW_X, ROW_Y, ROW_Z, contact_force
from veridyn.solver.integrators.kernels.device import FIRST, LAST, LAW, ROW, device_force
from veridyn.solver.integrators.kernels.function_table import row_of
from veridyn.solver.integrators.kernels.jit import called, natural, part
from veridyn.solver.integrators.kernels.projection import MANY, is_sparse, local, project, push, push_all

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Naturals = NDArray[np.uint32]  # indices that the compiler knows not to count from the end

ON_RATE, FUNCTION = range(2)  # columns of varying_index


class Entries(NamedTuple):
    """A matrix by compressed rows; without rows it is nothing."""

    first: Naturals  # (rows + 1,) place of the first entry of each row, or (0,)
    column: Naturals  # (entries,)
    value: Floats  # (entries,)


class System(NamedTuple):
    """A problem in modal coordinates: r modes, e loads, s supports, p projected rows, c contacts, d devices.

    Where the matrices are sparse, the coordinates stand for modes, of frequency zero, and the rows are sparse.
    Contacts and devices refer to rows by index, -1 for none. The memory of all of them is one array, and so are their
    records: contacts first, then devices.
    """

    masses: Floats  # (r,) generalised masses
    omega2: Floats  # (r,) squared circular frequencies
    damping: Floats  # (r,) c_i, mostly 2 xi_i w_i
    coupling: Entries  # (r, r) off-diagonal damping over the generalised masses, or nothing
    springs: Entries  # (r, r) stiffness beside the squared frequencies, over the generalised masses, or nothing
    varying: Floats  # (k, r, r) matrices over the generalised masses that a function of time multiplies
    varying_index: Ints  # (k, 2) whether it acts on velocities (1) or displacements (0), place of its function
    load: Floats  # (e, r) projected load vectors over the generalised masses
    rows: Floats  # (r, p) local coordinate = rowsᵀ q; (0, p) of sparse matrices
    back: Floats  # (p, r) the same, transposed, over the generalised masses; (p, 0)
    along: Entries  # (p, r) the same where matrices are sparse, or nothing
    push: Floats  # its values over the masses
    drive: Floats  # (p, s) driven part of the local coordinates per unit of support displacement
    contact_index: Ints  # (c, 6) geometry, rows y, z, x, first parameter and number of segments of a profile
    contact_value: Floats  # (c, 10) see veridyn.solver.integrators.kernels.contact
    device_index: Ints  # (d, 4) law, row, first constant and the one after the last
    device_offset: Floats  # (d,) added to the local coordinate
    device_value: Floats  # constants of all devices, one after the other
    device_memory: Floats  # (d, 7) what they remember at the start
    function_term: Ints  # (functions + 1,) first term of each function
    terms: Ints  # (terms, 4) kind, first parameter, number of pieces (piecewise terms), numbers per piece
    parameter: Floats  # all parameters, one after the other
    several: bool | None  # None: one mode, no driven rows and constant matrices, see `count_on`


class Workspace(NamedTuple):
    """Scratch arrays of one integration, and a table of the time functions at the instants that come next.

    A march that goes on in even steps tells its step: its functions are evaluated many at a time, since a sine between
    the contacts of one step and those of the next keeps the processor from overlapping them.
    """

    position: Floats  # (p,)
    velocity: Floats  # (p,)
    force: Floats  # (p,)
    instants: Floats  # (n,) of the table; one if the step is not even
    values: Floats  # (n, functions) of loads and of supports, displacement and velocity of supports, of matrices
    place: Ints  # (1,) row of the table in use
    step: float


@part
def count_on(even, q, v, g, s, work):
    """Let the compiler count on what a scheme and a system say of themselves, and leave out all that is then idle.

    A scheme whose forces are evaluated in even steps has a table of several instants, any other of one. A system that
    is not ``several`` has one mode, no driven rows and constant matrices; that is seen in its type, so each kind is
    compiled apart.

    Raises
    ------
    ValueError
        If it is not so.
    """
    if even == (work.instants.size == 1):
        raise ValueError("a table of several instants is for schemes with even steps")
    plain = s.drive.shape[1] == 0 and s.varying.shape[0] == 0
    if s.several is None and not (q.size == 1 and v.size == 1 and g.size == 1 and plain):
        raise ValueError("a system of several modes, with driven rows or varying matrices must say so")


@part
def linear_forces(row, q, s, work, g):
    """Set g to -w² q + loads."""
    for i in range(q.size):
        g[i] = -s.omega2[i] * q[i]
    add_loads(row, s, work, g)


@part
def add_loads(row, s, work, g):
    """Add the loads."""
    for e in range(s.load.shape[0]):
        factor = work.values[row, e]
        for i in range(g.size):
            g[i] += s.load[e, i] * factor


@called
def couple(v, coupling, g):
    """Take the forces of damping or stiffness that couples modes from g."""
    for i in range(g.size):
        force = g[i]
        for k in range(coupling.first[i], coupling.first[i + 1]):
            force -= coupling.value[k] * v[coupling.column[k]]
        g[i] = force


@called
def vary(q, v, matrices, index, values, g):
    """Take the forces of matrices that are functions of time from g."""
    for k in range(index.shape[0]):
        factor = values[index[k, FUNCTION]]
        for i in range(g.size):
            for j in range(g.size):
                g[i] -= factor * matrices[k, i, j] * (v[j] if index[k, ON_RATE] else q[j])


@part
def forces(t, q, v, s, state, archive, work, g):
    """Set g (r,) at (t, q, v); every call runs the laws of contacts and devices and moves their state (c + d, 8) on.

    What they did goes into the free slot of the archive.
    """
    row = row_of(t, s, work)
    linear_forces(row, q, s, work, g)
    couple_all(q, v, s, g)
    vary_all(row, q, v, s, work, g)
    if state.shape[0] == 0:
        return
    if s.several is not None:
        project(row, q, v, s, work)
    many = s.several is not None and (work.force.size >= MANY or is_sparse(s))
    local_forces(t, many, q, v, s, state, archive, work, g)
    if many:
        push_all(work.force, s, g)


@part
def forces_beside(row, q_star, v_star, q, v, s, work, g):
    """Set g (r,) to the forces beside the stiffness of the modes and those of contacts and devices.

    What couples modes sees the state (q_star, v_star), what varies with time (q, v).
    """
    for i in range(g.size):
        g[i] = 0.0
    add_loads(row, s, work, g)
    couple_all(q_star, v_star, s, g)
    vary_all(row, q, v, s, work, g)


@part
def couple_all(q, v, s, g):
    """Take the forces of all that couples modes from g."""
    if s.coupling.first.size > 0:
        couple(v, s.coupling, g)
    if s.several is not None and s.springs.first.size > 0:
        couple(q, s.springs, g)


@part
def vary_all(row, q, v, s, work, g):
    """Take the forces of all matrices that are functions of time from g."""
    if s.several is not None and s.varying.shape[0] > 0:
        vary(q, v, s.varying, s.varying_index, work.values[row], g)


@part
def local_forces(t, many, q, v, s, state, archive, work, g):
    """Run the laws of contacts and devices at local coordinates that are known; their forces go where `push` says."""
    record = archive.records[natural(archive.cursor[SLOT])]
    run_contacts(many, q, v, s, state, record, work, g)
    run_devices(t, many, q, v, s, state, record, work, g)


@part
def run_contacts(many, q, v, s, state, record, work, g):
    """Apply the forces of all contacts."""
    index = s.contact_index
    for c in range(index.shape[0]):
        iy, iz, ix = index[c, ROW_Y], index[c, ROW_Z], index[c, ROW_X]
        y, vy = local(iy, q, v, s, work)
        z, vz = local(iz, q, v, s, work)
        x, vx = local(ix, q, v, s, work)
        fy, fz, fx = contact_force(c, index, s.contact_value, s.parameter, (y, z, x), (vy, vz, vx), state, record)
        push(iy, fy, many, s.back, work.force, g)
        push(iz, fz, many, s.back, work.force, g)
        push(ix, fx, many, s.back, work.force, g)


@part
def run_devices(t, many, q, v, s, state, record, work, g):
    """Apply the forces of all devices."""
    contacts = s.contact_index.shape[0]
    for d in range(s.device_index.shape[0]):
        law, row, own = s.device_index[d, LAW], s.device_index[d, ROW], contacts + d
        constants = s.device_value[s.device_index[d, FIRST] : s.device_index[d, LAST]]
        u, rate = local(row, q, v, s, work)
        force = device_force(t, law, u + s.device_offset[d], rate, constants, state[own], record[own])
        push(row, -force, many, s.back, work.force, g)


@called
def first_forces(t, q, v, s, state, archive, work, g):
    """Evaluate the forces at the start, where a call costs nothing and saves one more compiled copy in every scheme."""
    forces(t, q, v, s, state, archive, work, g)


@part
def diverged(q):
    """Return the index of the first coordinate out of range, -1 if there is none."""
    for i in range(q.size):
        # Written so that NaN counts as diverged: any comparison with it is false.
        if not (-1e100 < q[i].real < 1e100):
            return i
    return -1
