"""Obstacles of Code_Aster's DIS_CHOC: stops and frictions from nodes, local axes and distances.

Local axes are x along the generatrix of the obstacle (NORM_OBST), y and z in the plane of contact (manual R5.06.03).
Obstacles between two nodes are those of one body in the relative coordinates, first node minus second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.problem.elements import Friction, Geometry, Stop
from veridyn.problem.errors import ProblemError
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response

Floats = NDArray[np.float64]
Axis = Literal["y", "z"]


def local_axes(normal: ArrayLike, angle: float = 0.0) -> Floats:
    """Return the local axes x, y, z as rows (3, 3) from NORM_OBST (3,) and ANGL_VRIL (rad).

    x is the unit vector along ``normal``, y is horizontal, and the angle turns y and z about x. Raises `ProblemError`
    if the normal is not a vector of three numbers other than zero.
    """
    x = _unit("NORM_OBST", normal)
    level = math.hypot(x[0], x[1])
    y = np.array([-x[1] / level, x[0] / level, 0.0]) if level > 0 else np.array([0.0, 1.0, 0.0])
    z = np.cross(x, y)
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x, c * y + s * z, c * z - s * y]) + 0.0  # no negative zeros


def axes_between(normal: ArrayLike, first: Node, second: Node, axis: Axis = "y") -> Floats:
    """Return the local axes (3, 3) of BI_PLAN_Y or BI_PLAN_Z without ANGL_VRIL: y (z) points from first to second.

    Raises `ProblemError` if the nodes lie one behind the other along ``normal``.
    """
    x = _unit("NORM_OBST", normal)
    apart = second.position - first.position
    across = apart - (apart @ x) * x
    length = float(np.linalg.norm(across))
    if length <= 1e-12 * float(np.linalg.norm(apart)):
        raise ProblemError(f"the nodes at {first.position} and {second.position} m do not lie apart across {x}")
    along = across / length
    return np.array([x, along, np.cross(x, along)] if axis == "y" else [x, np.cross(along, x), along]) + 0.0


def _unit(owner: str, value: ArrayLike) -> Floats:
    vector = np.asarray(value, dtype=float)
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not (math.isfinite(length) and length > 0):
        raise ProblemError(f"{owner} = {vector} must be a direction: three finite numbers, not all zero")
    return np.asarray(vector / length)


@dataclass(frozen=True, eq=False)
class Node:
    """A node: indices of its displacements along X, Y, Z among the unknowns (None: held), and its position (3,) in m.

    Raises `ProblemError` if there are not three of each.
    """

    unknowns: tuple[int | None, int | None, int | None]
    position: Floats

    def __post_init__(self) -> None:
        position = np.array(self.position, dtype=float)
        if len(self.unknowns) != 3 or position.shape != (3,) or not np.all(np.isfinite(position)):
            raise ProblemError(
                f"a node has three unknowns (None: held) and three finite coordinates, got {self.unknowns}, {position}"
            )
        object.__setattr__(self, "position", position)

    def along(self, axis: Floats, size: int) -> Floats:
        """Return the direction (n,) that gives the displacement along an axis (3,) from the unknowns.

        Raises `ProblemError` if the problem has no such unknown.
        """
        direction = np.zeros(size)
        for unknown, component in zip(self.unknowns, axis, strict=True):
            if unknown is None:
                continue
            if not 0 <= unknown < size:
                raise ProblemError(f"the node at {self.position} m has unknown {unknown}, the problem has {size}")
            direction[unknown] += component
        return direction


@dataclass(frozen=True, eq=False)
class LocalMotion:
    """Local coordinates x, y, z of a motion: ``directions @ displacement + start``; (3, n), (3,) in m."""

    directions: Floats
    start: Floats

    def row(self, axis: str) -> Floats:
        """Return the direction (n,) of a local coordinate."""
        return np.asarray(self.directions["xyz".index(axis)])

    def at_start(self, axis: str) -> float:
        """Return a local coordinate of the structure at rest (m)."""
        return float(self.start["xyz".index(axis)])


def one_body(size: int, node: Node, axes: Floats, origin: ArrayLike) -> LocalMotion:
    """Return the motion of a node in local axes about an origin (ORIG_OBST, (3,) in m) in a problem of n unknowns."""
    directions = np.array([node.along(axis, size) for axis in axes])
    return LocalMotion(directions, axes @ (node.position - np.asarray(origin, dtype=float)))


def two_bodies(size: int, first: Node, second: Node, axes: Floats) -> LocalMotion:
    """Return the relative motion of two nodes, first minus second, in local axes in a problem of n unknowns."""
    directions = np.array([first.along(axis, size) - second.along(axis, size) for axis in axes])
    return LocalMotion(directions, axes @ (first.position - second.position))


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A stop and the tangents along which friction acts on it: in the plane of contact, then along local x.

    ``thickness``: what two bodies may overlap before they have passed through one another (m).
    """

    stop: Stop
    tangents: tuple[Floats, Floats]
    thickness: float = math.inf

    def friction(
        self, name: str, static: float, kinetic: float, *, unidirectional: bool = False, **law: Any
    ) -> Friction:
        """Return a friction on the stop; ``law`` as in `Friction`. ``unidirectional``: none along local x.

        Raises what `Friction` raises.
        """
        tangents = self.tangents[:1] if unidirectional else self.tangents
        return Friction(name, tangents, self.stop.name, static, kinetic, frame=self.stop.frame, **law)

    def check(self, response: Response) -> None:
        """Refuse a response in which the bodies have passed through one another.

        Raises `SolverFailure` with the instant.
        """
        through = np.flatnonzero(response.elements[self.stop.name]["gap"] < -self.thickness)
        if through.size:
            raise SolverFailure(
                f"the bodies of {self.stop.name!r} have passed through one another at t = "
                f"{response.time[through[0]]:.6g} s; a stiffer stop or a shorter step keeps them apart"
            )


