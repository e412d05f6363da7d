"""How metamorphic relations restate mechanical problems, and map the answers back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict, TypeVar, Unpack

import numpy as np

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion, TimeVarying
from veridyn.problem.matrices import Matrix
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.contract.responses import Response
from veridyn.validation_cases.judgement.case import Floats
from veridyn.validation_cases.judgement.changed_units import TOTALS

Solve = Callable[[MechanicalProblem], Response]
T = TypeVar("T")

NAMELESS = "problem"  # what a problem is called whose name must say nothing


class StructureFields(TypedDict, total=False):
    """What of a problem depends on the order of its coordinates, beside its elements."""

    coordinates: tuple[str, ...]
    modes: Modes
    mass: Matrix
    stiffness: Matrix
    damping: Matrix
    varying: tuple[TimeVarying, ...]


def halved(problem: MechanicalProblem) -> MechanicalProblem:
    """Return the problem with half its initial values."""
    x, v = 0.5 * problem.initial_displacement, 0.5 * problem.initial_velocity
    return replace(problem, initial_displacement=x, initial_velocity=v)


def can_be_restarted(problem: MechanicalProblem) -> bool:
    """Tell whether displacement and velocity at an instant are all that what follows depends on."""
    # what a device or the spring of regularised friction remembers is not among displacement and velocity
    if any(device.internal for device in problem.devices):
        return False
    # under a force between the two limits only a velocity of exactly zero tells stick from slip
    return not any(f.law == "regularised" or f.static > f.kinetic for f in problem.frictions)


def continued(problem: MechanicalProblem, response: Response, place: int) -> MechanicalProblem:
    """Return a problem that starts with the state of a sample."""
    x, v = response.displacement[place], response.velocity[place]
    return replace(problem, initial_displacement=x, initial_velocity=v)


def followed(first: Response, second: Response) -> Response:
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


def _common(first: Mapping[str, T], second: Mapping[str, T]) -> list[tuple[str, T, T]]:
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


def shifted(problem: MechanicalProblem, by: float) -> MechanicalProblem:
    """Return what happens by some seconds later."""
    times = problem.output_times
    return replace(
        problem,
        start=problem.start + by,
        end=problem.end + by,
        output_times=None if times is None else times + by,
        loads=tuple(replace(load, function=load.function.shifted(by)) for load in problem.loads),
        supports=tuple(_shifted_support(support, by) for support in problem.supports),
        varying=tuple(replace(part, function=part.function.shifted(by)) for part in problem.varying),
    )


def _shifted_support(support: SupportMotion, by: float) -> SupportMotion:
    return replace(
        support,
        acceleration=support.acceleration.shifted(by),
        velocity=support.velocity.shifted(by),
        displacement=support.displacement.shifted(by),
    )


def mirrored(solve: Solve, problem: MechanicalProblem) -> Response:
    """Solve with every direction and initial value of opposite sign."""
    response = solve(_turned(problem, _negative))
    return replace(response, displacement=_negative(response.displacement), velocity=_negative(response.velocity))


def _negative(values: Floats) -> Floats:
    return np.asarray(0.0 - values)  # no negative zeros


def permuted(solve: Solve, problem: MechanicalProblem) -> Response:
    """Solve with the coordinates in reverse order."""
    response = solve(_turned(problem, _reversed, **_reversed_structure(problem)))
    return replace(response, displacement=response.displacement[:, ::-1], velocity=response.velocity[:, ::-1])


def _reversed(values: Floats) -> Floats:
    return values[::-1]


def _reversed_structure(problem: MechanicalProblem) -> StructureFields:
    structure = StructureFields(
        coordinates=problem.coordinates[::-1],
        varying=tuple(replace(part, matrix=part.matrix[::-1, ::-1]) for part in problem.varying),
    )
    if problem.modes is not None:
        structure["modes"] = replace(problem.modes, shapes=problem.modes.shapes[::-1])
    else:
        structure["mass"] = problem.mass[::-1, ::-1]
        structure["stiffness"] = problem.stiffness[::-1, ::-1]
        structure["damping"] = problem.damping[::-1, ::-1]
    return structure


def _turned(
    problem: MechanicalProblem, turn: Callable[[Floats], Floats], **structure: Unpack[StructureFields]
) -> MechanicalProblem:
    """Return the problem with every vector of the coordinates changed; matrices and mode shapes as they are given."""
    return replace(
        problem,
        initial_displacement=turn(problem.initial_displacement),
        initial_velocity=turn(problem.initial_velocity),
        loads=tuple(Load(turn(load.direction), load.function) for load in problem.loads),
        supports=tuple(replace(s, influence=turn(s.influence)) for s in problem.supports),
        stops=tuple(_turned_stop(stop, turn) for stop in problem.stops),
        frictions=tuple(_turned_friction(friction, turn) for friction in problem.frictions),
        devices=tuple(replace(device, direction=turn(device.direction)) for device in problem.devices),
        **structure,
    )


def _turned_stop(stop: Stop, turn: Callable[[Floats], Floats]) -> Stop:
    # local coordinates, and with them the angles of a profile, stay
    lateral = None if stop.lateral is None else turn(stop.lateral)
    return replace(stop, normal=turn(stop.normal), lateral=lateral)


def _turned_friction(friction: Friction, turn: Callable[[Floats], Floats]) -> Friction:
    return replace(friction, tangents=tuple(turn(tangent) for tangent in friction.tangents))


def renamed(solve: Solve, problem: MechanicalProblem) -> Response:
    """Solve with names that say nothing: of the problem, its coordinates, supports and elements."""
    names = {element.name: f"part{number}" for number, element in enumerate(problem.elements, 1)}
    response = solve(
        replace(
            problem,
            name=NAMELESS,
            coordinates=tuple(f"q{number}" for number in range(1, problem.size + 1)),
            supports=tuple(replace(each, name=f"support{i}") for i, each in enumerate(problem.supports, 1)),
            stops=tuple(replace(stop, name=names[stop.name]) for stop in problem.stops),
            frictions=tuple(_renamed_friction(friction, names) for friction in problem.frictions),
            devices=tuple(replace(device, name=names[device.name]) for device in problem.devices),
        )
    )
    back = {new: old for old, new in names.items()}
    return replace(
        response,
        elements=restore_names(response.elements, back),
        events=restore_names(response.events, back),
        quantities=restore_names(response.quantities, back),
    )


def _renamed_friction(friction: Friction, names: Mapping[str, str]) -> Friction:
    normal = names[friction.normal] if isinstance(friction.normal, str) else friction.normal
    return replace(friction, name=names[friction.name], normal=normal)


def restore_names(values: Mapping[str, T], back: Mapping[str, str]) -> dict[str, T]:
    """Return what a solver answered by names that say nothing by the names of the problem."""
    return {back.get(name, name): value for name, value in values.items()}
