"""Local nonlinear devices: small records in SI units, each a law of one elongation.

The elongation is ``u = direction · x + offset``; the device pushes back with ``-direction × F``, where F follows from
u, its rate and what the device remembers. In the frame ``"absolute"`` x holds the driven displacement of moving
supports.

A new device is a record here, a law in `veridyn.solver.integrators.kernels`, found by a number in `kernels.device`, and
that number in `veridyn.solver.integrators.arrays`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from veridyn.problem.elements import FRAMES, Frame, at_least_zero, finite, number, one_of, positive
from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import keep_exact
from veridyn.problem.json_form import fields_of
from veridyn.problem.naming import Floats, direction, vector

PIECEWISE_LINEAR = "device:piecewise-linear-damper"
CONTINUOUS = 1e-9  # of the coefficients; a smaller jump of a force is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class Device:
    """What every device has: a name, a direction (n,), an offset of its elongation (m), a frame.

    ``type`` names the law in JSON and in the capability ``device:TYPE`` (see `tag`); ``internal`` the histories that
    the law reports beside ``force`` (N) and ``elongation`` (m), and their units.
    """

    name: str
    direction: Floats
    offset: float = 0.0
    frame: Frame = "relative"
    type: ClassVar[str]
    internal: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        keep_exact(self)
        object.__setattr__(self, "direction", direction(f"{self.owner}: direction", self.direction))
        one_of(self.owner, "frame", self.frame, FRAMES)
        finite(self.owner, offset=self.offset)
        for each in self._law():
            each.metadata["check"](self.owner, **{each.name: getattr(self, each.name)})

    def _law(self) -> list[Field[Any]]:
        return [each for each in fields(self) if each.metadata]

    @property
    def owner(self) -> str:
        """How messages call the device."""
        return f"{self.type} {self.name!r}"

    @property
    def stiffness(self) -> float:
        """Largest stiffness (N/m) that the device shows, for the step rule; 0 if it has none or nobody can tell."""
        raise NotImplementedError

    @property
    def dashpot(self) -> float:
        """Largest damping (N s/m) that the device shows, for the step rule; 0 if it has none or nobody can tell."""
        return 0.0

    @property
    def tag(self) -> str:
        """The capability that a solver needs for the device."""
        return f"device:{self.type}"

    @property
    def constants(self) -> tuple[float, ...]:
        """Numbers that the law in the kernels reads, in its order."""
        raise NotImplementedError

    def memory(self, t: float, u: float) -> tuple[float, ...]:  # noqa: ARG002 - for laws that remember
        """Return what the device remembers at the start t (s) at the elongation u (m); what is left out is zero."""
        return ()

    def numbers(self) -> Iterator[tuple[str, float, str, str]]:
        """Yield name, value, unit and meaning of the numbers of the law, for statements that people read."""
        for each in self._law():
            yield each.name, getattr(self, each.name), each.metadata["unit"], each.metadata["meaning"]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; `device` reads it back."""
        return {"type": self.type, **fields_of(self)}


