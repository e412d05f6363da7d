"""Whether the parts of a response agree: velocities with displacements, forces with gaps, flags with events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from veridyn.problem.devices import Device, PiecewiseLaw, Zener
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.contract.errors import MissingHistory
from veridyn.solver.contract.responses import Response
from veridyn.solver.postprocessing.balance import element_history, motion_in_frame, section, stop_gap

E = TypeVar("E", Stop, Friction, Device)

ROUNDING = 1e-9  # of the largest motion
STILL = 1e-12  # of the largest motion: a coordinate that moves less is moved by rounding
LAST_BITS = 4  # roundings of an instant or a position that a solver adds up from step to step


def velocity_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far the velocities are from the slopes of the displacements, in changes of a slope.

    The largest difference from the mean slope of the two intervals beside a sample, over the largest change of the
    slope from one interval to the next, h |x''|. A velocity that belongs to the middle of an interval is off by a half,
    one that belongs to the neighbouring sample by one. Rounding of slopes counts on neither side, in gaps and slips
    that of the coordinates; where nothing else changes, a velocity beyond it counts as one. Coordinates, gaps of stops
    and slips of frictions in the relative frame are looked at, each by itself, as far as the solver reports their
    velocities. The gap of a stop that stands still beside a driven structure changes as the structure alone moves it,
    too: half a step of that is what a scheme is late, however little of it the support leaves. A coordinate that only
    rounding moves is left out.
    """
    pairs = _moving(problem, response)
    return max(_difference(response.time, *pair) for pair in pairs)


def _moving(problem: MechanicalProblem, response: Response) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """Yield positions and velocities, the size (m) of what positions are differences of, what the structure moves."""
    largest = np.abs(response.displacement).max(axis=1)
    for x, v in zip(response.displacement.T, response.velocity.T, strict=True):
        if not 0 < np.abs(x).max() < STILL * largest.max():
            yield x, v, np.abs(x), x
    for stop, rate in _reported(response, problem.stops, "normal_velocity"):
        gap = stop_gap(problem, response, stop)
        moved = stop_gap(problem, response, replace(stop, frame="relative"))
        yield gap, rate, np.maximum(largest, np.abs(gap)), moved
    for friction, slip in _reported(response, problem.frictions, "sliding_velocity"):
        if friction.frame == "relative":
            path = response.displacement @ friction.tangents[0]
            yield path, slip, largest, path


def _reported(response: Response, elements: tuple[E, ...], history: str) -> Iterator[tuple[E, Floats]]:
    """Yield the elements of which a solver reports a history (m,), and this one."""
    for element in elements:
        result = response.elements.get(element.name, {}).get(history)
        if result is not None:
            yield element, result


def _difference(time: Floats, position: Floats, velocity: Floats, size: Floats, moved: Floats) -> float:
    slopes = np.diff(position) / np.diff(time)
    rounding = _rounding_of_slopes(time, position, size)
    between = rounding[1:] + rounding[:-1]
    changes = np.maximum(np.abs(np.diff(slopes)), np.abs(np.diff(np.diff(moved) / np.diff(time))))
    change = float(changes[changes > between].max(initial=0.0))
    off = float((np.abs(velocity[1:-1] - 0.5 * (slopes[1:] + slopes[:-1])) - between).max(initial=0.0))
    if off <= 0:
        return 0.0
    return off / change if change else 1.0


def _rounding_of_slopes(time: Floats, position: Floats, size: Floats) -> Floats:
    """Return how far rounding of instants and positions of such a size moves the slopes (m - 1,)."""
    h, step = np.diff(time), np.diff(position)
    largest, instant = (np.maximum(np.abs(a[1:]), np.abs(a[:-1])) for a in (size, time))
    return np.asarray(LAST_BITS * np.finfo(float).eps * (largest + np.abs(step / h) * instant) / h)


def stop_force_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far the reported forces of undamped elastic stops are from stiffness times penetration.

    It is over the largest force. A rigid stop has no stiffness, and none to compare with. Raises `MissingHistory` if
    the solver reports no normal force, which it may leave out.
    """
    elastic = [stop for stop in problem.stops if not (stop.damping or stop.rigid)]
    return max((_force_residual(problem, response, stop) for stop in elastic), default=0.0)


def _force_residual(problem: MechanicalProblem, response: Response, stop: Stop) -> float:
    reported = element_history(response, stop.name, "normal_force", of="stop")
    force = stop.stiffness * np.maximum(0.0, -stop_gap(problem, response, stop))
    return float(np.abs(reported - force).max() / max(force.max(), 1e-300))


def flags_off_events(problem: MechanicalProblem, response: Response) -> int:
    """Return how often a flag of adherence changes at a sample that is no event of its friction.

    Events are samples, with the state that begins there: a flag that changes beside its event is early or late. Raises
    `MissingHistory` if the solver locates no events or reports no flags, which it may leave out.
    """
    return sum(_off_events(response, friction.name) for friction in problem.frictions)


def _off_events(response: Response, name: str) -> int:
    flag, events = response.elements.get(name, {}).get("stuck"), response.events.get(name)
    if flag is None or events is None:
        raise MissingHistory(f"the solver reports no events or no flag of adherence of friction {name!r}")
    changed = response.time[1:][np.diff(flag) != 0]
    return int(np.count_nonzero(~np.isin(changed, events)))


def position_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far reported gaps and elongations are from those of the displacements, over the largest of each.

    Raises `MissingHistory` if the solver reports none of them, which it may leave out.
    """
    return _largest(_positions(problem, response), response.displacement, "gap or elongation")


