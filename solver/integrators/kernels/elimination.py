"""Gaussian elimination of a small matrix that is stored by columns, so that inner loops run along memory."""

from veridyn.solver.integrators.kernels.jit import called, part


@part
def take(factor, column, first, end, right):
    """Take a multiple of a column from the right side."""
    if factor != 0.0:
        for i in range(first, end):
            right[i] -= factor * column[i]


@called
def eliminate(columns, pivots, size):
    """Factor a matrix in place, given by columns, with pivots from the column."""
    for k in range(size):
        pivot = k
        column = columns[k]
        for i in range(k + 1, size):
            # Without the largest pivot a stiff contact beside a soft one would leave factors as large as the ratio of
            # stiffnesses, and their digits lost.
            if abs(column[i]) > abs(column[pivot]):
                pivot = i
        pivots[k] = pivot
        if pivot != k:
            for j in range(size):
                columns[j, k], columns[j, pivot] = columns[j, pivot], columns[j, k]
        for i in range(k + 1, size):
            column[i] /= column[k]
        for j in range(k + 1, size):
            take(columns[j, k], column, k + 1, size, columns[j])


@called
def substitute(columns, pivots, right, size):
    """Solve a system of equations in place, from its factors."""
    for k in range(size):
        right[k], right[pivots[k]] = right[pivots[k]], right[k]
    for k in range(size):
        take(right[k], columns[k], k + 1, size, right)
    for k in range(size - 1, -1, -1):
        right[k] /= columns[k, k]
        take(right[k], columns[k], 0, k, right)
