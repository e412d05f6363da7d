"""Derivatives of what a solver answers: forward along a tangent, in reverse from named outputs to named numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from veridyn.problem.mechanical import Floats, Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.responses import (
    AnyResponse,
    Response,
    Trajectory,
    read_history,
    read_matrix,
    read_response,
)
from veridyn.solver.contract.statements import Settings


@dataclass(frozen=True, eq=False)
class Differentiated:
    """A response, and its derivative by one parameter: the same record, a derivative in the place of each number.

    It is what automatic differentiation of a solve gives. An output instant stays: its time has the derivative 0.
    The sample of an event moves with it: its time has the derivative of the instant, its state that of the state that
    begins there, on the moving instant (with s the derivative at a fixed instant and f the rates: s + f dτ/dp).
    """

    response: AnyResponse
    tangent: AnyResponse


class ForwardSolver(Solver, Protocol):
    """A solver with the capability ``derivatives:forward``."""

    # Any: the problem is of the kind that the capabilities say
    def solve_tangent(
        self, problem: Any, tangent: Tangent, settings: Settings, /
    ) -> Differentiated | Mapping[str, object]:
        """Return the response and its derivative along a tangent: a record, or a mapping with the same names.

        Of the tangent ``time`` may be left out where events say how their samples move, and what a response may leave
        out. Raises what `Solver.solve` raises; `NotImplementedError` for a number that it cannot differentiate by.
        """


class ReverseSolver(Solver, Protocol):
    """A solver with the capability ``derivatives:reverse``."""

    def solve_cotangent(
        self, problem: Any, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings, /
    ) -> Mapping[str, float]:
        """Return the derivatives of a weighted sum of outputs by numbers of the problem, by their names.

        ``cotangents`` are the weights by output, see `read_output`; ``numbers`` are names as a `Tangent` has them.
        Raises what `ForwardSolver.solve_tangent` raises.
        """


@dataclass(frozen=True)
class Output:
    """A number of a response: a state or coordinate by its name ``at`` an instant (s), or an event by its ``number``.

    Events are counted from 1; 0: it is a state.
    """

    name: str
    at: float = math.nan
    number: int = 0

    def __str__(self) -> str:
        return f"{self.name}#{self.number}" if self.number else f"{self.name}@{self.at!r}"


def read_output(text: str) -> Output:
    """Read an output: ``y@2.0``, the state y at 2 s; ``impact#2``, the instant of the second impact.

    Raises ValueError if it is neither.
    """
    name, sign, rest = text.partition("#") if "#" in text else text.partition("@")
    if not (name and rest):
        raise ValueError(f"{text!r} is no output; write y@2.0 or impact#2")
    return Output(name, number=int(rest)) if sign == "#" else Output(name, at=float(rest))


# ---- reading


def read_differentiated(problem: Problem, answer: object, solver: str) -> Differentiated:
    """Check what a solver returned for a tangent, and bring it into one form.

    Histories of a response without a derivative are left out of it: what needs them is not judged.

    Raises
    ------
    SolverFailure
        If response or tangent is missing or wrong: another shape than the response, NaN, an event without derivatives.
    """
    source = vars(answer) if isinstance(answer, Differentiated) else answer
    if not isinstance(source, Mapping) or not {"response", "tangent"} <= set(source):
        raise SolverFailure(f"{solver} returned no response and tangent; a Differentiated or a dict of both is needed")
    response = read_response(problem, source["response"], solver)
    stated = source["tangent"]
    parts = vars(stated) if isinstance(stated, Response | Trajectory) else stated
    if not isinstance(parts, Mapping):
        raise SolverFailure(f"{solver} returned a tangent that is no record and no dict of arrays")
    if isinstance(response, Trajectory):
        return _read_trajectory(response, parts, solver)
    return _read_mechanical(response, parts, solver)


def _read_trajectory(response: Trajectory, parts: Mapping[str, object], solver: str) -> Differentiated:
    time, events = _read_instants(response, parts, solver)
    states = _read_rows(solver, parts, "states", response.states)
    before = _read_by_name(solver, parts, "before", response.before)
    tangent = Trajectory(time, states, events, before)
    return Differentiated(replace(response, before=_keep(response.before, before)), tangent)


def _read_mechanical(response: Response, parts: Mapping[str, object], solver: str) -> Differentiated:
    time, events = _read_instants(response, parts, solver)
    displacement, velocity = (
        _read_rows(solver, parts, name, getattr(response, name)) for name in ("displacement", "velocity")
    )
    stated, elements = parts.get("elements") or {}, {}
    if not isinstance(stated, Mapping) or not all(isinstance(each, Mapping) for each in stated.values()):
        raise SolverFailure(f"{solver} returned a tangent of elements that is not histories by element and name")
    for name, histories in stated.items():
        of_element = {"elements of " + name: histories}
        elements[name] = _read_by_name(solver, of_element, "elements of " + name, response.elements.get(name, {}))
    kept = {name: _keep(response.elements[name], elements[name]) for name in elements}
    # numbers that the solver took over all steps itself have no derivative here: what needs them is not judged
    return Differentiated(
        replace(response, elements=kept, quantities={}), Response(time, displacement, velocity, elements, events=events)
    )


def _keep(values: Mapping[str, Floats], names: Mapping[str, object]) -> dict[str, Floats]:
    return {name: value for name, value in values.items() if name in names}


def _read_rows(solver: str, parts: Mapping[str, object], name: str, like: Floats) -> Floats:
    if name not in parts:
        raise SolverFailure(f"{solver} returned a tangent without {name}")
    return read_matrix(solver, f"tangent of {name}", parts[name], *like.shape)


def _read_by_name(solver: str, parts: Mapping[str, object], name: str, like: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return arrays by name, each of the shape of its like."""
    stated = parts.get(name) or {}
    if not isinstance(stated, Mapping):
        raise SolverFailure(f"{solver} returned a tangent of {name} that is no array by name")
    for each in stated:
        if each not in like:
            raise SolverFailure(f"{solver} returned a tangent of {name} {each!r}; the response has {sorted(like)}")
    result = {}
    for each, value in stated.items():
        array = read_history(solver, f"tangent of {name} {each}", value)
        if array.shape != like[each].shape:
            shapes = f"{array.shape}; {like[each].shape} is needed"
            raise SolverFailure(f"{solver} returned a tangent of {name} {each} of shape {shapes}")
        result[each] = array
    return result


