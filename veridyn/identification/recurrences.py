"""The linear recurrence that a free vibration obeys from step to step: its roots tell radius, damping and period."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.identification.trials import Floats

TURNING = 1e-7  # of a root: a smaller imaginary part is rounding of two real roots that meet
SMALL = 1.0  # rad
MOST = 5  # states of a method for one mass: displacement, velocity and what it carries along


@dataclass(frozen=True)
class Roots:
    """Roots of the shortest recurrence that all motions obey, and its residual over the size of the states."""

    values: NDArray[np.complex128]
    residual: float

    @property
    def radius(self) -> float:
        """The largest modulus: above 1 a free vibration grows."""
        return float(np.abs(self.values).max())

    def principal(self, angle: float) -> complex:
        """Return the root that belongs to the motion, which turns by ``angle`` rad a step; nan if none turns.

        With small steps that is the nearest. With large ones the root of the motion lags far behind and others turn,
        too; theirs die away faster.
        """
        turning = self.values[self.values.imag > TURNING * np.abs(self.values)]
        if not turning.size:
            return complex(math.nan, math.nan)
        near = np.abs(turning - np.exp(1j * angle)) if angle < SMALL else -np.abs(turning)
        return complex(turning[np.argmin(near)])


def find_roots(motions: Sequence[Floats], tolerance: float) -> Roots | None:
    """Return the roots of the shortest recurrence ``z[n + m] = Σ c[j] z[n + j]``, None if no short one holds.

    Parameters
    ----------
    motions
        States (steps + 1, k) each, of one size.
    tolerance
        Of a state, over the size of those that enter.
    """
    for degree in range(1, MOST + 1):
        scaled = np.concatenate([_cut(motion, degree) for motion in motions])
        if scaled.size == 0:
            return None
        left, right = scaled[:, :-1], scaled[:, -1]
        factors, *_ = np.linalg.lstsq(left, right, rcond=None)
        residual = float(np.abs(left @ factors - right).max())
        if residual <= tolerance * (1 + float(np.abs(factors).sum())):  # each state that enters is rounded
            polynomial = np.concatenate(([1.0], -factors[::-1]))
            return Roots(np.atleast_1d(np.roots(polynomial)).astype(complex), residual)
    return None


def _cut(motion: Floats, degree: int) -> Floats:
    """Return all stretches (…, degree + 1) of the histories of a motion, over the size of the states in them.

    Not over their own size: a velocity that is zero but for rounding would be all rounding.
    """
    windows = np.lib.stride_tricks.sliding_window_view(motion, degree + 1, axis=0)
    sizes = np.abs(windows).max(axis=(1, 2))
    scaled: Floats = windows[sizes > 0] / sizes[sizes > 0, None, None]
    return scaled.reshape(-1, degree + 1)
