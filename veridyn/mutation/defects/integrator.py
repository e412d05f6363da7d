"""Defects of time integration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.mutation.defects.changes import displacement, drives, rows, sampled, supports, velocity
from veridyn.mutation.defects.defect import Defect
from veridyn.mutation.defects.rebuilt import part
from veridyn.solver.integrators.kernels import newmark, runge_kutta
from veridyn.solver.integrators.kernels.devogelaere import BEFORE, END, MIDDLE, NOW
from veridyn.solver.integrators.kernels.system import row_of
from veridyn.solver.problem.basis import modal_basis
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.scalars import to_float
from veridyn.solver.problem.time_functions import Harmonic, Piecewise, Sum, TimeFunction, Windowed
from veridyn.solver.response import Response

STRETCH = 1.005  # of the time axis
LONGER = 1.01  # of the instant at which a load ends
LOUDER = 1.02  # drive over what it should be
STAIRS = 1000  # of a load over the run


@part
def trapezoid_at_the_end(dt, s, p):
    """Velocity at the end of a step of de Vogelaere by the trapezoid instead of Simpson's rule."""
    for i in range(p.w.size):
        rate = 0.5 * (p.g[END, i] + p.g[NOW, i]) - s.damping[i] * p.v[MIDDLE, i]
        p.v[END, i] = p.v[NOW, i] + dt * rate


@part
def middle_without_past(dt, s, p):
    """Displacement half a step on from the acceleration now alone."""
    h = 0.5 * dt
    for i in range(p.w.size):
        acceleration = p.g[NOW, i] - s.damping[i] * p.v[NOW, i]
        p.q[MIDDLE, i] = p.q[NOW, i] + h * p.v[NOW, i] + dt * dt / 8.0 * acceleration
        p.w[i] = (p.q[MIDDLE, i] - p.q[NOW, i]) / h


@part
def nothing_before(dt, weight, s, work, p):  # noqa: ARG001 - the signature of the sound part
    """State half a step before the start that is the state at the start."""
    for i in range(p.w.size):
        p.q[BEFORE, i], p.v[BEFORE, i], p.g[BEFORE, i] = p.q[NOW, i], p.v[NOW, i], 0.0


@part
def no_acceleration(dt, method, q, v, a, q_star, v_star):
    """Newmark's predictor without the acceleration in the displacement."""
    newmark.predict(dt, method, q, v, a, q_star, v_star)
    for i in range(q.size):
        q_star[i] = q[i] + dt * v[i]


@part
def held(p, q, v, f, f_end, q_new, v_new):  # noqa: ARG001 - the signature of the sound part
    """Propagation under a force that is held over the step."""
    for i in range(q.size):
        q_new[i] = p[i, 0, 0] * q[i] + p[i, 0, 1] * v[i] + p[i, 0, 2] * f[i]
        v_new[i] = p[i, 1, 0] * q[i] + p[i, 1, 1] * v[i] + p[i, 1, 2] * f[i]


@part
def embedded(s, t, dt, tableau, stages, q, v, state, archive, saved, sequential, work, g):
    """Step that ends where the formula of the lower order leads."""
    runge_kutta.advance(s, t, dt, tableau, stages, q, v, state, archive, saved, sequential, work, g)
    for j in range(q.size):
        for i in range(tableau.e.size):
            stages.q[j] -= dt * tableau.e[i] * stages.dq[i, j]
            stages.v[j] -= dt * tableau.e[i] * stages.dv[i, j]


@part
def load_of_before(t, s, work):
    """Time functions of a step before."""
    return row_of(t - work.step, s, work)


@part
def load_of_half_a_step_before(t, s, work):
    """Time functions of half a step before."""
    return row_of(t - 0.5 * work.step, s, work)


@part
def at_rest_first(t, q, v, s, state, archive, work, g):  # noqa: ARG001 - the signature of the sound part
    """No force at the start."""
    g[:] = 0.0


