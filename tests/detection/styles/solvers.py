"""A sound solver of some style: method, steps, output, precision, printing, claims."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from scipy.integrate import solve_ivp

from veridyn.problem.generated import bound, functions, right_hand_side

from .methods import Floats, Memory, Method, Rates, Structure

STRUCTURES = frozenset({
    "mechanical", "multi-dof", "loads", "damping", "damping:coupled", "damping:gyroscopic", "stiffness:circulatory",
    "support-motion", "multi-support",
})  # fmt: skip
CAPABILITIES = {"mechanical": STRUCTURES, "initial-value": frozenset({"initial-value"})}
SPAN_STEPS = 2000  # of a problem that states no instants of output
SAME = 1e-9  # of a step


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How a solver steps and answers, whatever its method.

    ``steps``: equal steps that ``fit`` the span, or ``overrun`` its end, both with a cubic between them; the same steps
    as ``own`` output; steps that are ``landing`` on each output; the output ``grid`` itself, without a setting.
    ``finer``: default steps in an output interval. ``summed``: the clock adds steps up. ``printed``: digits, 0 for all.
    """

    steps: str = "landing"
    setting: str = "step"
    finer: int = 4
    single: bool = False
    summed: bool = False
    printed: int = 0
    flat: bool = False  # histories of one freedom are (m,)


def make_system(problem: Any, method: Method | None) -> Any:
    """Return a problem as a method takes it, and its initial state (n,)."""
    if hasattr(problem, "initial_displacement"):
        structure = _make_structure(problem)
        state = np.concatenate((problem.initial_displacement, problem.initial_velocity))
        return structure if method and method.needs_structure else structure.rates, state
    plain = functions(problem)
    rates = right_hand_side(problem, problem.mode)
    late = bound(problem, tuple(sympy.diff(rate, sympy.Symbol("t")) for rate in rates))
    system = Rates(*(_as_arrays(each) for each in (plain.rhs, plain.jacobian, late)))
    return system, problem.initial_state


def _as_arrays(function: Any) -> Any:
    return lambda t, y: np.asarray(function(t, y), dtype=float)


def _make_structure(problem: Any) -> Structure:
    pulls = [(problem.mass @ support.influence, support.acceleration) for support in problem.supports]

    def force(t: float) -> Floats:
        total = np.zeros(problem.size)
        for load in problem.loads:
            total = total + load.direction * load.function(t)
        for pull, acceleration in pulls:
            total = total - pull * acceleration(t)
        return total

    return Structure(problem.mass, problem.damping, problem.stiffness, force)


def find_outputs(problem: Any) -> Floats:
    """Return the instants of output (m,), equal ones where none are stated."""
    if problem.output_times is None:
        return np.linspace(problem.start, problem.end, SPAN_STEPS + 1)
    return np.asarray(problem.output_times)


def _round_single(values: Floats) -> Floats:
    with np.errstate(over="ignore"):  # of a motion that has grown without bound
        return values.astype(np.float32).astype(float)


