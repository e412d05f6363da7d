"""A device whose force is a piecewise polynomial of one number: a spring of its elongation, a damper of its rate.

Constants: numbers per piece, then the pieces, each its origin and its coefficients; the first lies left of all breaks.
"""

from veridyn.solver.integrators.kernels.jit import part
from veridyn.solver.integrators.kernels.piecewise import piecewise, polynomial

WIDTH, LEFT = 0, 1  # places of the numbers per piece, and of the first piece


@part
def piecewise_force(z, constants):
    """Return the force at an elongation or a rate."""
    width = int(constants[WIDTH].real)
    if z.real < constants[LEFT].real:
        return polynomial(z - constants[LEFT], constants, LEFT + 1, LEFT + width)
    right = LEFT + width
    return piecewise(z, constants, right, (constants.size - right) // width, width)
