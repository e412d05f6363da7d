"""SDND102: one mass before a wall, two masses before each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from veridyn.solver.problem.elements import Frame, Stop, SupportMotion
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.problem.time_functions import Harmonic
from veridyn.validation_cases.core.case import Values
from veridyn.validation_cases.measures import vibro_impact

PRINTED_A = ("0.05", "0.156", "0.25", "0.4", "0.5", "0.8", "0.9", "1.0")  # s
PRINTED_C = ("0.1", "0.2", "0.3", "0.4", "0.5")  # s
SAMPLE_B = "0.376"  # s


def _acceleration(values: Values, sign: float) -> Harmonic:
    return Harmonic(sign * float(values["a"]), str(values["Omega"]))


def _structure(values: Values, n: int) -> dict[str, Any]:
    """Return matrices and start of n equal masses that know nothing of each other."""
    m, k, xi = (float(values[name]) for name in ("m", "k", "xi"))
    end = float(values["t_end"])
    printed = [t for t in sorted({float(t) for t in (*PRINTED_A, *PRINTED_C, SAMPLE_B)}) if t <= end]
    return {
        "mass": m * np.eye(n),
        "stiffness": k * np.eye(n),
        "damping": 2 * xi * math.sqrt(k * m) * np.eye(n),
        "initial_displacement": np.zeros(n),
        "initial_velocity": np.zeros(n),
        "end": end,
        "output_times": vibro_impact.output_times(values, printed),
    }


def wall(values: Values) -> MechanicalProblem:
    """Return one mass before a wall that stands still (wall = 1) or moves with the support (wall = 0)."""
    kc, gap = float(values["kc"]), float(values["gap"])
    frame: Frame = "absolute" if values["wall"].rational else "relative"
    return MechanicalProblem(
        name="sdnd102",
        supports=(SupportMotion.from_acceleration("support", np.ones(1), _acceleration(values, 1.0)),),
        stops=(Stop("stop", np.ones(1), gap=gap, stiffness=kc, frame=frame),),
        coordinates=("x",),
        **_structure(values, 1),
    )


def two_masses(values: Values) -> MechanicalProblem:
    """Return two masses whose supports move against each other: twice the gap, half the stiffness between them."""
    kc, gap = float(values["kc"]), float(values["gap"])
    first, second = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    return MechanicalProblem(
        name="sdnd102",
        supports=(
            SupportMotion.from_acceleration("left", first, _acceleration(values, 1.0)),
            SupportMotion.from_acceleration("right", second, _acceleration(values, -1.0)),
        ),
        stops=(Stop("stop", first - second, gap=2 * gap, stiffness=kc / 2, frame="absolute"),),
        coordinates=("x1", "x2"),
        **_structure(values, 2),
    )
