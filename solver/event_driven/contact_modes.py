"""Discrete states of stops and frictions, and what the equations of such a mode consist of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STRIKES = -2  # in the place of a spring: the change is an impact


class Touch(Enum):
    """State of a stop; ``RELEASED``: overlap without force, which a damped stop shows before it opens."""

    OPEN = "open"
    CLOSED = "closed"
    RELEASED = "released"


TOUCHES = (Touch.OPEN, Touch.CLOSED, Touch.RELEASED)  # in the order of their numbers, where states are numbers


class Grip(IntEnum):
    """State of a friction; ``FREE``: its stop does not press."""

    SLIP_DOWN = -1
    STICK = 0
    SLIP_UP = 1
    FREE = 2


SLIPS = (Grip.SLIP_DOWN, Grip.SLIP_UP)


@dataclass(frozen=True)
class ContactMode:
    """Discrete state: one `Touch` per stop, one `Grip` per friction."""

    stops: tuple[Touch, ...]
    frictions: tuple[Grip, ...]


@dataclass(frozen=True, eq=False)
class Affine:
    """``constant + matrix y + forcing u``, as ``rows`` (r, 1 + 2n + channels) over 1, y (2n = ``states``) and u."""

    rows: Floats
    states: int

    @cached_property
    def constant(self) -> Floats:
        """What does not depend on y and u, (r,)."""
        return self.rows[..., 0]

    @cached_property
    def matrix(self) -> Floats:
        """Factors of the state, (r, 2n)."""
        return self.rows[..., 1 : 1 + self.states]

    @cached_property
    def forcing(self) -> Floats:
        """Factors of the driving functions, (r, channels)."""
        return self.rows[..., 1 + self.states :]

    def __call__(self, y: Floats, u: Floats) -> Floats:
        return np.asarray(self.matrix @ y + self.constant + self.forcing @ u)

    def over(self, states: Floats, u: Floats) -> Floats:
        """Return the values (m, r) along a path of states (m, 2n) and driving functions (m, channels)."""
        return np.asarray(states @ self.matrix.T + self.constant + u @ self.forcing.T)

    def mapped(self, matrix: Floats) -> Affine:
        """Return ``matrix`` times this."""
        return Affine(matrix @ self.rows, self.states)


@dataclass(frozen=True)
class ElementChange:
    """What a guard does when it falls below zero: an element takes another state.

    ``spring`` is the coordinate of a spring of stick that is set to ``elongation``, a row over 1, y and u, then; -1:
    none; STRIKES: a body hits a rigid stop, see `impacts.impact`.
    """

    element: int
    becomes: Touch | Grip
    spring: int = -1
    elongation: Floats | None = None


@dataclass(frozen=True, eq=False)
class ModeFlow:
    """The equations of a mode.

    ``rate`` (2n rows) is y'; ``guards`` are positive inside the mode and ``changes`` says what each one means;
    ``stop_forces``, ``gaps``, ``gap_rates``, ``friction_forces``, ``sliding`` have a row per element. At the start of
    the mode velocities are mapped by ``hold`` (n, n), and the coordinates ``slack`` (springs under no force) are zero.
    ``sizes`` (guards) and ``efforts`` (accelerations) are rows over absolute values: what rounding is measured against.
    """

    mode: ContactMode
    rate: Affine
    guards: Affine
    changes: tuple[ElementChange, ...]
    sizes: Floats
    efforts: Floats
    stop_forces: Affine
    gaps: Affine
    gap_rates: Affine
    friction_forces: Affine
    sliding: Affine
    hold: Floats
    slack: tuple[int, ...] = ()

    @cached_property
    def guard_rates(self) -> Affine:
        """Rates of the guards, without the part of u' (which is ``guards.forcing u'``)."""
        return self.rate.mapped(self.guards.matrix)

    @cached_property
    def fastest(self) -> float:
        """Largest modulus of an eigenvalue of the equations (1/s)."""
        return float(np.abs(np.linalg.eigvals(self.rate.matrix)).max(initial=0.0))
