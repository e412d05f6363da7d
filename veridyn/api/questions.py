"""What is asked of any problem: motions, forces of stops, work of frictions, agreement of parts; events, invariants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from veridyn.api.proofs import (
    Proof,
    prove_count,
    prove_end,
    prove_instant,
    prove_largest,
    prove_mean,
    prove_sum,
    prove_top,
)
from veridyn.problem.expressions import Expr
from veridyn.problem.generated import over
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.references.mechanics.frictions import power_of
from veridyn.references.mechanics.stops import push_of
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response, Trajectory
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import resampled
from veridyn.validation_cases.judgement.case import Number, Observation, Quantity
from veridyn.validation_cases.measures import consistency
from veridyn.validation_cases.measures.curves import top
from veridyn.validation_cases.measures.trajectories import instants, parts

Read = Callable[[Any], Number]
Size = Callable[[Any], float]

MOST = 6  # degrees of freedom that are asked for; those come first on which something acts


@dataclass(frozen=True)
class Question:
    """A number of a response, and the size (in its unit) to which differences of it are related.

    ``vanishes``: it is zero by the statement of the problem. ``proof``: how its truth follows from proved values; None
    for a function of the response.
    """

    name: str
    unit: str
    definition: str
    read: Read
    size: Size
    vanishes: bool = False
    proof: Proof | None = None


def questions(problem: Problem, more: Mapping[str, Read]) -> tuple[Question, ...]:
    """Return what is asked of a problem: what every problem has, and functions of the response that the user gives."""
    given = ((name, partial(_number, read, name)) for name, read in more.items())
    own = (Question(name, "", f"{name}, given by the user", read, lambda _: 0.0) for name, read in given)
    return (*(question for ask in ASKED[problem.kind] for question in ask(problem)), *own)


# ---- initial value problems


def _states(problem: InitialValueProblem) -> Iterator[Question]:
    for i, name in enumerate(problem.unknowns[:MOST]):
        size = partial(_peak, problem, name)
        yield Question(
            f"{name}_end", "", f"{name} at the end", partial(_last, "states", i), size, proof=prove_end(name)
        )
        yield Question(
            f"{name}_largest", "", f"largest absolute value of {name}", size, size, proof=prove_largest(name)
        )
        mean, what = partial(_mean, problem, name), f"root mean square of {name}"
        yield Question(f"{name}_rms", "", what, mean, size, proof=prove_mean(name))


def _last(what: str, i: int, r: Response | Trajectory) -> float:
    return float(getattr(r, what)[-1, i])


def _peak(problem: InitialValueProblem, name: str, r: Trajectory) -> float:
    there = list(parts(Observation({}, problem, r), name))
    return max(max(top(part.times, part.values), top(part.times, -part.values)) for part in there)


def _mean(problem: InitialValueProblem, name: str, r: Trajectory) -> float:
    squares = (_integral(part.times, part.on, 2) for part in parts(Observation({}, problem, r), name))
    return math.sqrt(sum(squares) / (r.time[-1] - r.time[0]))


def _integral(times: Floats, read: Callable[[Floats], Floats], power: int = 1) -> float:
    """Return the integral of a power of a history over the time: two Gauss points between samples (m,)."""
    half, middle = 0.5 * np.diff(times), 0.5 * (times[1:] + times[:-1])
    places = np.concatenate((middle - half / math.sqrt(3), middle + half / math.sqrt(3)))
    return float(np.tile(half, 2) @ read(places) ** power) if half.size else 0.0


def _events(problem: InitialValueProblem) -> Iterator[Question]:
    """Yield how often an event happens, unless it does so without end, and when for the first and the last time."""
    endless = problem.accumulation.event if problem.accumulation else ""
    for name in problem.event_names:
        first, last = (partial(_instant, problem, name, place) for place in (0, -1))
        if name != endless:
            number, what = partial(_count, problem, name), f"number of {name}"
            yield Question(f"{name}_count", "1", what, number, lambda _: 1.0, proof=prove_count(name))
            proof = prove_instant(name, last=True)
            yield Question(f"{name}_last", "s", f"last instant of {name}", last, _span, proof=proof)
        yield Question(f"{name}_first", "s", f"first instant of {name}", first, _span, proof=prove_instant(name))


def _count(problem: InitialValueProblem, name: str, r: Trajectory) -> float:
    return float(instants(Observation({}, problem, r), name).size)


def _instant(problem: InitialValueProblem, name: str, place: int, r: Trajectory) -> float | None:
    result = instants(Observation({}, problem, r), name)
    return float(result[place]) if result.size else None


def _span(r: Trajectory) -> float:
    return float(r.time[-1] - r.time[0])


def _drifts(problem: InitialValueProblem) -> Iterator[Question]:
    """Yield how far invariants leave their first values, and constraints zero."""
    for name, expression in problem.invariants.items():
        read = partial(_drift, problem, expression, from_start=True)
        what = f"largest change of the invariant {name}"
        yield Question(f"{name}_drift", "", what, read, partial(_terms, problem, expression), vanishes=True)
    for i, expression in enumerate(problem.constraints, start=1):
        read = partial(_drift, problem, expression, from_start=False)
        what = f"largest violation of constraint {i}"
        yield Question(f"constraint_{i}", "", what, read, partial(_terms, problem, expression), vanishes=True)


def _drift(problem: InitialValueProblem, expression: Expr, r: Trajectory, *, from_start: bool) -> float:
    values = over(problem, (expression,))(r.time, r.states)[:, 0]
    return float(np.abs(values - (values[0] if from_start else 0.0)).max())


def _terms(problem: InitialValueProblem, expression: Expr, r: Trajectory) -> float:
    """Return the largest of the terms of an expression: what its rounding and its errors are related to."""
    terms = over(problem, tuple(expression.expand().as_ordered_terms()))(r.time, r.states)
    return float(np.abs(terms).max())


# ---- mechanical problems


def _motion(problem: MechanicalProblem) -> Iterator[Question]:
    for i in _followed(problem):
        name, size = problem.coordinates[i], partial(_largest, i)
        last, mean = partial(_last, "displacement", i), partial(_rms, i)
        what = f"displacement of {name}"
        yield Question(f"{name}_end", "m", f"{what} at the end", last, size, proof=prove_end(name))
        yield Question(f"{name}_largest", "m", f"largest absolute {what}", size, size, proof=prove_largest(name))
        yield Question(f"{name}_rms", "m", f"root mean square of the {what}", mean, size, proof=prove_mean(name))


def _followed(problem: MechanicalProblem) -> list[int]:
    """Return the degrees of freedom that are asked for: those first on which elements and loads act most."""
    acting = [load.direction for load in problem.loads]
    acting += [direction for stop in problem.stops for direction in stop.directions]
    acting += [tangent for friction in problem.frictions for tangent in friction.tangents]
    acting += [device.direction for device in problem.devices]
    weight = sum((np.abs(d) for d in acting), start=np.zeros(problem.size))
    return sorted(np.argsort(-weight, kind="stable")[:MOST].tolist())


def _largest(i: int, r: Response) -> float:
    x = r.displacement[:, i]
    return max(top(r.time, x), top(r.time, -x))


def _rms(i: int, r: Response) -> float:
    return float(np.sqrt(_sum(r, r.displacement[:, i] ** 2) / (r.time[-1] - r.time[0])))


def _sum(r: Response, history: Floats) -> float:
    """Return the integral of a history (m,) over the time, on cubics."""
    return _integral(r.time, lambda t: resampled(r.time, history, t, r.instants))


def _top(r: Response, history: Floats) -> float:
    return top(r.time, history)


def _of_force(name: str, read: Callable[[Response, Floats], float], r: Response) -> float:
    return read(r, element_history(r, name, "normal_force", of="stop"))


def _stops(problem: MechanicalProblem) -> Iterator[Question]:
    for stop in problem.stops:
        push = push_of(stop.name).name
        force, pushed = (partial(_of_force, stop.name, read) for read in (_top, _sum))
        largest, summed = f"largest force of {stop.name}", f"impulse of {stop.name} over the whole span"
        yield Question(f"{stop.name}_largest_force", "N", largest, force, force, proof=prove_top(push))
        yield Question(f"{stop.name}_impulse", "N s", summed, pushed, pushed, proof=prove_sum(push))


def _frictions(problem: MechanicalProblem) -> Iterator[Question]:
    for friction in problem.frictions:
        work, what = partial(_dissipated, friction.name), f"energy that {friction.name} dissipates"
        proof = prove_sum(power_of(friction.name).name)
        yield Question(f"{friction.name}_work", "J", what, work, work, proof=proof)


def _dissipated(name: str, r: Response) -> float:
    pairs = [("force", "sliding_velocity"), ("force_2", "sliding_velocity_2")]
    there = [p for p in pairs if p[0] in r.elements.get(name, {})] or pairs[:1]
    power = sum(element_history(r, name, f) * element_history(r, name, v) for f, v in there)
    return abs(_sum(r, np.asarray(power)))


def residuals(problem: Problem) -> tuple[Quantity, ...]:
    """Return what vanishes for any response whose parts agree with each other; this truth needs no reference."""
    return RESIDUALS[problem.kind](problem)


def _find_residuals(problem: MechanicalProblem) -> tuple[Quantity, ...]:
    result = [consistency.velocities()]
    result += [consistency.stop_forces()] if any(not (stop.damping or stop.rigid) for stop in problem.stops) else []
    result += [consistency.positions()] if problem.stops or problem.devices else []
    result += [consistency.rates()] if problem.stops or problem.frictions else []
    result += [consistency.friction_law()] if any(f.law == "set-valued" for f in problem.frictions) else []
    result += [consistency.device_law()] if problem.devices else []
    return tuple(result)


ASKED: Mapping[str, tuple[Callable[[Any], Iterator[Question]], ...]] = {
    "mechanical": (_motion, _stops, _frictions),
    "initial value": (_states, _events, _drifts),
}
"""What is asked of problems, by their kind."""
RESIDUALS: Mapping[str, Callable[[Any], tuple[Quantity, ...]]] = {
    "mechanical": _find_residuals,
    "initial value": lambda _: (),
}


def _number(read: Read, name: str, r: Any) -> float:
    """Return what a function of the user reads; raises SolverFailure where it gives no number."""
    value = read(r)
    if not isinstance(value, int | float | np.number):
        raise SolverFailure(f"{name} is no number: {value!r}")
    return float(value)
