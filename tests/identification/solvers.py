"""Solvers of a few lines in odd styles, written from the textbooks: what the card must name, and faults in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.integrate import solve_ivp

from tests.identification.second_order_solvers import OfSecondOrder

ALL = frozenset(
    {"mechanical", "multi-dof", "loads", "damping", "damping:coupled", "damping:gyroscopic", "stiffness:circulatory"}
)


def load_of(problem: Any) -> Callable[[float], Any]:
    def load(t: float) -> Any:
        return sum((each.direction * each.function(t) for each in problem.loads), np.zeros(problem.size))

    return load


@dataclass
class Stepper:
    """A solver with a step; ``advance`` yields displacement and velocity at the end of every step."""

    march: Callable[[Any, Any, Any, Any, float, int], Any]
    claims: dict[str, Any] = field(default_factory=dict)
    name: str = "stepper"
    version: str = "1"
    capabilities: frozenset[str] = ALL
    grid: bool = False
    answer: Callable[[Any], Any] = np.asarray

    @property
    def settings(self) -> dict[str, str]:
        return {} if self.grid else {"dt": "step (s)"}

    @property
    def refinement(self) -> str:
        return "" if self.grid else "dt"

    def solve(self, problem: Any, settings: Any) -> Any:
        times = problem.output_times
        h = times[1] - times[0] if self.grid else settings.get("dt", 0.01)
        count = round((problem.end - problem.start) / h)
        x, v = np.array(self.march(problem, load_of(problem), h, count)).transpose(1, 0, 2)
        return {"time": np.arange(count + 1) * h, "displacement": self.answer(x), "velocity": self.answer(v)}


@dataclass
class Dividing(Stepper):
    """Divides each output interval into steps, none longer than a part of the shortest period, as it is set."""

    settings: ClassVar[dict[str, str]] = {"fraction": "step over the shortest period; default 0.001"}
    refinement: ClassVar[list[dict[str, float]]] = [{"fraction": value} for value in (0.004, 0.002, 0.001)]

    def solve(self, problem: Any, settings: Any) -> Any:
        times = np.asarray(problem.output_times)
        fastest = math.sqrt(np.linalg.eigvals(np.linalg.solve(problem.mass, problem.stiffness)).real.max())
        longest = settings.get("fraction", 0.001) * (2 * math.pi / fastest if fastest > 0 else math.inf)
        parts = max(1, math.ceil((times[1] - times[0]) / longest - 1e-9))
        h, count = (times[1] - times[0]) / parts, parts * (times.size - 1)
        x, v = np.array(self.march(problem, load_of(problem), h, count)).transpose(1, 0, 2)
        return {"time": times, "displacement": x[::parts], "velocity": v[::parts]}


def generalised(
    beta: float, gamma: float, alpha_m: float = 0.0, alpha_f: float = 0.0, *, instant: bool = False, rest: bool = False
) -> Any:
    """Return the march of Chung and Hulbert's method by its effective stiffness, displacement as the unknown."""

    def march(p: Any, load: Any, h: float, count: int) -> Any:
        m, c, k = p.mass, p.damping, p.stiffness
        x, v = p.initial_displacement, p.initial_velocity
        a = np.zeros_like(x) if rest else np.linalg.solve(m, load(0.0) - c @ v - k @ x)
        states = [(x, v)]
        b0, b1, b2 = 1 / (beta * h**2), 1 / (beta * h), 1 / (2 * beta) - 1
        g0, g1, g2 = gamma / (beta * h), gamma / beta - 1, h * (gamma / (2 * beta) - 1)
        left = m * (1 - alpha_m) * b0 + (1 - alpha_f) * (c * g0 + k)
        for i in range(count):
            f = (1 - alpha_f) * load((i + 1) * h) + alpha_f * load(i * h)
            if instant:
                f = load((i + 1 - alpha_f) * h)
            right = f - alpha_m * m @ a + (1 - alpha_m) * m @ (b0 * x + b1 * v + b2 * a)
            right = right + (1 - alpha_f) * c @ (g0 * x + g1 * v + g2 * a) - alpha_f * (c @ v + k @ x)
            new = np.linalg.solve(left, right)
            a_new = b0 * (new - x) - b1 * v - b2 * a
            v = v + h * ((1 - gamma) * a + gamma * a_new)
            x, a = new, a_new
            states.append((x, v))
        return states

    return march


def rates_of(p: Any, load: Any) -> Callable[[float, Any], Any]:
    inverse, n = np.linalg.inv(p.mass), p.size

    def rates(t: float, y: Any) -> Any:
        return np.concatenate([y[n:], inverse @ (load(t) - p.damping @ y[n:] - p.stiffness @ y[:n])])

    return rates


def start_of(p: Any) -> Any:
    return np.concatenate([p.initial_displacement, p.initial_velocity])


def runge_kutta(a: Any, b: Any) -> Any:
    """Return the march of an explicit Runge-Kutta method."""

    def march(p: Any, load: Any, h: float, count: int) -> Any:
        rates, y, c = rates_of(p, load), start_of(p), [sum(row) for row in a]
        states = [np.split(y, 2)]
        for i in range(count):
            slopes: list[Any] = []
            for row, node in zip(a, c, strict=True):
                inner = y + h * sum((w * s for w, s in zip(row, slopes, strict=False)), np.zeros_like(y))
                slopes.append(rates((i + node) * h, inner))
            y = y + h * sum(w * s for w, s in zip(b, slopes, strict=True))
            states.append(np.split(y, 2))
        return states

    return march


