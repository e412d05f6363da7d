"""Rows of numbers, each from its first column on, one after the other in a block of parameters."""

from veridyn.solver.kernels.jit import part


@part
def piece(t, parameter, start, pieces, width):
    """Place of the last row that begins at t or before; of the first if there is none."""
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if t >= parameter[start + middle * width]:
            low = middle
        else:
            high = middle
    return start + low * width
