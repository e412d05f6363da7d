"""Local nonlinear devices: small records in SI units, each a law of one elongation.

The elongation is ``u = direction · x + offset``; the device pushes back with ``-direction × F``, where F follows from
u, its rate and what the device remembers. In the frame ``"absolute"`` x holds the driven displacement of moving supports.

A new device is a record here, a law in `veridyn.solver.kernels`, found by a number in `kernels.device`, and that number
in `veridyn.solver.arrays`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.solver.elements import FRAMES, Frame, one_of, vector
from veridyn.solver.errors import ProblemError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Device:
    """What every device has: a name, a direction (n,), an offset of its elongation (m), a frame.

    ``type`` names the law in JSON and in the capability ``device:TYPE``; ``internal`` the histories that the law
    reports beside ``force`` (N) and ``elongation`` (m), and their units.
    """

    name: str
    direction: Floats
    offset: float = 0.0
    frame: Frame = "relative"
    type: ClassVar[str]
    internal: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", vector(f"{self.owner}: direction", self.direction))
        one_of(self.owner, "frame", self.frame, FRAMES)
        if not np.isfinite(self.offset):
            raise ProblemError(f"{self.owner}: offset = {self.offset} must be finite (m)")

    @property
    def owner(self) -> str:
        """How messages call the device."""
        return f"{self.type} {self.name!r}"

    @property
    def stiffness(self) -> float:
        """Largest stiffness (N/m) that the device shows, for the step rule; 0 if it has none or nobody can tell."""
        raise NotImplementedError

    @property
    def constants(self) -> tuple[float, ...]:
        """Numbers that the law in the kernels reads, in its order."""
        raise NotImplementedError

    def memory(self, t: float, u: float) -> tuple[float, ...]:  # noqa: ARG002 - for laws that remember
        """Return what the device remembers at the start t (s) at the elongation u (m); what is left out is zero."""
        return ()

    def numbers(self) -> Iterator[tuple[str, float, str, str]]:
        """Yield name, value, unit and meaning of the numbers of the law, for statements that people read."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; `device` reads it back."""
        return {"type": self.type, **vars(self), "direction": self.direction.tolist()}


@dataclass(frozen=True, eq=False, kw_only=True)
class NonlinearSpring(Device):
    """A spring whose force is a piecewise polynomial of its elongation (RELA_EFFO_DEPL).

    ``F(u) = Σ_k coefficients[i][k] (u - origin)**k`` (N, m). Row 0 holds left of the first break, with that break as
    origin; row i from ``breaks[i - 1]`` on, with ``breaks[i - 1]`` as origin. So there is one row more than breaks.
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]
    type: ClassVar[str] = "nonlinear-spring"

    def __post_init__(self) -> None:
        super().__post_init__()
        breaks = vector(f"{self.owner}: breaks", self.breaks)
        rows = tuple(vector(f"{self.owner}: coefficients[{i}]", row) for i, row in enumerate(self.coefficients))
        if not breaks.size or np.any(np.diff(breaks) <= 0):
            raise ProblemError(f"{self.owner}: breaks must be a list of increasing elongations (m)")
        if len(rows) != breaks.size + 1 or not all(row.size for row in rows):
            raise ProblemError(
                f"{self.owner}: {breaks.size} breaks need {breaks.size + 1} rows of coefficients, none of them empty"
            )
        object.__setattr__(self, "breaks", tuple(breaks.tolist()))
        object.__setattr__(self, "coefficients", tuple(tuple(row.tolist()) for row in rows))

    @classmethod
    def odd(
        cls, *, name: str, direction: ArrayLike, coefficients: Sequence[float], slack: float = 0.0
    ) -> NonlinearSpring:
        """Return the spring ``F(u) = sign(u) Σ_k coefficients[k] (|u| - slack)**k``, without force for ``|u| < slack``.

        Terms in u |u| are thus the coefficient of the second power.
        """
        left = tuple(-c * (-1) ** k for k, c in enumerate(coefficients))
        right = tuple(coefficients)
        breaks, rows = ((0.0,), (left, right)) if slack == 0 else ((-slack, slack), (left, (0.0,), right))
        return cls(name=name, direction=np.asarray(direction, dtype=float), breaks=breaks, coefficients=rows)

    @property
    def origins(self) -> tuple[float, ...]:
        """Origin of every row of coefficients (m)."""
        return (self.breaks[0], *self.breaks)

    @property
    def stiffness(self) -> float:
        """Largest slope at the breaks, from either side; how far the spring will be stretched is not known."""
        rates = [np.polynomial.Polynomial(row).deriv() for row in self.coefficients]
        left = [rate(at - origin) for rate, origin, at in zip(rates, self.origins, self.breaks, strict=False)]
        right = [float(row[1]) for row in self.coefficients[1:] if len(row) > 1]
        return max(0.0, *map(float, left), *right)

    @property
    def constants(self) -> tuple[float, ...]:
        width = max(len(row) for row in self.coefficients)
        padded = (
            (origin, *row, *[0.0] * (width - len(row)))
            for origin, row in zip(self.origins, self.coefficients, strict=True)
        )
        return (float(1 + width), *(number for piece in padded for number in piece))

    def numbers(self) -> Iterator[tuple[str, float, str, str]]:
        for i, at in enumerate(self.breaks, start=1):
            yield f"break_{i}", at, "m", "elongation from which the next polynomial holds, and its origin"
        for i, row in enumerate(self.coefficients):
            for k, c in enumerate(row):
                yield f"coefficient_{i}_{k}", c, f"N/m^{k}", "of the polynomial with this number; 0: below all breaks"

    def force(self, elongation: ArrayLike) -> Floats:
        """Return F(u) in N, in the shape of the elongations (m)."""
        u = np.asarray(elongation, dtype=float)
        pieces = zip(self.origins, self.coefficients, strict=True)
        values = np.array([np.polynomial.Polynomial(row)(u - origin) for origin, row in pieces])
        chosen = np.searchsorted(self.breaks, u, side="right")
        return np.asarray(np.take_along_axis(values, chosen[None], axis=0)[0])


DEVICES: dict[str, type[Device]] = {cls.type: cls for cls in (NonlinearSpring,)}


def device(data: Mapping[str, Any]) -> Device:
    """Read the JSON form of a device.

    Raises
    ------
    ProblemError
        If the type is unknown or the content is refused by the device; TypeError if a field is unknown or missing.
    """
    fields = dict(data)
    kind = fields.pop("type", None)
    if not isinstance(kind, str) or kind not in DEVICES:
        raise ProblemError(f"unknown device type {kind!r}; known: {', '.join(DEVICES)}")
    return DEVICES[kind](**fields)