def _read_instants(response: AnyResponse, parts: Mapping[str, object], solver: str) -> tuple[Floats, dict[str, Floats]]:
    """Return the derivatives of the samples' instants (m,) and of the events' (k,) by name, which say the first."""
    stated = _read_by_name(solver, parts, "events", response.events)
    time = _read_times(response, parts, solver)
    for name, instants in response.events.items():
        if instants.size and name not in stated and parts.get("time") is None:
            raise SolverFailure(f"{solver} returned a tangent without events of {name}: how do its instants move?")
        if name in stated:
            time[np.searchsorted(response.time, instants)] = stated[name]
    return time, {name: time[np.searchsorted(response.time, each)] for name, each in response.events.items()}


def _read_times(response: AnyResponse, parts: Mapping[str, object], solver: str) -> Floats:
    if parts.get("time") is None:
        return np.zeros(response.time.size)
    time = read_history(solver, "tangent of time", parts["time"])
    if time.shape != response.time.shape:
        raise SolverFailure(
            f"{solver} returned a tangent of time of shape {time.shape}; {response.time.shape} is needed"
        )
    return time


def read_gradient(answer: object, numbers: Sequence[str], solver: str) -> dict[str, float]:
    """Return a gradient by the names of numbers; raises `SolverFailure` if one is missing, unknown or not finite."""
    if not isinstance(answer, Mapping):
        raise SolverFailure(f"{solver} returned {type(answer).__name__}; derivatives by name of number are needed")
    for name in answer:
        if name not in numbers:
            raise SolverFailure(f"{solver} returned a derivative by {name!r}; asked for are {', '.join(numbers)}")
    missing = [name for name in numbers if name not in answer]
    if missing:
        raise SolverFailure(f"{solver} returned no derivative by {missing[0]}")
    result = {name: read_history(solver, f"derivative by {name}", answer[name]) for name in numbers}
    for name, value in result.items():
        if value.size != 1:
            raise SolverFailure(f"{solver} returned a derivative by {name} of {value.size} numbers; one is needed")
    return {name: float(value.reshape(())) for name, value in result.items()}


# ---- neighbours


def move(pair: Differentiated, by: float) -> AnyResponse:
    """Return the response of a neighbour: that of a parameter which is larger ``by`` so much, to first order."""
    response, tangent = pair.response, pair.tangent
    events = {name: instants + by * tangent.events[name] for name, instants in response.events.items()}
    time = response.time + by * tangent.time
    if isinstance(response, Trajectory) and isinstance(tangent, Trajectory):
        before = {name: states + by * tangent.before[name] for name, states in response.before.items()}
        return replace(response, time=time, states=response.states + by * tangent.states, events=events, before=before)
    assert isinstance(response, Response)
    assert isinstance(tangent, Response)
    elements = {
        name: {key: history + by * tangent.elements[name][key] for key, history in histories.items()}
        for name, histories in response.elements.items()
    }
    moved = {name: getattr(response, name) + by * getattr(tangent, name) for name in ("displacement", "velocity")}
    return replace(response, time=time, events=events, elements=elements, **moved)
