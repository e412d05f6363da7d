"""Bodies in contact as data, so that a simulator can build what a case states by coordinates.

SI units, x along the ground, z up unless gravity says otherwise. A body moves along the axes that it names and does not
turn unless it `turns`; a body that does neither is fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from veridyn.solver.errors import ProblemError
from veridyn.solver.problem.time_functions import TimeFunction

Vector = tuple[float, float, float]
Shape = Literal["box", "sphere", "plane"]
SIZES = {"box": 3, "sphere": 1, "plane": 0}
AXES = "xyz"


@dataclass(frozen=True, kw_only=True)
class Body:
    """A rigid body: mass (kg), shape with its whole sizes (m: edges, diameter), centre (m), velocity (m/s)."""

    name: str
    shape: Shape
    size: tuple[float, ...] = ()
    mass: float = 0.0
    position: Vector = (0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    moves: str = ""
    turns: bool = False

    def __post_init__(self) -> None:
        if len(self.size) != SIZES.get(self.shape, -1):
            raise ProblemError(f"body {self.name!r}: a {self.shape} of {len(self.size)} sizes; shapes: {SIZES}")
        if not set(self.moves) <= set(AXES) or bool(self.moves) != (self.mass > 0):
            raise ProblemError(f"body {self.name!r}: what moves along x, y or z has a mass, and nothing else has")

    @property
    def inertia(self) -> Vector:
        """Moments of inertia about the centre (kg m²), of even density."""
        if self.shape == "sphere":
            return (0.1 * self.mass * self.size[0] ** 2,) * 3
        x, y, z = (edge**2 for edge in self.size or (0.0, 0.0, 0.0))
        return self.mass * (y + z) / 12, self.mass * (z + x) / 12, self.mass * (x + y) / 12


@dataclass(frozen=True, kw_only=True)
class Contact:
    """Dry friction and restitution between two bodies, by name."""

    bodies: tuple[str, str]
    static: float
    kinetic: float
    restitution: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Force:
    """A force on the centre of a body: direction, and size (N) as a function of the time (s)."""

    name: str
    body: str
    direction: Vector
    function: TimeFunction


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Bodies, contacts and forces under gravity (m/s²) until ``end``; outputs are ``spacing`` apart (s).

    ``coordinates`` are those of the problem: body and axis of each, the place at the start being zero.
    """

    name: str
    bodies: tuple[Body, ...]
    contacts: tuple[Contact, ...]
    gravity: Vector
    end: float
    spacing: float
    forces: tuple[Force, ...] = ()
    coordinates: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {body.name for body in self.bodies}
        used = {name for contact in self.contacts for name in contact.bodies} | {f.body for f in self.forces}
        if unknown := used - names:
            raise ProblemError(
                f"scene {self.name!r}: no body {sorted(unknown)[0]!r}; bodies: {', '.join(sorted(names))}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **vars(self),
            "bodies": [{**vars(body), "inertia": body.inertia} for body in self.bodies],
            "contacts": [vars(contact) for contact in self.contacts],
            "forces": [{**vars(force), "function": force.function.to_dict()} for force in self.forces],
            "coordinates": {name: list(at) for name, at in self.coordinates.items()},
        }


def box_on_plane(
    *,
    name: str,
    m: float,
    g: float,
    s: float,
    friction: tuple[float, float],
    velocity: Vector,
    end: float,
    spacing: float,
) -> Scene:
    """Return a box that does not turn on a plane with the slope s down x, as seen from the plane: gravity is oblique.

    ``friction`` are the static and the kinetic coefficient; coordinates are x and y.
    """
    edge, cosine = 0.2, 1 / (1 + s * s) ** 0.5
    box = Body(
        name="block",
        shape="box",
        size=(edge, edge, edge),
        mass=m,
        position=(0.0, 0.0, edge / 2),
        velocity=velocity,
        moves="xyz",
    )
    return Scene(
        name=name,
        bodies=(Body(name="plane", shape="plane"), box),
        contacts=(Contact(bodies=("plane", "block"), static=friction[0], kinetic=friction[1]),),
        gravity=(g * s * cosine, 0.0, -g * cosine),
        end=end,
        spacing=spacing,
        coordinates={axis: ("block", axis) for axis in "xy"},
    )
