"""The first root of a polynomial, proven: signs of Bernstein coefficients.

A polynomial has no more roots inside an interval than its Bernstein coefficients there change sign, and as many up
to an even number. No change proves that there is no root, one change that there is exactly one. The differences of
the coefficients are those of the derivative: where they turn once, the polynomial falls and rises.

Source: G. Farin, Curves and Surfaces for CAGD, 5th ed., Morgan Kaufmann 2002, section 5.3 (variation diminishing).
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.integrators.kernels.jit import called, fused, part
from veridyn.solver.integrators.kernels.series import ORDER, value_and_rates

EIGHT = 8  # rows added at once
RESOLUTION = 1e-16  # of an interval: roots are polished to this
MOST_ITERATIONS = 60
MOST_LOOKS = 2  # for a negative value
NONE, ONE, SEVERAL = 0, 1, 2

NARROWEST = 1e-15  # of a step: shorter intervals are not halved
MOST_AHEAD = 54  # intervals that can wait, and room for two more


def _weights(weight: Callable[[int, int], float]) -> NDArray[np.float64]:
    orders = range(ORDER + 1)
    return np.array([[weight(k, j) for j in orders] for k in orders])


# The Bernstein coefficients of a polynomial, and those over the left half of an interval, are sums of row k times
# number k. All weights lie between 0 and 1: nothing cancels but the numbers.
BERNSTEIN = _weights(lambda k, j: math.comb(j, k) / math.comb(ORDER, k))
LEFT = _weights(lambda k, j: math.comb(j, k) / 2.0**j)


@fused
def weighted(weights, c, b):
    """Write the sums b of the rows of weights (ORDER + 1, ORDER + 1), each times a number of c.

    The weights on the left of the diagonal are zero.
    """
    for j in range(ORDER + 1):
        b[j] = 0.0
    for k in range(0, ORDER + 1, EIGHT):
        w, f0, f1, f2, f3 = weights[k:], c[k], c[k + 1], c[k + 2], c[k + 3]
        f4, f5, f6, f7 = c[k + 4], c[k + 5], c[k + 6], c[k + 7]
        for j in range(k, ORDER + 1):
            four = (w[0, j] * f0 + w[1, j] * f1) + (w[2, j] * f2 + w[3, j] * f3)
            b[j] += four + ((w[4, j] * f4 + w[5, j] * f5) + (w[6, j] * f6 + w[7, j] * f7))


@called
def bernstein(c, b):
    """Write the Bernstein coefficients over [0, 1] of a polynomial.

    Not inlined, like `left_half`: within a loop all weights would be copied ahead of it, at every call.
    """
    weighted(BERNSTEIN, c, b)


@called
def left_half(b, left):
    """Write the Bernstein coefficients over the left half of an interval."""
    weighted(LEFT, b, left)


@part
def reverse(b, reversed_):
    """Write the Bernstein coefficients over an interval that is seen from its other end."""
    for j in range(ORDER + 1):
        reversed_[j] = b[ORDER - j]


@part
def right_half(b, room):
    """Turn Bernstein coefficients over an interval into those over its right half; room is (2, ORDER + 1)."""
    reverse(b, room[0])
    left_half(room[0], room[1])
    reverse(room[1], b)


@part
def falls(b):
    """Tell whether the coefficients turn from positive never, once or more often, and which one does."""
    j = 0
    while j <= ORDER and b[j] > 0.0:
        j += 1
    if j > ORDER:
        return NONE, j
    for i in range(j + 1, ORDER + 1):
        if b[i] > 0.0:
            return SEVERAL, j
    return ONE, j


@part
def only_root(c, low, high, t):
    """Return the only root between ``low``, where the polynomial is positive, and ``high``, by Halley's method from t.

    It begins in the middle if t is not between, and is kept in its bracket. The error falls with the third power of the
    change, which tells when the next one is below the resolution.
    """
    before = 0.0
    if not low <= t <= high:
        t = 0.5 * (low + high)
    for _ in range(MOST_ITERATIONS):
        f, df, ddf = value_and_rates(c, t)
        if f > 0.0:
            low = t
        else:
            high = t
        # Halley's method is Newton's for f/√|f'|, whose curvature vanishes at the root: hence order three.
        # ``ddf`` is f''/2 already. Far from the root it may leave the bracket; bisection then keeps the
        # proof that the root is inside.
        new = t - f * df / (df * df - f * ddf)
        if not low <= new <= high:
            new = 0.5 * (low + high)
        change = abs(new - t)
        if change <= RESOLUTION * high or change**4 <= RESOLUTION * high * before**3:
            return new
        before, t = change, new
    return t


@part
def bottom(b):
    """Return where the coefficients stop falling, if they rise from there on; -1 if they turn again.

    The derivative then changes sign once: the polynomial falls and rises, as its coefficients do.
    """
    lowest = 0
    while lowest < ORDER and b[lowest + 1] < b[lowest]:
        lowest += 1
    for j in range(lowest, ORDER):
        if b[j + 1] < b[j]:
            return -1
    return lowest


@part
def root_before(c, start, end, t):
    """Return the first root of a polynomial that falls and rises, if it is negative near t, about its lowest; else -1.

    Before a place where it is negative there is just one. The parabola there gives the first guess.
    """
    for _ in range(MOST_LOOKS):
        f, df, ddf = value_and_rates(c, t)
        if f < 0.0:
            # Roots of f + f' x + (f''/2) x². As f < 0, the parabola has a root on either side if it is convex; the one
            # before takes the minus sign. If it is not, the guess is no number, and `only_root` begins in the middle.
            return only_root(c, start, t, t - (df + math.sqrt(df * df - 4.0 * f * ddf)) / (2.0 * ddf))
        t -= df / (2.0 * ddf)
        if not start < t <= end:
            break
    return -1.0


@called
def first_root(c, width, changes, j, intervals, ends):
    """Return the first root in (0, width] of a polynomial c (ORDER + 1,) that starts positive; -1 if there is none.

    ``width`` is 1 at most. ``intervals`` (MOST_AHEAD, ORDER + 1), whose first row has the Bernstein coefficients, of
    which ``changes`` and ``j`` are what `falls` tells, and ``ends`` (MOST_AHEAD,) are scratch: the nearest interval
    last, before it those of which it is in the left half. No root is passed over: an interval is left behind only if
    the signs of its coefficients prove that there is none in it. A touch of zero may count as a root: rounding decides,
    and `is_ripple` tells afterwards.
    """
    start, ends[0], top = 0.0, 1.0, 0
    while start < width:
        b, end = intervals[top], ends[top]
        if changes == NONE:
            start = end
            if top == 0:
                return -1.0
            top -= 1
            # Left halves first: what is found is the first root. The right half is made from the whole
            # interval only now, when the left one is proved empty; most often a root in the left half ends the
            # search and it is never needed.
            right_half(intervals[top], intervals[top + 1 :])
        # If the first coefficient, the value at the start, is not positive, the root is there. A double root keeps two
        # changes of sign in every half that holds it, and halving would not end. So an interval of the width of
        # rounding counts as the root; whether it is one, the series decides when the event is settled.
        elif (j == 0 and start > 0.0) or end - start < NARROWEST:
            return start
        elif changes == ONE:
            guess = start + (end - start) * (j - b[j] / (b[j] - b[j - 1])) / ORDER
            root = only_root(c, start, end, guess)
            return root if root <= width else -1.0
        else:
            lowest = start + (end - start) * bottom(b) / ORDER
            root = root_before(c, start, end, lowest) if lowest > start else -1.0
            if root >= 0.0:
                return root if root <= width else -1.0
            top += 1
            ends[top] = 0.5 * (start + end)
            left_half(b, intervals[top])
        changes, j = falls(intervals[top])
    return -1.0
