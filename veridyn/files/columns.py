"""The columns of a file of histories, for a code that is run by hand."""

from __future__ import annotations

from functools import singledispatch

from veridyn.problem.mechanical import MechanicalProblem, Problem

STOP_HISTORIES = {"normal_force": "N", "normal_velocity": "m/s", "gap": "m"}
FRICTION_HISTORIES = {"force": "N", "sliding_velocity": "m/s", "stuck": "", "normal_force": "N"}
DEVICE_HISTORIES = {"force": "N", "elongation": "m"}
SECOND_TANGENT = {"force_2": "N", "sliding_velocity_2": "m/s"}


@singledispatch
def needed_columns(problem: Problem) -> tuple[str, ...]:
    """Return the columns that a file of histories must have."""
    return ("time", *problem.unknowns)


@needed_columns.register
def _(problem: MechanicalProblem) -> tuple[str, ...]:
    return ("time", *(f"displacement_{name}" for name in problem.coordinates))


@singledispatch
def history_columns(problem: Problem) -> dict[str, str]:
    """Return the columns that a file of histories may have, and their units; unknowns of other problems have none."""
    return {"time": "s"} | dict.fromkeys((*problem.unknowns, "event"), "")


@history_columns.register
def _(problem: MechanicalProblem) -> dict[str, str]:
    columns = {"time": "s"}
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
