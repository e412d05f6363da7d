"""A free rigid body: Euler's equations in axes of the body that need not be its principal ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Law = Callable[[Floats, Floats], Floats]

STEPS = 2000  # over the span, by default
STATES = ("w1", "w2", "w3", "q0", "q1", "q2", "q3")


def across(a: Floats, b: Floats) -> Floats:
    """Return the vector product a x b; NumPy's takes ten times as long for one pair."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def spin(inertia: Floats, w: Floats) -> Floats:
    """Return the rate of the angular velocity (3,): the inverse inertia on -w x J w."""
    return np.linalg.solve(inertia, -across(w, inertia @ w))


def spin_by_diagonal(inertia: Floats, w: Floats) -> Floats:
    """Return that rate with the diagonal of the inertia in place of its inverse."""
    return -across(w, inertia @ w) / np.diag(inertia)


def spin_by_diagonal_product(inertia: Floats, w: Floats) -> Floats:
    """Return that rate with the diagonal of the inertia inside the product."""
    return np.linalg.solve(inertia, -across(w, np.diag(inertia) * w))


def turn(law: Law, inertia: Floats, y: Floats) -> Floats:
    """Return the rates (7,) of angular velocity and attitude, a quaternion."""
    w, q = y[:3], y[3:]
    return np.concatenate((law(inertia, w), [-q[1:] @ w / 2], (q[0] * w + across(q[1:], w)) / 2))


def march(law: Law, inertia: Floats, y: Floats, times: Floats) -> Floats:
    """Return the states (m, 7) at instants by the classical method of order 4, one step from each to the next."""
    rows = [y]
    for h in np.diff(times):
        k1 = turn(law, inertia, y)
        k2 = turn(law, inertia, y + h / 2 * k1)
        k3 = turn(law, inertia, y + h / 2 * k2)
        k4 = turn(law, inertia, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        rows.append(y)
    return np.array(rows)


def inertia_of(parameters: Mapping[str, Any]) -> Floats:
    """Return the inertia (3, 3): moments about principal axes, or all entries."""
    if "J11" not in parameters:
        return np.diag([float(parameters[name]) for name in ("I1", "I2", "I3")])
    return np.array([[float(parameters[f"J{min(i, k)}{max(i, k)}"]) for k in (1, 2, 3)] for i in (1, 2, 3)])


@dataclass(frozen=True)
class RigidBody:
    """A solver of the motion of a free rigid body, and of nothing else."""

    name: str
    law: Law = spin
    version = "1.0"
    capabilities = frozenset({"initial-value"})
    settings = {"step": f"step (s); default 1/{STEPS} of the span"}  # noqa: RUF012 - never written
    refinement = "step"

    def defaults(self, problem: Any) -> Mapping[str, Any]:
        """Return the step by default."""
        return {"step": (problem.end - problem.start) / STEPS}

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return angular velocity and attitude at the outputs."""
        if problem.states != STATES:
            raise NotImplementedError("any other motion than that of a free rigid body")
        step = {**self.defaults(problem), **settings}["step"]
        outputs = np.array([problem.start, problem.end]) if problem.output_times is None else problem.output_times
        inertia = inertia_of(problem.parameters)
        parts = np.maximum(1, np.ceil(np.diff(outputs) / step - 1e-6)).astype(int)
        fine = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(outputs, outputs[1:], parts, strict=False)]
        states = march(self.law, inertia, problem.initial_state, np.append(np.concatenate(fine), outputs[-1]))
        return {"time": outputs, "states": states[np.append(0, np.cumsum(parts))]}


BODY = RigidBody("rigid-body")
