"""Derivatives of the quantities of a case by one of its parameters: quantities of their own, measured in neighbours.

A solver returns a response and its derivative. Both together give the response of a neighbour, whose parameter is a
little larger, to first order. So each measure of a case can be differentiated: it reads four neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.named_numbers import match_numbers
from veridyn.problem.tangent import Tangent, name_numbers
from veridyn.problem.variations import shift
from veridyn.references.certified import Certified, compute_in_time
from veridyn.references.derivatives import Compute
from veridyn.references.parameters import Exact, Parameter
from veridyn.references.reference import DIGITS
from veridyn.solver.contract.derivatives import Differentiated, move, read_differentiated
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.gate import Gate, TimedAnswer
from veridyn.solver.contract.responses import AnyResponse
from veridyn.solver.contract.statements import Settings
from veridyn.validation_cases.judgement.case import Case, Floats, Measure, Observation, Quantity, Values, read_once
from veridyn.validation_cases.judgement.followed_numbers import follow_numbers
from veridyn.validation_cases.judgement.proved_derivatives import differentiate_truth
from veridyn.validation_cases.judgement.relations import Relation
from veridyn.validation_cases.judgement.samples import choose, choose_every_second, with_fewer_digits
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.tolerances import Tolerance

STEP = 1e-4  # of the parameter: the error of the formula is its fourth power, rounding a millionth of a millionth
SHORTER = 1e-5  # of the parameter, where events move far: else all of a contact is left out around them
SMALLEST = 1e-6  # of the parameter, where events lie close to each other; rounding is 1e-10 then
NEAREST = 10.0  # steps that the instant of an event is away from the samples beside it
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}  # weights of neighbours: the derivative to fourth order
LOST = 100.0  # a derivative may be wrong by two digits more than the quantity itself: no document asks for any
MOST = 0.1  # of its scale, however wide the criterion of the quantity is
MOST_PARAMETERS = 1  # of a case that states none: each costs as many solves as the case itself, and proofs
SECONDS = 30.0  # that the proof of a derivative may take: the first bears the motion, which the others share
BY = " by "  # between the names of quantity and parameter


# ---- truth


def settle_soon(compute: Compute) -> Compute:
    """Return what gives values in the time that a proof has here, or says how far it came."""

    def settle(values: Values, digits: int) -> Certified:
        return compute_in_time(partial(compute, values, digits), SECONDS)

    return settle


# ---- what is measured


@dataclass(frozen=True)
class TangentObservation(Observation):
    """An observation with the derivative of the response, a record like it, along a tangent."""

    slopes: AnyResponse = field(kw_only=True)
    tangent: Tangent = field(kw_only=True)
    length: float = field(default=1.0, kw_only=True)  # of the tangent: how fast it says that the parameter grows

    def thin(self, half: int, printed: float | None) -> TangentObservation:
        """Return what is seen in every second sample; see `Observation.thin`."""
        kept = choose_every_second(self.response, half)
        response, slopes = (with_fewer_digits(choose(each, kept), printed) for each in (self.response, self.slopes))
        return replace(self, response=response, slopes=slopes)


def differentiate_measure(measure: Measure, o: Observation, *, at_samples: bool = False) -> float:
    """Return the derivative of what a measure reads, by the parameter of the tangent.

    ``at_samples``: whether it reads an instant from samples where no events are reported; see `Quantity`.

    Raises
    ------
    CapabilityError
        If an instant would be read from samples, which stand still.
    SolverFailure
        If it reads no number in a neighbour; what the measure raises.
    """
    assert isinstance(o, TangentObservation)
    if at_samples and not o.response.events:
        raise CapabilityError("the instant is read from samples, which do not move: report the events")
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
    pair, step = keep_apart(Differentiated(o.response, o.slopes), (abs(o[name]) or 1.0) / abs(o.length))
    step *= o.length  # of the parameter
    return step, {
        place: Observation(
            {**o.values, name: Exact(Fraction(o[name]) + Fraction(place * step))},
            shift(o.problem, o.tangent, place * step / o.length),
            move(pair, place * step / o.length),
        )
        for place in STENCIL
    }


def keep_apart(pair: Differentiated, size: float) -> tuple[Differentiated, float]:
    """Return a pair, and a step of a parameter of some size, so that no event passes a sample as it moves.

    Samples that an event would come near to are left out; between two events the step is made smaller. Where events
    accumulate none is small enough: those that are next to each other move together.
    """
    time, moves = pair.response.time, pair.tangent.time
    is_event = np.isin(time, pair.response.instants)
    step = _choose_step(time, moves, is_event, size)
    kept = np.ones(time.size, dtype=bool)
    for i in np.flatnonzero(is_event & (moves != 0)):
        kept &= is_event | (np.abs(time - time[i]) > NEAREST * step * abs(moves[i]))
    kept[[0, -1]] = True
    response, tangent = choose(pair.response, kept), choose(pair.tangent, kept)
    gaps, closing = np.diff(response.time), np.abs(np.diff(tangent.time))
    meet = np.divide(gaps, NEAREST * closing, out=np.full(gaps.size, np.inf), where=closing > 0)
    # the first and the last sample stay where they are; events may be next to each other without end
    are_events = np.logical_and(*(np.isin(part, response.instants) for part in (response.time[:-1], response.time[1:])))
    meet[are_events] = np.maximum(meet[are_events], SMALLEST * size)
    step = min(step, float(meet.min()))
    return Differentiated(response, _tie_together(response, tangent, step)), step


def _choose_step(time: Floats, moves: Floats, is_event: NDArray[np.bool_], size: float) -> float:
    """Return the step of a parameter of some size for which events do not leave the samples beside them, if it can."""
    inner = np.flatnonzero(is_event & (moves != 0))
    inner = inner[(inner > 0) & (inner < time.size - 1)]
    reached = (time[inner + 1] - time[inner - 1]) / (NEAREST * np.abs(moves[inner]))
    return float(np.clip(reached.min(initial=np.inf), SHORTER * size, STEP * size))


def _tie_together(response: AnyResponse, tangent: AnyResponse, step: float) -> AnyResponse:
    """Return a tangent along which samples that would meet, for all that the step is small, move together."""
    moves = tangent.time.copy()
    for i in range(1, moves.size):
        if abs(moves[i] - moves[i - 1]) * step * NEAREST > 1.01 * (response.time[i] - response.time[i - 1]):
            moves[i] = moves[i - 1]
    events = {name: moves[np.searchsorted(response.time, each)] for name, each in response.events.items()}
    return replace(tangent, time=moves, events=events)


# ---- quantities


@dataclass(frozen=True)
class DerivedQuantity(Quantity):
    """The derivative of a quantity by a parameter."""

    base: Quantity = field(kw_only=True)
    parameter: str = field(kw_only=True)

    def truth(self, values: Values, digits: int = DIGITS) -> Certified:
        """Return the proved derivative."""
        return differentiate_truth(self.base, values, (self.parameter,), digits, settle_soon(self.base.truth))


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
        measure=partial(differentiate_measure, quantity.measure, at_samples=quantity.at_samples),
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
    length: float = field(default=1.0, kw_only=True)  # of the tangent that a solver gets

    @cached_property
    def differentiated(self) -> tuple[DerivedQuantity, ...]:
        """The derivatives of all numbers that tend to the truth; to list them computes no truth, which takes long."""
        residuals = self.case.residuals
        numbers = (q for q in self.case.measured(self.variant) if q.converges and q not in residuals)
        smooth = (q for q in numbers if q.tolerance(self.values).kind != "exact")
        return tuple(differentiate_quantity(quantity, self.parameter) for quantity in smooth)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Those whose errors can be related to a size."""
        return tuple(quantity for quantity in self.differentiated if quantity.base.size(self.values))

    @cached_property
    def tangent(self) -> Tangent:
        """How the numbers of the problem follow the parameter; raises `CapabilityError` where the case has none."""
        if self.case.no_derivatives:
            raise CapabilityError(self.case.no_derivatives)
        numbers = follow_numbers(self.pose, self.values, self.parameter.name)
        return Tangent(self.parameter.name, {name: slope * self.length for name, slope in numbers.items()})

    @property
    def pose(self) -> Callable[[Values], Problem]:
        """What states the problem at other values of the parameters."""
        return self.variant.problem or self.case.problem

    @property
    def magnified(self) -> float:
        """Digits that a solver claims of values are two fewer of derivatives, which neighbours are read for."""
        return LOST

    @property
    def label(self) -> str:
        """What tells it from other statements."""
        return f"{super().label}/{self.parameter.name} {self.length:g}"

    def ask(self, gate: Gate, problem: Problem, settings: Settings) -> TimedAnswer:
        """Return response and derivative as a solver answers."""
        return gate.solve_tangent(problem, rename_numbers(self.tangent, self.problem, problem), settings)

    def read(self, problem: Problem, answer: object, solver: str) -> Observation:
        """Return an answer as measures look at it."""
        pair = read_differentiated(problem, answer, solver)
        return self.observe(pair)

    def observe(self, pair: Differentiated) -> TangentObservation:
        """Return a response and its derivative as measures look at them."""
        return TangentObservation(
            self.values, self.problem, pair.response, slopes=pair.tangent, tangent=self.tangent, length=self.length
        )

    def observe_otherwise(self, relation: Relation, ask: Callable[[Problem], object], solver: str) -> Observation:
        """Return what is observed through a relation that only changes names and order.

        What it does to a response it does to a derivative.
        """
        pairs: list[Differentiated] = []

        def solve(problem: Problem) -> AnyResponse:
            pairs.append(read_differentiated(problem, ask(problem), solver))
            return pairs[-1].response

        response = relation.answer(solve, self.problem)
        again = iter(pairs)
        return self.observe(Differentiated(response, relation.answer(lambda _: next(again).tangent, self.problem)))


