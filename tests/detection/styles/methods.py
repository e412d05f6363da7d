"""Methods of the textbooks as functions of one step; each is sound.

What a step leaves for the next is a tuple of arrays, the first of which is the state. Rates are those of a system of
first order (`Rates`); methods for structures take their matrices (`Structure`), and the state is displacement and
velocity in one array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import expm

from veridyn.references.methods.tableaux import TABLEAUX

Floats = np.ndarray[Any, np.dtype[np.float64]]
Memory: TypeAlias = tuple[Floats, ...]

MOST_ITERATIONS = 50
CONVERGED = 1e-14  # of a correction over the size of the state
STARTING_STEPS = 16  # of Kutta's method, within each step that a multistep method begins with


@dataclass(frozen=True, eq=False)
class Rates:
    """A system of first order: rates (n,), their derivatives (n, n) with respect to the state, (n,) to the time."""

    rate: Callable[[float, Floats], Floats]
    jacobian: Callable[[float, Floats], Floats]
    time_slope: Callable[[float, Floats], Floats] | None = None


@dataclass(frozen=True, eq=False)
class Structure:
    """A linear structure of n freedoms: matrices (n, n), and forces (n,) at an instant; ``memo`` of a solver."""

    mass: Floats
    damping: Floats
    stiffness: Floats
    force: Callable[[float], Floats]
    memo: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def matrix(self) -> Floats:
        """The rates (2 n, 2 n) of the state."""
        n = len(self.mass)
        inverse = np.linalg.inv(self.mass)
        return np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ self.stiffness, -inverse @ self.damping]])

    def accelerate(self, t: float, x: Floats, v: Floats) -> Floats:
        """Return the acceleration (n,)."""
        return np.linalg.solve(self.mass, self.force(t) - self.damping @ v - self.stiffness @ x)

    def push(self, t: float) -> Floats:
        """Return what the forces add to the rates (2 n,) of the state."""
        return np.concatenate((np.zeros(len(self.mass)), np.linalg.solve(self.mass, self.force(t))))

    @property
    def rates(self) -> Rates:
        """The same as a system of first order."""
        return Rates(lambda t, y: self.matrix @ y + self.push(t), lambda _, __: self.matrix)


class Method:
    """A method; ``order`` of convergence, ``damped_order`` where dampers cost one, ``claims`` of its name."""

    order: int
    damped_order: int | None = None
    needs_structure = False

    @property
    def claims(self) -> Mapping[str, Any]:
        """The method as it can be claimed; nothing if it has no name that is known."""
        return {}

    def begin(self, system: Any, t: float, y: Floats, h: float) -> Memory:
        """Return what the first step takes."""
        return (y,)

    def advance(self, system: Any, t: float, h: float, memory: Memory) -> Memory:
        """Return what the next step takes: this one begins at t and has the size h."""
        raise NotImplementedError


def solve_by_newton(residual: Callable[[Floats], Floats], slope: Callable[[Floats], Floats], guess: Floats) -> Floats:
    """Return the root (n,) of a function with its derivative (n, n)."""
    y, last = guess, np.inf
    for _ in range(MOST_ITERATIONS):
        change = np.linalg.solve(slope(y), -residual(y))
        y, size = y + change, float(np.abs(change).max())
        if size <= CONVERGED * max(1.0, float(np.abs(y).max())) or (size >= last and size < 1e-10):
            return y
        last = size
    raise ArithmeticError("Newton's iterations do not converge: the step is too long")


# ---- methods of one step for rates


@dataclass(frozen=True)
class RungeKutta(Method):
    """A method with a tableau by name, explicit or implicit."""

    tableau: str
    order: int

    @property
    def claims(self) -> Mapping[str, Any]:
        return {"method": "runge-kutta", "tableau": self.tableau}

    @property
    def entries(self) -> tuple[Floats, Floats, Floats]:
        """A, b and c."""
        return ENTRIES[self.tableau]

    def advance(self, system: Rates, t: float, h: float, memory: Memory) -> Memory:
        (y,), (a, b, c) = memory, self.entries
        if np.any(np.triu(a)):
            return (y + h * (b @ self._find_slopes(system, t, h, y)),)
        slopes = np.zeros((b.size, y.size))
        for i in range(b.size):
            slopes[i] = system.rate(t + c[i] * h, y + h * (a[i, :i] @ slopes[:i]))
        return (y + h * (b @ slopes),)

    def _find_slopes(self, system: Rates, t: float, h: float, y: Floats) -> Floats:
        """Return the slopes (s, n) of implicit stages."""
        (a, b, c), n = self.entries, y.size

        def residual(flat: Floats) -> Floats:
            k = flat.reshape(b.size, n)
            return (k - [system.rate(t + ci * h, yi) for ci, yi in zip(c, y + h * (a @ k), strict=True)]).ravel()

        def slope(flat: Floats) -> Floats:
            k = flat.reshape(b.size, n)
            rows = [system.jacobian(t + ci * h, yi) for ci, yi in zip(c, y + h * (a @ k), strict=True)]
            return np.eye(b.size * n) - h * np.vstack([np.kron(ai, each) for ai, each in zip(a, rows, strict=True)])

        guess = np.tile(system.rate(t, y), b.size)
        return solve_by_newton(residual, slope, guess).reshape(b.size, n)


ENTRIES = {
    name: tuple(part.astype(float) for part in (tableau.stages, tableau.step, tableau.instants))
    for name, tableau in TABLEAUX.items()
}


@dataclass(frozen=True)
class TwoStages(Method):
    """The explicit methods of order 2 with a second stage at any place in the step."""

    place: float
    order: int = 2

    def advance(self, system: Rates, t: float, h: float, memory: Memory) -> Memory:
        (y,) = memory
        first, weight = system.rate(t, y), 0.5 / self.place
        second = system.rate(t + self.place * h, y + self.place * h * first)
        return (y + h * ((1 - weight) * first + weight * second),)


@dataclass(frozen=True)
class Gragg(Method):
    """Extrapolation of the explicit midpoint rule with smoothing (Gragg): columns of 2, 4, 6 substeps."""

    columns: int

    @property
    def order(self) -> int:  # type: ignore[override]
        return 2 * self.columns

    def advance(self, system: Rates, t: float, h: float, memory: Memory) -> Memory:
        (y,) = memory
        counts = [2 * (i + 1) for i in range(self.columns)]
        table = [self._march(system, t, h, y, count) for count in counts]
        for column in range(1, self.columns):
            for i in range(self.columns - 1, column - 1, -1):
                table[i] = table[i] + (table[i] - table[i - 1]) / ((counts[i] / counts[i - column]) ** 2 - 1)
        return (table[-1],)

    def _march(self, system: Rates, t: float, h: float, y: Floats, count: int) -> Floats:
        s = h / count
        before, now = y, y + s * system.rate(t, y)
        for i in range(1, count):
            before, now = now, before + 2 * s * system.rate(t + i * s, now)
        return (before + now + s * system.rate(t + h, now)) / 2


@dataclass(frozen=True)
class Rosenbrock(Method):
    """The method of two stages of Verwer and others, which is L-stable; the derivative by the time is exact."""

    order: int = 2

    def advance(self, system: Rates, t: float, h: float, memory: Memory) -> Memory:
        assert system.time_slope is not None
        (y,) = memory
        g = 1 + 1 / np.sqrt(2)
        left, late = np.eye(y.size) - g * h * system.jacobian(t, y), system.time_slope(t, y)
        first = np.linalg.solve(left, system.rate(t, y) + g * h * late)
        second = np.linalg.solve(left, system.rate(t + h, y + h * first) - 2 * first - g * h * late)
        return (y + h * (1.5 * first + 0.5 * second),)


@dataclass(frozen=True)
class ExponentialEuler(Method):
    """Exponential Rosenbrock-Euler: exact for rates that are linear in state and time."""

    order: int = 2

    def advance(self, system: Rates, t: float, h: float, memory: Memory) -> Memory:
        assert system.time_slope is not None
        (y,) = memory
        n = y.size
        whole = np.zeros((n + 2, n + 2))
        whole[:n, :n], whole[:n, n], whole[:n, n + 1] = (
            system.jacobian(t, y),
            system.time_slope(t, y),
            system.rate(t, y),
        )
        whole[n, n + 1] = 1.0
        return (y + expm(h * whole)[:n, n + 1],)


# ---- multistep methods for rates

ADAMS = {2: (3 / 2, -1 / 2), 3: (23 / 12, -16 / 12, 5 / 12), 4: (55 / 24, -59 / 24, 37 / 24, -9 / 24)}
BACKWARD = {
    2: (2 / 3, (4 / 3, -1 / 3)),
    3: (6 / 11, (18 / 11, -9 / 11, 2 / 11)),
    4: (12 / 25, (48 / 25, -36 / 25, 16 / 25, -3 / 25)),
}


class Multistep(Method):
    """What multistep methods share: memory holds the state, the number of steps, and what lies behind."""

    def begin(self, system: Rates, t: float, y: Floats, h: float) -> Memory:
        return (y, np.zeros(1), *self.keep(system, t, y))

    def keep(self, system: Rates, t: float, y: Floats) -> Memory:
        """Return what is kept of a step."""
        raise NotImplementedError

    def advance(self, system: Rates, t: float, h: float, memory: Memory) -> Memory:
        y, count, *behind = memory
        is_first = len(behind) < self.order
        new = self._take_first(system, t, h, y) if is_first else self.lead_on(system, t, h, y, behind)
        return (new, count + 1, *self.keep(system, t + h, new), *behind[: self.order - 1])

    def lead_on(self, system: Rates, t: float, h: float, y: Floats, behind: list[Floats]) -> Floats:
        """Return the next state."""
        raise NotImplementedError

    def _take_first(self, system: Rates, t: float, h: float, y: Floats) -> Floats:
        for i in range(STARTING_STEPS):
            (y,) = KUTTA.advance(system, t + i * h / STARTING_STEPS, h / STARTING_STEPS, (y,))
        return y


KUTTA = RungeKutta("rk4", 4)


@dataclass(frozen=True)
class Adams(Multistep):
    """Adams and Bashforth's methods of order 2, 3 and 4."""

    order: int

    def keep(self, system: Rates, t: float, y: Floats) -> Memory:
        return (system.rate(t, y),)

    def lead_on(self, system: Rates, t: float, h: float, y: Floats, behind: list[Floats]) -> Floats:
        return y + h * sum(weight * slope for weight, slope in zip(ADAMS[self.order], behind, strict=True))


