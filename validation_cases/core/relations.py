"""Metamorphic relations: what must not change when a problem is stated or solved in another way.

No reference is needed. Each relation changes a problem, solves it, and maps the answer back to the problem as it was,
so that any measure of a case can read both. A solver that is right about the mechanics answers the same: to rounding
where nothing but rounding differs, within its numerical uncertainty otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SolverFailure
from veridyn.solver.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.response import Response
from veridyn.validation_cases.core.changed_units import SI, TOTALS, Units, in_si, in_units, is_expressible

Floats = NDArray[np.float64]
Solve = Callable[[MechanicalProblem], Response]  # returns a checked response

# Lengths shrink to a thousandth: an absolute tolerance that was harmless is not any more. Time grows, so that a step
# that a solver fixes in seconds gets finer, not unstable. Mass takes a power of four: a root of it rounds nothing.
UNITS = Units(length=2.0**-10, mass=2.0**-4, time=2.0)
FEWEST = 4  # output instants: of fewer none can be left out, or the parts of a span would have a single one
LAST_BITS = 4  # roundings of an instant that was shifted and shifted back


@dataclass(frozen=True)
class Relation:
    """One change of a problem and what must stay.

    Parameters
    ----------
    name
        Stable name.
    what
        One sentence for people: what was changed and what must stay.
    to_rounding
        Whether it holds to rounding for every deterministic method; otherwise within its numerical uncertainty.
    applies
        Whether a problem can be changed in this way.
    answer
        Solves the changed problems and returns the response of the problem as it was.
    units
        Units in which the solver is asked: settings with a dimension (a step, an absolute tolerance) belong to them.
    """

    name: str
    what: str
    to_rounding: bool
    applies: Callable[[MechanicalProblem], bool]
    answer: Callable[[Solve, MechanicalProblem], Response]
    units: Units = SI


def _always(problem: MechanicalProblem) -> bool:  # noqa: ARG001 - as relations ask
    return True


def _copy(problem: MechanicalProblem) -> MechanicalProblem:
    """Return a copy that shares nothing, so that a solver that changes it leaves the problem of others alone."""
    return MechanicalProblem.from_dict(problem.to_dict())


# ---- the same problem again


def _repeated(solve: Solve, problem: MechanicalProblem) -> Response:
    same = _copy(problem)
    solve(same)
    return solve(same)


def _after_another(solve: Solve, problem: MechanicalProblem) -> Response:
    solve(_another(problem))
    return solve(_copy(problem))


def _another(problem: MechanicalProblem) -> MechanicalProblem:
    """Return the first third of the motion from half of the initial values."""
    cuts = _cuts(problem, 3)
    shorter = _part(problem, problem.start, cuts[0]) if cuts else problem
    return replace(
        shorter,
        initial_displacement=0.5 * problem.initial_displacement,
        initial_velocity=0.5 * problem.initial_velocity,
    )


def _unchanged(solve: Solve, problem: MechanicalProblem) -> Response:
    given = _copy(problem)
    before = given.to_dict()
    response = solve(given)
    after = given.to_dict()
    changed = [name for name, value in before.items() if after[name] != value]
    if changed:
        raise SolverFailure(f"{problem.name}: the solver changed the problem that it was given: {', '.join(changed)}")
    return response


# ---- another span, another grid


def _cuts(problem: MechanicalProblem, parts: int) -> list[float]:
    """Return the instants (s) that cut the span into about equal parts, output instants where there are any.

    Every part has two output instants at least, its ends; empty where that cannot be.
    """
    wanted = np.linspace(problem.start, problem.end, parts + 1)[1:-1]
    if problem.output_times is None:
        return cast(list[float], wanted.tolist())
    inner = problem.output_times[1:-1]
    if not inner.size:
        return []
    found = np.unique([inner[np.argmin(np.abs(inner - instant))] for instant in wanted])
    return cast(list[float], found.tolist()) if found.size == parts - 1 else []


def _part(problem: MechanicalProblem, start: float, end: float, **state: Floats) -> MechanicalProblem:
    times = problem.output_times
    outputs = None if times is None else times[(times >= start) & (times <= end)]
    return replace(problem, start=start, end=end, output_times=outputs, **cast(Any, state))


def _can_be_restarted(parts: int, problem: MechanicalProblem) -> bool:
    # what a device or the spring of regularised friction remembers is not among displacement and velocity
    if any(device.internal for device in problem.devices):
        return False
    # under a force between the two limits only a velocity of exactly zero tells stick from slip
    if any(f.law == "regularised" or f.static > f.kinetic for f in problem.frictions):
        return False
    return bool(_cuts(problem, parts))


def _restarted(parts: int, solve: Solve, problem: MechanicalProblem) -> Response:
    start = problem.start
    state: dict[str, Floats] = {}
    responses = []
    for end in (*_cuts(problem, parts), problem.end):
        response = solve(_part(problem, start, end, **state))
        responses.append(response)
        # the sample there, whose instant a solver with a step of its choice may miss by a little
        i = int(np.argmin(np.abs(response.time - end)))
        start = float(response.time[i])
        state = {"initial_displacement": response.displacement[i], "initial_velocity": response.velocity[i]}
    return reduce(_followed, responses)


def _followed(first: Response, second: Response) -> Response:
    """Return the first response until the second begins, then the second."""
    begins = second.time[0]
    kept = first.time < begins

    def joined(one: Floats, other: Floats) -> Floats:
        return np.concatenate((one[kept], other))

    return Response(
        time=joined(first.time, second.time),
        displacement=joined(first.displacement, second.displacement),
        velocity=joined(first.velocity, second.velocity),
        elements={
            name: {key: joined(one[key], other[key]) for key in one if key in other}
            for name, one, other in _common(first.elements, second.elements)
        },
        counters={key: a + b for key, a, b in _common(first.counters, second.counters)},
        events={name: np.union1d(a[a <= begins], b) for name, a, b in _all_events(first.events, second.events)},
        quantities={name: _combined(a, b) for name, a, b in _common(first.quantities, second.quantities)},
    )


def _common(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(name, first[name], second[name]) for name in first if name in second]


def _all_events(first: Mapping[str, Floats], second: Mapping[str, Floats]) -> list[tuple[str, Floats, Floats]]:
    none = np.empty(0)
    return [(name, first.get(name, none), second.get(name, none)) for name in {**first, **second}]


def _combined(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Return extremes and integrals over both spans; what a solver has beyond them is left out."""
    rules: dict[str, Callable[[Sequence[float]], float]] = {"least": min, "largest": max, **dict.fromkeys(TOTALS, sum)}
    combined = {}
    for name, a, b in _common(first, second):
        rule = rules.get(name) or rules.get(name.split("_")[0])
        if rule is not None:
            combined[name] = rule((a, b))
    return combined


