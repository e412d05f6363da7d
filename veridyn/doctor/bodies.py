"""Small problems whose motion is known in closed form, also as a faulty adapter would state them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from veridyn.problem.basis import undamped_modes
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.modes import Change, Mode
from veridyn.problem.time_functions import Harmonic, table

Path = tuple[Floats, Floats]  # displacement and velocity, (m, n) each

SPACING = 0.01  # s, between the instants of output
ONE = np.ones(1)
AT_ONCE = 1e-9  # s; a root that close to the start of a phase is its start
CREEP = (1e-4, 0.1)  # of the initial velocity; slower is rest, faster is slip


@dataclass(frozen=True, kw_only=True, eq=False)
class PatientBody:
    """What every small problem has: a name and its end in s."""

    name: str
    end: float = 1.0

    @property
    def problem(self) -> Problem:
        """The problem as a solver gets it."""
        raise NotImplementedError

    @property
    def instants(self) -> Floats:
        """The instants of output (s)."""
        return np.linspace(0.0, self.end, round(self.end / SPACING) + 1)

    def motion(self, t: Floats) -> Path:
        """Return displacement and velocity at given instants (m,) in s."""
        raise NotImplementedError

    def seen(self, response: Any) -> tuple[Floats, Floats, Floats]:
        """Return what is compared: instants (m,) in s, and what a solver has for displacement and velocity there."""
        return response.time, response.displacement, response.velocity

    def is_smooth(self, t: Floats) -> NDArray[np.bool_]:
        """Tell for each instant (m,) whether no jump is near, which an inaccurate solver misses by a sample or two."""
        return np.ones(t.size, dtype=bool)

    def flaw(self, t: Floats, x: Floats) -> str:  # noqa: ARG002 - for those that know one
        """Return what is wrong with a displacement (m, n) though its error is small; empty if nothing is."""
        return ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Masses(PatientBody):
    """A mechanical problem: mass (n, n) in kg, initial values (n,) in m and m/s."""

    mass: Floats
    x0: Floats
    v0: Floats

    @property
    def problem(self) -> MechanicalProblem:
        return MechanicalProblem(
            name=self.name,
            mass=self.mass,
            initial_displacement=self.x0,
            initial_velocity=self.v0,
            end=self.end,
            output_times=self.instants,
        )


@dataclass(frozen=True)
class Shake:
    """A support that moves: influence (n,), and its acceleration ``amplitude sin(omega t + phase)`` in m/s²."""

    influence: Floats
    amplitude: float
    omega: float
    phase: float = 0.0

    @property
    def acceleration(self) -> Harmonic:
        """The acceleration as a function of time."""
        return Harmonic(self.amplitude, self.omega, self.phase)

    def derivative(self, order: int, t: Any) -> Any:
        """Return a derivative of the acceleration; -1 is the velocity, -2 the displacement."""
        return Harmonic(self.amplitude, self.omega, self.phase, order)(t)


@dataclass(frozen=True, kw_only=True, eq=False)
class Springs(Masses):
    """Masses on springs, stiffness (n, n) in N/m, on supports that may move; free if the stiffness is zero."""

    stiffness: Floats
    shakes: tuple[Shake, ...] = ()

    @property
    def problem(self) -> MechanicalProblem:
        supports = tuple(
            SupportMotion.from_acceleration(f"support {i + 1}", shake.influence, shake.acceleration)
            for i, shake in enumerate(self.shakes)
        )
        return replace(super().problem, stiffness=self.stiffness, supports=supports)

    def motion(self, t: Floats) -> Path:
        squares, shapes = undamped_modes(self.stiffness, self.mass)
        w = np.emath.sqrt(squares.astype(complex))
        phase = np.outer(t, w)
        shares = [(shapes.T @ self.mass @ shake.influence, shake) for shake in self.shakes]
        # the response to a sine is that sine times a factor; free vibration makes up for what it is at the start
        driven = [(part / (shake.omega**2 - squares), shake) for part, shake in shares]
        forced = [sum((np.outer(s.derivative(k, t), f) for f, s in driven), 0 * phase) for k in (0, 1)]
        first = [sum((s.derivative(k, 0.0) * f for f, s in driven), 0 * w) for k in (0, 1)]
        q = shapes.T @ self.mass @ self.x0 - first[0]
        p = shapes.T @ self.mass @ self.v0 - first[1]
        sine = t[:, None] * np.sinc(phase / np.pi)  # sin(w t)/w, w = 0 included
        x = np.cos(phase) * q + sine * p + forced[0]
        v = np.cos(phase) * p - w**2 * sine * q + forced[1]
        return (x @ shapes.T).real, (v @ shapes.T).real

    def carried(self, t: Floats, order: int = -2) -> Floats:
        """Return how far (m, order -2) or how fast (m/s, order -1) the supports carry the masses, (m, n)."""
        still = np.zeros((np.size(t), len(self.x0)))
        return sum((np.outer(shake.derivative(order, t), shake.influence) for shake in self.shakes), still)


@dataclass(frozen=True, kw_only=True, eq=False)
class Flight(Masses):
    """One free mass in front of a stop, whose ``restitution``, if set, replaces its stiffness ``contact``.

    The stiffness is in N/m; a negative one pulls.
    """

    gap: float
    contact: float
    restitution: float | None = None

    @property
    def problem(self) -> MechanicalProblem:
        return replace(super().problem, stops=(Stop("stop", ONE, gap=self.gap, stiffness=self.contact),))

    def motion(self, t: Floats) -> Path:
        x0, v0, m = float(self.x0[0]), float(self.v0[0]), float(self.mass[0, 0])
        if v0 <= 0:
            return (x0 + v0 * t)[:, None], np.full((t.size, 1), v0)
        s = t - (self.gap - x0) / v0
        w = complex(np.emath.sqrt(self.contact / m))
        leave = math.pi / w.real if self.contact > 0 else math.inf
        inside = np.clip(s, 0.0, leave if math.isfinite(leave) else None)
        x_in, v_in = (inside * np.sinc(w * inside / np.pi)).real, np.cos(w * inside).real
        after, back = np.maximum(s - leave, 0.0), 1.0
        if self.restitution is not None:
            x_in, v_in, after, back = np.zeros_like(s), np.ones_like(s), np.maximum(s, 0.0), self.restitution
        x = self.gap + v0 * (np.minimum(s, 0.0) + x_in - back * after)
        v = v0 * np.where(after > 0, -back, v_in)
        return x[:, None], v[:, None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Slider(Masses):
    """One mass on a plane with dry friction; a load pulls at it that is linear between its ``pulls`` (s, N).

    ``static`` and ``kinetic`` are coefficients, ``normal`` is the normal force (N). Without ``sticks`` the friction
    goes on as it began. Between the two instants ``held`` (s) a constant load is held by the friction.
    """

    normal: float
    static: float
    kinetic: float
    pulls: tuple[tuple[float, float], ...] = ()
    sticks: bool = True
    held: tuple[float, float] = (0.0, 0.0)

    @property
    def problem(self) -> MechanicalProblem:
        rub = Friction("friction", (ONE,), self.normal, self.static, self.kinetic)
        loads = (Load(ONE, table(*zip(*self.pulls, strict=True))),) if self.pulls else ()
        return replace(super().problem, frictions=(rub,), loads=loads)

    def motion(self, t: Floats) -> Path:
        starts, *columns = (np.array(column) for column in zip(*self._phases(), strict=True))
        phase = np.searchsorted(starts, t, side="right") - 1
        x, v, a, jerk = (column[phase] for column in columns)
        s = t - starts[phase]
        return (x + s * (v + s * (a / 2 + s * jerk / 6)))[:, None], (v + s * (a + s * jerk / 2))[:, None]

    def flaw(self, t: Floats, x: Floats) -> str:
        begin, end = self.held
        if begin == end:
            return ""
        rate = float(np.diff(np.interp(self.held, t, x[:, 0]))[0]) / (end - begin)
        if not CREEP[0] < abs(rate / self.v0[0]) < CREEP[1]:
            return ""
        return f"it creeps at {abs(rate):.1e} m/s under a load that friction must hold"

    def _phases(self) -> Iterator[tuple[float, float, float, float, float]]:
        """Yield start, displacement, velocity, acceleration and its rate of each phase of stick or slip."""
        m, x, v = float(self.mass[0, 0]), float(self.x0[0]), float(self.v0[0])
        sense = float(np.sign(v))
        pulls = self.pulls or ((0.0, 0.0),)
        for (begin, force), (end, last) in pairwise((*pulls, (math.inf, pulls[-1][1]))):
            rate = (last - force) / (end - begin)
            t = begin
            while t < end:
                pull = force + rate * (t - begin)
                a = (pull - sense * self.kinetic * self.normal) / m if sense else 0.0
                jerk = rate / m if sense else 0.0
                yield t, x, v, a, jerk
                lasts = self._slides(v, a, jerk) if sense else self._rests(pull, rate)
                s = min(lasts, end - t)
                if not math.isfinite(s):
                    return
                x, v = x + s * (v + s * (a / 2 + s * jerk / 6)), v + s * (a + s * jerk / 2)
                if lasts <= end - t:
                    sense, v = (0.0, 0.0) if sense else (float(np.sign(pull + rate * s)) or 1.0, v)
                t += s

    def _slides(self, v: float, a: float, jerk: float) -> float:
        """Return how long it slides (s)."""
        roots = np.roots([jerk / 2, a, v]) if self.sticks else np.empty(0)
        return min((float(r.real) for r in roots if not r.imag and r.real > AT_ONCE), default=math.inf)

    def _rests(self, pull: float, rate: float) -> float:
        """Return how long friction holds it (s)."""
        limit = self.static * self.normal
        if abs(pull) > limit:
            return 0.0
        return (math.copysign(limit, rate) - pull) / rate if rate else math.inf


# ---- initial value problems

NEAR = 2.5 * SPACING
PASSED = 1e-3  # of the amplitude; a guard that is passed by more was located late


@dataclass(frozen=True, kw_only=True, eq=False)
class Equations(PatientBody):
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