@dataclass(frozen=True)
class Backward(Multistep):
    """Gear's differences backwards of order 2, 3 and 4."""

    order: int

    def keep(self, system: Rates, t: float, y: Floats) -> Memory:
        return (y,)

    def lead_on(self, system: Rates, t: float, h: float, y: Floats, behind: list[Floats]) -> Floats:
        share, weights = BACKWARD[self.order]
        past, unit = sum(weight * state for weight, state in zip(weights, behind, strict=True)), np.eye(y.size)
        return solve_by_newton(
            lambda new: new - past - share * h * system.rate(t + h, new),
            lambda new: unit - share * h * system.jacobian(t + h, new),
            y,
        )


# ---- methods for structures


class OfStructures(Method):
    """What methods for structures share; a state is displacement and velocity in one array."""

    needs_structure = True


@dataclass(frozen=True)
class Alpha(OfStructures):
    """Chung and Hulbert's family by its accelerations: Newmark, Hilber and Hughes and Taylor, Bossak are in it."""

    beta: float
    gamma: float
    of_mass: float = 0.0
    of_force: float = 0.0
    middle: bool = False  # loads at the instant of the balance, not on the chord
    name: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def order(self) -> int:  # type: ignore[override]
        return 2 if abs(self.gamma - 0.5 + self.of_mass - self.of_force) < 1e-12 else 1

    @property
    def claims(self) -> Mapping[str, Any]:
        return self.name

    def begin(self, system: Structure, t: float, y: Floats, h: float) -> Memory:
        return (y, system.accelerate(t, *np.split(y, 2)))

    def advance(self, system: Structure, t: float, h: float, memory: Memory) -> Memory:
        y, a = memory
        (x, v), m, f = np.split(y, 2), self.of_mass, self.of_force
        ahead_x, ahead_v = x + h * v + h**2 * (0.5 - self.beta) * a, v + h * (1 - self.gamma) * a
        mid_x, mid_v = (1 - f) * ahead_x + f * x, (1 - f) * ahead_v + f * v
        left = (1 - m) * system.mass + (1 - f) * (self.gamma * h * system.damping + self.beta * h**2 * system.stiffness)
        force = system.force(t + (1 - f) * h) if self.middle else (1 - f) * system.force(t + h) + f * system.force(t)
        right = force - m * system.mass @ a - system.damping @ mid_v - system.stiffness @ mid_x
        new = np.linalg.solve(left, right)
        return (np.concatenate((ahead_x + self.beta * h**2 * new, ahead_v + self.gamma * h * new)), new)


