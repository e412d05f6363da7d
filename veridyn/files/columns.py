"""The columns of a file of histories, for a code that is run by hand."""

from __future__ import annotations

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem

STOP_HISTORIES = {"normal_force": "N", "normal_velocity": "m/s", "gap": "m"}
FRICTION_HISTORIES = {"force": "N", "sliding_velocity": "m/s", "stuck": "", "normal_force": "N"}
DEVICE_HISTORIES = {"force": "N", "elongation": "m"}
SECOND_TANGENT = {"force_2": "N", "sliding_velocity_2": "m/s"}


def needed_columns(problem: Problem) -> tuple[str, ...]:
    """Return the columns that a file of histories must have."""
    if isinstance(problem, MechanicalProblem):
        return ("time", *(f"displacement_{name}" for name in problem.coordinates))
    return ("time", *problem.unknowns) if isinstance(problem, InitialValueProblem) else ("time",)


def history_columns(problem: Problem) -> dict[str, str]:
    """Return the columns that a file of histories may have, and their units; states of initial values have none."""
    columns = {"time": "s"}
    if isinstance(problem, InitialValueProblem):
        return columns | dict.fromkeys((*problem.unknowns, "event"), "")
    assert isinstance(problem, MechanicalProblem)
    columns |= {f"displacement_{name}": "m" for name in problem.coordinates}
    columns |= {f"velocity_{name}": "m/s" for name in problem.coordinates}
    for stop in problem.stops:
        columns |= {f"{stop.name}.{history}": unit for history, unit in STOP_HISTORIES.items()}
    for friction in problem.frictions:
        reported = FRICTION_HISTORIES | (SECOND_TANGENT if len(friction.tangents) > 1 else {})
        columns |= {f"{friction.name}.{history}": unit for history, unit in reported.items()}
    for device in problem.devices:
        reported = {**DEVICE_HISTORIES, **device.internal}
        columns |= {f"{device.name}.{history}": unit for history, unit in reported.items()}
    return columns
