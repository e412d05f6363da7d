"""Loads, support motions and local nonlinear elements: small records in SI units.

Every element acts on scalar coordinates: the projection of the displacement vector of the problem onto
a direction (n,), which may also be given by names of degrees of freedom: ``"x2"``, ``"-x2"``, ``{"x2": 1, "x1": -1}``;
a problem makes vectors of them. In the frame ``"relative"`` that displacement is the unknown itself; in the frame
``"absolute"`` the driven displacement of moving supports is added to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, replace
from numbers import Real
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import carry_exact, keep_exact
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.geometry import CURVED, STRAIGHT, profile_points
from veridyn.problem.json_form import KEPT, fields_of
from veridyn.problem.naming import direction, vector
from veridyn.problem.pieces import pieces
from veridyn.problem.scalars import is_finite
from veridyn.problem.time_functions import Piecewise

T = TypeVar("T")
Frame = Literal["relative", "absolute"]
Geometry = Literal["plane", "parallel planes", "circle", "outside circle", "profile"]
Law = Literal["set-valued", "regularised"]

GEOMETRIES: tuple[str, ...] = (*STRAIGHT, *CURVED)
LAWS: tuple[str, ...] = ("set-valued", "regularised")
FRAMES: tuple[str, ...] = ("relative", "absolute")


def finite(owner: str, **values: Any) -> None:
    """Raise `ProblemError` for what is no finite number."""
    for name, value in values.items():
        if not is_finite(value):
            raise ProblemError(f"{owner}: {name} = {value!r} must be a finite number")


def at_least_zero(owner: str, **values: Any) -> None:
    """Raise `ProblemError` for what is no finite number, or a negative one."""
    for name, value in values.items():
        if not (is_finite(value) and value >= 0):
            raise ProblemError(f"{owner}: {name} = {value!r} must be finite and not negative")


def number(check: Callable[..., None], unit: str, meaning: str, default: Any = MISSING) -> Any:
    """Return the field of a number of a law: what it must be, its unit and meaning for statements that people read."""
    return field(default=default, metadata={"check": check, "unit": unit, "meaning": meaning})


def positive(owner: str, **values: Any) -> None:
    """Raise `ProblemError` for what is no finite number, or no positive one."""
    for name, value in values.items():
        if not (is_finite(value) and value > 0):
            raise ProblemError(f"{owner}: {name} = {value!r} must be finite and positive")


def one_of(owner: str, name: str, value: str, known: tuple[str, ...]) -> None:
    """Raise `ProblemError` for a word that is not known."""
    if not isinstance(value, str) or value not in known:
        raise ProblemError(f"{owner}: {name} {value!r} is unknown; known: {', '.join(known)}")


def several(given: Any) -> tuple[Any, ...]:
    """Return what is given one or several times as a tuple; a vector of numbers, names or an element are one thing."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        return (given,)
    parts = tuple(given)
    return (parts,) if parts and all(isinstance(part, Real) for part in parts) else parts


def all_of(owner: str, given: Any, kind: type[T]) -> tuple[T, ...]:
    """Return what is given one or several times, all of a kind; raises `ProblemError` for what is of another."""
    for each in (result := several(given)):
        if not isinstance(each, kind):
            raise ProblemError(f"{owner}: {each!r} is no {'text' if kind is str else kind.__name__}")
    return result


def _breaks(owner: str, given: Any, breaks: Any) -> tuple[float, ...]:
    """Return the breaks of a function; raises `ProblemError` if it is none, or has its own."""
    result = vector(f"{owner}: breaks", several(breaks) if isinstance(breaks, Real) else breaks)
    if result.size and isinstance(given, TimeFunction):
        raise ProblemError(f"{owner}: breaks go with a callable; a time function knows its own")
    if not (callable(given) or isinstance(given, Real)):
        raise ProblemError(f"{owner}: {given!r} is no function of the time")
    return tuple(result.tolist())


def _function(given: Any, start: float, end: float, breaks: tuple[float, ...]) -> TimeFunction:
    """Return a time function for what is one, or a callable or a number; raises what `pieces` raises."""
    if isinstance(given, TimeFunction):
        return given
    return pieces(given, start, end, breaks) if callable(given) else Piecewise((start,), ((float(given),),))


