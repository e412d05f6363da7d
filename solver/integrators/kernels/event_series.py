"""Taylor and Bernstein coefficients of guards over a step, and what the first of them say just after an event."""

import numpy as np

from veridyn.solver.integrators.kernels.jit import kernel
from veridyn.solver.integrators.kernels.series import (
    FEW,
    LEADING,
    ORDER,
    first_significant,
)


@kernel
def write_series(rows, motion, coefficients):
    """Write the Taylor coefficients (r, p, ORDER + 1) of rows (r, p) over a phase that moves so in one step."""
    # Rows are multiplied from the left: g D^k needs a product of vector and matrix at each order, p² operations; the
    # powers of D themselves would take p³. And a guard that a power of D annihilates ends in exact zeros.
    row = np.ascontiguousarray(rows)
    for k in range(ORDER + 1):
        if k > 0:
            row = np.dot(row, motion) / k
        coefficients[:, :, k] = row


@kernel
def write_bernstein(guards, weights, bernstein):
    """Write the Bernstein coefficients (g, FEW, p, ORDER + 1) of guards, less k roots at the start."""
    shifted = np.empty(guards.shape[1:])
    for i in range(guards.shape[0]):
        for k in range(FEW):
            shifted[:, ORDER + 1 - k :] = 0.0
            shifted[:, : ORDER + 1 - k] = guards[i, :, k:]
            bernstein[i, k] = np.dot(shifted, weights)


@kernel
def forecast(p, motion):
    """Return the terms (LEADING, p) of the series of a phase over one step."""
    terms = np.empty((LEADING, p.size))
    terms[0] = p
    for k in range(1, LEADING):
        terms[k] = np.dot(motion, terms[k - 1]) / k
    return terms


@kernel
def verdicts(terms, guards, sizes):
    """Return for every guard, a row over the phase, its first significant coefficient; 0 if it stays at zero."""
    result, c = np.zeros(guards.shape[0]), np.empty(LEADING)
    bound = np.abs(terms[0])
    for i in range(guards.shape[0]):
        for k in range(LEADING):
            c[k] = np.dot(guards[i], terms[k])
        k = first_significant(c, np.dot(sizes[i, 0], bound), np.dot(sizes[i, 1], bound))
        if k < FEW:
            result[i] = c[k]
    return result
