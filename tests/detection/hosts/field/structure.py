"""Time integration of linear structures: the family of Newmark with Hilber, Hughes and Taylor; Verlet; modes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import eigh, expm, lu_factor, lu_solve

Floats = np.ndarray[Any, np.dtype[np.float64]]

STEPS_PER_PERIOD = 600  # of the fastest mode, by default
NO_RATIO = 1e-12  # what rounding leaves of a damping ratio
LINEAR = frozenset({"mechanical", "multi-dof", "loads", "support-motion"})
STEP = {"step": f"step (s); default 1/{STEPS_PER_PERIOD} of the shortest period"}


def forces(problem: Any, times: Floats) -> Floats:
    """Return what loads and supports do at instants (m,): forces (m, n) in N."""
    total = np.zeros((times.size, problem.initial_displacement.size))
    for load in problem.loads:
        total += np.multiply.outer(load.function(times), load.direction)
    for support in problem.supports:
        total -= np.multiply.outer(support.acceleration(times), problem.mass @ support.influence)
    return total


def default_step(problem: Any) -> float:
    """Return a share of the shortest period of a structure, or of the span of one that cannot oscillate."""
    largest = eigh(problem.stiffness, problem.mass, eigvals_only=True)[-1]
    period = 2 * math.pi / math.sqrt(largest) if largest > 0 else math.inf
    return min(period, problem.end - problem.start) / STEPS_PER_PERIOD


def grid(problem: Any, step: float) -> Floats:
    """Return instants (m + 1,), a step from each other, from the start to the end or less than a step behind it."""
    return problem.start + step * np.arange(math.ceil((problem.end - problem.start) / step - 1e-6) + 1)


def between(times: Floats, values: Floats, rates: Floats, at: Floats) -> Floats:
    """Return the cubic (k, n) through values and rates (m, n) at instants (k,)."""
    i = np.clip(np.searchsorted(times, at, side="right") - 1, 0, times.size - 2)
    h = (times[i + 1] - times[i])[:, None]
    s = (at - times[i])[:, None] / h
    rise = values[i + 1] - values[i]
    bend = s * (1 - s) * ((1 - s) * (h * rates[i] - rise) - s * (h * rates[i + 1] - rise))
    return values[i] + s * rise + bend


@dataclass(frozen=True)
class Structural:
    """What the integrators of this module share; the answer is at the outputs, or at the steps."""

    name: str
    claims: Mapping[str, Any] = field(default_factory=dict)
    at_steps: bool = False
    version = "1.0"
    settings = STEP
    refinement = "step"
    capabilities = LINEAR

    def defaults(self, problem: Any) -> Mapping[str, Any]:
        """Return the step by default."""
        return {"step": default_step(problem)}

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return displacement and velocity at the outputs, or at the steps."""
        times = grid(problem, {**self.defaults(problem), **settings}["step"])
        x, v, a = self.march(problem, times)
        if not np.isfinite(x[-1]).all():
            raise ArithmeticError("the step is too long: the motion grows without limit")
        t = times if self.at_steps or problem.output_times is None else problem.output_times
        x, v = between(times, x, v, t), between(times, v, a, t)
        return {"time": t, "displacement": x, "velocity": v, "counters": {"steps": times.size - 1}}

    def march(self, problem: Any, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return displacement, velocity and acceleration (m, n) at the instants of the steps."""
        raise NotImplementedError


# ---- Newmark, and Hilber, Hughes and Taylor


def from_equilibrium(problem: Any, force: Floats) -> Floats:
    """Return the acceleration (n,) that the equation of motion has at the start."""
    rest = force - problem.damping @ problem.initial_velocity - problem.stiffness @ problem.initial_displacement
    return np.linalg.solve(problem.mass, rest)


def zero(problem: Any, force: Floats) -> Floats:
    """Return no acceleration."""
    return np.zeros(force.size)


def beta_of(alpha: float) -> float:
    """Return beta of Hilber, Hughes and Taylor for alpha <= 0."""
    return (1 - alpha) ** 2 / 4


def beta_of_square(alpha: float) -> float:
    """Return beta with the square at alpha alone."""
    return (1 - alpha**2) / 4


@dataclass(frozen=True)
class Newmark(Structural):
    """Hilber, Hughes and Taylor's method for alpha < 0; Newmark's average acceleration for alpha = 0.

    M a1 + (1 + alpha) (C v1 + K x1) - alpha (C v0 + K x0) = (1 + alpha) f1 - alpha f0.
    """

    alpha: float = 0.0
    beta: Callable[[float], float] = beta_of
    first_acceleration: Callable[[Any, Floats], Floats] = from_equilibrium
    capabilities = LINEAR | {"damping", "damping:coupled", "damping:gyroscopic"}

    def march(self, problem: Any, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return displacement, velocity and acceleration (m, n) at the instants of the steps."""
        M, C, K, h = problem.mass, problem.damping, problem.stiffness, times[1] - times[0]
        beta, gamma, now = self.beta(self.alpha), 0.5 - self.alpha, 1 + self.alpha
        f = forces(problem, times)
        x, v, a = np.empty((3, *f.shape))
        x[0], v[0] = problem.initial_displacement, problem.initial_velocity
        a[0] = self.first_acceleration(problem, f[0])
        factors = lu_factor(M + now * (gamma * h * C + beta * h**2 * K))
        for i in range(times.size - 1):
            x1, v1 = x[i] + h * v[i] + (0.5 - beta) * h**2 * a[i], v[i] + (1 - gamma) * h * a[i]
            inner = now * (f[i + 1] - C @ v1 - K @ x1) - self.alpha * (f[i] - C @ v[i] - K @ x[i])
            a[i + 1] = lu_solve(factors, inner, check_finite=False)
            x[i + 1], v[i + 1] = x1 + beta * h**2 * a[i + 1], v1 + gamma * h * a[i + 1]
        return x, v, a


# ---- velocity Verlet


def drift(x: Floats, v: Floats, a: Floats, h: float) -> Floats:
    """Return the displacement one step later."""
    return x + h * v + h**2 / 2 * a


def drift_with_shares_swapped(x: Floats, v: Floats, a: Floats, h: float) -> Floats:
    """Return the displacement with the half at the velocity in place of the acceleration."""
    return x + h / 2 * v + h**2 * a


@dataclass(frozen=True)
class Verlet(Structural):
    """Velocity Verlet for undamped structures."""

    drift: Callable[[Floats, Floats, Floats, float], Floats] = drift

    def march(self, problem: Any, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return displacement, velocity and acceleration (m, n) at the instants of the steps."""
        h, inverse = times[1] - times[0], np.linalg.inv(problem.mass)
        f, K = forces(problem, times) @ inverse.T, inverse @ problem.stiffness
        x, v, a = np.empty((3, *f.shape))
        x[0], v[0] = problem.initial_displacement, problem.initial_velocity
        a[0] = f[0] - K @ x[0]
        for i in range(times.size - 1):
            x[i + 1] = self.drift(x[i], v[i], a[i], h)
            a[i + 1] = f[i + 1] - K @ x[i + 1]
            v[i + 1] = v[i] + h / 2 * (a[i] + a[i + 1])
        return x, v, a


# ---- modal superposition


def modes_of(problem: Any) -> tuple[Floats, Floats]:
    """Return frequencies (n,) in rad/s and shapes (n, n) of unit mass."""
    squares, shapes = eigh(problem.stiffness, problem.mass)
    return np.sqrt(np.maximum(squares, 0.0)), shapes


def ratios_of(problem: Any) -> Floats:
    """Return the damping ratios up to the last mode that has one."""
    omega, shapes = modes_of(problem)
    ratios = np.diag(shapes.T @ problem.damping @ shapes) / (2 * np.where(omega > 0, omega, np.inf))
    damped = np.flatnonzero(np.abs(ratios) > NO_RATIO)
    return ratios[: damped[-1] + 1] if damped.size else ratios[:0]


def others_undamped(ratios: Floats, count: int) -> Floats:
    """Return the damping ratios of so many modes, those without one undamped."""
    return np.append(ratios, np.zeros(count - ratios.size))


def first_for_all(ratios: Floats, count: int) -> Floats:
    """Return the damping ratios of so many modes; the first is taken for all where they are too few."""
    return ratios if ratios.size == count else np.full(count, ratios[0])


@dataclass(frozen=True)
class Modal(Structural):
    """Modal superposition, exact for loads that are straight lines over a step.

    Ratios are handed over up to the last mode that has one.
    """

    ratios: Callable[[Floats, int], Floats] = others_undamped
    capabilities = LINEAR | {"damping"}

    def march(self, problem: Any, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return displacement, velocity and acceleration (m, n) at the instants of the steps."""
        omega, shapes = modes_of(problem)
        stated = ratios_of(problem)
        rates = 2 * omega * (self.ratios(stated, omega.size) if stated.size else 0.0)
        f, back = forces(problem, times) @ shapes, shapes.T @ problem.mass
        q = np.empty((2, *f.shape))
        q[:, 0] = back @ problem.initial_displacement, back @ problem.initial_velocity
        maps = np.array([over_a_step(w**2, c, times[1] - times[0]) for w, c in zip(omega, rates, strict=True)])
        for i in range(times.size - 1):
            ahead = np.array([q[0, i], q[1, i], f[i], f[i + 1]])
            q[:, i + 1] = np.einsum("jrs,sj->rj", maps, ahead)
        a = f - rates * q[1] - omega**2 * q[0]
        return q[0] @ shapes.T, q[1] @ shapes.T, a @ shapes.T


def over_a_step(square: float, rate: float, h: float) -> Floats:
    """Return the map (2, 4) from displacement, velocity and the forces at both ends to what a step of h s ends with."""
    flow = np.zeros((4, 4))
    flow[:3, 1:] = [[1, 0, 0], [-rate, 1, 0], [0, 0, 1 / h]]
    flow[1, 0] = -square
    first, last = np.eye(4), np.eye(4)
    first[3, 2] = -1.0  # the last column of the flow is the rise of the force
    return (expm(h * flow) @ first @ last)[:2]


AVERAGE = Newmark("average-acceleration", claims={"order": 2})
DAMPING_ALPHA = Newmark("hht", claims={"order": 2}, alpha=-0.05)
NAMED_ALPHA = Newmark("hht-named", claims={"method": "hht-alpha", "alpha": "-0.05"}, alpha=-0.05, at_steps=True)
VERLET = Verlet("velocity-verlet", claims={"order": 1})
MODAL = Modal("modal-superposition")
