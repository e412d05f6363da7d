"""Whether the parts of a response agree: velocities with displacements, forces with gaps, flags with events."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.balance import stop_gap
from veridyn.solver.errors import CapabilityError
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response

Floats = NDArray[np.float64]


def velocity_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far the velocities are from the slopes of the displacements, in changes of a slope.

    The largest difference from the mean slope of the two intervals beside a sample, over the largest change of the
    slope from one interval to the next, h |x''|. A velocity that belongs to the middle of an interval is off by a half,
    one that belongs to the neighbouring sample by one. Coordinates, gaps of stops and slips of frictions in the
    relative frame are looked at, each by itself, as far as the solver reports their velocities.
    """
    pairs = _moving(problem, response)
    return max(_difference(response.time, position, velocity) for position, velocity in pairs)


def _moving(problem: MechanicalProblem, response: Response) -> Iterator[tuple[Floats, Floats]]:
    yield from zip(response.displacement.T, response.velocity.T, strict=True)
    for stop in problem.stops:
        rate = response.elements.get(stop.name, {}).get("normal_velocity")
        if rate is not None:
            yield stop_gap(problem, response, stop), rate
    for friction in problem.frictions:
        slip = response.elements.get(friction.name, {}).get("sliding_velocity")
        if slip is not None and friction.frame == "relative":
            yield response.displacement @ friction.tangents[0], slip


def _difference(time: Floats, position: Floats, velocity: Floats) -> float:
    slopes = np.diff(position) / np.diff(time)
    change = float(np.abs(np.diff(slopes)).max(initial=0.0))
    off = float(np.abs(velocity[1:-1] - 0.5 * (slopes[1:] + slopes[:-1])).max(initial=0.0))
    return off / change if change else float(off > 0)


def stop_force_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far the reported forces of undamped stops are from stiffness times penetration, over the largest.

    Raises
    ------
    CapabilityError
        If the solver reports no normal force, which it may leave out.
    """
    return max((_force_residual(problem, response, s.name) for s in problem.stops if not s.damping), default=0.0)


def _force_residual(problem: MechanicalProblem, response: Response, name: str) -> float:
    (stop,) = (stop for stop in problem.stops if stop.name == name)
    reported = response.elements.get(name, {}).get("normal_force")
    if reported is None:
        raise CapabilityError(f"the solver reports no normal_force of stop {name!r}")
    force = stop.stiffness * np.maximum(0.0, -stop_gap(problem, response, stop))
    return float(np.abs(reported - force).max() / max(force.max(), 1e-300))


def flags_off_events(problem: MechanicalProblem, response: Response) -> int:
    """Return how often a flag of adherence changes at a sample that is no event of its friction.

    Events are samples, with the state that begins there: a flag that changes beside its event is early or late.

    Raises
    ------
    CapabilityError
        If the solver locates no events or reports no flags, which it may leave out.
    """
    return sum(_off_events(response, friction.name) for friction in problem.frictions)


def _off_events(response: Response, name: str) -> int:
    flag, events = response.elements.get(name, {}).get("stuck"), response.events.get(name)
    if flag is None or events is None:
        raise CapabilityError(f"the solver reports no events or no flag of adherence of friction {name!r}")
    changed = response.time[1:][np.diff(flag) != 0]
    return int(np.count_nonzero(~np.isin(changed, events)))
