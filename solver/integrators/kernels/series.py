"""Taylor series of a linear system with waves and polynomials as drive.

The series of a linear system converges everywhere. Over a step h with rho h <= STRETCH, rho being the fastest
rate of the system or its drive, the terms left out of the velocities are below STRETCH**(ORDER + 1)/ORDER! = 3e-17 of
the amplitude: the solution is exact up to rounding. Coefficients belong to powers of theta = (t - start)/h.
"""

import math

import numpy as np

from veridyn.solver.integrators.kernels.jit import called, fused, kernel, part

ORDER = 31  # of all polynomials; ORDER + 1 numbers fill whole registers of the processor
STRETCH = 3.5
CALM = 2.0  # as much of the motion itself: its rounding, which grows with the step, returns in every later step
FOUR = 4  # rows added at once
FEW = 6  # order that tells on which side of zero a guard goes
LEADING = 8  # coefficients that this takes, again whole registers
ROUNDING = 1e-13  # relative; what is left of cancelling terms
AT_ONCE = 1e-9  # of the time scale: instants this near are one
INVERSE = 1.0 / np.arange(1.0, ORDER + 2)  # multiplying is quicker than dividing


@part
def state_phase(y, p):
    """Write the phase of the state, 1 in front."""
    p[0] = 1.0
    for i in range(y.size):
        p[1 + i] = y[i]


@called
def drive_phase(t, waves, polynomials, place, p):
    """Write, from a place on, the phase of the drive: sines and cosines, Taylor coefficients of the polynomials."""
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


@kernel
def drive_at(t, waves, polynomials, place, p):
    """Write the phase of the drive for whoever is no kernel; see `drive_phase`."""
    drive_phase(t, waves, polynomials, place, p)


@fused
def series(rows, p, c, count):
    """Write the first ``count`` coefficients of the series of what rows (w, ORDER + 1) are over a phase p (w,).

    The phase begins with 1 and has 1 + 4 i numbers. ``count`` is a constant, so that loops become few instructions.
    """
    for k in range(count):
        c[k] = rows[0, k]
    for j in range(1, p.size, FOUR):
        f0, f1, f2, f3 = p[j], p[j + 1], p[j + 2], p[j + 3]
        for k in range(count):
            c[k] += (rows[j, k] * f0 + rows[j + 1, k] * f1) + (rows[j + 2, k] * f2 + rows[j + 3, k] * f3)


@fused
def cubic_and_rates(c0, c1, c2, c3, t):
    """Return a cubic, its derivative and half its second derivative."""
    return c0 + t * (c1 + t * (c2 + t * c3)), c1 + t * (2.0 * c2 + t * (3.0 * c3)), c2 + t * (3.0 * c3)


@fused
def value_and_rates(c, t):
    """Return a polynomial c (ORDER + 1,), its derivative and half its second derivative.

    Every fourth power is a polynomial of w = t**4 by itself: four short chains of operations, which processors do at
    once. They end as a cubic in t of polynomials e(w), with their derivatives d and halves of second ones dd.
    """
    w = (t * t) * (t * t)
    e0, e1, e2, e3 = c[ORDER - 3], c[ORDER - 2], c[ORDER - 1], c[ORDER]
    d0, d1, d2, d3 = 0.0, 0.0, 0.0, 0.0
    dd0, dd1, dd2, dd3 = 0.0, 0.0, 0.0, 0.0
    for i in range(ORDER - 7, -1, -FOUR):
        dd0, dd1, dd2, dd3 = dd0 * w + d0, dd1 * w + d1, dd2 * w + d2, dd3 * w + d3
        d0, d1, d2, d3 = d0 * w + e0, d1 * w + e1, d2 * w + e2, d3 * w + e3
        e0, e1, e2, e3 = e0 * w + c[i], e1 * w + c[i + 1], e2 * w + c[i + 2], e3 * w + c[i + 3]
    value, rate, half = cubic_and_rates(e0, e1, e2, e3, t)
    d_value, d_rate, _ = cubic_and_rates(d0, d1, d2, d3, t)
    dd_value, _, _ = cubic_and_rates(dd0, dd1, dd2, dd3, t)
    u = t * t
    chain = 4.0 * u * t  # derivative of w
    half += chain * d_rate + 6.0 * u * d_value + chain * chain * dd_value
    return value, rate + chain * d_value, half


@part
def advance(y, coefficients, h, theta):
    """Set a state, or its derivative, a part of a step after the centre of the series of the positions (n, …)."""
    n = coefficients.shape[0]
    for i in range(n):
        x, rate, _ = value_and_rates(coefficients[i], theta)
        y[i], y[n + i] = x, rate / h


@part
def is_ripple(c, k, allowed):
    """Tell whether the next term turns coefficient k back before it has moved the guard by more than rounding.

    So it is where a guard touches zero: it falls to zero within rounding, and rises again.
    """
    # c_1 θ + c_2 θ² turns back after c_1²/(4 |c_2|). If that is no more than what rounding leaves of the guard, the
    # sign of c_1 tells nothing, and that of c_2 decides.
    return c[k] * c[k + 1] < 0.0 and c[k] * c[k] <= 4.0 * allowed * abs(c[k + 1])


@part
def first_significant(c, size, rate):
    """Return the index of the first coefficient above rounding and the resolution of instants; FEW if none is.

    ``size`` and ``rate`` are the sizes of the terms of c[0] and c[1].
    """
    # Rounding of a coefficient: with rates of at most STRETCH a step, term k is STRETCH^k/k! of the size of the first,
    # and so is its error. An instant that is off by tau changes c_k by (k + 1) tau c_(k+1). What is no larger than both
    # has no sign, and the next coefficient is read in its place.
    tau = AT_ONCE / STRETCH
    before, allowed = 0.0, ROUNDING * size
    for k in range(FEW):
        if abs(c[k]) > allowed + (k + 1) * tau * abs(c[k + 1]) and not is_ripple(c, k, before):
            return k
        before, allowed = allowed, allowed * STRETCH * INVERSE[k]
        if k == 0:
            allowed = max(allowed, ROUNDING * rate)
    return FEW
