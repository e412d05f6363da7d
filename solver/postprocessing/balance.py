"""Energy balance of a response: what went in, what is stored, what was dissipated.

Only displacements (and reported forces of frictions and devices) are used; velocities are their differences, so that
schemes that keep velocities half a step away are judged fairly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veridyn.problem.basis import driven, driven_displacement, in_modal_coordinates
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.gaps import gap_and_normal, local_position
from veridyn.problem.matrices import Matrix, skew_part
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.problem.smoothness import jumps
from veridyn.solver.contract.errors import MissingHistory
from veridyn.solver.contract.responses import Response


def section(problem: MechanicalProblem, response: Response, stop: Stop) -> tuple[Floats, Floats, Floats]:
    """Return gap (m,), and cosine and sine of the inward normal (m,) of a stop."""
    return gap_and_normal(stop, *local_position(stop, motion_in_frame(problem, response, stop.frame)))


def motion_in_frame(problem: MechanicalProblem, response: Response, frame: str, motion: str = "displacement") -> Floats:
    """Return the displacement or velocity (m, n) that elements of a frame see."""
    own: Floats = getattr(response, motion)
    return own + driven(problem, response.time, motion) if frame == "absolute" else own


def stop_gap(problem: MechanicalProblem, response: Response, stop: Stop) -> Floats:
    """Return the gap history (m,) of a stop, negative in contact (m)."""
    return section(problem, response, stop)[0]


def _work(force: Floats, position: Floats) -> Floats:
    """Cumulative work (m,) of a force history along a position history, trapezoidal."""
    increments = 0.5 * (force[1:] + force[:-1]) * np.diff(position)
    return np.concatenate(([0.0], np.cumsum(increments)))


def _work_of_means(impulse: Floats, t: Floats, position: Floats) -> Floats:
    """Cumulative work (m,) of the mean forces between samples, which an antiderivative of the force (m,) gives."""
    increments = np.diff(impulse) / np.diff(t) * np.diff(position)
    return np.concatenate(([0.0], np.cumsum(increments)))


def _without_jumps(problem: MechanicalProblem, t: Floats, residual: Floats) -> Floats:
    """Return the residual (m - 2,) of samples that have no jump of a drive between their neighbours, else the last."""
    edges = np.array(list(jumps(problem)))
    clear = np.searchsorted(edges, t[:-2], side="right") == np.searchsorted(edges, t[2:], side="left")
    clear[0] = True
    return np.asarray(residual[np.maximum.accumulate(np.where(clear, np.arange(clear.size), 0))])


def _centred_velocity(t: Floats, x: Floats) -> Floats:
    """Velocity (m - 2, n) at the inner samples from the parabola through three neighbours."""
    h = np.diff(t)[:, None]
    secant = np.diff(x, axis=0) / h
    return np.asarray((secant[:-1] * h[1:] + secant[1:] * h[:-1]) / (h[1:] + h[:-1]))


def _form(matrix: Matrix, v: Floats, x: Floats) -> Floats:
    """Return ``vᵀ A x`` (m,) for a matrix (n, n), sparse or not, and m vectors each."""
    return np.asarray(np.einsum("mi,mi->m", v, np.asarray(matrix @ x.T).T))


def _stored(problem: MechanicalProblem, response: Response) -> Floats:
    """Kinetic, strain and stop energy at the inner samples (J)."""
    t, x = response.time, response.displacement
    v = _centred_velocity(t, x)
    kinetic = 0.5 * _form(problem.mass, v, v)
    strain = 0.5 * _form(problem.stiffness, x, x)[1:-1]
    stops = sum(
        (0.5 * s.stiffness * np.minimum(stop_gap(problem, response, s), 0.0) ** 2 for s in problem.stops),
        start=np.zeros(t.size),
    )
    return np.asarray(kinetic + strain + stops[1:-1])


def _dissipated(problem: MechanicalProblem, response: Response) -> Floats:
    """Energy (J) that damping and circulatory forces have taken since the first inner sample, trapezoidal."""
    v, x = _centred_velocity(response.time, response.displacement), response.displacement[1:-1]
    power = _form(problem.damping, v, v)
    power += _form(skew_part(problem.stiffness), v, x)
    return _work(power, response.time[1:-1])


def element_history(response: Response, name: str, history: str = "force", *, of: str = "friction") -> Floats:
    """Return a history (m,) of a friction or a device; ``of`` says which, for the message.

    Raises `MissingHistory` if the solver does not report it.
    """
    histories = response.elements.get(name, {})
    if history not in histories:
        raise MissingHistory(f"the solver reports no {history} of {of} {name!r}; report it in elements[{name!r}]")
    return histories[history]


def _friction_work(problem: MechanicalProblem, response: Response, friction: Friction) -> Floats:
    """Work (m,) of a friction; on a curved stop its first force turns with the contact normal."""
    first = element_history(response, friction.name, "force")
    stop = next((s for s in problem.stops if s.name == friction.normal and s.curved), None)
    if stop is None:
        work = _work(first, response.displacement @ friction.tangents[0])
    else:
        _, cosine, sine = section(problem, response, stop)
        work = _work_in_plane(response.displacement, stop, -sine * first, cosine * first)
    for tangent in friction.tangents[1:]:
        work += _work(element_history(response, friction.name, "force_2"), response.displacement @ tangent)
    return work


def _work_in_plane(x: Floats, stop: Stop, *forces: Floats) -> Floats:
    """Work (m,) of forces (m,) along the local coordinates of a stop on displacements (m, n)."""
    parts = [_work(force, x @ direction) for force, direction in zip(forces, stop.directions, strict=False)]
    return np.asarray(sum(parts))


def _work_of_moving_stop(problem: MechanicalProblem, response: Response, stop: Stop) -> Floats:
    """Work (m,) that the supports draw through a stop that sees the absolute displacement."""
    gap, cosine, sine = section(problem, response, stop)
    pull = stop.stiffness * np.minimum(gap, 0.0)
    return _work_in_plane(driven_displacement(problem, response.time), stop, -pull * cosine, -pull * sine)


def energy_residual(problem: MechanicalProblem, response: Response) -> Floats:
    """Return the energy that appears from nowhere (J) at the inner samples, relative to the first of them.

    Stored and dissipated energy minus the work of loads, supports, friction and devices. Undamped elastic stops only:
    an impact on a rigid one takes energy between two samples. A problem that is given by modes is balanced in modal
    coordinates. Beside a jump of a load no parabola has the velocity: the sample takes the residual of that before.
    Raises `MissingHistory` if a friction or a device has no force history; `NotImplementedError` if a stop is damped or
    rigid.
    """
    if any(s.damping or s.rigid for s in problem.stops):
        raise NotImplementedError("the energy balance covers undamped elastic stops")
    if problem.modes is not None:
        back = np.linalg.pinv(problem.modes.shapes).T
        response = replace(response, displacement=response.displacement @ back, velocity=response.velocity @ back)
        problem = in_modal_coordinates(problem)
    t, x = response.time, response.displacement
    work = np.zeros(t.size)
    for load in problem.loads:
        work += _work_of_means(np.asarray(load.function.antiderivative()(t)), t, x @ load.direction)
    for support in problem.supports:
        work -= _work_of_means(np.asarray(support.velocity(t)), t, x @ (problem.mass @ support.influence))
    for stop in problem.stops:
        if stop.frame == "absolute":
            work -= _work_of_moving_stop(problem, response, stop)
    for friction in problem.frictions:
        work += _friction_work(problem, response, friction)
    for device in problem.devices:
        work -= _work(element_history(response, device.name, of=device.type), x @ device.direction)
    residual = _stored(problem, response) + _dissipated(problem, response) - work[1:-1]
    return _without_jumps(problem, t, residual - residual[0])
