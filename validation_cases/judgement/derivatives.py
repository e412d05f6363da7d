"""Derivatives of the quantities of a case by one of its parameters: quantities of their own, measured in neighbours.

A solver returns a response and its derivative. Both together give the response of a neighbour, whose parameter is a
little larger, to first order. So each measure of a case can be differentiated: it reads four neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Problem
from veridyn.problem.tangent import Tangent
from veridyn.problem.variations import shift
from veridyn.references.certified import Certified, forget, undefined
from veridyn.references.deadline import OutOfTime, time_limit
from veridyn.references.derivatives import Compute
from veridyn.references.parameters import Exact, Parameter
from veridyn.references.reference import DIGITS
from veridyn.solver.contract.derivatives import Differentiated, move, read_differentiated
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.gate import Gate, TimedAnswer
from veridyn.solver.contract.responses import AnyResponse
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.case import Case, Measure, Observation, Quantity, Values, read_once
from veridyn.validation_cases.judgement.proved_derivatives import differentiate_truth
from veridyn.validation_cases.judgement.samples import choose, choose_every_second, with_fewer_digits
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance

STEP = 1e-4  # of the parameter: the error of the formula is its fourth power, rounding a millionth of a millionth
NEAREST = 10.0  # steps that the instant of an event is away from the samples beside it
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}  # weights of neighbours: the derivative to fourth order
LOST = 10.0  # a derivative may be wrong by a digit more than the quantity itself
MOST = 0.1  # of its scale, however wide the criterion of the quantity is
SECONDS = 10.0  # that the proof of a derivative may take
BY = " by "  # between the names of quantity and parameter


# ---- truth


def _settle_soon(compute: Compute) -> Compute:
    """Return what gives values in the time that a proof has here, or says how far it came."""

    def settle(values: Values, digits: int) -> Certified:
        try:
            with time_limit(SECONDS):
                return compute(values, digits)
        except OutOfTime as reached:
            forget()  # motions that were left half-way
            return undefined(f"its proof does not come within {SECONDS:g} s: it came to {reached}")

    return settle


# ---- what is measured


@dataclass(frozen=True)
class TangentObservation(Observation):
    """An observation with the derivative of the response, a record like it, along a tangent."""

    slopes: AnyResponse = field(kw_only=True)
    tangent: Tangent = field(kw_only=True)

    def thin(self, half: int, printed: float | None) -> TangentObservation:
        """Return what is seen in every second sample; see `Observation.thin`."""
        kept = choose_every_second(self.response, half)
        response, slopes = (with_fewer_digits(choose(each, kept), printed) for each in (self.response, self.slopes))
        return replace(self, response=response, slopes=slopes)


def differentiate_measure(measure: Measure, o: Observation) -> float:
    """Return the derivative of what a measure reads, by the parameter of the tangent.

    Raises `SolverFailure` if it reads no number in a neighbour; what the measure raises.
    """
    assert isinstance(o, TangentObservation)
    step, neighbours = list_neighbours(o)
    total = 0.0
    for place, weight in STENCIL.items():
        value = measure(neighbours[place])
        if not isinstance(value, int | float):
            raise SolverFailure(f"it is {value} in the response of a neighbour: there is nothing to differentiate")
        total += weight * value
    return total / step


@read_once
def list_neighbours(o: Observation) -> tuple[float, Mapping[int, Observation]]:
    """Return the step of the parameter, and what is seen of neighbours so many steps away."""
    assert isinstance(o, TangentObservation)
    name = o.tangent.parameter
    pair, step = keep_apart(Differentiated(o.response, o.slopes), STEP * (abs(o[name]) or 1.0))
    return step, {
        place: Observation(
            {**o.values, name: Exact(Fraction(o[name]) + Fraction(place * step))},
            shift(o.problem, o.tangent, place * step),
            move(pair, place * step),
        )
        for place in STENCIL
    }


def keep_apart(pair: Differentiated, step: float) -> tuple[Differentiated, float]:
    """Return a pair, and a step of the parameter, so that no event passes a sample as it moves.

    Samples that an event would come near to are left out; between two events the step is made smaller.
    """
    time, moves = pair.response.time, pair.tangent.time
    is_event = np.isin(time, pair.response.instants)
    kept = np.ones(time.size, dtype=bool)
    for i in np.flatnonzero(is_event & (moves != 0)):
        kept &= is_event | (np.abs(time - time[i]) > NEAREST * step * abs(moves[i]))
    kept[[0, -1]] = True
    response, tangent = choose(pair.response, kept), choose(pair.tangent, kept)
    gaps, closing = np.diff(response.time), np.abs(np.diff(tangent.time))
    smallest = np.min(gaps[closing > 0] / closing[closing > 0], initial=np.inf)
    return Differentiated(response, tangent), min(step, float(smallest) / NEAREST)


# ---- quantities


@dataclass(frozen=True)
class DerivedQuantity(Quantity):
    """The derivative of a quantity by a parameter."""

    base: Quantity = field(kw_only=True)
    parameter: str = field(kw_only=True)

    def truth(self, values: Values, digits: int = DIGITS) -> Certified:
        """Return the proved derivative."""
        return differentiate_truth(self.base, values, (self.parameter,), digits, _settle_soon(self.base.truth))


def differentiate_quantity(quantity: Quantity, parameter: Parameter) -> DerivedQuantity:
    """Return the derivative of a quantity by a parameter, with the criterion of the quantity and a digit less."""
    assert quantity.measure is not None
    name = f"{quantity.name}{BY}{parameter.name}"

    def scale(values: Values) -> float:
        return quantity.size(values) / (abs(float(values[parameter.name])) or 1.0)

    def admit(values: Values) -> Tolerance:
        stated, size = quantity.tolerance(values), quantity.size(values)
        share = stated.value if stated.kind == "relative" else stated.value / size
        allowed = min(LOST * share, MOST)
        reason = (
            f"{allowed:.2g} of the scale, that of {quantity.name} over that of {parameter.name}: as {stated.reason}"
        )
        return Tolerance(allowed * derived.size(values), "absolute", reason)

    derived = DerivedQuantity(
        name=name,
        unit=_over(quantity.unit, parameter.unit),
        definition=f"derivative by {parameter.name} of: {quantity.definition}",
        reference=quantity.reference,
        measure=partial(differentiate_measure, quantity.measure),
        criterion=admit,
        scale=scale,
        at_samples=quantity.at_samples,
        applies=quantity.applies,
        absent=quantity.absent,
        observable=quantity.observable,
        base=quantity,
        parameter=parameter.name,
    )
    return derived


def _over(unit: str, other: str) -> str:
    if other in ("", "1"):
        return unit
    return f"{unit or '1'}/({other})" if any(sign in other for sign in "/* ") else f"{unit or '1'}/{other}"


# ---- statements


@dataclass(frozen=True, eq=False)
class DerivativeStatement(Statement):
    """A variant of a case with the derivatives of its quantities by a parameter."""

    parameter: Parameter = field(kw_only=True)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The derivatives of all numbers that tend to the truth."""
        residuals = self.case.residuals
        numbers = (q for q in self.case.measured(self.variant) if q.converges and q not in residuals)
        smooth = (q for q in numbers if q.tolerance(self.values).kind != "exact" and q.size(self.values))
        return tuple(differentiate_quantity(quantity, self.parameter) for quantity in smooth)

    @cached_property
    def tangent(self) -> Tangent:
        """How the numbers of the problem follow the parameter."""
        return Tangent(self.parameter.name, {self.parameter.name: 1.0})

    @property
    def label(self) -> str:
        """What tells it from other statements."""
        return f"{super().label}/{self.parameter.name}"

    def ask(self, gate: Gate, problem: Problem, settings: Settings) -> TimedAnswer:
        """Return response and derivative as a solver answers."""
        return gate.solve_tangent(problem, self.tangent, settings)

    def read(self, problem: Problem, answer: object, solver: str) -> Observation:
        """Return an answer as measures look at it."""
        pair = read_differentiated(problem, answer, solver)
        return TangentObservation(self.values, self.problem, pair.response, slopes=pair.tangent, tangent=self.tangent)


def list_statements(case: Case, statement: Statement) -> list[DerivativeStatement]:
    """Return a statement once for each parameter of the case that derivatives are taken to.

    These are the numbers among its parameters that are parameters of its initial value problem.
    """
    problem = statement.problem
    if not isinstance(problem, InitialValueProblem):
        return []
    names = (p for p in case.parameters if p.name in problem.parameters and p.rule != "whole" and not p.among)
    return [DerivativeStatement(case, statement.variant, parameter=parameter) for parameter in names]
