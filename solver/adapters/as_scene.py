"""A problem as bodies in contact: what rubs under a weight becomes boxes on a plane, what bounces a sphere above one.

A problem knows normal forces, not gravity: gravity is what makes these normal forces of the masses. Loads that last and
pull all masses alike tilt it: a slope is a level plane under oblique gravity. Relative coordinates are those seen from
the supports, so that their motions are forces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import sympy

from veridyn.problem.elements import Friction, Load
from veridyn.problem.errors import ProblemError
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.modes import Change
from veridyn.problem.scene import AXES, Body, Contact, Force, Matrix, Scene, Vector
from veridyn.problem.time_functions import Piecewise
from veridyn.solver.adapters.stepping import is_diagonal, usual_spacing

Group = tuple[int, ...]  # the coordinates of a body: along x, or along x and y

RUBBING = frozenset({
    "mechanical", "multi-dof", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "damping:gyroscopic", "stiffness:circulatory", "friction:set-valued", "friction:two-tangents",
})  # fmt: skip
BOUNCING = frozenset({"initial-value", "hybrid"})
"""Capabilities of whoever builds scenes: with friction, with restitution."""

GROUND, BALL = "ground", "ball"
EDGE, LONG = 1.0, 1000.0  # m: what does not turn may have any size; a box that carries another is long
ALIKE = 1e-9  # relative; gravity by one normal force and by another


def scene_of(problem: Problem) -> Scene:
    """Return a problem as bodies in contact.

    Raises `NotImplementedError` with what is no body that rubs under its weight, or falls on a floor.
    """
    if isinstance(problem, MechanicalProblem):
        return _pile(problem)
    if isinstance(problem, InitialValueProblem):
        return _fall(problem)
    raise NotImplementedError(f"a problem of the kind {problem.kind}")


# ---- bodies that rub


@dataclass(frozen=True)
class _Rub:
    """A friction, and the bodies that it is between; no lower one: the ground."""

    friction: Friction
    upper: Group
    lower: Group = ()


def _pile(problem: MechanicalProblem) -> Scene:
    rubs = _rubs(problem)
    masses = np.diag(np.asarray(problem.mass))
    known = {rub.upper for rub in rubs}
    groups = sorted([*known, *((i,) for i in range(problem.size) if not any(i in group for group in known))])
    axes = {i: (_named(problem, group), axis) for group in groups for i, axis in zip(group, AXES, strict=False)}
    weight = _weight(rubs, masses)
    tilt, lasting = _tilt(problem, masses, [axes[i][1] for i in range(problem.size)])
    return Scene(
        name=problem.name,
        bodies=(Body(name=GROUND, shape="plane"), *(_box(problem, group, rubs) for group in groups)),
        contacts=tuple(_contact(problem, rub) for rub in rubs),
        gravity=(*tilt, -weight),
        start=problem.start,
        end=problem.end,
        spacing=usual_spacing(problem),
        forces=tuple(_forces(problem, axes, lasting)),
        coordinates={name: axes[i] for i, name in enumerate(problem.coordinates)},
        stiffness=_plain(problem.stiffness),
        damping=_plain(problem.damping),
    )


def _rubs(problem: MechanicalProblem) -> list[_Rub]:
    """Return which bodies rub: on the ground, or on one that does."""
    mass = np.asarray(problem.mass)
    if missing := sorted(problem.needs - RUBBING):
        raise NotImplementedError(f"{', '.join(missing)}: a scene is made of bodies that rub under their weight")
    if not is_diagonal(mass):
        raise NotImplementedError("a mass matrix that is not diagonal")
    across = [f for f in problem.frictions if len(f.tangents) == 1 and np.count_nonzero(f.tangents[0]) == 2]
    ground = [_Rub(f, _touched(f)) for f in problem.frictions if f not in across]
    rubs = [*ground, *(_stacked(f, {rub.upper for rub in ground}) for f in across)]
    taken = [i for rub in rubs for i in rub.upper]
    if len(taken) != len(set(taken)):
        raise NotImplementedError("two frictions under one body")
    if any(np.ptp(np.diag(mass)[list(rub.upper)]) for rub in rubs):
        raise NotImplementedError("a body with one mass along x and another along y")
    return sorted(rubs, key=lambda rub: problem.frictions.index(rub.friction))


def _touched(friction: Friction) -> Group:
    """Return the coordinates of a friction whose tangents are axes."""
    tangents = np.array(friction.tangents)
    result = np.flatnonzero(np.abs(tangents).sum(axis=0))
    if not np.all(np.isin(tangents, (-1.0, 0.0, 1.0))) or len(result) != np.count_nonzero(tangents):
        raise NotImplementedError(f"friction {friction.name!r} along {tangents.tolist()}: no place of a body")
    return tuple(result.tolist())


def _stacked(friction: Friction, grounded: set[Group]) -> _Rub:
    """Return a friction between two coordinates, one of which rubs on the ground."""
    tangent, places = friction.tangents[0], np.flatnonzero(friction.tangents[0]).tolist()
    lower = [(i,) for i in places if (i,) in grounded]
    if sorted(tangent[places].tolist()) != [-1.0, 1.0] or len(lower) != 1:
        raise NotImplementedError(f"friction {friction.name!r} along {tangent.tolist()}: no body on one on the ground")
    return _Rub(friction, tuple(i for i in places if (i,) != lower[0]), lower[0])


def _weight(rubs: list[_Rub], masses: Floats) -> float:
    """Return gravity (m/s²) across the ground; none where nothing rubs."""
    carried = {rub.upper: float(masses[rub.upper[0]]) for rub in rubs}
    for rub in rubs:
        if rub.lower:
            carried[rub.lower] += float(masses[rub.upper[0]])
    result = [float(rub.friction.normal) / carried[rub.upper] for rub in rubs] or [0.0]
    if max(result) - min(result) > ALIKE * max(result):
        raise NotImplementedError("normal forces that no gravity makes of the masses")
    return result[0]


def _tilt(problem: MechanicalProblem, masses: Floats, axes: list[str]) -> tuple[tuple[float, float], list[Load]]:
    """Return gravity (m/s²) along the ground and the loads that it is; none if they do not pull all bodies alike."""
    lasting = [load for load in problem.loads if _lasts(load.function, problem.start)]
    pull = sum((float(load.function(problem.start)) * load.direction / masses for load in lasting), np.zeros(len(axes)))
    along = [{a for a, axis in zip(pull.tolist(), axes, strict=True) if axis == each} or {0.0} for each in "xy"]
    if any(max(result) - min(result) > ALIKE * np.abs(pull).max() for result in along):
        return (0.0, 0.0), []
    return (max(along[0]), max(along[1])), lasting


def _lasts(function: TimeFunction, start: float) -> bool:
    return (
        isinstance(function, Piecewise)
        and len(function.breaks) == 1
        and float(function.breaks[0]) <= start
        and not any(function.coefficients[0][1:])
    )


def _box(problem: MechanicalProblem, group: Group, rubs: list[_Rub]) -> Body:
    on = next((rub.lower for rub in rubs if rub.upper == group), None)
    carries = any(rub.lower == group for rub in rubs)
    return Body(
        name=_named(problem, group),
        shape="box",
        size=(LONG if carries else EDGE, EDGE, EDGE),
        mass=float(np.asarray(problem.mass)[group[0], group[0]]),
        position=(0.0, 0.0, EDGE * (1.5 if on else 0.5)),
        displacement=_vector(problem.initial_displacement, group),
        velocity=_vector(problem.initial_velocity, group),
        moves=AXES[: len(group)] + ("" if on is None else "z"),
    )


def _named(problem: MechanicalProblem, group: Group) -> str:
    return "_".join(("body", *(problem.coordinates[i] for i in group)))


def _vector(values: Floats, group: Group) -> Vector:
    return float(values[group[0]]), float(values[group[1]]) if len(group) > 1 else 0.0, 0.0


def _contact(problem: MechanicalProblem, rub: _Rub) -> Contact:
    lower = _named(problem, rub.lower) if rub.lower else GROUND
    friction = rub.friction
    bodies = (lower, _named(problem, rub.upper))
    return Contact(name=friction.name, bodies=bodies, static=friction.static, kinetic=friction.kinetic)


def _forces(problem: MechanicalProblem, axes: dict[int, tuple[str, str]], lasting: list[Load]) -> Iterator[Force]:
    """Yield loads and inertial forces of the supports, one for each coordinate that they pull at."""
    loads = [(load.direction, load.function) for load in problem.loads if load not in lasting]
    mass = np.asarray(problem.mass)
    supports = [(-mass @ support.influence, support.acceleration) for support in problem.supports]
    for number, (direction, function) in enumerate([*loads, *supports], start=1):
        for i in np.flatnonzero(direction).tolist():
            body, axis = axes[i]
            x, y, z = (float(direction[i]) * (axis == each) for each in AXES)
            yield Force(
                name=f"force_{number}_{problem.coordinates[i]}", body=body, direction=(x, y, z), function=function
            )


def _plain(matrix: Floats | None) -> Matrix:
    rows = np.asarray(matrix)
    return tuple(map(tuple, rows.tolist())) if rows.any() else ()


# ---- a body that falls


def _fall(problem: InitialValueProblem) -> Scene:
    place, speed = moving(problem)
    impact, y = _impact(problem, speed), sympy.Symbol(problem.states[place])
    pull, stiffness = _line(problem, problem.mode_of(problem.mode).rates[speed], y)
    offset, slope = _line(problem, impact.guard, y)
    restitution = -_number(
        problem, sympy.diff(impact.reset[problem.states[speed]], sympy.Symbol(problem.states[speed]))
    )
    if abs(slope) != 1 or not impact.direction or not 0 <= restitution <= 1:
        raise NotImplementedError(f"the event {impact.name} is no impact on a floor or a wall")
    z, v = (float(problem.initial_state[i]) for i in (place, speed))
    wall, above = -offset / slope, impact.direction * slope > 0
    at = (0.0, 0.0, wall + EDGE if above else wall - EDGE / 2)
    fixed = (
        Body(name=GROUND, shape="box", size=(EDGE,) * 3, position=at)
        if above
        else Body(name=GROUND, shape="plane", position=at)
    )
    ball = Body(
        name=BALL,
        shape="sphere",
        size=(EDGE,),
        mass=1.0,  # kg; no fall depends on it
        displacement=(0.0, 0.0, z),
        velocity=(0.0, 0.0, v),
        moves="z",
    )
    return Scene(
        name=problem.name,
        bodies=(fixed, ball),
        contacts=(Contact(name=impact.name, bodies=(GROUND, BALL), static=0.0, kinetic=0.0, restitution=restitution),),
        gravity=(0.0, 0.0, pull),
        start=problem.start,
        end=problem.end,
        spacing=usual_spacing(problem),
        coordinates={problem.states[place]: (BALL, "z")},
        stiffness=((-stiffness,),) if stiffness else (),
    )


def _line(problem: InitialValueProblem, expression: sympy.Expr, of: sympy.Symbol) -> tuple[float, float]:
    """Return value at zero and slope of an expression; raises NotImplementedError if it is no line."""
    slope = sympy.diff(expression, of)
    return _number(problem, expression.xreplace({of: sympy.Integer(0)})), _number(problem, slope)


def moving(problem: InitialValueProblem) -> tuple[int, int]:
    """Return which state is the place of a body and which one its velocity; raises NotImplementedError."""
    rates = problem.mode_of(problem.mode).rates
    result = [i for i, rate in enumerate(rates) if str(rate) == problem.states[1 - i]] if len(rates) == 2 else []
    if problem.needs - BOUNCING or len(result) != 1:
        raise NotImplementedError("states that are no place and velocity of one body")
    return result[0], 1 - result[0]


def _impact(problem: InitialValueProblem, speed: int) -> Change:
    """Return the one event that changes the motion; after it the body goes on, or rests without restitution."""
    changes = [change for change in problem.mode_of(problem.mode).events if not change.is_marker]
    if len(changes) != 1 or problem.states[speed] not in changes[0].reset or changes[0].terminal:
        raise NotImplementedError("events that are no impact on one floor")
    after = problem.mode_of(changes[0].mode or problem.mode)
    if after.name != problem.mode and (any(after.rates) or any(changes[0].reset.values())):
        raise NotImplementedError(f"the event {changes[0].name}, after which the body does not rest")
    return changes[0]


def _number(problem: InitialValueProblem, expression: sympy.Expr) -> float:
    try:
        return problem.number(expression)
    except ProblemError:
        raise NotImplementedError(f"{expression}, which is no number") from None
