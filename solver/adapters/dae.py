"""What adapters of integrators of ``F(t, y, y') = 0`` share.

Such integrators are made for index 1. Where the index is higher, their error control sees what is determined best: all
states for index 2, those in the constraints for index 3 (Hairer and Wanner, Solving Ordinary Differential Equations
II, Springer 1996, section VII.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.generated import functions
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.solver.contract.controls import Controls, Library, number, read_controls
from veridyn.solver.contract.responses import Trajectory, output_instants

Floats = NDArray[np.float64]

LEFT_OUT = 1e6  # absolute tolerance of what the error control does not see
TOLERANCES = (4, 6, 8)  # of the refinement levels, as digits


@dataclass(frozen=True)
class DaeControls(Controls):
    """Settings of an integrator with two tolerances."""

    rtol: float = number(1e-8, "relative tolerance")
    atol: float = number(1e-10, "absolute tolerance of each unknown")
    max_step: float = number(math.inf, "largest step (s)")


@dataclass(frozen=True, eq=False)
class Residual:
    """A problem as ``F(t, y, y') = 0`` with initial values, the instants to answer at, tolerances by unknown."""

    problem: InitialValueProblem
    controls: DaeControls

    def __call__(self, t: float, y: Floats, rate: Floats) -> Floats:
        """Return F (n,)."""
        return np.asarray(self._plain.mass(t, y) @ rate - self._plain.rhs(t, y))

    @cached_property
    def _plain(self) -> Any:
        return functions(self.problem)

    @property
    def rates(self) -> Floats:
        """Rates (n,) that agree with the initial values; zero for algebraic unknowns."""
        n, start, y = len(self.problem.states), self.problem.start, self.problem.initial_state
        mass, right = self._plain.mass(start, y)[:n, :n], self._plain.rhs(start, y)[:n]
        return np.concatenate((np.linalg.solve(mass, right), np.zeros(y.size - n)))

    @property
    def instants(self) -> Floats:
        """The start, and the outputs after it."""
        outputs = output_instants(self.problem)
        return np.concatenate(([self.problem.start], outputs[outputs > self.problem.start]))

    @property
    def tolerances(self) -> Floats:
        """Absolute tolerances (n,)."""
        problem = self.problem
        bound = {symbol.name for constraint in problem.constraints for symbol in constraint.free_symbols}
        seen = {0: problem.unknowns, 1: problem.unknowns, 2: problem.states, 3: bound}[problem.index]
        return np.array([self.controls.atol if name in seen else LEFT_OUT for name in problem.unknowns])


Integrate = Callable[[Residual], tuple[Floats, Floats, Mapping[str, float]]]


@dataclass(frozen=True)
class Implicit(Library):
    """A library under test that integrates ``F(t, y, y') = 0``: returns instants, states (m, n) and counters."""

    name: str
    distribution: str
    schemes: tuple[str, ...]
    integrate: Integrate
    controls: type[DaeControls] = DaeControls
    capabilities: frozenset[str] = frozenset({"initial-value", "dae:index-1", "dae:index-2", "dae:index-3"})
    refinement: tuple[Mapping[str, Any], ...] = tuple({"rtol": 10.0**-k, "atol": 10.0 ** -(k + 2)} for k in TOLERANCES)
    claims: Mapping[str, Any] = field(default_factory=dict)  # errors of a higher index follow no tolerance

    def solve(self, problem: InitialValueProblem, settings: Mapping[str, Any]) -> Trajectory:
        """Return the unknowns at the output instants; errors as `Library` says."""
        controls = read_controls(self.controls, settings, self.schemes)
        if len(problem.modes) > 1 or problem.terminal_events:
            raise NotImplementedError("events that change the motion")
        times, states, counters = self.integrate(Residual(problem, controls))
        return Trajectory(times, states, counters=counters)
