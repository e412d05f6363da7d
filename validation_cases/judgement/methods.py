"""Claims that need no level table: digits of exact solvers, known methods, damping, lag, stability."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veridyn.problem.basis import in_modal_coordinates, modal_basis, undamped_modes
from veridyn.problem.errors import SolverInputError
from veridyn.problem.matrices import symmetric_part
from veridyn.problem.mechanical import MechanicalProblem, as_mechanical
from veridyn.problem.smoothness import jumps
from veridyn.references.methods.discrete import LinearProblem, march, read_method
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.case import Floats, Quantity
from veridyn.validation_cases.judgement.judge import Finding, measured_error
from veridyn.validation_cases.judgement.levels import FEW_DIGITS, level_runs, of_digits, of_reference
from veridyn.validation_cases.judgement.relations import Relation
from veridyn.validation_cases.judgement.runner import NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance, exactly

DISCRETE = 1e-9  # of the largest displacement: rounding of a march of some thousand steps
ON_GRID = 1e-6  # of a step; instants of a march with a constant step
PERIODS = 50  # of a free vibration that shows damping and lag
POINTS = 63  # steps per period there, not a divisor of anything: w h = 0.1
FREE_ERROR = 1e-7  # of a damping ratio read from peaks on parabolas over so many periods
LAG_ERROR = 0.05  # of a step: the next term of the velocity's error, (w h)²/6 of a step over w h
STABLE_SHARE, STEPS = 0.98, 400  # of the limit; steps of a free vibration that must stay bounded
GROWTH = 100.0  # of its amplitude
LARGE = 50.0  # w h for a method that claims to be stable with any step


def digits(runner: Runner, statement: Statement, scheme: str, quantity: Quantity, claims: Claims) -> Finding:
    """Compare a default answer with the truth to the claimed digits of its scale."""
    assert claims.digits is not None
    run = runner.default_run(statement, scheme)
    value = runner.measured(run)[quantity.name]
    if isinstance(value, Exception):
        raise value
    reference = statement.truth(quantity)
    truth = reference.value
    if truth is None or isinstance(truth, str) or not isinstance(value, int | float):
        same = exactly("words and what does not exist must be the same")
        return Finding(run, value, reference, measured_error(value, truth, same), same)
    terms = {
        "claimed digits": 10.0**-claims.digits * statement.size(quantity),
        "sampling": runner.sampling(run, quantity, float(value), confirming=True),
        **of_reference(statement, quantity),
    }
    reason = f"claimed: {claims.digits:g} digits of the scale + sampling (change where every second sample is read)"
    if quantity.rounded:
        terms["rounding"] = quantity.rounded(statement.values, 0.0)
        reason += " + rounding (units in the last place of a double, as the motion magnifies them)"
    allowed = Tolerance(sum(terms.values()), "absolute", reason)
    error = measured_error(value, truth, allowed)
    return Finding(run, value, reference, error, allowed, terms=terms, counts_digits=True)


def discrete(runner: Runner, statement: Statement, scheme: str, claims: Claims) -> Finding:
    """Compare displacements of the coarsest level with the exact discrete solution of the claimed method.

    Raises
    ------
    NotJudged
        If the samples do not show the step that was taken.
    """
    key, sizes, runs = level_runs(runner, statement, scheme)
    run, problem = runs[0], as_mechanical(statement.problem)
    response = runner.observe(run).response
    step = _find_step(response, problem, sizes[0])
    if step is None:
        raise NotJudged(
            f"the samples are no multiples of {key}={sizes[0]:g} s; report the states of the steps themselves, or "
            'their number as counters["steps"]'
        )
    # methods that agree elsewhere read a load that jumps on either side of the jump, or in the middle
    known = response.time <= next(jumps(problem), math.inf) - step
    response = replace(response, time=response.time[known], displacement=response.displacement[known])
    numbers = np.rint((response.time - problem.start) / step).astype(int)
    # The recurrence of the claimed method itself is the truth here, not the motion. The error of
    # discretisation is the same in both and drops out. What is left is rounding, so that a slightly wrong
    # coefficient is seen at a single step size.
    true = _marched(claims, problem, step, int(numbers[-1]))[numbers]
    size = float(np.abs(true).max())
    error = float(np.abs(response.displacement - true).max()) / size
    few = of_digits(runner, run, 1.0)
    terms = {"rounding": DISCRETE, **few} if few else {}
    reason = f"rounding, of the largest displacement of {claims.method} at that step"
    allowed = Tolerance(DISCRETE + sum(few.values()), "absolute", f"{reason} + {FEW_DIGITS}" if few else reason)
    return Finding(run, error, 0.0, error, allowed, f"{int(numbers[-1])} steps of {step:g} s", terms=terms)


def _find_step(response: Response, problem: MechanicalProblem, size: float) -> float | None:
    """Return the constant step that a response shows; None if it does not show it.

    A solver may take the step that was asked for, or the next smaller one that divides the span, as `ceil` and
    `linspace` make it. The second counts only where each step has its sample, or where the solver says how many there
    were: samples at other places have been interpolated.
    """
    span, since = problem.end - problem.start, response.time - problem.start
    fitting = span / math.ceil(span / size * (1 - ON_GRID))
    counted = response.counters.get("steps", 0)
    steps = [size]
    steps += [span / counted] if counted > 0 and span / counted <= size * (1 + ON_GRID) else []
    steps += [fitting] if len(since) == round(span / fitting) + 1 else []
    return next((step for step in steps if _are_multiples(since, step)), None)


def _are_multiples(times: Floats, step: float) -> bool:
    numbers = np.rint(times / step)
    return bool(np.abs(times - numbers * step).max() <= ON_GRID * step * len(times))


def _marched(claims: Claims, problem: MechanicalProblem, step: float, count: int) -> Floats:
    """Return the displacements (count + 1, n) of the exact discrete solution."""
    if not problem.sparse and problem.modes is None and claims.parameters.get("damping") == "diagonal":  # of modes
        problem = replace(problem, modes=modal_basis(problem), mass=None, damping=None, stiffness=None)
    shapes = None
    if problem.modes is not None:
        shapes, problem = problem.modes.shapes, in_modal_coordinates(problem)
    problem = problem.dense()
    assert problem.mass is not None
    assert problem.damping is not None
    assert problem.stiffness is not None
    linear = LinearProblem(
        mass=problem.mass,
        damping=problem.damping,
        stiffness=problem.stiffness,
        force=_force(problem),
        displacement=problem.initial_displacement,
        velocity=problem.initial_velocity,
        start=problem.start,
    )
    x, _ = march(read_method(claims.method, claims.parameters), linear, step, count)
    return x if shapes is None else x @ shapes.T


def _force(problem: MechanicalProblem) -> Callable[[float], Floats]:
    mass = np.asarray(problem.mass)

    def force(t: float) -> Floats:
        total = np.zeros(problem.size)
        for load in problem.loads:
            total += load.direction * float(load.function(t))
        for support in problem.supports:
            total -= mass @ support.influence * float(support.acceleration(t))
        return total

    return force


def free_problem(problem: MechanicalProblem) -> tuple[MechanicalProblem, float]:
    """Return the free undamped vibration of the fastest mode of a linear problem, and its frequency (rad/s)."""
    p = in_modal_coordinates(problem) if problem.modes is not None else problem.dense()
    assert p.stiffness is not None
    assert p.mass is not None
    # What a linear method makes of a free mode depends on w h alone. The fastest mode has the largest w h:
    # if the method is stable there, it is for all modes below a limit of the step. So one mode tells
    # damping, lag and stability.
    squares, shapes = undamped_modes(p.stiffness, p.mass)
    w, shape = math.sqrt(float(squares[-1])), shapes[:, -1]
    free = MechanicalProblem(
        name=f"{p.name}, free vibration of the fastest mode",
        mass=p.mass,
        stiffness=symmetric_part(p.stiffness),
        initial_displacement=shape / np.abs(shape).max(),
        initial_velocity=np.zeros(p.size),
        end=PERIODS * 2 * math.pi / w,
    )
    return free, w


def _free_run(runner: Runner, statement: Statement, scheme: str, wh: float, steps: int) -> tuple[Run, Response, float]:
    """Solve the free vibration with a step of ``wh`` over its frequency; return run, response and frequency."""
    free, w = free_problem(as_mechanical(statement.problem))
    short = replace(free, end=free.start + steps * wh / w)
    key, _, runs = level_runs(runner, statement, scheme)
    way = Relation(
        name=f"free vibration, w h = {wh:g}",
        what="the fastest mode alone, free and undamped",
        answer=lambda solve, _: solve(short),
    )
    run = Run(statement, {**runs[-1].settings, key: wh / w}, scheme, relation=way)
    try:
        return run, runner.observe(run).response, w
    except SolverInputError as refused:
        raise NotJudged(f"{key} = {wh / w:g} is refused: {refused}") from None


def damping(runner: Runner, statement: Statement, scheme: str, claims: Claims) -> Finding:
    """Compare the numerical damping ratio of a free vibration with the claimed one."""
    assert claims.numerical_damping is not None
    wh = 2 * math.pi / POINTS
    run, response, w = _free_run(runner, statement, scheme, wh, PERIODS * POINTS)
    i = int(np.argmax(np.abs(response.displacement[0])))
    ratio = _damping_ratio(w * (response.time - response.time[0]), response.displacement[:, i])
    allowed = Tolerance(
        claims.numerical_damping + FREE_ERROR,
        "absolute",
        f"claimed: at most {claims.numerical_damping:g}; peaks on parabolas",
    )
    return Finding(run, ratio, claims.numerical_damping, abs(ratio), allowed, f"{PERIODS} periods of {POINTS} steps")


def _damping_ratio(angle: Floats, x: Floats) -> float:
    """Return the damping ratio that the peaks of |x| over the angle (rad) show, by least squares."""
    inner = np.abs(x[1:-1])
    tops = 1 + np.flatnonzero((inner >= np.abs(x[:-2])) & (inner > np.abs(x[2:])))
    a, b, c = np.abs(x[tops - 1]), np.abs(x[tops]), np.abs(x[tops + 1])
    if tops.size < 2:
        raise SolverFailure("a free vibration over fifty periods shows fewer than two peaks")
    # A peak falls between samples by up to half a step, where |x| is lower by (w h)²/8. The parabola through
    # three samples takes that away up to (w h)^4. The same phases return over many periods, so that what is left
    # does not look like a decay.
    heights = b - (a - c) ** 2 / (8 * (a - 2 * b + c))
    return float(-np.polyfit(angle[tops], np.log(heights), 1)[0])


def lag(runner: Runner, statement: Statement, scheme: str, claims: Claims) -> Finding:
    """Compare how far reported velocities lie behind the displacements, in steps, with the claim."""
    wh = 2 * math.pi / POINTS
    run, response, _ = _free_run(runner, statement, scheme, wh, PERIODS * POINTS)
    i = int(np.argmax(np.abs(response.displacement[0])))
    t, x, v = response.time, response.displacement[:, i], response.velocity[1:-1, i]
    h = np.diff(t)
    central = (x[2:] - x[:-2]) / (t[2:] - t[:-2])
    turn = (x[2:] - 2 * x[1:-1] + x[:-2]) / h.mean() ** 2
    # A velocity that is late by s steps is v(t - s h) = v - s h x'', to first order. ``turn`` is x'' by central
    # differences: so -s h is the coefficient of ``turn`` in v - central, by least squares. The error of ``central`` is
    # along x', which is orthogonal to x'' over whole periods.
    observed = float(-(turn @ (v - central)) / (turn @ turn) / h.mean())
    allowed = Tolerance(LAG_ERROR, "absolute", "of a step, over a free vibration")
    return Finding(run, observed, claims.lag, abs(observed - claims.lag), allowed)


def stability(runner: Runner, statement: Statement, scheme: str, claims: Claims) -> Finding:
    """See whether a free vibration stays bounded just below the claimed limit of the step."""
    assert claims.stability is not None
    # Just below the limit, not at it: there two eigenvalues may meet, and amplitudes then grow in proportion to time.
    # What is unstable grows exponentially: with 1.2 % a step it passes the bound within the 400 steps.
    wh = STABLE_SHARE * claims.stability if math.isfinite(claims.stability) else LARGE
    run, response, _ = _free_run(runner, statement, scheme, wh, STEPS)
    largest = float(np.abs(response.displacement).max() / np.abs(response.displacement[0]).max())
    allowed = Tolerance(GROWTH, "absolute", f"of the initial amplitude, {STEPS} steps with w h = {wh:g}")
    return Finding(run, largest, 1.0, largest, allowed)
