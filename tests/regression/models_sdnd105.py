"""SDND105 as Code_Aster's test runs it: two chained runs."""

from dataclasses import replace

import numpy as np

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.integrators.modal import SOLVER

SPEED = 2.0  # m/s at the start


def restarted(values, problem, restart, end, step):
    """Return the second run, from where the first, DIFF_CENTRE with a step (s), is at the restart (s)."""
    (device,) = problem.devices
    first = MechanicalProblem(
        name="sdnd105, before the restart",
        mass=np.eye(1),
        stiffness=np.zeros((1, 1)),
        initial_displacement=np.zeros(1),
        initial_velocity=np.array([SPEED]),
        end=restart,
        devices=(device,),
    )
    left = SOLVER.solve(first, {"scheme": "symplectic_euler", "step": step})
    return replace(
        first,
        initial_displacement=left.displacement[-1],
        initial_velocity=left.velocity[-1],
        start=restart,
        end=end,
        devices=(replace(device, crushed=float(left.elements[device.name]["largest_crush"][-1])),),
    )


def first_buckled(quantity, o):
    """Return the instant of the first state that is archived after buckling (s)."""
    (device,) = o.problem.devices
    largest = o.response.elements[device.name]["largest_crush"]
    return float(o.response.time[np.argmax(largest > device.buckling_crush)])
