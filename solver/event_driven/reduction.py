"""What the event-driven equations express, and the elements that others are reduced to.

A stop between parallel planes becomes two with a plane each, a friction with two tangents along one line one with a
single tangent, a damper of straight pieces a linear one with a `Bend` for every change of its slope.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.devices import Device, NonlinearDamper
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import MechanicalProblem

Floats = NDArray[np.float64]

PARALLEL = 1e-12  # of the cosine of an angle; tangents this near to one line are on it


def refuse(problem: MechanicalProblem) -> None:
    """Refuse what the event-driven equations do not express.

    Raises
    ------
    NotImplementedError
        With the reason: a device that is no piecewise linear damper, matrices that vary or are sparse, a curved stop,
        regularised friction under the force of a stop.
    """
    if not isinstance(problem, MechanicalProblem):
        raise NotImplementedError(f"problems of kind {problem.kind!r}")
    if problem.varying:
        raise NotImplementedError("matrices that are functions of time")
    if problem.sparse:
        raise NotImplementedError("sparse matrices; problem.dense() has arrays in their place")
    for device in problem.devices:
        _refuse_device(device)
    for stop in problem.stops:
        if stop.curved:
            raise NotImplementedError(f"stop {stop.name!r} ({stop.geometry}): not piecewise linear")
    for friction in problem.frictions:
        _refuse_friction(friction)


def _refuse_friction(friction: Friction) -> None:
    if friction.law == "regularised" and isinstance(friction.normal, str):
        # where the force falls while the body turns, neither stick nor slip in any direction is consistent
        raise NotImplementedError(f"friction {friction.name!r} is regularised under the force of a stop")


def _refuse_device(device: Device) -> None:
    if not (isinstance(device, NonlinearDamper) and device.is_piecewise_linear):
        raise NotImplementedError(f"{device.owner}: of devices only piecewise linear dampers are treated")


def find_cosines(friction: Friction, line: Friction) -> tuple[float, ...]:
    """Return the parts of force and sliding velocity along a line that belong to each tangent of a friction."""
    (along,) = line.tangents
    square = float(along @ along)
    return tuple(float(tangent @ along) / square if square else 1.0 for tangent in friction.tangents)


def split_planes(problem: MechanicalProblem) -> tuple[MechanicalProblem, dict[str, tuple[int, ...]]]:
    """Return the problem with two stops instead of one between parallel planes, and the places of each stop."""
    stops: list[Stop] = []
    planes: dict[str, tuple[int, ...]] = {}
    for stop in problem.stops:
        sides = [replace(stop, geometry="plane")]
        if stop.geometry == "parallel planes":
            other = f"{stop.name}, other side"
            sides.append(replace(sides[0], name=other, normal=-stop.normal, offset=-stop.offset))
        planes[stop.name] = tuple(range(len(stops), len(stops) + len(sides)))
        stops += sides
    return replace(problem, stops=tuple(stops)), planes


def join_tangents(friction: Friction) -> Friction:
    """Return a friction with one tangent for two along which the motion can only go together.

    Then the cone of friction in their plane is met along one line, whose tangent is as long as both together.

    Raises
    ------
    NotImplementedError
        If sliding may turn in the plane of two tangents: then neither stick nor slip is a line.
    """
    if len(friction.tangents) == 1:
        return friction
    one, other = friction.tangents
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(other))
    if abs(one @ other) < (1 - PARALLEL) * lengths[0] * lengths[1]:
        raise NotImplementedError(f"friction {friction.name!r} may turn in the plane of its two tangents")
    longer = one if lengths[0] >= lengths[1] else other
    return replace(friction, tangents=(longer / max(lengths) * float(np.hypot(*lengths)),))


@dataclass(frozen=True, eq=False)
class Bend(Stop):
    """A bend of the force of a damper over its rate, as a stop that always touches: it pushes beyond a rate.

    The push is ``damping × max(0, along · v - rate)``, along in the direction in which the rate passes.
    """

    along: Floats = field(default_factory=lambda: np.zeros(0))
    rate: float = 0.0

    def __post_init__(self) -> None:
        """Check nothing: there is no stiffness."""

    def for_unknowns(self, matrix: Floats) -> Bend:
        """Return the bend for unknowns (m,) that make the present ones by a matrix (n, m)."""
        return replace(self, normal=self.normal @ matrix, along=self.along @ matrix)


def find_linear_piece(damper: NonlinearDamper) -> tuple[float, float]:
    """Return force (N) at rest and slope (N s/m) of the piece of a damper that holds around rest."""
    i = int(np.searchsorted(damper.breaks, 0.0, side="right"))
    force, slope = (*damper.coefficients[i], 0.0)[:2]
    return force - slope * damper.origins[i], slope


def find_bends(damper: NonlinearDamper) -> tuple[Bend, ...]:
    """Return what the force has beyond the line through the piece around rest."""
    # A continuous force of straight pieces is a line plus, for each break, the change of slope times max(0, beyond).
    # Each such term is a stop that always touches and pushes on one side: the same complementarity as a contact's.
    slopes = [(*row, 0.0)[1] for row in damper.coefficients]
    result = []
    for i, (at, change) in enumerate(zip(damper.breaks, np.diff(slopes), strict=True), start=1):
        side = 1.0 if at > 0 else -1.0
        name, push = f"{damper.name}, bend {i}", float(np.sign(change)) * damper.direction
        if change:
            bend = Bend(name, push, -1.0, 0.0, abs(change), frame=damper.frame, along=side * damper.direction)
            result.append(replace(bend, rate=side * at))
    return tuple(result)