@dataclass(frozen=True)
class Wilson(OfStructures):
    """Wilson's method: a line of accelerations beyond the step."""

    theta: float
    order: int = 2

    @property
    def claims(self) -> Mapping[str, Any]:
        return {"method": "wilson-theta", "theta": self.theta}

    def begin(self, system: Structure, t: float, y: Floats, h: float) -> Memory:
        return (y, system.accelerate(t, *np.split(y, 2)))

    def advance(self, system: Structure, t: float, h: float, memory: Memory) -> Memory:
        y, a = memory
        (x, v), s = np.split(y, 2), self.theta * h
        force = system.force(t) + self.theta * (system.force(t + h) - system.force(t))
        left = system.mass + s / 2 * system.damping + s**2 / 6 * system.stiffness
        ahead_x, ahead_v = x + s * v + s**2 / 3 * a, v + s / 2 * a
        beyond = np.linalg.solve(left, force - system.damping @ ahead_v - system.stiffness @ ahead_x)
        new = a + (beyond - a) / self.theta
        return (np.concatenate((x + h * v + h**2 / 6 * (new + 2 * a), v + h / 2 * (new + a))), new)


@dataclass(frozen=True)
class SymplecticEuler(OfStructures):
    """A kick and a drift."""

    order: int = 1

    def advance(self, system: Structure, t: float, h: float, memory: Memory) -> Memory:
        x, v = np.split(memory[0], 2)
        v = v + h * system.accelerate(t, x, v)
        return (np.concatenate((x + h * v, v)),)