@dataclass(frozen=True, eq=False)
class Load:
    """Nodal forces ``direction × function(t)``; direction (n,) in N per unit of the function.

    The function may also be any callable of the time (s), or a number: the problem makes polynomials of it, piece by
    piece, to rounding (`veridyn.problem.pieces.pieces`); ``breaks`` are the instants (s) at which a callable
    jumps or has a kink.
    """

    direction: NDArray[np.float64]
    function: TimeFunction
    breaks: tuple[float, ...] = field(default=(), metadata=KEPT)

    def __post_init__(self) -> None:
        keep_exact(self)
        object.__setattr__(self, "direction", direction("Load.direction", self.direction))
        object.__setattr__(self, "breaks", _breaks("Load", self.function, self.breaks))

    def over(self, start: float, end: float) -> Load:
        """Return the load with a time function in place of a callable or a number; raises what `pieces` raises."""
        return carry_exact(Load(self.direction, _function(self.function, start, end, self.breaks)), self)


@dataclass(frozen=True, eq=False)
class TimeVarying:
    """A part of the stiffness or the damping matrix that is a function of time: ``matrix × function(t)``.

    The matrix (n, n) in N/m or N s/m per unit of the function is added to the constant one, which ``of`` names, and
    need not be symmetric. The function, and ``breaks``, are those of a `Load`.
    """

    of: Literal["stiffness", "damping"]
    matrix: NDArray[np.float64]
    function: TimeFunction
    breaks: tuple[float, ...] = field(default=(), metadata=KEPT)

    def __post_init__(self) -> None:
        keep_exact(self)
        one_of("TimeVarying", "of", self.of, ("stiffness", "damping"))
        object.__setattr__(self, "breaks", _breaks("TimeVarying", self.function, self.breaks))

    def over(self, start: float, end: float) -> TimeVarying:
        """Return the part with a time function in place of a callable or a number; raises what `pieces` raises."""
        function = _function(self.function, start, end, self.breaks)
        return carry_exact(TimeVarying(self.of, self.matrix, function), self)


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
        keep_exact(self)
        owner = f"SupportMotion {self.name!r}"
        object.__setattr__(self, "influence", direction(f"{owner}: influence", self.influence))
        for name in ("acceleration", "velocity", "displacement"):
            if not isinstance(getattr(self, name), TimeFunction):
                raise ProblemError(f"{owner}: {name} is no time function; veridyn.pieces makes one of a callable")

    @classmethod
    def from_acceleration(cls, name: str, influence: ArrayLike, acceleration: TimeFunction) -> SupportMotion:
        """Integrate the acceleration twice; see `TimeFunction.antiderivative` for the constants."""
        velocity = acceleration.antiderivative()
        return cls(name, cast(Any, influence), acceleration, velocity, velocity.antiderivative())


