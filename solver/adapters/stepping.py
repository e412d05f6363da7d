"""What adapters of time-stepping libraries share: a grid of equal steps that meets every output instant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.basis import moved_mass
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.solver.contract.controls import Controls, Library, number, read_controls
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import AnyResponse, Response, output_instants

LINES = frozenset({
    "mechanical", "multi-dof", "loads", "support-motion", "multi-support", "damping", "contact",
    "contact:parallel-planes", "friction:set-valued", "friction:regularised",
})  # fmt: skip
"""Capabilities of a library whose stops and frictions act along lines between coordinates."""


def refuse_beyond_lines(problem: MechanicalProblem, what: str, offered: frozenset[str] = LINES, **reasons: str) -> None:
    """Raise `NotImplementedError` for all that goes beyond what is offered.

    ``what`` acts along the lines; the reasons say why stops are not ``damped``, why friction does not rest
    ``on_stop``, and, if they are given, why the ``mass`` must be diagonal and ``static`` coefficients the kinetic ones.
    """
    curved = f"a curved stop: {what} act along a line"
    known = {
        "modes": "a modal basis; give matrices",
        **dict.fromkeys(("contact:circle", "contact:outside-circle", "contact:profile"), curved),
        "contact:damped": f"a damped stop{reasons.get('damped', '')}",
        "friction:on-stop": f"friction under the force of a stop{reasons.get('on_stop', '')}",
        "friction:regularised": "regularised friction",
        "friction:two-tangents": "friction in two directions",
        "absolute-frame": "stops or frictions in the absolute frame",
    }
    missing = sorted(problem.needs - offered)
    if missing:
        raise NotImplementedError("; ".join(dict.fromkeys(known.get(tag, tag) for tag in missing)))
    if "mass" in reasons and not is_diagonal(problem.mass):
        raise NotImplementedError(f"a mass matrix that is not diagonal{reasons['mass']}")
    for friction in problem.frictions if "static" in reasons else ():
        if friction.static != friction.kinetic:
            raise NotImplementedError(f"friction {friction.name!r} has two coefficients{reasons['static']}")


def is_diagonal(matrix: Any) -> bool:
    """Tell whether a matrix (n, n) has nothing beside its diagonal."""
    return bool(np.count_nonzero(matrix) == np.count_nonzero(np.diag(matrix)))


def coordinate_of(name: str, direction: Floats) -> int:
    """Return the one coordinate along which an element acts; raises `NotImplementedError` if there are others."""
    places = np.flatnonzero(direction)
    if places.size != 1:
        raise NotImplementedError(f"{name!r} acts on {places.size} coordinates; a joint is one")
    return int(places[0])


@dataclass(frozen=True)
class StepControls(Controls):
    """Settings of a time-stepping library."""

    substeps: int = number(10, "steps between two output instants")
    step: float = number(math.inf, "largest step (s), in place of substeps if given")


@dataclass(frozen=True, eq=False)
class Grid:
    """Output instants (m,) in s; to each of them leads one interval of equal steps.

    ``begins`` (m,) in s, ``lengths`` (m,) in s and ``counts`` (m,): start of each interval, size and number of its
    steps; the first interval has no step if the first output is the start.
    """

    begins: Floats
    times: Floats
    lengths: Floats
    counts: NDArray[np.int64]

    @property
    def counters(self) -> dict[str, float]:
        """What responses count."""
        return {"steps": int(self.counts.sum())}

    def loads(self, problem: MechanicalProblem) -> Iterator[tuple[int, float, Floats]]:
        """Yield number and step (s) of each interval, and the nodal forces (steps, n) where its steps begin."""
        for k, (begin, length, count) in enumerate(zip(self.begins, self.lengths, self.counts, strict=True)):
            yield k, float(length), nodal_forces(problem, begin + length * np.arange(count))


class Stepper(Library):
    """A library under test that goes from output to output by equal steps; it names ``schemes`` and capabilities.

    ``substeps`` between two outputs are those of the refinement levels.
    """

    schemes: tuple[str, ...]
    distribution: str = ""  # its package, where that is not called like the solver
    controls: type[StepControls] = StepControls
    substeps: tuple[int, ...] = (5, 10, 20, 40)  # from coarse to fine: what a work-precision diagram goes through

    def refinement(self, problem: Any, _: str) -> list[dict[str, Any]]:
        """Return the settings of the refinement levels, by the step (s)."""
        return [{"step": usual_spacing(problem) / n} for n in self.substeps]

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> AnyResponse:
        """Return the response at the output instants; errors as `Library` says."""
        controls = read_controls(self.controls, settings, self.schemes)
        response = self.stepped(problem, controls, grid(problem, substeps_of(problem, controls)))
        parts = (response.displacement, response.velocity) if isinstance(response, Response) else (response.states,)
        if not all(np.all(np.isfinite(part)) for part in parts):
            how = f"{self.name} ({controls.scheme})"
            raise SolverFailure(f"{problem.name}: {how} went on with numbers that are not finite")
        return response

    def stepped(self, problem: Any, controls: Any, steps: Grid) -> AnyResponse:
        """Return the response by the steps of a grid."""
        raise NotImplementedError


def usual_spacing(problem: Problem) -> float:
    """Return the usual interval between output instants (s), the first one counted from the start."""
    intervals = np.diff(np.concatenate(([problem.start], output_instants(problem))))
    return float(np.median(intervals[intervals > 0]))


def substeps_of(problem: Problem, controls: StepControls) -> int:
    """Return the steps between two output instants: as many as a given step asks for, else what is set."""
    if math.isinf(controls.step):
        return controls.substeps
    return max(1, math.ceil(usual_spacing(problem) / controls.step * (1 - 1e-12)))


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


class OutputHistories:
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
            histories[stop.name] = {"normal_force": np.abs(self.forces[stop.name]), **gap}
        return histories


def grid(problem: Problem, substeps: int) -> Grid:
    """Return the steps that lead from output to output, as many in each interval of the usual spacing.

    Intervals shorter than usual get proportionally fewer steps, longer ones more, so that the step never exceeds
    the usual spacing over ``substeps``.
    """
    times = output_instants(problem)
    begins = np.concatenate(([problem.start], times[:-1]))
    intervals = times - begins
    usual = usual_spacing(problem)
    # an interval that is the usual one up to rounding gets exactly the usual number of steps
    counts = np.ceil(intervals / usual * substeps - 1e-6).astype(np.int64)
    counts = np.maximum(counts, intervals > 0)
    lengths = np.divide(intervals, counts, out=np.zeros_like(intervals), where=counts > 0)
    return Grid(begins, times, lengths, counts)
