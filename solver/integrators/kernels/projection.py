"""From modes to the rows along which contacts and devices act, and back: local coordinates, and forces along rows."""

from veridyn.solver.integrators.kernels.jit import called, part

MANY = 8  # rows; from here on they are projected together
BLOCK = 4  # modes, or rows, whose terms are added in one pass


@part
def project(row, q, v, s, work):
    """Set local coordinates and velocities of all rows, with the driven part of absolute frames."""
    if is_sparse(s):
        project_entries(q, v, s.along, work)
    elif work.position.size < MANY:
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
        first = s.load.shape[0] + 2 * j
        displacement, velocity = work.values[row, first], work.values[row, first + 1]
        for p in range(work.position.size):
            work.position[p] += s.drive[p, j] * displacement
            work.velocity[p] += s.drive[p, j] * velocity


@part
def local(row, q, v, s, work):
    """Return the local coordinate along a row and its velocity, zero without a row; of one mode by its row alone."""
    if row < 0:
        return 0.0, 0.0
    if s.several is None:
        return s.rows[0, row] * q[0], s.rows[0, row] * v[0]
    return work.position[row], work.velocity[row]


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
def is_sparse(s):
    """Tell whether the coordinates stand for modes."""
    return s.along.first.size > 0


@called
def project_entries(q, v, along, work):
    """Project on all rows that are sparse."""
    for p in range(along.first.size - 1):
        position, velocity = 0.0, 0.0
        for k in range(along.first[p], along.first[p + 1]):
            position += along.value[k] * q[along.column[k]]
            velocity += along.value[k] * v[along.column[k]]
        work.position[p], work.velocity[p] = position, velocity


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


@part
def push_all(force, s, g):
    """Apply the forces of all rows."""
    if is_sparse(s):
        push_entries(force, s.along, s.push, g)
    else:
        add_forces(force, s.back, g)


@part
def add_forces(force, back, g):
    """Add forces along the rows of a matrix."""
    if force.size >= MANY:
        push_many(force, back, g)
    else:
        for row in range(force.size):
            push(row, force[row], False, back, force, g)


@called
def push_entries(force, along, values, g):
    """Apply the forces of all rows that are sparse."""
    for p in range(force.size):
        for k in range(along.first[p], along.first[p + 1]):
            g[along.column[k]] += values[k] * force[p]


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
