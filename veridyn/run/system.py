"""The mechanical system behind a problem, described as data, for a report to draw.

Coordinates lie along one line: masses, the springs and dampers between them, stops, dry friction, loads and moving
supports. What is no such system (a truncated modal basis, friction in a plane or on the force of a stop, a stop across
the coordinates, a matrix that is not one of springs) is not described, unless its case says how.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from veridyn.problem.devices import BucklingStop, Device
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.matrices import is_skewed
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem, as_mechanical
from veridyn.problem.modal_basis import Modes
from veridyn.results import (
    BeamSide,
    BeamStop,
    BeamSupport,
    BeamVelocity,
    DrawnBeam,
    DrawnDevice,
    DrawnFriction,
    DrawnLink,
    DrawnMass,
    DrawnStop,
    DrawnSystem,
    Holding,
    Shape,
    Side,
)
from veridyn.validation_cases.judgement.case import Beam

MOST = 8  # masses; more would be too small to see
NOTHING = 1e-9  # relative to the largest entry: what rounding leaves of a zero
GROUND = "ground"


def describe(problem: Problem) -> DrawnSystem | None:
    """Return the elements of a problem; None if it is no line of masses.

    Only mechanical problems of at most eight degrees of freedom are described.
    """
    if not isinstance(problem, MechanicalProblem) or problem.size > MOST:
        return None
    matrices = _matrices(problem)
    if matrices is None or not all(map(_is_of_springs, matrices[1:])) or _off_diagonal(matrices[0]):
        return None
    mass, damping, stiffness = matrices
    if not all(map(_is_in_line, _directions(problem))):
        return None
    # a stop in the line of the motion presses no friction in it
    if any(len(friction.tangents) > 1 or isinstance(friction.normal, str) for friction in problem.frictions):
        return None
    names = problem.coordinates
    return DrawnSystem(
        masses=tuple(
            DrawnMass(name=name, mass=float(m), velocity=float(v))
            for name, m, v in zip(names, np.diag(mass), problem.initial_velocity, strict=True)
        ),
        springs=tuple(_links(problem, stiffness)),
        dampers=tuple(_links(problem, damping)),
        stops=tuple(_stop(stop, names) for stop in problem.stops),
        frictions=tuple(_friction(problem, friction) for friction in problem.frictions),
        devices=tuple(_device(problem, device) for device in problem.devices),
        loads=tuple(name for name, loaded in zip(names, _loaded(problem), strict=True) if loaded),
        supports=tuple(support.name for support in problem.supports),
    )


def describe_beam(problem: Problem, beam: Beam) -> DrawnBeam:
    """Return the elements of a beam: geometry and shapes from its case, velocities and stops from the problem.

    Raises ValueError if a stop does not act at one point, or the points are not as many as the coordinates.
    """
    structure = as_mechanical(problem)
    return DrawnBeam(
        length=beam.length,
        supports=tuple(BeamSupport(at=at, kind=Holding(kind)) for at, kind in beam.supports),
        shapes=tuple(Shape(name=name, y=tuple(y)) for name, y in beam.shapes),
        velocities=tuple(
            BeamVelocity(at=at, value=float(v))
            for at, v in zip(beam.points, structure.initial_velocity, strict=True)
            if v
        ),
        stops=tuple(_stop_of_beam(stop, beam.points) for stop in structure.stops),
    )


def _stop_of_beam(stop: Stop, points: tuple[float, ...]) -> BeamStop:
    (place,) = np.flatnonzero(stop.normal)
    return BeamStop(
        name=stop.name,
        at=points[place],
        side=BeamSide.ABOVE if stop.normal[place] > 0 else BeamSide.BELOW,
        gap=stop.gap - stop.offset,
        stiffness=None if stop.rigid else stop.stiffness,
        restitution=stop.restitution if stop.rigid else None,
    )


def _matrices(problem: MechanicalProblem) -> tuple[Floats, Floats, Floats] | None:
    """Return mass, damping and stiffness; those behind a complete modal basis are found from it."""
    problem = problem.dense()
    if problem.modes is not None:
        return _from_modes(problem.modes)
    assert problem.mass is not None
    assert problem.damping is not None
    assert problem.stiffness is not None
    return problem.mass, problem.damping, problem.stiffness


def _from_modes(modes: Modes) -> tuple[Floats, Floats, Floats] | None:
    n, r = modes.shapes.shape
    if n != r or np.linalg.cond(modes.shapes) > 1 / NOTHING:
        return None
    inverse = np.linalg.inv(modes.shapes)
    generalised = (modes.masses, 2.0 * modes.masses * modes.damping * modes.omega, modes.masses * modes.omega**2)
    mass, damping, stiffness = (inverse.T @ np.diag(diagonal) @ inverse for diagonal in generalised)
    return mass, damping, stiffness


def _off_diagonal(matrix: Floats) -> bool:
    return bool(np.any(np.abs(matrix - np.diag(np.diag(matrix))) > NOTHING * np.abs(matrix).max()))


def _is_of_springs(matrix: Floats) -> bool:
    """Whether links with positive coefficients, between coordinates and to the ground, make up the matrix."""
    if is_skewed(matrix):
        return False
    slack = 1e3 * NOTHING * np.abs(matrix).max()
    others = matrix - np.diag(np.diag(matrix))
    return bool(np.all(others <= slack) and np.all(matrix.sum(axis=1) >= -slack))


def _is_in_line(direction: Floats) -> bool:
    """Whether a direction is that of one coordinate, or of the distance of two."""
    ends = np.count_nonzero(direction)
    return bool(ends <= 1 or (ends == 2 and direction.sum() == 0))


def _directions(problem: MechanicalProblem) -> Iterator[Floats]:
    yield from (stop.normal for stop in problem.stops)
    yield from (tangent for friction in problem.frictions for tangent in friction.tangents)
    yield from (device.direction for device in problem.devices)


def _links(problem: MechanicalProblem, matrix: Floats) -> Iterator[DrawnLink]:
    """Yield the links that make up a matrix: to moving supports, to the ground, between coordinates.

    A support that displaces the structure by psi holds it with K psi: in the static mode, where its springs end.
    """
    names, least = problem.coordinates, 1e3 * NOTHING * np.abs(matrix).max()
    held = {support.name: matrix @ support.influence for support in problem.supports}
    grounded = matrix.sum(axis=1) - sum(held.values(), np.zeros(problem.size))
    for name, forces in [*held.items(), (GROUND, grounded)]:
        for i in np.flatnonzero(forces > least):
            yield DrawnLink(ends=(name, names[i]), value=float(forces[i]))
    for i, j in zip(*np.nonzero(np.triu(matrix, 1) < -least), strict=True):
        yield DrawnLink(ends=(names[i], names[j]), value=float(-matrix[i, j]))


def _ends(direction: Floats, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the coordinates that a direction joins, the one that moves forward first."""
    order = sorted(np.flatnonzero(direction), key=lambda i: -direction[i])
    return tuple(names[i] for i in order)


