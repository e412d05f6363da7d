"""What the solver knows of a problem, of a mode and of a step; the matrices of collocation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from .time_functions import Signal

Floats = NDArray[np.float64]

OPEN, CLOSED, RELEASED = range(3)  # of a plane; released: overlap without force, which a damped stop shows
STICK, FREE = 0, 2  # of a friction; +1 and -1: slip; free: its stop does not press
LIFTED, ELASTIC, PLATEAU, SOFTENING, POST, RETURNING = range(6)  # of a buckling stop
ROUNDING = 1e-13  # relative; a difference smaller than this is rounding


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane of a stop in the unknowns: gap ``gap - normal · q - carried · supports``."""

    name: str
    normal: Floats
    gap: float
    stiffness: float
    damping: float
    carried: Floats


@dataclass(frozen=True, eq=False)
class Rub:
    """A friction along one line of the unknowns; ``cosines``: parts of its force along the tangents of the problem."""

    name: str
    line: Floats
    cosines: tuple[float, ...]
    normal: float
    planes: tuple[int, ...]
    static: float
    kinetic: float
    carried: Floats


@dataclass(frozen=True, eq=False)
class Local:
    """A device along one direction of the unknowns; ``memory``: its place among the further states, -1 without any."""

    law: Any
    direction: Floats
    carried: Floats
    memory: int


@dataclass(frozen=True)
class Mode:
    """Discrete state: of every plane, of every friction, and (branch, crush) of every device."""

    planes: tuple[int, ...]
    grips: tuple[int, ...]
    branches: tuple[tuple[int, float], ...]

    def changed(self, what: str, place: int, state: Any) -> Mode:
        """Return the mode with another state of one element."""
        states = list(getattr(self, what))
        states[place] = state
        return replace(self, **{what: tuple(states)})


@dataclass(frozen=True, eq=False)
class System:
    """The problem in the unknowns q = modal coordinates or displacements; displacements are ``shapes @ q``."""

    shapes: Floats | None
    mass: Floats
    inverse: Floats
    damping: Floats | None
    stiffness: Floats
    loads: tuple[tuple[Floats, Signal], ...]
    supports: tuple[tuple[Floats, tuple[Signal, ...]], ...]
    planes: tuple[Plane, ...]
    rubs: tuple[Rub, ...]
    devices: tuple[Local, ...]
    carries: bool

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return int(self.mass.shape[0])

    @property
    def signals(self) -> list[Signal]:
        """All functions of time."""
        return [s for _, s in self.loads] + [s for _, motion in self.supports for s in motion]


@dataclass(slots=True, eq=False)
class Look:
    """Everything at instants (m,): rates (m, d) of the states; histories (m,) of every element."""

    rate: Floats
    gaps: list[Floats] = field(default_factory=list)
    gap_rates: list[Floats] = field(default_factory=list)
    pressures: list[Floats] = field(default_factory=list)
    normals: list[Floats] = field(default_factory=list)
    rubbing: list[Floats] = field(default_factory=list)
    sliding: list[Floats] = field(default_factory=list)
    elongations: list[Floats] = field(default_factory=list)
    stretching: list[Floats] = field(default_factory=list)
    device_forces: list[Floats] = field(default_factory=list)
    dashpots: list[Floats] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Tables:
    """Constant matrices of collocation at Chebyshev points, and of the interpolation of guards."""

    nodes: Floats  # (s,) in parts of the step
    integrals: Floats  # (s, s): from 0 to each node
    values: NDArray[np.complex128]  # (s,): eigenvalues of the integrals
    vectors: NDArray[np.complex128]  # (s, s): their eigenvectors
    apart: NDArray[np.complex128]  # (s, s): the inverse of these
    coefficients: Floats  # (s + 1, s): rates at the nodes to Chebyshev coefficients of their integral
    grid: Floats  # (g,) in parts of the step, both ends included
    on_grid: Floats  # (g, s + 1): Chebyshev coefficients of the motion to the grid
    of_grid: Floats  # (g, g): values on the grid to Chebyshev coefficients
    limit: Floats  # (g - 1,): values on the grid but its start to the value there


@cache
def tables(stages: int) -> Tables:
    """Return the matrices for a number of stages."""
    points = np.cos(np.pi * (np.arange(stages)[::-1] + 0.5) / stages)
    of_nodes = np.linalg.inv(chebyshev.chebvander(points, stages - 1))
    integral = np.array([chebyshev.chebint(row, lbnd=-1, scl=0.5) for row in np.eye(stages)]).T
    coefficients = integral @ of_nodes
    g = 2 * stages + 1
    grid = np.cos(np.pi * np.arange(g)[::-1] / (g - 1))
    of_grid = np.linalg.inv(np.asarray(chebyshev.chebvander(grid, g - 1), dtype=float))
    integrals = chebyshev.chebvander(points, stages) @ coefficients
    values, vectors = np.linalg.eig(integrals)
    return Tables(
        nodes=(points + 1) / 2,
        integrals=integrals,
        values=values,
        vectors=vectors,
        apart=np.linalg.inv(vectors),
        coefficients=coefficients,
        grid=(grid + 1) / 2,
        on_grid=np.asarray(chebyshev.chebvander(grid, stages), dtype=float),
        of_grid=of_grid,
        limit=(-1.0) ** np.arange(g - 1) @ np.linalg.inv(chebyshev.chebvander(grid[1:], g - 2)),
    )


class Step(NamedTuple):
    """A step: start (s), length (s), state at its start (d,), coefficients (s + 1, d) of its motion.

    ``least`` (d,) are the smallest sizes that its error is compared with.
    """

    start: float
    length: float
    state: Floats
    motion: Floats
    least: Floats

    def at(self, tau: Any) -> Floats:
        """Return the states (k, d) at parts (k,) of the step."""
        angle = np.arccos(np.clip(2 * np.asarray(tau) - 1, -1.0, 1.0))
        return np.asarray(self.state + np.cos(np.multiply.outer(angle, np.arange(len(self.motion)))) @ self.motion)


class Phase(NamedTuple):
    """What lies between two events or breaks: start (s), state there, mode, whether an element has changed, steps.

    ``where`` is an instant of the smooth piece of the loads.
    """

    start: float
    state: Floats
    mode: Mode
    where: float
    changed: bool
    steps: list[Step]


class Alarm(NamedTuple):
    """A guard of a mode: its values (g,), their usual size, and what it changes when it falls below zero."""

    values: Floats
    size: float
    what: str
    place: int
    state: Any
