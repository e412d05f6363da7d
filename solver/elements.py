"""Loads, support motions and local nonlinear elements: small records in SI units.

Every element acts on scalar coordinates: the projection of the displacement vector of the problem onto
a direction (n,). In the frame ``"relative"`` that displacement is the unknown itself; in the frame
``"absolute"`` the driven displacement of moving supports is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.solver.errors import ProblemError
from veridyn.solver.time_functions import TimeFunction, time_function

Frame = Literal["relative", "absolute"]
Geometry = Literal["plane", "parallel planes"]
Law = Literal["set-valued", "regularised"]

GEOMETRIES: tuple[str, ...] = ("plane", "parallel planes")
LAWS: tuple[str, ...] = ("set-valued", "regularised")
FRAMES: tuple[str, ...] = ("relative", "absolute")


def vector(owner: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a read-only vector of finite floats.

    Raises
    ------
    ProblemError
        If it is not one-dimensional or holds NaN or infinity.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"{owner} must be a vector of numbers") from None
    if array.ndim != 1:
        raise ProblemError(f"{owner} must be a vector, got shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise ProblemError(f"{owner} holds a value that is not finite")
    array.flags.writeable = False
    return array


def at_least_zero(owner: str, **values: float) -> None:
    """Raise `ProblemError` for a value that is negative or not finite."""
    for name, value in values.items():
        if not (np.isfinite(value) and value >= 0):
            raise ProblemError(f"{owner}: {name} = {value} must be finite and not negative")


def one_of(owner: str, name: str, value: str, known: tuple[str, ...]) -> None:
    """Raise `ProblemError` for a word that is not known."""
    if value not in known:
        raise ProblemError(f"{owner}: {name} {value!r} is unknown; known: {', '.join(known)}")


@dataclass(frozen=True, eq=False)
class Load:
    """Nodal forces ``direction × function(t)``; direction (n,) in N per unit of the function."""

    direction: NDArray[np.float64]
    function: TimeFunction

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", vector("Load.direction", self.direction))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"direction": self.direction.tolist(), "function": self.function.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Load:
        """Read the JSON form."""
        return cls(data["direction"], time_function(data["function"]))


@dataclass(frozen=True, eq=False)
class SupportMotion:
    """A moving support: its motion and its influence on the free degrees of freedom.

    The influence (n,) is the static mode: the displacement of the free degrees of freedom for a unit
    displacement of this support (a rigid translation for a single support).
    """

    name: str
    influence: NDArray[np.float64]
    acceleration: TimeFunction
    velocity: TimeFunction
    displacement: TimeFunction

    def __post_init__(self) -> None:
        object.__setattr__(self, "influence", vector(f"SupportMotion {self.name!r}: influence", self.influence))

    @classmethod
    def from_acceleration(cls, name: str, influence: ArrayLike, acceleration: TimeFunction) -> SupportMotion:
        """Integrate the acceleration twice; see `TimeFunction.antiderivative` for the constants."""
        velocity = acceleration.antiderivative()
        return cls(name, np.asarray(influence, dtype=float), acceleration, velocity, velocity.antiderivative())

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "influence": self.influence.tolist(),
            "acceleration": self.acceleration.to_dict(),
            "velocity": self.velocity.to_dict(),
            "displacement": self.displacement.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SupportMotion:
        """Read the JSON form."""
        motion = (time_function(data[key]) for key in ("acceleration", "velocity", "displacement"))
        return cls(data["name"], data["influence"], *motion)


@dataclass(frozen=True, eq=False)
class Stop:
    """A unilateral elastic stop (DIS_CHOC).

    With the coordinate ``y = normal · x + offset`` the gap is ``d = gap - y`` for a plane and
    ``d = gap - |y|`` between parallel planes; for ``d <= 0`` the stop pushes back with
    ``F = max(0, -stiffness d - damping d')``: never tensile.
    """

    name: str
    normal: NDArray[np.float64]
    gap: float
    stiffness: float
    damping: float = 0.0
    offset: float = 0.0
    geometry: Geometry = "plane"
    frame: Frame = "relative"

    def __post_init__(self) -> None:
        owner = f"Stop {self.name!r}"
        object.__setattr__(self, "normal", vector(f"{owner}: normal", self.normal))
        one_of(owner, "geometry", self.geometry, GEOMETRIES)
        one_of(owner, "frame", self.frame, FRAMES)
        at_least_zero(owner, stiffness=self.stiffness, damping=self.damping)
        if self.stiffness == 0:
            raise ProblemError(f"{owner}: stiffness must be positive (N/m)")
        if not (np.isfinite(self.gap) and np.isfinite(self.offset)):
            raise ProblemError(f"{owner}: gap and offset must be finite (m)")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "normal": self.normal.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Stop:
        """Read the JSON form."""
        return cls(**data)


@dataclass(frozen=True, eq=False)
class Friction:
    """Coulomb friction along one or two tangents (each (n,)).

    ``normal`` names the stop that presses, or is a constant normal force (N). The law is ``"set-valued"``
    (rigid stick) or ``"regularised"`` (stick through a tangential spring and damper; Antunes et al. 1990).
    """

    name: str
    tangents: tuple[NDArray[np.float64], ...]
    normal: str | float
    static: float
    kinetic: float
    law: Law = "set-valued"
    stiffness: float = 0.0
    damping: float = 0.0
    frame: Frame = "relative"

    def __post_init__(self) -> None:
        owner = f"Friction {self.name!r}"
        tangents = tuple(vector(f"{owner}: tangent", t) for t in self.tangents)
        object.__setattr__(self, "tangents", tangents)
        if len(tangents) not in (1, 2):
            raise ProblemError(f"{owner}: one or two tangents are needed, got {len(tangents)}")
        one_of(owner, "law", self.law, LAWS)
        one_of(owner, "frame", self.frame, FRAMES)
        at_least_zero(owner, static=self.static, kinetic=self.kinetic, stiffness=self.stiffness, damping=self.damping)
        if self.static < self.kinetic:
            raise ProblemError(f"{owner}: the static coefficient {self.static} is below the kinetic {self.kinetic}")
        if self.law == "regularised" and self.stiffness == 0:
            raise ProblemError(f"{owner}: the regularised law needs a tangential stiffness (N/m)")
        if not isinstance(self.normal, str):
            at_least_zero(owner, normal=self.normal)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "tangents": [t.tolist() for t in self.tangents]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Friction:
        """Read the JSON form."""
        return cls(**data)
