"""Taylor series of a linear system with waves and polynomials as drive.

The series of a linear system converges everywhere. Over a step h with rho h <= STRETCH, rho being the fastest
rate of the system or its drive, the terms left out are below STRETCH**(ORDER + 1)/(ORDER + 1)! = 3e-17 of the
amplitude: the solution is exact up to rounding. Coefficients belong to powers of theta = (t - start)/h.
"""

import math

import numpy as np

from veridyn.solver.kernels.jit import called, fused, part
from veridyn.solver.kernels.roots import ORDER

STRETCH = 2.0
FEW = 6  # order that tells on which side of zero a guard goes
ROUNDING = 1e-13  # relative; what is left of cancelling terms
AT_ONCE = 1e-9  # of the time scale: instants this near are one
REMAINDER = 1e-18  # of the amplitude: what may be left out where less than a step is needed
PARTS = 32  # of a step, for which the order that is needed is tabulated
INVERSE = 1.0 / np.arange(1.0, ORDER + 2)  # multiplying is quicker than dividing


def _needed(x: float) -> int:
    """Order beyond which the terms x**k/k! are negligible."""
    return next(k for k in range(ORDER + 1) if k == ORDER or x ** (k + 1) / math.factorial(k + 1) <= REMAINDER)


NEEDED = np.array([_needed(STRETCH * p / PARTS) for p in range(PARTS + 1)])


@part
def needed_order(theta):
    """Order of the series that is needed up to a part of a step."""
    return NEEDED[min(PARTS, math.ceil(PARTS * theta))]


@called
def phase(t, y, waves, polynomials, p):
    """Write the phase: 1, state, sines and cosines of the waves, Taylor coefficients of the polynomials."""
    p[0] = 1.0
    for i in range(y.size):
        p[1 + i] = y[i]
    place = 1 + y.size
    for w in range(waves.shape[0]):
        angle = waves[w, 1] * t + waves[w, 2]
        p[place], p[place + 1] = waves[w, 0] * math.sin(angle), waves[w, 0] * math.cos(angle)
        place += 2
    width = polynomials.shape[1] - 1
    for row in polynomials:
        shift = t - row[0]
        for k in range(width):
            # k-th Taylor coefficient: sum over j >= k of binomial(j, k) c_j shift^(j - k)
            value, binomial, power = 0.0, 1.0, 1.0
            for j in range(k, width):
                value += binomial * row[1 + j] * power
                binomial *= (j + 1.0) / (j + 1.0 - k)
                power *= shift
            p[place + k] = value
        place += width


@part
def drive_series(p, first, factors, drive, order, z):
    """Taylor coefficients of the driving functions, in the columns of z behind those of the state."""
    place = 1 + first
    for k in range(order + 1):
        for j in range(first, z.shape[1]):
            z[k, j] = 0.0
    for w in range(drive.wave_channel.size):
        s, c = p[place], p[place + 1]
        column, rate, factor = first + drive.wave_channel[w], drive.waves[w, 1], 1.0
        for k in range(order + 1):
            z[k, column] += factor * s
            s, c = c, -s
            factor *= rate * factors[k]
        place += 2
    width = drive.polynomials.shape[1] - 1
    for q in range(drive.polynomial_channel.size):
        power = 1.0
        for k in range(min(width, order + 1)):
            z[k, first + drive.polynomial_channel[q]] += p[place + k] * power
            power *= factors[0]
        place += width


@part
def state_series(p, factors, constant, acceleration, columns, filled, drive, order, z):
    """Taylor coefficients of state and drive in z (order + 1, 2n + channels); ``factors`` are h/(k + 1)."""
    n = filled.size
    drive_series(p, 2 * n, factors, drive, order, z)
    for j in range(2 * n):
        z[0, j] = p[1 + j]
    for k in range(order):
        factor = factors[k]
        for i in range(n):
            total = constant[i] if k == 0 else 0.0
            for e in range(filled[i]):
                total += acceleration[i, e] * z[k, columns[i, e]]
            z[k + 1, i] = z[k, n + i] * factor
            z[k + 1, n + i] = total * factor


@fused
def evaluate(z, column, order, theta):
    """Value of a column of a series."""
    total, k = 0.0, order
    while k >= 0:
        total = total * theta + z[k, column]
        k -= 1
    return total


@part
def is_ripple(c, k, allowed):
    """Whether the next term turns coefficient k back before it has moved the guard by more than rounding.

    So it is where a guard touches zero: it falls to zero within rounding, and rises again.
    """
    return c[k] * c[k + 1] < 0.0 and c[k] * c[k] <= 4.0 * allowed * abs(c[k + 1])


@part
def first_significant(c, size, rate):
    """Index of the first coefficient that is not zero up to rounding and the resolution of instants; FEW if none is.

    ``size`` and ``rate`` are the sizes of the terms of c[0] and c[1].
    """
    tau = AT_ONCE / STRETCH
    before, allowed = 0.0, ROUNDING * size
    for k in range(FEW):
        if abs(c[k]) > allowed + (k + 1) * tau * abs(c[k + 1]) and not is_ripple(c, k, before):
            return k
        before, allowed = allowed, allowed * STRETCH * INVERSE[k]
        if k == 0:
            allowed = max(allowed, ROUNDING * rate)
    return FEW
