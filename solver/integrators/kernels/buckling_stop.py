"""Law of a stop that buckles: elastic up to a force, then plateau, softening and what is left; elastic return.

Constants: stiffness, critical force, force that is left, plateau, softening, then the points (largest crush, residual
crush) between which the residual crush is a line, the first of them the buckling. Memory: the largest crush so far.
"""

from veridyn.solver.integrators.kernels.jit import part, positive

STIFFNESS, CRITICAL, POST, PLATEAU, SOFTENING, POINTS = range(6)
R_LARGEST, R_RESIDUAL = range(2)  # among the internal variables


@part
def envelope(u, constants):
    """Return the force of a first loading beyond buckling, at the crush u."""
    beyond = u - constants[POINTS] - constants[PLATEAU]
    if beyond.real <= 0.0 and constants[PLATEAU].real > 0.0:
        return constants[CRITICAL]
    if beyond.real < constants[SOFTENING].real:
        return constants[CRITICAL] - (constants[CRITICAL] - constants[POST]) * beyond / constants[SOFTENING]
    return constants[POST]


@part
def residual_crush(largest, constants):
    """Return the crush that remains; beyond the last point it grows as the largest crush does."""
    p = POINTS
    while p + 3 < constants.size and largest.real >= constants[p + 2].real:
        p += 2
    x, d = constants[p], constants[p + 1]
    if p + 3 >= constants.size:
        return d + largest - x
    return d + (largest - x) / (constants[p + 2] - x) * (constants[p + 3] - d)


@part
def buckling_force(u, constants, memory, internal):
    """Return the force (push) at the crush u; none where the stop does not reach."""
    largest = u if u.real > memory[0].real else memory[0]
    memory[0] = largest
    internal[R_LARGEST] = largest
    internal[R_RESIDUAL] = 0.0
    if largest.real <= constants[POINTS].real:
        return positive(constants[STIFFNESS] * u)
    residual = residual_crush(largest, constants)
    internal[R_RESIDUAL] = residual
    return envelope(largest, constants) * positive(u - residual) / (largest - residual)
