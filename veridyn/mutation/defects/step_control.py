"""Defects of step control."""

from __future__ import annotations

from typing import Any

from veridyn.mutation.defects.defect import Defect
from veridyn.mutation.defects.rebuilt import part
from veridyn.solver.integrators.kernels.central_adaptive import control_2020

LARGEST = 20.0  # of a step that nothing refuses, over the first


@part
def no_frequency(control, dt, q, q_new, a, a_new, floor):  # noqa: ARG001 - the signature of the sound part
    """Apparent error of a control that accepts everything."""
    return 0.0


@part
def no_error(dt, tableau, stages, q, v, control):  # noqa: ARG001 - the signature of the sound part
    """Error estimate of a control that accepts everything."""
    return 1e-14


@part
def no_midpoint_error(dt, p1, p0, control, p, past):  # noqa: ARG001 - the signature of the sound part
    """Error of a midpoint of a control that accepts everything."""
    return 0.0


@part
def impatient(control, dt, error, counter):
    """Control of 2020 that lets the step grow an easy step too soon."""
    dt_next, count, again = control_2020(control, dt, error, counter)
    return dt_next, (count + 1.0 if count == 2.0 else count), again


def _accepting(name: str, scheme: str, estimate: str, nothing: Any) -> Defect:
    """Return the defect of a scheme whose estimate of the error is replaced by one that finds none."""
    return Defect(
        name,
        "integrator",
        f"The step control accepts every step and lets it grow to {LARGEST:g} times the first.",
        scheme=scheme,
        parts={estimate: nothing},
        changed={"largest": LARGEST},
    )


DEFECTS = (
    _accepting("frequency_control_accepts_all", "central_adaptive", "apparent_error", no_frequency),
    _accepting("euler_control_accepts_all", "euler_adaptive", "apparent_error", no_frequency),
    _accepting("error_control_accepts_all", "runge_kutta_54", "error", no_error),
    _accepting("midpoint_control_accepts_all", "devogelaere_adaptive", "error", no_midpoint_error),
    Defect("step_grows_too_soon", "integrator",
        "The step control lets the step grow after one easy step less than it should.", scheme="central_adaptive",
        parts={"control_2020": impatient},
        unseen="another rule of step control is as accurate; digits that Code_Aster printed tell them apart"),
)  # fmt: skip
