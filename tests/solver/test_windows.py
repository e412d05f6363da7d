"""Time functions that are cut out between two instants."""

from __future__ import annotations

import json

import mpmath
import numpy as np
import pytest

from veridyn.problem.basis import modal_basis
from veridyn.problem.elements import Load
from veridyn.problem.errors import ProblemError
from veridyn.problem.time_functions import Harmonic, Sum, Windowed, constant, polynomial, table, time_function
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.arrays import system_arrays
from veridyn.solver.integrators.integration import IntegrationJob, Storage
from veridyn.solver.integrators.kernels import function_table

from .conftest import entry

tabulate = entry(function_table.tabulate)

WAVE = Windowed(Harmonic("1.3", "2*pi", "0.3"), "0.2", "1.1")
LINE = Windowed(table([0.0, 0.5, 2.0], [1.0, 3.0, 0.0]), "0.2", "1.1")
BOTH = Windowed(Sum((Harmonic("1.3", "2*pi", "0.3"), polynomial("1", "2", "-1"))), "0.2", "1.1")
SMOOTH = Windowed(Harmonic("2", "pi"), "1", "3", order=-1)  # a square of a sine, up to a factor

each = pytest.mark.parametrize("f", [WAVE, LINE, BOTH, SMOOTH], ids=["wave", "line", "both", "smooth"])


def test_nothing_is_left_outside():
    t = np.array([0.1, 0.2, 0.6, 1.1, 2.0])
    np.testing.assert_array_equal(WAVE(t), np.array([0, 1, 1, 0, 0]) * WAVE.function(t))
    assert WAVE(mpmath.mpf("0.1")) == 0 == WAVE(mpmath.mpf("1.1"))


@each
@pytest.mark.parametrize("t", ["0.15", "0.9", "1.7", "4"])
def test_antiderivatives_are_integrals_from_the_start(f, t):
    with mpmath.workdps(30):
        edges = [mpmath.mpf(edge) for edge in ("0", "0.2", "0.5", "1", "1.1", "3", "4") if float(edge) < float(t)]
        for g in (f, f.antiderivative(), f.antiderivative().antiderivative()):
            truth = mpmath.quad(g, [*edges, mpmath.mpf(t)])
            assert abs(g.antiderivative()(mpmath.mpf(t)) - truth) < mpmath.mpf(10) ** -13  # floats in the table


@each
def test_derivative_undoes_the_antiderivative(f):
    t = np.linspace(0, 4, 41)
    np.testing.assert_allclose(f.antiderivative().derivative()(t), f(t), atol=0)


def test_a_square_of_a_sine_has_a_derivative():
    t = np.linspace(0, 4, 101)
    inside = (t >= 1) & (t < 3)
    np.testing.assert_allclose(
        SMOOTH(t), np.where(inside, 4 / np.pi * np.sin(np.pi / 2 * (t - 1)) ** 2 * -1, 0), atol=1e-15
    )
    np.testing.assert_allclose(SMOOTH.derivative()(t), np.where(inside, 2 * np.sin(np.pi * t), 0), atol=1e-15)


def test_a_jump_has_no_derivative(refused):
    with refused(ProblemError, "jumps at t = 0.2 s"):
        WAVE.derivative()


@each
@pytest.mark.parametrize("order", [0, -1, -2])
def test_the_terms_add_up(f, order):
    for _ in range(-order):
        f = f.antiderivative()
    t = np.linspace(0, 4, 81) + 1e-3
    np.testing.assert_allclose(sum(term(t) for term in f.terms()), f(t), atol=1e-13)


@each
def test_json_keeps_it(f):
    again = time_function(json.loads(json.dumps(f.antiderivative().to_dict())))
    assert again == f.antiderivative()


def test_wrong_windows_are_refused(refused):
    with refused(ProblemError, "the end 1 s must come after the start 1 s"):
        Windowed(constant(1.0), "1", "1")
    with refused(ProblemError, "a window in a window"):
        Windowed(WAVE, "0", "1")
    with refused(ProblemError, "Windowed.order", "whole number"):
        Windowed(constant(1.0), 0.0, 1.0, 0.5)


@each
@pytest.mark.parametrize("tick", [0, 8, 13, 70])
def test_kernels_evaluate_the_same_function(f, tick, build):
    functions = (f, f.antiderivative(), f.antiderivative().antiderivative())
    problem = build.mass(loads=tuple(Load([1.0], g) for g in functions))
    system = system_arrays(problem, modal_basis(problem))
    work = Storage(2, IntegrationJob(system, np.zeros(1), np.zeros(1), 0.0, 1.0, 1 / 64), even=True).work
    tabulate(tick / 64, work.step, system.function_term, system.terms, system.parameter, work.instants, work.values)
    expected = np.column_stack([g(work.instants) for g in functions])
    np.testing.assert_allclose(work.values, expected, atol=1e-13)


@each
def test_the_exact_solver_cuts_its_segments_there(f, build):
    problem = build.mass(end=2.0, loads=(Load([1.0], f),))
    r = EXACT.solve(problem, {})
    expected = f.antiderivative().antiderivative()(r.time)
    np.testing.assert_allclose(r.displacement[:, 0], expected, atol=1e-13)