@dataclass(frozen=True, eq=False)
class Stop:
    """A unilateral stop: elastic (DIS_CHOC), or rigid with a coefficient of restitution.

    With the coordinate ``y = normal · x + offset`` the gap is ``d = gap - y`` for a plane and
    ``d = gap - |y|`` between parallel planes; with ``z = lateral · x + lateral_offset`` and ``rho = |(y, z)|`` it is
    ``gap - rho`` inside a circle and ``rho - gap`` outside; a ``profile`` (k + 1, 2) of angles (rad) and radii (m) in
    the plane (y, z) surrounds the body, its gap is 0. For ``d <= 0`` the stop pushes back with
    ``F = max(0, -stiffness d - damping d')``: never tensile.

    A stop without stiffness is rigid, planes only: ``0 <= d ⊥ F >= 0``. A body that touches it with the rate d' leaves
    with ``-restitution d'`` (Newton), by an impulse along the normal; stops that are touched at one instant share their
    impulses by ``0 <= p ⊥ d'_after - restitution max(0, -d'_before) >= 0`` (J. J. Moreau, CISM Courses 302, Springer
    1988). A friction that it presses gives an impulse at most its kinetic coefficient times p along its tangent,
    against the sliding that is left; tangents have no restitution. A gap below zero counts as zero: what begins inside
    is not pushed out.
    """

    name: str
    normal: NDArray[np.float64]
    gap: float
    stiffness: float = math.inf
    damping: float = 0.0
    offset: float = 0.0
    geometry: Geometry = "plane"
    frame: Frame = "relative"
    lateral: NDArray[np.float64] | None = None
    lateral_offset: float = 0.0
    profile: NDArray[np.float64] | None = None
    restitution: float | None = None

    def __post_init__(self) -> None:
        keep_exact(self)
        owner = f"Stop {self.name!r}"
        object.__setattr__(self, "normal", direction(f"{owner}: normal", self.normal))
        one_of(owner, "geometry", self.geometry, GEOMETRIES)
        one_of(owner, "frame", self.frame, FRAMES)
        self._check_law(owner)
        finite(owner, gap=self.gap, offset=self.offset, lateral_offset=self.lateral_offset)
        self._check_section(owner)

    def _check_law(self, owner: str) -> None:
        """Check the numbers of an elastic or a rigid stop."""
        given: Any = self.restitution
        stiffness: Any = self.stiffness
        left_out = isinstance(stiffness, Real) and float(stiffness) == math.inf
        at_least_zero(owner, damping=self.damping)
        if given is None:
            if left_out:
                raise ProblemError(f"{owner}: give its stiffness (N/m), or the restitution of a rigid stop")
            positive(owner, stiffness=self.stiffness)
            return
        if not left_out or self.damping != 0:
            raise ProblemError(f"{owner}: restitution is that of a rigid stop; leave out its stiffness and damping")
        if not (isinstance(given, Real) and 0 <= float(given) <= 1):
            raise ProblemError(f"{owner}: restitution = {self.restitution} must lie in [0, 1]")
        if self.curved:
            raise ProblemError(
                f"{owner}: a rigid stop is a plane or parallel planes; give the {self.geometry} a stiffness"
            )

    def _check_section(self, owner: str) -> None:
        """Check what a geometry has in the plane (y, z)."""
        if self.curved != (self.lateral is not None) or (self.geometry == "profile") != (self.profile is not None):
            has = {"circle": "lateral", "outside circle": "lateral", "profile": "lateral and profile"}
            raise ProblemError(f"{owner}: {self.geometry} takes {has.get(self.geometry, 'no lateral and no profile')}")
        if self.lateral is not None:
            object.__setattr__(self, "lateral", direction(f"{owner}: lateral", self.lateral))
        if self.profile is not None:
            object.__setattr__(self, "profile", profile_points(owner, self.profile))
            if self.gap != 0:
                raise ProblemError(f"{owner}: gap = {self.gap} m; the radii of a profile say where it is: 0")
        elif self.curved and self.gap <= 0:
            raise ProblemError(f"{owner}: gap = {self.gap} m is the radius of the {self.geometry}: positive")

    @property
    def rigid(self) -> bool:
        """Whether the stop has a coefficient of restitution in place of a stiffness."""
        return self.restitution is not None

    @property
    def curved(self) -> bool:
        """Whether the normal turns with the place of contact."""
        return self.geometry in CURVED

    @property
    def sides(self) -> tuple[float, ...]:
        """Sides of the coordinate y on which a plane is: 1, and -1 for the second of parallel ones."""
        return (1.0, -1.0) if self.geometry == "parallel planes" else (1.0,)

    @property
    def directions(self) -> tuple[NDArray[np.float64], ...]:
        """Directions (n,) of the local coordinates: y, and z of a curved stop."""
        return (self.normal,) if self.lateral is None else (self.normal, self.lateral)

    def for_unknowns(self, matrix: NDArray[np.float64]) -> Stop:
        """Return the stop for unknowns (m,) that make the present ones by a matrix (n, m)."""
        lateral = None if self.lateral is None else self.lateral @ matrix
        return replace(self, normal=self.normal @ matrix, lateral=lateral)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; what only curved or only rigid stops have is left out of the others."""
        unused: tuple[str, ...] = () if self.curved else ("lateral", "lateral_offset")
        unused += ("stiffness", "damping") if self.rigid else ()
        return {name: value for name, value in fields_of(self).items() if value is not None and name not in unused}


@dataclass(frozen=True, eq=False)
class Friction:
    """Coulomb friction along one or two tangents (each (n,)).

    On a curved stop the first tangent is its lateral direction and turns with the contact normal: the inward normal
    being (cos t, sin t) in the plane (y, z), the tangent is (-sin t, cos t).
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
        keep_exact(self)
        owner = f"Friction {self.name!r}"
        tangents = tuple(direction(f"{owner}: tangent", t) for t in several(self.tangents))
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