@dataclass(frozen=True)
class Verlet(OfStructures):
    """Velocity Verlet; dampers see the velocity before each half of the kick, which costs an order with them."""

    order: int = 2
    damped_order: int | None = 1

    def advance(self, system: Structure, t: float, h: float, memory: Memory) -> Memory:
        x, v = np.split(memory[0], 2)
        half = v + h / 2 * system.accelerate(t, x, v)
        x = x + h * half
        return (np.concatenate((x, half + h / 2 * system.accelerate(t + h, x, half))),)


@dataclass(frozen=True)
class CentralDifference(OfStructures):
    """Central differences with the damping of the middle; the velocity at the end of a step belongs to its balance."""

    order: int = 2

    def begin(self, system: Structure, t: float, y: Floats, h: float) -> Memory:
        return (y, system.accelerate(t, *np.split(y, 2)))

    def advance(self, system: Structure, t: float, h: float, memory: Memory) -> Memory:
        y, a = memory
        x, v = np.split(y, 2)
        half = v + h / 2 * a
        x = x + h * half
        left = system.mass + h / 2 * system.damping
        new = np.linalg.solve(left, system.force(t + h) - system.stiffness @ x - system.damping @ half)
        return (np.concatenate((x, half + h / 2 * new)), new)


@dataclass(frozen=True)
class Exact(OfStructures):
    """The exact solution under loads that go on a line through both ends of the step."""

    order: int = 2

    def advance(self, system: Structure, t: float, h: float, memory: Memory) -> Memory:
        (y,) = memory
        n = y.size
        key = f"{h:.12e}"
        if key not in system.memo:
            whole = np.zeros((3 * n, 3 * n))
            whole[:n, :n], whole[:n, n : 2 * n], whole[n : 2 * n, 2 * n :] = h * system.matrix, h * np.eye(n), np.eye(n)
            system.memo[key] = expm(whole)[:n]
        free, held, rising = np.split(system.memo[key], 3, axis=1)
        first, last = system.push(t), system.push(t + h)
        return (free @ y + held @ first + rising @ (last - first),)
