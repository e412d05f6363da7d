"""Smooth initial value problems with a solution in closed form: linear, nonlinear, with the time in the rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode

Floats = NDArray[np.float64]
SMALL = 1e-3  # of states beside which an absolute tolerance is seen


@dataclass(frozen=True, kw_only=True)
class SmoothProblem:
    """A problem from 0 to ``end`` (s); ``truth`` returns the states (m, n), of order 1, at instants (m,)."""

    name: str
    states: tuple[str, ...]
    rates: tuple[str, ...]
    initial: tuple[str, ...]
    truth: Callable[[Floats], Floats]
    end: float = 2.0

    def build(self, times: Floats, end: float | None = None) -> InitialValueProblem:
        """Return the problem with output instants (m,) in s; it ends with the last one, or at ``end``."""
        return InitialValueProblem(
            name="smooth",
            states=self.states,
            modes=(Mode(name="smooth", rates=self.rates),),
            initial=self.initial,
            end=float(times[-1]) if end is None else end,
            output_times=times,
        )


def _swing(t: Floats) -> Floats:
    return np.column_stack((np.cos(t), -np.sin(t)))


def _small_swing(t: Floats) -> Floats:
    return SMALL * _swing(t)


def _spiral(t: Floats) -> Floats:
    # in polar coordinates r' = r (1 - r^2), so that 1/r^2 - 1 decays as exp(-2 t), and the angle is t
    r = 1.0 / np.sqrt(1.0 + 3.0 * np.exp(-2.0 * t))
    return np.column_stack((r * np.cos(t), r * np.sin(t)))


def _pulse(t: Floats) -> Floats:
    return (1.0 / (1.0 + t * t))[:, None]


OSCILLATOR = SmoothProblem(name="linear", states=("x", "v"), rates=("v", "-x"), initial=("1", "0"), truth=_swing)
SMALL_OSCILLATOR = SmoothProblem(
    name="small linear", states=("x", "v"), rates=("v", "-x"), initial=("1/1000", "0"), truth=_small_swing
)
SPIRAL = SmoothProblem(
    name="nonlinear",
    states=("x", "y"),
    rates=("x*(1 - x**2 - y**2) - y", "y*(1 - x**2 - y**2) + x"),
    initial=("1/2", "0"),
    truth=_spiral,
)
PULSE = SmoothProblem(name="explicit time", states=("y",), rates=("-2*t*y**2",), initial=("1",), truth=_pulse)
SMOOTH = (OSCILLATOR, SPIRAL, PULSE)
