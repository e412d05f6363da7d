"""Rows of numbers, each from its first column on, one after the other in one array: piecewise polynomials, profiles.

A polynomial's row is its break and the coefficients of powers from there on.
"""

from veridyn.solver.integrators.kernels.jit import part


@part
def piece(t, parameter, start, pieces, width):
    """Return the place of the last row that begins at t or before; of the first if there is none."""
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if t.real >= parameter[start + middle * width].real:
            low = middle
        else:
            high = middle
    return start + low * width


@part
def polynomial(tau, parameter, first, last):
    """Return the sum of the coefficients first … last - 1 times the powers of tau."""
    value = 0.0
    for k in range(last - 1, first - 1, -1):
        value = value * tau + parameter[k]
    return value


@part
def piecewise(t, parameter, start, pieces, width):
    """Return the value of a piecewise polynomial; zero before the first break."""
    if t.real < parameter[start].real:
        return 0.0
    base = piece(t, parameter, start, pieces, width)
    return polynomial(t - parameter[base], parameter, base + 1, base + width)
