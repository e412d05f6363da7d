"""Penalty contact and regularised Coulomb friction of one element (DIS_CHOC).

Local coordinates: y and z in the plane of the contact, x along its axis. The inward normal is along y, the tangents are
z and x; only around curved stops normal and first tangent turn in the plane (y, z). Constants of a contact are columns
of ``contact_value``; its memory is a row of ``state``; what it did is a row of ``record``.
"""

import numpy as np

from veridyn.solver.integrators.kernels.curved import CIRCLE, curved_gap
from veridyn.solver.integrators.kernels.jit import called, magnitude, part, positive

# geometry; the curved ones follow
CONSTANT_FORCE, PLANE, PARALLEL_PLANES = 0, 1, 2
# columns of contact_value
GAP, STIFFNESS, DAMPING, FORCE, STATIC, KINETIC, TANGENT_STIFFNESS, TANGENT_DAMPING, Y0, Z0 = range(10)
VALUES = 10
# columns of contact_index
GEOMETRY, ROW_Y, ROW_Z, ROW_X, FIRST, SEGMENTS = range(6)
INDICES = 6
# columns of state: stuck flag, force and position of the anchor, last sliding velocity
STUCK, ANCHOR_F1, ANCHOR_F2, ANCHOR_Y, ANCHOR_Z, ANCHOR_X, LAST_W1, LAST_W2 = range(8)
STATES = 8
# columns of record
R_FORCE, R_GAP, R_VELOCITY, R_F1, R_F2, R_W1, R_W2, R_STUCK = range(8)
RECORDS = 8

FRESH = -1.0  # stuck flag of a curved contact that was never evaluated: it was open before
SLIDING = 1e-6  # m/s: slower motion is a candidate for sticking (Code_Aster's constant)
TINY = 2.220446e-16


@part
def length(a, b):
    """Return the length of a vector; along one axis without the root, which is slow and would give the same number."""
    return magnitude(a) if b == 0.0 else np.sqrt(a * a + b * b)


@part
def hang(state, c, f1, f2, y, z, x):
    """Move the anchor: force and position from which stick starts."""
    state[c, ANCHOR_F1] = f1
    state[c, ANCHOR_F2] = f2
    state[c, ANCHOR_Y] = y
    state[c, ANCHOR_Z] = z
    state[c, ANCHOR_X] = x


@part
def release(state, record, c, y, z, x):
    """Set a contact that is open: no force, no stick, the anchor follows."""
    hang(state, c, 0.0, 0.0, y, z, x)
    state[c, STUCK] = 0.0
    state[c, LAST_W1] = 0.0
    state[c, LAST_W2] = 0.0
    record[c, R_FORCE] = 0.0
    record[c, R_F1] = 0.0
    record[c, R_F2] = 0.0
    record[c, R_STUCK] = 0.0


@part
def friction_force(c, constants, normal, d1, d2, w1, w2, state):
    """Return the tangential force (f1, f2) at (d1, d2) from the anchor: of slip, or of stick within the cone."""
    speed = length(w1, w2)
    # Read before the last velocity is overwritten. A body that turns passes zero velocity within a step, at a speed
    # that no sample shows to be small. That the direction has changed tells it, and stick is tried.
    forward = (w1 * state[c, LAST_W1] + w2 * state[c, LAST_W2]).real >= 0.0
    state[c, LAST_W1] = w1
    state[c, LAST_W2] = w2
    slides = state[c, STUCK] == 0.0 and forward and speed.real > SLIDING
    if not slides:
        k, damping = constants[c, TANGENT_STIFFNESS], constants[c, TANGENT_DAMPING]
        # As in plasticity: the trial force is elastic, from the anchor on. If it leaves the cone, the body slides, and
        # the force is that of sliding.
        f1 = state[c, ANCHOR_F1] - k * d1 - damping * w1
        f2 = state[c, ANCHOR_F2] - k * d2 - damping * w2
        state[c, STUCK] = 1.0
        if length(f1, f2).real <= (constants[c, STATIC] * normal).real:
            return f1, f2
    state[c, STUCK] = 0.0
    if speed.real <= TINY:
        return 0.0, 0.0
    return -constants[c, KINETIC] * normal * w1 / speed, -constants[c, KINETIC] * normal * w2 / speed