@dataclass(frozen=True, eq=False, kw_only=True)
class PiecewiseLaw(Device):
    """A device whose force is a piecewise polynomial of one number z, its elongation or its rate.

    ``F(z) = Σ_k coefficients[i][k] (z - origin)**k``. Row 0 holds left of the first break, with that break as
    origin; row i from ``breaks[i - 1]`` on, with ``breaks[i - 1]`` as origin. So there is one row more than breaks.
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    of: ClassVar[tuple[str, str, str]]  # of z: word, unit, unit of one over it

    def __post_init__(self) -> None:
        super().__post_init__()
        breaks = vector(f"{self.owner}: breaks", self.breaks)
        if not isinstance(self.coefficients, Iterable):
            raise ProblemError(f"{self.owner}: coefficients must be rows of numbers, got {self.coefficients!r}")
        rows = tuple(vector(f"{self.owner}: coefficients[{i}]", row) for i, row in enumerate(self.coefficients))
        if not breaks.size or np.any(np.diff(breaks) <= 0):
            raise ProblemError(f"{self.owner}: breaks must be a list of increasing {self.of[0]}s ({self.of[1]})")
        if len(rows) != breaks.size + 1 or not all(row.size for row in rows):
            raise ProblemError(
                f"{self.owner}: {breaks.size} breaks need {breaks.size + 1} rows of coefficients, none of them empty"
            )
        object.__setattr__(self, "breaks", tuple(breaks.tolist()))
        object.__setattr__(self, "coefficients", tuple(tuple(row.tolist()) for row in rows))

    @classmethod
    def odd(cls, *, name: str, direction: ArrayLike, coefficients: Sequence[float], slack: float = 0.0) -> Self:
        """Return the law ``F(z) = sign(z) Σ_k coefficients[k] (|z| - slack)**k``, without force for ``|z| < slack``.

        Terms in z |z| are thus the coefficient of the second power.
        """
        left = tuple(-c * (-1) ** k for k, c in enumerate(coefficients))
        right = tuple(coefficients)
        breaks, rows = ((0.0,), (left, right)) if float(slack) == 0 else ((-slack, slack), (left, (0.0,), right))
        return cls(name=name, direction=cast(Floats, direction), breaks=breaks, coefficients=rows)

    @property
    def origins(self) -> tuple[float, ...]:
        """Origin of every row of coefficients, in the unit of z."""
        return (self.breaks[0], *self.breaks)

    @property
    def slopes(self) -> tuple[float, ...]:
        """Slopes of the force at the breaks, from the left and from the right; beyond, how far z goes is not known."""
        rates = [np.polynomial.Polynomial(row).deriv() for row in self.coefficients]
        left = [rate(at - origin) for rate, origin, at in zip(rates, self.origins, self.breaks, strict=False)]
        right = [float(row[1]) for row in self.coefficients[1:] if len(row) > 1]
        return (*map(float, left), *right)

    @property
    def constants(self) -> tuple[float, ...]:
        width = max(len(row) for row in self.coefficients)
        padded = (
            (origin, *row, *[0.0] * (width - len(row)))
            for origin, row in zip(self.origins, self.coefficients, strict=True)
        )
        return (float(1 + width), *(number for piece in padded for number in piece))

    def numbers(self) -> Iterator[tuple[str, float, str, str]]:
        word, unit, inverse = self.of
        for i, at in enumerate(self.breaks, start=1):
            yield f"break_{i}", at, unit, f"{word} from which the next polynomial holds, and its origin"
        for i, row in enumerate(self.coefficients):
            for k, c in enumerate(row):
                meaning = "of the polynomial with this number; 0: below all breaks"
                yield f"coefficient_{i}_{k}", c, f"N{inverse}^{k}", meaning

    def force(self, z: ArrayLike) -> Floats:
        """Return F(z) in N, in the shape of the elongations (m) or rates (m/s) z."""
        z = np.asarray(z, dtype=float)
        pieces = zip(self.origins, self.coefficients, strict=True)
        values = np.array([np.polynomial.Polynomial(row)(z - origin) for origin, row in pieces])
        chosen = np.searchsorted(self.breaks, z, side="right")
        return np.asarray(np.take_along_axis(values, chosen[None], axis=0)[0])


@dataclass(frozen=True, eq=False, kw_only=True)
class NonlinearSpring(PiecewiseLaw):
    """A spring whose force is a piecewise polynomial of its elongation (RELA_EFFO_DEPL), see `PiecewiseLaw`."""

    type: ClassVar[str] = "nonlinear-spring"
    of: ClassVar[tuple[str, str, str]] = ("elongation", "m", "/m")

    @property
    def stiffness(self) -> float:
        """Largest slope at the breaks, from either side; how far the spring will be stretched is not known."""
        return max(0.0, *self.slopes)


@dataclass(frozen=True, eq=False, kw_only=True)
class NonlinearDamper(PiecewiseLaw):
    """A damper whose force is a continuous piecewise polynomial of its rate (RELA_EFFO_VITE), see `PiecewiseLaw`.

    A force that jumps at a rate would hold the body there: that is friction, or a moving belt, and refused.
    """

    type: ClassVar[str] = "nonlinear-damper"
    of: ClassVar[tuple[str, str, str]] = ("rate", "m/s", " (s/m)")
    internal: ClassVar[Mapping[str, str]] = {"rate": "m/s"}

    def __post_init__(self) -> None:
        super().__post_init__()
        for i, (at, left, right) in enumerate(zip(self.breaks, self._ends, self.coefficients[1:], strict=True)):
            if abs(left - right[0]) > CONTINUOUS * max(map(abs, (*self.coefficients[i], *right))):
                raise ProblemError(
                    f"{self.owner}: the force jumps from {left:g} N to {right[0]:g} N at the rate {at:g} m/s; "
                    "make it continuous, dry friction is a Friction"
                )

    @property
    def _ends(self) -> Iterator[float]:
        """Forces (N) at the breaks, from the left."""
        for row, origin, at in zip(self.coefficients, self.origins, self.breaks, strict=False):
            yield float(np.polynomial.Polynomial(row)(at - origin))

    @classmethod
    def table(
        cls, *, name: str, direction: ArrayLike, points: Sequence[tuple[float, float]], frame: Frame = "relative"
    ) -> Self:
        """Return the damper with straight lines between points (rate in m/s, force in N), two or more.

        The first and the last line go on beyond their points.

        Raises
        ------
        ProblemError
            If there are fewer points, or their rates do not increase.
        """
        table = np.array(points, dtype=float)
        if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2 or np.any(np.diff(table[:, 0]) <= 0):
            raise ProblemError(
                f"{cls.type} {name!r}: points must be two or more pairs (rate, force) of increasing rate"
            )
        rates, forces = table.T
        slopes = np.diff(forces) / np.diff(rates)
        rows = ((forces[0], slopes[0]), *zip(forces, (*slopes, slopes[-1]), strict=True))
        return cls(name=name, direction=cast(Floats, direction), breaks=tuple(rates), coefficients=rows, frame=frame)

    @property
    def stiffness(self) -> float:
        """None: the force follows the rate alone."""
        return 0.0

    @property
    def dashpot(self) -> float:
        """Largest slope at the breaks, from either side; how fast the damper will move is not known."""
        return max(0.0, *self.slopes)

    @property
    def is_piecewise_linear(self) -> bool:
        """Whether the force has no power above the first."""
        return not any(any(row[2:]) for row in self.coefficients)

    @property
    def tag(self) -> str:
        return PIECEWISE_LINEAR if self.is_piecewise_linear else super().tag


@dataclass(frozen=True, eq=False, kw_only=True)
class BucklingStop(Device):
    """A unilateral stop that buckles under the crush ``u > 0`` (FLAMBAGE); its force F >= 0 is a push.

    ``contact_stiffness × u`` up to ``critical_force``, reached at the crush u_b; then ``critical_force`` over
    ``plateau`` (m), a line down to ``post_force`` over ``softening`` (m; at once if that is zero), then ``post_force``.
    Returns, and ways back, follow the line from the largest crush so far to the residual crush. That one is a line
    between the points (largest, residual) = (u_b, 0), (u_b + plateau, plateau) and (d + post_force/k, d) for each pair
    (d, k) of ``returns``; beyond the last point it grows as the largest crush does. ``crushed`` is the largest crush
    before the start (m).
    """

    contact_stiffness: float = number(positive, "N/m", "before buckling")
    critical_force: float = number(positive, "N", "at which the stop buckles")
    post_force: float = number(positive, "N", "that is left of it")
    plateau: float = number(at_least_zero, "m", "crush under the critical force", 0.0)
    softening: float = number(at_least_zero, "m", "crush over which the force falls to post_force", 0.0)
    returns: tuple[tuple[float, float], ...] = ()
    crushed: float = number(at_least_zero, "m", "largest crush before the start", 0.0)
    type: ClassVar[str] = "buckling-stop"
    internal: ClassVar[Mapping[str, str]] = {"largest_crush": "m", "residual_crush": "m"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.post_force > self.critical_force:
            raise ProblemError(f"{self.owner}: post_force {self.post_force} N exceeds critical_force")
        try:
            rows = tuple((float(d), float(k)) for d, k in self.returns)
        except (TypeError, ValueError):
            raise ProblemError(
                f"{self.owner}: returns must be pairs of residual crush (m) and stiffness (N/m)"
            ) from None
        object.__setattr__(self, "returns", rows)
        for i, (d, k) in enumerate(rows, start=1):
            at_least_zero(f"{self.owner}: returns, row {i}", residual=d)
            positive(f"{self.owner}: returns, row {i}", stiffness=k)
        self._check_order()

    def _check_order(self) -> None:
        """Refuse a table in which total or residual crush falls, or a total within the softening."""
        ends = (self.buckling_crush + self.plateau + self.softening, self.plateau)
        for i, (before, point) in enumerate(itertools.pairwise((ends, *self.points[2:])), start=1):
            if point[0] < before[0] or point[1] < before[1] or (i > 1 and point[0] == before[0]):
                raise ProblemError(
                    f"{self.owner}: returns, row {i}: total crush d + post_force/k = {point[0]:g} m and residual crush "
                    f"{point[1]:g} m must not fall below {before[0]:g} m and {before[1]:g} m"
                )

    @property
    def buckling_crush(self) -> float:
        """Crush at which the stop buckles (m)."""
        return self.critical_force / self.contact_stiffness

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Points (largest crush, residual crush) in m."""
        first = self.buckling_crush
        table = ((d + self.post_force / k, d) for d, k in self.returns)
        return ((first, 0.0), (first + self.plateau, self.plateau), *table)

    @property
    def stiffness(self) -> float:
        """That of the first contact; all returns are softer."""
        return self.contact_stiffness

    @property
    def constants(self) -> tuple[float, ...]:
        law = (self.contact_stiffness, self.critical_force, self.post_force, self.plateau, self.softening)
        return (*law, *(number for point in self.points for number in point))

    def memory(self, t: float, u: float) -> tuple[float, ...]:  # noqa: ARG002 - the instant does not matter
        return (max(self.crushed, u),)

    def numbers(self) -> Iterator[tuple[str, float, str, str]]:
        yield from super().numbers()
        for i, (d, k) in enumerate(self.returns, start=1):
            yield f"residual_{i}", d, "m", "residual crush of this row of the table"
            yield f"stiffness_{i}", k, "N/m", "of the return to it, from post_force"


