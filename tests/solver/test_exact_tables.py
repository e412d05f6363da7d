"""The tables of the exact solver against Taylor's recurrence, order by order."""

import math
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, polynomial
from veridyn.solver.exact.solver import ExactComputation
from veridyn.solver.integrators.kernels import roots
from veridyn.solver.integrators.kernels import series as taylor
from veridyn.solver.integrators.kernels.series import FEW, FOUR, ORDER, drive_at

from .conftest import entry

bernstein, series, state_phase = map(entry, (roots.bernstein, taylor.series, taylor.state_phase))

examples = settings(deadline=None, max_examples=60, derandomize=True)
EPS = 2.0**-53
OPERATIONS = 40  # that round in one order of the recurrence or of the table


def prepared():
    """A chain of two masses with a damped stop and a friction, under a cubic load and a shaken base."""
    rows = np.eye(2)
    problem = MechanicalProblem(
        name="chain",
        mass=[[2.0, 0.3], [0.3, 1.0]],
        damping=[[0.5, -0.2], [-0.2, 0.4]],
        stiffness=[[30.0, -12.0], [-12.0, 12.0]],
        initial_displacement=np.zeros(2),
        initial_velocity=np.zeros(2),
        stops=(Stop("stop", rows[1], 0.1, 200.0, 3.0),),
        frictions=(Friction("rub", (rows[0],), 2.0, 0.4, 0.3),),
        loads=(Load(rows[0], polynomial(0.5, -1.0, 0.3, 2.0)),),
        supports=(SupportMotion.from_acceleration("base", np.ones(2), Harmonic(3.0, 7.0, 0.4)),),
        end=5.0,
    )
    return ExactComputation(problem)


PREPARED = prepared()
MODES = [(touch, grip) for touch in (0, 1, 2) for grip in (-1, 0, 1)]


def driving(forcing, t, order):
    """Return the derivative of the driving functions, of any order."""
    u = np.zeros(forcing.channels)
    for wave in forcing.waves:
        angle = wave.omega * t + wave.phase + order * math.pi / 2
        u[wave.channel] += wave.amplitude * wave.omega**order * math.sin(angle)
    for piece in forcing.polynomials:
        u[piece.channel] += np.polynomial.Polynomial(piece.coefficients).deriv(order)(t - piece.origin)
    return u


def recurrence(flow, forcing, t, y, h):
    """Return the Taylor coefficients of state and drive over h, and the sizes of what they are summed from."""
    states, drives, sizes = [y], [], [np.abs(y)]
    for k in range(ORDER + 1):
        drives.append(driving(forcing, t, k) * h**k / math.factorial(k))
        constant = flow.rate.constant if k == 0 else 0 * y
        rate = flow.rate.matrix @ states[-1] + constant + flow.rate.forcing @ drives[-1]
        bound = np.abs(flow.rate.matrix) @ sizes[-1] + np.abs(constant)
        bound += np.abs(flow.rate.forcing) @ largest(forcing, t, k, h)
        states.append(h / (k + 1) * rate)
        sizes.append(h / (k + 1) * bound)
    return states, drives, sizes


def largest(forcing, t, order, h):
    """Return the size of a Taylor coefficient of the driving functions, without what cancels."""
    u = np.zeros(forcing.channels)
    for wave in forcing.waves:
        u[wave.channel] += abs(wave.amplitude) * (wave.omega * h) ** order / math.factorial(order)
    for piece in forcing.polynomials:
        size = np.polynomial.Polynomial(np.abs(piece.coefficients)).deriv(order)
        u[piece.channel] += size(abs(t - piece.origin)) * h**order / math.factorial(order)
    return u


def phase(t, y):
    drive, p = PREPARED.drives[0], np.zeros(PREPARED.tables.selection.shape[1])
    state_phase(y, p)
    drive_at(t, drive.waves, drive.polynomials, 1 + y.size, p)
    return p


def from_table(rows, p):
    c = np.empty(ORDER + 1)
    series(rows, p, c, ORDER + 1)
    return c


states = st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4).map(np.array)


@examples
@given(st.sampled_from(MODES), st.floats(0.0, 5.0), states)
def test_tables_agree_with_the_recurrence(mode, t, y):
    """Guards are their rows over the series of state and drive; positions are the first rows of the state."""
    tables = PREPARED.tables
    m = tables.index(np.array(mode))
    flow, step, forcing = tables.flows[m], tables.arrays.step[m], PREPARED.forcings[0]
    p = phase(t, y)
    terms, drives, sizes = recurrence(flow, forcing, t, y, step)
    for k in range(ORDER + 1):
        rounding = OPERATIONS * (k + 1) * EPS
        for i in range(2):
            found = from_table(tables.arrays.positions[m, i], p)[k]
            assert abs(found - terms[k][i]) <= rounding * sizes[k][i]
        guards = flow.guards.matrix @ terms[k] + (k == 0) * flow.guards.constant + flow.guards.forcing @ drives[k]
        bound = np.abs(flow.guards.matrix) @ sizes[k] + (k == 0) * np.abs(flow.guards.constant)
        bound += np.abs(flow.guards.forcing) @ largest(forcing, t, k, step)
        for g, guard in enumerate(guards):
            found = from_table(tables.arrays.guards[m, g], p)[k]
            assert abs(found - guard) <= rounding * bound[g]


@examples
@given(st.sampled_from(MODES), st.floats(0.0, 5.0), states)
def test_table_of_bernstein_coefficients_agrees_with_that_of_taylors(mode, t, y):
    tables, expected = PREPARED.tables, np.empty(ORDER + 1)
    m, p = tables.index(np.array(mode)), phase(t, y)
    for g, k in product(range(tables.arrays.counts[m]), range(FEW)):
        found, rows = from_table(tables.arrays.bernstein[m, g, k], p), np.zeros((p.size, ORDER + 1))
        rows[:, : ORDER + 1 - k] = tables.arrays.guards[m, g, :, k:]  # divided by the k-th power
        bernstein(from_table(rows, p), expected)
        assert np.abs(found - expected).max() <= OPERATIONS * EPS * (np.abs(p) @ np.abs(rows)).sum()


def test_the_phase_fills_whole_strides_with_zeros():
    size = PREPARED.tables.selection.shape[1]
    assert size % FOUR == 1
    used = 1 + 4 + 2 + 4  # 1, state, a wave and its cosine, a cubic
    assert used <= size < used + FOUR
    assert not PREPARED.tables.selection[:, used:].any()
