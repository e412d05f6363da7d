"""Mechanical problems that are not piecewise linear, through their form as initial value problems."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.as_initial_value import as_initial_value, plain
from veridyn.problem.devices import NonlinearDamper
from veridyn.problem.elements import Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.responses import Response, Trajectory, output_instants
from veridyn.solver.event_driven.legs import Integrator
from veridyn.solver.event_driven.modes import ModeDriver
from veridyn.solver.postprocessing.balance import motion_in_frame

Floats = NDArray[np.float64]
Histories = Mapping[str, Floats]


def respond(problem: MechanicalProblem, integrator: Integrator, largest_step: float, most_events: int) -> Response:
    """Solve a problem with an integrator and return its response at the output instants.

    Raises
    ------
    NotImplementedError
        What `as_initial_value` refuses: a modal basis, set-valued friction, too many modes.
    SolverFailure
        See `modes.ModeDriver`.
    """
    try:
        first_order = as_initial_value(problem)
    except ProblemError as error:
        raise NotImplementedError(str(error)) from None
    driver = ModeDriver(first_order, integrator, largest_step=largest_step, most_events=most_events)
    result, n = driver.run(output_instants(problem)), problem.size
    response = Response(result.time, result.states[:, :n], result.states[:, n : 2 * n], counters=result.counters)
    elements = {stop.name: _of_stop(problem, response, stop) for stop in problem.stops}
    elements |= {d.name: _of_damper(problem, response, d) for d in problem.devices if isinstance(d, NonlinearDamper)}
    return Response(
        response.time, response.displacement, response.velocity, elements, result.counters, _events(problem, result)
    )


def _of_stop(problem: MechanicalProblem, response: Response, stop: Stop) -> Histories:
    y, w = (
        motion_in_frame(problem, response, stop.frame, motion) @ stop.normal for motion in ("displacement", "velocity")
    )
    y = y + stop.offset
    side = np.where((stop.geometry == "parallel planes") & (y < 0), -1.0, 1.0)
    gap, rate = stop.gap - side * y, -side * w
    force = np.where(gap <= 0, np.maximum(-stop.stiffness * gap - stop.damping * rate, 0.0), 0.0)
    return {"normal_force": force, "normal_velocity": rate, "gap": gap}


def _of_damper(problem: MechanicalProblem, response: Response, damper: NonlinearDamper) -> Histories:
    u, rate = (
        motion_in_frame(problem, response, damper.frame, of) @ damper.direction for of in ("displacement", "velocity")
    )
    return {"force": damper.force(rate), "elongation": u + damper.offset, "rate": rate}


def _events(problem: MechanicalProblem, found: Trajectory) -> dict[str, Floats]:
    """Return the instants (k,) of the events of each element: those whose names begin with its own."""
    names = {plain(element.name): element.name for element in problem.elements}
    instants: dict[str, list[Floats]] = {name: [np.empty(0)] for name in names.values()}
    for event, times in found.events.items():
        owner = max((name for name in names if event.startswith(f"{name}_")), key=len, default=None)
        if owner is not None:
            instants[names[owner]].append(times)
    return {name: np.sort(np.concatenate(times)) for name, times in instants.items()}
