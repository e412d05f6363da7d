"""Defects of arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veridyn.mutation.defects.changes import displacement, drives
from veridyn.mutation.defects.defect import Defect
from veridyn.mutation.defects.modal import by_modes
from veridyn.mutation.defects.rebuilt import part
from veridyn.solver.integrators.kernels import system
from veridyn.solver.problem.basis import modal_basis
from veridyn.solver.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.problem.scalars import to_float
from veridyn.solver.problem.time_functions import Harmonic, Sum, TimeFunction
from veridyn.solver.response import Response

ORIGIN = 1e8  # distance of a far origin, in amplitudes
NOISE = 1e-6  # of the amplitude
TICK = 1e-6  # of the amplitude: resolution of fixed point
SMALL = 1e-4  # of the amplitude: what counts as zero


@part
def single_state(t, q, v, s, state, archive, work, g):
    """Round the state to single precision before forces are taken at it; the march goes on from there."""
    for i in range(q.size):
        q[i] = np.float32(q[i])
        v[i] = np.float32(v[i])
    system.forces(t, q, v, s, state, archive, work, g)


@part
def single_time(t, s, work):
    """Time functions at an instant of single precision."""
    return system.row_of(np.float64(np.float32(t)), s, work)


def _size(response: Response) -> Floats:
    return np.asarray(np.maximum(np.abs(response.displacement).max(axis=0), 1e-300))


def _far(response: Response) -> Floats:
    origin = ORIGIN * _size(response)
    return np.asarray((response.displacement + origin) - origin)


def _noisy(response: Response) -> Floats:
    noise = np.random.default_rng(20).standard_normal(response.displacement.shape)
    return np.asarray(response.displacement + NOISE * _size(response) * noise)


def _ticking(response: Response) -> Floats:
    tick = TICK * _size(response)
    return np.asarray(tick * np.round(response.displacement / tick))


def _flushed(response: Response) -> Floats:
    return np.where(np.abs(response.displacement) < SMALL * _size(response), 0.0, response.displacement)


def _single_clock(_: MechanicalProblem, response: Response) -> Response:
    """Stamp the samples with a sum of steps in single precision, brought back to the end of the span."""
    clock = np.cumsum(np.diff(response.time, prepend=0.0).astype(np.float32), dtype=np.float32).astype(float)
    columns = [np.interp(response.time, clock, column) for column in response.displacement.T]
    return replace(response, displacement=np.column_stack(columns))


def _single_frequencies(p: MechanicalProblem) -> MechanicalProblem:
    modes = modal_basis(p)
    squares = np.asarray(np.float32(modes.omega**2), dtype=float)
    return by_modes(p, replace(modes, omega=np.sqrt(squares)))


def _short_pi(_: MechanicalProblem, function: TimeFunction) -> TimeFunction:
    terms = tuple(
        replace(t, omega=to_float(t.omega) * 3.14 / np.pi) if isinstance(t, Harmonic) else t for t in function.terms()
    )
    return terms[0] if len(terms) == 1 else Sum(terms)


DEFECTS = (
    Defect("single_precision_state", "numerics", "The state is kept in single precision from step to step.",
        parts={"forces": single_state}),
    Defect("single_precision_output", "numerics", "Displacements are handed over in single precision.",
        scheme="devogelaere", after=displacement(lambda r: np.asarray(r.displacement, dtype=np.float32).astype(float))),
    Defect("single_precision_load_time", "numerics", "Loads are evaluated at an instant of single precision.",
        ("drive",), scheme="devogelaere", parts={"row_of": single_time}),
    Defect("single_precision_clock", "numerics", "Instants of samples are a sum of steps in single precision.",
        after=_single_clock),
    Defect("single_precision_eigenvalues", "numerics", "Eigenvalues are rounded to single precision.",
        ("matrices", "several coordinates"), scheme="runge_kutta_54", before=_single_frequencies),
    Defect("cancellation", "numerics",
        "Displacements are differences of positions that are 1e8 amplitudes from the origin.",
        after=displacement(_far)),
    Defect("noise", "numerics", "Displacements carry noise of 1e-6 of their largest value.",
        after=displacement(_noisy)),
    Defect("fixed_point", "numerics", "Displacements are multiples of 1e-6 of their largest value.",
        after=displacement(_ticking)),
    Defect("small_is_zero", "numerics", "Displacements below 1e-4 of the largest are zero.",
        after=displacement(_flushed)),
    Defect("short_pi", "numerics", "Circular frequencies of harmonic loads are made with pi = 3.14.",
        ("harmonic drive",), before=drives(_short_pi)),
)  # fmt: skip