def _stretched(_: MechanicalProblem, response: Response) -> Response:
    asked = np.minimum(STRETCH * response.time, response.time[-1])
    moved = [np.interp(asked, response.time, column) for column in response.displacement.T]
    return replace(response, displacement=np.column_stack(moved))


def _lasting(p: MechanicalProblem, function: TimeFunction) -> TimeFunction:
    """Return a time function whose breaks after the start come later."""
    if isinstance(function, Sum):
        return Sum(tuple(_lasting(p, f) for f in function.summands))
    if isinstance(function, Windowed):
        return replace(function, end=LONGER * to_float(function.end))
    if isinstance(function, Piecewise):
        late = tuple(LONGER * to_float(t) if to_float(t) > p.start else t for t in function.breaks)
        return replace(function, breaks=late)
    return function


def _louder(p: MechanicalProblem) -> MechanicalProblem:
    loads = tuple(replace(load, direction=LOUDER * load.direction) for load in p.loads)
    return supports(lambda s: replace(s, influence=LOUDER * s.influence))(replace(p, loads=loads))


def _stairs(p: MechanicalProblem, function: TimeFunction) -> TimeFunction:
    instants = np.linspace(p.start, p.end, STAIRS + 1)
    return Piecewise(tuple(instants.tolist()), tuple((value,) for value in function(instants).tolist()))


def _shifted(phase: float) -> Callable[[MechanicalProblem, TimeFunction], TimeFunction]:
    """Return the change of harmonic terms by a phase (rad)."""

    def change(p: MechanicalProblem, function: TimeFunction) -> TimeFunction:
        if isinstance(function, Sum):
            return Sum(tuple(change(p, f) for f in function.summands))
        if isinstance(function, Windowed):
            return replace(function, function=change(p, function.function))
        return replace(function, phase=to_float(function.phase) + phase) if isinstance(function, Harmonic) else function

    return change


def _uncoupled_damping(p: MechanicalProblem) -> MechanicalProblem:
    modes = modal_basis(p)
    back = np.linalg.inv(modes.shapes)
    return replace(p, damping=back.T @ np.diag(np.diag(modes.damping_matrix)) @ back)


def _damped(p: MechanicalProblem, factor: float) -> MechanicalProblem:
    if p.modes is not None:
        return replace(p, modes=replace(p.modes, damping=factor * p.modes.damping))
    assert p.damping is not None
    return replace(p, damping=factor * p.damping)


def _late(values: Response) -> Response:
    return rows(values, np.arange(values.time.size) - 1)