def parallel_planes(
    name: str, motion: LocalMotion, gap: float, stiffness: float, *, axis: Axis = "y", **options: Any
) -> Obstacle:
    """Return planes at ± gap (JEU, m) of the origin across an axis (PLAN_Y, PLAN_Z); ``options`` as in `Stop`."""
    stop = Stop(
        name, motion.row(axis), gap, stiffness, offset=motion.at_start(axis), geometry="parallel planes", **options
    )
    return Obstacle(stop, _beside(axis, motion))


def facing_planes(
    name: str, motion: LocalMotion, first: float, second: float, stiffness: float, *, axis: Axis = "y", **options: Any
) -> Obstacle:
    """Return planes that face each other on two bodies at DIST_1 and DIST_2 (m) of their nodes (BI_PLAN_Y, BI_PLAN_Z).

    The plane of the first body is on the side of the second, as the nodes lie at rest; ``options`` as in `Stop`. Raises
    `ProblemError` if the nodes lie at the same place along the axis, so that neither is on a side of the other, or a
    distance is not finite.
    """
    apart = -motion.at_start(axis)
    if apart == 0:
        raise ProblemError(f"{name!r}: both nodes lie at the same place along local {axis}; no side is the first's")
    if not math.isfinite(first + second):
        raise ProblemError(f"{name!r}: DIST_1 = {first} m and DIST_2 = {second} m must be finite")
    side = math.copysign(1.0, apart)
    stop = Stop(name, side * motion.row(axis), abs(apart) - first - second, stiffness, **options)
    return Obstacle(stop, _beside(axis, motion), thickness=first + second)


def circle(name: str, motion: LocalMotion, radius: float, stiffness: float, **options: Any) -> Obstacle:
    """Return the inside of a circle about the origin (CERCLE); radius (JEU) in m, ``options`` as in `Stop`."""
    return _curved(name, "circle", motion, radius, stiffness, options)


def circles_apart(
    name: str, motion: LocalMotion, first: float, second: float, stiffness: float, **options: Any
) -> Obstacle:
    """Return two circles outside one another (BI_CERCLE); radii DIST_1, DIST_2 in m, ``options`` as in `Stop`."""
    return _curved(name, "outside circle", motion, first + second, stiffness, options)


def circle_in_circle(
    name: str, motion: LocalMotion, first: float, second: float, stiffness: float, **options: Any
) -> Obstacle:
    """Return a circle of radius DIST_1 inside one of radius DIST_2 (m) (BI_CERC_INT); ``options`` as in `Stop`.

    Raises `ProblemError` if the first does not fit into the second.
    """
    if not second > first:
        raise ProblemError(f"{name!r}: a circle of DIST_1 = {first} m does not fit into one of DIST_2 = {second} m")
    return _curved(name, "circle", motion, second - first, stiffness, options)


def profile(
    name: str, motion: LocalMotion, angles: Sequence[float], radii: Sequence[float], stiffness: float, **options: Any
) -> Obstacle:
    """Return a closed polar profile about the origin (DISCRET), straight from point to point; ``options`` as in `Stop`.

    Angles (rad) from local y towards local z, radii (m); the last point repeats the first one turn later. Raises what
    `veridyn.problem.geometry.profile_points` raises.
    """
    if len(angles) != len(radii):
        raise ProblemError(f"{name!r}: {len(angles)} angles for {len(radii)} radii")
    return _curved(name, "profile", motion, 0.0, stiffness, {**options, "profile": np.column_stack((angles, radii))})


def _curved(
    name: str, geometry: Geometry, motion: LocalMotion, gap: float, stiffness: float, options: dict[str, Any]
) -> Obstacle:
    stop = Stop(
        name,
        motion.row("y"),
        gap,
        stiffness,
        offset=motion.at_start("y"),
        geometry=geometry,
        lateral=motion.row("z"),
        lateral_offset=motion.at_start("z"),
        **options,
    )
    return Obstacle(stop, _beside("y", motion))


def _beside(axis: Axis, motion: LocalMotion) -> tuple[Floats, Floats]:
    """Return the tangents of a stop across an axis."""
    return motion.row("z" if axis == "y" else "y"), motion.row("x")