def _print(values: Floats, digits: int) -> Floats:
    texts = np.char.mod(f"%.{digits - 1}e", values)
    return texts.astype(float)


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """A solver with a step."""

    name: str
    method: Method
    kinds: tuple[str, ...]
    habits: Habits
    claims: Mapping[str, Any]
    refined: bool = False
    version = "1"

    @property
    def capabilities(self) -> frozenset[str]:
        """Tags of the kinds of problems."""
        return frozenset().union(*(CAPABILITIES[kind] for kind in self.kinds))

    @property
    def settings(self) -> Mapping[str, str]:
        """The step, if it is a setting."""
        return {} if self.habits.steps == "grid" else {self.habits.setting: "step (s)"}

    @property
    def refinement(self) -> Any:
        """The name of the step, where it is stated that it refines."""
        return self.habits.setting if self.refined and self.settings else ()

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response."""
        system, state = make_system(problem, self.method)
        outputs = find_outputs(problem)
        step = settings.get(self.habits.setting, float(np.median(np.diff(outputs))) / self.habits.finer)
        grid, places = self._lay_steps(problem, outputs, float(step))
        states = self._march(system, state, grid)
        if places is not None:
            times, states = outputs if self.habits.steps != "own" else grid, states[places]
        else:
            rates = (system.rates if isinstance(system, Structure) else system).rate
            times, states = outputs, _interpolate(grid, states, rates, outputs)
        return _answer(problem, times, states, self.habits)

    def _lay_steps(self, problem: Any, outputs: Floats, step: float) -> tuple[Floats, Any]:
        """Return the ends of the steps, and which of them are answered; None if the outputs lie between them."""
        start, end, steps = problem.start, problem.end, self.habits.steps
        if steps == "grid":
            return outputs, slice(None)
        if steps == "landing":
            return _land(outputs, step)
        count = max(1, math.ceil((end - start) / step - SAME))
        if steps == "overrun":
            return start + step * np.arange(count + 1), None
        return np.linspace(start, end, count + 1), slice(None) if steps == "own" else None

    def _march(self, system: Any, state: Floats, grid: Floats) -> Floats:
        t, rows = float(grid[0]), [state]
        memory: Memory = self.method.begin(system, t, state, float(grid[1] - grid[0]))
        for begin, end in pairwise(grid):
            h = float(end - begin)
            memory = self.method.advance(system, t if self.habits.summed else float(begin), h, memory)
            if self.habits.single:
                memory = tuple(map(_round_single, memory))
            t += h
            rows.append(memory[0])
        return np.array(rows)


def _land(outputs: Floats, step: float) -> tuple[Floats, Floats]:
    counts = np.maximum(1, np.ceil(np.diff(outputs) / step - SAME)).astype(int)
    pieces = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(outputs[:-1], outputs[1:], counts, strict=True)]
    return np.concatenate((*pieces, outputs[-1:])), np.concatenate(([0], np.cumsum(counts)))


def _interpolate(grid: Floats, states: Floats, rates: Any, at: Floats) -> Floats:
    """Return the cubic (k, n) through states and rates at the ends of the steps."""
    i = np.clip(np.searchsorted(grid, at, side="right") - 1, 0, grid.size - 2)
    used = np.unique(np.concatenate((i, i + 1)))
    slopes = np.zeros_like(states)
    slopes[used] = [rates(grid[k], states[k]) for k in used]
    h = (grid[i + 1] - grid[i])[:, None]
    s = (at - grid[i])[:, None] / h
    rise = states[i + 1] - states[i]
    return states[i] + s * rise + s * (1 - s) * ((1 - s) * (h * slopes[i] - rise) - s * (h * slopes[i + 1] - rise))


def _answer(problem: Any, times: Floats, states: Floats, habits: Habits) -> Mapping[str, Any]:
    if habits.single:
        states = _round_single(states)
    if habits.printed:
        states = _print(states, habits.printed)
    if not hasattr(problem, "initial_displacement"):
        return {"time": times, "states": states}
    x, v = np.split(states, 2, axis=1)
    if habits.flat and problem.size == 1:
        x, v = x[:, 0], v[:, 0]
    return {"time": times, "displacement": x, "velocity": v}


@dataclass(frozen=True, kw_only=True)
class Adaptive:
    """SciPy's methods with steps of their own, behind tolerances."""

    name: str
    method: str
    kinds: tuple[str, ...]
    habits: Habits
    claims: Mapping[str, Any]
    refined: bool = False
    version = "1"
    settings = {"rtol": "relative tolerance", "atol": "absolute tolerance"}  # noqa: RUF012

    @property
    def capabilities(self) -> frozenset[str]:
        """Tags of the kinds of problems."""
        return frozenset().union(*(CAPABILITIES[kind] for kind in self.kinds))

    @property
    def refinement(self) -> Any:
        """Both tolerances, where it is stated that they refine."""
        return [{"rtol": 10.0**-k, "atol": 10.0 ** -(k + 2)} for k in (4, 6, 8, 10)] if self.refined else ()

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response."""
        system, state = make_system(problem, None)
        outputs = find_outputs(problem)
        rtol = settings.get("rtol", 10.0 ** -(6 + self.habits.finer))
        stiff = {"jac": system.jacobian} if self.method in ("Radau", "BDF", "LSODA") else {}
        solved = solve_ivp(
            system.rate,
            (problem.start, problem.end),
            state,
            method=self.method,
            t_eval=outputs,
            rtol=rtol,
            atol=settings.get("atol", rtol / 100),
            **stiff,
        )
        if not solved.success:
            raise ArithmeticError(solved.message)
        return _answer(problem, solved.t, solved.y.T, self.habits)
