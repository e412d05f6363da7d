"""Bodies in contact as data, so that a simulator can build what a problem states by coordinates.

SI units, x along the ground, z up unless gravity says otherwise. A body moves along the axes that it names and does not
turn; one that names none is fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from veridyn.problem.errors import ProblemError
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.json_form import fields_of
from veridyn.problem.mechanical import Floats

Vector = tuple[float, float, float]
Matrix = tuple[tuple[float, ...], ...]
Shape = Literal["box", "sphere", "plane"]
SIZES = {"box": 3, "sphere": 1, "plane": 0}
AXES = "xyz"
HERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Body:
    """A rigid body: mass (kg), shape with its whole sizes (m: edges, diameter).

    Its centre is at ``position`` (m) where the coordinates are zero, and at the start as far from there as
    ``displacement`` says, with ``velocity`` (m/s).
    """

    name: str
    shape: Shape
    size: tuple[float, ...] = ()
    mass: float = 0.0
    position: Vector = HERE
    displacement: Vector = HERE
    velocity: Vector = HERE
    moves: str = ""

    def __post_init__(self) -> None:
        if len(self.size) != SIZES.get(self.shape, -1):
            raise ProblemError(f"body {self.name!r}: a {self.shape} of {len(self.size)} sizes; shapes: {SIZES}")
        if not set(self.moves) <= set(AXES) or bool(self.moves) != (self.mass > 0):
            raise ProblemError(f"body {self.name!r}: what moves along x, y or z has a mass, and nothing else has")


@dataclass(frozen=True, kw_only=True)
class Contact:
    """Dry friction and restitution between two bodies by name, the lower one first; no others touch."""

    name: str
    bodies: tuple[str, str]
    static: float
    kinetic: float
    restitution: float = 0.0

    def coefficient(self, user: str) -> float:
        """Return the coefficient of friction for a user of one; raises `NotImplementedError` if there are two."""
        if self.static != self.kinetic:
            raise NotImplementedError(f"the contact {self.name} has two coefficients of friction, {user} one")
        return self.kinetic


@dataclass(frozen=True, kw_only=True)
class Force:
    """A force on the centre of a body: direction, and size (N) as a function of the time (s)."""

    name: str
    body: str
    direction: Vector
    function: TimeFunction

    @property
    def axis(self) -> str:
        """The axis along which it acts."""
        return AXES[int(np.argmax(np.abs(self.direction)))]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Bodies, contacts and forces under gravity (m/s²); outputs are ``spacing`` apart (s).

    ``coordinates`` are those of the problem: body and axis of each. Springs and dampers pull at them with
    ``-stiffness x - damping x'``, matrices in N/m and N s/m; empty: there are none.
    """

    name: str
    bodies: tuple[Body, ...]
    contacts: tuple[Contact, ...]
    gravity: Vector
    start: float = 0.0
    end: float
    spacing: float
    forces: tuple[Force, ...] = ()
    coordinates: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    stiffness: Matrix = ()
    damping: Matrix = ()

    def __post_init__(self) -> None:
        names = {body.name for body in self.bodies}
        used = {name for contact in self.contacts for name in contact.bodies} | {f.body for f in self.forces}
        if unknown := used - names:
            raise ProblemError(
                f"scene {self.name!r}: no body {sorted(unknown)[0]!r}; bodies: {', '.join(sorted(names))}"
            )

    def pulls(self, starts: Floats, step: float) -> Floats:
        """Return the mean forces along the coordinates (m, n) in N over steps (s) from instants (m,) on.

        A force that jumps within a step gives its impulse, whatever the step.
        """
        places = list(self.coordinates.values())
        result = np.zeros((starts.size, len(places)))
        for force in self.forces if starts.size else ():
            impulse = force.function.antiderivative()
            mean = (impulse(starts + step) - impulse(starts)) / step
            result[:, places.index((force.body, force.axis))] += force.direction[AXES.index(force.axis)] * mean
        return result

    def springs(self, x: Floats, v: Floats) -> Floats:
        """Return the forces (n,) of springs and dampers in N at places (n,) in m and velocities (n,) in m/s."""
        result = np.zeros(x.size)
        for matrix, of in ((self.stiffness, x), (self.damping, v)):
            result -= np.array(matrix) @ of if matrix else 0.0
        return result

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return fields_of(self)