def rate_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far rates of gaps and sliding velocities are from those of the velocities, over the largest of each.

    Raises `MissingHistory` if the solver reports none of them, which it may leave out.
    """
    return _largest(_rates(problem, response), response.velocity, "normal_velocity or sliding_velocity")


def friction_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far friction forces are from the kinetic limit where the flag says slip, over the limit.

    A force of friction that slips is the kinetic coefficient times the normal force; a flag that is a sample late calls
    a force inside the cone one of slip. Raises `MissingHistory` if the solver reports no force or no flag of adherence.
    """
    return max((_off_the_cone(response, friction) for friction in problem.frictions), default=0.0)


def device_residual(problem: MechanicalProblem, response: Response) -> float:
    """Return how far the forces of springs and Zener devices are from their law, over the largest of each.

    Raises `MissingHistory` if the solver reports none of them with what the law needs.
    """
    nothing = np.zeros(1)
    return _largest(_device_forces(problem, response), nothing, "force of a device with what its law needs")


def _largest(pairs: Iterator[tuple[Floats, Floats]], motion: Floats, what: str) -> float:
    """Return the largest difference of pairs of histories (m,), over the largest value of the second.

    What is nothing but rounding of the motion, the velocity of a body that is held say, is no value.
    """
    least = ROUNDING * float(np.abs(motion).max(initial=0.0)) + float(np.finfo(float).tiny)
    result = [float(np.abs(a - b).max() / max(np.abs(b).max(), least)) for a, b in pairs]
    if not result:
        raise MissingHistory(f"the solver reports no {what}")
    return max(result)


def _positions(problem: MechanicalProblem, response: Response) -> Iterator[tuple[Floats, Floats]]:
    for stop, gap in _reported(response, problem.stops, "gap"):
        yield gap, stop_gap(problem, response, stop)
    for device, elongation in _reported(response, problem.devices, "elongation"):
        yield elongation, motion_in_frame(problem, response, device.frame) @ device.direction + device.offset


def _rates(problem: MechanicalProblem, response: Response) -> Iterator[tuple[Floats, Floats]]:
    for stop, rate in _reported(response, problem.stops, "normal_velocity"):
        _, cosine, sine = section(problem, response, stop)
        moving = motion_in_frame(problem, response, stop.frame, "velocity")
        local = [moving @ direction for direction in stop.directions]
        yield rate, np.asarray(sum(a * b for a, b in zip((cosine, sine), local, strict=False)))
    for device, rate in _reported(response, problem.devices, "rate"):
        yield rate, motion_in_frame(problem, response, device.frame, "velocity") @ device.direction
    curved = {stop.name for stop in problem.stops if stop.curved}
    for friction, slip in _reported(response, problem.frictions, "sliding_velocity"):
        if friction.normal not in curved:
            yield slip, motion_in_frame(problem, response, friction.frame, "velocity") @ friction.tangents[0]


def _off_the_cone(response: Response, friction: Friction) -> float:
    own = response.elements.get(friction.name, {})
    names = ("force", "force_2")[: len(friction.tangents)]
    if any(name not in own for name in (*names, "stuck")):
        raise MissingHistory(f"the solver reports no force or no flag of adherence of friction {friction.name!r}")
    normal = (
        own.get("normal_force") if isinstance(friction.normal, str) else np.full(response.time.size, friction.normal)
    )
    if normal is None:
        raise MissingHistory(f"the solver reports no normal_force of friction {friction.name!r}")
    force = np.hypot.reduce([own[name] for name in names])
    limit = friction.kinetic * normal
    slips = (own["stuck"] == 0) & (limit > 0)
    slips[:1] = False  # what begins at rest has no direction yet
    return float(
        np.abs(force[slips] - limit[slips]).max(initial=0.0) / max(limit.max(initial=0.0), np.finfo(float).tiny)
    )


def _device_forces(problem: MechanicalProblem, response: Response) -> Iterator[tuple[Floats, Floats]]:
    for device in problem.devices:
        own = response.elements.get(device.name, {})
        if isinstance(device, PiecewiseLaw) and {"force", device.of[0]} <= own.keys():
            yield own["force"], device.force(own[device.of[0]])
        if isinstance(device, Zener) and {"force", "dashpot_force", "dashpot_path", "elongation"} <= own.keys():
            force, dashpot = device.forces(own["elongation"], own["dashpot_path"])
            yield own["force"], force
            yield own["dashpot_force"], dashpot
