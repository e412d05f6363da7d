"""What derivatives must agree with: differences of the solver's own answers, other tangents, reverse mode.

No truth is needed. Own differences tell a wrong derivative from the right derivative of a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from veridyn.problem.errors import SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.tangent import INITIAL, Tangent
from veridyn.references.parameters import ParameterError
from veridyn.results import LevelRow
from veridyn.solver.contract.derivatives import Differentiated, read_differentiated
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import AnyResponse, Trajectory, output_instants
from veridyn.validation_cases.judgement import restated_initial_value, restated_mechanical
from veridyn.validation_cases.judgement.derivatives import (
    DerivativeStatement,
    DerivedQuantity,
    TangentObservation,
)
from veridyn.validation_cases.judgement.invariance import TWICE
from veridyn.validation_cases.judgement.judge import Finding
from veridyn.validation_cases.judgement.moved import share_of
from veridyn.validation_cases.judgement.relations import FEWEST, TELLING
from veridyn.validation_cases.judgement.runner import Answer, NotJudged, Run, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance
from veridyn.validation_cases.judgement.uncertainty import SAFETY

OWN_DIFFERENCES, LINEAR, RESTARTED_MOTION = "own_differences", "linear", TELLING
STEPS = (1e-2, 1e-3, 1e-4, 1e-6)  # of the parameter
SETTLED = 3  # differences of successive steps that must agree
RESTARTED = 1e-3  # of the derivative: what the motion magnifies of two tolerances
STARTS = ("initial_displacement", "initial_velocity")  # of a mechanical problem
FACTOR = -2.0  # of the tangent: a power of two rounds nothing


def own_differences(runner: Runner, statement: DerivativeStatement, scheme: str) -> Finding:
    """Compare derivatives with central differences of the solver's own answers at other parameters.

    Raises
    ------
    NotJudged
        If the parameter has no neighbours on both sides, or nothing can be compared.
    """
    run = runner.default_run(statement, scheme)
    derivatives = runner.measured(run)
    table = [find_difference(runner, statement, scheme, step) for step in STEPS]
    rows = []
    for quantity in statement.quantities:
        assert isinstance(quantity, DerivedQuantity)
        value = derivatives[quantity.name]
        differences = [row[quantity.base.name] for row in table if quantity.base.name in row]
        if isinstance(value, int | float) and len(differences) >= SETTLED:
            rows.append(_compare(quantity.name, float(value), differences, statement.tolerance(quantity).value))
    what = f"The derivatives by {statement.parameter.name} are those of the solver's own answers."
    return conclude(
        run,
        rows,
        what,
        "three times the distance of the differences at three steps, and the criterion of the derivative",
    )


def _compare(name: str, value: float, differences: Sequence[float], criterion: float) -> LevelRow:
    """Return a row that compares a derivative with the differences of successive steps that agree best with it.

    Large steps see the curvature and meet other events, small ones the noise of tolerances: one place among the steps
    where they agree is enough. Two may agree by chance, where the motion is chaotic; so there they must be three.
    """
    rows = (
        LevelRow(
            quantity=name,
            before=value,
            after=near[-1],
            change=abs(near[-1] - value),
            admissible=SAFETY * (max(near) - min(near)) + criterion,
        )
        for near in (differences[i : i + SETTLED] for i in range(len(differences) - SETTLED + 1))
    )
    return min(rows, key=share_of)


def find_difference(runner: Runner, statement: DerivativeStatement, scheme: str, step: float) -> Mapping[str, float]:
    """Return the central differences of all quantities by name, with a step relative to the parameter."""
    name = statement.parameter.name
    size = Fraction(step) * (abs(Fraction(float(statement.values[name]))) or 1)

    def find() -> Mapping[str, float]:
        above, below = (_measure_beside(runner, statement, scheme, sign * size) for sign in (1, -1))
        both = (each for each, value in above.items() if _is_number(value) and _is_number(below.get(each)))
        return {each: (above[each] - below[each]) / float(2 * size) for each in both}  # type: ignore[operator]

    return runner.find_once(f"difference {step}", statement, scheme, find)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _measure_beside(runner: Runner, statement: DerivativeStatement, scheme: str, by: Fraction) -> Mapping[str, Answer]:
    """Return what is measured in the answer at another value of the parameter; nothing where there is none."""
    variant, name = statement.variant, statement.parameter.name
    value = str(Fraction(float(statement.values[name])) + by)
    beside = Statement(
        statement.case,
        replace(variant, name=f"{variant.name},{name}={value}", changes={**variant.changes, name: value}),
    )
    try:
        run = Run(beside, runner.default_run(statement, scheme).settings, scheme)
        return runner.measured(run)
    except ParameterError as outside:
        raise NotJudged(f"{name} has no neighbours on both sides: {outside}") from None
    except (SolverFailure, SolverInputError):
        return {}


def linear(runner: Runner, statement: DerivativeStatement, scheme: str) -> Finding:
    """Compare derivatives with those along a tangent that is longer and points the other way.

    Raises `NotJudged` if nothing can be compared.
    """
    run = runner.default_run(statement, scheme)
    derivatives = runner.measured(run)
    longer = runner.measured(
        replace(run, statement=runner.find_once(LINEAR, statement, "", lambda: replace(statement, length=FACTOR)))
    )
    rows = []
    for quantity in statement.quantities:
        value, other = derivatives[quantity.name], longer[quantity.name]
        if isinstance(value, int | float) and isinstance(other, int | float):
            # error control may see the derivative, so that its steps change with the length
            admissible = TWICE * statement.tolerance(quantity).value
            change = abs(float(other) - float(value))
            rows.append(
                LevelRow(quantity=quantity.name, before=value, after=other, change=change, admissible=admissible)
            )
    what = f"Along a tangent that is {FACTOR:g} times as long the derivatives are so, too."
    return conclude(run, rows, what, "twice the criterion of the derivative, which both keep")


def restarted(runner: Runner, statement: DerivativeStatement, scheme: str) -> Finding:
    """Compare derivatives of later states with those of a motion that is started again half-way.

    It starts from the state and its derivative there: the chain rule. What was before must not matter otherwise.

    Raises
    ------
    NotJudged
        If the motion cannot be cut.
    """
    run = runner.default_run(statement, scheme)
    o = runner.observe(run)
    assert isinstance(o, TangentObservation)
    again = _start_again(runner, statement, run, o, find_cut(o))
    size = abs(o[o.tangent.parameter]) or 1.0
    common = np.intersect1d(again.response.time[again.tangent.time == 0], o.response.time)
    rows = []
    for instant in (common[common.size // 2], common[-1]):
        value, before = (_read_state(o.response.time, part, instant) for part in (o.response, o.slopes))
        after = _read_state(again.response.time, again.tangent, instant)
        rows += [
            LevelRow(
                quantity=f"{name}@{instant:g}",
                before=float(before[i]),
                after=float(after[i]),
                change=float(abs(after[i] - before[i])),
                admissible=float(RESTARTED * max(abs(before[i]), abs(value[i]) / size)),
            )
            for i, name in enumerate(_name_states(statement.problem))
        ]
    what = "Started again half-way from the state and its derivative, the motion has the same derivative later."
    return conclude(run, rows, what, "a thousandth of the derivative, or of the state over the parameter")


def find_cut(o: TangentObservation) -> int:
    """Return the place of the sample at an output instant about half-way at which nothing happens.

    Raises `NotJudged` if the motion cannot be cut.
    """
    problem: Problem = o.problem
    if problem.output_times is None or not _can_be_restarted(problem):
        raise NotJudged("the motion has an end of its own, constraints, memory, or no output instants: it is not cut")
    free = np.isin(o.response.time, problem.output_times) & ~np.isin(o.response.time, o.response.instants)
    places = np.flatnonzero(free)
    if places.size < FEWEST:
        raise NotJudged("there are too few output instants for a cut")
    return int(places[places.size // 2])


def _can_be_restarted(problem: Problem) -> bool:
    if isinstance(problem, MechanicalProblem):
        return restated_mechanical.can_be_restarted(problem)
    return isinstance(problem, InitialValueProblem) and restated_initial_value.can_be_restarted(problem)


def _start_again(
    runner: Runner, statement: DerivativeStatement, run: Run, o: TangentObservation, place: int
) -> Differentiated:
    """Return response and derivative of the motion from a sample on."""
    problem = statement.problem
    outputs = output_instants(problem)
    later = outputs[outputs >= o.response.time[place]]
    slopes = _read_state(o.response.time, o.slopes, o.response.time[place])
    if isinstance(problem, MechanicalProblem):
        cut: Problem = restated_mechanical.continued(problem, o.response, place)
        starts = [f"{field}[{i + 1}]" for field in STARTS for i in range(problem.size)]
    else:
        assert isinstance(problem, InitialValueProblem)
        cut = restated_initial_value.continued(problem, o.response, place)
        starts = [INITIAL + name for name in problem.unknowns]
    second = replace(cut, start=float(later[0]), output_times=later)
    numbers = {**statement.tangent.numbers, **dict(zip(starts, slopes.tolist(), strict=True))}
    answer = runner.gate.solve_tangent(second, Tangent(o.tangent.parameter, numbers), dict(run.settings))
    return read_differentiated(second, answer.content, runner.subject.name)


def _read_state(times: Floats, record: AnyResponse, instant: float) -> Floats:
    """Return the state (n,) of a record, or its derivative, at the instant of a sample: displacements, velocities."""
    place = np.searchsorted(times, instant)
    if isinstance(record, Trajectory):
        return np.asarray(record.states[place])
    return np.concatenate((record.displacement[place], record.velocity[place]))


def _name_states(problem: Problem) -> tuple[str, ...]:
    """Return the names of what `_read_state` reads."""
    if problem.kind == MechanicalProblem.kind:
        return (*problem.unknowns, *(f"{name}'" for name in problem.unknowns))
    return problem.unknowns


def conclude(run: Run, rows: Sequence[LevelRow], what: str, reason: str) -> Finding:
    """Return what a table of changes says: the worst one decides; raises `NotJudged` if it is empty."""
    if not rows:
        raise NotJudged("nothing can be compared")
    table = tuple(sorted(rows, key=share_of, reverse=True))
    worst = table[0]
    detail = f"{what} {worst.quantity}: {worst.before} and {worst.after}, admissible {worst.admissible:.3g}"
    allowed = Tolerance(1.0, "absolute", f"of what is admissible: {reason}")
    return Finding(run, share_of(worst), 0.0, share_of(worst), allowed, detail, table)


GRADIENT_CHECKS: Mapping[str, Callable[[Runner, DerivativeStatement, str], Finding]] = {
    OWN_DIFFERENCES: own_differences,
    LINEAR: linear,
    RESTARTED_MOTION: restarted,
}
"""What derivatives by a parameter are asked without truth, by name."""