def _has_outputs(problem: MechanicalProblem) -> bool:
    return problem.output_times is not None and problem.output_times.size >= FEWEST


def _half_output(solve: Solve, problem: MechanicalProblem) -> Response:
    assert problem.output_times is not None
    times = problem.output_times
    return solve(replace(problem, output_times=np.union1d(times[::2], times[-1:])))


# ---- another origin of time


def _later_origin(solve: Solve, problem: MechanicalProblem) -> Response:
    by = 2.0 ** round(math.log2(problem.end - problem.start))
    response = solve(_shifted(problem, by))
    known = _known_instants(problem)
    rounding = LAST_BITS * float(np.spacing(by + np.abs(known).max()))
    time = response.time - by
    snapped = _snapped(time, known, rounding)
    if np.all(np.diff(snapped) > 0):  # else an event lies within the last bits of an output instant: neither moves
        time = snapped
    events = {name: time[np.searchsorted(response.time, instants)] for name, instants in response.events.items()}
    return replace(response, time=time, events=events)


def _shifted(problem: MechanicalProblem, by: float) -> MechanicalProblem:
    """Return what happens by some seconds later."""
    times = problem.output_times
    return replace(
        problem,
        start=problem.start + by,
        end=problem.end + by,
        output_times=None if times is None else times + by,
        loads=tuple(replace(load, function=load.function.shifted(by)) for load in problem.loads),
        supports=tuple(_shifted_support(support, by) for support in problem.supports),
    )


def _shifted_support(support: SupportMotion, by: float) -> SupportMotion:
    names = ("acceleration", "velocity", "displacement")
    return replace(support, **cast(Any, {name: getattr(support, name).shifted(by) for name in names}))


def _known_instants(problem: MechanicalProblem) -> Floats:
    outputs = () if problem.output_times is None else problem.output_times
    return np.union1d([problem.start, problem.end], outputs)


def _snapped(instants: Floats, known: Floats, within: float) -> Floats:
    """Return the instants, those that are known ones but for rounding as they are known."""
    after = np.clip(np.searchsorted(known, instants), 1, known.size - 1)
    nearest = np.where(instants - known[after - 1] < known[after] - instants, known[after - 1], known[after])
    return np.where(np.abs(nearest - instants) <= within, nearest, instants)


