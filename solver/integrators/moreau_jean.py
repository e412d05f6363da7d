"""Moreau and Jean's theta method: time stepping with set-valued laws, without events and without penalty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.basis import in_modal_coordinates
from veridyn.problem.elements import Friction
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import Grid, StepControls, Stepper, nodal_forces, refuse_beyond_lines
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.responses import Response

if TYPE_CHECKING:
    from veridyn.solver.integrators.kernels.moreau_jean import Laws, StepMatrices

CAPABILITIES = frozenset({
    "mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "damping:gyroscopic", "stiffness:circulatory", "contact", "contact:rigid", "contact:parallel-planes",
    "friction:set-valued", "friction:on-stop",
})  # fmt: skip
SIDES = 2  # planes of one stop, at most
AT_LIMIT = 1 - 1e-9  # of mu N: from here on friction slips


@dataclass(frozen=True)
class MoreauJeanControls(StepControls):
    """Settings of the method."""

    substeps: int = number(40, "steps between two output instants")
    theta: float = number(0.5, "weight of the end of a step for smooth forces and positions, from 1/2 to 1")
    tolerance: float = number(1e-13, "change of velocities at which impulses are found, relative")
    passes: int = number(100_000, "passes of Gauss-Seidel in a step, at most")


def refuse(problem: MechanicalProblem) -> None:
    """Raise `NotImplementedError` for what has no impulse here, with the reason."""
    refuse_beyond_lines(problem, "impulses", CAPABILITIES, static="; impulses have one")
    if not all(stop.rigid for stop in problem.stops):
        raise NotImplementedError("an elastic stop: give it a restitution, or take a scheme of veridyn")


class MoreauJeanComputation:
    """A problem as arrays for the kernel; see `refuse`."""

    def __init__(self, problem: MechanicalProblem, controls: MoreauJeanControls, steps: Grid) -> None:
        refuse(problem)
        self.controls, self.grid = controls, steps
        self.shapes = None if problem.modes is None else problem.modes.shapes
        self.problem = problem if problem.modes is None else in_modal_coordinates(problem)
        self.planes = [(stop, side) for stop in self.problem.stops for side in stop.sides]
        self.steps: dict[float, StepMatrices] = {}

    @cached_property
    def laws(self) -> Laws:
        """Planes of stops, then frictions."""
        from veridyn.solver.integrators.kernels.moreau_jean import Laws

        frictions = self.problem.frictions
        rows = [-side * stop.normal for stop, side in self.planes] + [f.tangents[0] for f in frictions]
        gaps = [stop.gap - side * stop.offset for stop, side in self.planes]
        back = [float(stop.restitution or 0.0) for stop, _ in self.planes]
        none = [0.0] * len(frictions)
        return Laws(
            np.array(rows).reshape(-1, self.problem.size),
            np.array(gaps + none),
            np.array(back + none),
            np.array([-1.0] * len(self.planes) + [f.kinetic for f in frictions]),
            np.array([0.0] * len(self.planes) + [0.0 if isinstance(f.normal, str) else f.normal for f in frictions]),
            np.array([(-1, -1)] * len(self.planes) + [self._pressing(f) for f in frictions], np.int64).reshape(
                -1, SIDES
            ),
        )

    def _pressing(self, friction: Friction) -> tuple[int, ...]:
        result = [i for i, (stop, _) in enumerate(self.planes) if stop.name == friction.normal]
        return (*result, -1, -1)[:SIDES]

    def step(self, h: float) -> StepMatrices:
        """Return the matrices of a step (s)."""
        from veridyn.solver.integrators.kernels.moreau_jean import StepMatrices

        if h not in self.steps:
            p, theta = self.problem, float(self.controls.theta)
            mass, damping, stiffness = (np.ascontiguousarray(m, float) for m in (p.mass, p.damping, p.stiffness))
            implicit = mass + h * theta * damping + (h * theta) ** 2 * stiffness
            inverse = np.asarray(np.linalg.inv(implicit), dtype=np.float64)
            answer = np.ascontiguousarray(inverse @ self.laws.rows.T)
            self.steps[h] = StepMatrices(
                h, theta, stiffness, damping, inverse, answer, np.ascontiguousarray(self.laws.rows @ answer)
            )
        return self.steps[h]

    def run(self) -> Response:
        """March from output to output.

        Raises `SolverFailure` if impulses are not found in a step, or the motion leaves the range of numbers.
        """
        from veridyn.solver.integrators.kernels import moreau_jean as kernel

        q, v = (np.array(x, float) for x in (self.problem.initial_displacement, self.problem.initial_velocity))
        p, counters, g = np.zeros(len(self.laws.gaps)), np.zeros(3, dtype=np.int64), self.grid
        states, means, last = [], [], []
        for start, time, length, count in zip(g.begins, g.times, g.lengths, g.counts, strict=True):
            total = np.zeros(p.size)
            if count:
                forces = nodal_forces(self.problem, np.linspace(start, time, count + 1))
                step = self.step(float(length))
                result = float(self.controls.tolerance), int(self.controls.passes), counters
                kernel.march(step, self.laws, forces, q, v, p, total, *result)
                self._check(q, counters, time)
            span = time - start
            states.append(np.concatenate((q, v)))
            means.append(total / span if span else total)
            last.append(p / length if count else p)
        taken = {**g.counters, "passes": int(counters[0]), "most_passes": int(counters[1])}
        return self._response(np.array(states), np.array(means), np.array(last), taken)

    def _check(self, q: Floats, counters: NDArray[np.int64], time: float) -> None:
        if counters[2]:
            raise SolverFailure(
                f"moreau_jean: impulses of a step before t = {time:.6g} s are not found in {self.controls.passes} "
                "passes; allow more passes, or a larger tolerance"
            )
        if not np.all(np.abs(q) < 1e100):
            raise SolverFailure(f"moreau_jean diverged before t = {time:.6g} s; reduce the step")

    def _response(self, states: Floats, means: Floats, last: Floats, counters: dict[str, float]) -> Response:
        n, stops = self.problem.size, len(self.planes)
        x, v = states[:, :n], states[:, n:]
        rates = v @ self.laws.rows.T
        gaps = self.laws.gaps + x @ self.laws.rows.T
        elements = {}
        for stop in self.problem.stops:
            own = [i for i, (other, _) in enumerate(self.planes) if other is stop]
            nearest = np.argmin(gaps[:, own], axis=1)[:, None]
            gap, rate = (np.take_along_axis(part[:, own], nearest, axis=1)[:, 0] for part in (gaps, rates))
            force = means[:, own].sum(axis=1)
            elements[stop.name] = {"normal_force": force, "gap": gap, "normal_velocity": rate}
        for j, friction in enumerate(self.problem.frictions, stops):
            pressed = [i for i in self.laws.pressing[j] if i >= 0]
            normal = self.laws.normal[j] + last[:, pressed].sum(axis=1)
            force, sliding = last[:, j], rates[:, j]
            stuck = (np.abs(force) < AT_LIMIT * friction.kinetic * normal).astype(float)
            histories = {"force": force, "sliding_velocity": sliding, "stuck": stuck, "normal_force": normal}
            elements[friction.name] = histories
        x, v = (part if self.shapes is None else part @ self.shapes.T for part in (x, v))
        return Response(self.grid.times, x, v, elements, counters)


class MoreauJean(Stepper):
    """Time stepping with impulses: rigid stops and set-valued frictions, on any linear structure."""

    name = "moreau_jean"
    distribution = "veridyn"
    controls = MoreauJeanControls
    capabilities = CAPABILITIES
    schemes = ("theta",)

    # with the default theta: the trapezoidal rule where nothing is set-valued
    claims: Mapping[str, Any] = MappingProxyType({
        "order": 2, "lag": 0.0, "numerical_damping": 0.0, "stability": math.inf, "method": "newmark", "beta": "1/4",
        "gamma": "1/2",
    })  # fmt: skip

    def stepped(self, problem: MechanicalProblem, controls: MoreauJeanControls, steps: Grid) -> Response:
        """Return the response by the steps of a grid; see `refuse`, and `MoreauJeanComputation.run`.

        Forces of stops are means since the output instant before, impulses included; those of frictions belong to the
        last step. Raises `SettingsError` if theta is not in [1/2, 1].
        """
        if not 0.5 <= controls.theta <= 1:
            raise SettingsError(f"theta = {controls.theta!r} must lie in [0.5, 1]")
        return MoreauJeanComputation(problem, controls, steps).run()


SOLVER = MoreauJean()