def nystrom(name: str, change: tuple[str, int, float] | tuple[()] = ()) -> Any:
    """Return the march of a method of Nystrom, or of drifts and kicks, which takes dampers as forces."""
    method = OfSecondOrder("mine", name, change)

    def march(p: Any, load: Any, h: float, count: int) -> Any:
        inverse, n = np.linalg.inv(p.mass), p.size

        def force(t: float, x: Any) -> Any:
            return inverse @ (load(t) - p.stiffness @ x)

        states = [tuple(np.split(start_of(p), [n]))]
        for i in range(count):
            states.append(method.advance(force, i * h, *states[-1], h))
        return states

    return march


RK4 = [[], [0.5], [0, 0.5], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]


def symplectic(p: Any, load: Any, h: float, count: int) -> Any:
    x, v, inverse = p.initial_displacement, p.initial_velocity, np.linalg.inv(p.mass)
    states = [(x, v)]
    for i in range(count):
        v = v + h * inverse @ (load(i * h) - p.damping @ v - p.stiffness @ x)
        x = x + h * v
        states.append((x, v))
    return states


def leapfrog(p: Any, load: Any, h: float, count: int) -> Any:
    """Velocity Verlet as programs of molecular dynamics have it; dampers see the half-step."""
    x, v, inverse = p.initial_displacement, p.initial_velocity, np.linalg.inv(p.mass)
    states = [(x, v)]
    for i in range(count):
        half = v + h / 2 * inverse @ (load(i * h) - p.damping @ v - p.stiffness @ x)
        x = x + h * half
        v = half + h / 2 * inverse @ (load((i + 1) * h) - p.damping @ half - p.stiffness @ x)
        states.append((x, v))
    return states


def bdf2(p: Any, load: Any, h: float, count: int) -> Any:
    """Gear's method of order 2, first step by Euler backwards."""
    n, inverse = p.size, np.linalg.inv(p.mass)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ p.stiffness, -inverse @ p.damping]])
    push = [np.concatenate([np.zeros(n), inverse @ load(i * h)]) for i in range(count + 1)]
    y = [start_of(p)]
    y.append(np.linalg.solve(np.eye(2 * n) - h * a, y[0] + h * push[1]))
    for i in range(2, count + 1):
        y.append(np.linalg.solve(np.eye(2 * n) - 2 / 3 * h * a, 4 / 3 * y[-1] - 1 / 3 * y[-2] + 2 / 3 * h * push[i]))
    return [np.split(z, 2) for z in y]


def wilson(theta: float) -> Any:
    def march(p: Any, load: Any, h: float, count: int) -> Any:
        m, c, k, x, v = p.mass, p.damping, p.stiffness, p.initial_displacement, p.initial_velocity
        a = np.linalg.solve(m, load(0.0) - c @ v - k @ x)
        states, s = [(x, v)], theta * h
        for i in range(count):
            f = load(i * h) + theta * (load((i + 1) * h) - load(i * h))
            right = f + m @ (6 / s**2 * x + 6 / s * v + 2 * a) + c @ (3 / s * x + 2 * v + s / 2 * a)
            beyond = np.linalg.solve(k + 6 / s**2 * m + 3 / s * c, right)
            new = 6 / (theta * s**2) * (beyond - x) - 6 / (theta * s) * v + (1 - 3 / theta) * a
            x, v = x + h * v + h**2 / 6 * (new + 2 * a), v + h / 2 * (new + a)
            a = new
            states.append((x, v))
        return states

    return march


def bathe(p: Any, load: Any, h: float, count: int) -> Any:
    """Trapezoidal rule to the middle, then three points backwards."""
    n, inverse = p.size, np.linalg.inv(p.mass)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ p.stiffness, -inverse @ p.damping]])
    unit, y = np.eye(2 * n), start_of(p)
    states = [np.split(y, 2)]
    for i in range(count):
        f = [np.concatenate([np.zeros(n), inverse @ load((i + w) * h)]) for w in (0, 0.5, 1)]
        half = np.linalg.solve(unit - h / 4 * a, y + h / 4 * (a @ y + f[0] + f[1]))
        y = np.linalg.solve(unit - h / 3 * a, 4 / 3 * half - y / 3 + h / 3 * f[2])
        states.append(np.split(y, 2))
    return states


@dataclass
class SciPy:
    """SciPy's adaptive methods."""

    method: str = "RK45"
    name: str = "scipy"
    version: str = "1"
    capabilities: frozenset[str] = ALL

    @property
    def settings(self) -> dict[str, str]:
        return {"rtol": "relative tolerance", "atol": "absolute tolerance"}

    def solve(self, problem: Any, settings: Any) -> Any:
        rates, n = rates_of(problem, load_of(problem)), problem.size
        times = problem.output_times
        solved = solve_ivp(
            rates,
            (problem.start, problem.end),
            start_of(problem),
            method=self.method,
            t_eval=times,
            rtol=settings.get("rtol", 1e-6),
            atol=settings.get("atol", 1e-9),
        )
        return {"time": solved.t, "displacement": solved.y[:n].T, "velocity": solved.y[n:].T}


def single(values: Any) -> Any:
    with np.errstate(over="ignore"):  # of a motion that has grown without bound
        return np.asarray(values).astype(np.float32).astype(float)


def printed(values: Any) -> Any:
    return np.vectorize(lambda x: float(f"{x:.5e}"))(np.asarray(values))