# ---- other units, other coordinates


def _other_units(solve: Solve, problem: MechanicalProblem) -> Response:
    return in_si(problem, solve(in_units(problem, UNITS)), UNITS)


def _mirrored(solve: Solve, problem: MechanicalProblem) -> Response:
    response = solve(_turned(problem, _negative))
    return replace(response, displacement=_negative(response.displacement), velocity=_negative(response.velocity))


def _negative(values: Floats) -> Floats:
    return np.asarray(0.0 - values)  # no negative zeros


def _permuted(solve: Solve, problem: MechanicalProblem) -> Response:
    other = replace(_turned(problem, _reversed), coordinates=problem.coordinates[::-1], **_reversed_structure(problem))
    response = solve(other)
    return replace(response, displacement=response.displacement[:, ::-1], velocity=response.velocity[:, ::-1])


def _reversed(values: Floats) -> Floats:
    return values[::-1]


def _reversed_structure(problem: MechanicalProblem) -> dict[str, Any]:
    if problem.modes is not None:
        return {"modes": replace(problem.modes, shapes=problem.modes.shapes[::-1])}
    return {name: getattr(problem, name)[::-1, ::-1] for name in ("mass", "stiffness", "damping")}


def _turned(problem: MechanicalProblem, turn: Callable[[Floats], Floats]) -> MechanicalProblem:
    """Return the problem with every vector of the coordinates changed; matrices and mode shapes stay."""
    return replace(
        problem,
        initial_displacement=turn(problem.initial_displacement),
        initial_velocity=turn(problem.initial_velocity),
        loads=tuple(Load(turn(load.direction), load.function) for load in problem.loads),
        supports=tuple(replace(s, influence=turn(s.influence)) for s in problem.supports),
        stops=tuple(_turned_stop(stop, turn) for stop in problem.stops),
        frictions=tuple(_turned_friction(friction, turn) for friction in problem.frictions),
        devices=tuple(replace(device, direction=turn(device.direction)) for device in problem.devices),
    )


def _turned_stop(stop: Stop, turn: Callable[[Floats], Floats]) -> Stop:
    # local coordinates, and with them the angles of a profile, stay
    lateral = None if stop.lateral is None else turn(stop.lateral)
    return replace(stop, normal=turn(stop.normal), lateral=lateral)


def _turned_friction(friction: Friction, turn: Callable[[Floats], Floats]) -> Friction:
    return replace(friction, tangents=tuple(turn(tangent) for tangent in friction.tangents))


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "repeated",
        "The same problem solved twice gives the same answer.",
        to_rounding=True,
        applies=_always,
        answer=_repeated,
    ),
    Relation(
        "after_another",
        "A problem that was solved before, with half of the initial values and a shorter span, leaves no trace.",
        to_rounding=True,
        applies=_always,
        answer=_after_another,
    ),
    Relation(
        "problem_unchanged",
        "The solver leaves the problem that it is given as it is.",
        to_rounding=True,
        applies=_always,
        answer=_unchanged,
    ),
    Relation(
        "restarted",
        "The motion stopped half-way and started again from its displacement and velocity goes on as without the stop.",
        to_rounding=False,
        applies=partial(_can_be_restarted, 2),
        answer=partial(_restarted, 2),
    ),
    Relation(
        "restarted_twice",
        "The motion in three parts, each started from the end of the one before, is that in one piece.",
        to_rounding=False,
        applies=partial(_can_be_restarted, 3),
        answer=partial(_restarted, 3),
    ),
    Relation(
        "half_output",
        "Half as many output instants do not change the motion.",
        to_rounding=False,
        applies=_has_outputs,
        answer=_half_output,
    ),
    Relation(
        "later_origin",
        "Everything some seconds later, loads and supports with it, gives the same motion later.",
        to_rounding=False,
        applies=_always,
        answer=_later_origin,
    ),
    Relation(
        "other_units",
        "The same structure with its numbers in other units of length, mass and time moves in the same way.",
        to_rounding=False,
        applies=is_expressible,
        answer=_other_units,
        units=UNITS,
    ),
    Relation(
        "mirrored",
        "With every direction and initial value of opposite sign displacement and velocity change sign, forces do not.",
        to_rounding=False,
        applies=_always,
        answer=_mirrored,
    ),
    Relation(
        "permuted",
        "The coordinates in reverse order give the same motion in reverse order.",
        to_rounding=False,
        applies=lambda problem: problem.size > 1,
        answer=_permuted,
    ),
)