DEFECTS = (
    Defect("order_lost_in_velocity", "integrator",
        "The velocity at the end of a step comes from the trapezoid instead of Simpson's rule.", scheme="devogelaere",
        parts={"velocity_at_the_end": trapezoid_at_the_end}),
    Defect("order_lost_in_the_middle", "integrator",
        "The displacement in the middle of a step ignores the half-step before.", scheme="devogelaere",
        parts={"to_the_middle": middle_without_past}),
    Defect("wrong_start", "integrator", "The state half a step before the start is that of the start, without force.",
        ("initial force",), scheme="devogelaere", parts={"start_half_step_before": nothing_before}),
    Defect("start_weighed_wrongly", "integrator", "The start takes h/8 for h²/8 and a force for an acceleration.",
        ("initial force",), scheme="devogelaere_adaptive", changed={"slipped_start": True}),
    Defect("numerical_damping", "integrator", "Newmark's gamma is 0.505.", scheme="newmark", changed={"gamma": 0.505}),
    Defect("wrong_beta", "integrator", "Newmark's beta is 0.3.", scheme="newmark", changed={"beta": 0.3}),
    Defect("predictor_without_acceleration", "integrator", "The predicted displacement lacks the acceleration.",
        scheme="newmark", parts={"predict": no_acceleration}),
    Defect("force_of_step_start", "integrator", "The implicit step uses the forces of its start.", scheme="newmark",
        changed={"lagged": True}),
    Defect("damps_too_much", "integrator", "Generalised alpha's rho_inf is 0.79 instead of 0.8.",
        scheme="generalised_alpha", changed={"rho_inf": 0.79}),
    Defect("force_held_over_step", "integrator", "Forces are held over a step instead of going along a line.",
        scheme="itmi", parts={"propagate": held}),
    Defect("embedded_formula_kept", "integrator", "The formula of the lower order of a Runge-Kutta pair is kept.",
        scheme="runge_kutta_32", parts={"advance": embedded}),
    Defect("stale_load", "integrator", "Loads and accelerations of supports are those of a step before.", ("drive",),
        parts={"row_of": load_of_before}),
    Defect("load_half_step_late", "integrator", "Loads and accelerations of supports are those of half a step before.",
        ("drive",), scheme="devogelaere", parts={"row_of": load_of_half_a_step_before}),
    Defect("no_load", "integrator", "Loads and accelerations of supports are zero.", ("drive",), scheme="devogelaere",
        before=drives(lambda p, _: Piecewise((p.start,), ((0.0,),)))),
    Defect("no_force_at_start", "integrator", "The first acceleration is zero.", ("initial force",),
        parts={"first_forces": at_rest_first}),
    Defect("initial_velocity_forgotten", "integrator", "The initial velocity is zero.", ("initial velocity",),
        before=lambda p: replace(p, initial_velocity=np.zeros_like(p.initial_velocity))),
    Defect("initial_displacement_forgotten", "integrator", "The initial displacement is zero.",
        ("initial displacement",),
        before=lambda p: replace(p, initial_displacement=np.zeros_like(p.initial_displacement))),
    Defect("state_one_step_late", "integrator", "Every state stands at the instant after its own.",
        after=sampled(lambda i: i - 1)),
    Defect("velocity_one_step_late", "integrator", "The velocity is that of the sample before.",
        after=velocity(lambda r: _late(r).velocity)),
    Defect("velocity_half_step_late", "integrator", "The velocity is that of half a sample before.", scheme="newmark",
        after=velocity(lambda r: 0.5 * (r.velocity + _late(r).velocity))),
    Defect("displacement_half_step_late", "integrator", "The displacement is that of half a step before.",
        after=displacement(lambda r: 0.5 * (r.displacement + _late(r).displacement))),
    Defect("clock_half_percent_slow", "integrator", f"The state of {STRETCH:g} t stands at t.", after=_stretched),
    Defect("load_ends_late", "integrator", "Loads that end inside the run last 1 % longer.", ("drive that ends",),
        before=drives(_lasting)),
    Defect("load_two_percent_high", "integrator", "Loads and motions of supports are 2 % too large.", ("drive",),
        scheme="central_adaptive", before=_louder),
    Defect("load_in_stairs", "integrator", f"Loads keep their value from {STAIRS:d} instants of the run to the next.",
        ("drive",), before=drives(_stairs)),
    Defect("cosine_for_sine", "integrator", "Harmonic loads start a quarter of a period late.", ("harmonic drive",),
        before=drives(_shifted(0.5 * np.pi))),
    Defect("load_phase_one_degree", "integrator", "Harmonic loads run ahead by one degree.", ("harmonic drive",),
        before=drives(_shifted(np.pi / 180))),
    Defect("coupled_damping_dropped", "integrator", "The damping matrix is diagonal in the modes.",
        ("coupled damping", "matrices"), before=_uncoupled_damping),
    Defect("damping_one_percent_low", "integrator", "The structural damping is 1 % too low.", ("damping",),
        before=lambda p: _damped(p, 0.99)),
    Defect("damping_forgotten", "integrator", "The structure is undamped.", ("damping",),
        before=lambda p: _damped(p, 0.0)),
    Defect("damping_ratio_doubled", "integrator", "The structural damping is twice what it should be.", ("damping",),
        before=lambda p: _damped(p, 2.0)),
)  # fmt: skip
