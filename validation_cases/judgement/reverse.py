"""Derivatives of states in reverse, held against those that a solver gives forward, or against proved ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.references.certified import Certified
from veridyn.references.derivatives import differentiate
from veridyn.references.parameters import exact
from veridyn.references.problems import hybrid
from veridyn.results import LevelRow
from veridyn.solver.contract.derivatives import Output, read_gradient
from veridyn.solver.contract.responses import AnyResponse, Trajectory, output_instants
from veridyn.solver.contract.statements import FORWARD
from veridyn.validation_cases.judgement.derivatives import DerivativeStatement, TangentObservation, settle_soon
from veridyn.validation_cases.judgement.gradients import conclude
from veridyn.validation_cases.judgement.judge import Finding
from veridyn.validation_cases.judgement.runner import NotJudged, Runner

REVERSE_CHECK = "reverse"
DIGITS = 15  # of a proved derivative
ADMISSIBLE = 1e-4  # of the derivative, or of the state over the parameter where that is larger

Pairs = Mapping[Output, tuple[float, float]]
"""States at instants: the value and its derivative."""


def reverse(runner: Runner, statement: DerivativeStatement, scheme: str) -> Finding:
    """Compare derivatives of states in reverse with those forward, or with proved ones where there are none.

    The states are those at half of the output instants, and at the last.

    Raises
    ------
    NotJudged
        If nothing is proved either.
    SolverFailure, CapabilityError
        If the solver has no derivatives.
    """
    offers_forward = FORWARD in runner.subject.capabilities
    pairs = _read_forward(runner, statement, scheme) if offers_forward else _prove(statement)
    rows = [_compare(statement, str(each), pair, _ask(runner, statement, scheme, each)) for each, pair in pairs.items()]
    whose = "the solver gives forward" if offers_forward else "are proved"
    what = f"The derivatives of states by {statement.parameter.name} in reverse are those that {whose}."
    return conclude(runner.default_run(statement, scheme), rows, what, "a ten-thousandth of the derivative")


def _list_outputs(statement: DerivativeStatement) -> Iterator[Output]:
    instants = output_instants(statement.problem)
    for instant in (instants[instants.size // 2], instants[-1]):
        yield from (Output(state, float(instant)) for state in statement.problem.unknowns)


def _compare(statement: DerivativeStatement, name: str, pair: tuple[float, float], answer: float) -> LevelRow:
    value, derivative = pair
    scale = max(abs(derivative), abs(value) / (abs(float(statement.values[statement.parameter.name])) or 1.0))
    change = abs(answer - derivative)
    return LevelRow(quantity=name, before=derivative, after=answer, change=change, admissible=ADMISSIBLE * scale)


def _ask(runner: Runner, statement: DerivativeStatement, scheme: str, output: Output) -> float:
    """Return the derivative of a state, as the solver answers in reverse."""
    numbers, settings = statement.tangent.numbers, dict(runner.default_run(statement, scheme).settings)
    answer = runner.gate.solve_cotangent(statement.problem, {str(output): 1.0}, list(numbers), settings)
    gradient = read_gradient(answer.content, list(numbers), runner.subject.name)
    return sum(gradient[name] * slope for name, slope in numbers.items())


def _read_forward(runner: Runner, statement: DerivativeStatement, scheme: str) -> Pairs:
    """Return states and their derivatives as the solver answers forward."""
    o = runner.observe(runner.default_run(statement, scheme))
    assert isinstance(o, TangentObservation)
    pairs: dict[Output, tuple[float, float]] = {}
    for output in _list_outputs(statement):
        place, column = np.flatnonzero(o.response.time == output.at), statement.problem.unknowns.index(output.name)
        if place.size:
            pairs[output] = _read(o.response, place[0], column), _read(o.slopes, place[0], column)
    return pairs


def _read(record: AnyResponse, place: int, column: int) -> float:
    """Return a state or a displacement of a sample."""
    return float((record.states if isinstance(record, Trajectory) else record.displacement)[place, column])


def _prove(statement: DerivativeStatement) -> Pairs:
    """Return states and their derivatives as they are proved."""
    problem, name = statement.problem, statement.parameter.name
    if not isinstance(problem, InitialValueProblem):
        raise NotJudged("derivatives of displacements are not proved one by one: offer derivatives forward as well")
    if set(statement.tangent.numbers) != {name}:
        raise NotJudged(f"{name} moves several numbers of the problem: the derivative of its states is not proved")
    motion = hybrid.motion(problem)
    values = {each: exact(str(value), each) for each, value in problem.parameters.items()}
    pairs: dict[Output, tuple[float, float]] = {}
    for output in _list_outputs(statement):
        compute = settle_soon(motion.value(output.name, repr(output.at)).compute)
        value, derivative = compute(values, DIGITS), differentiate(compute, values, (name,), DIGITS)
        if _is_number(value) and _is_number(derivative):
            pairs[output] = float(value), float(derivative)
    return pairs


def _is_number(value: Certified) -> bool:
    return value.value is not None and not isinstance(value.value, str)
