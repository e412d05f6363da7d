"""Time stepping with velocities and impulses, as game engines do it: rigid stops, and friction in a plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .structure import STEP, between, forces, grid

Floats = np.ndarray[Any, np.dtype[np.float64]]

STEPS = 20_000  # over the span, by default


@dataclass(frozen=True)
class Stepping:
    """What the solvers of this module share. They state nothing of themselves."""

    name: str
    claims: Mapping[str, Any] = field(default_factory=dict)
    version = "1.0"
    settings = STEP | {"step": f"step (s); default 1/{STEPS} of the span"}
    capabilities = frozenset({"mechanical", "loads", "damping"})

    def defaults(self, problem: Any) -> Mapping[str, Any]:
        """Return the step by default."""
        return {"step": (problem.end - problem.start) / STEPS}

    def refinement(self, problem: Any) -> list[Mapping[str, Any]]:
        """Return steps from coarse to fine."""
        return [{"step": (problem.end - problem.start) / count} for count in (2500, 4700, 9100, 17_900)]

    def instants(self, problem: Any, settings: Mapping[str, Any]) -> Floats:
        """Return the instants (m + 1,) of the steps."""
        return grid(problem, {**self.defaults(problem), **settings}["step"])


# ---- rigid stops


def speed_before(before: float, free: float) -> float:
    """Return the speed into a stop (m/s) that its restitution reverses: that before the forces of the step act."""
    return before


def speed_with_gravity(before: float, free: float) -> float:
    """Return the speed into a stop (m/s) with what the forces of the step have added."""
    return free


@dataclass(frozen=True)
class Bouncing(Stepping):
    """Symplectic Euler for one mass before a rigid stop: a step that begins at the stop and goes into it rebounds."""

    impact_speed: Callable[[float, float], float] = speed_before
    capabilities = frozenset({"mechanical", "loads", "damping", "contact", "contact:rigid"})

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return displacement and velocity at the instants of the steps, and the impacts."""
        if len(problem.stops) != 1 or not problem.stops[0].rigid:
            raise NotImplementedError("any other stops than one that is rigid")
        (stop,), times = problem.stops, self.instants(problem, settings)
        m, c, k = (matrix[0, 0] for matrix in (problem.mass, problem.damping, problem.stiffness))
        h, f, normal = times[1] - times[0], forces(problem, times)[:, 0], stop.normal[0]
        x, v = np.empty((2, times.size))
        x[0], v[0] = problem.initial_displacement[0], problem.initial_velocity[0]
        hits = []
        for i in range(times.size - 1):
            v[i + 1] = v[i] + h * (f[i] - c * v[i] - k * x[i]) / m
            if stop.gap - normal * x[i] - stop.offset <= 0 and normal * v[i + 1] > 0:
                speed = max(0.0, self.impact_speed(normal * v[i], normal * v[i + 1]))
                v[i + 1] = -normal * stop.restitution * speed
                hits += [times[i]] if speed else []
            x[i + 1] = x[i] + h * v[i + 1]
        return {"time": times, "displacement": x, "velocity": v, "events": {stop.name: np.array(hits)}}


# ---- friction in a plane


def in_a_cone(impulse: Floats, most: float) -> Floats:
    """Return the impulse (2,) within a circle."""
    size = math.hypot(*impulse)
    return impulse if size <= most else impulse * (most / size)


def in_a_box(impulse: Floats, most: float) -> Floats:
    """Return the impulse (2,) with each component within the limit by itself."""
    return np.clip(impulse, -most, most)


@dataclass(frozen=True)
class Sliding(Stepping):
    """Impulses of friction for one body in a plane; positions go by the mean velocity of a step."""

    limit: Callable[[Floats, float], Floats] = in_a_cone
    capabilities = frozenset(
        {"mechanical", "multi-dof", "loads", "damping", "friction:set-valued", "friction:two-tangents"}
    )

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the motion and the friction at the outputs."""
        friction, mass = _only_friction(problem), problem.mass[0, 0]
        times, T = self.instants(problem, settings), np.array(friction.tangents)
        h, f, most = times[1] - times[0], forces(problem, times), friction.kinetic * friction.normal
        x, v, impulses = np.empty((3, times.size, 2))
        x[0], v[0] = problem.initial_displacement, problem.initial_velocity
        for i in range(times.size - 1):
            force = (f[i] + f[i + 1]) / 2 - problem.damping @ v[i] - problem.stiffness @ x[i]
            free = v[i] + h / mass * force
            impulses[i] = self.limit(-mass * (T @ free), most * h)
            v[i + 1] = free + impulses[i] @ T / mass
            x[i + 1] = x[i] + h / 2 * (v[i] + v[i + 1])
        impulses[-1] = impulses[-2]
        return _answer(problem, friction, times, x, v, impulses / h)


def _only_friction(problem: Any) -> Any:
    if len(problem.frictions) != 1 or problem.mass.shape != (2, 2) or np.ptp(np.diag(problem.mass)):
        raise NotImplementedError("anything but one body with one friction in its plane")
    (friction,) = problem.frictions
    if len(friction.tangents) != 2 or friction.static != friction.kinetic or isinstance(friction.normal, str):
        raise NotImplementedError("any other friction than that in two directions under a constant force")
    return friction


def _answer(problem: Any, friction: Any, times: Floats, x: Floats, v: Floats, force: Floats) -> Mapping[str, Any]:
    """Return what happens at the outputs; forces and sticking are those of the step that begins there or holds it."""
    t = times if problem.output_times is None else problem.output_times
    step = np.clip(np.searchsorted(times, t, side="right") - 1, 0, times.size - 2)
    share = ((t - times[step]) / (times[step + 1] - times[step]))[:, None]
    speeds = (1 - share) * v[step] + share * v[step + 1]
    slip = speeds @ np.array(friction.tangents).T
    history = {
        "force": force[step, 0],
        "force_2": force[step, 1],
        "sliding_velocity": slip[:, 0],
        "sliding_velocity_2": slip[:, 1],
        "stuck": (np.abs(slip) < 1e-12).all(axis=1).astype(float),
        "normal_force": np.full(t.size, friction.normal),
    }
    return {
        "time": t,
        "displacement": between(times, x, v, t),
        "velocity": speeds,
        "elements": {friction.name: history},
    }


BOUNCING = Bouncing("impulses-at-a-stop")
SLIDING = Sliding("impulses-of-friction")
