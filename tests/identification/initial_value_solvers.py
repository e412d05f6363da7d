"""Small solvers of initial value problems that are identified: sound ones, and ones with a fault each.

They are loaded by the process of the gate, as those of a user are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from veridyn.problem.generated import functions
from veridyn.references.methods.tableaux import TABLEAUX

Floats = np.ndarray[Any, np.dtype[np.float64]]
Advance = Callable[[Callable[[float, Floats], Floats], float, Floats, float], Floats]


def find_counts(problem: Any, step: float) -> list[int]:
    """Return the numbers of steps between output instants."""
    return [max(1, math.ceil(interval / step - 1e-9)) for interval in np.diff(problem.output_times)]


@dataclass(frozen=True, eq=False)
class RungeKutta:
    """A method with a tableau; implicit stages are iterated until they change by less than a tolerance.

    ``on_grid``: the output instants are the steps, and there is no setting. ``printed``: significant digits.
    """

    name: str
    tableau: str
    change: Mapping[tuple[Any, ...], float] = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)
    kind: type = np.float64
    printed: int = 0
    on_grid: bool = False
    late: bool = False  # counts time from 0 whatever the start
    tolerance: float = 1e-12
    longest: float = math.inf  # step (s) that is not refused
    version = "1"
    capabilities = frozenset({"initial-value"})

    @property
    def settings(self) -> Mapping[str, str]:
        """The step, if it is a setting."""
        return {} if self.on_grid else {"step": "step (s)"}

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the output instants."""
        rate, times = functions(problem).rhs, problem.output_times
        counts = [1] * (times.size - 1) if self.on_grid else find_counts(problem, settings.get("step", 1e-2))
        y, rows = problem.initial_state.astype(self.kind), [problem.initial_state]
        for begin, end, count in zip(times[:-1], times[1:], counts, strict=True):
            size = (end - begin) / count
            if size > self.longest:
                raise ValueError("the step is too long")
            for i in range(count):
                t = begin + i * size - (problem.start if self.late else 0.0)
                y = self.advance(rate, t, y, size)
            rows.append(y.astype(float))
        states = np.array(rows)
        if self.printed:
            states = np.array([[float(f"{value:.{self.printed - 1}e}") for value in row] for row in states])
        return {"time": times, "states": states}

    def advance(self, rate: Callable[[float, Floats], Floats], t: float, y: Floats, size: float) -> Floats:
        """Return the state one step later."""
        a, b, c = self.read_tableau()
        slopes = np.zeros((b.size, y.size), dtype=self.kind)
        explicit = not np.any(np.triu(a))
        for i in range(b.size if explicit else 0):
            slopes[i] = rate(t + c[i] * size, (y + self.kind(size) * (a[i] @ slopes)).astype(float))
        if not explicit:
            slopes = self.iterate(rate, t, y, size, a, c)
        return y + self.kind(size) * (b @ slopes)

    def iterate(self, rate: Any, t: float, y: Floats, size: float, a: Floats, c: Floats) -> Floats:
        """Return the slopes of implicit stages."""

        slopes = np.zeros((c.size, y.size))
        for _ in range(200):
            stages = y + size * (a @ slopes)
            before, slopes = slopes, np.array([rate(t + ci * size, yi) for ci, yi in zip(c, stages, strict=True)])
            if np.max(np.abs(slopes - before)) <= self.tolerance:
                break
        return slopes

    def read_tableau(self) -> tuple[Floats, Floats, Floats]:
        """Return A, b, c with what was changed."""
        t = TABLEAUX[self.tableau]
        arrays = {"a": t.stages.astype(float), "b": t.step.astype(float), "c": t.instants.astype(float)}
        for (array, *place), amount in self.change.items():
            arrays[array][tuple(place)] += amount
        a, b, c = (array.astype(self.kind) for array in arrays.values())
        return a, b, c


class SignFirst(RungeKutta):
    """Reads the sign before the power: -x**2 is (-x)**2."""

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the output instants, by wrong rates."""
        (mode,) = problem.modes
        rates = tuple(str(rate).replace("(-x**2", "(x**2") for rate in mode.rates)
        return super().solve(replace(problem, modes=(replace(mode, rates=rates),)), settings)


@dataclass(frozen=True)
class AdamsBashforth:
    """The method of two steps, started by Heun's or by Euler's."""

    name: str = "adams-bashforth"
    start: str = "heun"
    claims: Mapping[str, Any] = field(default_factory=lambda: {"order": 2})
    version = "1"
    capabilities = frozenset({"initial-value"})
    settings = {"dt": "step (s)"}  # noqa: RUF012

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the states at the output instants, which are reached by whole steps."""
        rate, times = functions(problem).rhs, problem.output_times
        size = (times[1] - times[0]) / find_counts(problem, settings.get("dt", 1e-2))[0]
        grid = np.arange(round((times[-1] - times[0]) / size) + 1) * size + times[0]
        first = RungeKutta("first", self.start)
        rows = [problem.initial_state]
        for i, t in enumerate(grid[:-1]):
            if i == 0:
                rows.append(first.advance(rate, t, rows[0], size))
            else:
                rows.append(rows[-1] + size * (1.5 * rate(t, rows[-1]) - 0.5 * rate(grid[i - 1], rows[-2])))
        places = np.searchsorted(grid, times - size / 2)
        return {"time": times, "states": np.array(rows)[places]}


RK4 = RungeKutta("rk4", "rk4", claims={"order": 4})
HEUN = RungeKutta("heun", "heun")
DOPRI = RungeKutta("dopri", "dormand-prince", claims={"order": 5})
SINGLE = RungeKutta("single", "fehlberg-5", kind=np.float32, claims={"order": 5})
PRINTED = RungeKutta("printed", "three-eighths", printed=6, claims={"order": 4})
ON_GRID = RungeKutta("on-grid", "kutta-3", on_grid=True)
SHORT = RungeKutta("short", "rk4", longest=0.1)
RADAU = RungeKutta("radau", "radau-iia-2", tolerance=1e-7, claims={"order": 3})
GAUSS = RungeKutta("gauss", "gauss-2", claims={"order": 4})
ADAMS = AdamsBashforth()

WRONG_NODE = RungeKutta("wrong-node", "fehlberg-5", {("c", 5): -1 / 6}, {"order": 5})
WRONG_ENTRY = RungeKutta("wrong-entry", "dormand-prince", {("a", 4, 2): 1e-6}, {"order": 5})
ROW_OF_ORDER_4 = RungeKutta("row", "fehlberg-4", claims={"order": 5})
LATE = RungeKutta("late", "rk4", late=True)
SIGN_FIRST = SignFirst("sign-first", "rk4")
WRONG_HEUN = RungeKutta("wrong-heun", "heun", {("a", 1, 0): -0.25}, {"order": 2})
CHEBYSHEV = RungeKutta("chebyshev", "heun", {("a", 1, 0): -0.73})
ADAMS_3 = AdamsBashforth("adams-3", claims={"order": 3})
