"""Piecewise polynomials: a break and the coefficients of powers from there on, piece after piece in one array."""

from veridyn.solver.kernels.jit import part


@part
def polynomial(tau, parameter, first, last):
    """Sum of the coefficients first … last - 1 times the powers of tau."""
    value = 0.0
    for k in range(last - 1, first - 1, -1):
        value = value * tau + parameter[k]
    return value


@part
def piecewise(t, parameter, start, pieces, width):
    """Piece i: its break, then its coefficients. Zero before the first break."""
    if t < parameter[start]:
        return 0.0
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if t >= parameter[start + middle * width]:
            low = middle
        else:
            high = middle
    base = start + low * width
    return polynomial(t - parameter[base], parameter, base + 1, base + width)