def _stop(stop: Stop, names: tuple[str, ...]) -> DrawnStop:
    side = Side.RIGHT if stop.normal.max() > 0 else Side.LEFT
    return DrawnStop(
        name=stop.name,
        ends=_ends(stop.normal, names),
        side=Side.BOTH if stop.geometry == "parallel planes" else side,
        gap=stop.gap - stop.offset,
        stiffness=None if stop.rigid else stop.stiffness,
        restitution=stop.restitution if stop.rigid else None,
        damping=stop.damping,
    )


def _friction(problem: MechanicalProblem, friction: Friction) -> DrawnFriction:
    """Describe dry friction; in the frame of the supports it rubs on what moves with the support."""
    moving = problem.supports[0].name if problem.supports and friction.frame == "relative" else ""
    return DrawnFriction(
        name=friction.name,
        ends=_ends(np.abs(friction.tangents[0]), problem.coordinates),
        on=moving,
        static=friction.static,
        kinetic=friction.kinetic,
    )


def _device(problem: MechanicalProblem, device: Device) -> DrawnDevice:
    """Describe a device: between two coordinates, or to one of them from the ground or, in its frame, the support.

    A stop stands where the mass goes.
    """
    ends = _ends(device.direction, problem.coordinates)
    moving = problem.supports and device.frame == "relative"
    far = problem.supports[0].name if moving else GROUND
    pushed = isinstance(device, BucklingStop) and device.direction.max() > 0
    return DrawnDevice(
        name=device.name,
        ends=ends if len(ends) > 1 else (far, *ends),
        type=device.type,
        side=Side.RIGHT if pushed else Side.LEFT,
    )


def _loaded(problem: MechanicalProblem) -> list[bool]:
    total = np.zeros(problem.size)
    for load in problem.loads:
        total = total + np.abs(load.direction)
    return [bool(force) for force in total]
