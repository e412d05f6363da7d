"""Taylor series of a linear system with waves and polynomials as drive, and the first root of a polynomial.

The series of a linear system converges everywhere. Over a step h with rho h <= STRETCH, rho being the fastest
rate of the system or its drive, the terms left out are below STRETCH**(ORDER + 1)/(ORDER + 1)! = 8e-18 of the
amplitude: the solution is exact up to rounding.
"""

import math

import numpy as np

from veridyn.solver.kernels.jit import called, part

ORDER = 18
STRETCH = 1.0
FEW = 6  # order that tells on which side of zero a guard goes
ROUNDING = 1e-13  # relative; what is left of cancelling terms
AT_ONCE = 1e-9  # of the time scale: instants this near are one
NARROWEST = 1e-15  # of a step: roots are not sought closer than this
NEGLIGIBLE = 1e-19  # relative; terms of a series below this change no digit
INVERSE = 1.0 / np.arange(1.0, ORDER + 2)  # multiplying is quicker than dividing


@called
def drive_series(t, waves, wave_channel, polynomials, polynomial_channel, order, first, z):
    """Taylor coefficients about t of the driving functions, added to the columns ``first`` + channel of z."""
    for w in range(wave_channel.size):
        amplitude, omega = waves[w, 0], waves[w, 1]
        angle = omega * t + waves[w, 2]
        s, c = math.sin(angle), math.cos(angle)
        column = first + wave_channel[w]
        factor = amplitude
        for k in range(order + 1):
            z[k, column] += factor * s
            s, c = c, -s
            factor *= omega * INVERSE[k]
    for p in range(polynomial_channel.size):
        column = first + polynomial_channel[p]
        shift = t - polynomials[p, 0]
        width = polynomials.shape[1] - 1
        for k in range(min(width, order + 1)):
            # k-th Taylor coefficient: sum over j >= k of binomial(j, k) c_j shift^(j - k)
            value, binomial, power = 0.0, 1.0, 1.0
            for j in range(k, width):
                value += binomial * polynomials[p, 1 + j] * power
                binomial *= (j + 1.0) / (j + 1.0 - k)
                power *= shift
            z[k, column] += value


@called
def state_series(y, acceleration, order, z):
    """Taylor coefficients of (1, x, v, drive) in z (order + 2, 1 + 2n + channels); the drive is already there.

    The last row holds the sizes of the terms that make the rates z[1]: what cancels in them leaves rounding.
    """
    n, width = acceleration.shape
    for k in range(order + 2):
        z[k, 0] = 0.0
    z[0, 0] = 1.0
    for i in range(2 * n):
        z[0, 1 + i] = y[i]
    for i in range(n):
        size = 0.0
        for j in range(width):
            size += abs(acceleration[i, j] * z[0, j])
        z[-1, 1 + i], z[-1, 1 + n + i] = abs(y[n + i]), size
    for j in range(1 + 2 * n, width):
        z[-1, j] = abs(z[1, j])
    for k in range(order):
        for i in range(n):
            total = 0.0
            for j in range(width):
                total += acceleration[i, j] * z[k, j]
            z[k + 1, 1 + n + i] = total * INVERSE[k]
            z[k + 1, 1 + i] = z[k, 1 + n + i] * INVERSE[k]


@called
def guard_series(row, order, z, g):
    """Taylor coefficients of one guard; returns the sizes of the terms of its value and of its rate."""
    size, rate = 0.0, 0.0
    for j in range(row.size):
        size += abs(row[j] * z[0, j])
        rate += abs(row[j]) * z[-1, j]
    for k in range(order + 1):
        total = 0.0
        for j in range(row.size):
            total += row[j] * z[k, j]
        g[k] = total
    return size, rate


@part
def is_ripple(g, k, allowed):
    """Whether the next term turns coefficient k back before it has moved the guard by more than rounding.

    So it is where a guard touches zero: it falls to zero within rounding, and rises again.
    """
    return g[k] * g[k + 1] < 0.0 and g[k] * g[k] <= 4.0 * allowed * abs(g[k + 1])


@called
def first_significant(g, order, size, rate, scale):
    """Index of the first coefficient that is not zero up to rounding and the resolution of instants.

    ``size`` and ``rate`` are the sizes of the terms of g[0] and g[1].
    """
    tau = AT_ONCE * scale
    before, allowed = 0.0, ROUNDING * size
    for k in range(order):
        if abs(g[k]) > allowed + (k + 1) * tau * abs(g[k + 1]) and not is_ripple(g, k, before):
            return k
        before, allowed = allowed, allowed / (scale * (k + 1))
        if k == 0:
            allowed = max(allowed, ROUNDING * rate)
    return order


@part
def value_and_slope(g, order, t):
    """Return a polynomial and its derivative at t."""
    f, df = g[order], 0.0
    for k in range(order - 1, -1, -1):
        df = df * t + f
        f = f * t + g[k]
    return f, df


@part
def needed_order(g, order, width):
    """Return the order beyond which the terms change no digit over a width."""
    power = width**order
    size = abs(g[0]) + abs(g[1]) * width
    while order > 2 and abs(g[order]) * power <= NEGLIGIBLE * size:
        order -= 1
        power /= width
    return order


@part
def recentre(g, order, t):
    """Shift the origin of a polynomial to t (Horner, in place; the inner loop runs in parallel)."""
    for i in range(order - 1, -1, -1):
        for k in range(i, order):
            g[k] += t * g[k + 1]


@part
def stays_positive(g, order, width):
    """Whether the parabola at the start and all higher terms that pull down leave the polynomial above zero."""
    lowest, power = 0.0, width * width
    for k in range(3, order + 1):
        power *= width
        lowest += min(g[k], 0.0) * power
    vertex = -0.5 * g[1] / g[2] if g[2] > 0.0 else width
    t = min(max(vertex, 0.0), width)
    return lowest + min(g[0], g[0] + t * (g[1] + t * g[2])) > 0.0


@part
def keeps_falling(g, order, width):
    """Whether the polynomial falls all over a width."""
    highest, power = max(g[1], g[1] + 2.0 * g[2] * width), width
    for k in range(3, order + 1):
        power *= width
        highest += k * max(g[k], 0.0) * power
    return highest < 0.0


@part
def root_of_falling(g, order, width, end):
    """Root of a polynomial that falls from positive to ``end`` < 0 over a width: Newton, kept in its bracket."""
    low, high = 0.0, width
    t = width * g[0] / (g[0] - end)
    for _ in range(60):
        f, df = value_and_slope(g, order, t)
        if f > 0.0:
            low = t
        else:
            high = t
        new = t - f / df
        if not low <= new <= high:
            new = 0.5 * (low + high)
        if abs(new - t) <= NARROWEST * high:
            return new
        t = new
    return t


@called
def first_root(g, order, width):
    """First root in (0, width] of a polynomial that is positive at 0; -1 if there is none. ``g`` is overwritten.

    No root is passed over: an interval is left behind only if the coefficients prove that there is none in it.
    A touch of zero may count as a root: rounding decides, and `is_ripple` tells afterwards.
    """
    start = 0.0
    order = needed_order(g, order, width)
    while start < width:
        length = width - start
        while not stays_positive(g, order, length):
            if length <= NARROWEST * width:
                return start
            if keeps_falling(g, order, length):
                end, _ = value_and_slope(g, order, length)
                if end <= 0.0:
                    return start + root_of_falling(g, order, length, end)
                break
            length *= 0.5
        start += length
        if start < width:
            recentre(g, order, length)
    return -1.0
