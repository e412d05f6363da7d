"""Small initial value problems whose motion is known in closed form, also as a faulty adapter would state them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from veridyn.doctor.bodies import AT_ONCE, SPACING, Body, Floats, Path
from veridyn.solver.problem.initial_value import Change, InitialValueProblem, Mode

NEAR = 2.5 * SPACING
PASSED = 1e-3  # of the amplitude; a guard that is passed by more was located late


@dataclass(frozen=True, kw_only=True, eq=False)
class Equations(Body):
    """Two equations, whose states are both halves of the path: initial values, and parameters in their order."""

    initial: tuple[float, float]
    parameters: tuple[float, float, float]
    names = ("a", "b", "c")

    def seen(self, response: Any) -> tuple[Floats, Floats, Floats]:
        """Leave the instants of events out: a rounding decides on which side of a jump they lie."""
        kept = ~np.isin(response.time, response.instants)
        return response.time[kept], response.states[kept], response.states[kept]

    def _given(self, **more: Any) -> InitialValueProblem:
        parameters = dict(zip(self.names, map(repr, self.parameters), strict=True))
        return InitialValueProblem(
            name=self.name,
            parameters=parameters,
            initial=tuple(map(repr, self.initial)),
            end=self.end,
            output_times=self.instants,
            **more,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Linear(Equations):
    """``x' = v``, ``v' = c t - a x - b v``; rates may be turned (``sense`` -1) or ``swapped``."""

    sense: float = 1.0
    swapped: bool = False

    @property
    def problem(self) -> InitialValueProblem:
        modes = (Mode(name="moves", rates=("v", "c*t - a*x - b*v")),)
        return self._given(states=("x", "v"), modes=modes)

    def motion(self, t: Floats) -> Path:
        a, b, c = self.parameters
        rates = self.sense * np.array([[0.0, 1.0, 0.0, 0.0], [-a, -b, c, 0.0]])
        rows = np.vstack((rates[::-1] if self.swapped else rates, [[0.0, 0.0, 0.0, 1.0], np.zeros(4)]))
        states = (expm(t[:, None, None] * rows) @ np.array([*self.initial, 0.0, 1.0]))[:, :2]
        return states, states


@dataclass(frozen=True, kw_only=True, eq=False)
class Bounce(Equations):
    """A ball that falls with the acceleration a, rises with c, and keeps the share b of its speed at the ground.

    It is thrown from beneath the ground, through which it rises. ``impacts`` happen at most, ``factor`` is that of the
    velocity in units of b, ``both`` ways of passing the ground count, ``mode`` is the first.
    """

    impacts: float = math.inf
    factor: float = -1.0
    restitution: float | None = None
    both: bool = False
    mode: str = "falls"

    @property
    def problem(self) -> InitialValueProblem:
        impact = Change(name="impact", guard="y", direction=-1, reset={"v": "-b*v"}, mode="rises")
        top = Change(name="top", guard="v", direction=-1, mode="falls")
        modes = (
            Mode(name="rises", rates=("v", "-c"), events=(top,)),
            Mode(name="falls", rates=("v", "-a"), events=(impact,)),
        )
        return self._given(states=("y", "v"), modes=modes, mode="falls")

    def motion(self, t: Floats) -> Path:
        starts, y, v, acceleration = (np.array(column) for column in zip(*self._phases(), strict=True))
        phase = np.searchsorted(starts, t, side="right") - 1
        s = t - starts[phase]
        states = np.column_stack((
            y[phase] + s * (v[phase] - 0.5 * s * acceleration[phase]),
            v[phase] - s * acceleration[phase],
        ))  # fmt: skip
        return states, states

    def is_smooth(self, t: Floats) -> NDArray[np.bool_]:
        starts = np.array([start for start, *_ in self._phases()][1:])
        return np.asarray(np.all(np.abs(t[:, None] - starts) > NEAR, axis=1))

    def flaw(self, t: Floats, x: Floats) -> str:
        low = -float(x[t > self._first, 0].min(initial=0.0))
        if low <= PASSED * float(np.abs(x).max()):
            return ""
        return f"it passes the ground by {low:.1e} before the impact happens: locate events within a step"

    @property
    def _first(self) -> float:
        """The instant (s) of the first impact."""
        return next(start for start, y, *_ in self._phases() if start and not y)

    def _phases(self) -> Iterator[tuple[float, float, float, float]]:
        """Yield start, height, velocity and downward acceleration of each phase."""
        t, (y, v), mode, impacts = 0.0, self.initial, self.mode, 0
        while t < self.end:
            acceleration = self.parameters[0] if mode == "falls" else self.parameters[2]
            yield t, y, v, acceleration
            watched = mode == "rises" or impacts < self.impacts
            lasts = self._lasts(y, v, acceleration, mode) if watched else math.inf
            if not math.isfinite(lasts):
                return
            t, y, v = t + lasts, y + lasts * (v - 0.5 * lasts * acceleration), v - lasts * acceleration
            if mode == "falls":
                share = self.parameters[1] if self.restitution is None else self.restitution
                y, v, impacts = 0.0, self.factor * share * v, impacts + 1
            mode = "rises" if mode == "falls" else "falls"

    def _lasts(self, y: float, v: float, acceleration: float, mode: str) -> float:
        """Return how long a phase lasts (s): up to the top, or to the ground, which the ball reaches from above."""
        if mode == "rises":
            return v / acceleration if v > 0 and acceleration > 0 else math.inf
        roots = np.roots([-0.5 * acceleration, v, y])
        later = [float(r.real) for r in roots if not r.imag and r.real > AT_ONCE]
        return min((s for s in later if self.both or v - s * acceleration < 0), default=math.inf)