@part
def rub(c, constants, normal, d1, y, z, x, w1, w2, state, record):
    """Record the force of a contact that is closed, and its friction (f1, f2), d1 from the anchor along the tangent."""
    f1, f2 = 0.0, 0.0
    if constants[c, STATIC].real > 0.0:
        f1, f2 = friction_force(c, constants, normal, d1, x - state[c, ANCHOR_X], w1, w2, state)
        # While it slides the anchor goes along, with the force of sliding. So stick begins with
        # that force, without a jump.
        if state[c, STUCK] == 0.0:
            hang(state, c, f1, f2, y, z, x)
    record[c, R_FORCE] = normal
    record[c, R_F1] = f1
    record[c, R_F2] = f2
    record[c, R_STUCK] = state[c, STUCK]
    return f1, f2


@part
def pressure(c, constants, gap, closing):
    """Return the force of a closed stop: it pushes, it never pulls."""
    return positive(-constants[c, STIFFNESS] * gap - constants[c, DAMPING] * closing)


@part
def contact_force(c, index, constants, parameter, position, velocity, state, record):
    """Return the force (fy, fz, fx) of contact c on its local coordinates."""
    geometry, (y, z, x), (vy, w1, w2) = index[c, GEOMETRY], position, velocity
    if geometry >= CIRCLE:
        return curved_force(c, index, constants, parameter, y, z, x, vy, w1, w2, state, record)
    record[c, R_W1] = w1
    record[c, R_W2] = w2
    direction = -1.0
    if geometry == CONSTANT_FORCE:
        normal = constants[c, FORCE]
        record[c, R_GAP] = 0.0
        record[c, R_VELOCITY] = 0.0
    else:
        y += constants[c, Y0]
        if geometry == PARALLEL_PLANES and y.real < 0.0:
            direction = 1.0
        gap = constants[c, GAP] + direction * y
        closing = direction * vy
        record[c, R_GAP] = gap
        record[c, R_VELOCITY] = closing
        if gap.real > 0.0:
            release(state, record, c, 0.0, z, x)
            return 0.0, 0.0, 0.0
        normal = pressure(c, constants, gap, closing)
    f1, f2 = rub(c, constants, normal, z - state[c, ANCHOR_Z], 0.0, z, x, w1, w2, state, record)
    return direction * normal, f1, f2


@called
def curved_force(c, index, constants, parameter, y, z, x, vy, vz, vx, state, record):
    """Return the force (fy, fz, fx) of a contact whose normal n and tangent t turn, n = (ny, nz), t = (-nz, ny)."""
    y += constants[c, Y0]
    z += constants[c, Z0]
    segments = index[c, FIRST], index[c, SEGMENTS]
    gap, ny, nz = curved_gap(index[c, GEOMETRY], constants[c, GAP], y, z, parameter, *segments)
    closing, w1 = ny * vy + nz * vz, ny * vz - nz * vy
    record[c, R_GAP] = gap
    record[c, R_VELOCITY] = closing
    record[c, R_W1] = w1
    record[c, R_W2] = vx
    if gap.real > 0.0:
        release(state, record, c, y, z, x)
        return 0.0, 0.0, 0.0
    if state[c, STUCK] == FRESH:
        hang(state, c, 0.0, 0.0, y, z, x)
        state[c, STUCK] = 0.0
    normal = pressure(c, constants, gap, closing)
    d1 = ny * (z - state[c, ANCHOR_Z]) - nz * (y - state[c, ANCHOR_Y])
    f1, f2 = rub(c, constants, normal, d1, y, z, x, w1, vx, state, record)
    return ny * normal - nz * f1, nz * normal + ny * f1, f2
