"""A table of the time functions of loads, supports and matrices at the instants that come next."""

import numpy as np

from veridyn.solver.integrators.kernels.jit import called, natural, part
from veridyn.solver.integrators.kernels.piecewise import piecewise

HARMONIC, PIECEWISE, WINDOWED = range(3)
KIND, START, PIECES, WIDTH = range(4)  # columns of terms
HARMONIC_WIDTH = 3  # amplitude, omega, phase
WINDOWED_WIDTH = 5  # the same, start, end


@called
def add_windowed(wave, instants, values):
    """Add a harmonic function within its window."""
    amplitude, omega, phase, first, last = wave[0], wave[1], wave[2], wave[3], wave[4]
    for row in range(instants.size):
        if first.real <= instants[row] < last.real:
            values[row] += amplitude * np.sin(omega * instants[row] + phase)


@part
def add_term(term, parameter, instants, values):
    """Add one term of a time function."""
    start = natural(term[START])
    if term[KIND] == HARMONIC:
        amplitude, omega, phase = parameter[start], parameter[start + 1], parameter[start + 2]
        for row in range(instants.size):
            values[row] += amplitude * np.sin(omega * instants[row] + phase)
    elif term[KIND] == PIECEWISE:
        for row in range(instants.size):
            values[row] += piecewise(instants[row], parameter, start, term[PIECES], term[WIDTH])
    else:
        add_windowed(parameter[start : start + WINDOWED_WIDTH], instants, values)


@part
def tabulate(t, step, function_term, terms, parameter, instants, values):
    """Evaluate all time functions at t and at the instants that follow by even steps (s), term by term."""
    for row in range(instants.size):
        instants[row] = t
        t += step
    for function in range(values.shape[1]):
        for row in range(instants.size):
            values[row, function] = 0.0
        for term in range(function_term[function], function_term[function + 1]):
            add_term(terms[term], parameter, instants, values[:, function])


@called
def tabulate_ahead(t, step, function_term, terms, parameter, instants, values):
    """Do the same outside the loop of the march, which need not keep room for it then."""
    tabulate(t, step, function_term, terms, parameter, instants, values)


@part
def row_of(t, s, work):
    """Return the row of the table of time functions for an instant: the next, this one, or the first of a new table."""
    row = natural(work.place[0])
    if row + 1 < work.instants.size and work.instants[row + 1] == t:
        row += 1
    elif work.instants[row] != t:
        row = 0
        if work.instants.size == 1:
            tabulate(t, work.step, s.function_term, s.terms, s.parameter, work.instants, work.values)
        else:
            tabulate_ahead(t, work.step, s.function_term, s.terms, s.parameter, work.instants, work.values)
    work.place[0] = row
    return row
