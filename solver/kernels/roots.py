"""The first root of a polynomial, proven: signs of Bernstein coefficients.

A polynomial has no more roots inside an interval than its Bernstein coefficients there change sign, and as many up
to an even number. No change proves that there is no root, one change that there is exactly one.

Source: G. Farin, Curves and Surfaces for CAGD, 5th ed., Morgan Kaufmann 2002, section 5.3 (variation diminishing).
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.kernels.jit import called, fused, part

ORDER = 23  # of all polynomials here
RESOLUTION = 1e-16  # of an interval: roots are polished to this
MOST_ITERATIONS = 60
NONE, ONE, SEVERAL = 0, 1, 2

NARROWEST = 1e-15  # of a step: shorter intervals are not halved
MOST_AHEAD = 52  # halves that can wait


def _weights(weight: Callable[[int, int], float]) -> NDArray[np.float64]:
    orders = range(ORDER + 1)
    return np.array([[weight(k, j) for j in orders] for k in orders])


# b_j = sum over k of BERNSTEIN[k, j] c_k. All weights lie between 0 and 1: nothing cancels but the c_k
BERNSTEIN = _weights(lambda k, j: math.comb(j, k) / math.comb(ORDER, k))


@part
def product(rows, p, c):
    """Sum of the rows (w, columns), each times a number of p (w,), four at a time: c is written less often."""
    whole = p.size - p.size % 4
    for k in range(c.size):
        c[k] = 0.0
    for j in range(0, whole, 4):
        f0, f1, f2, f3 = p[j], p[j + 1], p[j + 2], p[j + 3]
        for k in range(c.size):
            c[k] = (((c[k] + rows[j, k] * f0) + rows[j + 1, k] * f1) + rows[j + 2, k] * f2) + rows[j + 3, k] * f3
    for j in range(whole, p.size):
        for k in range(c.size):
            c[k] += rows[j, k] * p[j]


@part
def halve(b, left):
    """Bernstein coefficients over both halves of an interval, by de Casteljau's rule; ``b`` becomes the right one."""
    for i in range(ORDER + 1):
        left[i] = b[0]
        for j in range(ORDER - i):
            b[j] = 0.5 * (b[j] + b[j + 1])


@part
def falls(b, first):
    """Whether the coefficients from ``first`` on turn from positive never, once or more often, and which one does."""
    j = first
    while j <= ORDER and b[j] > 0.0:
        j += 1
    if j > ORDER:
        return NONE, j
    for i in range(j + 1, ORDER + 1):
        if b[i] > 0.0:
            return SEVERAL, j
    return ONE, j


@fused
def value_and_rates(c, k, t):
    """Return a polynomial over t**k, its derivative and half its second derivative."""
    f, df, ddf, i = c[ORDER], 0.0, 0.0, ORDER - 1
    while i >= k:
        ddf = ddf * t + df
        df = df * t + f
        f = f * t + c[i]
        i -= 1
    return f, df, ddf


@part
def only_root(c, k, low, high, t):
    """Halley from t for the only root between ``low``, where the polynomial is positive, and ``high``.

    It is kept in its bracket. The error falls with the third power of the change, which tells when the next one is
    below the resolution.
    """
    before = 0.0
    for _ in range(MOST_ITERATIONS):
        f, df, ddf = value_and_rates(c, k, t)
        if f > 0.0:
            low = t
        else:
            high = t
        new = t - f * df / (df * df - f * ddf)
        if not low <= new <= high:
            new = 0.5 * (low + high)
        change = abs(new - t)
        if change <= RESOLUTION * high or change**4 <= RESOLUTION * high * before**3:
            return new
        before, t = change, new
    return t


@called
def first_root(c, k, width, stack, ends):
    """First root in (0, width] of a polynomial c (ORDER + 1,), width <= 1; -1 if there is none.

    Terms below k are zero, term k is positive: a root at the start does not count. ``stack`` (MOST_AHEAD, ORDER + 1)
    and ``ends`` (MOST_AHEAD,) are scratch: the intervals ahead, the nearest on top. No root is passed over: an interval
    is left behind only if the signs of its coefficients prove that there is none in it. A touch of zero may count as a
    root: rounding decides, and `is_ripple` tells afterwards.
    """
    product(BERNSTEIN, c, stack[0])
    start, ends[0], top = 0.0, 1.0, 0
    while start < width:
        b, end = stack[top], ends[top]
        changes, j = falls(b, k if start == 0.0 else 0)
        if changes == NONE:
            start = end
            top -= 1
        elif (j == 0 and start > 0.0) or end - start < NARROWEST:
            return start
        elif changes == ONE:
            guess = start + (end - start) * (j - b[j] / (b[j] - b[j - 1])) / ORDER
            root = only_root(c, k, start, end, guess)
            return root if root <= width else -1.0
        else:
            top += 1
            ends[top] = 0.5 * (start + end)
            halve(b, stack[top])
    return -1.0
