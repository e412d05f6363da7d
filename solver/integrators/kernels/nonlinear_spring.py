"""A spring whose force is a piecewise polynomial of its elongation.

Constants: numbers per piece, then the pieces, each its origin and its coefficients; the first lies left of all breaks.
"""

from veridyn.solver.integrators.kernels.jit import part
from veridyn.solver.integrators.kernels.piecewise import piecewise, polynomial

WIDTH, LEFT = 0, 1  # places of the numbers per piece, and of the first piece


@part
def spring_force(u, constants):
    """Force at an elongation."""
    width = int(constants[WIDTH])
    if u < constants[LEFT]:
        return polynomial(u - constants[LEFT], constants, LEFT + 1, LEFT + width)
    right = LEFT + width
    return piecewise(u, constants, right, (constants.size - right) // width, width)
