"""How the forces at the end of a step follow the acceleration there: tangents of contacts and devices.

A step moves the displacement by b and the velocity by g per unit of acceleration, so that a spring k with a damper c
has the tangent -(b k + g c). A tangent belongs to the branch of a law that was met last: open, pushing, sticking,
sliding forward or back, which side of a profile. The turn of a curved normal within a step is left out; the residual
sees it.
"""

from veridyn.solver.integrators.kernels.contact import (
    DAMPING,
    FIRST,
    GAP,
    GEOMETRY,
    KINETIC,
    PARALLEL_PLANES,
    R_FORCE,
    R_STUCK,
    R_W1,
    R_W2,
    ROW_Y,
    ROW_Z,
    SEGMENTS,
    STATIC,
    STIFFNESS,
    TANGENT_DAMPING,
    TANGENT_STIFFNESS,
    TINY,
    Y0,
    Z0,
    length,
)
from veridyn.solver.integrators.kernels.curved import CIRCLE, PROFILE, curved_gap
from veridyn.solver.integrators.kernels.device import FIRST as FIRST_CONSTANT
from veridyn.solver.integrators.kernels.device import LAST, LAW, NONLINEAR_DAMPER, ROW, device_force
from veridyn.solver.integrators.kernels.device import R_FORCE as R_DEVICE
from veridyn.solver.integrators.kernels.jit import part
from veridyn.solver.integrators.kernels.projection import local

# what a law did: bits of its branch; a sliding contact also tells where to
PUSHING, STICKING, SLIDING, FORWARD, ASIDE, OTHER_WALL = 1, 2, 4, 8, 16, 32
PROBE = 1e-7  # of the elongation and of its change in a step, or of the rate: how far a device is moved for its slope
BEND = 0.1  # relative change of the slope of a device that counts as another branch


@part
def frame(c, index, constants, parameter, y, z):
    """Return the inward normal and the first tangent in the plane (y, z)."""
    geometry = index[c, GEOMETRY]
    if geometry >= CIRCLE:
        at = y + constants[c, Y0], z + constants[c, Z0]
        segments = index[c, FIRST], index[c, SEGMENTS]
        _, cosine, sine = curved_gap(geometry, constants[c, GAP], at[0], at[1], parameter, *segments)
        return cosine, sine, -sine, cosine
    if geometry == PARALLEL_PLANES and (y + constants[c, Y0]).real < 0.0:
        return 1.0, 0.0, 0.0, 1.0
    return -1.0, 0.0, 0.0, 1.0


@part
def branch_of(c, constants, record, ny):
    """Return the branch of the law of a contact that its record tells."""
    if record[c, R_FORCE] == 0.0:
        return 0
    branch = PUSHING + (OTHER_WALL if ny.real > 0.0 else 0)
    if constants[c, STATIC] == 0.0:
        return branch
    if record[c, R_STUCK] != 0.0:
        return branch + STICKING
    return (
        branch + SLIDING + (FORWARD if record[c, R_W1].real > 0.0 else 0) + (ASIDE if record[c, R_W2].real > 0.0 else 0)
    )


@part
def friction_tangent(c, constants, record, branch, b, g, stiff):
    """Return how the friction (f1, f2) changes with a motion inwards, along the first tangent and along the second."""
    if branch & STICKING:
        stick = -(b * constants[c, TANGENT_STIFFNESS] + g * constants[c, TANGENT_DAMPING])
        return (0.0, stick, 0.0), (0.0, 0.0, stick)
    speed = length(record[c, R_W1], record[c, R_W2])
    if not branch & SLIDING or speed.real <= TINY:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    # f = -mu N w/|w|. By N: the normal force falls by ``stiff`` under a motion outwards, along w/|w|. By w: only the
    # part across w turns the force, -mu N/|w| (1 - w wᵀ/|w|²); its size does not depend on the speed.
    w1, w2 = record[c, R_W1] / speed, record[c, R_W2] / speed
    more, turn = constants[c, KINETIC] * stiff, -constants[c, KINETIC] * record[c, R_FORCE] * g / speed
    return (more * w1, turn * w2 * w2, -turn * w1 * w2), (more * w2, -turn * w1 * w2, turn * w1 * w1)


@part
def contact_tangent(c, b, g, index, constants, parameter, y, z, record, tangent):
    """Set the tangent (3, 3) of a contact in its coordinates (y, z, x); return branch, and side of a profile."""
    ny, nz, ty, tz = frame(c, index, constants, parameter, y, z)
    side = ny if index[c, GEOMETRY] == PROFILE else 0.0
    branch = branch_of(c, constants, record, ny)
    tangent[:] = 0.0
    if branch == 0:
        return branch, 0.0
    # a constant force has neither stiffness nor damper
    stiff = b * constants[c, STIFFNESS] + g * constants[c, DAMPING]
    (f1n, f11, f12), (f2n, f21, f22) = friction_tangent(c, constants, record, branch, b, g, stiff)
    normal, first = (ny, nz), (ty, tz)
    for i in range(2):
        for j in range(2):
            along = f1n * normal[j] + f11 * first[j]
            tangent[i, j] = -stiff * normal[i] * normal[j] + first[i] * along
        tangent[i, 2] = first[i] * f12
        tangent[2, i] = f2n * normal[i] + f21 * first[i]
    tangent[2, 2] = f22
    return branch, side


@part
def device_tangent(t, dt, b, g, d, s, u, rate, memory, force, probe, record):
    """Return how the force of a device changes with the acceleration: its law, run once more a little further on."""
    constants = s.device_value[s.device_index[d, FIRST_CONSTANT] : s.device_index[d, LAST]]
    law, at = s.device_index[d, LAW], u + s.device_offset[d]
    for k in range(probe.size):
        probe[k] = memory[k]
    if law == NONLINEAR_DAMPER:
        faster = PROBE * (abs(rate) if rate != 0.0 else 1.0)
        return -g * (device_force(t, law, at, rate + faster, constants, probe, record) - force) / faster
    size = max(abs(u), abs(s.device_offset[d]), dt * abs(rate))
    further = PROBE * (size if size > 0.0 else 1.0)
    return -b * (device_force(t, law, at + further, rate, constants, probe, record) - force) / further


@part
def tangents(t, dt, b, g, q, v, s, saved, record, work, n):
    """Set the tangents of all contacts and devices where they were evaluated last; tell whether a branch changed."""
    contacts, moved = s.contact_index.shape[0], False
    for c in range(contacts):
        y, _ = local(s.contact_index[c, ROW_Y], q, v, s, work)
        z, _ = local(s.contact_index[c, ROW_Z], q, v, s, work)
        own = n.tangent[c]
        branch, side = contact_tangent(c, b, g, s.contact_index, s.contact_value, s.parameter, y, z, record, own)
        moved = moved or branch != n.branch[c] or side != n.side[c]
        n.branch[c], n.side[c] = branch, side
    for d in range(s.device_index.shape[0]):
        e = contacts + d
        u, rate = local(s.device_index[d, ROW], q, v, s, work)
        slope = device_tangent(t, dt, b, g, d, s, u, rate, saved[e], record[e, R_DEVICE], n.memory, n.record)
        before = n.tangent[e, 0, 0]
        moved = moved or not abs(slope - before) <= BEND * max(abs(slope), abs(before))
        n.tangent[e, 0, 0] = slope
    return moved


@part
def row_at(e, k, s):
    """Return the row of local coordinate k of a contact or device, -1 for none."""
    contacts = s.contact_index.shape[0]
    if e < contacts:
        return s.contact_index[e, ROW_Y + k]
    return s.device_index[e - contacts, ROW] if k == 0 else -1