@dataclass(frozen=True, eq=False, kw_only=True)
class Zener(Device):
    """Spring k1 in series with [k2 beside (k3 in series with a dashpot)] (DIS_VISC).

    The dashpot carries ``damping × sign(w) |w|**alpha`` at the rate w of its path, with 0 < alpha <= 1; springs in N/m,
    damping in N (s/m)^alpha. ``path`` is the path of the dashpot at the start (m).
    """

    k1: float = number(positive, "N/m", "spring in series with the rest")
    k2: float = number(positive, "N/m", "spring beside the dashpot")
    k3: float = number(positive, "N/m", "spring in series with the dashpot")
    damping: float = number(positive, "N (s/m)^alpha", "constant of the dashpot")
    alpha: float = number(positive, "1", "power of the dashpot", 1.0)
    path: float = number(finite, "m", "of the dashpot at the start", 0.0)
    type: ClassVar[str] = "zener"
    internal: ClassVar[Mapping[str, str]] = {"dashpot_force": "N", "dashpot_path": "m"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha > 1:
            raise ProblemError(f"{self.owner}: alpha = {self.alpha} must not exceed 1")

    @property
    def stiffness(self) -> float:
        """That of a sudden stretch, which leaves the dashpot where it is."""
        return self.k1 * (self.k2 + self.k3) / (self.k1 + self.k2 + self.k3)

    @property
    def _share(self) -> float:
        """Force of the dashpot that an elongation brings at once (N/m); `_yielding`: that its path takes away."""
        return self.k1 * self.k3 / (self.k1 + self.k2 + self.k3)

    @property
    def _yielding(self) -> float:
        return self.k3 * (self.k1 + self.k2) / (self.k1 + self.k2 + self.k3)

    @property
    def constants(self) -> tuple[float, ...]:
        return (self.k1, self.k2, self._share, self._yielding, self.damping, 1.0 / self.alpha)

    def forces(self, elongation: ArrayLike, path: ArrayLike) -> tuple[Floats, Floats]:
        """Return the forces (m,) of device and dashpot in N at elongations and paths of the dashpot (m,) in m."""
        u, w = np.asarray(elongation, dtype=float), np.asarray(path, dtype=float)
        inner = (self.k1 * u + self.k3 * w) / (self.k1 + self.k2 + self.k3)
        return np.asarray(self.k1 * (u - inner)), np.asarray(self._share * u - self._yielding * w)

    def memory(self, t: float, u: float) -> tuple[float, ...]:
        return (t, u, self._share * u - self._yielding * self.path)


DEVICES: dict[str, type[Device]] = {cls.type: cls for cls in (NonlinearSpring, NonlinearDamper, BucklingStop, Zener)}
DEVICE_TAGS: tuple[str, ...] = (*(f"device:{law}" for law in DEVICES), PIECEWISE_LINEAR)


def device(data: Mapping[str, Any]) -> Device:
    """Read the JSON form of a device.

    Raises `ProblemError` if the type is unknown or the content is refused by the device; TypeError if a field is
    unknown or missing.
    """
    given = dict(data)
    kind = given.pop("type", None)
    if not isinstance(kind, str) or kind not in DEVICES:
        raise ProblemError(f"unknown device type {kind!r}; known: {', '.join(DEVICES)}")
    return DEVICES[kind](**given)
