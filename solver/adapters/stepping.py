"""What adapters of time-stepping libraries share: a grid of equal steps that meets every output instant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.controls import Controls, number
from veridyn.solver.problem.basis import moved_mass
from veridyn.solver.problem.mechanical import MechanicalProblem, Problem
from veridyn.solver.response import output_instants

Floats = NDArray[np.float64]

LINES = frozenset({
    "mechanical", "multi-dof", "loads", "support-motion", "multi-support", "damping", "contact",
    "contact:parallel-planes", "friction:set-valued", "friction:regularised",
})  # fmt: skip
"""Capabilities of a library whose stops and frictions act along lines between coordinates."""


def refuse_beyond_lines(problem: MechanicalProblem, what: str, offered: frozenset[str] = LINES, **reasons: str) -> None:
    """Raise `NotImplementedError` for all that goes beyond what is offered.

    ``what`` acts along the lines; the reasons say why stops are not ``damped`` and why friction rests ``on_stop``.
    """
    curved = f"a curved stop: {what} act along a line"
    known = {
        "modes": "a modal basis; give matrices",
        **dict.fromkeys(("contact:circle", "contact:outside-circle", "contact:profile"), curved),
        "contact:damped": f"a damped stop{reasons.get('damped', '')}",
        "friction:on-stop": f"friction under the force of a stop: {reasons['on_stop']}",
        "friction:two-tangents": "friction in two directions",
        "absolute-frame": "stops or frictions in the absolute frame",
    }
    missing = sorted(problem.needs - offered)
    if missing:
        raise NotImplementedError("; ".join(known.get(tag, tag) for tag in missing))


@dataclass(frozen=True)
class StepControls(Controls):
    """Settings of a time-stepping library."""

    substeps: int = number(10, "steps between two output instants")
    step: float = number(math.inf, "largest step (s), in place of substeps if given")


# from coarse to fine: what a work-precision diagram goes through
SUBSTEPS = (5, 10, 20, 40)  # of the refinement levels


@dataclass(frozen=True, eq=False)
class Grid:
    """Output instants (m,) in s; to each of them leads one interval of equal steps.

    ``lengths`` (m,) in s and ``counts`` (m,): size and number of the steps that end at each output instant; the
    first interval has no step if the first output is the start.
    """

    times: Floats
    lengths: Floats
    counts: NDArray[np.int64]


def usual_spacing(problem: Problem) -> float:
    """Return the usual interval between output instants (s), the first one counted from the start."""
    intervals = np.diff(np.concatenate(([problem.start], output_instants(problem))))
    return float(np.median(intervals[intervals > 0]))


def substeps_of(problem: Problem, controls: StepControls) -> int:
    """Return the steps between two output instants: as many as a given step asks for, else what is set."""
    if math.isinf(controls.step):
        return controls.substeps
    return max(1, math.ceil(usual_spacing(problem) / controls.step * (1 - 1e-12)))


def step_levels(problem: Problem) -> list[dict[str, Any]]:
    """Return refinement levels from coarse to fine by the step (s), each half of the one before."""
    return [{"step": usual_spacing(problem) / n} for n in SUBSTEPS]


def stick_stiffness(problem: MechanicalProblem, tangent: Floats, period: float) -> float:
    """Return the stiffness (N/m) of a spring that holds what sticks, from the period (s) of its oscillation."""
    return moved_mass(problem, tangent) * (2 * math.pi / period) ** 2


def nodal_forces(problem: MechanicalProblem, times: Floats) -> Floats:
    """Return loads and inertial forces of the supports (m, n) at instants (m,)."""
    forces, mass = np.zeros((times.size, problem.size)), np.asarray(problem.mass)
    for load in problem.loads:
        forces += np.outer(load.function(times), load.direction)
    for support in problem.supports:
        forces -= np.outer(support.acceleration(times), mass @ support.influence)
    return forces


class Record:
    """Motion (m, n) and forces of stops and frictions (m,) at the outputs, to be filled in."""

    def __init__(self, problem: MechanicalProblem, outputs: int) -> None:
        self.problem = problem
        self.displacement, self.velocity = np.zeros((2, outputs, problem.size))
        names = [stop.name for stop in problem.stops] + [friction.name for friction in problem.frictions]
        self.forces = {name: np.zeros(outputs) for name in names}

    def stop_histories(self) -> dict[str, dict[str, Floats]]:
        """Return force, gap and its rate of every stop, by the motion."""
        x, v = self.displacement, self.velocity
        histories = {}
        for stop in self.problem.stops:
            y, rate = x @ stop.normal + stop.offset, v @ stop.normal
            side = np.sign(y) if stop.geometry == "parallel planes" else 1.0
            gap = {"gap": stop.gap - side * y, "normal_velocity": -side * rate}
            histories[stop.name] = {"normal_force": self.forces[stop.name], **gap}
        return histories


def grid(problem: Problem, substeps: int) -> Grid:
    """Return the steps that lead from output to output, as many in each interval of the usual spacing.

    Intervals shorter than usual get proportionally fewer steps, longer ones more, so that the step never exceeds
    the usual spacing over ``substeps``.
    """
    times = output_instants(problem)
    intervals = np.diff(np.concatenate(([problem.start], times)))
    usual = usual_spacing(problem)
    # an interval that is the usual one up to rounding gets exactly the usual number of steps
    counts = np.ceil(intervals / usual * substeps - 1e-6).astype(np.int64)
    counts = np.maximum(counts, intervals > 0)
    lengths = np.divide(intervals, counts, out=np.zeros_like(intervals), where=counts > 0)
    return Grid(times, lengths, counts)
