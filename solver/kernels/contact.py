"""Penalty contact and regularised Coulomb friction of one element (DIS_CHOC).

Local coordinates: y normal, z and x tangential. Constants of a contact are columns of
``contact_value``; its memory is a row of ``state``; what it did is a row of ``record``.
"""

import math

from veridyn.solver.kernels.jit import part

# geometry
CONSTANT_FORCE, PLANE, PARALLEL_PLANES = 0, 1, 2
# columns of contact_value
GAP, STIFFNESS, DAMPING, FORCE, STATIC, KINETIC, TANGENT_STIFFNESS, TANGENT_DAMPING, Y0 = range(9)
VALUES = 9
# columns of state: stuck flag, force and position of the anchor, last sliding velocity
STUCK, ANCHOR_F1, ANCHOR_F2, ANCHOR_Z, ANCHOR_X, LAST_W1, LAST_W2 = range(7)
STATES = 7
# columns of record
R_FORCE, R_GAP, R_VELOCITY, R_F1, R_F2, R_W1, R_W2, R_STUCK = range(8)
RECORDS = 8

SLIDING = 1e-6  # m/s: slower motion is a candidate for sticking (Code_Aster's constant)
TINY = 2.220446e-16


@part
def length(a, b):
    """Length of a vector; along one axis without the root, which is slow and would give the same number."""
    return abs(a) if b == 0.0 else math.sqrt(a * a + b * b)


@part
def release(state, record, c, z, x):
    """Out of contact: no force, no stick, the anchor follows."""
    state[c, STUCK] = 0.0
    state[c, ANCHOR_F1] = 0.0
    state[c, ANCHOR_F2] = 0.0
    state[c, ANCHOR_Z] = z
    state[c, ANCHOR_X] = x
    state[c, LAST_W1] = 0.0
    state[c, LAST_W2] = 0.0
    record[c, R_FORCE] = 0.0
    record[c, R_F1] = 0.0
    record[c, R_F2] = 0.0
    record[c, R_STUCK] = 0.0


@part
def friction_force(c, constants, normal, z, x, w1, w2, state):
    """Tangential force (f1, f2): slide, or stick until the trial force leaves the cone."""
    speed = length(w1, w2)
    forward = w1 * state[c, LAST_W1] + w2 * state[c, LAST_W2] >= 0.0
    state[c, LAST_W1] = w1
    state[c, LAST_W2] = w2
    slides = state[c, STUCK] == 0.0 and forward and speed > SLIDING
    if not slides:
        k, damping = constants[c, TANGENT_STIFFNESS], constants[c, TANGENT_DAMPING]
        f1 = state[c, ANCHOR_F1] - k * (z - state[c, ANCHOR_Z]) - damping * w1
        f2 = state[c, ANCHOR_F2] - k * (x - state[c, ANCHOR_X]) - damping * w2
        state[c, STUCK] = 1.0
        if length(f1, f2) <= constants[c, STATIC] * normal:
            return f1, f2
    f1, f2 = 0.0, 0.0
    if speed > TINY:
        f1 = -constants[c, KINETIC] * normal * w1 / speed
        f2 = -constants[c, KINETIC] * normal * w2 / speed
    state[c, STUCK] = 0.0
    state[c, ANCHOR_F1] = f1
    state[c, ANCHOR_F2] = f2
    state[c, ANCHOR_Z] = z
    state[c, ANCHOR_X] = x
    return f1, f2


@part
def contact_force(c, index, constants, position, velocity, state, record):
    """Force (fy, fz, fx) of contact c on its local coordinates; the stop pushes, it never pulls."""
    geometry, iy, iz, ix = index[c, 0], index[c, 1], index[c, 2], index[c, 3]
    z = position[iz] if iz >= 0 else 0.0
    x = position[ix] if ix >= 0 else 0.0
    w1 = velocity[iz] if iz >= 0 else 0.0
    w2 = velocity[ix] if ix >= 0 else 0.0
    record[c, R_W1] = w1
    record[c, R_W2] = w2
    direction = -1.0
    if geometry == CONSTANT_FORCE:
        normal, closing = constants[c, FORCE], 0.0
        record[c, R_GAP] = 0.0
        record[c, R_VELOCITY] = 0.0
    else:
        y = position[iy] + constants[c, Y0]
        if geometry == PARALLEL_PLANES and y < 0.0:
            direction = 1.0
        gap = constants[c, GAP] + direction * y
        closing = direction * velocity[iy]
        record[c, R_GAP] = gap
        record[c, R_VELOCITY] = closing
        if gap > 0.0:
            release(state, record, c, z, x)
            return 0.0, 0.0, 0.0
        normal = max(0.0, -constants[c, STIFFNESS] * gap - constants[c, DAMPING] * closing)
    record[c, R_FORCE] = normal
    f1, f2 = 0.0, 0.0
    if constants[c, STATIC] > 0.0:
        f1, f2 = friction_force(c, constants, normal, z, x, w1, w2, state)
    record[c, R_F1] = f1
    record[c, R_F2] = f2
    record[c, R_STUCK] = state[c, STUCK]
    return direction * normal, f1, f2