def rename_numbers(tangent: Tangent, problem: Problem, other: Problem) -> Tangent:
    """Return a tangent for the same problem as a relation states it.

    One that renames gives the problem another name as well, and leaves its numbers in their order. Others keep names,
    but for the places of coordinates that are in another order.
    """
    if other.name != problem.name:
        names = dict(zip(name_numbers(problem), name_numbers(other), strict=True))
    elif isinstance(problem, MechanicalProblem) and isinstance(other, MechanicalProblem):
        names = match_numbers(problem, other)
    else:
        return tangent
    return Tangent(tangent.parameter, {names[name]: value for name, value in tangent.numbers.items()})


def find_statement(statement: Statement, checked: str) -> Statement:
    """Return what a check of a statement, by its name, is asked of: that of derivatives where it names a parameter."""
    name = checked.rpartition(BY)[2] if BY in checked else ""
    parameter = next((each for each in statement.case.parameters if each.name == name), None)
    return DerivativeStatement(statement.case, statement.variant, parameter=parameter) if parameter else statement


def list_statements(case: Case, statement: Statement, *, brief: bool) -> list[DerivativeStatement]:
    """Return a statement once for each parameter of the case that derivatives are taken to.

    These are the parameters that the case states. Where it states none, and a run is not ``brief``, they are the first
    number among its parameters that the numbers of its problem follow.
    """
    names = [p for p in case.parameters if p.rule != "whole" and not p.among]
    derived = (DerivativeStatement(case, statement.variant, parameter=parameter) for parameter in names)
    if case.derivatives or brief:
        return [each for each in derived if each.parameter.name in case.derivatives]
    return _choose_followed(statement.problem, list(derived))


def _choose_followed(problem: Problem, derived: list[DerivativeStatement]) -> list[DerivativeStatement]:
    """Return the first derivatives of those whose parameter moves the problem; where none does, one to say why."""
    if isinstance(problem, InitialValueProblem):
        return [each for each in derived if each.parameter.name in problem.parameters][:MOST_PARAMETERS]
    if not isinstance(problem, MechanicalProblem):
        return []
    followed: list[DerivativeStatement] = []
    for each in derived:
        with suppress(CapabilityError):
            followed += [each] if each.tangent.numbers else []
        if len(followed) == MOST_PARAMETERS:
            break
    return followed or derived[:1]
